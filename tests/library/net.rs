//! The network on burn, its losses and its learner.

#![cfg(feature = "net")]

use burn::tensor::{Tensor, TensorData};

use crate::games::{Game, Neutron, Spec};
use crate::nn::burn_net::{BurnEvaluator, Learner, Network, cpu, initialize, load_weights, losses};
use crate::nn::settings::{LearnerSettings, NetworkSettings};
use crate::nn::{Batch, Board, ILLEGAL};
use crate::registry::{self, Position, Variant};
use crate::search::{Evaluator, Wdl};
use crate::tests::common::positions::positions;

pub(super) const SMALL: NetworkSettings =
    NetworkSettings { channels: 8, blocks: 2, global_pooling: true, value_hidden: 16 };

/// A batch of random positions, each with one target action and a certain result.
pub(super) fn batch(variant: &Variant, size: usize) -> Batch {
    let spec = *variant.spec();
    let mut batch = Batch {
        size,
        observations: vec![0.0; size * spec.observation()],
        policy: vec![0.0; size * spec.actions()],
        mask: vec![ILLEGAL; size * spec.actions()],
        wdl: Vec::new(),
        moves_left: Vec::new(),
    };
    let mut legal = Vec::new();
    for (index, game) in positions(variant, size).iter().enumerate() {
        game.observe(&mut batch.observations[index * spec.observation()..][..spec.observation()]);
        game.legal_actions(&mut legal);
        let row = index * spec.actions();
        legal.iter().for_each(|&action| batch.mask[row + usize::from(action)] = 0.0);
        batch.policy[row + usize::from(legal[index % legal.len()])] = 1.0;
        batch.moves_left.push((1 + index % 40) as f32);
        batch.wdl.extend(match index % 3 {
            0 => [1.0, 0.0, 0.0],
            1 => [0.0, 1.0, 0.0],
            _ => [0.0, 0.0, 1.0],
        });
    }
    batch
}

fn connect_four() -> Variant {
    registry::preset("connect_four").unwrap()
}

fn check_evaluations_are_independent(variant: &Variant) {
    let network = initialize(Network::new(&Board::of(variant), &SMALL, &cpu()), 3);
    let mut evaluator = BurnEvaluator::new(network, cpu());
    let positions = positions(variant, 37);
    let mut evaluate = |positions: &[Position]| {
        let mut policy = vec![0.0; positions.len() * variant.spec().actions()];
        let mut wdl: Vec<Wdl> = vec![[0.0; 3]; positions.len()];
        evaluator.evaluate(positions, &mut policy, &mut wdl);
        (policy, wdl)
    };
    let (policy, wdl) = evaluate(&positions);
    for size in [1, 2, 5, 16] {
        for (start, part) in positions.chunks(size).enumerate().map(|(i, part)| (i * size, part)) {
            let alone = evaluate(part);
            let same = &policy[start * variant.spec().actions()..][..alone.0.len()];
            assert_eq!(alone.0, same, "{} in batches of {size}", variant.name);
            assert_eq!(alone.1, wdl[start..][..part.len()], "{}", variant.name);
        }
    }
    assert!(wdl.iter().all(|wdl| (wdl.iter().sum::<f32>() - 1.0).abs() < 1e-5));
}

macro_rules! independent {
    ($($name:ident,)*) => {
        mod an_evaluation_does_not_depend_on_its_batch {
            use super::*;
            $(
                #[test]
                fn $name() {
                    let variant = registry::preset(stringify!($name)).unwrap();
                    check_evaluations_are_independent(&variant);
                }
            )*
        }
    };
}

for_every_game!(independent);

/// Matrix products choose their algorithm by size, so sizes of real runs are tested too: the result
/// may not depend on the batch.
#[test]
fn evaluations_of_the_default_network_do_not_depend_on_the_batch() {
    let variant = connect_four();
    let settings = NetworkSettings::default();
    let network = initialize(Network::new(&Board::of(&variant), &settings, &cpu()), 3);
    let mut evaluator = BurnEvaluator::new(network, cpu());
    let positions = positions(&variant, 64);
    let mut wdl: Vec<Wdl> = vec![[0.0; 3]; 64];
    let mut policy = vec![0.0; 64 * 42];
    evaluator.evaluate(&positions, &mut policy, &mut wdl);
    for (index, position) in positions.iter().enumerate() {
        let (mut alone, mut chances) = (vec![0.0; 42], [[0.0; 3]]);
        evaluator.evaluate(std::slice::from_ref(position), &mut alone, &mut chances);
        assert_eq!(alone, policy[index * 42..][..42]);
        assert_eq!(chances[0], wdl[index]);
    }
}

