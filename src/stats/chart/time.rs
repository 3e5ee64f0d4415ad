//! Units for a time axis.

/// A unit of time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TimeUnit {
    /// For times up to three minutes.
    Seconds,
    /// For times up to three hours.
    Minutes,
    /// For longer times.
    Hours,
}

impl TimeUnit {
    /// Returns the unit for an axis that ends at `seconds`.
    pub(crate) fn for_longest(seconds: f64) -> Self {
        match seconds {
            short if short <= 180.0 => Self::Seconds,
            medium if medium <= 10_800.0 => Self::Minutes,
            _ => Self::Hours,
        }
    }

    /// Converts seconds to this unit.
    pub(crate) fn of_seconds(self, seconds: f64) -> f64 {
        match self {
            Self::Seconds => seconds,
            Self::Minutes => seconds / 60.0,
            Self::Hours => seconds / 3600.0,
        }
    }

    /// Its name, in the plural.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Seconds => "seconds",
            Self::Minutes => "minutes",
            Self::Hours => "hours",
        }
    }
}
