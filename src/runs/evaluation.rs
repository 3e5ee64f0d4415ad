//! Evaluations within a run: their settings, their results and the ratings computed from them.

use anyhow::Result;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::base::checks::{Fault, within};
use crate::play::players::{Baseline, PlayerSpec};
use crate::runs::checkpoint::Run;
use crate::stats::Estimate;
use crate::stats::ratings::{Encounter, RatingSettings, Ratings, RatingsError, rate};

/// Settings of the evaluations within a run, the `[evaluation]` table of a config.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Settings {
    /// Iterations from one evaluation to the next; 0 for no evaluations.
    pub every: u64,
    /// Games against each opponent.
    pub games: u64,
    /// Simulations of each search of the networks.
    pub simulations: u32,
    /// Opponents without a network. The previously evaluated network is always one more opponent.
    pub panel: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        let panel = ["uct?rollouts=1000", "alphabeta?nodes=10000"];
        Self { every: 10, games: 40, simulations: 64, panel: panel.map(str::to_owned).to_vec() }
    }
}

impl Settings {
    /// Checks every value.
    ///
    /// # Errors
    ///
    /// The first value that is invalid.
    pub(crate) fn check(&self) -> Result<(), Fault> {
        within("every", self.every, [0, 1_000_000])?;
        within("games", self.games, [2, 100_000])?;
        within("simulations", self.simulations, [1, 1_000_000])?;
        self.opponents().map(|_| ()).map_err(|reason| ("panel", reason))
    }

    /// Parses the opponents of the panel.
    ///
    /// # Errors
    ///
    /// If a player spec is invalid, has a network, or has a limit of time.
    pub(crate) fn opponents(&self) -> Result<Vec<Baseline>, String> {
        let read = |text: &String| match text.parse::<PlayerSpec>() {
            Ok(PlayerSpec::Baseline(baseline)) if !baseline.is_timed() => Ok(baseline),
            Ok(PlayerSpec::Baseline(_)) => Err(format!(
                "`{text}` has a limit of time, so results would depend on the machine; limit its \
                 rollouts, nodes or turns instead"
            )),
            Ok(_) => Err(format!("`{text}` is not one of random, uct, alphabeta and perfect")),
            Err(error) => Err(format!("{error:#}")),
        };
        self.panel.iter().map(read).collect()
    }

    /// Returns whether the network of an iteration is evaluated.
    pub(crate) fn is_due(&self, iteration: u64) -> bool {
        self.every > 0 && iteration > 0 && iteration.is_multiple_of(self.every)
    }
}

/// Results of an iteration's network against one opponent.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct OpponentResults {
    /// The opponent: a player spec of the panel, or `@` and the iteration of another network.
    pub opponent: String,
    /// Checksum of the weights of an opponent with a network; `None` in evaluations of earlier
    /// versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub weights: Option<u32>,
    /// Games won, drawn and lost by the network as the first side.
    pub first: [u64; 3],
    /// Games won, drawn and lost by the network as the second side.
    pub second: [u64; 3],
}

impl OpponentResults {
    /// The iteration of an opponent with a network.
    fn iteration(&self) -> Option<u64> {
        self.opponent.strip_prefix('@')?.parse().ok()
    }

    /// The score of the network, 0 to 1, with a draw as half a win; 0 without games.
    pub(crate) fn score(&self) -> f64 {
        let [won, drawn, lost] = [0, 1, 2].map(|result| self.first[result] + self.second[result]);
        (won as f64 + 0.5 * drawn as f64) / ((won + drawn + lost) as f64).max(1.0)
    }
}

/// What ratings need of a line of metrics.
#[derive(Deserialize)]
struct Evaluation {
    iteration: u64,
    #[serde(default)]
    weights: Option<u32>,
    #[serde(default)]
    at_end: bool,
    met: Vec<OpponentResults>,
}

/// All evaluations of a run.
#[derive(Clone, Default, Debug)]
pub(crate) struct History {
    iterations: Vec<(u64, Vec<OpponentResults>)>,
    /// The iterations that were evaluated because a training ended there. What comes later does not
    /// depend on them, so that a run may be stopped anywhere.
    at_ends: Vec<u64>,
}

