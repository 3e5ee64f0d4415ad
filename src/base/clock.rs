//! The clock: that of the system, or of the page where there is no system.

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub(crate) use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub(crate) use page::Instant;

/// A page in a browser, which runs the program as WebAssembly.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod page {
    use std::ops::Add;
    use std::time::Duration;

    #[allow(unsafe_code)]
    mod imported {
        // SAFETY: every page that loads the program passes a function of this name and type, or the
        // browser refuses to load it. It may be called at any time.
        #[link(wasm_import_module = "page")]
        unsafe extern "C" {
            /// Milliseconds since some moment, never fewer than before.
            safe fn now() -> f64;
        }

        pub(super) fn milliseconds() -> f64 {
            now()
        }
    }

    /// As [`std::time::Instant`].
    #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
    pub struct Instant(Duration);

    impl Instant {
        pub(crate) fn now() -> Self {
            Self(Duration::from_secs_f64(imported::milliseconds().max(0.0) / 1000.0))
        }

        pub(crate) fn elapsed(&self) -> Duration {
            Self::now().0.saturating_sub(self.0)
        }

        pub(crate) fn checked_add(&self, duration: Duration) -> Option<Self> {
            self.0.checked_add(duration).map(Self)
        }

        pub(crate) fn saturating_duration_since(&self, earlier: Self) -> Duration {
            self.0.saturating_sub(earlier.0)
        }
    }

    impl Add<Duration> for Instant {
        type Output = Self;

        fn add(self, duration: Duration) -> Self {
            Self(self.0 + duration)
        }
    }
}
