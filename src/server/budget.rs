//! The memory for what clients send and have not read.

use std::sync::Arc;

use axum::body::Bytes;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Requests and answers of at most so many bytes are not counted: the limit on connections bounds
/// their number.
pub(super) const SMALL: usize = 64 << 10;

/// The memory for larger requests and answers, in KiB.
const TOTAL: u32 = 32 << 10;

/// Memory that is shared by all requests and answers of more than [`SMALL`] bytes.
pub(crate) struct BodyMemory(Arc<Semaphore>);

/// A part of the budget; it is free again when this is dropped.
pub(crate) struct Share(#[expect(dead_code, reason = "held")] OwnedSemaphorePermit);

impl BodyMemory {
    pub(crate) fn new() -> Self {
        Self(Arc::new(Semaphore::new(TOTAL as usize)))
    }

    /// Takes the memory for so many bytes; `None` if too much is in use. What is larger than the
    /// whole budget takes all of it.
    pub(super) fn take(&self, bytes: usize) -> Option<Share> {
        let wanted = u32::try_from(bytes.div_ceil(1 << 10)).map_or(TOTAL, |kib| kib.min(TOTAL));
        Arc::clone(&self.0).try_acquire_many_owned(wanted).ok().map(Share)
    }

    /// Returns the bytes of an answer, which keep their part of the budget until they are written;
    /// `None` if too much is in use.
    pub(super) fn answer(&self, text: String) -> Option<Bytes> {
        if text.len() <= SMALL {
            return Some(text.into());
        }
        let share = self.take(text.len())?;
        Some(Bytes::from_owner(Held { text, _share: share }))
    }
}

struct Held {
    text: String,
    _share: Share,
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        self.text.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_large_answer_has_its_memory_until_it_is_written() {
        let budget = BodyMemory::new();
        let large = |mib: usize| budget.answer("x".repeat(mib << 20));
        let first = large(20).unwrap();
        assert!(large(20).is_none());
        let rest = first.slice(first.len() - 1..);
        drop(first);
        assert!(large(20).is_none(), "its last byte is not written yet");
        drop(rest);
        let all = large(40).unwrap();
        assert!(budget.take(SMALL).is_none());
        assert_eq!(budget.answer("small".to_owned()).unwrap(), "small");
        drop(all);
        assert!(budget.take(SMALL).is_some());
    }
}
