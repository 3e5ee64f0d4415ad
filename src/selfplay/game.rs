//! A self-play game in progress.

use rand::{Rng as _, RngExt};

use super::past::random_beginning;
use super::{Counters, IterationJob, pick, placement, resignation};
use crate::base::rng::{Purpose, Rng, stream};
use crate::games::{Action, Outcome};
use crate::registry::Position;
use crate::search::{Leaf, Plan, Search, SearchedGame, Searching, Wdl};
use crate::selfplay::record::{Choice, GameRecord, Searched};

/// How many placements are evaluated at most until neither side is expected to win.
const MAX_PLACEMENTS: u32 = 32;

/// A placement whose chances to win and to lose differ by less may begin a game.
const UNDECIDED: f32 = 0.5;

/// Why a position is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum SearchKind {
    /// To find out whether a placement is decided.
    Placement,
    /// To sample an action of the opening.
    Opening,
    /// To choose an action and to train on.
    Full,
}

/// A self-play game in progress.
pub(super) struct SelfplayGame<'a> {
    job: &'a IterationJob<'a>,
    counters: &'a Counters,
    game: Position,
    search: Search,
    leaf: Leaf,
    noise: Rng,
    selection: Rng,
    placement: Rng,
    kind: SearchKind,
    /// The number of turns of the opening.
    opening: u32,
    /// How many more placements can be evaluated, with the present one; 0 once the game has begun.
    placements: u32,
    resigned: Option<Outcome>,
    record: GameRecord,
    policy: Vec<(Action, f32)>,
}

impl<'a> SelfplayGame<'a> {
    /// Begins the game of this number.
    pub(super) fn new(job: &'a IterationJob<'a>, counters: &'a Counters, index: u64) -> Self {
        let stream = |purpose| stream(job.seed, job.iteration, index, purpose);
        let settings = job.settings;
        let mut start = stream(Purpose::Start);
        let played_out = start.random::<f32>() < settings.played_out_share;
        let mut new = Self {
            job,
            counters,
            game: job.variant.initial(),
            search: Search::new(*job.search),
            leaf: Leaf::default(),
            noise: stream(Purpose::Noise),
            kind: SearchKind::Full,
            opening: start.random_range(0..=settings.opening_plies),
            placements: 0,
            resigned: None,
            record: GameRecord {
                index,
                position: None,
                choices: Vec::new(),
                outcome: Outcome::Draw,
                plies: 0,
                resigned: false,
                played_out,
            },
            policy: Vec::new(),
            selection: stream(Purpose::Selection),
            placement: stream(Purpose::Placement),
        };
        let is_to_place = new.placement.random::<f32>() < settings.placement_share;
        if is_to_place && new.place() {
            new.placements = MAX_PLACEMENTS;
        } else if start.random::<f32>() < settings.restart_share {
            new.restart(&mut start);
        }
        new.begin();
        new
    }

    /// Plays the beginning of an earlier game, if there is one, up to a random position.
    fn restart(&mut self, rng: &mut Rng) {
        let job = self.job;
        let Some((past, choices)) = random_beginning(job.past, rng) else { return };
        self.game = past.start(job.variant);
        self.record.position.clone_from(&past.position);
        for choice in choices {
            self.play_action(Choice { action: choice.action, search: None });
        }
        self.opening = 0;
    }

    /// Begins at a random placement. Returns false if there is none.
    fn place(&mut self) -> bool {
        let job = self.job;
        let placement = placement::random(job.variant, job.past, &mut self.placement);
        if let Some(game) = placement {
            self.game = game;
            self.record.position = Some(game.position_text());
            self.opening = 0;
        }
        placement.is_some()
    }

    /// Begins the search of the current position.
    fn begin(&mut self) {
        let job = self.job;
        self.kind = if self.placements > 0 {
            SearchKind::Placement
        } else if self.game.ply() < self.opening {
            SearchKind::Opening
        } else {
            SearchKind::Full
        };
        let (simulations, noise) = match self.kind {
            SearchKind::Placement | SearchKind::Opening => (1, None),
            SearchKind::Full => (job.settings.simulations, Some(self.noise.next_u64())),
        };
        let plan =
            Plan { simulations: Some(simulations), noise, skip_forced: job.search.proofs.enabled };
        self.search.begin(self.game, plan);
    }

    fn outcome(&self) -> Option<Outcome> {
        self.resigned.or_else(|| self.game.outcome())
    }

    /// Begins at the placement that was evaluated if it is undecided, or tries another one.
    fn judge_placement(&mut self) {
        let [win, _, loss] = self.search.value();
        let is_undecided = (win - loss).abs() < UNDECIDED;
        let is_replaced = !is_undecided && self.placements > 1 && self.place();
        self.placements = if is_replaced { self.placements - 1 } else { 0 };
    }

    /// Resigns, or plays an action and records the search's policy and value.
    fn decide(&mut self) {
        let value = self.search.value();
        let is_open = self.search.proven().is_none();
        if self.kind != SearchKind::Opening && is_open && self.is_to_resign(value) {
            self.resigned = Some(Outcome::Win(self.game.to_move().other()));
            return;
        }
        self.search.policy(&mut self.policy);
        // In the opening `choose` changes the policy; it is not recorded then.
        let action = self.choose();
        let search = (self.kind == SearchKind::Full)
            .then(|| Searched::new(&self.policy, value, self.search.surprise(&self.policy)));
        self.search.advance(action);
        self.play_action(Choice { action, search });
        Counters::add(&self.counters.actions, 1);
    }

    fn is_to_resign(&self, value: Wdl) -> bool {
        let is_low = |limit| resignation::score(value) < limit;
        !self.record.played_out && self.job.resign_below.is_some_and(is_low)
    }

    fn choose(&mut self) -> Action {
        let settings = self.job.settings;
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

    fn play_action(&mut self, choice: Choice) {
        self.game.play(choice.action);
        self.record.choices.push(choice);
    }

    pub(super) fn into_record(self) -> GameRecord {
        let outcome = self.outcome().expect("only finished games are recorded");
        let resigned = self.resigned.is_some();
        let plies = self.game.ply() - self.record.start(self.job.variant).ply();
        GameRecord { outcome, plies, resigned, ..self.record }
    }
}

impl SearchedGame for SelfplayGame<'_> {
    type Context = ();

    fn is_over(&self) -> bool {
        self.outcome().is_some()
    }

    fn search(&mut self) -> Searching<'_> {
        Searching { player: 0, search: &mut self.search, leaf: &mut self.leaf }
    }

    fn play(&mut self, (): &mut ()) {
        match self.kind {
            SearchKind::Placement => self.judge_placement(),
            SearchKind::Opening | SearchKind::Full => self.decide(),
        }
        if !self.is_over() {
            self.begin();
        }
    }
}
