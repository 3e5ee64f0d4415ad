//! Tests of devices that are unavailable, and of what the CPU can test of accelerators: half
//! precision, and runs whose state belongs to no device.

#![cfg(feature = "net")]
#[allow(dead_code)]
use crate::common;

use std::process::Command;

use burn::tensor::{Device, FloatDType};
use common::run::{Done, PROGRAM, Setup, done};
use tavoliere::base::device::{DeviceName, Unavailable};
use tavoliere::games::Game;
use tavoliere::games::{ConnectFour, ConnectFourRules};
use tavoliere::nn::infer::{EngineName, Precision, Settings};
use tavoliere::nn::learning::NetworkSettings;
use tavoliere::nn::net::{Network, cpu, float, initialize, open};
use tavoliere::runs::trained::PlayEvaluator;
use tavoliere::search::{Evaluator, Wdl};

const NETWORK: NetworkSettings =
    NetworkSettings { channels: 16, blocks: 2, global_pooling: true, value_hidden: 16 };

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
fn the_cpu_is_always_there_and_others_if_they_were_built_in() {
    assert_eq!(open(DeviceName::Cpu), Ok(cpu()));
    for name in missing() {
        let name: DeviceName = name.parse().unwrap();
        assert_eq!(open(name), Err(Unavailable::NotBuilt(name)));
    }
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

fn network() -> Network {
    initialize(Network::new(&ConnectFour::SPEC, &NETWORK, &cpu()), 3)
}

fn positions() -> Vec<ConnectFour> {
    let mut game = ConnectFour::initial(&ConnectFourRules {});
    let mut legal = Vec::new();
    let mut positions = vec![game];
    for turn in 0..12 {
        game.legal_actions(&mut legal);
        game.play(legal[turn * 3 % legal.len()]);
        positions.push(game);
    }
    positions
}

fn evaluated(network: Network, precision: Precision) -> (Vec<f32>, Vec<Wdl>) {
    let settings = Settings { engine: EngineName::Burn, precision };
    let mut evaluator = PlayEvaluator::new(network, &ConnectFour::SPEC, &settings).unwrap();
    let positions = positions();
    let mut policy = vec![f32::NAN; positions.len() * ConnectFour::SPEC.actions()];
    let mut wdl = vec![[f32::NAN; 3]; positions.len()];
    evaluator.evaluate(&positions, &mut policy, &mut wdl);
    (policy, wdl)
}

#[test]
fn half_precision_agrees_within_rounding() {
    let network = network();
    let (policy, wdl) = evaluated(network.clone(), Precision::F32);
    // The relative rounding error of the format; a dozen layers add up theirs.
    for (precision, rounding) in [(Precision::Bf16, 1.0 / 256.0), (Precision::F16, 1.0 / 2048.0)] {
        let (rounded, chances) = evaluated(network.clone(), precision);
        let largest = policy.iter().fold(0.0, |largest: f32, logit| largest.max(logit.abs()));
        let differences = policy.iter().zip(&rounded).map(|(a, b)| (a - b).abs() / largest);
        let difference = differences.fold(0.0, f32::max);
        assert!(difference > 0.0, "{precision:?} is f32");
        assert!(difference < 12.0 * rounding, "{precision:?}: {difference}");
        for (found, expected) in chances.iter().zip(&wdl) {
            assert!((found.iter().sum::<f32>() - 1.0).abs() < 1e-5, "{precision:?}: {found:?}");
            let close = found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 12.0 * rounding);
            assert!(close, "{precision:?}: {found:?} {expected:?}");
        }
    }
    // Clones share statistics; half precision has not changed those of the original.
    assert_eq!(evaluated(network, Precision::Auto), (policy, wdl));
}

#[test]
fn the_cpu_computes_in_f32_by_default() {
    let expected = [
        (Precision::Auto, FloatDType::F32),
        (Precision::F32, FloatDType::F32),
        (Precision::Bf16, FloatDType::BF16),
        (Precision::F16, FloatDType::F16),
    ];
    for (precision, expected) in expected {
        assert_eq!(float(precision, &cpu()), Ok(expected));
    }
}

/// A device that is built in may be missing. That is an error and must not panic.
#[test]
fn a_device_that_was_built_in_works_or_is_a_usage_error() {
    let built = DeviceName::ALL.into_iter().filter(|name| !missing().contains(&name.text()));
    for name in built {
        match open(name) {
            Ok(device) => assert_eq!(device == cpu(), name == DeviceName::Cpu),
            Err(Unavailable::NotFound { device, reason }) => {
                assert!(device == name && name != DeviceName::Cpu && !reason.is_empty());
                let setup = Setup::new(SMALL);
                let error = format!("no {name} device: {reason}");
                setup.train(&["--device", name.text()]).failed(2, &[&error]);
            }
            Err(error) => panic!("{error}"),
        }
    }
    let plain: Device = network().device();
    assert!(plain == cpu() && !plain.is_autodiff());
}
