//! Self-play once more, in the plainest form: one game after the other, one leaf at a time.

use rand::{Rng as _, RngExt};

use crate::base::rng::{Purpose, stream};
use crate::games::Outcome;
use crate::registry::Position;
use crate::search::{Cache, Evaluator, Plan, Search, Solo};
use crate::selfplay::record::{Choice, GameRecord, Searched};
use crate::selfplay::{IterationJob, pick, placement};

/// The games of an order.
pub fn games(order: &IterationJob<'_>, evaluator: &mut impl Evaluator) -> Vec<GameRecord> {
    (0..order.settings.games).map(|index| game(order, index, evaluator)).collect()
}

/// The game of this number.
fn game(order: &IterationJob<'_>, index: u64, evaluator: &mut impl Evaluator) -> GameRecord {
    let IterationJob { settings, .. } = order;
    let stream = |purpose| stream(order.seed, order.iteration, index, purpose);
    let (mut noise, mut selection) = (stream(Purpose::Noise), stream(Purpose::Selection));
    let no_cache = Cache::new(0, order.variant.spec().actions());
    let mut solo = Solo::new(Search::new(*order.search));
    let mut record = match placed(order, index, evaluator) {
        Some(placed) => GameRecord {
            position: Some(placed.position_text()),
            choices: Vec::new(),
            plies: 0,
            ..beginning(order, index)
        },
        None => beginning(order, index),
    };
    let mut game = record.start(order.variant);
    record.choices.iter().for_each(|choice| game.play(choice.action));
    let opening = record.plies;
    let mut policy = Vec::new();
    let outcome = loop {
        if let Some(outcome) = game.outcome() {
            break outcome;
        }
        let is_opening = game.ply() < opening;
        let simulations = if is_opening { 1 } else { settings.simulations };
        let noise = (!is_opening).then(|| noise.next_u64());
        let skip_forced = order.search.proofs.enabled;
        solo.search.begin(game, Plan { simulations: Some(simulations), noise, skip_forced });
        solo.run(evaluator, &no_cache);
        let value = solo.search.value();
        let is_low = order.resign_below.is_some_and(|limit| value[0] + value[1] / 2.0 < limit);
        let is_open = solo.search.proven().is_none();
        if !is_opening && is_open && is_low && !record.played_out {
            record.resigned = true;
            break Outcome::Win(game.to_move().other());
        }
        solo.search.policy(&mut policy);
        let surprise = solo.search.surprise(&policy);
        let search = (!is_opening).then(|| Searched::new(&policy, value, surprise));
        let temperature = settings.temperature_at(game.ply());
        let action = if is_opening {
            let even = settings.opening_floor / policy.len() as f32;
            policy.iter_mut().for_each(|(_, p)| *p = (1.0 - settings.opening_floor) * *p + even);
            pick(&policy, 1.0, &mut selection)
        } else if temperature > 0.0 {
            pick(&policy, temperature, &mut selection)
        } else {
            solo.search.best().unwrap()
        };
        solo.search.advance(action);
        game.play(action);
        record.choices.push(Choice { action, search });
    };
    let plies = game.ply() - record.start(order.variant).ply();
    GameRecord { outcome, plies, ..record }
}

/// The random placement that the game of this number begins in, if it is one of those that do: the
/// first undecided one of up to 32, or the last.
fn placed(
    order: &IterationJob<'_>,
    index: u64,
    evaluator: &mut impl Evaluator,
) -> Option<Position> {
    let mut rng = stream(order.seed, order.iteration, index, Purpose::Placement);
    if rng.random::<f32>() >= order.settings.placement_share {
        return None;
    }
    let no_cache = Cache::new(0, order.variant.spec().actions());
    let mut last = None;
    for _ in 0..32 {
        let Some(game) = placement::random(order.variant, order.past, &mut rng) else { break };
        let mut solo = Solo::new(Search::new(*order.search));
        let plan = Plan { skip_forced: order.search.proofs.enabled, ..Plan::simulations(1) };
        solo.search.begin(game, plan);
        solo.run(evaluator, &no_cache);
        let [win, _, loss] = solo.search.value();
        last = Some(game);
        if (win - loss).abs() < 0.5_f32 {
            break;
        }
    }
    last
}

/// How a game begins: what it repeats of an earlier one, or else, as its number of turns for now,
/// how many turns of opening it is to have.
fn beginning(order: &IterationJob<'_>, index: u64) -> GameRecord {
    let IterationJob { settings, past, .. } = order;
    let mut start = stream(order.seed, order.iteration, index, Purpose::Start);
    let played_out = start.random::<f32>() < settings.played_out_share;
    let mut plies = start.random_range(0..=settings.opening_plies);
    let mut choices = Vec::new();
    let mut position = None;
    if start.random::<f32>() < settings.restart_share && !past.is_empty() {
        let past = &past[start.random_range(0..past.len())];
        let length = start.random_range(0..past.choices.len().max(1));
        position.clone_from(&past.position);
        let repeated = past.choices[..length].iter().map(|choice| choice.action);
        choices.extend(repeated.map(|action| Choice { action, search: None }));
        plies = 0;
    }
    let outcome = Outcome::Draw;
    GameRecord { index, position, choices, outcome, plies, resigned: false, played_out }
}