/// Ratings of the networks of a run.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Standing {
    /// Elo ratings of the evaluated iterations, in ascending order. The first opponent of the
    /// panel, or the first network if there is no panel, has rating 0.
    pub ratings: Vec<(u64, Estimate)>,
    /// Elo ratings of the panel.
    pub panel: Vec<(String, Estimate)>,
}

impl Standing {
    /// The iteration with the highest rating among those whose checkpoint `is_there`.
    pub(crate) fn best(&self, is_there: impl Fn(u64) -> bool) -> Option<u64> {
        let there = self.ratings.iter().filter(|&&(iteration, _)| is_there(iteration));
        let best = there.max_by(|(_, a), (_, b)| a.value.total_cmp(&b.value));
        best.map(|&(iteration, _)| iteration)
    }

    /// The rating of an iteration, if it was evaluated.
    pub(crate) fn of(&self, iteration: u64) -> Option<Estimate> {
        self.ratings.iter().find(|rating| rating.0 == iteration).map(|rating| rating.1)
    }
}

impl History {
    /// Reads the evaluations of a run's networks.
    ///
    /// # Errors
    ///
    /// If the run's metrics cannot be read.
    pub(crate) fn of(run: &Run) -> Result<Self> {
        Ok(Self::read(&run.metrics_of::<Value>("evaluation")?, |iteration| {
            run.weights_checksum(iteration)
        }))
    }

    /// Reads the evaluations from the lines of a metrics file. Leaves out those of other weights
    /// than the checkpoint of that iteration holds; `weights` gives its checksum, if it is known.
    pub(crate) fn read(metrics: &[Value], weights: impl Fn(u64) -> Option<u32>) -> Self {
        let is_of = |iteration: u64, evaluated: Option<u32>| {
            evaluated.is_none_or(|evaluated| weights(iteration).is_none_or(|it| it == evaluated))
        };
        let mut history = Self::default();
        for line in metrics.iter().filter(|line| line["phase"] == "evaluation") {
            let Ok(Evaluation { iteration, weights, at_end, mut met }) =
                Evaluation::deserialize(line)
            else {
                continue;
            };
            if is_of(iteration, weights) {
                met.retain(|met| met.iteration().is_none_or(|other| is_of(other, met.weights)));
                history.add(iteration, met);
                history.at_ends.extend(at_end.then_some(iteration));
            }
        }
        history
    }

    /// The evaluations at the intervals of the config, without those at the ends of trainings.
    pub(crate) fn regular(mut self) -> Self {
        let at_ends = std::mem::take(&mut self.at_ends);
        self.iterations.retain(|(iteration, _)| !at_ends.contains(iteration));
        self
    }

    /// Adds an evaluation; replaces an earlier one of the same iteration.
    pub(crate) fn add(&mut self, iteration: u64, met: Vec<OpponentResults>) {
        self.at_ends.retain(|&other| other != iteration);
        self.iterations.retain(|&(other, _)| other != iteration);
        self.iterations.push((iteration, met));
        self.iterations.sort_unstable_by_key(|&(iteration, _)| iteration);
    }

    /// Returns whether an iteration has been evaluated.
    pub(crate) fn has(&self, iteration: u64) -> bool {
        self.iterations.iter().any(|&(other, _)| other == iteration)
    }

    /// The results of an iteration's network; none if it was not evaluated.
    pub(crate) fn met_by(&self, iteration: u64) -> &[OpponentResults] {
        let found = self.iterations.iter().find(|&&(other, _)| other == iteration);
        found.map_or(&[], |(_, met)| met)
    }

    /// The last iteration evaluated before this one whose checkpoint `is_there`.
    pub(crate) fn before(&self, iteration: u64, is_there: impl Fn(u64) -> bool) -> Option<u64> {
        let evaluated = self.iterations.iter().map(|&(other, _)| other);
        evaluated.rev().find(|&other| other < iteration && is_there(other))
    }

