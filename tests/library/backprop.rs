//! Gradients without burn against those of burn and against finite differences, on every
//! instruction set that this CPU supports.

#![cfg(feature = "net")]

use burn::module::{Module, ModuleVisitor, Param};
use burn::optim::GradientsParams;
use burn::tensor::Tensor;
use rand::RngExt;

use crate::base::rng::{Purpose, stream};
use crate::nn::Board;
use crate::nn::backprop::{Backprop, BatchLosses, Gradient};
use crate::nn::burn_net::{Network, cpu, initialize, losses, parameters, register_gradients};
#[cfg(unix)]
use crate::nn::conv::{Edge, guard};
use crate::nn::conv::{InstructionSet, NetworkParameters, NumberFormat};
use crate::nn::settings::{LossWeights, NetworkSettings};
use crate::nn::{Batch, ILLEGAL};
use crate::registry::{self, Variant};

/// Largest allowed median distance of a parameter's gradient from burn's, relative to its norm.
const EXACT: f64 = 2e-4;

/// The same for the worst parameter: if the maximum of two cells is nearly tied, its gradient may
/// go to either.
const TIES: f64 = 0.02;

/// The same for products of bf16: each layer adds errors of 2^-9, and many more cells are tied.
const ROUNDED: f64 = 0.5;

/// Weights of the losses that differ from the defaults.
const WEIGHTS: LossWeights = LossWeights { value: 0.7, moves_left: 0.3 };

/// With and without pooling, with channels that do not fill a register or exceed several.
const NETWORKS: [NetworkSettings; 3] = [
    NetworkSettings { channels: 19, blocks: 3, global_pooling: true, value_hidden: 13 },
    NetworkSettings { channels: 96, blocks: 1, global_pooling: false, value_hidden: 33 },
    NetworkSettings { channels: 1, blocks: 0, global_pooling: true, value_hidden: 1 },
];

/// Positions of random games with random targets, some of which sum to less than 1.
fn batch(variant: &Variant, size: usize) -> Batch {
    let (spec, mut rng) = (*variant.spec(), stream(3, 0, size as u64, Purpose::Playout));
    let mut batch = Batch { size, mask: vec![ILLEGAL; size * spec.actions()], ..Batch::default() };
    batch.observations = vec![0.0; size * spec.observation()];
    batch.policy = vec![0.0; size * spec.actions()];
    let (mut game, mut actions) = (variant.initial(), Vec::new());
    for index in 0..size {
        game.legal_actions(&mut actions);
        if actions.is_empty() {
            game = variant.initial();
            game.legal_actions(&mut actions);
        }
        game.observe(&mut batch.observations[index * spec.observation()..][..spec.observation()]);
        for &action in &actions {
            let place = index * spec.actions() + usize::from(action);
            batch.mask[place] = 0.0;
            batch.policy[place] = rng.random::<f32>() / actions.len() as f32;
        }
        batch.moves_left.push(rng.random_range(1.0..50.0));
        batch.wdl.extend([rng.random::<f32>(), 0.25, rng.random::<f32>()]);
        game.play(actions[rng.random_range(0..actions.len())]);
    }
    batch
}

/// An untrained network.
fn network(variant: &Variant, settings: &NetworkSettings) -> Network {
    let device = cpu().autodiff();
    initialize(Network::new(&Board::of(variant), settings, &device), 5)
}

/// The norm of each parameter's gradient, and its distance from the other gradient.
struct Distances<'a> {
    ours: &'a GradientsParams,
    burns: &'a GradientsParams,
    found: Vec<[f64; 2]>,
}

