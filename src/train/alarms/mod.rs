//! Alarms: warnings of a training run, raised by its metrics.
//!
//! After each iteration every alarm checks the metrics of the newest iterations. The metrics also
//! store which alarms are in force; a resumed run reads it there, and there is no other state. An
//! alarm is raised at one limit and is over at a lower one, so that it does not flip with every
//! iteration. Bootstrap iterations are not checked: their games are not the network's.

mod conditions;
mod history;
mod window;

pub(crate) use history::History;

use serde_json::Value;

use crate::runs::checkpoint::RunState;
use conditions::Sign;
use history::Row;

/// A check for one kind of problem.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Alarm {
    /// Name in the metrics.
    pub name: &'static str,
    /// The settings that may help, and how to change them.
    pub hint: &'static str,
    sign: fn(&[Row]) -> Option<Sign>,
}

/// All alarms.
pub(crate) const ALARMS: &[Alarm] = &[
    Alarm {
        name: "policy_collapse",
        hint: "lower learner.learning_rate or replay.reuse; for more exploration, raise \
               selfplay.opening_floor, selfplay.opening_plies or selfplay.temperature_plies",
        sign: conditions::policy_collapse,
    },
    Alarm {
        name: "value_overfitting",
        hint: "lower replay.reuse, raise selfplay.games, replay.search_value or \
               learner.weight_decay",
        sign: conditions::value_overfitting,
    },
    Alarm {
        name: "value_astray",
        hint: "with value_overfitting, the settings for that alarm; without it, lower \
               learner.learning_rate, or lower replay.window to train on newer games",
        sign: conditions::value_astray,
    },
    Alarm {
        name: "draw_death",
        hint: "set search.draw_value below 0, so that both sides avoid draws; raise \
               selfplay.opening_plies, selfplay.opening_floor, selfplay.restart_share or \
               selfplay.placement_share, so that games start from positions that can be won; a \
               game that is drawn by good play says so by `Listing::drawn`",
        sign: conditions::draw_death,
    },
    Alarm {
        name: "games_alike",
        hint: "raise selfplay.opening_plies, selfplay.opening_floor, selfplay.restart_share, \
               selfplay.placement_share or selfplay.temperature_plies",
        sign: conditions::games_alike,
    },
    Alarm {
        name: "games_cut",
        hint: "set search.draw_value below 0, so that both sides avoid draws; or start a new run \
               with a larger rules.max_plies; in Checkers Gomoku, with a lower \
               rules.no_capture_limit or with rules.cap_result = \"material\"",
        sign: conditions::games_cut,
    },
    Alarm {
        name: "loss_rising",
        hint: "lower learner.learning_rate, or raise replay.window so that the training data \
               change more slowly",
        sign: conditions::loss_rising,
    },
    Alarm {
        name: "gradient_exploding",
        hint: "lower learner.learning_rate or learner.clip_norm",
        sign: conditions::gradient_exploding,
    },
];

/// The alarm of this name; `None` for those of other versions.
pub(crate) fn named(name: &str) -> Option<&'static Alarm> {
    ALARMS.iter().find(|alarm| alarm.name == name)
}

/// The names of the alarms in force after the iteration of a state.
pub(crate) fn names_in(state: &RunState) -> Vec<&str> {
    let learn = state.metrics.iter().find(|line| line["phase"] == "learn");
    let names = learn.and_then(|line| line["alarms"].as_array()).into_iter().flatten();
    names.filter_map(Value::as_str).collect()
}

/// The alarms that games drawn by good play would raise.
const OF_DRAWS: [&str; 2] = ["draw_death", "games_alike"];

/// A change of an alarm, to be printed.
#[derive(Clone, Debug)]
pub(crate) struct Notice {
    /// The alarm.
    pub alarm: Alarm,
    /// Whether it was raised; false if it is over.
    pub is_raised: bool,
    /// The measured values and their iterations.
    pub seen: String,
}

/// The result of checking all alarms.
#[derive(Clone, Debug, Default)]
pub(crate) struct AlarmReport {
    /// The names of the alarms in force.
    pub in_force: Vec<&'static str>,
    /// The alarms that were raised or ended by the newest iteration.
    pub changes: Vec<Notice>,
}

/// Checks all alarms for the newest iteration.
pub(crate) fn check(history: &History) -> AlarmReport {
    let rows = history.rows();
    let before = rows.iter().rev().nth(1).map(Row::alarms).unwrap_or_default();
    let mut report = AlarmReport::default();
    for &alarm in ALARMS {
        let was_in_force = before.contains(&alarm.name);
        // Without a sign the alarm stays as it was.
        let sign = (alarm.sign)(rows);
        // Games that are drawn by good play are alike, too.
        let is_expected = history.draws_are_good() && OF_DRAWS.contains(&alarm.name);
        let decide = |sign: &Sign| {
            let reached = if was_in_force { sign.keeps } else { sign.raises };
            reached && !is_expected
        };
        let is_in_force = sign.as_ref().map_or(was_in_force, decide);
        if is_in_force {
            report.in_force.push(alarm.name);
        }
        if let Some(Sign { seen, .. }) = sign.filter(|_| is_in_force != was_in_force) {
            report.changes.push(Notice { alarm, is_raised: is_in_force, seen });
        }
    }
    report
}
