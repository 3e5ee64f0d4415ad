//! The forward pass without burn against that of burn, on every instruction set that this CPU
//! supports.

#![cfg(feature = "net")]

use burn::tensor::{Tensor, TensorData};

use crate::nn::Board;
use crate::nn::burn_net::{BurnEvaluator, Network, cpu, fold};
use crate::nn::conv::Unsupported;
#[cfg(unix)]
use crate::nn::conv::{Edge, guard};
use crate::nn::infer::{CpuEvaluator, EngineName, InstructionSet, NumberFormat, Settings};
use crate::nn::settings::NetworkSettings;
use crate::registry::{self, Position, Variant};
use crate::runs::config::Config;
use crate::runs::trained::PlayEvaluator;
use crate::search::{Evaluator, Wdl};
use crate::tests::common::networks::network;
use crate::tests::common::positions::positions;

/// Largest allowed difference of a logit computed in `f32`.
const EXACT: f32 = 1e-4;

/// Largest allowed difference of a logit computed from bf16, and largest allowed mean difference.
/// Rounding to bf16 has a relative error of up to 2^-9, and every layer adds such errors.
const ROUNDED: [f32; 2] = [0.5, 0.05];

/// The same for products of bytes, whose weights have steps of a 63rd of the largest of an output.
const OF_BYTES: [f32; 2] = [2.0, 0.25];

/// Sizes of networks: with and without pooling, and with channels that do not fill a register.
const NETWORKS: [NetworkSettings; 4] = [
    NetworkSettings { channels: 32, blocks: 4, global_pooling: true, value_hidden: 64 },
    NetworkSettings { channels: 19, blocks: 2, global_pooling: true, value_hidden: 13 },
    NetworkSettings { channels: 1, blocks: 2, global_pooling: true, value_hidden: 1 },
    NetworkSettings { channels: 40, blocks: 1, global_pooling: false, value_hidden: 33 },
];

/// Logits of the policy, and logits of win, draw and loss.
type Logits = (Vec<f32>, Vec<[f32; 3]>);

fn of_burn(network: &Network, positions: &[Position]) -> Logits {
    let spec = positions[0].spec();
    let mut observations = vec![0.0; positions.len() * spec.observation()];
    for (position, planes) in
        positions.iter().zip(observations.chunks_exact_mut(spec.observation()))
    {
        position.observe(planes);
    }
    let shape = [positions.len(), spec.planes, spec.height, spec.width];
    let outputs = network.forward(Tensor::from_data(TensorData::new(observations, shape), &cpu()));
    let numbers = |tensor: Tensor<2>| tensor.into_data().try_into_vec::<f32>().unwrap();
    let wdl = numbers(outputs.wdl).chunks_exact(3).map(|wdl| [wdl[0], wdl[1], wdl[2]]).collect();
    (numbers(outputs.policy), wdl)
}

fn of_engine(engine: &mut CpuEvaluator, positions: &[Position]) -> Logits {
    // The previous contents must not matter.
    let mut policy = vec![f32::NAN; positions.len() * positions[0].spec().actions()];
    let mut wdl = vec![[f32::NAN; 3]; positions.len()];
    engine.logits(positions, &mut policy, &mut wdl);
    (policy, wdl)
}

/// The instruction sets that this CPU supports, each with an engine for `network`.
fn engines(network: &Network) -> Vec<(InstructionSet, CpuEvaluator)> {
    let weights = fold(network);
    let supported = InstructionSet::ALL.into_iter().filter(|set| set.is_supported());
    supported.map(|set| (set, CpuEvaluator::new(&weights, set).unwrap())).collect()
}

/// The largest difference and the mean difference.
fn differences(found: &Logits, expected: &Logits) -> [f32; 2] {
    let all = |(policy, wdl): &Logits| [policy, wdl.as_flattened()].concat();
    let (found, expected) = (all(found), all(expected));
    assert_eq!(found.len(), expected.len());
    let each = found.iter().zip(&expected).map(|(a, b)| (a - b).abs());
    assert!(each.clone().all(f32::is_finite));
    let mean = each.clone().sum::<f32>() / found.len() as f32;
    [each.fold(0.0, f32::max), mean]
}

fn check_close(found: &Logits, expected: &Logits, set: InstructionSet, what: &str) {
    let [largest, mean] = differences(found, expected);
    let bounds = match set.format() {
        NumberFormat::F32 => [EXACT, EXACT],
        NumberFormat::Bf16 => ROUNDED,
        NumberFormat::Int8 => OF_BYTES,
    };
    assert!(largest <= bounds[0] && mean <= bounds[1], "{what}: {set:?} {largest} {mean}");
}

