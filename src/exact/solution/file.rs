//! The files of a solution: `solution`, which says what is solved, and `values`.
//!
//! `solution` is written last, so a folder that has it is whole. `values` is mapped into memory; a
//! block of it is checked when it is first used.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering::Relaxed};

use anyhow::{Context, Result, bail, ensure};
use memmap2::Mmap;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value as Json};

use super::index::Index;
use super::map::map;
use super::subject::SolvedGame;
use super::values::Value;
use crate::base::durable::{Seal, SealError, checksum, remove_file, write_whole};
use crate::base::foreign;
use crate::games::{Layout, Placement};
use crate::registry::{self, Variant};

/// The file that says what is solved.
pub(super) const SOLUTION: &str = "solution";
/// The file of the values.
pub(super) const VALUES: &str = "values";
/// The bytes of a block of values that has a checksum.
pub(super) const BLOCK: usize = 1 << 16;

const SEAL: Seal = Seal { kind: "solution", magic: *b"TAVSOLV\n", format: 1 };

/// The most bytes of the file `solution`.
const LARGEST: u64 = 1 << 28;

/// Positions at one distance, those of all members of a class counted.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct Count {
    /// Positions that the side to move wins in this number of turns.
    pub won: u64,
    /// Positions that it loses.
    pub lost: u64,
}

/// What the file `solution` says.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct About {
    /// The game.
    pub subject: SolvedGame,
    /// All positions. Those that differ in the colours only are counted once.
    pub positions: u64,
    /// The numbers of won and lost positions by the number of turns.
    pub counts: Vec<Count>,
    /// The bytes of a value.
    pub width: u8,
    /// The bytes of the file `values`.
    pub length: u64,
    /// The checksums of its blocks of 65,536 bytes.
    pub blocks: Vec<u32>,
}

impl About {
    /// The positions that the side to move wins, loses, and neither.
    pub(crate) fn totals(&self) -> [u64; 3] {
        let sum = |of: fn(&Count) -> u64| self.counts.iter().map(of).fold(0, u64::saturating_add);
        let [won, lost] = [sum(|count| count.won), sum(|count| count.lost)];
        [won, lost, self.positions.saturating_sub(won.saturating_add(lost))]
    }

    /// The positions by value, for messages and `--json`.
    pub(crate) fn summary(&self) -> BTreeMap<&'static str, u64> {
        let [won, lost, neither] = self.totals();
        [("positions", self.positions), ("won", won), ("lost", lost), ("neither", neither)].into()
    }

    /// The game with its usual limit on the length of a game. `None` if its other rules are not the
    /// usual ones.
    pub(crate) fn usual_variant(&self) -> Option<Variant> {
        let variant = registry::preset(&self.subject.game).ok()?;
        let subject = SolvedGame::of(&variant);
        (subject == self.subject).then_some(variant)
    }

    /// The game as it was solved, without a limit on the length of a game.
    ///
    /// # Errors
    ///
    /// If this program has no such game.
    pub(crate) fn variant(&self) -> Result<Variant> {
        Ok(registry::find(&self.subject.game, &self.options()?)?)
    }

    /// The game as it was solved, with its usual limit on the length of a game: without it, random
    /// games might not end.
    ///
    /// # Errors
    ///
    /// As [`variant`](Self::variant).
    pub(crate) fn limited_variant(&self) -> Result<Variant> {
        let mut options = self.options()?;
        options.remove("max_plies");
        Ok(registry::find(&self.subject.game, &options)?)
    }

    fn options(&self) -> Result<Map<String, Json>> {
        serde_json::from_str(&self.subject.rules).context("the rules of the solution")
    }

    /// Writes the file.
    ///
    /// # Errors
    ///
    /// If it cannot be written.
    pub(super) fn write(&self, folder: &Path) -> Result<()> {
        let path = folder.join(SOLUTION);
        let payload = postcard::to_stdvec(self).context("a solution can be written")?;
        write_whole(&path, &SEAL.seal(&payload))
            .with_context(|| format!("cannot write {}", path.display()))
    }

    /// Reads the file of a folder.
    ///
    /// # Errors
    ///
    /// If it is not there or damaged.
    pub(crate) fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(SOLUTION);
        let name = path.display();
        ensure!(
            is_finished(folder),
            "{name} is not there; `tavoliere solve GAME --out {}` makes it",
            folder.display()
        );
        let bytes =
            foreign::read(&path, LARGEST).with_context(|| format!("{name} cannot be read"))?;
        let payload = SEAL.open(&bytes).with_context(|| name.to_string())?;
        postcard::from_bytes(payload).with_context(|| format!("{name} is damaged"))
    }
}

