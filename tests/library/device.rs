//! Tests of devices that are unavailable, and of what the CPU can test of accelerators: half
//! precision.

#![cfg(feature = "net")]

use burn::tensor::{Device, FloatDType};

use crate::base::device::{DeviceName, Unavailable};
use crate::games::{ConnectFour, ConnectFourRules, Game};
use crate::nn::Board;
use crate::nn::burn_net::{Network, cpu, float, initialize, open};
use crate::nn::infer::{EngineName, Precision, Settings};
use crate::nn::settings::NetworkSettings;
use crate::registry::Position;
use crate::runs::trained::PlayEvaluator;
use crate::search::{Evaluator, Wdl};

const NETWORK: NetworkSettings =
    NetworkSettings { channels: 16, blocks: 2, global_pooling: true, value_hidden: 16 };

/// Returns the accelerators that this program was built without.
fn missing() -> Vec<&'static str> {
    let built = [("cuda", cfg!(feature = "cuda")), ("wgpu", cfg!(feature = "wgpu"))];
    built.into_iter().filter(|(_, is_built)| !is_built).map(|(name, _)| name).collect()
}

#[test]
fn the_cpu_is_always_there_and_others_if_they_were_built_in() {
    assert_eq!(open(DeviceName::Cpu), Ok(cpu()));
    for name in missing() {
        let name: DeviceName = name.parse().unwrap();
        assert_eq!(open(name), Err(Unavailable::NotBuilt(name)));
    }
}

fn network() -> Network {
    initialize(Network::new(&Board::whole(ConnectFour::SPEC), &NETWORK, &cpu()), 3)
}

fn positions() -> Vec<Position> {
    let mut game = Position::new(ConnectFour::initial(&ConnectFourRules {}));
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
    let mut evaluator = PlayEvaluator::new(network, &settings).unwrap();
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
fn a_device_that_was_built_in_is_found_or_the_reason_is_given() {
    let built = DeviceName::ALL.into_iter().filter(|name| !missing().contains(&name.text()));
    for name in built {
        match open(name) {
            Ok(device) => assert_eq!(device == cpu(), name == DeviceName::Cpu),
            Err(Unavailable::NotFound { device, reason }) => {
                assert!(device == name && name != DeviceName::Cpu && !reason.is_empty());
            }
            Err(error) => panic!("{error}"),
        }
    }
    let plain: Device = network().device();
    assert!(plain == cpu() && !plain.is_autodiff());
}
