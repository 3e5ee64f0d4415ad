//! Buffers next to inaccessible memory, for tests. An access out of bounds ends the process instead
//! of going unnoticed.

#![allow(unsafe_code)]

use std::cell::{Cell, RefCell};
use std::ops::{Deref, DerefMut};
use std::ptr::null_mut;
use std::slice;

use nix::libc::{
    _SC_PAGESIZE, MAP_ANONYMOUS, MAP_FAILED, MAP_PRIVATE, PROT_NONE, PROT_READ, PROT_WRITE, c_void,
    mmap, mprotect, munmap, sysconf,
};

/// The end of a buffer that touches inaccessible memory. The other one lies in the same page as
/// accessible memory, unless the buffer fills whole pages.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Edge {
    First,
    Last,
}

impl Edge {
    pub(crate) const ALL: [Self; 2] = [Self::First, Self::Last];
}

thread_local! {
    static EDGE: Cell<Option<Edge>> = const { Cell::new(None) };
}

/// Runs `work`. Whatever it allocates on this thread as
/// [`Aligned`](crate::nn::conv::Aligned) is guarded at `edge`.
pub(crate) fn guard<T>(edge: Edge, work: impl FnOnce() -> T) -> T {
    struct Restore(Option<Edge>);
    impl Drop for Restore {
        fn drop(&mut self) {
            EDGE.set(self.0);
        }
    }
    let _restore = Restore(EDGE.replace(Some(edge)));
    work()
}

/// Memory between two inaccessible pages.
#[derive(Debug)]
struct Mapping {
    map: *mut c_void,
    /// Bytes, both inaccessible pages among them.
    size: usize,
}

impl Mapping {
    /// Maps memory of which `inner` bytes, whole pages, are accessible.
    fn new(inner: usize, page: usize) -> Self {
        let size = inner + 2 * page;
        // SAFETY: new memory is mapped, of which the pages between the first and the last one are
        // made accessible.
        unsafe {
            let map = mmap(null_mut(), size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
            assert_ne!(map, MAP_FAILED, "memory can be mapped");
            // An emulated system refuses to make nothing accessible.
            let opened =
                inner == 0 || mprotect(map.byte_add(page), inner, PROT_READ | PROT_WRITE) == 0;
            assert!(opened, "memory can be made accessible");
            Self { map, size }
        }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the memory belongs to this value.
        unsafe { munmap(self.map, self.size) };
    }
}

/// How many mappings without a buffer a thread keeps: to map memory takes longer than most tests
/// compute on it.
const KEPT: usize = 64;

thread_local! {
    static UNUSED: RefCell<Vec<Mapping>> = const { RefCell::new(Vec::new()) };
}

/// A buffer of `f32` between two inaccessible pages.
#[derive(Debug)]
pub(super) struct Guarded {
    /// Only `None` while it is dropped.
    mapping: Option<Mapping>,
    first: *mut f32,
    len: usize,
}

// SAFETY: the buffer owns its memory.
unsafe impl Send for Guarded {}
// SAFETY: as above; it changes only through a unique reference.
unsafe impl Sync for Guarded {}

impl Guarded {
    /// A buffer of `len` zeros, if this thread is within [`guard`].
    pub(super) fn zeros(len: usize) -> Option<Self> {
        EDGE.get().map(|edge| Self::new(len, edge))
    }

    fn new(len: usize, edge: Edge) -> Self {
        let bytes = len * size_of::<f32>();
        // SAFETY: it only asks for a constant.
        let page = unsafe { sysconf(_SC_PAGESIZE) } as usize;
        let inner = bytes.next_multiple_of(page);
        let unused = UNUSED.with_borrow_mut(|unused| {
            let found = unused.iter().position(|mapping| mapping.size == inner + 2 * page);
            found.map(|index| unused.remove(index))
        });
        let mapping = unused.unwrap_or_else(|| Mapping::new(inner, page));
        let skipped = if edge == Edge::First { 0 } else { inner - bytes };
        // SAFETY: the `inner` bytes behind the first page are accessible, and are this buffer's own.
        let first = unsafe {
            let accessible = mapping.map.byte_add(page);
            accessible.write_bytes(0, inner);
            accessible.byte_add(skipped).cast()
        };
        Self { mapping: Some(mapping), first, len }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // At the end of a thread its mappings are gone already.
        let _ = UNUSED.try_with(|unused| {
            let mut unused = unused.borrow_mut();
            unused.extend(self.mapping.take());
            let surplus = unused.len().saturating_sub(KEPT);
            unused.drain(..surplus);
        });
    }
}

impl Deref for Guarded {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        // SAFETY: `new` has made room for `len` numbers, and all bits are numbers.
        unsafe { slice::from_raw_parts(self.first, self.len) }
    }
}

impl DerefMut for Guarded {
    fn deref_mut(&mut self) -> &mut [f32] {
        // SAFETY: as for `deref`.
        unsafe { slice::from_raw_parts_mut(self.first, self.len) }
    }
}

#[cfg(test)]
mod tests {
    use nix::libc::{
        _exit, SIG_DFL, SIGBUS, SIGSEGV, WEXITSTATUS, WIFEXITED, WIFSIGNALED, WTERMSIG, fork,
        signal, waitpid,
    };

    use super::*;

    /// Reads the number at `offset` from the first one of `buffer` in another process. Returns
    /// whether the system has ended that process for it.
    fn is_inaccessible(buffer: &Guarded, offset: isize) -> bool {
        // SAFETY: between `fork` and `_exit` the child only sets signals and reads. If the address
        // is not valid, that is the point.
        let status = unsafe {
            let child = fork();
            assert!(child >= 0, "a process can be started");
            if child == 0 {
                signal(SIGSEGV, SIG_DFL);
                signal(SIGBUS, SIG_DFL);
                buffer.first.wrapping_offset(offset).read_volatile();
                _exit(0);
            }
            let mut status = 0;
            assert_eq!(waitpid(child, &raw mut status, 0), child);
            status
        };
        assert!(WIFSIGNALED(status) || (WIFEXITED(status) && WEXITSTATUS(status) == 0));
        WIFSIGNALED(status) && [SIGSEGV, SIGBUS].contains(&WTERMSIG(status))
    }

    #[test]
    fn the_system_stops_accesses_out_of_bounds() {
        for len in [0_u16, 1, 5, 1024, 1025] {
            let [first, last] = Edge::ALL.map(|edge| Guarded::new(len.into(), edge));
            assert!(is_inaccessible(&first, -1), "{len}");
            assert!(is_inaccessible(&last, len as isize), "{len}");
            for inside in [0, len as isize - 1].into_iter().take(len.into()) {
                assert!(!is_inaccessible(&first, inside) && !is_inaccessible(&last, inside));
            }
        }
    }

    #[test]
    fn buffers_are_zeros_that_can_be_written() {
        for edge in Edge::ALL {
            let mut buffer = Guarded::new(2000, edge);
            assert_eq!(*buffer, [0.0; 2000]);
            buffer.fill(1.5);
            assert_eq!(*buffer, [1.5; 2000]);
            drop(buffer);
            // Its memory is used again.
            assert_eq!(*Guarded::new(1999, edge), [0.0; 1999]);
        }
    }

    #[test]
    fn buffers_are_guarded_where_it_was_asked_for() {
        assert!(Guarded::zeros(1).is_none());
        assert!(guard(Edge::Last, || Guarded::zeros(1)).is_some());
        assert!(Guarded::zeros(1).is_none());
    }
}
