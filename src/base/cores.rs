//! CPU utilisation of this process.

use std::time::{Duration, Instant};

/// A running measurement of wall-clock time and of the CPU time of all threads.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Watch {
    begun: Instant,
    used: Option<Duration>,
}

/// What a [`Watch`] has measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Spent {
    /// Wall-clock time.
    pub time: Duration,
    /// CPU time as a share of `time` multiplied by the number of threads, from 0 to 1. None
    /// where the system does not report CPU time.
    pub cores: Option<f64>,
}

impl Watch {
    /// Starts a measurement.
    pub(crate) fn begin() -> Self {
        Self { begun: Instant::now(), used: used() }
    }

    /// The time since [`begin`](Self::begin), for a program of `threads` threads.
    pub(crate) fn spent(&self, threads: usize) -> Spent {
        let time = self.begun.elapsed();
        let used = used().zip(self.used).map(|(now, before)| now.saturating_sub(before));
        let whole = (time.as_secs_f64() * threads as f64).max(1e-9);
        Spent { time, cores: used.map(|used| used.as_secs_f64() / whole) }
    }
}

/// The CPU time of all threads of this process together.
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
#[cfg(unix)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_measured() {
        let rest = Watch::begin();
        std::thread::sleep(Duration::from_millis(50));
        let rest = rest.spent(1);
        let work = Watch::begin();
        while work.spent(1).time < Duration::from_millis(50) {}
        let work = work.spent(1);
        // Other tests run in the same process, so their CPU time may be counted while this one
        // sleeps.
        assert!(work.cores.is_some_and(|cores| cores > 0.0) && rest.cores.is_some());
        assert!(rest.time >= Duration::from_millis(50));
    }
}
