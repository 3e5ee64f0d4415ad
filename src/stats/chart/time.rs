//! Units for an axis of time.

/// What a time is told in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimeUnit {
    /// Up to three minutes.
    Seconds,
    /// Up to three hours.
    Minutes,
    /// Longer times.
    Hours,
}

impl TimeUnit {
    /// The unit for times of up to so many seconds.
    pub fn for_longest(seconds: f64) -> Self {
        match seconds {
            short if short <= 180.0 => Self::Seconds,
            medium if medium <= 10_800.0 => Self::Minutes,
            _ => Self::Hours,
        }
    }

    /// A time of so many seconds in this unit.
    pub fn of_seconds(self, seconds: f64) -> f64 {
        match self {
            Self::Seconds => seconds,
            Self::Minutes => seconds / 60.0,
            Self::Hours => seconds / 3600.0,
        }
    }

    /// Its name, in the plural.
    pub fn name(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Minutes => "minutes",
            Self::Hours => "hours",
        }
    }
}
