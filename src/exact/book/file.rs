//! The file of a book: JSON on the first line, then a position on each.
//!
//! docs/formats.md describes it. A checksum covers the positions, so what was read is what was
//! written; whether it is a proof [`Book::check`] finds out.

use std::path::Path;

use anyhow::{Context, Result, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::{Book, Lost, representative};
use crate::base::durable::{checksum, write_whole};
use crate::base::foreign;
use crate::exact::solution::SolvedGame;
use crate::games::{Layout, Placement, Side};
use crate::registry::{self, Variant};

/// The number of the format.
const FORMAT: u32 = 1;

/// The most bytes of a file.
const LARGEST: u64 = 1 << 28;

/// The first line.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Header {
    book: u32,
    game: String,
    rules: Map<String, Json>,
    rules_version: u32,
    winner: Side,
    turns: u32,
    positions: usize,
    checksum: String,
}

/// The checksum of the lines of positions.
fn sum_of(lines: &str) -> String {
    format!("{:08x}", checksum(lines.as_bytes()))
}

/// The text of the file of a book with these lost positions.
pub(super) fn text(variant: &Variant, winner: Side, turns: u32, lost: &Lost) -> String {
    let uncapped = variant.uncapped();
    let position = |placement: &Placement| {
        let game = uncapped.position_of(placement, winner.other());
        game.expect("a position of the game").position_text()
    };
    let mut lines: Vec<(u8, String)> =
        lost.iter().map(|(placement, &turns)| (turns, position(placement))).collect();
    lines.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    let lines: String =
        lines.iter().map(|(turns, position)| format!("{turns} {position}\n")).collect();
    sealed(&SolvedGame::of(variant), winner, turns, &lines)
}

/// The text of a file with these lines of positions.
fn sealed(subject: &SolvedGame, winner: Side, turns: u32, lines: &str) -> String {
    let header = Header {
        book: FORMAT,
        game: subject.game.clone(),
        rules: serde_json::from_str(&subject.rules).expect("options are an object"),
        rules_version: subject.rules_version,
        winner,
        turns,
        positions: lines.lines().count(),
        checksum: sum_of(lines),
    };
    let header = serde_json::to_string(&header).expect("a header is JSON");
    format!("{header}\n{lines}")
}

impl Book {
    /// Writes the file.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let written = write_whole(path, self.text().as_bytes());
        written.with_context(|| format!("cannot write {}", path.display()))
    }

    /// Reads the book of a game from a file.
    ///
    /// # Errors
    ///
    /// If the file is not there, damaged, or of another game or other rules, or if it is no proof.
    pub(crate) fn open(path: &Path, variant: &Variant) -> Result<Self> {
        let read = || -> Result<Self> {
            let book = Self::read(&foreign::read_text(path, LARGEST)?, variant)?;
            // Its checksum is no proof: whoever forges a line forges that, too. A limit on the length
            // of this game says nothing against the book.
            Self { limit: 0, ..book.clone() }.check(variant)?;
            Ok(book)
        };
        read().with_context(|| format!("cannot read the book {}", path.display()))
    }

    /// Reads the text of a file.
    ///
    /// # Errors
    ///
    /// If it is damaged, or of another game or other rules.
    pub(crate) fn read(text: &str, variant: &Variant) -> Result<Self> {
        let (header, body) = text.split_once('\n').context("it has no positions")?;
        let header: Header = serde_json::from_str(header).context("its first line")?;
        let Header { book, game, rules, rules_version, winner, turns, positions, checksum } =
            header;
        ensure!(book == FORMAT, "it has the format {book}, this program reads {FORMAT}");
        let rules = Json::Object(registry::with_later_options(&game, &rules)).to_string();
        let subject = SolvedGame { game, rules, rules_version };
        ensure!(
            subject.fits(&SolvedGame::of(variant)),
            "it is a book of {} {} (rules version {rules_version}), not of {} with these rules",
            subject.game,
            subject.rules,
            variant.name
        );
        ensure!(sum_of(body) == checksum, "it is damaged: its checksum is not {checksum}");
        let layout = variant.layout().map_err(anyhow::Error::msg)?;
        let lost = read_positions(body, variant, &layout, winner)?;
        ensure!(lost.len() == positions, "it has {} positions, not {positions}", lost.len());
        let (text, limit) = (text.to_owned(), variant.longest_game());
        Ok(Self { subject, layout, text, limit, winner, turns, lost })
    }
}

fn read_positions(body: &str, variant: &Variant, layout: &Layout, winner: Side) -> Result<Lost> {
    let uncapped = variant.uncapped();
    let read = |line: &str| -> Result<(Placement, u8)> {
        let (turns, position) = line.split_once(' ').context("a number and a position")?;
        let turns = turns.parse().context("the number of turns")?;
        let game = uncapped.position(Some(position))?;
        if game.to_move() == winner {
            bail!("the winner is to move");
        }
        let placement = game.placement().context("not the beginning of a turn")?;
        Ok((representative(layout, &placement), turns))
    };
    let lines = body.lines().enumerate();
    lines.map(|(at, line)| read(line).with_context(|| format!("line {}", at + 2))).collect()
}

/// The text of the file of a book of 5x5 Neutron with these lines of positions.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn sealed_book(lines: &str) -> String {
    let variant = crate::registry::preset("neutron5").expect("a game");
    let subject = SolvedGame::of(&variant);
    sealed(&subject, Side::P1, 11, lines)
}