#[test]
fn the_losses_are_those_of_the_outputs() {
    let variant = connect_four();
    let spec = variant.spec();
    let network = initialize(Network::new(&Board::of(&variant), &SMALL, &cpu()), 3);
    let batch = batch(&variant, 6);
    let shape = [batch.size, spec.planes, spec.height, spec.width];
    let input = Tensor::from_data(TensorData::new(batch.observations.clone(), shape), &cpu());
    let outputs = network.forward(input);
    let logits = outputs.policy.into_data().try_into_vec::<f32>().unwrap();
    let wdl = outputs.wdl.into_data().try_into_vec::<f32>().unwrap();
    let lengths = outputs.moves_left.into_data().try_into_vec::<f32>().unwrap();
    let (mut policy, mut value, mut moves_left, mut entropy) = (0.0, 0.0, 0.0, 0.0);
    for example in 0..batch.size {
        let row = |values: &[f32]| values[example * 42..][..42].to_vec();
        let (mask, target, logits) = (row(&batch.mask), row(&batch.policy), row(&logits));
        let legal: Vec<usize> = (0..42).filter(|&action| mask[action] == 0.0).collect();
        let total: f32 = legal.iter().map(|&action| logits[action].exp()).sum();
        for action in legal {
            let share = logits[action].exp() / total;
            policy -= target[action] * share.ln() / 6.0;
            entropy -= share * share.ln() / 6.0;
        }
        let wdl = &wdl[example * 3..][..3];
        let total: f32 = wdl.iter().map(|logit| logit.exp()).sum();
        for (logit, target) in wdl.iter().zip(&batch.wdl[example * 3..][..3]) {
            value -= target * (logit.exp() / total).ln() / 6.0;
        }
        let expected = (1.0 + batch.moves_left[example]).ln();
        moves_left += (lengths[example] - expected).powi(2) / 6.0;
    }
    let found = losses(&network, &batch, &cpu());
    let close = |tensor: Tensor<1>, expected: f32| {
        let found = tensor.into_scalar::<f32>();
        assert!((found - expected).abs() < 1e-5, "{found} is not {expected}");
    };
    close(found.policy, policy);
    close(found.value, value);
    close(found.moves_left, moves_left);
    close(found.entropy, entropy);
}

#[test]
fn a_learner_overfits_a_batch() {
    let variant = connect_four();
    let batch = batch(&variant, 24);
    let mut learner =
        Learner::new(&Board::of(&variant), &SMALL, LearnerSettings::default(), 1).unwrap();
    let first = learner.step(&batch, 1e-2).unwrap();
    let last = (0..150).map(|_| learner.step(&batch, 1e-2).unwrap()).last().unwrap();
    assert!(first.policy > 1.5 && first.value > 0.9, "{first:?}");
    assert!(last.policy < 0.2 && last.value < 0.2 && last.entropy < 0.5, "{last:?}");
}

#[test]
fn a_restored_learner_trains_like_the_original() {
    let variant = connect_four();
    let batch = batch(&variant, 16);
    let settings = LearnerSettings::default();
    let new = |seed| Learner::new(&Board::of(&variant), &SMALL, settings, seed).unwrap();
    let mut learner = new(1);
    (0..5).for_each(|_| assert!(learner.step(&batch, 1e-3).is_ok()));
    let (weights, optimizer) = (learner.weights().unwrap(), learner.optimizer().unwrap());
    // Another seed: all state must come from the saved one.
    let mut restored = new(2).restore(&weights, &optimizer).unwrap();
    for _ in 0..5 {
        assert_eq!(learner.step(&batch, 1e-3).unwrap(), restored.step(&batch, 1e-3).unwrap());
    }
    assert!(learner.weights().unwrap() == restored.weights().unwrap());
}

#[test]
fn initial_weights_depend_on_the_seed_alone() {
    let board = Board::whole(Neutron::<5, 5>::SPEC);
    let weights = |seed| {
        Learner::new(&board, &SMALL, LearnerSettings::default(), seed).unwrap().weights().unwrap()
    };
    assert!(weights(1) == weights(1));
    assert!(weights(1) != weights(2));
}

#[test]
fn a_large_gradient_is_clipped_to_the_norm() {
    let variant = connect_four();
    let batch = batch(&variant, 16);
    let step = |clip_norm: f32| {
        let settings = LearnerSettings { clip_norm, weight_decay: 0.0, ..Default::default() };
        let mut learner = Learner::new(&Board::of(&variant), &SMALL, settings, 1).unwrap();
        let report = learner.step(&batch, 1e-3).unwrap();
        (report.gradient_norm, learner.weights().unwrap())
    };
    let (norm, free) = step(1e9);
    assert!(norm > 0.1);
    assert!(step(norm * 1.01).1 == free, "a gradient within the norm is left alone");
    // The first step of Adam is nearly independent of the norm of the gradient, unless the
    // gradient is far below epsilon: then the weights do not move.
    assert!(step(1e-9).1 != free);
}

#[test]
fn weights_of_a_small_board_load_on_a_larger_one() {
    let network = |spec: &Spec| Network::new(&Board::whole(*spec), &SMALL, &cpu());
    let small = Board::whole(Neutron::<5, 5>::SPEC);
    let learner = Learner::new(&small, &SMALL, LearnerSettings::default(), 1).unwrap();
    let weights = learner.weights().unwrap();
    assert!(load_weights(network(&Neutron::<7, 7>::SPEC), &weights).is_ok());
    let error = load_weights(network(connect_four().spec()), &weights).unwrap_err();
    assert!(error.to_string().contains("another shape"), "{error:#}");
}

#[test]
fn weights_that_are_not_finite_are_refused() {
    let variant = connect_four();
    let mut batch = batch(&variant, 8);
    let new = || Learner::new(&Board::of(&variant), &SMALL, LearnerSettings::default(), 1).unwrap();
    let mut learner = new();
    let before = learner.weights().unwrap();
    batch.observations[0] = f32::NAN;
    let error = learner.step(&batch, 1e-3).unwrap_err().to_string();
    assert!(error.contains("diverged") && error.contains("learning_rate"), "{error}");
    assert!(load_weights(Network::new(&Board::of(&variant), &SMALL, &cpu()), &before).is_ok());

    let mut broken = before.clone();
    let end = broken.len() - 4;
    broken[end..].copy_from_slice(&f32::NAN.to_le_bytes());
    let error = load_weights(Network::new(&Board::of(&variant), &SMALL, &cpu()), &broken);
    assert!(error.unwrap_err().to_string().contains("not finite"));
    for length in [0, 1, 100, before.len() / 2] {
        assert!(new().restore(&before[..length], &[]).is_err(), "{length} bytes");
    }
}
