//! Numbers of positions: classes, rows and lanes.
//!
//! Sets of cells that a symmetry maps to each other form a *class*, whose representative is the set
//! with the lowest number. Positions in which the side that waits has the representative form the
//! class's *slice*: the board is turned so that they do. A turn leaves the waiting side's pieces
//! alone. The *rows* of a slice are the sets of the side to move, on the cells that the
//! representative leaves free, and the *lanes* of a row are the cells of the neutral piece.
//!
//! The solver needs a second order as well. The *target rows* of a slice are the own sets *after* a
//! turn: what the positions of the slice lead to.

use super::cell_map::CellMap;
use super::slice::Slice;
use crate::games::{Layout, Placement};

/// The most cells of a board, and one more.
const SIZES: usize = 26;

/// Binomial coefficients.
#[derive(Clone, Debug)]
pub(super) struct Binomials([[u32; SIZES]; SIZES]);

impl Binomials {
    fn new() -> Self {
        let mut table = [[0; SIZES]; SIZES];
        for n in 0..SIZES {
            table[n][0] = 1;
            for k in 1..=n {
                table[n][k] = table[n - 1][k - 1] + table[n - 1][k];
            }
        }
        Self(table)
    }

    /// The number of sets of `k` of `n` things.
    #[inline(always)]
    pub(super) fn of(&self, n: usize, k: usize) -> u32 {
        self.0[n][k]
    }

    /// The set of `size` elements with this number: the inverse of [`rank`](Self::rank).
    fn set(&self, mut rank: u32, size: u32) -> u64 {
        let mut set = 0;
        for count in (1..=size as usize).rev() {
            let below = |n: &usize| self.of(*n, count) <= rank;
            let highest = (0..SIZES).rev().find(below).expect("no number is below 0");
            set |= 1 << highest;
            rank -= self.of(highest, count);
        }
        set
    }

    /// The number of a set among those of its size: sets with a lower highest element come first.
    #[inline]
    pub(super) fn rank(&self, mut set: u64) -> u32 {
        let (mut rank, mut count) = (0, 0);
        while set != 0 {
            count += 1;
            rank += self.of(set.trailing_zeros() as usize, count);
            set &= set - 1;
        }
        rank
    }
}

/// All sets of `size` of the lowest `cells` cells, in the order of their ranks.
pub(super) fn sets(cells: usize, size: usize) -> impl Iterator<Item = u64> {
    let end = 1_u64 << cells;
    let first = (1_u64 << size) - 1;
    std::iter::successors(Some(first), |&set| {
        // The next larger number with as many bits.
        let low = set & set.wrapping_neg();
        let ripple = set.checked_add(low).filter(|_| set != 0)?;
        Some(ripple | (((set ^ ripple) >> 2) / low))
    })
    .take_while(move |set| *set < end)
}

/// The sets of some sizes among `free` cells, one size after the other.
#[derive(Clone, Debug)]
pub(super) struct Rows {
    /// All sets, as bits by free cell.
    pub sets: Vec<u32>,
    /// The size of the sets, if there is one only.
    only: Option<usize>,
    /// The part of a set's number that its lowest cells decide.
    low: Vec<u32>,
    /// For each size the part that the other cells decide, as `size << high_bits | cells`.
    high: Vec<u32>,
    high_bits: u32,
}

/// The number of lowest cells in the tables of [`Rows`].
const LOW_BITS: u32 = 10;

