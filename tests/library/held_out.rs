//! The held-out loss: which positions are judged, and how.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;

use crate::base::rng::{Purpose, Rng, stream};
use crate::nn::Batch;
use crate::registry::{self, Position, Variant};
use crate::search::{self, Cache, Evaluator, Uniform, Wdl};
use crate::selfplay::held_out::{Losses, losses};
use crate::selfplay::record::GameRecord;
use crate::selfplay::replay::{Buffer, Settings};
use crate::selfplay::{self, Counters, IterationJob};
use crate::tests::common::hashed::Hashed;

fn sampling(index: u64) -> Rng {
    stream(5, 4, index, Purpose::HeldOut)
}

fn games_of(variant: &Variant, iteration: u64, games: u64) -> Vec<GameRecord> {
    let settings = selfplay::Settings { games, simulations: 8, ..Default::default() };
    let (search, cache) = (search::Settings::default(), Cache::new(0, 1));
    let order = IterationJob::new(variant, &search, &settings, &cache);
    let order = IterationJob { seed: 3, iteration, ..order };
    let (counters, stop) = (Counters::default(), AtomicBool::new(false));
    selfplay::play(&order, &mut [Hashed], &counters, &stop).unwrap()
}

/// A buffer that mixes what searches found into what is taught, and shows positions as they are.
fn buffer_of(variant: &Variant) -> Buffer {
    Buffer::new(*variant, &Settings { symmetries: false, search_value: 0.3, ..Default::default() })
}

fn susan() -> Variant {
    let changes = serde_json::from_str(r#"{"max_plies": 30}"#).unwrap();
    registry::find("susan", &changes).unwrap()
}

/// The same losses from a batch of training: dense rows, the logits of illegal actions masked.
fn by_the_batch(batch: &Batch, position: &Position) -> Losses {
    let (mut logits, mut wdl) = (vec![0.0; position.spec().actions()], [[0.0; 3]]);
    Hashed.evaluate(&[*position], &mut logits, &mut wdl);
    let masked: Vec<f64> =
        logits.iter().zip(&batch.mask).map(|(&logit, &mask)| f64::from(logit + mask)).collect();
    let total: f64 = masked.iter().map(|logit| logit.exp()).sum();
    let cross = |targets: &[f32], logs: &[f64]| -> f64 {
        targets.iter().zip(logs).map(|(&target, log)| -f64::from(target) * log).sum()
    };
    let policy: Vec<f64> = masked.iter().map(|logit| logit - total.ln()).collect();
    let values: Vec<f64> = wdl[0].iter().map(|&share| f64::from(share).ln()).collect();
    Losses { policy: cross(&batch.policy, &policy), value: cross(&batch.wdl, &values) }
}

fn agrees_with_training(variant: Variant) {
    let mut buffer = buffer_of(&variant);
    // Of each game one position is left, so that this is what is drawn from the buffer.
    for (index, mut game) in games_of(&variant, 1, 12).into_iter().enumerate() {
        let kept = index * game.choices.len() / 12;
        for (place, choice) in game.choices.iter_mut().enumerate() {
            choice.search = choice.search.take().filter(|_| place == kept);
        }
        buffer.push(vec![game]);
        let examples = buffer.newest_examples(9, &mut sampling(0));
        let Some(example) = examples.first() else { continue };
        assert_eq!(examples.len(), 1);
        let mut alone = buffer_of(&variant);
        alone.push(buffer.newest().to_vec());
        let mut batch = Batch::default();
        alone.draw(1, &mut sampling(1), &mut batch);
        let expected = by_the_batch(&batch, &example.position);
        let found = losses(&mut [Hashed], &examples).unwrap();
        assert!((found.policy - expected.policy).abs() < 1e-5, "{found:?}, not {expected:?}");
        assert!((found.value - expected.value).abs() < 1e-5, "{found:?}, not {expected:?}");
        assert_eq!(example.moves_left, batch.moves_left[0]);
    }
}

#[test]
fn it_is_the_loss_of_training() {
    // With passes, several actions a turn, and a history.
    for (name, rules) in
        [("susan", ""), ("neutron5", "\"max_plies\": 12"), ("entropy", "\"max_plies\": 20")]
    {
        let rules = serde_json::from_str(&format!("{{{rules}}}")).unwrap();
        agrees_with_training(registry::find(name, &rules).unwrap());
    }
}

#[test]
fn who_knows_nothing_loses_the_logarithm_of_the_choices() {
    let variant = susan();
    let results_alone = Settings { search_value: 0.0, ..Settings::default() };
    let mut buffer = Buffer::new(variant, &results_alone);
    buffer.push(games_of(&variant, 1, 10));
    let examples = buffer.newest_examples(1 << 20, &mut sampling(0));
    let examples: Vec<_> = examples.into_iter().filter(|example| example.wdl[1] == 0.0).collect();
    assert!(examples.len() > 50);
    let mut legal = Vec::new();
    let mut choices = |example: &crate::selfplay::replay::Example<'_>| {
        example.position.legal_actions(&mut legal);
        (legal.len() as f64).ln()
    };
    let expected = examples.iter().map(&mut choices).sum::<f64>() / examples.len() as f64;
    let found = losses(&mut [Uniform], &examples).unwrap();
    assert!((found.policy - expected).abs() < 1e-6, "{found:?}, not {expected}");
    assert!((found.value - 2.0_f64.ln()).abs() < 1e-6, "{found:?}");
}