    /// Computes maximum likelihood ratings from all games, by [`rate`].
    ///
    /// # Errors
    ///
    /// If the games do not connect all players, or the results are too extreme.
    pub(crate) fn standing(&self) -> Result<Standing, RatingsError> {
        let (names, rated) = self.rated()?;
        let (mut ratings, mut panel) = (Vec::new(), Vec::new());
        for (player, name) in names.iter().enumerate() {
            let rating = rated.rating(player);
            match name.strip_prefix('@').map(|iteration| iteration.parse().ok()) {
                Some(iteration) => {
                    let evaluated = iteration.filter(|&it| self.has(it));
                    ratings.extend(evaluated.map(|iteration| (iteration, rating)));
                }
                None => panel.push((name.clone(), rating)),
            }
        }
        ratings.sort_unstable_by_key(|&(iteration, _)| iteration);
        Ok(Standing { ratings, panel })
    }

    /// By how much the network of one iteration is rated above that of another, in Elo. Its
    /// interval is narrower than those of the two ratings, which share what is not known of the
    /// panel. `None` if not both were rated.
    pub(crate) fn gain(&self, from: u64, to: u64) -> Option<Estimate> {
        let (names, rated) = self.rated().ok()?;
        let player = |iteration| names.iter().position(|name| *name == format!("@{iteration}"));
        Some(rated.difference(player(to)?, player(from)?))
    }

    /// The names of all players, those of the panel first, and their ratings.
    fn rated(&self) -> Result<(Vec<String>, Ratings), RatingsError> {
        let (mut names, mut encounters) = (Vec::new(), Vec::new());
        let panel = self.iterations.iter().flat_map(|(_, met)| met).map(|met| &met.opponent);
        panel.filter(|name| !name.starts_with('@')).for_each(|name| {
            number(&mut names, name);
        });
        for (iteration, met) in &self.iterations {
            let own = number(&mut names, &format!("@{iteration}"));
            for met in met {
                let OpponentResults { opponent, first: as_first, .. } = met;
                let [won, drawn, lost] = met.second;
                let other = number(&mut names, opponent);
                let results = [lost, drawn, won];
                encounters.push(Encounter { first: own, second: other, results: *as_first });
                encounters.push(Encounter { first: other, second: own, results });
            }
        }
        let rated = rate(names.len(), &encounters, &RatingSettings::default())?;
        Ok((names, rated))
    }
}

/// The iteration with the highest rating, or `None` if none was evaluated.
///
/// # Errors
///
/// If the run's files cannot be read.
pub(crate) fn best(run: &Run) -> Result<Option<u64>> {
    match run.marked_best()? {
        // The mark is renewed when training goes on.
        Some(marked) if run.is_abandoned(marked) => best_by_ratings(run),
        marked => Ok(marked),
    }
}

/// The same, computed from the evaluations.
///
/// # Errors
///
/// If the run's metrics cannot be read.
pub(crate) fn best_by_ratings(run: &Run) -> Result<Option<u64>> {
    let standing = History::of(run)?.standing().ok();
    Ok(standing.and_then(|standing| standing.best(|iteration| run.has_checkpoint(iteration))))
}

