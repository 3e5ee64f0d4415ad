//! The rating list as text, JSON and CSV.

use std::io::{self, Write};

use serde_json::{Value, json};

use crate::base::printable::stdout;
use crate::runs::ladder::{Journal, Row, Standings};
use crate::stats::Estimate;

/// A warning is printed for results with a p-value below this.
const UNLIKELY: f64 = 0.01;

/// The complete rating list.
pub(super) struct LadderReport<'a> {
    journal: &'a Journal,
    standings: &'a Standings,
    anchor: usize,
}

impl<'a> LadderReport<'a> {
    pub(super) fn new(journal: &'a Journal, standings: &'a Standings, anchor: usize) -> Self {
        Self { journal, standings, anchor }
    }

    pub(super) fn print(&self, as_json: bool) -> std::io::Result<()> {
        if as_json {
            return writeln!(io::stdout(), "{}", self.json());
        }
        let warnings = self.warnings();
        let warnings = warnings.iter().map(|warning| format!("warning: {warning}"));
        let lines = [vec![self.title()], self.table(), vec![self.first_move()]].concat();
        let lines: Vec<String> = lines.into_iter().chain(warnings).collect();
        writeln!(stdout(), "{}", lines.join("\n"))
    }

    fn name(&self, player: usize) -> &str {
        &self.journal.players[player].name
    }

    fn title(&self) -> String {
        let (game, games) = (&self.journal.header.game, self.journal.games());
        let (players, anchor) = (self.journal.players.len(), self.name(self.anchor));
        format!("{game}, {games} games of {players} players, the rating of {anchor} is 0")
    }

    /// Returns the headings and a line for each player.
    fn table(&self) -> Vec<String> {
        let heading = ["rank", "player", "Elo", "games", "score", "draws", "better than next"];
        let heading = heading.map(str::to_owned);
        let rows = self.standings.rows.iter().zip(1..).map(|(row, rank)| self.cells(row, rank));
        let table: Vec<[String; 7]> = std::iter::once(heading).chain(rows).collect();
        let width = |column: usize| {
            table.iter().map(|row| row[column].chars().count()).max().unwrap_or_default()
        };
        let widths: Vec<usize> = (0..7).map(width).collect();
        let line = |row: &[String; 7]| {
            let cells = row.iter().zip(&widths).enumerate().map(|(column, (cell, &width))| {
                if column == 1 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
            });
            cells.collect::<Vec<_>>().join("  ")
        };
        table.iter().map(line).collect()
    }

    fn cells(&self, row: &Row, rank: usize) -> [String; 7] {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let games = row.games();
        [
            row.rating.map_or("-".to_owned(), |_| rank.to_string()),
            self.name(row.player).to_owned(),
            row.rating.map_or("-".to_owned(), elo),
            games.to_string(),
            row.score().map_or("-".to_owned(), percent),
            if games > 0 { percent(row.results[1] as f64 / games as f64) } else { "-".to_owned() },
            row.los.map_or("-".to_owned(), percent),
        ]
    }

    fn first_move(&self) -> String {
        let draws = self.standings.draws.map(|share| 100.0 * share);
        format!(
            "the first move is worth {} Elo; equal players draw {:.1} % ({:.1} to {:.1} %)",
            elo(self.standings.first_move),
            draws.value,
            draws.low,
            draws.high
        )
    }

    /// Returns what the ratings do not show: intransitive results, and players without a rating.
    fn warnings(&self) -> Vec<String> {
        let found = &self.standings.intransitivity;
        let unexplained = (found.degrees > 0 && found.p_value < UNLIKELY).then(|| {
            format!(
                "one rating per player does not explain these results (chi-square {:.1} with {} \
                 degrees of freedom, p = {:.1e})",
                found.chi_square, found.degrees, found.p_value
            )
        });
        let cycle = found.cycle.filter(|cycle| cycle.p_value < UNLIKELY).map(|cycle| {
            let [a, b, c] = cycle.players.map(|player| self.name(player));
            format!(
                "{a} did better against {b} than ratings explain, {b} against {c}, and {c} against \
                 {a}: {:.0} Elo around the cycle, p = {:.1e}",
                cycle.elo, cycle.p_value
            )
        });
        let unrated: Vec<&str> = self.standings.unrated().map(|it| self.name(it)).collect();
        let unrated = (!unrated.is_empty()).then(|| {
            format!(
                "no games join {} with {}; they have no rating until more games are played",
                unrated.join(", "),
                self.name(self.anchor)
            )
        });
        [unexplained, cycle, unrated].into_iter().flatten().collect()
    }