/// Whether a folder has a finished solution.
pub(crate) fn is_finished(folder: &Path) -> bool {
    folder.join(SOLUTION).exists()
}

/// Whether an error of [`About::read`] says that the file was written whole once, and is not now.
pub(super) fn is_damage(error: &anyhow::Error) -> bool {
    let found = error.downcast_ref();
    matches!(found, Some(SealError::Length { .. } | SealError::Checksum))
}

/// Removes a finished solution.
///
/// # Errors
///
/// If a file cannot be removed.
pub(super) fn remove(folder: &Path) -> Result<()> {
    // Without this one, the other is no solution.
    for path in [SOLUTION, VALUES].map(|name| folder.join(name)) {
        remove_file(&path).with_context(|| format!("cannot remove {}", path.display()))?;
    }
    Ok(())
}

/// A solution that can be asked.
#[derive(Debug)]
pub(crate) struct Solution {
    about: About,
    index: Index,
    values: Mmap,
    path: PathBuf,
    /// 1 for blocks that have been checked.
    checked: Vec<AtomicU8>,
}

impl Solution {
    /// Opens the solution of a game.
    ///
    /// # Errors
    ///
    /// If it is not there, damaged, or of another game or other rules.
    pub(crate) fn open(folder: &Path, variant: &Variant) -> Result<Self> {
        let layout = variant.layout().map_err(anyhow::Error::msg)?;
        Self::open_layout(folder, &SolvedGame::of(variant), &layout)
    }

    /// Opens the solution of the positions of a layout.
    pub(super) fn open_layout(folder: &Path, wanted: &SolvedGame, layout: &Layout) -> Result<Self> {
        let about = About::read(folder)?;
        if !about.subject.fits(wanted) {
            bail!(
                "{} has the solution of {} {} (rules version {}), not of {} {} (rules version {})",
                folder.display(),
                about.subject.game,
                about.subject.rules,
                about.subject.rules_version,
                wanted.game,
                wanted.rules,
                wanted.rules_version
            );
        }
        let index = Index::new(layout);
        let path = folder.join(VALUES);
        let file = foreign::open(&path).with_context(|| {
            format!("{} cannot be opened; solve the game again", path.display())
        })?;
        let found = file.metadata().with_context(|| format!("{}", path.display()))?.len();
        let expected = index.values * u64::from(about.width);
        ensure!(
            found == expected && about.length == expected && (1..=2).contains(&about.width),
            "{} has {found} bytes instead of {expected}; solve the game again",
            path.display()
        );
        ensure!(
            about.blocks.len() as u64 == expected.div_ceil(BLOCK as u64),
            "{} does not fit {}; solve the game again",
            folder.join(SOLUTION).display(),
            path.display()
        );
        let values = map(&file)
            .with_context(|| format!("{} cannot be mapped into memory", path.display()))?;
        let checked = about.blocks.iter().map(|_| AtomicU8::new(0)).collect();
        Ok(Self { about, index, values, path, checked })
    }

    /// Checks that the solution is of this game, whatever the limit on the length of a game.
    ///
    /// # Errors
    ///
    /// If it is of another game or other rules.
    pub(crate) fn check_game(&self, variant: &Variant) -> Result<()> {
        let subject = &self.about.subject;
        ensure!(
            subject.fits(&SolvedGame::of(variant)),
            "the solution is of {} {}, not of {} with these rules",
            subject.game,
            subject.rules,
            variant.name
        );
        Ok(())
    }

