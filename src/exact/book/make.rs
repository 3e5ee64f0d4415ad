//! Makes the book of a game from its solution.

use std::collections::{BTreeMap, HashSet};

use anyhow::{Context, Result, bail, ensure};

use super::file::text;
use super::{Book, Lost, order, representative};
use crate::exact::solution::{Solution, Value};
use crate::games::{Layout, Placement, Turn, legal_turns};
use crate::registry::{Position, Variant};

/// The most turns of a win that a book has.
const LONGEST: u32 = 255;

/// Makes the book of the winner of a game, who wins in as few turns as possible. Of several such
/// turns it takes one to a position that the book has already, or else the one after which the
/// fewest replies have to be answered.
///
/// # Errors
///
/// If nobody wins from the start, or the solution is damaged or of another game.
pub(crate) fn make(solution: &Solution, variant: &Variant) -> Result<Book> {
    solution.check_game(variant)?;
    let start = variant.uncapped().initial();
    let side = start.to_move();
    let (winner, turns) = match solution.value_of(&start)? {
        Value::Win(turns) => (side, turns),
        Value::Loss(turns) => (side.other(), turns),
        Value::Neither => {
            bail!("there is no book of {}: neither side can force a win", variant.name)
        }
    };
    ensure!(turns <= LONGEST, "the win takes {turns} turns, and a book has at most {LONGEST}");
    let layout = variant.layout().map_err(anyhow::Error::msg)?;
    let lost = Maker::of(solution, &layout).make(&start, winner == side, turns)?;
    Book::read(&text(variant, winner, turns, &lost), variant)
}

/// A book that is being made.
struct Maker<'a> {
    solution: &'a Solution,
    layout: &'a Layout,
    /// The positions with the winner to move that were met.
    met: HashSet<Placement>,
    /// Those of them that are not answered yet, by the number of turns in which they are won.
    open: BTreeMap<u32, Vec<Position>>,
    lost: Lost,
}

/// A position after a reply, with the winner to move.
struct Reply {
    key: Placement,
    position: Position,
    /// The turns in which the winner wins.
    turns: u32,
}

impl<'a> Maker<'a> {
    fn of(solution: &'a Solution, layout: &'a Layout) -> Self {
        let (met, open, lost) = (HashSet::new(), BTreeMap::new(), Lost::new());
        Self { solution, layout, met, open, lost }
    }

    /// The lost positions, the longest wins first: shorter ones follow from their replies.
    fn make(mut self, start: &Position, begins: bool, turns: u32) -> Result<Lost> {
        if begins {
            self.open.insert(turns, vec![*start]);
        } else {
            let replies = self.replies(start)?;
            self.meet(replies);
        }
        while let Some((turns, positions)) = self.open.pop_last() {
            // The winner wins at once: that needs no position.
            if turns > 1 {
                positions.iter().try_for_each(|position| self.answer(position, turns))?;
            }
        }
        Ok(self.lost)
    }

    /// Answers a position that is won in `turns` turns.
    fn answer(&mut self, position: &Position, turns: u32) -> Result<()> {
        let mut best: Option<(Placement, Vec<Reply>)> = None;
        for (turn, value) in self.solution.turns(position)? {
            if value != Value::Win(turns) {
                break;
            }
            let (key, replies) = self.after(position, &turn)?;
            if self.lost.contains_key(&key) {
                return Ok(());
            }
            if best.as_ref().is_none_or(|(_, fewest)| replies.len() < fewest.len()) {
                best = Some((key, replies));
            }
        }
        let (key, replies) = best.context("a won position has a turn that wins")?;
        self.lost.insert(key, (turns - 1) as u8);
        self.meet(replies);
        Ok(())
    }

    /// The lost position after a turn, and its replies.
    fn after(&self, position: &Position, turn: &Turn) -> Result<(Placement, Vec<Reply>)> {
        let after = turn.after(position);
        let placement = after.placement().context("a position of the solution has its pieces")?;
        Ok((representative(self.layout, &placement), self.replies(&after)?))
    }

    /// The replies in a lost position that have not been met, each class of positions once.
    fn replies(&self, game: &Position) -> Result<Vec<Reply>> {
        let mut replies = Vec::new();
        for turn in legal_turns(game) {
            let position = turn.after(game);
            // The side that loses may have to end the game itself.
            let Some(placement) = position.placement().filter(|_| position.outcome().is_none())
            else {
                continue;
            };
            let key = representative(self.layout, &placement);
            match self.solution.value(&placement)? {
                Some(Value::Win(turns)) => replies.push(Reply { key, position, turns }),
                value => bail!("after a turn of the loser the solution has the value {value:?}"),
            }
        }
        replies.retain(|reply| !self.met.contains(&reply.key));
        replies.sort_by_key(|reply| order(&reply.key));
        replies.dedup_by_key(|reply| reply.key);
        Ok(replies)
    }

    fn meet(&mut self, replies: Vec<Reply>) {
        for Reply { key, position, turns } in replies {
            self.met.insert(key);
            self.open.entry(turns).or_default().push(position);
        }
    }
}
