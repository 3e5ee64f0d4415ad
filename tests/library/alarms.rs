//! Alarms: what raises and ends them, and that healthy runs raise none.

use std::collections::BTreeSet;
use std::fs;

use serde_json::{Map, Value, json};

use crate::train::alarms::{ALARMS, AlarmReport, History, check};

/// The metrics of an iteration.
type Numbers = Map<String, Value>;

const SELFPLAY: [&str; 6] =
    ["games", "bootstrap", "draws", "cut_short", "distinct_games", "distinct_positions"];

/// A healthy iteration in the middle of a run.
fn healthy() -> Numbers {
    let numbers = json!({
        "games": 256, "draws": 0.1, "cut_short": 0.0, "distinct_games": 0.97,
        "distinct_positions": 0.8, "policy_loss": 1.3, "value_loss": 0.6,
        "fresh_policy_loss": 1.2, "fresh_value_loss": 0.62, "entropy": 1.3, "gradient_norm": 1.2,
    });
    let Value::Object(numbers) = numbers else { unreachable!() };
    numbers
}

/// A healthy run of a number of iterations.
fn healthy_run(iterations: usize) -> Vec<Numbers> {
    vec![healthy(); iterations]
}

/// A healthy run, except that a key has these values in the last iterations.
fn ending(iterations: usize, key: &str, values: &[f64]) -> Vec<Numbers> {
    let mut run = healthy_run(iterations);
    for (row, &value) in run[iterations - values.len()..].iter_mut().zip(values) {
        row.insert(key.into(), value.into());
    }
    run
}

/// The two lines of an iteration, as in `metrics.jsonl`.
fn lines(iteration: u64, numbers: &Numbers) -> [Value; 2] {
    let (mut selfplay, mut learn) = (
        json!({ "iteration": iteration, "phase": "selfplay", "seconds": 1.0 }),
        json!({ "iteration": iteration, "phase": "learn", "seconds": 2.0 }),
    );
    for (key, value) in numbers {
        let line = if SELFPLAY.contains(&key.as_str()) { &mut selfplay } else { &mut learn };
        line[key] = value.clone();
    }
    [selfplay, learn]
}

