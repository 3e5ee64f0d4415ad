//! Trainings of a given time, by a config or planned by the program.

#![cfg(feature = "net")]

use std::fs;

use serde_json::Value;

use crate::common::cli::run;
use crate::common::run::Setup;

/// A config of short iterations, with a learning rate that falls to a tenth.
const SMALL: &str = "
game = 'tic_tac_toe'
iterations = 1000000
network = { channels = 4, blocks = 1, value_hidden = 8 }
selfplay = { games = 8, simulations = 4 }
replay = { window = 100 }
learner = { batch = 8, warmup_steps = 0 }
evaluation = { every = 0 }
";

/// The learning rates of the iterations of a run.
fn rates(setup: &Setup) -> Vec<f64> {
    let text = fs::read_to_string(setup.path("metrics.jsonl")).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    lines.filter_map(|line| line["learning_rate"].as_f64()).collect()
}

fn iterations(setup: &Setup) -> u64 {
    let config = fs::read_to_string(setup.path("config.toml")).unwrap();
    let line = config.lines().find_map(|line| line.strip_prefix("iterations = "));
    line.unwrap().parse().unwrap()
}

#[test]
fn the_schedule_spans_the_time_and_more_time_goes_on_where_it_would_be() {
    let setup = Setup::new(SMALL);
    let said = setup.train(&["--time", "3s"]).succeeded().stdout;
    assert!(said.contains("training tic_tac_toe") && said.contains("0:03 in all"), "{said}");
    assert!(said.contains("time is up: ") && said.contains("--time +3s"), "{said}");
    let first = rates(&setup);
    assert!(first.len() > 5, "{said}");
    assert!(first[0] > 0.009 && first.is_sorted_by(|a, b| a >= b), "{first:?}");
    assert!(*first.last().unwrap() < 0.0015, "{first:?}");
    assert_eq!(iterations(&setup), first.len() as u64, "the config is as long as the run was");

    // The time that it had is over, but for what the start of the process took.
    let said = setup.train(&["--time", "3s"]).succeeded().stdout;
    assert!(said.contains("time is up: ") && !said.contains("settings changed"), "{said}");
    let first = rates(&setup);
    assert!(*first.last().unwrap() < 0.0015, "{first:?}");
    let said = setup.train(&["--time", "+27s", "--iterations", &format!("{}", first.len() + 3)]);
    assert!(said.succeeded().stdout.contains("done: "));
    let all = rates(&setup);
    assert_eq!(all.len(), first.len() + 3);
    assert!(all[first.len()] > 0.009, "a tenth of the time is done: {all:?}");
}

#[test]
fn a_game_and_a_time_are_enough() {
    let setup = Setup::new("");
    let folder = setup.run().display().to_string();
    let train = |arguments: &[&str]| run(&[&["train", "--run", &folder], arguments].concat());
    train(&["--game", "tic_tac_toe"]).refused(2, "say how long the training may take");
    train(&["--game", "tictactoe", "--time", "5s"]).refused(2, "did you mean `tic_tac_toe`?");
    assert!(!setup.run().exists());

    let planned = ["--game", "tic_tac_toe", "--time", "15s", "--seed", "3"];
    let done = train(&planned);
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    assert!(done.stderr.contains("looking at tic_tac_toe"), "{}", done.stderr);
    assert!(done.stdout.contains("time is up: "), "{}", done.stdout);
    // What it is worth is said, kept and told again.
    let worth = ["tic_tac_toe: trained for ", "  against uct?rollouts=", " proven positions ("];
    assert!(worth.iter().all(|part| done.stdout.contains(part)), "{}", done.stdout);
    let card = run(&["card", &folder]).well().stdout;
    assert!(done.stdout.contains(card.trim_end()), "{card} is not in {}", done.stdout);
    let card = run(&["card", &folder, "--json"]).well().json();
    let kept = fs::read_to_string(setup.path("card.json")).unwrap();
    assert_eq!(card[0], serde_json::from_str::<Value>(&kept).unwrap());
    let plan = fs::read_to_string(setup.path("plan.toml")).unwrap();
    assert!(plan.contains("channels = ") && plan.contains("   # "), "{plan}");
    let config = fs::read_to_string(setup.path("config.toml")).unwrap();
    assert!(config.contains("seed = 3"), "{config}");

    // The same command resumes it, and the plan is a config.
    let done = train(&planned);
    assert!(done.stdout.contains("resuming tic_tac_toe"), "{} {}", done.stdout, done.stderr);
    // A preset is another config.
    let said = train(&["tic_tac_toe"]);
    said.refused(2, "is a run that the program planned; resume it by `tavoliere train");
    // A folder may be called like a player without a network.
    let again = setup.path("random2").display().to_string();
    let plan = setup.path("plan.toml").display().to_string();
    let done = run(&["train", &plan, "--run", &again, "--iterations", "1"]).well();
    let has = |part: &str| done.stdout.contains(part);
    assert!(has("done: 1 of 1") && has("tic_tac_toe: trained for"), "{}", done.stdout);
}

#[test]
fn a_planned_training_does_not_go_on_with_the_run_of_a_config() {
    let setup = Setup::new(SMALL);
    setup.train(&["--iterations", "1"]).succeeded();
    let folder = setup.run().display().to_string();
    let said = run(&["train", "--game", "tic_tac_toe", "--time", "5s", "--run", &folder]);
    said.refused(2, "is a run of a config that was not planned; name another folder with --run");
}

/// The network of the player that ships has two blocks.
#[test]
fn a_plan_has_the_network_whose_weights_it_starts_from() {
    let setup = Setup::new("");
    let folder = setup.run().display().to_string();
    let train = |game: &str| {
        let from = ["--set", "init_from=tic_tac_toe"];
        run(&[&["train", "--game", game, "--time", "3s", "--run", &folder], &from[..]].concat())
    };
    train("breakthrough6").refused(2, "cannot start from the weights of `tic_tac_toe`");
    assert!(!setup.run().exists());
    let done = train("tic_tac_toe");
    assert_eq!(done.status, Some(0), "{}", done.stderr);
    assert!(done.stdout.contains("starting from the weights of tic_tac_toe"), "{}", done.stdout);
    let plan = fs::read_to_string(setup.path("plan.toml")).unwrap();
    let lines = [
        "init_from = \"tic_tac_toe\"   # set by hand",
        "channels = 16   # ",
        "blocks = 2   # as in the network that it starts from",
    ];
    assert!(lines.iter().all(|line| plan.contains(line)), "{plan}");
}
