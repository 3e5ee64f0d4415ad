//! A game in flight.

use rand::{Rng as _, RngExt};

use super::sparring::{self, Sparring};
use super::{Order, pick};
use crate::base::rng::{Purpose, Rng, stream};
use crate::classic::alphabeta::Classical;
use crate::classic::foresight::Foresight;
use crate::games::{Action, Game, Outcome};
use crate::search::Wdl;
use crate::search::{self, Batch, Gathered, Judgement, Leaf, Plan, Search};
use crate::selfplay::record::{Choice, GameRecord, Searched};

/// Who helps the search of a game; all games of a worker have the same, one after the other.
pub(super) struct Helpers<G> {
    /// Plays a side of some games.
    partner: Classical,
    /// Proves what it can when a search is done.
    foresight: Foresight<G>,
}

impl<G: Game> Helpers<G> {
    pub fn new(order: &Order<'_, G>) -> Self {
        let proof_nodes = order.settings.proof_nodes;
        let proving = search::Settings { proof_nodes, ..*order.search };
        let foresight = Foresight::new(&proving);
        Self { partner: sparring::partner(order.settings), foresight }
    }
}

/// What a game in flight came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// Its leaf is in the batch, and it waits for the evaluation.
    Leaf,
    /// It is over.
    Over,
}

/// Why a position is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Purport {
    /// To draw an action of the opening.
    Opening,
    /// To get on with the game.
    Fast,
    /// To be learnt from.
    Full,
}

/// A game in flight.
pub(super) struct Flight<G> {
    game: G,
    search: Search<G>,
    leaf: Leaf<G>,
    noise: Rng,
    selection: Rng,
    purport: Purport,
    /// Turns of the opening.
    opening: u32,
    resigned: Option<Outcome>,
    sparring: Option<Sparring>,
    record: GameRecord,
    policy: Vec<(Action, f32)>,
}

impl<G: Game> Flight<G> {
    pub fn new(order: &Order<'_, G>, index: u64) -> Self {
        let stream = |purpose| stream(order.seed, order.iteration, index, purpose);
        let settings = order.settings;
        let mut start = stream(Purpose::Start);
        let played_out = start.random::<f32>() < settings.played_out_share;
        let mut flight = Self {
            game: order.variant.initial(),
            search: Search::new(*order.search),
            leaf: Leaf::default(),
            noise: stream(Purpose::Noise),
            purport: Purport::Full,
            opening: start.random_range(0..=settings.opening_plies),
            resigned: None,
            sparring: None,
            record: GameRecord {
                index,
                choices: Vec::new(),
                outcome: Outcome::Draw,
                plies: 0,
                resigned: false,
                played_out,
            },
            policy: Vec::new(),
            selection: stream(Purpose::Selection),
        };
        if start.random::<f32>() < settings.restart_share && !order.past.is_empty() {
            flight.restart(&order.past[start.random_range(0..order.past.len())], &mut start);
        }
        flight.sparring = Sparring::drawn(settings, &mut start);
        flight.record.played_out |= flight.sparring.is_some();
        flight.begin(order);
        flight
    }

    /// Plays the beginning of an earlier game.
    fn restart(&mut self, past: &GameRecord, rng: &mut Rng) {
        // A game that was given up at once has no choices.
        let length = rng.random_range(0..past.choices.len().max(1));
        for choice in &past.choices[..length] {
            self.play(Choice { action: choice.action, search: None });
        }
        self.opening = 0;
    }

    /// Begins the search of the present position.
    fn begin(&mut self, order: &Order<'_, G>) {
        let settings = order.settings;
        self.purport = if self.game.ply() < self.opening {
            Purport::Opening
        } else if self.selection.random::<f32>() < settings.fast_share {
            Purport::Fast
        } else {
            Purport::Full
        };
        let simulations = match self.purport {
            Purport::Opening => 1,
            Purport::Fast => settings.fast_simulations,
            Purport::Full => settings.simulations_at(order.done),
        };
        let seed = self.noise.next_u64();
        let noise = (self.purport == Purport::Full).then_some(seed);
        let plan = Plan { simulations: Some(simulations), noise, skip_forced: order.search.proofs };
        self.search.begin(self.game, plan);
    }

