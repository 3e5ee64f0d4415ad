//! Addressed randomness: a stream of random numbers is named, never carried along.
//!
//! A stream is a pure function of `[seed, iteration, index, purpose]`. Results therefore do not
//! depend on the number of threads or on how many games are in flight, a resumed run draws the
//! numbers an uninterrupted one would have drawn, and no generator state is ever saved.

use rand::SeedableRng;

/// The generator behind every stream: xoshiro256++, small, fast and the same on every platform.
pub type Rng = rand::rngs::Xoshiro256PlusPlus;

/// What a stream is used for. Two purposes never share a stream, so that drawing more numbers for
/// one cannot change the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Random games of the environment, the benchmarks and the tests.
    Playout = 1,
    /// Choosing the turn of a self-play game among the searched ones.
    Selection = 2,
    /// Exploration noise at the root of a search.
    Noise = 3,
    /// Drawing positions and symmetries for a batch of training.
    Sampling = 4,
    /// Initial weights of a network.
    Weights = 5,
    /// Openings of matches.
    Opening = 6,
    /// Where and how a self-play game begins.
    Start = 7,
    /// What opponents of a match choose.
    Opponent = 8,
    /// Positions on which players are examined.
    Position = 9,
    /// Random games by which positions are judged.
    Rollout = 10,
    /// Positions of new games by which a network is judged before it learns from them.
    HeldOut = 11,
}

/// The stream named by `seed`, `iteration`, `index` (a game, a batch, a tensor) and `purpose`.
pub fn stream(seed: u64, iteration: u64, index: u64, purpose: Purpose) -> Rng {
    let key = [seed, iteration, index, purpose as u64]
        .into_iter()
        .fold(0x9E37_79B9_7F4A_7C15, |key, word| mix(key ^ mix(word)));
    Rng::seed_from_u64(key)
}

/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014), a bijection that spreads every bit.
pub const fn mix(word: u64) -> u64 {
    let mut z = word.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::Rng as _;

    #[test]
    fn a_stream_is_a_function_of_its_name() {
        let draw = |name: [u64; 3], purpose| stream(name[0], name[1], name[2], purpose).next_u64();
        let first = draw([1, 2, 3], Purpose::Noise);
        assert_eq!(first, draw([1, 2, 3], Purpose::Noise));
        let others = [
            draw([2, 2, 3], Purpose::Noise),
            draw([1, 3, 3], Purpose::Noise),
            draw([1, 2, 4], Purpose::Noise),
            draw([1, 2, 3], Purpose::Selection),
            draw([2, 1, 3], Purpose::Noise),
        ];
        assert!(others.iter().all(|&other| other != first));
    }
}
