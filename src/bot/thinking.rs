//! How long the bot thinks about a turn.
//!
//! Clocks on the server have hours, and searches are worth seconds: what a turn gets is the most
//! time of a turn, unless little time is left or many turns wait.

use std::time::Duration;

/// A turn gets at most the time left divided by this, as with the clocks of engines.
const SHARE: u32 = 25;

/// All turns that wait are to be played in the time left divided by this.
const RESERVE: u32 = 2;

/// The least time of a turn, whatever the clock says.
const LEAST: Duration = Duration::from_millis(100);

/// The server rounds to hours: up to half an hour may be missing.
const ROUNDING: f64 = 0.5;

/// The least time that is assumed to be left of a clock that says 0 hours.
const LEAST_HOURS: f64 = 1.0 / 12.0;

/// The most time that is assumed to be left.
const MOST_HOURS: f64 = 10_000.0;

/// The time left on a clock that showed `hours`, `ago` before now.
pub(super) fn left(hours: f64, ago: Duration) -> Duration {
    let hours = (hours - ROUNDING).clamp(LEAST_HOURS, MOST_HOURS);
    Duration::from_secs_f64(hours * 3600.0).saturating_sub(ago)
}

/// The time for a turn with so much time left, while `waiting` others wait for `threads` threads.
pub(super) fn time(left: Duration, waiting: usize, threads: usize, most: Duration) -> Duration {
    let turns = RESERVE as f64 * (waiting + 1) as f64 / threads.max(1) as f64;
    most.min(left / SHARE).min(left.div_f64(turns.max(1.0))).max(LEAST.min(most))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);
    const HOUR: Duration = Duration::from_secs(3600);

    #[test]
    fn what_is_left_counts_from_when_the_server_said_it() {
        assert_eq!(left(48.0, Duration::ZERO), 47 * HOUR + HOUR / 2);
        assert_eq!(left(48.0, 40 * HOUR), 7 * HOUR + HOUR / 2);
        assert_eq!(left(48.0, 48 * HOUR), Duration::ZERO);
        assert_eq!(left(0.0, Duration::ZERO), 300 * SECOND, "half an hour or none");
        assert_eq!(left(-3.0, Duration::ZERO), 300 * SECOND);
        assert_eq!(left(1e300, Duration::ZERO), 10_000 * HOUR);
    }

    #[test]
    fn a_turn_gets_the_most_time_unless_little_is_left() {
        let most = 30 * SECOND;
        assert_eq!(time(72 * HOUR, 0, 1, most), most);
        assert_eq!(time(300 * SECOND, 0, 1, most), 12 * SECOND);
        assert_eq!(time(Duration::ZERO, 0, 1, most), LEAST);
        assert_eq!(time(Duration::ZERO, 0, 1, SECOND / 100), SECOND / 100);
        assert_eq!(time(300 * SECOND, 0, 8, 600 * SECOND), 12 * SECOND, "however many threads");
    }

    #[test]
    fn turns_that_wait_share_the_time() {
        let most = 600 * SECOND;
        assert_eq!(time(24 * HOUR, 0, 1, most), most);
        // A day for 144 turns is ten minutes each; half of it is kept.
        assert_eq!(time(24 * HOUR, 143, 1, most), 300 * SECOND);
        assert_eq!(time(24 * HOUR, 143, 2, most), 600 * SECOND);
        let all: Duration = (0..1000).map(|waiting| time(HOUR, waiting, 1, most)).sum();
        assert!(all < 8 * HOUR, "{all:?}");
        assert_eq!(time(HOUR, usize::MAX - 1, 1, most), LEAST);
    }
}
