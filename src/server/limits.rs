//! Limits on connections, and on the time that clients may take.

use std::time::Duration;

/// Connections that may be open besides those whose searches wait or run.
const OTHERS: usize = 200;

/// Open files that are left for everything but connections.
const RESERVED_FILES: usize = 64;

/// The most clients that may follow runs at the same time.
const MAX_LISTENERS: usize = 100;

/// What clients may take of the server.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Limits {
    /// Connections that may be open at the same time.
    pub connections: usize,
    /// Clients that may follow the metrics of runs at the same time.
    pub listeners: usize,
    /// Time from the opening of a connection, or from the end of an answer, until the head of a
    /// request must have arrived.
    pub head: Duration,
    /// Time within which the body of a request must arrive.
    pub body: Duration,
    /// Time after which a client that reads nothing of its answer is disconnected.
    pub write: Duration,
    /// Time that open requests have to finish after the server is told to stop.
    pub grace: Duration,
}

impl Limits {
    /// Returns the limits of a server where `users` searches may wait or run. The process must be
    /// able to have a file open for each connection.
    pub(crate) fn new(users: usize) -> Self {
        Self::within(users, open_files())
    }

    fn within(users: usize, files: usize) -> Self {
        let most = files.saturating_sub(RESERVED_FILES).max(files / 2).max(1);
        let connections = (users + OTHERS).min(most);
        Self {
            connections,
            listeners: MAX_LISTENERS.min(connections / 2),
            head: Duration::from_secs(10),
            body: Duration::from_secs(10),
            write: Duration::from_secs(20),
            grace: Duration::from_secs(3),
        }
    }
}

/// Returns how many files the process may have open.
#[cfg(unix)]
fn open_files() -> usize {
    use nix::sys::resource::{Resource, getrlimit};

    let (most, _) = getrlimit(Resource::RLIMIT_NOFILE).unwrap_or((256, 256));
    usize::try_from(most).unwrap_or(usize::MAX)
}

#[cfg(not(unix))]
fn open_files() -> usize {
    usize::MAX
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connections_leave_files_for_everything_else() {
        let limits = |users, files| {
            let Limits { connections, listeners, .. } = Limits::within(users, files);
            (connections, listeners)
        };
        assert_eq!(limits(50, usize::MAX), (250, 100));
        assert_eq!(limits(10_000, usize::MAX), (10_200, 100));
        assert_eq!(limits(10_000, 1024), (960, 100));
        assert_eq!(limits(50, 128), (64, 32));
        assert_eq!(limits(50, 20), (10, 5));
        assert_eq!(limits(50, 0), (1, 0));
    }
}
