//! The forward pass of shipped networks on every instruction set that this CPU supports. `infer.rs`
//! compares it with that of burn.

use crate::nn::conv::FoldedWeights;
use crate::nn::infer::{CpuEvaluator, InstructionSet, NumberFormat};
use crate::registry::{Position, Variant};
use crate::runs::exported::{BuiltIn, Exported, PlayerFiles};
use crate::search::{Evaluator, Wdl};
use crate::tests::common::positions::positions;

/// Largest allowed difference of a logit from that of a portable instruction set of the format.
/// Only products of bytes are the same everywhere.
fn bound(format: NumberFormat) -> f32 {
    match format {
        NumberFormat::F32 => 1e-3,
        NumberFormat::Bf16 => 0.5,
        NumberFormat::Int8 => 0.0,
    }
}

/// Calls `check` with the shipped player of each of these games.
macro_rules! for_players {
    ($names:expr, $check:ident) => {
        for player in BuiltIn::all().filter(|player| $names.contains(&player.name)) {
            let exported = Exported::of(&PlayerFiles::BuiltIn(player)).unwrap();
            $check(&exported.variant, &exported.weights);
        }
    };
}

#[test]
fn every_instruction_set_computes_what_the_portable_one_computes() {
    for_players!(["checkers_gomoku", "connect_four", "neutron5"], check_instruction_sets);
}

fn logits(weights: &FoldedWeights, set: InstructionSet, positions: &[Position]) -> Vec<f32> {
    let spec = positions[0].spec();
    let mut policy = vec![f32::NAN; positions.len() * spec.actions()];
    let mut wdl = vec![[f32::NAN; 3]; positions.len()];
    let mut engine = CpuEvaluator::new(weights, set).unwrap();
    engine.logits(positions, &mut policy, &mut wdl);
    [policy, wdl.as_flattened().to_vec()].concat()
}

fn check_instruction_sets(variant: &Variant, weights: &FoldedWeights) {
    let positions = positions(variant, 67);
    let exact = logits(weights, InstructionSet::Portable, &positions);
    let of_bytes = logits(weights, InstructionSet::Int8Portable, &positions);
    for set in InstructionSet::ALL.into_iter().filter(|set| set.is_supported()) {
        let expected = if set.format() == NumberFormat::Int8 { &of_bytes } else { &exact };
        let found = logits(weights, set, &positions);
        let difference = |(a, b): (&f32, &f32)| (a - b).abs();
        let largest = found.iter().zip(expected).map(difference).reduce(f32::max).unwrap();
        assert!(found.iter().all(|logit| logit.is_finite()));
        assert!(largest <= bound(set.format()), "{} {set:?} {largest}", variant.name);
    }
}

/// Trained networks compute nearly the same from bytes: what a player chooses seldom changes.
#[test]
fn products_of_bytes_hardly_change_trained_networks() {
    for_players!(["connect_four", "neutron5", "susan"], check_trained);
}

/// The largest allowed difference of the expected score and of the policy in nats; then those on
/// average, and the share of positions with another best action.
const LARGEST: [f64; 2] = [0.25, 0.5];
const MEAN: [f64; 3] = [0.02, 0.01, 0.06];

fn check_trained(variant: &Variant, weights: &FoldedWeights) {
    let positions = positions(variant, 10_000);
    let exact = InstructionSet::ALL
        .into_iter()
        .rev()
        .find(|set| set.format() == NumberFormat::F32 && set.is_supported());
    let found =
        [exact.unwrap(), InstructionSet::best_int8()].map(|set| evaluate(weights, set, &positions));
    let (mut largest, mut mean) = ([0.0; 2], [0.0; 3]);
    let mut legal = Vec::new();
    for (index, position) in positions.iter().enumerate() {
        position.legal_actions(&mut legal);
        let both = found.each_ref().map(|(policy, wdl)| {
            let policy = &policy[index * variant.spec().actions()..];
            (legal.iter().map(|&action| f64::from(policy[action as usize])).collect(), wdl[index])
        });
        let changes = changes(&both);
        for (sum, change) in mean.iter_mut().zip(changes) {
            *sum += change / positions.len() as f64;
        }
        for (most, change) in largest.iter_mut().zip(changes) {
            *most = change.max(*most);
        }
    }
    println!("{}: at most {largest:.4?}, on average {mean:.4?}", variant.name);
    let within = |found: &[f64], bounds: &[f64]| found.iter().zip(bounds).all(|(a, b)| a <= b);
    assert!(within(&largest, &LARGEST) && within(&mean, &MEAN), "{largest:?} {mean:?}");
}

fn evaluate(
    weights: &FoldedWeights,
    set: InstructionSet,
    positions: &[Position],
) -> (Vec<f32>, Vec<Wdl>) {
    let spec = positions[0].spec();
    let mut policy = vec![0.0; positions.len() * spec.actions()];
    let mut wdl = vec![[0.0; 3]; positions.len()];
    CpuEvaluator::new(weights, set).unwrap().evaluate(positions, &mut policy, &mut wdl);
    (policy, wdl)
}

/// How much the second evaluation, as logits of the legal actions and shares of win, draw and loss,
/// differs from the first: the expected score, the policy in nats, and whether its best action
/// does.
fn changes(evaluations: &[(Vec<f64>, Wdl); 2]) -> [f64; 3] {
    let [p, q] = evaluations.each_ref().map(|(logits, _)| log_shares(logits));
    let [first, second] = evaluations.each_ref().map(|(_, wdl)| f64::from(wdl[0] + 0.5 * wdl[1]));
    let nats = p.iter().zip(&q).map(|(p, q)| p.exp() * (p - q)).sum();
    let best = |policy: &[f64]| (0..policy.len()).max_by(|&a, &b| policy[a].total_cmp(&policy[b]));
    [(first - second).abs(), nats, f64::from(u8::from(best(&p) != best(&q)))]
}

/// The logarithms of the shares that these logits stand for.
fn log_shares(logits: &[f64]) -> Vec<f64> {
    let largest = logits.iter().copied().fold(f64::MIN, f64::max);
    let total: f64 = logits.iter().map(|logit| (logit - largest).exp()).sum();
    logits.iter().map(|logit| logit - largest - total.ln()).collect()
}