    /// Searches and plays until an evaluation is needed or the game is over.
    pub fn advance(
        &mut self,
        order: &Order<'_, G>,
        helpers: &mut Helpers<G>,
        batch: &mut Batch<G>,
    ) -> Progress {
        loop {
            match batch.gather(&mut self.search, &mut self.leaf, order.cache) {
                Gathered::Leaf => return Progress::Leaf,
                Gathered::End => {}
                // Its only leaf has been applied, so it waits for nothing.
                Gathered::Busy | Gathered::Done => {
                    self.prove(order, &mut helpers.foresight);
                    self.decide(order, &mut helpers.partner);
                    if self.outcome().is_some() {
                        return Progress::Over;
                    }
                    self.begin(order);
                }
            }
        }
    }

    pub fn apply(&mut self, judgement: &Judgement) {
        self.search.apply(&self.leaf, judgement);
    }

    /// Actions played so far.
    pub fn actions(&self) -> usize {
        self.record.choices.len()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.resigned.or_else(|| self.game.outcome())
    }

    /// Tells the search, which is done, what is certain about its root.
    fn prove(&mut self, order: &Order<'_, G>, foresight: &mut Foresight<G>) {
        if order.settings.proof_nodes > 0 && self.purport != Purport::Opening {
            foresight.begin();
            foresight.look(&mut self.search, &self.game, &|| true);
        }
    }

    /// Resigns, or plays an action and notes what the search thought.
    fn decide(&mut self, order: &Order<'_, G>, partner: &mut Classical) {
        let value = self.search.value();
        let is_open = self.search.proven().is_none();
        if self.purport != Purport::Opening && is_open && self.is_to_resign(order, value) {
            self.resigned = Some(Outcome::Win(self.game.to_move().other()));
            return;
        }
        self.search.policy(&mut self.policy);
        let action = self.partners_action(partner).unwrap_or_else(|| self.choose(order));
        let learn = self.purport == Purport::Full;
        let search = (self.purport != Purport::Opening)
            .then(|| Searched::new(&self.policy, value, self.search.surprise(&self.policy), learn));
        self.search.advance(action);
        self.play(Choice { action, search });
    }

    fn is_to_resign(&self, order: &Order<'_, G>, [win, draw, _]: Wdl) -> bool {
        let score = win + draw / 2.0;
        !self.record.played_out && order.resign_below.is_some_and(|limit| score < limit)
    }

    /// What alpha-beta plays where it is its turn.
    fn partners_action(&mut self, partner: &mut Classical) -> Option<Action> {
        let sparring = self.sparring.as_mut().filter(|_| self.purport != Purport::Opening)?;
        sparring.choose(&self.game, partner)
    }

    fn choose(&mut self, order: &Order<'_, G>) -> Action {
        let settings = order.settings;
        if self.purport == Purport::Opening {
            let even = settings.opening_floor / self.policy.len() as f32;
            let part = 1.0 - settings.opening_floor;
            self.policy.iter_mut().for_each(|(_, share)| *share = part * *share + even);
            return pick(&self.policy, 1.0, &mut self.selection);
        }
        match settings.temperature_at(self.game.ply()) {
            temperature if temperature > 0.0 => {
                pick(&self.policy, temperature, &mut self.selection)
            }
            _ => self.search.best().expect("the root is evaluated"),
        }
    }

    fn play(&mut self, choice: Choice) {
        self.game.play(choice.action);
        self.record.choices.push(choice);
    }

    /// What the search has scored against alpha-beta, in half points.
    pub fn sparring_half_points(&self) -> Option<u64> {
        Some(self.sparring.as_ref()?.half_points(self.outcome()?))
    }

    pub fn into_record(self) -> GameRecord {
        let outcome = self.outcome().expect("only finished games are recorded");
        let resigned = self.resigned.is_some();
        GameRecord { outcome, plies: self.game.ply(), resigned, ..self.record }
    }
}
