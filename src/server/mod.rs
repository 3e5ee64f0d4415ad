//! `tavoliere serve`: the page and the HTTP interface behind it.
//!
//! The server keeps no games: every request names a game, its rules and the turns so far. Requests
//! are taken by one thread that never searches; searches wait in a queue for threads of their own,
//! and each gets its fair share of the time in which all answers have to come. `docs/serve.md`
//! describes the interface for those who use it.

mod assets;
mod boards;
mod body;
mod desk;
mod events;
mod guard;
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

pub use players::{Kind, Listing, Players};
pub use routes::paths;
pub use searches::MOST_SIMULATIONS;

use assets::Page;
use queue::Queue;
use runs::Runs;

/// What is left to connections that are still open when the server is told to stop.
const LAST_ANSWERS: Duration = Duration::from_secs(3);

/// Threads that read files and records.
const READERS: usize = 8;

/// How a server is set up.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Settings {
    /// The address to listen on.
    pub host: IpAddr,
    /// The port; 0 for any that is free.
    pub port: u16,
    /// Threads that search.
    pub threads: usize,
    /// Searches that may wait or run at the same time.
    pub users: usize,
    /// In this time every answer has to come.
    pub time: Duration,
    /// The folder of the training runs that are shown.
    pub runs: PathBuf,
    /// A folder whose files take the place of the page built in.
    pub page: Option<PathBuf>,
}

/// What the handlers of requests share.
struct App {
    players: Players,
    queue: Queue,
    runs: Runs,
    /// Places for those who listen to runs.
    listeners: Arc<Semaphore>,
    page: Page,
    /// The list of games, as JSON.
    games: String,
    /// Whether only programs of this machine can connect.
    is_local: bool,
    stopping: watch::Receiver<bool>,
}

/// A server that listens already.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    app: Arc<App>,
    stop: Stop,
}

/// Tells a server to stop.
#[derive(Clone, Debug)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Has the server answer the requests that it has, and end.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl Server {
    /// Begins to listen.
    ///
    /// # Errors
    ///
    /// If the address is not to be had.
    pub fn bind(settings: Settings, players: Players) -> Result<Self> {
        let address = SocketAddr::new(settings.host, settings.port);
        let listener = listen(address).with_context(|| {
            format!("cannot listen on {address}; --port 0 takes any port that is free")
        })?;
        let address = listener.local_addr().context("cannot tell where the server listens")?;
        let (sender, stopping) = watch::channel(false);
        let app = App {
            players: players.seated_by(settings.threads),
            queue: Queue::new(settings.threads, settings.users, settings.time)?,
            runs: Runs::new(settings.runs),
            listeners: Arc::new(Semaphore::new(events::LISTENERS)),
            page: Page::new(settings.page),
            games: boards::catalogue()?,
            is_local: settings.host.is_loopback(),
            stopping,
        };
        Ok(Self { listener, address, app: Arc::new(app), stop: Stop(Arc::new(sender)) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What stops it.
    pub fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Answers requests until it is stopped.
    ///
    /// # Errors
    ///
    /// If connections can no longer be accepted.
    pub fn run(self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(READERS)
            .build()
            .context("cannot start the server")?;
        let done = runtime.block_on(self.serve());
        // Files that are being read for answers that nobody waits for are no reason to stay.
        runtime.shutdown_background();
        done.context("the server cannot go on")
    }

    async fn serve(self) -> io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.listener)?;
        // Events are small, and are not to wait for each other.
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
                tokio::time::sleep(LAST_ANSWERS).await;
            } => Ok(()),
        }
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let listener = TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Is over once the server is told to stop.
async fn stopped(mut stopping: watch::Receiver<bool>) {
    // An error means that nobody is left who could say so.
    let _ = stopping.wait_for(|&stopping| stopping).await;
}
