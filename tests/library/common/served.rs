//! A server with test players, stopped at the end of a test.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use anyhow::Result;

use super::hashed::Hashed;
use super::http::Client;
use super::running::Running;
use crate::answers::listing::{Kind, Listing};
use crate::games::Text;
use crate::play::players::{
    Budget, Chosen, Forfeit, Player, PlayerFactory, PlayerSeed, PlayerSpec, SearchPlayer,
};
use crate::registry::{Position, Variant};
use crate::search::{self, Evaluator, Wdl, copies};
use crate::server::{Limits, Players, ServerSettings, Solutions};

/// Evaluates like [`Hashed`], but waits while the gate is shut, and takes `time` for each batch.
#[derive(Clone)]
pub struct Gated {
    gate: Arc<AtomicBool>,
    time: Duration,
}

impl Evaluator for Gated {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        while self.gate.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(1));
        }
        std::thread::sleep(self.time);
        Hashed.evaluate(positions, policy, wdl);
    }
}

/// Search settings of the players that can analyse.
pub fn search_settings() -> search::Settings {
    search::Settings { cache_mib: 1, ..search::Settings::default() }
}

/// The player `thinker`, outside a server.
pub fn thinker() -> SearchPlayer {
    SearchPlayer::new(copies(&Hashed, 1), search_settings(), Budget::Otherwise(50))
}

struct Thinking(Gated);

impl PlayerFactory for Thinking {
    fn check(&self, _: &Variant) -> Result<()> {
        Ok(())
    }

    fn player(&self, _: &Variant) -> Result<Box<dyn Player>> {
        let budget = Budget::Otherwise(50);
        Ok(Box::new(SearchPlayer::new(copies(&self.0, 1), search_settings(), budget)))
    }
}

struct Named(PlayerSpec);

impl PlayerFactory for Named {
    fn check(&self, _: &Variant) -> Result<()> {
        Ok(())
    }

    fn player(&self, variant: &Variant) -> Result<Box<dyn Player>> {
        let PlayerSpec::Baseline(baseline) = &self.0 else { panic!("{:?}", self.0) };
        baseline.player(variant.game(), PlayerSeed { seed: 1, player: 0 })
    }
}

/// A player that panics when it should play.
struct Broken;

impl PlayerFactory for Broken {
    fn check(&self, _: &Variant) -> Result<()> {
        Ok(())
    }

    fn player(&self, _: &Variant) -> Result<Box<dyn Player>> {
        Ok(Box::new(Self))
    }
}

impl Player for Broken {
    fn unit(&self) -> Option<&'static str> {
        None
    }

    fn begin_game(&mut self, _: u64) {}

    fn choose_while(
        &mut self,
        _: &Position,
        _: &[Text],
        _: &dyn Fn() -> bool,
    ) -> Result<Chosen, Forfeit> {
        panic!("a player that is broken on purpose")
    }
}

/// The listing of a player in these tests.
pub fn listing(name: &str, thinks: bool) -> Listing {
    Listing {
        name: name.to_owned(),
        title: format!("The player {name}"),
        game: None,
        rules: None,
        kind: if thinks { Kind::Trained } else { Kind::Plain },
        thinks,
        simulations: thinks.then_some(50),
        levels: Vec::new(),
        facts: None,
    }
}

/// A server whose searches can be held up.
pub struct Served {
    pub client: Client,
    gate: Arc<AtomicBool>,
    _running: Running,
}

/// Settings of a server on a free port of this machine.
pub fn settings() -> ServerSettings {
    ServerSettings {
        host: "127.0.0.1".parse().unwrap(),
        port: 0,
        threads: 2,
        users: 50,
        time: Duration::from_secs(20),
        runs: PathBuf::from("no such folder"),
        threefold: false,
        page: None,
        token: None,
        origins: Vec::new(),
        limits: Limits::new(50),
    }
}

impl Served {
    /// Starts a server with the players `thinker`, `slow` (2 ms for each evaluation), `random`,
    /// `uct`, `alphabeta`, `perfect` and `broken`.
    pub fn new(settings: ServerSettings) -> Self {
        Self::with_solutions(settings, Solutions::default())
    }

    /// The same with solutions of games.
    pub fn with_solutions(settings: ServerSettings, solutions: Solutions) -> Self {
        let gate = Arc::new(AtomicBool::new(false));
        let mut players = Players::new();
        for (name, time) in [("thinker", 0), ("slow", 2)] {
            let evaluator = Gated { gate: Arc::clone(&gate), time: Duration::from_millis(time) };
            players.add(vec![listing(name, true)], Thinking(evaluator));
        }
        for name in ["random", "uct", "alphabeta", "perfect"] {
            players.add(vec![listing(name, false)], Named(name.parse().unwrap()));
        }
        players.add(vec![listing("broken", false)], Broken);
        let running = Running::with_solutions(settings, players, solutions);
        Self { client: running.client, gate, _running: running }
    }

    /// Shuts or opens the gate: while it is shut, evaluations of `thinker` and `slow` wait.
    pub fn shut(&self, is_shut: bool) {
        self.gate.store(is_shut, Ordering::Relaxed);
    }
}
