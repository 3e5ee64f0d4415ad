//! The progress bar of self-play.

use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use super::Counters;
use crate::base::parallel::spawn;
use crate::base::progress::bar;

/// Calls `play`, which plays `games` games, and shows a bar meanwhile.
pub(crate) fn watch<T: Send>(
    games: u64,
    name: &str,
    counters: &Counters,
    play: impl FnOnce() -> T + Send,
) -> T {
    let (mut play, mut result) = (Some(play), None);
    watch_games(games, name, counters, &mut || result = play.take().map(|play| play()));
    result.expect("the games were played")
}

/// The part of [`watch`] that does not depend on what is played.
fn watch_games(games: u64, name: &str, counters: &Counters, play: &mut (dyn FnMut() + Send)) {
    let bar = bar(games, name, "games");
    // Some games may have begun before they are watched.
    let (begun, before) = (Instant::now(), counters.evaluations.load(Ordering::Relaxed));
    std::thread::scope(|scope| {
        let work = spawn(scope, play);
        while !work.is_finished() {
            std::thread::sleep(Duration::from_millis(5));
            bar.set_position(counters.games.load(Ordering::Relaxed));
            let evaluations = counters.evaluations.load(Ordering::Relaxed) - before;
            let rate = evaluations as f64 / begun.elapsed().as_secs_f64();
            let [busy, fill, hits] =
                [counters.busy(), counters.fill(), counters.hit_rate()].map(|share| 100.0 * share);
            bar.set_message(format!(
                "{rate:.0} eval/s, busy {busy:.0}% full {fill:.0}% cached {hits:.0}%"
            ));
        }
        bar.finish_and_clear();
        work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    })
}
