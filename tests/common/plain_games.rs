//! Self-play once more, in the plainest form: one game after the other, one leaf at a time.

use std::collections::VecDeque;

use rand::{Rng as _, RngExt};
use tavoliere::base::rng::{Purpose, Rng, stream};
use tavoliere::classic::alphabeta::{Classical, Limits};
use tavoliere::classic::foresight::Foresight;
use tavoliere::games::Game;
use tavoliere::games::{Action, Outcome, Side};
use tavoliere::search::Evaluator;
use tavoliere::search::{self, Cache, Plan, Search, Solo};
use tavoliere::selfplay::record::{Choice, GameRecord, Searched};
use tavoliere::selfplay::{Order, Settings, pick};

/// The games of an order.
pub fn games<G: Game>(order: &Order<'_, G>, evaluator: &mut impl Evaluator<G>) -> Vec<GameRecord> {
    (0..order.settings.games).map(|index| game(order, index, evaluator)).collect()
}

/// The game of this number.
fn game<G: Game>(
    order: &Order<'_, G>,
    index: u64,
    evaluator: &mut impl Evaluator<G>,
) -> GameRecord {
    let Order { settings, .. } = order;
    let stream = |purpose| stream(order.seed, order.iteration, index, purpose);
    let (mut noise, mut selection) = (stream(Purpose::Noise), stream(Purpose::Selection));
    let no_cache = Cache::new(0, G::SPEC.actions());
    let mut solo = Solo::new(Search::new(*order.search));
    let (mut record, mut partner) = beginning(order, index);
    let mut game = order.variant.initial();
    record.choices.iter().for_each(|choice| game.play(choice.action));
    let opening = record.plies;
    let mut policy = Vec::new();
    let proving = search::Settings { proof_nodes: settings.proof_nodes, ..*order.search };
    let outcome = loop {
        if let Some(outcome) = game.outcome() {
            break outcome;
        }
        let is_opening = game.ply() < opening;
        let is_fast = !is_opening && selection.random::<f32>() < settings.fast_share;
        let simulations = match (is_opening, is_fast) {
            (true, _) => 1,
            (_, true) => settings.fast_simulations,
            _ => settings.simulations_at(order.done),
        };
        let noise = Some(noise.next_u64()).filter(|_| !is_opening && !is_fast);
        let skip_forced = order.search.proofs;
        solo.search.begin(game, Plan { simulations: Some(simulations), noise, skip_forced });
        solo.run(evaluator, &no_cache);
        if !is_opening {
            let mut foresight = Foresight::new(&proving);
            foresight.begin();
            foresight.look(&mut solo.search, &game, &|| true);
        }
        let value = solo.search.value();
        let is_low = order.resign_below.is_some_and(|limit| value[0] + value[1] / 2.0 < limit);
        let is_open = solo.search.proven().is_none();
        if !is_opening && is_open && is_low && !record.played_out {
            record.resigned = true;
            break Outcome::Win(game.to_move().other());
        }
        solo.search.policy(&mut policy);
        let surprise = solo.search.surprise(&policy);
        let search = (!is_opening).then(|| Searched::new(&policy, value, surprise, !is_fast));
        let temperature = settings.temperature_at(game.ply());
        let action = if is_opening {
            let even = settings.opening_floor / policy.len() as f32;
            policy.iter_mut().for_each(|(_, p)| *p = (1.0 - settings.opening_floor) * *p + even);
            pick(&policy, 1.0, &mut selection)
        } else if let Some(action) = partner.as_mut().and_then(|partner| partner.choose(&game)) {
            action
        } else if temperature > 0.0 {
            pick(&policy, temperature, &mut selection)
        } else {
            solo.search.best().unwrap()
        };
        solo.search.advance(action);
        game.play(action);
        record.choices.push(Choice { action, search });
    };
    GameRecord { outcome, plies: game.ply(), ..record }
}

/// How a game begins: what it repeats of an earlier one, or else, as its number of turns for now,
/// how many turns of opening it is to have; and who else plays.
fn beginning<G: Game>(order: &Order<'_, G>, index: u64) -> (GameRecord, Option<Partner>) {
    let Order { settings, past, .. } = order;
    let mut start = stream(order.seed, order.iteration, index, Purpose::Start);
    let played_out = start.random::<f32>() < settings.played_out_share;
    let mut plies = start.random_range(0..=settings.opening_plies);
    let mut choices = Vec::new();
    if start.random::<f32>() < settings.restart_share && !past.is_empty() {
        let past = &past[start.random_range(0..past.len())].choices;
        let length = start.random_range(0..past.len().max(1));
        let repeated = past[..length].iter().map(|choice| choice.action);
        choices.extend(repeated.map(|action| Choice { action, search: None }));
        plies = 0;
    }
    let partner = Partner::drawn(settings, &mut start);
    let played_out = played_out || partner.is_some();
    let record =
        GameRecord { index, choices, outcome: Outcome::Draw, plies, resigned: false, played_out };
    (record, partner)
}

/// Alpha-beta for one side.
pub struct Partner {
    side: Side,
    nodes: u64,
    search: Classical,
    /// The rest of its turn.
    turn: VecDeque<Action>,
}

impl Partner {
    fn drawn(settings: &Settings, rng: &mut Rng) -> Option<Self> {
        let is_partner = rng.random::<f64>() < f64::from(settings.sparring_share);
        let side = if rng.random::<f64>() < 0.5 { Side::P1 } else { Side::P2 };
        let fewest = settings.sparring_nodes as f64 / 10.0;
        let nodes = (fewest * 10.0_f64.powf(rng.random())).ceil() as u64;
        is_partner.then(|| Self::new(side, nodes, settings))
    }

    /// One of so many nodes.
    pub fn new(side: Side, nodes: u64, settings: &Settings) -> Self {
        let search = Classical::new(settings.sparring_nodes as usize);
        Self { side, nodes, search, turn: VecDeque::new() }
    }

    /// Its action; none where the other side is to move.
    pub fn choose<G: Game>(&mut self, game: &G) -> Option<Action> {
        if game.to_move() != self.side {
            return None;
        }
        if self.turn.is_empty() {
            let verdict = self.search.think(game, &Limits::nodes(self.nodes)).unwrap();
            self.turn.extend(verdict.best.actions);
        }
        self.turn.pop_front()
    }
}