/// The number of the player of this name; a new name is added.
fn number(names: &mut Vec<String>, name: &str) -> usize {
    names.iter().position(|known| known == name).unwrap_or_else(|| {
        names.push(name.to_owned());
        names.len() - 1
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn met(opponent: &str, first: [u64; 3], second: [u64; 3]) -> OpponentResults {
        OpponentResults { opponent: opponent.to_owned(), weights: None, first, second }
    }

    #[test]
    fn panel_players_with_a_limit_of_time_or_a_network_are_refused() {
        let check = |panel: &str| {
            let panel = vec![panel.to_owned()];
            Settings { panel, ..Settings::default() }.check().unwrap_err().1
        };
        assert!(check("uct?time=5ms").contains("has a limit of time"));
        assert!(check("runs/x").contains("is not one of random"));
        assert!(check("randon").contains("did you mean `random`?"));
        assert!(Settings::default().check().is_ok());
    }

    #[test]
    fn the_network_with_the_highest_rating_is_best_in_any_order_of_evaluations() {
        let mut history = History::default();
        history
            .add(20, vec![met("uct", [18, 1, 1], [17, 0, 3]), met("@10", [15, 2, 3], [14, 1, 5])]);
        history.add(10, vec![met("uct", [10, 0, 10], [9, 1, 10])]);
        history
            .add(30, vec![met("uct", [16, 0, 4], [14, 1, 5]), met("@20", [8, 2, 10], [7, 2, 11])]);
        let standing = history.standing().unwrap();
        assert_eq!(standing.best(|_| true), Some(20));
        assert_eq!(standing.best(|iteration| iteration != 20), Some(30));
        assert!(standing.of(10).unwrap().value.abs() < 60.0, "{standing:?}");
        let [gain, rating] = [history.gain(10, 20).unwrap(), standing.of(20).unwrap()];
        let difference = rating.value - standing.of(10).unwrap().value;
        assert!((gain.value - difference).abs() < 1e-6 && gain.low > 0.0, "{gain:?}");
        assert_eq!(history.gain(10, 40), None);
        assert_eq!(
            (history.before(30, |_| true), history.before(10, |_| true), history.has(40)),
            (Some(20), None, false)
        );
        let line =
            |iteration, met| json!({"iteration": iteration, "phase": "evaluation", "met": met});
        let lines = [
            line(10, history.iterations[0].1.clone()),
            json!({"iteration": 10, "phase": "learn"}),
            line(20, history.iterations[1].1.clone()),
            line(30, history.iterations[2].1.clone()),
        ];
        assert_eq!(History::read(&lines, |_| None).standing(), Ok(standing));
    }

    #[test]
    fn a_panel_that_always_loses_leaves_no_doubt_of_the_gain() {
        let mut history = History::default();
        let won = || met("uct", [10, 0, 0], [10, 0, 0]);
        history.add(10, vec![won()]);
        history.add(20, vec![won(), met("@10", [7, 1, 2], [6, 2, 2])]);
        let rating = history.standing().unwrap().of(20).unwrap();
        let gain = history.gain(10, 20).unwrap();
        assert!(gain.low > 0.0, "{gain:?}");
        assert!(rating.high - rating.low > 2.0 * (gain.high - gain.low), "{rating:?} {gain:?}");
    }

    #[test]
    fn evaluations_of_other_weights_than_those_of_the_checkpoint_do_not_count() {
        let against =
            |opponent, weights| OpponentResults { weights, ..met(opponent, [1; 3], [1; 3]) };
        let line = |iteration, weights: u32, met: Vec<OpponentResults>| json!({"iteration": iteration, "phase": "evaluation", "weights": weights, "met": met});
        let lines = [
            line(10, 77, vec![against("uct", None)]),
            line(20, 78, vec![against("uct", None), against("@10", Some(77))]),
        ];
        let opponents = |weights: &dyn Fn(u64) -> Option<u32>| {
            let names =
                |met: &[OpponentResults]| met.iter().map(|met| met.opponent.clone()).collect();
            let rows = History::read(&lines, weights).iterations;
            rows.iter().map(|(iteration, met)| (*iteration, names(met))).collect::<Vec<_>>()
        };
        let [uct, both] = [vec!["uct".to_owned()], vec!["uct".to_owned(), "@10".to_owned()]];
        let all = vec![(10, uct.clone()), (20, both)];
        assert_eq!(opponents(&|iteration| Some(76 + iteration as u32 / 10)), all);
        assert_eq!(opponents(&|_| None), all, "deleted checkpoints");
        let replaced = |iteration| (iteration == 10).then_some(1);
        assert_eq!(opponents(&replaced), [(20, uct.clone())]);
        assert_eq!(opponents(&|iteration| (iteration == 20).then_some(1)), [(10, uct)]);
    }

    #[test]
    fn scores_count_both_sides() {
        assert_eq!(met("x", [3, 1, 0], [0, 2, 2]).score(), 4.5 / 8.0);
        assert_eq!(met("x", [0; 3], [0; 3]).score(), 0.0);
    }
}
