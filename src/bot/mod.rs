//! A bot on AbstractPlay: an HTTP endpoint that the server tells of challenges and of its turns.
//!
//! What comes in: requests that the server has signed ([`endpoint`], [`signature`], [`nonces`]),
//! checked ([`request`], [`challenges`], [`players`]) and written to the journal ([`journal`],
//! [`games`]). The answer is given at once. What goes out: turns, which threads search
//! ([`searching`], [`thinking`]) and others send ([`sending`], [`client`], [`tokens`]), as often as
//! it takes. [`Bot::bind`] is the place to begin, `desk.rs` holds the rest together.
//!
//! A turn is played once. The journal has each position that the server asked about before the
//! server gets its answer, the turn before it is sent, and what came of it. So a process that is
//! killed searches and sends the rest after its next start. A turn whose answer was lost is sent
//! again, and the server refuses it if it has it: it is not the bot's turn then.

mod account;
mod challenges;
mod client;
mod desk;
mod endpoint;
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) mod foreign;
mod games;
mod journal;
mod key;
mod nonces;
mod players;
mod queue;
mod request;
mod searching;
mod sending;
mod signature;
mod status;
mod thinking;
mod tokens;

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result};

pub(crate) use account::Account;
pub(crate) use challenges::Terms;
pub(crate) use key::PublicKey;
pub(crate) use players::BotPlayers;
pub(crate) use status::Status;

use crate::base::progress;
use crate::server::{HttpServer, Limits};
use client::Client;
use desk::Desk;
use journal::Journal;

/// Number of threads that send turns.
const SENDERS: usize = 4;

/// Number of threads that check requests and write the journal.
const READERS: usize = 8;

/// Requests that are answered at the same time; the server's own are few.
const REQUESTS: usize = 50;

/// Time to send turns in once the bot is told to stop. The others wait for its next start.
const LAST_SENDS: Duration = Duration::from_secs(30);

/// Settings of a bot.
pub(crate) struct BotSettings {
    /// The address to listen on.
    pub listen: SocketAddr,
    /// Number of search threads.
    pub threads: usize,
    /// The most time for a turn.
    pub time: Duration,
    /// Which challenges to accept.
    pub terms: Terms,
    /// The most time for an answer of the server to a turn.
    pub answer: Duration,
    /// The folder of the journal.
    pub journal: PathBuf,
    /// The key that the server signs with.
    pub key: PublicKey,
}

/// A bot that is already listening.
pub(crate) struct Bot {
    http: HttpServer,
    desk: Arc<Desk>,
    threads: usize,
}

impl Bot {
    /// Opens the journal and starts to listen.
    ///
    /// # Errors
    ///
    /// If the journal is damaged, belongs to another account or is in use, or if the bot cannot
    /// listen on the address.
    pub(crate) fn bind(
        settings: BotSettings,
        account: Account,
        players: BotPlayers,
    ) -> Result<Self> {
        let BotSettings { listen, threads, time, terms, answer, journal, key } = settings;
        let journal = Journal::open(&journal, &account.fingerprint(), terms.idle)?;
        if journal.was_torn() {
            let path = journal.path().display();
            progress::say(&format!("the last line of {path} was cut off and is removed"));
        }
        let http = HttpServer::bind(listen, READERS)
            .with_context(|| format!("cannot listen on {listen}; choose another port"))?;
        let client = Client::new(account, answer);
        let desk = Desk::new(key, players, client, journal, terms, [threads, SENDERS], time);
        Ok(Self { http, desk: Arc::new(desk), threads })
    }

    /// Returns the address that it listens on.
    pub(crate) fn address(&self) -> SocketAddr {
        self.http.address()
    }

    /// Returns what stops it: no more requests are answered and no more searches begin.
    pub(crate) fn stop(&self) -> impl Fn() + Send + 'static {
        let (http, desk) = (self.http.stop(), Arc::clone(&self.desk));
        move || {
            desk.stop_searches();
            let [searches, sends] = desk.present();
            progress::say(&format!(
                "stopping: {searches} searches that have begun are finished and their turns sent, \
                 and {sends} others; press Ctrl-C again to stop at once"
            ));
            http.stop();
        }
    }

    /// Answers requests and plays until it is stopped. Searches that have begun are finished then,
    /// and their turns sent.
    ///
    /// # Errors
    ///
    /// If the system has no threads for it.
    pub(crate) fn run(self) -> Result<()> {
        let Self { http, desk, threads } = self;
        let searchers = started("search", threads, &desk, searching::search)?;
        let senders = started("send", SENDERS, &desk, sending::send)?;
        desk.resume();
        http.run(endpoint::router(Arc::clone(&desk)), Limits::new(REQUESTS));
        desk.stop_searches();
        searchers.into_iter().for_each(|thread| drop(thread.join()));
        desk.sends.finish(LAST_SENDS);
        senders.into_iter().for_each(|thread| drop(thread.join()));
        progress::say(&desk.farewell());
        Ok(())
    }
}

/// Starts `count` threads.
fn started(
    name: &str,
    count: usize,
    desk: &Arc<Desk>,
    work: fn(&Desk),
) -> Result<Vec<JoinHandle<()>>> {
    let start = |number| {
        let desk = Arc::clone(desk);
        let thread = thread::Builder::new().name(format!("{name} {number}"));
        thread
            .spawn(move || work(&desk))
            .with_context(|| format!("cannot start a thread to {name}"))
    };
    (0..count).map(start).collect()
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

/// A text from elsewhere, short enough for a log.
fn shortened(text: &str) -> String {
    const MOST: usize = 200;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}
