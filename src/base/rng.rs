//! Addressed random numbers.
//!
//! Every stream is a pure function of `[seed, iteration, index, purpose]`. Results therefore do not
//! depend on the number of threads or of games in progress, a resumed run draws the same numbers as
//! an uninterrupted one, and no generator state is saved.

use rand::SeedableRng;

/// The generator of every stream: xoshiro256++, which is small, fast and the same on every
/// platform.
pub(crate) type Rng = rand::rngs::Xoshiro256PlusPlus;

/// What a stream is used for. Purposes do not share streams: drawing more numbers for one does not
/// change the numbers of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub(crate) enum Purpose {
    /// Random games of the environment, benchmarks and tests.
    Playout = 1,
    /// Choice of the turn to play in self-play, among the searched turns.
    Selection = 2,
    /// Exploration noise at the root of a search.
    Noise = 3,
    /// Sampling of positions and symmetries for a training batch.
    Sampling = 4,
    /// Initial weights of a network.
    Weights = 5,
    /// Openings of matches.
    Opening = 6,
    /// Start of a self-play game: opening turns or a restart.
    Start = 7,
    /// Choices of the players of a match.
    Player = 8,
    /// Positions of test suites.
    Position = 9,
    /// Rollouts that evaluate positions.
    Rollout = 10,
    /// Held-out positions: from new games, on which a network is evaluated before it is trained on
    /// them.
    HeldOut = 11,
    /// Noise in the evaluations of an opponent that is not to play its best.
    Weakening = 12,
    /// Random placements of the pieces, in which self-play games begin.
    Placement = 13,
}

/// Returns the stream for `seed`, two further numbers and `purpose`. In training these are the
/// iteration and the index of a game, a batch or a tensor; in a match the game and the player.
pub(crate) fn stream(seed: u64, first: u64, second: u64, purpose: Purpose) -> Rng {
    let key = [seed, first, second, purpose as u64]
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