impl Rows {
    fn new(binomials: &Binomials, free: usize, sizes: impl Iterator<Item = u32>) -> Self {
        let sizes: Vec<usize> =
            sizes.map(|size| size as usize).filter(|size| *size <= free).collect();
        let high_bits = (free as u32).saturating_sub(LOW_BITS);
        let most = sizes.iter().max().map_or(0, |most| most + 1);
        let mut rows = Self {
            sets: Vec::new(),
            only: if let [size] = sizes[..] { Some(size) } else { None },
            low: (0..1 << LOW_BITS).map(|set| binomials.rank(set)).collect(),
            high: vec![0; most << high_bits],
            high_bits,
        };
        for size in sizes {
            let first = rows.sets.len() as u32;
            for high in 0..1_u64 << high_bits {
                if let Some(low) = size.checked_sub(high.count_ones() as usize) {
                    // With the lowest cells in the low part, their part of the number is 0.
                    let rank =
                        binomials.rank(high << LOW_BITS | ((1 << low.min(LOW_BITS as usize)) - 1));
                    rows.high[size << high_bits | high as usize] = first + rank;
                }
            }
            rows.sets.extend(sets(free, size).map(|set| set as u32));
        }
        rows
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.sets.len()
    }

    /// The number of a set of free cells.
    #[inline(always)]
    pub(super) fn number(&self, set: u32) -> usize {
        let size = self.only.unwrap_or_else(|| set.count_ones() as usize);
        let low = self.low[(set & ((1 << LOW_BITS) - 1)) as usize];
        (low + self.high[size << self.high_bits | (set >> LOW_BITS) as usize]) as usize
    }
}

/// What slices whose waiting side has the same number of pieces have in common.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    /// The rows, by the pieces of the side to move.
    pub rows: Rows,
    /// The target rows, by its pieces after a turn.
    pub targets: Rows,
}

/// A class of sets of cells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Class {
    /// The representative.
    pub set: u64,
    /// The number of sets in the class.
    pub weight: u32,
    /// The number of the first row of its slice.
    pub first_row: u64,
    /// The number of its first target row.
    pub first_target: u64,
    /// The number of the first value of its slice in a solution.
    pub first_value: u64,
}

/// Where a set of cells belongs.
#[derive(Clone, Copy, Default, Debug)]
struct Canonical {
    class: u32,
    /// The symmetries that map the set to the representative, as bits by their number.
    symmetries: u8,
}

/// A symmetry, or a turn of the board, as a map of sets.
fn map_of(images: &[u8]) -> CellMap {
    CellMap::new(std::array::from_fn(|cell| images.get(cell).map_or(0, |image| 1 << image)))
}

/// A symmetry as a map of lanes.
#[derive(Clone, Debug)]
struct LaneMap {
    /// The images of sets of the lowest 8 lanes and of the others.
    parts: [[u16; 256]; 2],
}

impl LaneMap {
    /// The map of lanes whose cells are `cells`, where `images` are those of all cells.
    fn new(cells: &[u8], images: &[u8]) -> Self {
        let image = |lane: usize| match cells.get(lane) {
            None => u16::from(lane == 0 && cells.is_empty()),
            Some(&cell) => {
                let image = images[usize::from(cell)];
                cells.iter().position(|&other| other == image).map_or(0, |lane| 1 << lane)
            }
        };
        let part = |first: usize| {
            std::array::from_fn(|bits| {
                (0..8)
                    .filter(|bit| bits >> bit & 1 != 0)
                    .fold(0, |set, bit| set | image(first + bit))
            })
        };
        Self { parts: [part(0), part(8)] }
    }

    #[inline(always)]
    fn image(&self, lanes: u16) -> u16 {
        self.parts[0][usize::from(lanes & 255)] | self.parts[1][usize::from(lanes >> 8)]
    }
}

/// Numbers all positions of a layout.
#[derive(Clone, Debug)]
pub(crate) struct Index {
    layout: Layout,
    pub(super) binomials: Binomials,
    pub(super) classes: Vec<Class>,
    /// By the number of pieces of the waiting side.
    shapes: Vec<Option<Shape>>,
    /// The number of the first set of each size in `canonical`.
    first_set: [u32; SIZES],
    canonical: Vec<Canonical>,
    maps: Vec<CellMap>,
    /// The maps of lanes and sets that first turn the board to the other side's view.
    turned_maps: Vec<CellMap>,
    turned_lanes: Vec<LaneMap>,
    /// The view of the other side.
    turn: CellMap,
    pub(super) rows: u64,
    pub(super) targets: u64,
    pub(super) values: u64,
}