fn check_game(variant: &Variant) {
    let positions = positions(variant, 70);
    for settings in &NETWORKS {
        let network = network(&Board::of(variant), settings);
        let expected = of_burn(&network, &positions);
        let mut of_bytes = None;
        for (set, mut engine) in engines(&network) {
            let what = format!("{} {} channels", variant.name, settings.channels);
            let all = of_engine(&mut engine, &positions);
            check_close(&all, &expected, set, &what);
            if set.format() == NumberFormat::Int8 {
                let first = of_bytes.get_or_insert_with(|| all.clone());
                assert_eq!(bits(first), bits(&all), "{what}: {set:?} computes the same");
            }
            for size in [1, 2, 3, 17, 64, 65] {
                check_independent(&mut engine, &positions, &all, size);
            }
        }
    }
}

fn bits((policy, wdl): &Logits) -> Vec<u32> {
    policy.iter().chain(wdl.as_flattened()).map(|value| value.to_bits()).collect()
}

/// In batches of `size`, every position has bit for bit the same result as in a batch of all.
fn check_independent(engine: &mut CpuEvaluator, positions: &[Position], all: &Logits, size: usize) {
    let actions = positions[0].spec().actions();
    for (index, part) in positions.chunks(size).enumerate() {
        let (policy, wdl) = of_engine(engine, part);
        let start = index * size;
        let bits = |values: &[f32]| values.iter().map(|value| value.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&policy), bits(&all.0[start * actions..][..policy.len()]), "{size}");
        assert_eq!(
            bits(wdl.as_flattened()),
            bits(all.1[start..][..part.len()].as_flattened()),
            "{size}"
        );
    }
}

macro_rules! same {
    ($($name:ident,)*) => {
        mod every_instruction_set_computes_what_burn_computes {
            use super::*;
            $(
                #[test]
                fn $name() {
                    check_game(&registry::preset(stringify!($name)).unwrap());
                }
            )*
        }
    };
}

for_every_game!(same);

#[test]
fn batches_of_every_size_agree() {
    check_sizes(&registry::preset("neutron5").unwrap());
}

fn check_sizes(variant: &Variant) {
    let positions = positions(variant, 257);
    let settings =
        NetworkSettings { channels: 24, blocks: 2, global_pooling: true, value_hidden: 20 };
    let network = network(&Board::of(variant), &settings);
    let expected = of_burn(&network, &positions);
    for (set, mut engine) in engines(&network) {
        let all = of_engine(&mut engine, &positions);
        check_close(&all, &expected, set, variant.name);
        for size in 1..=positions.len() {
            check_independent(&mut engine, &positions[..size], &all, size);
            // The last position, whatever its index in the batch.
            check_independent(&mut engine, &positions, &all, size.max(100));
        }
    }
}

#[test]
fn any_number_of_channels_is_computed() {
    let variant = registry::preset("tic_tac_toe").unwrap();
    let positions = positions(&variant, 9);
    for channels in (1..70).chain([96, 127, 129, 320]) {
        check_channels(&variant, &positions, channels);
    }
}

fn check_channels(variant: &Variant, positions: &[Position], channels: usize) {
    let settings =
        NetworkSettings { channels, blocks: 2, global_pooling: true, value_hidden: channels };
    let network = network(&Board::of(variant), &settings);
    let expected = of_burn(&network, positions);
    for (set, mut engine) in engines(&network) {
        let found = of_engine(&mut engine, positions);
        check_close(&found, &expected, set, &format!("{channels} channels"));
    }
}

#[test]
fn the_network_of_the_benchmarks_is_close_too() {
    let variant = registry::preset("susan").unwrap();
    let positions = positions(&variant, 40);
    let settings =
        NetworkSettings { channels: 64, blocks: 5, global_pooling: false, value_hidden: 64 };
    check_network(&variant, &positions, &settings);
}

fn check_network(variant: &Variant, positions: &[Position], settings: &NetworkSettings) {
    let network = network(&Board::of(variant), settings);
    let expected = of_burn(&network, positions);
    for (set, mut engine) in engines(&network) {
        check_close(&of_engine(&mut engine, positions), &expected, set, "benchmark");
    }
}

/// No pass of a whole network accesses memory next to its buffers; `nn/conv/kernel/bounds.rs` has
/// the same for each kernel.
#[cfg(unix)]
#[test]
fn no_path_leaves_its_buffers() {
    // The hexagon of Susan is not all of its frame.
    for name in ["neutron5", "susan"] {
        let variant = registry::preset(name).unwrap();
        let positions = positions(&variant, 40);
        for edge in Edge::ALL {
            let check = |settings| check_network(&variant, &positions, settings);
            guard(edge, || NETWORKS.iter().for_each(check));
        }
    }
}

