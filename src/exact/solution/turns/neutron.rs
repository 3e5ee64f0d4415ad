//! Neutron and CoNeutron on sets of cells, on a board of `N` by `N` cells.
//!
//! A turn has two halves. The second, a slide of a piece, is looked at first, for all cells of the
//! neutron at once: a neutron on the way of a slide shortens it by what is behind. The first half
//! then carries the lanes back along the slides of the neutron, again for all cells at once.

use super::steps::Steps;
use super::{ALL_LANES, Ended, Lanes, Turns};
use crate::games::board::{Grid, bits};
use crate::games::neutron::{Forbid, Goal, NeutronRules, Restriction};

/// The turns of Neutron.
pub(crate) struct NeutronTurns<const N: usize> {
    /// The home row on which the neutron wins for the side to move.
    winning: u64,
    /// Cells on which no own piece may end its slide.
    forbidden: u64,
    /// Cells over which an own piece may not slide.
    walls: u64,
}

/// The cells of the lanes, those between the home rows.
const fn middle<const N: usize>() -> u64 {
    Grid::<N, N>::ALL & !(Grid::<N, N>::row(0) | Grid::<N, N>::row(N - 1))
}

/// Lanes in both halves, from a set of cells.
#[inline(always)]
const fn lanes_of<const N: usize>(cells: u64) -> Lanes {
    let lanes = ((cells & middle::<N>()) >> N) as u32;
    lanes | lanes << 16
}

/// Two boards in one number, a half each, from lanes in both halves.
#[inline(always)]
const fn boards_of<const N: usize>(lanes: Lanes) -> u64 {
    let (low, high) = (lanes as u16 as u64, (lanes >> 16) as u64);
    (low | high << 32) << N & twice(middle::<N>())
}

/// Both boards are this one.
const fn twice(cells: u64) -> u64 {
    cells | cells << 32
}

impl<const N: usize> NeutronTurns<N> {
    const OWN_HOME: u64 = Grid::<N, N>::row(N - 1);
    const OTHER_HOME: u64 = Grid::<N, N>::row(0);

    pub(crate) fn new(rules: &NeutronRules) -> Self {
        let forbidden = match rules.forbid {
            Forbid::None => 0,
            Forbid::Own => Self::OWN_HOME,
            Forbid::Opponent => Self::OTHER_HOME,
            Forbid::Both => Self::OWN_HOME | Self::OTHER_HOME,
        };
        let walls = if rules.restriction == Restriction::Wall { forbidden } else { 0 };
        let winning = match rules.goal {
            Goal::Own => Self::OWN_HOME,
            Goal::Opponent => Self::OTHER_HOME,
        };
        Self { winning, forbidden, walls }
    }

    /// The lanes of the neutron, after its slide, with a slide of a piece to a good position.
    #[inline(always)]
    fn some_slide(&self, own: u64, other: u64, good: &impl Fn(u64) -> Lanes) -> Lanes {
        let room = Grid::<N, N>::ALL & !(own | other | self.walls);
        let mut lanes = 0;
        for (index, step) in Steps::<N>::ALL.into_iter().enumerate() {
            let back = Steps::<N>::ALL[(index + 4) % 8];
            for from in bits(own & back.apply(room)) {
                let (mut to, mut way) = (from as i32 + step.distance, 0);
                loop {
                    way |= 1 << to;
                    let next = step.apply(1 << to) & room;
                    // The slide ends here if the board does, or the neutron is on the next cell.
                    let ends = if next == 0 { !lanes_of::<N>(way) } else { lanes_of::<N>(next) };
                    if ends != 0 && self.forbidden >> to & 1 == 0 {
                        lanes |= ends & good(own ^ 1 << from ^ 1 << to);
                    }
                    if next == 0 {
                        break;
                    }
                    to += step.distance;
                }
            }
        }
        lanes
    }

    /// The lanes from which the neutron has a slide to one of the cells `ends`, two boards at once.
    #[inline(always)]
    fn slides_onto(ends: u64, empty: u64) -> Lanes {
        let room = twice(empty);
        let mut starts = 0;
        for back in Steps::<N>::ALL {
            let mut path = ends & room & !twice(back.apply(empty));
            for _ in 1..N {
                path = back.apply_twice(path) & room;
                starts |= path;
            }
        }
        let low = lanes_of::<N>(starts & 0xFFFF_FFFF) & 0xFFFF;
        low | lanes_of::<N>(starts >> 32) & 0xFFFF_0000
    }

    /// The lanes with a turn to a good position, where the neutron may end the game on `homes`.
    #[inline(always)]
    fn some_turn_with(
        &self,
        own: u64,
        other: u64,
        homes: u64,
        good: &impl Fn(u64) -> Lanes,
    ) -> Lanes {
        let empty = Grid::<N, N>::ALL & !(own | other);
        let ends = boards_of::<N>(self.some_slide(own, other, good)) | twice(homes & empty);
        Self::slides_onto(ends, empty)
    }
}

impl<const N: usize> Turns for NeutronTurns<N> {
    type Word = u32;

    fn ended(&self, own: u64, other: u64) -> Ended {
        let homes = Self::OWN_HOME | Self::OTHER_HOME;
        let with_turn = self.some_turn_with(own, other, homes, &|_| ALL_LANES);
        let free = lanes_of::<N>(!(own | other));
        Ended { lost: (free & !with_turn) as u16, ..Ended::default() }
    }

    #[inline]
    fn some_turn(&self, own: u64, other: u64, good: impl Fn(u64) -> Lanes) -> Lanes {
        self.some_turn_with(own, other, self.winning, &good)
    }

    #[inline]
    fn sources(&self, after: u64, other: u64, mut mark: impl FnMut(u64)) {
        let room = Grid::<N, N>::ALL & !(after | other);
        for step in Steps::<N>::ALL {
            let (mut running, mut distance) = (after, 0);
            for _ in 1..N {
                running = step.apply(running) & room;
                distance += step.distance;
                for cell in bits(running) {
                    mark(after ^ 1 << cell ^ 1 << (cell as i32 - distance));
                }
            }
        }
    }
}