/// A change: the iteration, the alarm, and whether it was raised.
type Change = (u64, &'static str, bool);

/// The changes of the alarms of a run; asserts that a run that is resumed from the metrics file
/// after each iteration reports the same.
fn changes(run: &[Numbers]) -> Vec<Change> {
    let (mut history, mut file) = (History::default(), Vec::new());
    let mut changes = Vec::new();
    for (iteration, numbers) in (1..).zip(run) {
        let [selfplay, mut learn] = lines(iteration, numbers);
        let mut resumed = History::read(&file, iteration - 1);
        resumed.add(iteration, selfplay.clone(), learn.clone());
        history.add(iteration, selfplay.clone(), learn.clone());
        let report = check(&history);
        assert_eq!(said(&check(&resumed)), said(&report), "iteration {iteration}");
        let raised =
            report.changes.iter().map(|notice| (iteration, notice.alarm.name, notice.is_raised));
        changes.extend(raised);
        learn["alarms"] = json!(report.in_force);
        history.set_alarms(report.in_force);
        file.extend([selfplay, learn]);
    }
    changes
}

fn said(report: &AlarmReport) -> (Vec<&'static str>, Vec<String>) {
    (report.in_force.clone(), report.changes.iter().map(|notice| notice.seen.clone()).collect())
}

/// Asserts that a run has exactly these changes of alarms.
#[track_caller]
fn assert_changes(run: &[Numbers], expected: &[Change]) {
    assert_eq!(changes(run), expected);
}

/// The text of an alarm that the last iteration raises.
fn seen(run: &[Numbers], name: &str) -> String {
    let mut history = History::default();
    for (iteration, numbers) in (1..).zip(run) {
        let [selfplay, learn] = lines(iteration, numbers);
        history.add(iteration, selfplay, learn);
    }
    let report = check(&history);
    let notice = report.changes.iter().find(|notice| notice.alarm.name == name);
    notice.unwrap_or_else(|| panic!("{name} is not raised: {report:?}")).seen.clone()
}

// ---- single alarms ----

#[test]
fn a_healthy_run_raises_none() {
    assert_changes(&healthy_run(60), &[]);
}

#[test]
fn draws_raise_an_alarm_until_they_are_fewer() {
    let mut run = ending(12, "draws", &[0.5, 0.6, 0.5, 0.6, 0.6]);
    assert_changes(&run, &[(12, "draw_death", true)]);
    assert_eq!(seen(&run, "draw_death"), "56% of the games of iterations 8 to 12 were drawn");
    // The average of five is 45 %, then 39 %.
    run.extend(ending(3, "draws", &[0.3, 0.25, 0.2]));
    assert_changes(&run, &[(12, "draw_death", true), (15, "draw_death", false)]);
    assert_changes(&ending(12, "draws", &[0.9]), &[]);
    assert_changes(&ending(12, "draws", &[0.49; 9]), &[]);
}

#[test]
fn bootstrap_iterations_raise_none() {
    let mut run = ending(12, "draws", &[0.6; 12]);
    run[..8].iter_mut().for_each(|row| drop(row.insert("bootstrap".into(), true.into())));
    assert_changes(&run, &[]);
    let drawn = run[11].clone();
    run.push(drawn);
    assert_changes(&run, &[(13, "draw_death", true)]);
    assert!(seen(&run, "draw_death").contains("iterations 9 to 13"));
}

#[test]
fn a_value_loss_far_above_that_of_training_raises_an_alarm() {
    let overfitted = [0.8, 0.76, 0.9, 0.8];
    let run = ending(12, "fresh_value_loss", &overfitted);
    assert_changes(&run, &[(12, "value_overfitting", true)]);
    assert_eq!(
        seen(&run, "value_overfitting"),
        "the value loss is 0.81 on new games and 0.60 in training in iterations 9 to 12"
    );
    // It is over when none of four iterations is above the limit.
    let mut run = ending(12, "fresh_value_loss", &overfitted);
    run.extend(ending(5, "fresh_value_loss", &[0.6, 0.62, 0.71, 0.62, 0.6]));
    assert_changes(&run, &[(12, "value_overfitting", true)]);
    run.extend(healthy_run(2));
    assert_changes(&run, &[(12, "value_overfitting", true), (19, "value_overfitting", false)]);
    // A single high loss is no overfitting.
    assert_changes(&ending(12, "fresh_value_loss", &[3.0]), &[]);
    assert_changes(&ending(12, "fresh_value_loss", &[3.0, 3.0, 3.0, 0.7]), &[]);
}

#[test]
fn a_value_loss_above_the_baseline_raises_an_alarm() {
    // With 10% draws: -0.1 ln 0.1 - 0.9 ln 0.45 = 0.95.
    let mut run = healthy_run(8);
    for row in &mut run[4..] {
        row.insert("value_loss".into(), 1.0.into());
        row.insert("fresh_value_loss".into(), 1.06.into());
        row.insert("policy_loss".into(), 1.0.into());
    }
    assert_changes(&run, &[(8, "value_astray", true)]);
    assert_eq!(
        seen(&run, "value_astray"),
        "the value loss on new games is 1.06 in iterations 5 to 8; the baseline that predicts only \
         their share of draws, 10%, has 0.95"
    );
    for row in &mut run[4..] {
        row.insert("fresh_value_loss".into(), 1.04.into());
    }
    assert_changes(&run, &[]);
    // Without draws the baseline is ln 2.
    for row in &mut run[4..] {
        row.insert("fresh_value_loss".into(), 0.3.into());
        row.insert("draws".into(), 0.0.into());
    }
    assert_changes(&run, &[]);
}

#[test]
fn few_distinct_games_or_positions_raise_an_alarm() {
    let games = ending(12, "distinct_games", &[0.44, 0.5, 0.55]);
    assert_changes(&games, &[(12, "games_alike", true)]);
    assert_eq!(
        seen(&games, "games_alike"),
        "50% of the games of iterations 10 to 12 are distinct, and 80% of their positions"
    );
    let mut positions = ending(12, "distinct_positions", &[0.19, 0.18, 0.2]);
    assert_changes(&positions, &[(12, "games_alike", true)]);
    positions.extend(ending(3, "distinct_positions", &[0.24, 0.24, 0.24]));
    assert_changes(&positions, &[(12, "games_alike", true)]);
    positions.extend(healthy_run(1));
    assert_changes(&positions, &[(12, "games_alike", true), (16, "games_alike", false)]);
    assert_changes(&ending(12, "distinct_games", &[0.55; 6]), &[]);
}

#[test]
fn games_ended_by_max_plies_raise_an_alarm() {
    let run = ending(9, "cut_short", &[0.1, 0.2, 0.3, 0.2, 0.2]);
    assert_changes(&run, &[(9, "games_cut", true)]);
    assert_eq!(
        seen(&run, "games_cut"),
        "20% of the games of iterations 5 to 9 were ended by max_plies"
    );
    assert_changes(&ending(9, "cut_short", &[0.15; 5]), &[]);
}

#[test]
fn rising_losses_raise_an_alarm() {
    // The lowest sum is 1.9; 2.375 is a quarter above it.
    let run = ending(40, "policy_loss", &[1.5, 1.6, 1.7, 1.75, 1.8, 1.8, 1.8, 1.8]);
    assert_changes(&run, &[(40, "loss_rising", true)]);
    assert_eq!(
        seen(&run, "loss_rising"),
        "the sum of policy and value loss in training is 2.39 in iterations 36 to 40, up from 1.90 \
         in iterations 16 to 20"
    );
    assert_changes(&ending(40, "policy_loss", &[1.7; 20]), &[]);
    // Older iterations are dropped, so a loss that stays high becomes the new level.
    let mut run = ending(40, "policy_loss", &[1.9; 10]);
    run.extend(ending(20, "policy_loss", &[1.9; 20]));
    assert_changes(&run, &[(34, "loss_rising", true), (53, "loss_rising", false)]);
}

#[test]
fn exploding_gradients_raise_an_alarm() {
    let run = ending(20, "gradient_norm", &[2.0, 3.0, 4.0, 4.5]);
    assert_changes(&run, &[(20, "gradient_exploding", true)]);
    assert_eq!(
        seen(&run, "gradient_exploding"),
        "the norm of the gradient is 3.8 in iterations 18 to 20, up from 1.2 in iterations 1 to 3"
    );
    assert_changes(&ending(20, "gradient_norm", &[2.0, 2.5, 3.0, 3.5]), &[]);
    // A large norm at the beginning of a run that falls is normal.
    let mut run = healthy_run(20);
    run[0].insert("gradient_norm".into(), 30.0.into());
    assert_changes(&run, &[]);
}

#[test]
fn low_entropy_of_the_policy_raises_an_alarm_early_in_a_run_only() {
    assert_changes(&ending(10, "entropy", &[0.09, 0.1, 0.1]), &[(10, "policy_collapse", true)]);
    assert_eq!(
        seen(&ending(10, "entropy", &[0.09, 0.1, 0.1]), "policy_collapse"),
        "the entropy of the network's policy is 0.10 nats in iterations 8 to 10"
    );
    assert_changes(&ending(25, "entropy", &[0.09, 0.1, 0.1]), &[]);
    // Once raised, it stays in force.
    let mut run = ending(10, "entropy", &[0.09, 0.1, 0.1]);
    run.extend(ending(20, "entropy", &[0.12; 20]));
    assert_changes(&run, &[(10, "policy_collapse", true)]);
}

#[test]
fn falling_entropy_with_a_rising_fresh_loss_raises_an_alarm() {
    let collapse = |fresh: f64| {
        let mut run = ending(40, "entropy", &[1.0, 0.8, 0.6, 0.6, 0.6]);
        run[37..].iter_mut().for_each(|row| {
            row.insert("fresh_policy_loss".into(), fresh.into());
        });
        run
    };
    assert_changes(&collapse(1.4), &[(40, "policy_collapse", true)]);
    assert_eq!(
        seen(&collapse(1.4), "policy_collapse"),
        "the entropy of the network's policy has fallen from 1.30 nats in iterations 28 to 30 to \
         0.60 in iterations 38 to 40, and its loss on new games has risen from 1.20 to 1.40"
    );
    // With a falling loss, low entropy is progress.
    assert_changes(&collapse(0.6), &[]);
    // A slow fall of the entropy is normal.
    let entropies: Vec<f64> = (0..40).map(|step| 1.3 - 0.025 * f64::from(step)).collect();
    let mut run = ending(60, "entropy", &entropies);
    run[50..].iter_mut().for_each(|row| {
        row.insert("fresh_policy_loss".into(), 1.3.into());
    });
    assert_changes(&run, &[]);
}

// ---- missing and invalid metrics ----

#[test]
fn too_few_games_or_iterations_raise_none() {
    let mut few = ending(9, "draws", &[0.6; 9]);
    few.iter_mut().for_each(|row| {
        row.insert("games".into(), 19.into());
    });
    assert_changes(&few, &[]);
    assert_changes(&ending(4, "draws", &[0.6; 4]), &[]);
    few.iter_mut().for_each(|row| {
        row.insert("games".into(), 20.into());
    });
    assert_changes(&few, &[(5, "draw_death", true)]);
}

#[test]
fn missing_keys_and_nulls_neither_raise_nor_end_alarms() {
    for key in healthy().keys() {
        let mut run = healthy_run(30);
        run.iter_mut().for_each(|row| {
            row.remove(key);
        });
        assert_changes(&run, &[]);
        run.iter_mut().for_each(|row| {
            row.insert(key.clone(), Value::Null);
        });
        assert_changes(&run, &[]);
    }
    let mut run = ending(12, "draws", &[0.6; 5]);
    run.extend(healthy_run(10));
    run[12..].iter_mut().for_each(|row| {
        row.insert("draws".into(), Value::Null);
    });
    assert_changes(&run, &[(11, "draw_death", true)]);
}

#[test]
fn invalid_lines_are_skipped() {
    let [selfplay, learn] = lines(1, &healthy());
    let odd = [
        json!(null),
        json!(3),
        json!({ "iteration": "x", "phase": "learn" }),
        json!({ "iteration": 0, "phase": "evaluation" }),
        json!({ "iteration": 1, "phase": 7 }),
        json!({ "iteration": 2, "phase": "selfplay" }),
        json!({ "phase": "learn" }),
        json!([1, 2]),
    ];
    let mut history = History::read(&[&odd[..], &[selfplay, learn], &odd[..]].concat(), 9);
    for (iteration, numbers) in (2..).zip(ending(20, "draws", &[0.6; 5])) {
        let [selfplay, learn] = lines(iteration, &numbers);
        history.add(iteration, selfplay, learn);
    }
    assert_eq!(check(&history).in_force, ["draw_death"]);
    assert_eq!(said(&check(&History::default())), (Vec::new(), Vec::new()));
}

#[test]
fn draws_of_a_game_that_is_drawn_by_good_play_are_no_alarm() {
    let number = |(key, value): (&str, f64)| (key.to_owned(), json!(value));
    let alike = [("draws", 0.9), ("distinct_games", 0.1), ("distinct_positions", 0.1)];
    let losses = [("value_loss", 0.3), ("fresh_value_loss", 0.3)];
    let row: Numbers =
        healthy().into_iter().chain(alike.map(number)).chain(losses.map(number)).collect();
    let file: Vec<Value> = (1..9).flat_map(|iteration| lines(iteration, &row)).collect();
    let in_force = |drawn| check(&History::read(&file, 8).of_game(drawn)).in_force;
    assert_eq!(in_force(false), ["draw_death", "games_alike"]);
    assert_eq!(in_force(true), Vec::<&str>::new());
    // Games that are alike and not drawn are none of good play.
    let row: Numbers = row.into_iter().chain([number(("draws", 0.1))]).collect();
    let file: Vec<Value> = (1..9).flat_map(|iteration| lines(iteration, &row)).collect();
    assert_eq!(check(&History::read(&file, 8).of_game(true)).in_force, ["games_alike"]);
}

#[test]
fn the_later_lines_of_a_run_that_was_reset_count() {
    let bad = ending(10, "draws", &[0.9; 10]);
    let mut file: Vec<Value> =
        (1..).zip(&bad).flat_map(|(iteration, row)| lines(iteration, row)).collect();
    // The run was reset to iteration 4 and is healthy from then on.
    file.extend((5..9).flat_map(|iteration| lines(iteration, &healthy())));
    let mut history = History::read(&file, 8);
    let [selfplay, learn] = lines(9, &healthy());
    history.add(9, selfplay, learn);
    assert!(check(&history).in_force.is_empty());
    // The old lines of iterations 9 and 10 do not count either.
    assert_eq!(check(&History::read(&file, 10)).in_force, Vec::<&str>::new());
}

#[test]
fn every_alarm_has_a_unique_name_and_a_hint_with_settings() {
    let names: BTreeSet<&str> = ALARMS.iter().map(|alarm| alarm.name).collect();
    assert_eq!(names.len(), ALARMS.len());
    for alarm in ALARMS {
        assert!(
            ["selfplay.", "replay.", "learner.", "rules."]
                .iter()
                .any(|table| alarm.hint.contains(table))
        );
    }
}

// ---- recorded runs ----

/// The metrics of a recorded run, from a CSV file in `tests/metrics`.
fn recorded(name: &str) -> Vec<Numbers> {
    let path = format!("{}/tests/metrics/{name}.csv", env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines();
    let keys: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let cells = keys.iter().zip(line.split(',')).filter(|(_, number)| !number.is_empty());
        let cells = cells.filter(|(key, _)| **key != "iteration");
        cells
            .map(|(&key, number)| (key.to_owned(), number.parse::<f64>().unwrap().into()))
            .collect()
    };
    lines.map(row).collect()
}

#[test]
fn healthy_recorded_runs_raise_none() {
    for name in ["neutron5", "susan", "connect_four_healthy"] {
        assert_changes(&recorded(name), &[]);
    }
}

/// The run is of an earlier version, with fewer metrics.
#[test]
fn connect_four_that_drifted_into_draws_raises_alarms() {
    assert_changes(
        &recorded("connect_four_narrow"),
        &[
            (49, "loss_rising", true),
            (59, "loss_rising", false),
            (91, "draw_death", true),
            (98, "draw_death", false),
        ],
    );
}

#[test]
fn connect_four_with_a_high_value_loss_on_new_games_raises_alarms() {
    assert_changes(
        &recorded("connect_four"),
        &[
            (4, "value_overfitting", true),
            (4, "value_astray", true),
            (14, "value_astray", false),
            (84, "draw_death", true),
            (86, "value_overfitting", false),
            (99, "value_overfitting", true),
            (99, "draw_death", false),
        ],
    );
}

#[test]
fn coneutron_with_repeated_long_games_raises_an_alarm() {
    assert_changes(&recorded("coneutron5"), &[(99, "games_alike", true)]);
}

#[test]
fn drawn_tic_tac_toe_raises_an_alarm() {
    assert_changes(&recorded("tic_tac_toe"), &[(9, "draw_death", true)]);
}

#[test]
fn entropy_with_games_cut_short_raises_an_alarm() {
    assert_changes(&recorded("entropy"), &[(5, "games_cut", true)]);
}
