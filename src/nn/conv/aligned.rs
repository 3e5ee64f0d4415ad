//! Memory that begins at a cache line.

use std::ops::{Deref, DerefMut};

/// Numbers in a cache line.
const LINE: usize = 16;

/// Numbers, the first of them at the beginning of a cache line, so that no register of them lies
/// across two lines.
#[derive(Debug)]
pub struct Aligned {
    data: Vec<f32>,
    start: usize,
    len: usize,
}

impl Aligned {
    /// So many zeros.
    pub fn zeros(len: usize) -> Self {
        let data = vec![0.0_f32; len + LINE - 1];
        let start = data.as_ptr().align_offset(LINE * size_of::<f32>()).min(LINE - 1);
        Self { data, start, len }
    }
}

impl Deref for Aligned {
    type Target = [f32];

    fn deref(&self) -> &[f32] {
        &self.data[self.start..][..self.len]
    }
}

impl DerefMut for Aligned {
    fn deref_mut(&mut self) -> &mut [f32] {
        &mut self.data[self.start..][..self.len]
    }
}