#[test]
fn a_result_that_was_ruled_out_costs_much_but_not_everything() {
    /// Rules out that the side to move wins.
    #[derive(Clone)]
    struct AlwaysLost;
    impl Evaluator for AlwaysLost {
        fn evaluate(&mut self, _: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
            policy.fill(0.0);
            wdl.fill([0.0, 0.0, 1.0]);
        }
    }
    let variant = susan();
    let mut buffer = Buffer::new(variant, &Settings::default());
    buffer.push(games_of(&variant, 1, 10));
    let examples = buffer.newest_examples(1 << 20, &mut sampling(0));
    let found = losses(&mut [AlwaysLost], &examples).unwrap();
    assert!(found.value.is_finite() && found.value > 10.0, "{found:?}");
}

#[test]
fn the_number_of_evaluators_changes_nothing() {
    let variant = susan();
    let mut buffer = Buffer::new(variant, &Settings::default());
    buffer.push(games_of(&variant, 1, 30));
    let examples = buffer.newest_examples(600, &mut sampling(0));
    assert_eq!(examples.len(), 600, "more than fit into one batch");
    let one = losses(&mut [Hashed], &examples);
    for threads in [2, 3, 7] {
        assert_eq!(losses(&mut vec![Hashed; threads], &examples), one);
    }
}

#[test]
fn without_positions_there_is_none() {
    let variant = susan();
    let mut buffer = Buffer::new(variant, &Settings::default());
    assert_eq!(losses(&mut [Uniform], &buffer.newest_examples(10, &mut sampling(0))), None);
    buffer.push(games_of(&variant, 1, 2));
    buffer.push(Vec::new());
    assert_eq!(losses(&mut [Uniform], &buffer.newest_examples(10, &mut sampling(0))), None);
}

#[test]
fn positions_are_of_the_newest_games_all_different_and_named_by_the_stream() {
    let variant = susan();
    let mut buffer = Buffer::new(variant, &Settings::default());
    buffer.push(games_of(&variant, 1, 20));
    let newest = games_of(&variant, 2, 20);
    let positions: usize = newest.iter().map(crate::selfplay::replay::positions_of).sum();
    buffer.push(newest);
    let drawn = |count, index| buffer.newest_examples(count, &mut sampling(index));
    let searches = |count, index| -> Vec<usize> {
        drawn(count, index)
            .iter()
            .map(|example| std::ptr::from_ref(example.search) as usize)
            .collect()
    };
    let of_newest: HashSet<usize> = buffer
        .newest()
        .iter()
        .flat_map(|game| &game.choices)
        .filter_map(|choice| choice.search.as_ref())
        .map(|search| std::ptr::from_ref(search) as usize)
        .collect();
    assert_eq!(of_newest.len(), positions);
    for (count, expected) in
        [(0, 0), (1, 1), (100, 100), (positions, positions), (1 << 20, positions)]
    {
        let found = searches(count, 0);
        let different: HashSet<usize> = found.iter().copied().collect();
        assert_eq!((found.len(), different.len()), (expected, expected));
        assert!(different.is_subset(&of_newest));
    }
    assert_eq!(searches(100, 0), searches(100, 0));
    assert_ne!(searches(100, 0), searches(100, 1));
}
