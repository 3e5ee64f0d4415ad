//! Dwords, the four bytes that a lane multiplies at a time: one `f32`, two bf16, or four bytes.
//!
//! The word is that of the manuals of x86-64; it means the same here for all instruction sets.

/// Returns a dword of one `f32`, or of two numbers rounded to bf16, the first in the lower half.
pub(crate) fn dword(values: &[f32]) -> f32 {
    match values {
        [low, high] => f32::from_bits(bf16(*low) | bf16(*high) << 16),
        values => values[0],
    }
}

/// Rounds to the nearest bf16, ties to even, and returns its bits.
fn bf16(value: f32) -> u32 {
    let bits = value.to_bits();
    (bits + 0x7fff + (bits >> 16 & 1)) >> 16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_rounded_to_the_nearest() {
        let back = |value| f32::from_bits(bf16(value) << 16);
        for exact in [0.0, 1.0, -2.5, 1.0 + 1.0 / 128.0] {
            assert_eq!(back(exact), exact);
        }
        assert_eq!(back(1.0 + 1.0 / 256.0), 1.0, "halfway, to even");
        assert_eq!(back(1.0 + 3.0 / 256.0), 1.0 + 1.0 / 64.0, "halfway, to even");
        assert_eq!(back(1.0 + 1.1 / 256.0), 1.0 + 1.0 / 128.0);
        assert_eq!(dword(&[1.0, -2.0]).to_bits(), 0xc000_3f80);
    }
}
