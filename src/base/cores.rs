//! How busy the processor's cores are.

use std::time::{Duration, Instant};

/// A time that is being taken, by the clock and of all threads together.
#[derive(Clone, Copy, Debug)]
pub struct Watch {
    begun: Instant,
    used: Option<Duration>,
}

/// What a [`Watch`] has seen.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Spent {
    /// By the clock.
    pub time: Duration,
    /// The share of that time for which so many threads as there may be were at work; none where
    /// the system does not tell.
    pub cores: Option<f64>,
}

impl Watch {
    /// Begins.
    pub fn begin() -> Self {
        Self { begun: Instant::now(), used: used() }
    }

    /// What has been spent since, by a program of so many threads.
    pub fn spent(&self, threads: usize) -> Spent {
        let time = self.begun.elapsed();
        let used = used().zip(self.used).map(|(now, before)| now.saturating_sub(before));
        let whole = (time.as_secs_f64() * threads as f64).max(1e-9);
        Spent { time, cores: used.map(|used| used.as_secs_f64() / whole) }
    }
}

/// The time that all threads of this process together have been at work.
#[cfg(unix)]
fn used() -> Option<Duration> {
    use nix::time::{ClockId, clock_gettime};
    clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID).ok().map(Duration::from)
}

#[cfg(not(unix))]
fn used() -> Option<Duration> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(unix)]
    fn work_is_told_from_rest() {
        let rest = Watch::begin();
        std::thread::sleep(Duration::from_millis(50));
        let rest = rest.spent(1);
        let work = Watch::begin();
        while work.spent(1).time < Duration::from_millis(50) {}
        let work = work.spent(1);
        // Tests beside this one share the process, so rest may look like work, but not the other
        // way round.
        assert!(work.cores.is_some_and(|cores| cores > 0.0) && rest.cores.is_some());
        assert!(rest.time >= Duration::from_millis(50));
    }
}
