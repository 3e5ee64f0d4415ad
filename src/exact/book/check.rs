//! Checks a book by the rules of the game alone.

use anyhow::{Context, Result, ensure};

use super::Book;
use crate::games::{Outcome, legal_turns};
use crate::registry::{Position, Variant};

impl Book {
    /// Checks that the book proves the win from the start, and that nothing is missing in it.
    ///
    /// # Errors
    ///
    /// The first position that is not won as the book says.
    pub(crate) fn check(&self, variant: &Variant) -> Result<()> {
        let uncapped = variant.uncapped();
        let start = uncapped.initial();
        if start.to_move() == self.winner {
            self.check_win(&start, self.turns)?;
        } else {
            self.check_replies(&start, self.turns)?;
        }
        for (placement, &turns) in &self.lost {
            let game = uncapped.position_of(placement, self.winner.other());
            let game = game.context("a position of the book is none of the game")?;
            ensure!(game.outcome().is_none(), "{} is the end of a game", game.position_text());
            self.check_replies(&game, u32::from(turns))?;
        }
        Ok(())
    }

    /// Checks that the side to move loses within `turns` turns, whatever it does.
    fn check_replies(&self, game: &Position, turns: u32) -> Result<()> {
        legal_turns(game).iter().try_for_each(|turn| {
            let after = turn.after(game);
            match after.outcome() {
                None => self.check_win(&after, turns.saturating_sub(1)),
                Some(outcome) => {
                    let is_won = outcome == Outcome::Win(self.winner);
                    ensure!(is_won, "{} is not won", after.position_text());
                    Ok(())
                }
            }
        })
    }

    /// Checks that the side to move wins within `turns` turns by the book.
    fn check_win(&self, game: &Position, turns: u32) -> Result<()> {
        let found = self.winning_turn(game).map(|(_, turns)| turns);
        let text = game.position_text();
        let found = found.with_context(|| format!("the book has no answer in {text}"))?;
        ensure!(found <= turns, "in {text} the book wins in {found} turns instead of {turns}");
        Ok(())
    }
}
