//! Alarms: a training run that notices what goes wrong.
//!
//! After each iteration every alarm looks at the metrics of the newest iterations. Whether it is in
//! force is written into the metrics, and is read from there when a run goes on: nothing else is
//! kept. An alarm is raised at one limit and over at a lower one, so that it is not raised and
//! taken back with every iteration. Iterations that are bootstrapped, so that their games are not the
//! network's, are not looked at.

mod history;
mod signs;
mod stretch;

pub use history::History;

use history::Row;
use signs::Sign;

/// Something that can go wrong.
#[derive(Clone, Copy, Debug)]
pub struct Alarm {
    /// Its name in the metrics.
    pub name: &'static str,
    /// Which settings to change, and how.
    pub hint: &'static str,
    sign: fn(&[Row]) -> Option<Sign>,
}

/// All alarms.
pub const ALARMS: &[Alarm] = &[
    Alarm {
        name: "policy_collapse",
        hint: "lower learner.learning_rate or replay.reuse, and let games explore more by \
               selfplay.opening_floor, selfplay.opening_plies or selfplay.temperature_plies",
        sign: signs::policy_collapse,
    },
    Alarm {
        name: "value_overfitting",
        hint: "lower replay.reuse, raise selfplay.games, replay.search_value or \
               learner.weight_decay",
        sign: signs::value_overfitting,
    },
    Alarm {
        name: "value_astray",
        hint: "with value_overfitting, what helps against that; without it, lower \
               learner.learning_rate, or replay.window so that less is learnt from games of old",
        sign: signs::value_astray,
    },
    Alarm {
        name: "draw_death",
        hint: "set search.draw_value below 0, so that both sides risk something; raise \
               selfplay.opening_plies, selfplay.opening_floor or selfplay.restart_share, so that \
               games begin in positions that can be won; where a new run draws from the start, \
               selfplay.bootstrap_iterations; where best play is a draw, all is well",
        sign: signs::draw_death,
    },
    Alarm {
        name: "games_alike",
        hint: "raise selfplay.opening_plies, selfplay.opening_floor, selfplay.restart_share or \
               selfplay.temperature_plies",
        sign: signs::games_alike,
    },
    Alarm {
        name: "games_cut",
        hint: "set search.draw_value below 0, so that both sides risk something; or begin a new \
               run with a larger rules.max_plies; in Checkers Gomoku, a lower rules.no_capture_limit or rules.cap_result = \
               \"material\"",
        sign: signs::games_cut,
    },
    Alarm {
        name: "loss_rising",
        hint: "lower learner.learning_rate, or raise replay.window so that what is learnt from \
               changes more slowly",
        sign: signs::loss_rising,
    },
    Alarm {
        name: "gradient_exploding",
        hint: "lower learner.learning_rate or learner.clip_norm",
        sign: signs::gradient_exploding,
    },
];

/// A change worth a line to a person.
#[derive(Clone, Debug)]
pub struct Notice {
    /// The alarm.
    pub alarm: Alarm,
    /// Whether it has been raised, and not taken back.
    pub is_raised: bool,
    /// What was seen, with its numbers, and in which iterations.
    pub seen: String,
}

/// What all alarms say of an iteration.
#[derive(Clone, Debug, Default)]
pub struct Report {
    /// The names of those that are in force.
    pub in_force: Vec<&'static str>,
    /// What has changed since the iteration before.
    pub changes: Vec<Notice>,
}

/// What all alarms say of the newest iteration.
pub fn check(history: &History) -> Report {
    let rows = history.rows();
    let before = rows.iter().rev().nth(1).map(Row::alarms).unwrap_or_default();
    let mut report = Report::default();
    for &alarm in ALARMS {
        let was_in_force = before.contains(&alarm.name);
        // Where nothing can be said, all stays as it is.
        let sign = (alarm.sign)(rows);
        let decide = |sign: &Sign| if was_in_force { sign.keeps } else { sign.raises };
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
