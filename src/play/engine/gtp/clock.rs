//! The clocks of both sides, set by the controller.

use std::time::Duration;

/// A turn gets the remaining main time divided by this; after 200 turns some time is left.
const SHARE: u32 = 25;

/// A turn's time divided by this is reserved for communication.
const RESERVE: u32 = 10;
/// The most time that is reserved.
const MOST_RESERVE: Duration = Duration::from_millis(100);
/// The most lag that is believed.
const MOST_LAG: Duration = Duration::from_secs(2);
/// The least time of a turn, whatever the clock says.
const LEAST: Duration = Duration::from_millis(1);

/// The time settings of a game: main time, then Canadian byo-yomi, which is a number of turns in
/// each period.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TimeSettings {
    /// Main time.
    pub main: Duration,
    /// Length of a period of byo-yomi.
    pub period: Duration,
    /// Turns in each period. With 0 turns and a period that is not 0 there is no time limit.
    pub turns: u32,
}

/// The remaining time of a side.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Left {
    time: Duration,
    /// Turns to play in that time; 0 in main time.
    turns: u32,
}

/// The clocks. They do not run before they are set.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Clock {
    settings: Option<TimeSettings>,
    left: [Option<Left>; 2],
    /// By how much the controller's clock ran ahead of this one in a turn, at most.
    lag: Duration,
    /// Whether a player has made a turn since its clock was set.
    is_spent: [bool; 2],
}

impl Clock {
    /// Sets both clocks.
    pub(super) fn set(&mut self, settings: TimeSettings) {
        let is_unlimited = settings.turns == 0 && !settings.period.is_zero();
        self.settings = (!is_unlimited).then_some(settings);
        self.restart();
    }

    /// Resets both clocks for a new game.
    pub(super) fn restart(&mut self) {
        let full = |settings: TimeSettings| match settings.main.is_zero() {
            true => Left { time: settings.period, turns: settings.turns },
            false => Left { time: settings.main, turns: 0 },
        };
        self.left = [self.settings.map(full); 2];
    }

    /// Sets the remaining time of a player, and the number of turns to play in it; 0 in main time.
    /// What this clock has more than that was lost on the way between engine and controller.
    pub(super) fn correct(&mut self, player: usize, time: Duration, turns: u32) {
        if let Some(own) =
            self.left[player].filter(|own| own.turns == turns && self.is_spent[player])
        {
            self.lag = self.lag.max(own.time.saturating_sub(time)).min(MOST_LAG);
        }
        self.is_spent[player] = false;
        self.left[player] = Some(Left { time, turns });
    }

    /// The time limit of a player's next turn; `None` for no limit.
    pub(super) fn allotment(&self, player: usize) -> Option<Duration> {
        let Left { time, turns } = self.left[player]?;
        let share = match (turns, self.settings) {
            (0, Some(settings)) if settings.turns > 0 => {
                // The byo-yomi after the main time may be used in each turn.
                time / SHARE + (settings.period / settings.turns).min(time)
            }
            (0, _) => time / SHARE,
            (turns, _) => time / turns,
        };
        let reserve = (share / RESERVE).min(MOST_RESERVE).max(self.lag);
        Some(share.saturating_sub(reserve).max(LEAST))
    }