impl ModuleVisitor for Distances<'_> {
    fn visit_float<const D: usize>(&mut self, param: &Param<Tensor<D>>) {
        let numbers = |all: &GradientsParams| -> Option<Vec<f32>> {
            Some(all.get::<D>(param.id)?.into_data().iter::<f32>().collect())
        };
        // Running statistics have no gradient in either.
        let (ours, burns) = (numbers(self.ours), numbers(self.burns));
        assert_eq!(ours.is_some(), burns.is_some());
        let (Some(ours), Some(burns)) = (ours, burns) else { return };
        let length = |numbers: &mut dyn Iterator<Item = f64>| {
            numbers.map(|number| number * number).sum::<f64>().sqrt()
        };
        let whole = length(&mut burns.iter().map(|&number| f64::from(number)));
        let mut differences = ours.iter().zip(&burns).map(|(&a, &b)| f64::from(a) - f64::from(b));
        self.found.push([whole, length(&mut differences)]);
    }
}

/// The instruction sets that this CPU supports and that compute gradients.
fn trainable() -> impl Iterator<Item = InstructionSet> {
    InstructionSet::ALL
        .into_iter()
        .filter(|set| set.format() != NumberFormat::Int8 && set.is_supported())
}

fn check_gradients(variant: &Variant, settings: &NetworkSettings, size: usize) {
    let (batch, network) = (batch(variant, size), network(variant, settings));
    let before = parameters(&network);
    // Burn's forward pass updates the running statistics of its network.
    let reference = losses(&network, &batch, &cpu().autodiff());
    let burns = GradientsParams::from_grads(reference.total(WEIGHTS).backward(), &network);
    let after = parameters(&network.valid());
    for set in trainable() {
        let mut backprop = Backprop::new(&before, set).unwrap();
        let (losses, gradients) = backprop.run(&before, &batch, WEIGHTS);
        let bound = if set.format() == NumberFormat::F32 { EXACT } else { ROUNDED };
        let case = format!("{}, {set:?}, {settings:?}, {size} positions", variant.name);
        check_losses(&losses, &reference, bound as f32, &case);
        check_statistics(&gradients, &before, &after, bound as f32, &case);
        let ours = register_gradients(&network, &cpu().autodiff(), gradients);
        let mut distances = Distances { ours: &ours, burns: &burns, found: Vec::new() };
        network.visit(&mut distances);
        let longest = distances.found.iter().map(|found| found[0]).fold(0.0, f64::max);
        // Gradients that are nearly zero may differ by a large share.
        let share = |[length, distance]: [f64; 2]| distance / length.max(1e-2 * longest);
        let mut shares: Vec<f64> = distances.found.into_iter().map(share).collect();
        shares.sort_by(f64::total_cmp);
        let (median, most) = (shares[shares.len() / 2], shares[shares.len() - 1]);
        assert!(median <= bound && most <= TIES.max(bound), "{case}: {shares:?}");
    }
}

fn check_losses(
    ours: &BatchLosses,
    burns: &crate::nn::burn_net::LossTensors,
    bound: f32,
    case: &str,
) {
    let scalar = |tensor: &Tensor<1>| tensor.clone().into_scalar::<f32>();
    for (ours, burns) in [
        (ours.policy, &burns.policy),
        (ours.value, &burns.value),
        (ours.moves_left, &burns.moves_left),
        (ours.entropy, &burns.entropy),
    ] {
        let burns = scalar(burns);
        assert!((ours - burns).abs() <= bound * burns.abs().max(1.0), "{case}: {ours} {burns}");
    }
}

/// The statistics of the batch are those that burn has moved its running statistics towards.
fn check_statistics(
    gradients: &[Gradient],
    before: &NetworkParameters,
    after: &NetworkParameters,
    bound: f32,
    case: &str,
) {
    let norms = before.layers().into_iter().zip(after.layers()).zip(gradients);
    for (((_, before), (_, after)), gradient) in norms {
        let (Some(before), Some(after)) = (before, after) else {
            assert!(gradient.norm.is_none());
            continue;
        };
        let found = gradient.norm.as_ref().unwrap();
        let pairs = [
            (&before.mean, &after.mean, &found.mean),
            (&before.variance, &after.variance, &found.variance),
        ];
        for (before, after, found) in pairs {
            for ((before, after), found) in before.iter().zip(after).zip(found) {
                let moved = 0.9 * before + 0.1 * found;
                assert!((moved - after).abs() <= bound, "{case}: {moved} {after}");
            }
        }
    }
}