#[test]
fn evaluators_return_probabilities() {
    let variant = registry::preset("connect_four").unwrap();
    let positions = positions(&variant, 20);
    let network = network(&Board::of(&variant), &NETWORKS[0]);
    let reference = evaluate(&mut BurnEvaluator::new(network.clone(), cpu()), &positions);
    for name in EngineName::ALL {
        let settings = Settings { engine: name, ..Settings::default() };
        let evaluator = PlayEvaluator::new(network.clone(), &settings);
        let Ok(mut evaluator) = evaluator else { continue };
        let (policy, wdl) = evaluate(&mut evaluator, &positions);
        assert!(wdl.iter().all(|wdl| (wdl.iter().sum::<f32>() - 1.0).abs() < 1e-6));
        let set = name.instruction_set().unwrap().unwrap_or(InstructionSet::Portable);
        check_close(&(policy, wdl), &reference, set, name.text());
    }
}

fn evaluate(evaluator: &mut impl Evaluator, positions: &[Position]) -> (Vec<f32>, Vec<Wdl>) {
    let mut policy = vec![0.0; positions.len() * positions[0].spec().actions()];
    let mut wdl = vec![[0.0; 3]; positions.len()];
    evaluator.evaluate(positions, &mut policy, &mut wdl);
    (policy, wdl)
}

#[test]
fn clones_compute_the_same_on_their_own_threads() {
    let variant = registry::preset("tic_tac_toe").unwrap();
    let positions = positions(&variant, 30);
    let network = network(&Board::of(&variant), &NETWORKS[1]);
    for (_, mut engine) in engines(&network) {
        let expected = of_engine(&mut engine, &positions);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                let (mut engine, positions, expected) = (engine.clone(), &positions, &expected);
                scope.spawn(move || {
                    (0..20).for_each(|_| assert!(of_engine(&mut engine, positions) == *expected));
                });
            }
        });
    }
}

#[test]
fn an_unsupported_engine_is_refused() {
    let error = Unsupported(InstructionSet::Avx512).to_string();
    assert!(error.contains("engine `avx512`") && error.contains("portable"), "{error}");
    for name in EngineName::ALL {
        match name.instruction_set() {
            Ok(set) => assert!(set.is_none_or(InstructionSet::is_supported)),
            Err(Unsupported(set)) => {
                assert!(!set.is_supported() && set.text() == name.text());
                let config = format!("game = 'susan'\ninference.engine = '{}'", name.text());
                let error = Config::parse(&config, "run.toml", &[]).unwrap_err().to_string();
                assert!(error.starts_with("run.toml:2: `inference.engine`"), "{error}");
                let variant = registry::preset("tic_tac_toe").unwrap();
                let network = network(&Board::of(&variant), &NETWORKS[2]);
                let settings = Settings { engine: name, ..Settings::default() };
                assert!(PlayEvaluator::new(network, &settings).is_err());
            }
        }
    }
    let config = "game = 'susan'\ninference.engine = 'avx1024'";
    let error = Config::parse(config, "run.toml", &[]).unwrap_err().to_string();
    assert!(error.contains("run.toml:2") && error.contains("avx512_bf16"), "{error}");
    assert!(
        EngineName::Auto.instruction_set().is_ok()
            && EngineName::Cpu(InstructionSet::Portable).instruction_set().is_ok()
    );
    assert_eq!(EngineName::Burn.instruction_set(), Ok(None));
}

#[test]
fn auto_evaluates_by_bytes_where_that_is_faster_and_never_trains_by_them() {
    let [evaluating, training] =
        [EngineName::Auto.instruction_set(), EngineName::Auto.instruction_set_to_train()]
            .map(|it| it.unwrap().unwrap());
    assert!(training.is_supported() && training.format() != NumberFormat::Int8);
    let has_vnni = [InstructionSet::Int8AvxVnni, InstructionSet::Int8Avx512]
        .into_iter()
        .any(InstructionSet::is_supported);
    let has_avx2_alone = training == InstructionSet::Avx2;
    let expected = if has_vnni || has_avx2_alone { InstructionSet::best_int8() } else { training };
    assert_eq!(evaluating, expected);
    assert_eq!(
        EngineName::Cpu(InstructionSet::Portable).instruction_set_to_train(),
        Ok(Some(InstructionSet::Portable))
    );
}