    /// Subtracts the time that a turn took.
    pub(super) fn spend(&mut self, player: usize, taken: Duration) {
        self.is_spent[player] = true;
        let Some(left) = &mut self.left[player] else { return };
        let (period, turns) = self.settings.map_or((Duration::ZERO, 0), |it| (it.period, it.turns));
        let over = taken.saturating_sub(left.time);
        left.time = left.time.saturating_sub(taken);
        let is_over = match left.turns {
            0 => left.time.is_zero() && turns > 0,
            _ => {
                left.turns -= 1;
                left.turns == 0
            }
        };
        if is_over {
            *left = Left { time: period.saturating_sub(over), turns };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn clock(main: u32, period: u32, turns: u32) -> Clock {
        let mut clock = Clock::default();
        clock.set(TimeSettings { main: main * SECOND, period: period * SECOND, turns });
        clock
    }

    /// Plays `turns` turns that each take their time limit; returns the sum of the times.
    fn all_spent(mut clock: Clock, turns: u32) -> Duration {
        let mut sum = Duration::ZERO;
        for _ in 0..turns {
            let taken = clock.allotment(0).unwrap();
            clock.spend(0, taken);
            sum += taken;
        }
        sum
    }

    #[test]
    fn without_time_settings_turns_have_no_limit() {
        assert_eq!(Clock::default().allotment(0), None);
        assert_eq!(clock(60, 10, 0).allotment(1), None, "a period without turns is no limit");
    }

    #[test]
    fn main_time_lasts_for_a_long_game() {
        let all = all_spent(clock(100, 0, 0), 200);
        assert!(all < 100 * SECOND && all > 90 * SECOND, "{all:?}");
        // Without main time and byo-yomi a turn gets the least time.
        assert_eq!(clock(0, 0, 0).allotment(0), Some(LEAST));
    }

    #[test]
    fn byo_yomi_is_shared_by_its_turns_and_begins_again() {
        let mut clock = clock(0, 20, 5);
        let share = 4 * SECOND - MOST_RESERVE;
        assert_eq!(clock.allotment(0), Some(share));
        for _ in 0..4 {
            clock.spend(0, SECOND);
        }
        assert_eq!(clock.allotment(0), Some(16 * SECOND - MOST_RESERVE), "one turn is left");
        clock.spend(0, SECOND);
        assert_eq!(clock.allotment(0), Some(share), "a new period");
        assert_eq!(clock.allotment(1), Some(share), "the other clock stood still");
    }

    #[test]
    fn main_time_ends_in_byo_yomi() {
        let mut clock = clock(10, 20, 2);
        assert!(clock.allotment(0) > Some(9 * SECOND), "byo-yomi comes on top");
        clock.spend(0, 15 * SECOND);
        assert_eq!(clock.allotment(0), Some(7500 * SECOND / 1000 - MOST_RESERVE));
        clock.restart();
        assert!(clock.allotment(0) > Some(9 * SECOND));
    }

    #[test]
    fn a_lag_that_was_seen_is_kept_in_reserve() {
        let mut clock = clock(100, 0, 0);
        clock.correct(0, 100 * SECOND, 0);
        let before = clock.allotment(0).unwrap();
        clock.spend(0, SECOND);
        // The controller has counted 300 ms more.
        clock.correct(0, 99 * SECOND - 3 * SECOND / 10, 0);
        let after = clock.allotment(0).unwrap();
        assert_eq!(before, 4 * SECOND - MOST_RESERVE);
        assert_eq!(after, (99 * SECOND - 3 * SECOND / 10) / SHARE - 3 * SECOND / 10);
        // What it is told twice without a turn between, or after a break of an hour, is no lag.
        clock.correct(0, 90 * SECOND, 0);
        assert_eq!(clock.allotment(0), Some(90 * SECOND / SHARE - 3 * SECOND / 10));
        clock.spend(0, SECOND);
        clock.correct(0, 10 * SECOND, 0);
        assert_eq!(clock.allotment(0), Some(LEAST), "two seconds at most");
        clock.correct(0, 100 * SECOND, 0);
        assert_eq!(clock.allotment(0), Some(2 * SECOND));
    }

    #[test]
    fn time_left_overrides_the_clock() {
        let mut clock = clock(100, 20, 2);
        clock.correct(1, 10 * SECOND, 1);
        assert_eq!(clock.allotment(1), Some(10 * SECOND - MOST_RESERVE));
        let mut unset = Clock::default();
        unset.correct(0, 25 * SECOND, 0);
        assert_eq!(unset.allotment(0), Some(900 * SECOND / 1000));
    }
}