    fn json(&self) -> Value {
        let (header, standings) = (&self.journal.header, self.standings);
        let players = standings.rows.iter().zip(1..).map(|(row, rank)| self.player(row, rank));
        json!({
            "game": header.game, "rules": header.rules, "opening": header.opening,
            "seed": header.seed, "games": self.journal.games(), "anchor": self.name(self.anchor),
            "players": players.collect::<Vec<_>>(), "results": self.results(),
            "first_move": standings.first_move, "draws": standings.draws,
            "intransitivity": self.intransitivity(), "warnings": self.warnings(),
        })
    }

    fn player(&self, row: &Row, rank: usize) -> Value {
        let entry = &self.journal.players[row.player];
        let [wins, draws, losses] = row.results;
        let training = entry.training.as_ref();
        json!({
            "rank": row.rating.map(|_| rank), "name": entry.name, "checksum": entry.checksum,
            "elo": row.rating, "games": row.games(), "wins": wins, "draws": draws,
            "losses": losses, "score": row.score(), "los": row.los,
            "run": training.map(|it| &it.run), "iteration": training.map(|it| it.iteration),
            "seconds": training.map(|it| it.seconds),
        })
    }

    /// Returns the results of all pairs of players, from the view of the one with the better rank.
    fn results(&self) -> Vec<Value> {
        let rows = &self.standings.rows;
        let pairs =
            (0..rows.len()).flat_map(|one| (one + 1..rows.len()).map(move |two| [one, two]));
        let pairs = pairs.map(|pair| pair.map(|index| rows[index].player));
        let met = pairs.filter_map(|[first, second]| {
            let [wins, draws, losses] = self.standings.results(first, second);
            (wins + draws + losses > 0).then(|| {
                json!({
                    "first": self.name(first), "second": self.name(second),
                    "wins": wins, "draws": draws, "losses": losses,
                })
            })
        });
        met.collect()
    }

    fn intransitivity(&self) -> Value {
        let found = &self.standings.intransitivity;
        let cycle = found.cycle.map(|cycle| {
            json!({
                "players": cycle.players.map(|player| self.name(player)), "elo": cycle.elo,
                "z": cycle.z, "p_value": cycle.p_value,
            })
        });
        json!({
            "chi_square": found.chi_square, "degrees": found.degrees, "p_value": found.p_value,
            "cycle": cycle,
        })
    }

    /// Returns the list as CSV (RFC 4180): the headings and a line for each player.
    pub(super) fn csv(&self) -> String {
        const HEADINGS: &str = "rank,name,elo,low,high,games,wins,draws,losses,score,los,run,\
                                iteration,seconds\r\n";
        let rows = self.standings.rows.iter().zip(1..);
        let lines = rows.map(|(row, rank)| csv_line(&self.player(row, rank)));
        HEADINGS.to_owned() + &lines.collect::<String>()
    }
}

/// Returns a line of CSV for a player of the JSON list.
fn csv_line(player: &Value) -> String {
    let elo = ["value", "low", "high"].map(|key| &player["elo"][key]);
    let counts = ["games", "wins", "draws", "losses", "score", "los"].map(|key| &player[key]);
    let training = ["run", "iteration", "seconds"].map(|key| &player[key]);
    let fields = [&player["rank"], &player["name"]].into_iter();
    let fields: Vec<String> = fields.chain(elo).chain(counts).chain(training).map(field).collect();
    fields.join(",") + "\r\n"
}

/// Formats a rating with half its interval.
fn elo(Estimate { value, high, .. }: Estimate) -> String {
    format!("{value:+.0} ± {:.0}", high - value)
}

/// Formats a field of CSV, in quotes if necessary.
fn field(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) if text.contains([',', '"', '\n', '\r']) => {
            format!("\"{}\"", text.replace('"', "\"\""))
        }
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}
