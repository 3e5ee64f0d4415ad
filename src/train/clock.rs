//! The time that a run may take.

use std::str::FromStr;
use std::time::{Duration, Instant};

use crate::base::duration;

/// Time that a run is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Allowance {
    /// Time in all, with what it took before.
    Whole(Duration),
    /// Time from now on.
    More(Duration),
}

impl FromStr for Allowance {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.strip_prefix('+') {
            Some(more) => duration::parse(more).map(Self::More),
            None => duration::parse(text).map(Self::Whole),
        }
    }
}

impl Allowance {
    /// The time in all, of a run that took `spent` before.
    fn whole(self, spent: Duration) -> Duration {
        match self {
            Self::Whole(whole) => whole,
            Self::More(more) => spent.saturating_add(more),
        }
    }
}

/// The clock of a training whose time is limited. The time of a run is that of its iterations and
/// evaluations, also by earlier processes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Clock {
    /// When this process began.
    begun: Instant,
    /// What the run took before.
    before: Duration,
    /// The time of the whole run, which the schedules span.
    whole: Duration,
    /// When this process stops, by the time of the run.
    until: Duration,
}

impl Clock {
    /// The clock of a process that began at `begun`, of a run that took `before` until then. It may
    /// stop earlier, after `stage` of the run.
    pub(super) fn new(
        begun: Instant,
        before: Duration,
        allowance: Allowance,
        stage: Option<Duration>,
    ) -> Self {
        let whole = allowance.whole(before);
        Self { begun, before, whole, until: stage.map_or(whole, |stage| stage.min(whole)) }
    }

    /// The time of the run until now.
    fn spent(&self) -> Duration {
        self.before.saturating_add(self.begun.elapsed())
    }

    /// The time until this process stops.
    pub(super) fn left(&self) -> Duration {
        self.until.saturating_sub(self.spent())
    }

    /// The time that this process has in all.
    pub(super) fn given(&self) -> Duration {
        self.until.saturating_sub(self.before)
    }

    /// The time of the whole run.
    pub(super) fn whole(&self) -> Duration {
        self.whole
    }

    /// Whether the run ends where this process does.
    pub(super) fn ends_run(&self) -> bool {
        self.until == self.whole
    }

    /// The share of the schedules that is done, if `reserve` of the time is for what comes after the
    /// last iteration.
    pub(super) fn done(&self, reserve: Duration) -> f64 {
        share(self.spent(), self.whole.saturating_sub(reserve))
    }
}

/// A part as a share of the whole, at most 1.
fn share(part: Duration, whole: Duration) -> f64 {
    match whole.is_zero() {
        true => 1.0,
        false => (part.as_secs_f64() / whole.as_secs_f64()).min(1.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn minutes(count: u64) -> Duration {
        Duration::from_secs(60 * count)
    }

    #[test]
    fn times_are_in_all_or_more() {
        assert_eq!("10m".parse(), Ok(Allowance::Whole(minutes(10))));
        assert_eq!("+20m".parse(), Ok(Allowance::More(minutes(20))));
        for wrong in ["+", "++1m", "10", "+-1m"] {
            assert!(wrong.parse::<Allowance>().unwrap_err().contains("is not a duration"));
        }
        assert_eq!(Allowance::Whole(minutes(10)).whole(minutes(4)), minutes(10));
        assert_eq!(Allowance::More(minutes(20)).whole(minutes(10)), minutes(30));
    }

    #[test]
    fn a_run_that_is_given_more_time_stands_where_it_would_have_stood() {
        let ago = |time| Instant::now().checked_sub(time).unwrap();
        let given = |allowance| Clock::new(Instant::now(), minutes(10), allowance, None);
        let resumed = given(Allowance::More(minutes(20)));
        let at_once =
            Clock::new(ago(minutes(10)), Duration::ZERO, Allowance::Whole(minutes(30)), None);
        for clock in [resumed, at_once, given(Allowance::Whole(minutes(30)))] {
            assert!((clock.done(Duration::ZERO) - 1.0 / 3.0).abs() < 0.01, "{clock:?}");
            assert!(clock.left() > minutes(19) && clock.left() <= minutes(20), "{clock:?}");
            assert!(clock.ends_run());
        }
        assert!(given(Allowance::Whole(minutes(10))).left().is_zero());
        assert_eq!([resumed.given(), at_once.given()], [minutes(20), minutes(30)]);
    }

    #[test]
    fn a_stage_stops_within_schedules_that_span_the_whole() {
        let whole = Allowance::Whole(minutes(30));
        let clock = Clock::new(Instant::now(), minutes(5), whole, Some(minutes(6)));
        assert!(clock.left() <= minutes(1) && !clock.ends_run());
        assert!((clock.done(minutes(5)) - 0.2).abs() < 0.01);
        assert!((Clock { whole: Duration::ZERO, ..clock }.done(Duration::ZERO) - 1.0).abs() < 1e-9);
    }
}
