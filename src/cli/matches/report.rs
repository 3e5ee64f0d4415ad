//! The result of a match as text and as JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::requirements::Gates;
use crate::base::printable::stdout;
use crate::play::arena::{Effort, Forfeits, Tally, Totals};
use crate::stats::{Estimate, Pentanomial};

/// The complete result of a match.
pub(super) struct MatchReport<'a> {
    game: &'static str,
    names: [&'a str; 2],
    /// Units of the players' work, such as rollouts.
    units: [Option<&'static str>; 2],
    totals: &'a Totals,
    gates: &'a Gates,
    /// Whether a signal stopped the match before its end.
    interrupted: bool,
}

impl<'a> MatchReport<'a> {
    pub(super) fn new(
        game: &'static str,
        names: [&'a str; 2],
        units: [Option<&'static str>; 2],
        totals: &'a Totals,
        gates: &'a Gates,
    ) -> Self {
        Self { game, names, units, totals, gates, interrupted: false }
    }

    /// The same result, of a match that was perhaps interrupted.
    pub(super) fn of_interrupted(self, interrupted: bool) -> Self {
        Self { interrupted, ..self }
    }

    /// Prints the result. `default` is the number of simulations of players without their own limit,
    /// if there are any.
    pub(super) fn print(
        &self,
        as_json: bool,
        simulations: u32,
        default: Option<u32>,
    ) -> std::io::Result<()> {
        if as_json {
            return writeln!(io::stdout(), "{}", self.json(simulations));
        }
        if self.totals.tally.games() == 0 {
            return Ok(());
        }
        let lines =
            [self.result(default), self.forfeits(), self.strength(), self.games(), self.efforts()];
        let gates = self.gates.lines(&self.totals.tally);
        let lines: Vec<_> = lines.into_iter().flatten().chain(gates).collect();
        writeln!(stdout(), "{}", lines.join("\n"))
    }

    fn json(&self, simulations: u32) -> Value {
        let (totals, tally) = (self.totals, &self.totals.tally);
        let summary = Pentanomial::new(tally.pairs).summary();
        let [sprt, requirements] = self.gates.json(tally);
        let Tally { wins, draws, losses, pairs } = tally;
        json!({
            "game": self.game, "first": self.names[0], "second": self.names[1],
            "games": tally.games(), "wins": wins, "draws": draws, "losses": losses, "pairs": pairs,
            "score": tally.score(), "interval": tally.interval(), "simulations": simulations,
            "elo": summary.map(|summary| summary.elo),
            "normalized_elo": summary.map(|summary| summary.normalized_elo),
            "los": summary.map(|summary| summary.los),
            "first_mover_share": totals.first_mover_share(),
            "mean_turns": totals.mean_turns(), "interrupted": self.interrupted,
            "players": [self.player(0), self.player(1)],
            "sprt": sprt, "requirements": requirements,
        })
    }

    fn player(&self, player: usize) -> Value {
        let effort = &self.totals.efforts[player];
        let Forfeits { resigned, failed, reason } = &self.totals.forfeits[player];
        json!({
            "name": self.names[player], "turns": effort.turns,
            "seconds_per_turn": effort.seconds_per_turn(),
            "work_per_turn": effort.work_per_turn(), "unit": self.units[player],
            "resigned": resigned, "failed": failed, "failure": reason,
        })
    }

    fn result(&self, default: Option<u32>) -> Vec<String> {
        let tally = &self.totals.tally;
        let ([first, second], games) = (self.names, tally.games());
        let at = default.map(|most| format!(" at {most} simulations")).unwrap_or_default();
        let Tally { wins, draws, losses, pairs } = tally;
        let [low, high] = tally.interval().map(|share| 100.0 * share);
        let pairs = pairs.map(|count| count.to_string()).join(" ");
        vec![
            format!("{first} against {second}, {}, {games} games{at}:", self.game),
            format!(
                "{wins} won, {draws} drawn, {losses} lost: {:.1} %, 95 % interval {low:.1} to \
                 {high:.1} %",
                100.0 * tally.score()
            ),
            format!("pairs with 0, 1/2, 1, 3/2, 2 points: {pairs}"),
        ]
    }

    /// Returns the lines about games lost by resignation or failure.
    fn forfeits(&self) -> Vec<String> {
        let mut lines = Vec::new();
        for (name, forfeits) in self.names.iter().zip(&self.totals.forfeits) {
            let Forfeits { resigned, failed, reason } = forfeits;
            if *resigned > 0 {
                lines.push(format!("{name} resigned {}", games(*resigned)));
            }
            if let Some(reason) = reason {
                lines.push(format!(
                    "{name} lost {} by failure, the first: {reason}",
                    games(*failed)
                ));
            }
        }
        lines
    }

    fn strength(&self) -> Vec<String> {
        let Some(summary) = Pentanomial::new(self.totals.tally.pairs).summary() else {
            return Vec::new();
        };
        let elo = |Estimate { value, low, high }| format!("{value:+.0} ({low:+.0} to {high:+.0})");
        let (logistic, normalized) = (elo(summary.elo), elo(summary.normalized_elo));
        let los = 100.0 * summary.los;
        vec![format!("Elo {logistic}, normalised Elo {normalized}, LOS {los:.1} %")]
    }

    fn games(&self) -> Vec<String> {
        let (share, turns) = (100.0 * self.totals.first_mover_share(), self.totals.mean_turns());
        vec![format!("{share:.1} % won by the side that moved first, {turns:.1} turns a game")]
    }

    fn efforts(&self) -> Vec<String> {
        let line = |player: usize| {
            let spent = spent(&self.totals.efforts[player], self.units[player]);
            (!spent.is_empty()).then(|| format!("{}: {spent} a turn", self.names[player]))
        };
        [line(0), line(1)].into_iter().flatten().collect()
    }
}

fn games(count: u64) -> String {
    if count == 1 { "1 game".to_owned() } else { format!("{count} games") }
}

/// Returns the mean time and work of a player's turn, as far as they are known.
fn spent(effort: &Effort, unit: Option<&str>) -> String {
    let time = effort.seconds_per_turn().map(|seconds| match 1000.0 * seconds {
        short if short < 0.1 => format!("{:.1} us", 1000.0 * short),
        long => format!("{long:.1} ms"),
    });
    let work = unit.zip(effort.work_per_turn()).map(|(unit, work)| format!("{work:.1} {unit}"));
    time.into_iter().chain(work).collect::<Vec<_>>().join(", ")
}
