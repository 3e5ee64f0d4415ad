//! Tests of devices: refusals of those that are unavailable, and runs whose state belongs to no
//! device.

#![cfg(feature = "net")]

use std::process::Command;

use crate::common::run::{Done, PROGRAM, Setup, done};

const SMALL: &str = "
game = 'tic_tac_toe'
iterations = 2
network = { channels = 4, blocks = 1, value_hidden = 8 }
selfplay = { games = 4, simulations = 4 }
learner = { batch = 8 }
";

/// Returns the accelerators that this program was built without.
fn missing() -> Vec<&'static str> {
    let built = [("cuda", cfg!(feature = "cuda")), ("wgpu", cfg!(feature = "wgpu"))];
    built.into_iter().filter(|(_, is_built)| !is_built).map(|(name, _)| name).collect()
}

fn refusal(device: &str) -> String {
    let feature = format!("cargo build --release --features {device}");
    format!("this program was built without {device}; rebuild it: {feature}")
}

fn program(arguments: &[&str]) -> Done {
    done(Command::new(PROGRAM).args(arguments))
}

#[test]
fn a_device_that_was_not_built_in_is_a_usage_error_that_begins_no_run() {
    for device in missing() {
        let setup = Setup::new(SMALL);
        setup.train(&["--device", device]).failed(2, &[&refusal(device)]);
        assert!(!setup.run().exists());
        for bench in ["inference", "selfplay", "training", "playouts"] {
            program(&["bench", bench, "--device", device]).failed(2, &[&refusal(device)]);
        }
    }
}

#[test]
fn a_player_is_put_on_a_device_by_its_name() {
    let setup = Setup::new(SMALL);
    setup.train(&[]).succeeded();
    let run = setup.run();
    let run = run.to_str().unwrap();
    for device in missing() {
        let player = format!("{run}?device={device}");
        program(&["selfplay", run, "--device", device]).failed(2, &[&player, &refusal(device)]);
        program(&["match", &player, "random"]).failed(2, &[&player, &refusal(device)]);
        program(&["play", &player]).failed(2, &[&refusal(device)]);
        program(&["analyze", "--player", &player]).failed(2, &[&refusal(device)]);
        let policy = format!("policy:{run}?device={device}");
        program(&["match", &policy, "random"]).failed(2, &[&refusal(device)]);
    }
    let on_cpu = ["selfplay", run, "--device", "cpu", "--games", "2", "--simulations", "4"];
    assert_eq!(program(&on_cpu).succeeded().stdout.lines().count(), 2);
    let player = format!("{run}?engine=burn");
    program(&["selfplay", &player, "--device", "tpu"]).failed(2, &["`tpu`", "cpu, cuda, wgpu"]);
    let error = ["unknown device `tpu`", "cpu, cuda, wgpu"];
    program(&["match", &format!("{run}?device=tpu"), "random"]).failed(2, &error);
}

#[test]
fn a_run_remembers_no_device_and_half_precision_plays() {
    let halves = ["bf16", "f16"];
    for half in halves {
        let setup = Setup::new(SMALL);
        let precision = format!("inference.precision={half}");
        let settings = ["--set", "inference.engine=burn", "--set", &precision];
        setup.train(&settings).succeeded();
        let config = std::fs::read_to_string(setup.path("config.toml")).unwrap();
        assert!(config.contains(&format!("precision = \"{half}\"")), "{config}");
        assert!(!config.contains("device"), "{config}");
    }
    Setup::new(SMALL).train(&["--set", "inference.precision=f8"]).failed(2, &["`f8`", "bf16"]);
}

/// A device that is built in may be missing. That is an error and must not panic.
#[test]
fn a_device_that_was_built_in_works_or_is_a_usage_error() {
    for name in ["cpu", "cuda", "wgpu"].into_iter().filter(|name| !missing().contains(name)) {
        let setup = Setup::new(SMALL);
        let done = setup.train(&["--device", name]);
        if name == "cpu" || done.status == Some(0) {
            done.succeeded();
            continue;
        }
        let error = format!("no {name} device: ");
        let (_, reason) = done.stderr.split_once(&error).unwrap_or_else(|| panic!("{done:?}"));
        assert!(!reason.trim().is_empty(), "{done:?}");
        done.failed(2, &[&error]);
    }
}
