//! The review of a game: what each turn cost, by a search of every position.
//!
//! What a turn costs is the difference in the expected score of the side that played it: the value
//! of the best turn, less that of the position after the turn played. The best turn costs nothing.

use serde::Serialize;

use crate::games::{Outcome, Side, Text, parse_turn};
use crate::play::players::{Limits, Player, SearchReport};
use crate::registry::Position;
use crate::search::Wdl;

/// How bad a turn is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Severity {
    Inaccuracy,
    Mistake,
    Blunder,
}

impl Severity {
    /// All, with the least cost of each and its mark.
    pub(crate) const ALL: [(Self, f32, &'static str); 3] =
        [(Self::Inaccuracy, 0.1, "?!"), (Self::Mistake, 0.2, "?"), (Self::Blunder, 0.3, "??")];

    fn of(cost: f32) -> Option<Self> {
        Self::ALL.into_iter().rev().find(|(_, from, _)| cost >= *from).map(|(kind, ..)| kind)
    }

    pub(crate) fn mark(self) -> &'static str {
        Self::ALL[self as usize].2
    }
}

/// What a turn cost.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct ReviewedTurn {
    pub turn: Text,
    pub side: Side,
    /// The best turn that the search found.
    pub best: Text,
    /// The expected score with the best turn, and with the turn played, 0 to 1.
    pub scores: [f32; 2],
    /// The difference; 0 for the best turn.
    pub cost: f32,
    pub mistake: Option<Severity>,
}

/// The review of a game.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Review {
    pub turns: Vec<ReviewedTurn>,
    /// The expected score of the first player in each position, from the start on.
    pub scores: Vec<f32>,
}

impl Review {
    /// Searches every position of a game by `simulations` simulations. `watch` is called after each
    /// position, and returns whether to continue. `None` if it was stopped, or the player cannot analyse.
    ///
    /// # Panics
    ///
    /// If a turn is not legal.
    pub(crate) fn of(
        start: &Position,
        moves: &[Text],
        player: &mut dyn Player,
        simulations: u32,
        mut watch: impl FnMut() -> bool,
    ) -> Option<Self> {
        let mut review = Self::default();
        let mut position = *start;
        let mut before: Option<SearchReport> = None;
        for ply in 0..=moves.len() {
            let report = match position.outcome() {
                Some(_) => None,
                None => Some(player.analyze_within(
                    &position,
                    &Limits::simulations(simulations),
                    &|| true,
                )?),
            };
            let mover = position.to_move();
            let own = match (&report, position.outcome()) {
                (Some(report), _) => score(report.value),
                (None, outcome) => score(outcome.unwrap_or(Outcome::Draw).wdl_for(mover)),
            };
            review.scores.push(if mover == Side::P1 { own } else { 1.0 - own });
            if let (Some(before), Some(turn)) = (&before, ply.checked_sub(1)) {
                let after = *review.scores.last().unwrap_or(&0.5);
                review.judge(before, moves[turn], after);
            }
            if let Some(text) = moves.get(ply) {
                review.turns.push(ReviewedTurn::unknown(*text, mover));
                let turn = parse_turn(&position, text).expect("the game was checked");
                position = turn.after(&position);
            }
            before = report;
            if !watch() {
                return None;
            }
        }
        Some(review)
    }

    /// Compares the last turn with the best one, by the report before it and the expected score of
    /// the first player after it.
    fn judge(&mut self, before: &SearchReport, turn: Text, after: f32) {
        let Some(last) = self.turns.last_mut() else { return };
        let best = before.turns.iter().find(|ranked| ranked.turn.text == before.best.text);
        let hoped = score(
            best.filter(|it| it.visits > 0 || it.proven.is_some())
                .map_or(before.value, |ranked| ranked.wdl),
        );
        let left = if last.side == Side::P1 { after } else { 1.0 - after };
        let is_best = turn == before.best.text;
        let cost = if is_best { 0.0 } else { (hoped - left).max(0.0) };
        *last = ReviewedTurn {
            best: before.best.text,
            scores: [hoped, left],
            cost,
            mistake: Severity::of(cost),
            ..*last
        };
    }

    /// The number of mistakes of each kind of a side, and the mean cost of its turns.
    pub(crate) fn summary(&self, side: Side) -> ([usize; 3], f32) {
        let own = || self.turns.iter().filter(|turn| turn.side == side);
        let count = |kind| own().filter(|turn| turn.mistake == Some(kind)).count();
        let mean = own().map(|turn| turn.cost).sum::<f32>() / own().count().max(1) as f32;
        (Severity::ALL.map(|(kind, ..)| count(kind)), mean)
    }
}

impl ReviewedTurn {
    fn unknown(turn: Text, side: Side) -> Self {
        Self { turn, side, best: turn, scores: [0.5; 2], cost: 0.0, mistake: None }
    }
}

/// The expected score, with a draw as half a win.
fn score([win, draw, _]: Wdl) -> f32 {
    win + draw / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn costs_have_names() {
        let of = |cost| Severity::of(cost).map_or("", Severity::mark);
        assert_eq!([0.0, 0.09, 0.1, 0.25, 0.3, 1.0].map(of), ["", "", "?!", "?", "??", "??"]);
    }
}
