//! Runs that start from the weights of another run.

#![cfg(feature = "net")]

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::run::{PROGRAM, Setup, done};

/// A config for a few seconds of training.
fn config(game: &str) -> String {
    format!(
        "
game = '{game}'
iterations = 2
network = {{ channels = 4, blocks = 2, value_hidden = 4 }}
selfplay = {{ games = 2, simulations = 2 }}
learner = {{ batch = 16 }}
evaluation = {{ every = 0 }}
"
    )
}

/// The spec of a checkpoint of a run.
fn of(setup: &Setup, iteration: u64) -> String {
    format!("{}@{iteration}", setup.run().display())
}

/// A finished run of a game.
fn trained(game: &str) -> Setup {
    let setup = Setup::new(&config(game));
    setup.train(&[]).succeeded();
    setup
}

/// The setting that starts a run from a checkpoint.
fn from(name: &str) -> String {
    format!("init_from={name}")
}

fn weights(setup: &Setup, iteration: u64) -> Vec<u8> {
    fs::read(setup.path(&format!("{iteration:06}/weights.bpk"))).unwrap()
}

#[test]
fn a_run_copies_its_initial_weights_and_resumes_without_their_source() {
    let source = trained("neutron5");
    let name = of(&source, 2);
    let setup = Setup::new(&config("neutron5"));
    let arguments = ["--set", &from(&name)];
    let said = setup.train(&[&arguments[..], &["--iterations", "1"]].concat()).succeeded().stdout;
    assert!(said.contains(&format!(", starting from the weights of {name}")), "{said}");
    assert!(weights(&setup, 0) == weights(&source, 2), "the very same bytes");
    assert!(weights(&setup, 1) != weights(&setup, 0), "training changes them");
    let info: Value = serde_json::from_slice(&fs::read(setup.path("run.json")).unwrap()).unwrap();
    assert_eq!(info["init_from"], name);
    let kept = fs::read_to_string(setup.path("config.toml")).unwrap();
    assert!(kept.contains(&format!("init_from = {:?}", name)), "{kept}");

    // The games are the same as those of a run whose source still exists.
    let whole = Setup::new(&config("neutron5"));
    whole.train(&arguments).succeeded();
    drop(source);
    setup.train(&arguments).succeeded();
    assert!(weights(&setup, 2) == weights(&whole, 2));
}

#[test]
fn a_run_killed_before_its_first_checkpoint_still_starts_from_the_weights() {
    let source = trained("neutron5");
    let setup = Setup::new(&config("neutron5"));
    let name = from(&of(&source, 1));
    setup.train(&["--set", &name, "--time", "0s"]).succeeded();
    for file in ["latest", "000000/weights.bpk", "000000/checksums.json"] {
        fs::remove_file(setup.path(file)).unwrap();
    }
    setup.train(&["--set", &name, "--time", "0s"]).succeeded();
    assert!(weights(&setup, 0) == weights(&source, 1));
}

#[test]
fn weights_fit_games_with_the_same_planes_and_actions_on_any_board() {
    let source = trained("neutron5");
    for game in ["neutron5_single", "coneutron5", "neutron7"] {
        let setup = Setup::new(&config(game));
        setup.train(&["--set", &from(&of(&source, 2))]).succeeded();
        assert!(weights(&setup, 0) == weights(&source, 2), "{game}");
    }
}

/// Asserts that training is refused with these words and does not create a run.
#[track_caller]
fn refused(game: &str, name: &str, arguments: &[&str], words: &[&str]) {
    let setup = Setup::new(&config(game));
    let from = from(name);
    let done = setup.train(&[&["--set", &from][..], arguments].concat());
    done.failed(1, &[&["`init_from`: cannot start from the weights of", name][..], words].concat());
    assert!(!setup.run().exists(), "a run was created");
}

