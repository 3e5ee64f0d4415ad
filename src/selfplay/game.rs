//! A game in play.

use rand::{Rng as _, RngExt};

use super::{IterationJob, pick};
use crate::base::rng::{Purpose, Rng, stream};
use crate::games::{Action, Game, Outcome};
use crate::search::Wdl;
use crate::search::{Batch, Evaluation, Gathered, Leaf, Plan, Search};
use crate::selfplay::record::{Choice, GameRecord, Searched};

/// What a game in play came to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Progress {
    /// Its leaf is in the batch, and it waits for the evaluation.
    Leaf,
    /// It is over.
    Over,
}

/// Why a position is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SearchKind {
    /// To draw an action of the opening.
    Opening,
    /// To choose an action and to be learnt from.
    Full,
}

/// A game in play.
pub(super) struct GameSlot<G> {
    game: G,
    search: Search<G>,
    leaf: Leaf<G>,
    noise: Rng,
    selection: Rng,
    kind: SearchKind,
    /// Turns of the opening.
    opening: u32,
    resigned: Option<Outcome>,
    record: GameRecord,
    policy: Vec<(Action, f32)>,
}

impl<G: Game> GameSlot<G> {
    pub fn new(job: &IterationJob<'_, G>, index: u64) -> Self {
        let stream = |purpose| stream(job.seed, job.iteration, index, purpose);
        let settings = job.settings;
        let mut start = stream(Purpose::Start);
        let played_out = start.random::<f32>() < settings.played_out_share;
        let mut slot = Self {
            game: job.variant.initial(),
            search: Search::new(*job.search),
            leaf: Leaf::default(),
            noise: stream(Purpose::Noise),
            kind: SearchKind::Full,
            opening: start.random_range(0..=settings.opening_plies),
            resigned: None,
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
        if start.random::<f32>() < settings.restart_share && !job.past.is_empty() {
            slot.restart(&job.past[start.random_range(0..job.past.len())], &mut start);
        }
        slot.begin(job);
        slot
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
    fn begin(&mut self, job: &IterationJob<'_, G>) {
        self.kind =
            if self.game.ply() < self.opening { SearchKind::Opening } else { SearchKind::Full };
        let simulations = match self.kind {
            SearchKind::Opening => 1,
            SearchKind::Full => {
                // Earlier versions drew here whether a search was to be short. The number is still
                // drawn, so that the same seed still plays the same games.
                let _: f32 = self.selection.random();
                job.settings.simulations
            }
        };
        let seed = self.noise.next_u64();
        let noise = (self.kind == SearchKind::Full).then_some(seed);
        let plan = Plan { simulations: Some(simulations), noise, skip_forced: job.search.proofs };
        self.search.begin(self.game, plan);
    }

    /// Searches and plays until an evaluation is needed or the game is over.
    pub fn advance(&mut self, job: &IterationJob<'_, G>, batch: &mut Batch<G>) -> Progress {
        loop {
            match batch.gather(&mut self.search, &mut self.leaf, job.cache) {
                Gathered::Leaf => return Progress::Leaf,
                Gathered::End => {}
                // Its only leaf has been applied, so it waits for nothing.
                Gathered::Busy | Gathered::Done => {
                    self.decide(job);
                    if self.outcome().is_some() {
                        return Progress::Over;
                    }
                    self.begin(job);
                }
            }
        }
    }

    pub fn apply(&mut self, evaluation: &Evaluation) {
        self.search.apply(&self.leaf, evaluation);
    }

    /// Actions played so far.
    pub fn actions(&self) -> usize {
        self.record.choices.len()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.resigned.or_else(|| self.game.outcome())
    }

    /// Resigns, or plays an action and notes what the search thought.
    fn decide(&mut self, job: &IterationJob<'_, G>) {
        let value = self.search.value();
        let is_open = self.search.proven().is_none();
        if self.kind != SearchKind::Opening && is_open && self.is_to_resign(job, value) {
            self.resigned = Some(Outcome::Win(self.game.to_move().other()));
            return;
        }
        self.search.policy(&mut self.policy);
        // The opening's choice changes the policy, which is not recorded then.
        let action = self.choose(job);
        let search = (self.kind == SearchKind::Full)
            .then(|| Searched::new(&self.policy, value, self.search.surprise(&self.policy)));
        self.search.advance(action);
        self.play(Choice { action, search });
    }

    fn is_to_resign(&self, job: &IterationJob<'_, G>, [win, draw, _]: Wdl) -> bool {
        let score = win + draw / 2.0;
        !self.record.played_out && job.resign_below.is_some_and(|limit| score < limit)
    }

    fn choose(&mut self, job: &IterationJob<'_, G>) -> Action {
        let settings = job.settings;
        if self.kind == SearchKind::Opening {
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

    pub fn into_record(self) -> GameRecord {
        let outcome = self.outcome().expect("only finished games are recorded");
        let resigned = self.resigned.is_some();
        GameRecord { outcome, plies: self.game.ply(), resigned, ..self.record }
    }
}
