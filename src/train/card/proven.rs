//! The accuracy of a network on positions whose correct turns are proven.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use anyhow::Result;

use super::Accuracy;
use crate::play::players::{Player, PlayerSeed, PlayerSetup, PlayerSpec};
use crate::play::positions::accuracy::measure;
use crate::play::positions::file::PositionFile;
use crate::play::positions::gather::{Request, gather};
use crate::play::positions::{Kind, SuitePosition, builtin};
use crate::registry::{self, Variant};
use crate::runs::players::LoadedPlayer;
use crate::runs::trained::{NamedCheckpoint, Trained};
use crate::stats::proportion::wilson;

/// Simulations of each search.
const SIMULATIONS: u32 = 100;

/// The most positions.
const MOST: usize = 120;

/// How long positions are looked for in a game without a test suite.
const SEARCHING: Duration = Duration::from_secs(2);

/// The accuracy of a network without the root prover; `None` if no positions are found.
///
/// # Errors
///
/// If the player cannot be loaded, or play.
pub(super) fn accuracy(checkpoint: NamedCheckpoint, variant: &Variant) -> Result<Option<Accuracy>> {
    let positions = match built_in(variant)? {
        found if found.is_empty() => gathered(variant),
        found => found,
    };
    if positions.is_empty() {
        return Ok(None);
    }
    let mut trained = Trained::of_checkpoint(checkpoint)?;
    trained.network.search.proofs.nodes = 0;
    let loaded = LoadedPlayer::of_trained(trained);
    let seed = PlayerSeed { seed: 1, player: 0 };
    let setup = PlayerSetup { seed, simulations: SIMULATIONS, threads: 1 };
    let instances = 0..rayon::current_num_threads().min(positions.len());
    let mut players: Vec<Box<dyn Player>> =
        instances.map(|_| loaded.player(variant, &setup)).collect::<Result<_>>()?;
    let solved = measure(&positions, &mut players, |_| ());
    let [correct, all] =
        [solved.iter().filter(|&&it| it).count(), solved.len()].map(|it| it as u64);
    let share = wilson(correct, all);
    Ok(share.map(|share| Accuracy { positions: all, correct, share, simulations: SIMULATIONS }))
}

/// Positions of the test suites that come with the program, spread over all kinds; none if the game
/// has none with these rules.
fn built_in(variant: &Variant) -> Result<Vec<SuitePosition>> {
    if registry::preset(variant.name).ok().as_ref() != Some(variant) {
        return Ok(Vec::new());
    }
    let mut all = Vec::new();
    for (name, text) in builtin::sets_of(variant.name) {
        all.extend(PositionFile::read(name, text)?.positions(variant)?);
    }
    all.retain(|position| position.matters());
    let step = all.len().div_ceil(MOST).max(1);
    Ok(all.into_iter().step_by(step).collect())
}

/// Positions from games of simple players; none if the game allows no proofs.
fn gathered(variant: &Variant) -> Vec<SuitePosition> {
    let players = ["alphabeta?nodes=500", "uct?rollouts=100"];
    let plain = |text: &str| match text.parse() {
        Ok(PlayerSpec::Baseline(plain)) => plain,
        _ => unreachable!("these players have no network"),
    };
    let request = Request {
        kinds: vec![Kind::Win(3), Kind::Win(5), Kind::Only(2), Kind::Only(4)],
        each: MOST / 4,
        horizon: 5,
        nodes: 50_000,
        games: 512,
        opening: 3,
        players: players.map(plain),
        seed: 1,
    };
    let threads = rayon::current_num_threads();
    let found = within(SEARCHING, |stop| gather(variant, &request, threads, stop, |_| ()));
    found.unwrap_or_default()
}

/// Does some work, and sets the flag that it looks at when the time is over.
fn within<T>(time: Duration, work: impl FnOnce(&AtomicBool) -> T) -> T {
    let stop = AtomicBool::new(false);
    let (done, is_done) = channel::<()>();
    thread::scope(|scope| {
        let stop = &stop;
        scope.spawn(move || {
            let waited = is_done.recv_timeout(time);
            stop.store(waited == Err(RecvTimeoutError::Timeout), Ordering::Relaxed);
        });
        let result = work(stop);
        drop(done);
        result
    })
}
