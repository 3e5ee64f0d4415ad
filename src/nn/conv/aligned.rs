//! Buffers aligned to cache lines.

use std::ops::{Deref, DerefMut};

#[cfg(all(test, unix))]
use super::guarded::Guarded;

/// Number of `f32` in a cache line.
const LINE: usize = 16;

/// A buffer of `f32` that begins at a cache line, so that no load of a register crosses two lines.
#[derive(Debug)]
pub(crate) struct Aligned {
    data: Vec<f32>,
    start: usize,
    len: usize,
    /// What is used instead within [`guard`](super::guard).
    #[cfg(all(test, unix))]
    guarded: Option<Guarded>,
}

impl Aligned {
    /// A buffer of `len` zeros.
    pub(crate) fn zeros(len: usize) -> Self {
        let data = vec![0.0_f32; len + LINE - 1];
        let start = data.as_ptr().align_offset(LINE * size_of::<f32>()).min(LINE - 1);
        #[cfg(all(test, unix))]
        let guarded = Guarded::zeros(len);
        Self {
            data,
            start,
            len,
            #[cfg(all(test, unix))]
            guarded,
        }
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        #[cfg(all(test, unix))]
        if let Some(guarded) = &self.guarded {
            return guarded;
        }
        &self.data[self.start..][..self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        #[cfg(all(test, unix))]
        if let Some(guarded) = &mut self.guarded {
            return guarded;
        }
        &mut self.data[self.start..][..self.len]
    }
}
