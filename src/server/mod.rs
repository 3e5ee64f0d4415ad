//! The server behind `tavoliere serve`: the web page and its HTTP interface.
//!
//! The server keeps no games: every request contains a game, its rules and the turns so far. One
//! thread handles all requests and never searches. Searches wait in a queue for threads of
//! their own, and share the time within which every answer is due. `docs/serve.md` documents the
//! interface. [`Server::bind`] is the place to begin.

mod assets;
mod boards;
mod body;
mod events;
mod guard;
mod player;
mod players;
mod queue;
mod records;
mod refusal;
mod routes;
mod runs;
mod searches;

use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::serve::ListenerExt;
use tokio::sync::{Semaphore, watch};

pub(crate) use players::{Kind, Listing, Players};
#[cfg(test)]
pub(crate) use routes::paths;
pub(crate) use searches::MAX_SIMULATIONS;

use assets::Page;
use queue::Queue;
use runs::Runs;

/// Time that open connections have to finish after the server is told to stop.
const SHUTDOWN_GRACE: Duration = Duration::from_secs(3);

/// Number of threads that read files and records.
const READERS: usize = 8;

/// Settings of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Settings {
    /// The address to listen on.
    pub host: IpAddr,
    /// The port; 0 for any free one.
    pub port: u16,
    /// Number of search threads.
    pub threads: usize,
    /// Number of searches that may wait or run at the same time.
    pub users: usize,
    /// Time limit of every answer.
    pub time: Duration,
    /// The folder of the training runs to show.
    pub runs: PathBuf,
    /// Whether the third occurrence of a position is a draw.
    pub threefold: bool,
    /// A folder whose files are served instead of the built-in page.
    pub page: Option<PathBuf>,
}

/// State shared by the request handlers.
struct App {
    players: Players,
    queue: Queue,
    runs: Runs,
    /// One permit for each client that may follow the metrics of a run.
    listeners: Arc<Semaphore>,
    page: Page,
    /// The list of games, as JSON.
    games: String,
    /// Whether the server listens on a loopback address.
    is_local: bool,
    stopping: watch::Receiver<bool>,
    /// Whether the third occurrence of a position is a draw.
    threefold: bool,
}

/// A server that is already listening.
pub(crate) struct Server {
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
    stop: Stop,
}

/// A handle that stops a server.
#[derive(Clone, Debug)]
pub(crate) struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Makes the server finish the open requests and then stop.
    pub(crate) fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Creates a server and starts to listen.
    ///
    /// # Errors
    ///
    /// If it cannot listen on the address, or cannot start the search threads.
    pub(crate) fn bind(settings: Settings, players: Players) -> Result<Self> {
        let address = SocketAddr::new(settings.host, settings.port);
        let listener = listen(address).with_context(|| {
            format!("cannot listen on {address}; use --port 0 for any free port")
        })?;
        let address = listener.local_addr().context("cannot read the address of the socket")?;
        let (sender, stopping) = watch::channel(false);
        let app = App {
            players: players.for_threads(settings.threads),
            queue: Queue::new(settings.threads, settings.users, settings.time)?,
            runs: Runs::new(settings.runs),
            listeners: Arc::new(Semaphore::new(events::MAX_LISTENERS)),
            page: Page::new(settings.page),
            games: boards::catalogue()?,
            is_local: settings.host.is_loopback(),
            threefold: settings.threefold,
            stopping,
        };
        Ok(Self { listener, address, app: Arc::new(app), stop: Stop(Arc::new(sender)) })
    }

    /// Returns the address that it listens on.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns a handle that stops it.
    pub(crate) fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Answers requests until the server is stopped.
    ///
    /// # Errors
    ///
    /// If the runtime cannot be started, or connections can no longer be accepted.
    pub(crate) fn run(self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(READERS)
            .build()
            .context("cannot start the server")?;
        let done = runtime.block_on(self.serve());
        // Do not wait for file reads whose clients are gone.
        runtime.shutdown_background();
        done.context("the server cannot accept connections")
    }

    async fn serve(self) -> io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        // Server-sent events are small: send each at once (no Nagle delay).
        let listener = listener.tap_io(|connection| {
            let _ = connection.set_nodelay(true);
        });
        let stopping = self.app.stopping.clone();
        let serving = axum::serve(listener, routes::router(self.app))
            .with_graceful_shutdown(stopped(stopping.clone()));
        tokio::select! {
            done = serving.into_future() => done,
            () = async {
                stopped(stopping).await;
                tokio::time::sleep(SHUTDOWN_GRACE).await;
            } => Ok(()),
        }
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Completes when the server is told to stop.
async fn stopped(mut stopping: watch::Receiver<bool>) {
    // The error case: the sender is gone, which also means stop.
    let _ = stopping.wait_for(|&stopping| stopping).await;
}
