//! The server behind `tavoliere serve`: the web page and its HTTP interface.
//!
//! The server keeps no games: every request contains a game, its rules and the turns so far. One
//! thread handles all requests and never searches. Searches wait in a queue for threads of their
//! own, and share the time within which every answer is due. [`Limits`] bound what clients can take
//! of the server. `docs/serve.md` documents the interface. [`Server::bind`] is the place to begin.

mod assets;
mod body;
mod budget;
mod compression;
mod connections;
mod events;
mod guard;
mod http;
mod limits;
mod networks;
mod origins;
mod parameters;
mod patience;
mod players;
mod queue;
mod records;
mod refusal;
mod report;
mod routes;
mod runs;
mod searches;
pub(crate) mod site;
mod socket;
mod solutions;
mod tail;
mod token;

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use axum::body::Bytes;
use tokio::sync::{Semaphore, watch};

#[cfg(feature = "bot")]
pub(crate) use body::Reading;
pub(crate) use budget::BodyMemory;
pub(crate) use http::{HttpServer, Stop};
pub(crate) use limits::Limits;
pub(crate) use origins::Origin;
pub(crate) use players::Players;
#[cfg(feature = "bot")]
pub(crate) use refusal::{Refusal, json};
#[cfg(test)]
pub(crate) use routes::paths;
pub(crate) use solutions::Solutions;
pub(crate) use token::Token;

use assets::Page;
use guard::Guard;
use http::stopped;
use queue::Queue;
use runs::Runs;

use crate::answers::{boards, rulebooks};

/// Number of threads that read files and records.
const READERS: usize = 8;

/// Settings of a server.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ServerSettings {
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
    /// What requests must have; `None` to answer everybody who can connect.
    pub token: Option<Token>,
    /// The origins of pages elsewhere that may use the interface.
    pub origins: Vec<Origin>,
    /// What clients may take of the server.
    pub limits: Limits,
}

/// State shared by the request handlers.
struct App {
    players: Players,
    solutions: Solutions,
    queue: Queue,
    runs: Runs,
    /// One permit for each client that may follow the metrics of a run.
    listeners: Arc<Semaphore>,
    page: Page,
    /// The list of games, as JSON.
    games: Bytes,
    /// The list of families of games, as JSON.
    families: Bytes,
    guard: Guard,
    limits: Limits,
    budget: BodyMemory,
    stopping: watch::Receiver<bool>,
    /// Whether the third occurrence of a position is a draw.
    threefold: bool,
}

/// A server that is already listening.
pub(crate) struct Server {
    http: HttpServer,
    app: Arc<App>,
}

impl Server {
    /// Creates a server and starts to listen.
    ///
    /// # Errors
    ///
    /// If it cannot listen on the address, or cannot start the search threads.
    pub(crate) fn bind(
        settings: ServerSettings,
        players: Players,
        solutions: Solutions,
    ) -> Result<Self> {
        let address = SocketAddr::new(settings.host, settings.port);
        let http = HttpServer::bind(address, READERS).with_context(|| {
            format!("cannot listen on {address}; use --port 0 for any free port")
        })?;
        let (port, stopping) = (http.address().port(), http.stopping());
        let app = Arc::new(App::new(settings, players, solutions, port, stopping)?);
        Ok(Self { http, app })
    }

    /// Returns the address that it listens on.
    pub(crate) fn address(&self) -> SocketAddr {
        self.http.address()
    }

    /// Returns a handle that stops it.
    pub(crate) fn stop(&self) -> Stop {
        self.http.stop()
    }

    /// Answers requests until the server is stopped.
    pub(crate) fn run(self) {
        let limits = self.app.limits;
        self.http.run(routes::router(self.app), limits);
    }
}

impl App {
    fn new(
        settings: ServerSettings,
        players: Players,
        solutions: Solutions,
        port: u16,
        stopping: watch::Receiver<bool>,
    ) -> Result<Self> {
        Ok(Self {
            players: players.for_threads(settings.threads),
            solutions,
            queue: Queue::new(settings.threads, settings.users, settings.time)?,
            runs: Runs::new(settings.runs),
            listeners: Arc::new(Semaphore::new(settings.limits.listeners)),
            page: Page::new(settings.page),
            games: boards::catalogue()?.into(),
            families: rulebooks::catalogue()?.into(),
            guard: Guard::new(settings.host, port, settings.token, settings.origins),
            limits: settings.limits,
            budget: BodyMemory::new(),
            threefold: settings.threefold,
            stopping,
        })
    }
}
