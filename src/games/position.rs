//! The text of a position, on one line: the rows of the board, the colour to move and counters.
//!
//! `xxxxx/...../..*../...../ooooo o` is the start of Neutron. The rows are those of the printed
//! board from top to bottom, without spaces. Then comes the colour to move, `x` for Black or `o`
//! for White, and `key=N` for each counter that is not the default.

use std::fmt;

use rand::seq::SliceRandom;
use thiserror::Error;

use super::board::Cells;
use super::{Colour, Game, Side};
use crate::base::rng::Rng;

/// The largest value of a counter without a limit by the rules.
const LARGEST: u32 = u16::MAX as u32;

/// The most bytes of a text. The longest position has some 150.
const MAX_TEXT: usize = 1000;

/// Why a text is not a position of a game.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("position: {0}")]
pub struct PositionError(String);

impl PositionError {
    /// An error: what is wrong, where, and what to do.
    pub fn new(reason: impl Into<String>) -> Self {
        Self(reason.into())
    }

    /// The error of games whose positions have no text.
    pub(crate) fn without_text() -> Self {
        Self::new("the positions of this game have no text")
    }

    /// The side to move, `name`, has won by something before the other side's last turn.
    pub fn over_before(name: &str, by: &str) -> Self {
        Self(format!("{name} is to move and has won by a {by} before; change the side to move"))
    }
}

/// A position as it is written, before the rules of a game have checked it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The symbols of the cells, row by row as they are printed.
    cells: Vec<char>,
    /// The lengths of the rows.
    rows: Vec<usize>,
    to_move: Colour,
    counters: Vec<(&'static str, Vec<u32>)>,
}

impl Setup {
    /// A position with these symbols of the cells, in the order in which they are printed, and
    /// without counters.
    pub fn of<G: Game>(game: &G, cells: impl Iterator<Item = char>) -> Self {
        let to_move = colour(game.to_move(), G::FIRST);
        Self { cells: cells.collect(), rows: G::rows(), to_move, counters: Vec::new() }
    }

    /// The same with a counter, unless it has its default.
    pub fn with(mut self, key: &'static str, value: &[u32], default: &[u32]) -> Self {
        if value != default {
            self.counters.push((key, value.to_vec()));
        }
        self
    }

    /// The same pieces on random cells. The number of turns is the smallest that fits.
    pub(crate) fn shuffled(mut self, rng: &mut Rng) -> Self {
        self.cells.shuffle(rng);
        self.counters.retain(|(key, _)| *key != "ply");
        self
    }

    /// Parses a text. Case and surrounding white space are ignored.
    ///
    /// # Errors
    ///
    /// If the board has another size or unknown symbols, or a counter is unknown or malformed.
    pub fn read<G: Game>(text: &str) -> Result<Self, PositionError> {
        if text.len() > MAX_TEXT {
            return Err(PositionError::new(format!("it has more than {MAX_TEXT} characters")));
        }
        let text = text.to_lowercase();
        let mut words = text.split_whitespace();
        let rows = G::rows();
        let cells = read_board::<G>(words.next().unwrap_or_default(), &rows)?;
        let to_move = match words.next() {
            Some("x") => Colour::Black,
            Some("o") => Colour::White,
            other => return Err(no_side(other)),
        };
        let mut read = Self { cells, rows, to_move, counters: Vec::new() };
        for word in words {
            let (key, values) = read_counter(word, G::COUNTERS)?;
            if read.numbers(key).is_some() {
                return Err(PositionError::new(format!("{key} is there twice; leave one out")));
            }
            read.counters.push((key, values));
        }
        Ok(read)
    }

    /// The side to move.
    pub fn side<G: Game>(&self) -> Side {
        if self.to_move == G::FIRST { Side::P1 } else { Side::P2 }
    }

    /// The cells with a symbol. `numbers` are the numbers of the cells in the order in which they
    /// are printed.
    pub fn set<B: Cells>(&self, symbol: char, numbers: impl Iterator<Item = usize>) -> B {
        let cells = self.cells.iter().zip(numbers).filter(|(cell, _)| **cell == symbol);
        cells.fold(B::EMPTY, |set, (_, number)| set.with(number))
    }