impl Index {
    /// Numbers the positions of a layout that [fits](Layout::fits), in some milliseconds.
    pub(crate) fn new(layout: &Layout) -> Self {
        let binomials = Binomials::new();
        let turned = &layout.turned;
        let after_turn = |images: &Vec<u8>| -> Vec<u8> {
            turned.iter().map(|&cell| images[usize::from(cell)]).collect()
        };
        let turned_images: Vec<Vec<u8>> = layout.symmetries.iter().map(after_turn).collect();
        let mut index = Self {
            classes: Vec::new(),
            shapes: shapes(&binomials, layout),
            first_set: [0; SIZES],
            canonical: Vec::new(),
            maps: layout.symmetries.iter().map(|images| map_of(images)).collect(),
            turned_maps: turned_images.iter().map(|images| map_of(images)).collect(),
            turned_lanes: turned_images
                .iter()
                .map(|images| LaneMap::new(&layout.neutral, images))
                .collect(),
            turn: map_of(turned),
            binomials,
            layout: layout.clone(),
            rows: 0,
            targets: 0,
            values: 0,
        };
        for size in 0..index.shapes.len() {
            if index.shapes[size].is_some() {
                index.add_classes(size);
            }
        }
        index
    }

    /// Adds the classes of the sets of one size.
    fn add_classes(&mut self, size: usize) {
        self.first_set[size] = self.canonical.len() as u32;
        let cells = self.layout.cells;
        let first = self.canonical.len();
        self.canonical
            .resize(first + self.binomials.of(cells, size) as usize, Canonical::default());
        for (number, set) in sets(cells, size).enumerate() {
            if self.canonical[first + number].symmetries != 0 {
                continue;
            }
            let class = self.classes.len() as u32;
            let mut weight = 0;
            for symmetry in 0..self.maps.len() {
                // The images of the representative; the symmetry's inverse maps them back.
                let image = self.maps[symmetry].image(set);
                let symmetries = self.back(image, set);
                let entry = &mut self.canonical[first + self.binomials.rank(image) as usize];
                weight += u32::from(entry.symmetries == 0);
                *entry = Canonical { class, symmetries };
            }
            self.add_class(set, weight);
        }
    }

    /// The symmetries that map `from` to `to`.
    fn back(&self, from: u64, to: u64) -> u8 {
        let all = self.maps.iter().enumerate();
        all.fold(0, |found, (index, map)| found | u8::from(map.image(from) == to) << index)
    }

    fn add_class(&mut self, set: u64, weight: u32) {
        let shape = self.shapes[set.count_ones() as usize].as_ref().expect("sets of this size");
        let [rows, targets] = [&shape.rows, &shape.targets].map(|rows| rows.len() as u64);
        let class = Class {
            set,
            weight,
            first_row: self.rows,
            first_target: self.targets,
            first_value: self.values,
        };
        self.classes.push(class);
        (self.rows, self.targets) = (self.rows + rows, self.targets + targets);
        self.values += self.values_of(set);
    }

    /// The number of values of the slice of a waiting set.
    pub(super) fn values_of(&self, set: u64) -> u64 {
        let free = self.layout.cells - set.count_ones() as usize;
        if self.layout.neutral.is_empty() {
            return self.shape(set).rows.len() as u64;
        }
        let lanes = self.layout.neutral.iter().filter(|cell| set >> **cell & 1 == 0).count();
        let sizes = own_sizes(&self.layout, set.count_ones());
        lanes as u64
            * sizes.map(|size| u64::from(self.binomials.of(free - 1, size as usize))).sum::<u64>()
    }