#[test]
fn another_network_or_game_is_refused() {
    let source = trained("neutron5");
    let newest = of(&source, 2);
    refused(
        "neutron5",
        &newest,
        &["--set", "network.channels=5"],
        &["\"channels\":4", "\"channels\":5"],
    );
    refused("neutron5", &newest, &["--set", "network.blocks=1"], &["\"blocks\":2", "\"blocks\":1"]);
    refused(
        "neutron5",
        &newest,
        &["--set", "network.global_pooling=false"],
        &["\"global_pooling\":true", "\"global_pooling\":false"],
    );
    refused("connect_four", &newest, &[], &["16 planes of neutron5", "connect_four have 2"]);
    // The same number of planes, but other actions.
    let source = trained("tic_tac_toe");
    let kinds = ["the actions of tic_tac_toe differ in kind"];
    refused("breakthrough6", &of(&source, 1), &[], &kinds);
}

#[test]
fn missing_damaged_or_unnumbered_checkpoints_are_refused() {
    let source = trained("tic_tac_toe");
    let folder = source.run().display().to_string();
    refused(
        "tic_tac_toe",
        &folder,
        &[],
        &["name the checkpoint with its iteration", &of(&source, 2)],
    );
    refused("tic_tac_toe", &format!("{folder}@9"), &[], &["has no checkpoint 9", "0 to 2"]);
    refused(
        "tic_tac_toe",
        &format!("{folder}@best"),
        &[],
        &["no network of the run has been evaluated", "RUN@120, or leave out @best"],
    );
    refused("tic_tac_toe", &format!("{folder}@x"), &[], &["`@x`: expected an iteration"]);
    refused("tic_tac_toe", "nowhere@3", &[], &["there is no run in nowhere"]);
    let path = source.path("000001/weights.bpk");
    fs::write(&path, b"damaged").unwrap();
    refused("tic_tac_toe", &of(&source, 1), &[], &["weights.bpk is truncated or damaged"]);
}

#[test]
fn a_run_starts_from_an_exported_player() {
    let source = trained("neutron5");
    let player = source.config().with_file_name("player");
    let mut export = Command::new(PROGRAM);
    export.arg("export").arg(of(&source, 2)).arg("--output").arg(&player);
    done(&mut export).succeeded();
    let player = player.to_str().unwrap();
    // On the larger board the norms have other statistics; the weights are the same.
    for game in ["neutron5", "neutron7"] {
        let setup = Setup::new(&config(game));
        let said = setup.train(&["--set", &from(player), "--iterations", "1"]).succeeded().stdout;
        assert!(said.contains(&format!(", starting from the weights of {player}")), "{said}");
        let again = setup.config().with_file_name("again");
        let mut export = Command::new(PROGRAM);
        export.arg("export").arg(of(&setup, 0)).arg("--output").arg(&again);
        done(&mut export).succeeded();
        assert_near(&tensors(Path::new(player)), &tensors(&again));
    }
    refused("connect_four", player, &[], &["16 planes of neutron5", "connect_four have 2"]);
    let wide = ["--set", "network.channels=5"];
    refused("neutron5", player, &wide, &["\"channels\":4", "set those of [network] alike"]);
}

/// The weights of an exported player in full precision, behind the header of their file.
fn tensors(player: &Path) -> Vec<f32> {
    let file = fs::read(player.join("model.safetensors")).unwrap();
    let (length, rest) = file.split_first_chunk::<8>().unwrap();
    let numbers = &rest[u64::from_le_bytes(*length) as usize..];
    numbers.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
}

#[track_caller]
fn assert_near(found: &[f32], expected: &[f32]) {
    assert_eq!(found.len(), expected.len());
    let far = found.iter().zip(expected).find(|(a, b)| (*a - *b).abs() > 1e-4 * (1.0 + b.abs()));
    assert_eq!(far, None);
}

#[test]
fn a_run_refuses_to_resume_with_another_init_from() {
    let source = trained("tic_tac_toe");
    let started = Setup::new(&config("tic_tac_toe"));
    started.train(&["--set", &from(&of(&source, 2)), "--iterations", "1"]).succeeded();
    started.train(&[]).failed(1, &["started with init_from", &of(&source, 2), "--run DIR"]);
    let own = trained("tic_tac_toe");
    let arguments = ["--set", &from(&of(&source, 2))];
    own.train(&arguments).failed(1, &["started with init_from \"\", not with", "--run DIR"]);
    assert!(Path::new(&own.path("000002")).exists());
}