    /// The pieces of the side to move and of the other side, `x` or `o`, on a board whose cells are
    /// numbered from the top left.
    pub fn pieces<B: Cells>(&self) -> [B; 2] {
        let [x, o] = ['x', 'o'].map(|symbol| self.set(symbol, 0..));
        if self.to_move == Colour::Black { [x, o] } else { [o, x] }
    }

    /// The numbers of cells with `x` and with `o`.
    pub fn counts(&self) -> [u32; 2] {
        ['x', 'o'].map(|symbol| self.cells.iter().filter(|cell| **cell == symbol).count() as u32)
    }

    /// The numbers of pieces of the side that moves first and of the other.
    pub fn counts_by_side<G: Game>(&self) -> [u32; 2] {
        let [x, o] = self.counts();
        if G::FIRST == Colour::Black { [x, o] } else { [o, x] }
    }

    /// Checks that a side has at least `least` and at most `most` pieces on the board.
    pub fn check_counts(&self, least: u32, most: u32) -> Result<(), PositionError> {
        for (name, count) in ["Black", "White"].into_iter().zip(self.counts()) {
            if count > most || count < least {
                let bound = if count > most { "most" } else { "least" };
                let number = if count > most { most } else { least };
                let reason = format!("{name} has {count} on the board, at {bound} {number} can be");
                return Err(PositionError::new(reason));
            }
        }
        Ok(())
    }

    /// Checks the side to move of a game in which each turn adds a stone.
    pub fn check_stones_in_turn<G: Game>(&self) -> Result<(), PositionError> {
        let [first, second] = self.counts_by_side::<G>();
        if first == second + self.side::<G>().index() as u32 {
            return Ok(());
        }
        let [x, o] = self.counts();
        let mover = self.side::<G>().name(G::FIRST);
        Err(PositionError::new(format!(
            "Black has {x} and White {o} stones, which does not fit {mover} to move"
        )))
    }

    fn numbers(&self, key: &str) -> Option<&[u32]> {
        let found = self.counters.iter().find(|(known, _)| *known == key);
        found.map(|(_, numbers)| numbers.as_slice())
    }

    /// Whether a counter is written.
    pub fn has(&self, key: &str) -> bool {
        self.numbers(key).is_some()
    }

    /// The two numbers of a counter such as `hand`.
    pub fn pair(&self, key: &str) -> Option<[u32; 2]> {
        self.numbers(key).and_then(|numbers| numbers.try_into().ok())
    }

    /// A counter, 0 if it is not there, at most `most`.
    pub fn counter(&self, key: &str, most: u32) -> Result<u32, PositionError> {
        let number = self.numbers(key).map_or(0, |numbers| numbers[0]);
        match number <= most {
            true => Ok(number),
            false => Err(PositionError::new(format!(
                "{key}={number} is too many, at most {most} can be"
            ))),
        }
    }

    /// The number of completed turns: as it is written, or the smallest from `least` on that fits
    /// the side to move. `most` is the limit of the rules, 0 without one.
    pub fn ply<G: Game>(&self, least: u32, most: u32) -> Result<u32, PositionError> {
        let side = self.side::<G>();
        let least = fitting_ply(least, side);
        let most = if most == 0 { LARGEST } else { most };
        let ply = self.numbers("ply").map_or(least, |numbers| numbers[0]);
        let reason = if ply % 2 != side.index() as u32 {
            let mover = side.other().name(G::FIRST);
            format!("after ply={ply} turns {mover} is to move; change one of them")
        } else if ply < least {
            format!("ply={ply} is too small, this board takes at least {least} turns")
        } else if ply > most {
            format!("ply={ply} is too large, the rules end a game after {most} turns")
        } else {
            return Ok(ply);
        };
        Err(PositionError::new(reason))
    }

    /// A number of turns that the board fixes, as holes do that are still being placed.
    pub(crate) fn fixed_ply<G: Game>(&self, ply: u32) -> Result<u32, PositionError> {
        let side = self.side::<G>();
        let given = self.numbers("ply").map_or(ply, |numbers| numbers[0]);
        if given == ply && fitting_ply(ply, side) == ply {
            return Ok(ply);
        }
        let mover = if ply.is_multiple_of(2) { Side::P1 } else { Side::P2 }.name(G::FIRST);
        Err(PositionError::new(format!(
            "with {ply} holes placed it is ply={ply} and {mover} places the next"
        )))
    }