    /// The number of positions, given the lanes of a row that are positions.
    pub(super) fn positions(&self, possible: impl Fn(u64, u64, u16) -> u16) -> u64 {
        let of_class = |class: &Class| {
            let slice = Slice::new(class.set);
            let lanes = |set: &u32| {
                let own = slice.cells(*set);
                let free = self.free_lanes(own | class.set);
                u64::from(possible(own, class.set, free).count_ones())
            };
            let lanes: u64 = self.shape(class.set).rows.sets.iter().map(lanes).sum();
            lanes * u64::from(class.weight)
        };
        self.classes.iter().map(of_class).sum()
    }

    /// How the positions are numbered.
    pub(crate) fn layout(&self) -> &Layout {
        &self.layout
    }

    /// The rows of the slice of a waiting set.
    #[inline]
    pub(super) fn shape(&self, set: u64) -> &Shape {
        self.shapes[set.count_ones() as usize].as_ref().expect("sets of this size are numbered")
    }

    fn canonical(&self, set: u64) -> Canonical {
        let first = self.first_set[set.count_ones() as usize];
        self.canonical[(first + self.binomials.rank(set)) as usize]
    }

    /// The lanes that are free where these cells are taken.
    #[inline]
    pub(super) fn free_lanes(&self, taken: u64) -> u16 {
        if self.layout.neutral.is_empty() {
            return 1;
        }
        let lanes = self.layout.neutral.iter().enumerate();
        lanes.fold(0, |free, (lane, cell)| free | u16::from(taken >> cell & 1 == 0) << lane)
    }

    /// The images of the waiting set of a slice that its target rows are under, one for each
    /// symmetry.
    pub(super) fn images(&self, waiting: u64) -> Vec<u64> {
        self.turned_maps.iter().map(|map| map.image(waiting)).collect()
    }

    /// A set of cells that `taken` leaves free, as bits by free cell.
    #[inline]
    fn beside(&self, mut set: u64, taken: u64) -> u32 {
        let mut beside = 0;
        while set != 0 {
            let below = (set & set.wrapping_neg()) - 1;
            beside |= 1 << (below & !taken).count_ones();
            set &= set - 1;
        }
        beside
    }

    /// Calls `each` with the target rows of the row `own` of a slice, where the turns that lead to
    /// the row find its status: their class, their number and their lanes. `images` are those of
    /// the waiting set.
    #[inline]
    pub(super) fn targets(
        &self,
        own: u64,
        images: &[u64],
        lanes: [u16; 2],
        mut each: impl FnMut(u32, u64, [u16; 2]),
    ) {
        // The side that has just moved now waits, and sees the set of the side to move turned.
        let place = self.canonical(self.turn.image(own));
        let class = &self.classes[place.class as usize];
        let targets = &self.shape(class.set).targets;
        let mut symmetries = place.symmetries;
        while symmetries != 0 {
            let symmetry = symmetries.trailing_zeros() as usize;
            let row = targets.number(self.beside(images[symmetry], class.set));
            let map = &self.turned_lanes[symmetry];
            each(place.class, class.first_target + row as u64, lanes.map(|lanes| map.image(lanes)));
            symmetries &= symmetries - 1;
        }
    }

    /// The number of a position's value in a solution. `None` if it is not numbered.
    pub(crate) fn value(&self, placement: &Placement) -> Option<u64> {
        let Placement { own, other, neutral } = *placement;
        let counts = [own.count_ones(), other.count_ones()];
        let overlap =
            own & other != 0 || neutral.is_some_and(|cell| (own | other) >> cell & 1 != 0);
        if overlap || !self.layout.counts.contains(&counts) {
            return None;
        }
        let place = self.canonical(other);
        let symmetry = place.symmetries.trailing_zeros() as usize;
        let class = &self.classes[place.class as usize];
        let own = self.maps[symmetry].image(own);
        let neutral = match neutral {
            None => None,
            Some(cell) => Some(*self.layout.symmetries[symmetry].get(usize::from(cell))?),
        };
        Some(class.first_value + self.value_in(class.set, own, neutral)?)
    }