    /// What is solved.
    pub(crate) fn about(&self) -> &About {
        &self.about
    }

    /// The numbers of positions.
    pub(crate) fn index(&self) -> &Index {
        &self.index
    }

    /// The value of a position by its sets. `None` if it is none of the numbered ones.
    ///
    /// # Errors
    ///
    /// If the file is damaged there.
    pub(crate) fn value(&self, placement: &Placement) -> Result<Option<Value>> {
        let Some(number) = self.index.value(placement) else { return Ok(None) };
        self.numbered(number)
    }

    /// The value with this number.
    ///
    /// # Errors
    ///
    /// If the file is damaged there.
    pub(crate) fn numbered(&self, number: u64) -> Result<Option<Value>> {
        let width = usize::from(self.about.width);
        let place = number as usize * width;
        // Blocks have an even number of bytes, so a value is in one of them.
        self.check(place / BLOCK)?;
        let bytes = &self.values[place..place + width];
        let code = bytes.iter().rev().fold(0, |code, byte| code << 8 | u32::from(*byte));
        Ok(Value::of_code(code))
    }

    /// The number of values.
    pub(crate) fn values(&self) -> u64 {
        self.index.values
    }

    /// The number of the first of the values from `start` on that is `value`, among some millions.
    ///
    /// # Errors
    ///
    /// If the file is damaged there.
    pub(crate) fn find(&self, value: Value, start: u64) -> Result<Option<u64>> {
        const BLOCKS: usize = 64;
        let width = usize::from(self.about.width);
        let code = value.code().to_le_bytes();
        let wanted = &code[..width];
        let mut place = start as usize * width;
        for _ in 0..BLOCKS {
            if place >= self.values.len() {
                break;
            }
            self.check(place / BLOCK)?;
            let end = self.values.len().min((place / BLOCK + 1) * BLOCK);
            let mut values = self.values[place..end].chunks_exact(width);
            if let Some(found) = values.position(|value| value == wanted) {
                return Ok(Some((place / width + found) as u64));
            }
            place = end;
        }
        Ok(None)
    }

    /// The number of blocks, each of which has a checksum.
    pub(super) fn blocks(&self) -> usize {
        self.about.blocks.len()
    }

    /// Checks a block, unless it has been checked before.
    fn check(&self, block: usize) -> Result<()> {
        if self.checked[block].load(Relaxed) == 1 {
            return Ok(());
        }
        let first = block * BLOCK;
        let bytes = &self.values[first..self.values.len().min(first + BLOCK)];
        ensure!(
            checksum(bytes) == self.about.blocks[block],
            "{} is damaged at byte {first}; `tavoliere solve` solves the game again",
            self.path.display()
        );
        self.checked[block].store(1, Relaxed);
        Ok(())
    }

    /// Checks the whole file, and calls `watch` after each block.
    ///
    /// # Errors
    ///
    /// If it is damaged.
    pub(crate) fn check_all(&self, mut watch: impl FnMut()) -> Result<()> {
        (0..self.blocks()).try_for_each(|block| self.check(block).inspect(|()| watch()))
    }
}

/// The contents of the file `solution` with this payload.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn sealed(payload: &[u8]) -> Vec<u8> {
    SEAL.seal(payload)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn players_look_at_positions_of_games_that_end() {
        let solved = registry::preset("entropy").unwrap();
        let about = About {
            subject: {
                let variant = &solved;
                SolvedGame::of(variant)
            },
            positions: 0,
            counts: Vec::new(),
            width: 1,
            length: 0,
            blocks: Vec::new(),
        };
        let longest = |variant: &Variant| variant.longest_game();
        assert_eq!(longest(&about.variant().unwrap()), 0);
        assert_eq!(longest(&about.limited_variant().unwrap()), longest(&solved));
        assert_eq!(about.usual_variant(), Some(solved));
    }
}