    /// A number of turns that follows from the board, if it is within the limit of the rules.
    pub fn ply_within(&self, ply: u32, most: u32) -> Result<u32, PositionError> {
        if most == 0 || ply <= most {
            return Ok(ply);
        }
        let reason = format!("this board takes {ply} turns, the rules end a game after {most}");
        Err(PositionError::new(reason))
    }
}

/// The smallest number of turns from `least` on after which `side` is to move, where sides
/// alternate. It is the default of the counter `ply` of a position that takes at least `least`
/// turns.
pub fn fitting_ply(least: u32, side: Side) -> u32 {
    least + u32::from(least % 2 != side.index() as u32)
}

const fn colour(side: Side, first: Colour) -> Colour {
    if side.colour(first) == 'x' { Colour::Black } else { Colour::White }
}

fn no_side(word: Option<&str>) -> PositionError {
    let found = word.map_or("it is missing".into(), |word| format!("it is `{}`", short(word)));
    PositionError::new(format!("after the board comes the colour to move, x or o; {found}"))
}

fn short(text: &str) -> String {
    text.chars().take(20).collect()
}

fn read_board<G: Game>(board: &str, rows: &[usize]) -> Result<Vec<char>, PositionError> {
    let mut cells = Vec::new();
    let found = board.split('/').count();
    if found != rows.len() {
        let needed = rows.len();
        let reason = format!("the board has {found} rows, it needs {needed}, joined by /");
        return Err(PositionError::new(reason));
    }
    for (index, (row, &needed)) in board.split('/').zip(rows).enumerate() {
        let number = index + 1;
        if let Some(wrong) = row.chars().find(|symbol| !G::SYMBOLS.contains(*symbol)) {
            let known: Vec<String> = G::SYMBOLS.chars().map(String::from).collect();
            let known = known.join(" ");
            let reason = format!("row {number} has `{wrong}`, the symbols are {known}");
            return Err(PositionError::new(reason));
        }
        let count = row.chars().count();
        if count != needed {
            let reason = format!("row {number} has {count} cells, it needs {needed}");
            return Err(PositionError::new(reason));
        }
        cells.extend(row.chars());
    }
    Ok(cells)
}

fn read_counter(
    word: &str,
    known: &'static [&'static str],
) -> Result<(&'static str, Vec<u32>), PositionError> {
    let (name, value) = word.split_once('=').unwrap_or((word, ""));
    let Some(&key) = known.iter().find(|key| **key == name) else {
        let known = if known.is_empty() { "none".into() } else { known.join(", ") };
        let reason = format!("there is no `{}` in this game, the keys are: {known}", short(name));
        return Err(PositionError::new(reason));
    };
    let numbers: Result<Vec<u32>, _> = value.split(',').map(str::parse).collect();
    let wanted = if key == "hand" { 2 } else { 1 };
    match numbers {
        Ok(numbers) if numbers.len() == wanted && numbers.iter().all(|n| *n <= LARGEST) => {
            Ok((key, numbers))
        }
        _ => {
            let form = if wanted == 2 { "hand=X,O" } else { "a whole number" };
            let reason = format!("{key} is `{}`, it must be {form} up to {LARGEST}", short(value));
            Err(PositionError::new(reason))
        }
    }
}

impl fmt::Display for Setup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut cells = self.cells.iter();
        for (index, &length) in self.rows.iter().enumerate() {
            let row: String = cells.by_ref().take(length).collect();
            write!(f, "{}{row}", if index > 0 { "/" } else { "" })?;
        }
        write!(f, " {}", if self.to_move == Colour::Black { 'x' } else { 'o' })?;
        for (key, numbers) in &self.counters {
            let numbers: Vec<String> = numbers.iter().map(u32::to_string).collect();
            write!(f, " {key}={}", numbers.join(","))?;
        }
        Ok(())
    }
}