    /// The position with a number below the number of values: the inverse of
    /// [`value`](Self::value), except that it is one of those that symmetries map to each other.
    pub(crate) fn placement(&self, number: u64) -> Placement {
        let place = self.classes.partition_point(|class| class.first_value <= number) - 1;
        let class = &self.classes[place];
        let mut left = number - class.first_value;
        let free = |taken: u64| Slice::new(taken);
        let waiting = class.set;
        if self.layout.neutral.is_empty() {
            let own = free(waiting).cells(self.shape(waiting).rows.sets[left as usize]);
            return Placement { own, other: waiting, neutral: None };
        }
        let cells = self.layout.cells - waiting.count_ones() as usize - 1;
        let count = |size: u32| u64::from(self.binomials.of(cells, size as usize));
        let sizes = || own_sizes(&self.layout, waiting.count_ones());
        let in_lane: u64 = sizes().map(count).sum();
        let mut lanes = self.layout.neutral.iter().filter(|cell| waiting >> **cell & 1 == 0);
        let cell = *lanes.nth((left / in_lane) as usize).expect("a number of this class");
        left %= in_lane;
        let mut size = 0;
        for next in sizes() {
            size = next;
            if left < count(next) {
                break;
            }
            left -= count(next);
        }
        let own = free(waiting | 1 << cell).cells(self.binomials.set(left as u32, size) as u32);
        Placement { own, other: waiting, neutral: Some(cell) }
    }

    /// Calls `each` with the numbers in its slice of the values of some lanes of a row.
    #[inline]
    pub(super) fn each_value(&self, waiting: u64, own: u64, lanes: u16, mut each: impl FnMut(u64)) {
        let mut left = lanes;
        while left != 0 {
            let cell = self.layout.neutral.get(left.trailing_zeros() as usize).copied();
            if let Some(number) = self.value_in(waiting, own, cell) {
                each(number);
            }
            left &= left - 1;
        }
    }

    /// The number of a value in its slice. Values are ordered by lane, then by row.
    pub(super) fn value_in(&self, waiting: u64, own: u64, neutral: Option<u8>) -> Option<u64> {
        let size = own.count_ones();
        let Some(cell) = neutral else {
            return Some(self.shape(waiting).rows.number(self.beside(own, waiting)) as u64);
        };
        let lane = self.layout.neutral.iter().position(|&other| other == cell)?;
        let before = self.layout.neutral[..lane].iter().filter(|cell| waiting >> **cell & 1 == 0);
        let free = self.layout.cells - waiting.count_ones() as usize - 1;
        let sizes = || own_sizes(&self.layout, waiting.count_ones());
        let count = |size: u32| u64::from(self.binomials.of(free, size as usize));
        let lanes: u64 = sizes().map(count).sum::<u64>() * before.count() as u64;
        let smaller: u64 = sizes().take_while(|other| *other != size).map(count).sum();
        let rank = self.binomials.rank(self.beside(own, waiting | 1 << cell).into());
        Some(lanes + smaller + u64::from(rank))
    }
}

/// The numbers of pieces that the side to move can have if the other has `waiting`.
fn own_sizes(layout: &Layout, waiting: u32) -> impl Iterator<Item = u32> {
    layout.counts.iter().filter(move |[_, other]| *other == waiting).map(|[own, _]| *own)
}

fn shapes(binomials: &Binomials, layout: &Layout) -> Vec<Option<Shape>> {
    let largest = layout.counts.iter().flatten().max().map_or(0, |size| *size as usize);
    let shape = |size: usize| {
        // A set can wait, or be that of the side to move, which waited before.
        let waits = own_sizes(layout, size as u32).next().is_some();
        let moves = layout.counts.iter().any(|[own, _]| *own as usize == size);
        let others = layout.counts.iter().filter(|[own, _]| *own as usize == size);
        (waits || moves).then(|| Shape {
            rows: Rows::new(binomials, layout.cells - size, own_sizes(layout, size as u32)),
            targets: Rows::new(binomials, layout.cells - size, others.map(|[_, other]| *other)),
        })
    };
    (0..=largest).map(shape).collect()
}
