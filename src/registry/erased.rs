//! Room for a small value whose type is known only when the program runs.
//!
//! This is the only `unsafe` code of erased positions. Its argument:
//!
//! * [`Erased::new`] is the only way to make one. It writes a `T` to the beginning of the bytes,
//!   which are large enough and aligned for it: both are checked when it is compiled.
//! * It notes the type beside the bytes. [`get`](Erased::get) and [`get_mut`](Erased::get_mut) hand
//!   the bytes out as a `T` only if `T` is that type.
//! * `T` is `Copy`, so the bytes may be copied and forgotten, and `'static`, so it borrows nothing.
//!   The type parameters of the callers are `Send` and `Sync`, so the bytes may go to other
//!   threads.

use std::any::TypeId;
use std::mem::MaybeUninit;

/// A value of any type that is `Copy`, with up to `BYTES` bytes.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
pub(super) struct Erased<const BYTES: usize> {
    bytes: [MaybeUninit<u8>; BYTES],
    of: TypeId,
}

#[allow(unsafe_code)]
impl<const BYTES: usize> Erased<BYTES> {
    /// A value without its type.
    #[inline]
    pub(super) fn new<T: Copy + Send + Sync + 'static>(value: T) -> Self {
        const {
            assert!(size_of::<T>() <= BYTES, "the value has more bytes than erased ones may have");
            assert!(align_of::<T>() <= 16, "the value has a larger alignment than 16 bytes");
        }
        let mut new = Self { bytes: [MaybeUninit::uninit(); BYTES], of: TypeId::of::<T>() };
        // SAFETY: the bytes are at the beginning of a value aligned to 16 bytes, and they are as
        // many as a `T` has, by the assertions above.
        unsafe { new.bytes.as_mut_ptr().cast::<T>().write(value) };
        new
    }

    /// Whether the value is a `T`.
    #[inline]
    pub(super) fn is<T: 'static>(&self) -> bool {
        self.of == TypeId::of::<T>()
    }

    /// The value.
    ///
    /// # Panics
    ///
    /// If it is no `T`.
    #[inline]
    pub(super) fn get<T: Copy + 'static>(&self) -> &T {
        assert!(self.is::<T>(), "an erased value is read as another type");
        // SAFETY: `new` wrote a `T` to these bytes, and nothing but `get_mut` has changed them.
        unsafe { &*self.bytes.as_ptr().cast::<T>() }
    }

    /// The value, to be changed.
    ///
    /// # Panics
    ///
    /// If it is no `T`.
    #[inline]
    pub(super) fn get_mut<T: Copy + 'static>(&mut self) -> &mut T {
        assert!(self.is::<T>(), "an erased value is changed as another type");
        // SAFETY: as in `get`; the borrow of `self` is exclusive.
        unsafe { &mut *self.bytes.as_mut_ptr().cast::<T>() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_alignment_are_read_as_they_were_written() {
        let mut bytes = Erased::<48>::new([7_u8; 3]);
        bytes.get_mut::<[u8; 3]>()[1] = 9;
        let words = Erased::<48>::new((1_u128 << 100, 5_u64));
        // In arrays and after copies, too.
        let many = [bytes; 3];
        assert_eq!(many[2].get::<[u8; 3]>(), &[7, 9, 7]);
        assert_eq!(vec![words; 5][3].get::<(u128, u64)>(), &(1 << 100, 5));
        assert!(bytes.is::<[u8; 3]>() && !bytes.is::<[i8; 3]>());
    }

    #[test]
    fn values_without_bytes_and_with_padding_are_kept() {
        #[derive(Clone, Copy, PartialEq, Debug)]
        struct Padded(u8, u64, u16);
        assert_eq!(Erased::<0>::new(()).get::<()>(), &());
        assert_eq!(Erased::<24>::new(Padded(1, 2, 3)).get::<Padded>(), &Padded(1, 2, 3));
    }

    #[test]
    #[should_panic(expected = "read as another type")]
    fn a_value_is_not_read_as_another_type() {
        let _: &i32 = Erased::<16>::new(1_u32).get();
    }

    #[test]
    #[should_panic(expected = "changed as another type")]
    fn a_value_is_not_changed_as_another_type() {
        let _: &mut [u8; 4] = Erased::<16>::new(1_u32).get_mut();
    }
}