fn check_game(name: &str) {
    let variant = registry::preset(name).unwrap();
    for (settings, size) in NETWORKS.iter().zip([37, 64, 2]) {
        check_gradients(&variant, settings, size);
    }
}

#[test]
fn gradients_are_those_of_burn() {
    for name in ["tic_tac_toe", "connect_four", "neutron5", "entropy"] {
        check_game(name);
    }
}

#[test]
fn gradients_are_those_of_burn_on_large_boards() {
    for name in ["susan", "checkers_gomoku", "neutron7"] {
        check_game(name);
    }
}

/// No pass accesses memory next to its buffers; `nn/conv/kernel/bounds.rs` has the same for each
/// kernel.
#[cfg(unix)]
#[test]
fn no_path_leaves_its_buffers() {
    for edge in Edge::ALL {
        guard(edge, || ["tic_tac_toe", "susan"].into_iter().for_each(check_game));
    }
}

/// The slope of the loss along a line through the parameters is that of the gradient.
#[test]
fn gradients_are_those_of_finite_differences() {
    check_slope(&registry::preset("entropy").unwrap());
}

fn check_slope(variant: &Variant) {
    let settings = NetworkSettings { channels: 12, blocks: 2, ..NETWORKS[0] };
    let (batch, start) = (batch(variant, 48), parameters(&network(variant, &settings)));
    let mut backprop = Backprop::new(&start, InstructionSet::Portable).unwrap();
    let mut rng = stream(1, 0, 0, Purpose::Weights);
    let (_, gradients) = backprop.run(&start, &batch, WEIGHTS);
    let mut slope = 0.0;
    let direction: Vec<Vec<f32>> = gradients
        .iter()
        .map(|gradient| {
            let step = |&slope: &f32| slope * rng.random::<f32>();
            gradient.weights.iter().map(step).collect()
        })
        .collect();
    for (gradient, direction) in gradients.iter().zip(&direction) {
        let products = gradient.weights.iter().zip(direction);
        slope += products.map(|(&a, &b)| f64::from(a) * f64::from(b)).sum::<f64>();
    }
    let mut at = |step: f32| {
        let moved = moved(&start, &direction, step);
        let (losses, _) = backprop.run(&moved, &batch, WEIGHTS);
        let parts = [
            (1.0, losses.policy),
            (WEIGHTS.value, losses.value),
            (WEIGHTS.moves_left, losses.moves_left),
        ];
        parts.map(|(weight, loss)| f64::from(weight) * f64::from(loss)).iter().sum::<f64>()
    };
    let step = 5e-3;
    let found = (at(step) - at(-step)) / (2.0 * f64::from(step));
    assert!((found / slope - 1.0).abs() < 0.02, "{found} {slope}");
}

/// The parameters, with the weights of all layers moved by `step` times the direction.
fn moved(start: &NetworkParameters, direction: &[Vec<f32>], step: f32) -> NetworkParameters {
    let mut moved = start.clone();
    for (layer, direction) in moved.layers_mut().into_iter().zip(direction) {
        layer.weights.iter_mut().zip(direction).for_each(|(weight, by)| *weight += step * by);
    }
    moved
}

#[test]
fn gradients_do_not_depend_on_the_number_of_threads() {
    check_threads(&registry::preset("neutron5").unwrap());
}

fn check_threads(variant: &Variant) {
    let (batch, start) = (batch(variant, 111), parameters(&network(variant, &NETWORKS[0])));
    for set in trainable() {
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut backprop = Backprop::new(&start, set).unwrap();
            // A previous batch of another size must not matter.
            let once = pool.install(|| backprop.run(&start, &batch, WEIGHTS));
            backprop.run(&start, &self::batch(variant, 5), WEIGHTS);
            assert_eq!(once, pool.install(|| backprop.run(&start, &batch, WEIGHTS)));
            once
        };
        assert_eq!(run(1), run(3));
    }
}
