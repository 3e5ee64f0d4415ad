//! What the threads of a bot share: the journal, the queues, and what is done about requests.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::challenges::Terms;
use super::client::Client;
use super::games::{Event, Game, Games, Progress, Verdict};
use super::journal::Journal;
use super::key::PublicKey;
use super::nonces::{Known, Nonces};
use super::players::{BotPlayers, replayed};
use super::queue::Queue;
use super::request::{Challenge, Move};
use super::signature::Nonce;
use super::{now, shortened, thinking};
use crate::base::progress;
use crate::server::BodyMemory;

/// The most turns that may wait for a search or be sent. The server has as many games only if
/// `--games` is larger.
const MOST_TURNS: usize = 10_000;

/// A refused request is logged at most once in this time: anybody may send requests.
const QUIET: Duration = Duration::from_secs(60);

/// A turn that is to be searched or sent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Task {
    /// The server's name of the game.
    pub gameid: String,
    /// The number of the request, by which one that came later is noticed.
    pub number: u64,
    /// The number of attempts to send it.
    pub tries: u32,
}

/// Why a request is not taken.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Refused {
    /// It is not one that the bot can take.
    Unfit(String),
    /// There is no room for it now.
    Full,
}

/// What the threads of a bot share.
pub(super) struct Desk {
    /// The key that the server signs with.
    pub key: PublicKey,
    /// Who plays.
    pub players: BotPlayers,
    /// Sends turns.
    pub client: Client,
    /// Turns to search, by the time that is left for them.
    pub searches: Queue<Task>,
    /// Turns to send.
    pub sends: Queue<Task>,
    /// The memory for large requests.
    pub memory: BodyMemory,
    journal: Mutex<Journal>,
    nonces: Mutex<Nonces>,
    refused: Mutex<RefusedRequests>,
    terms: Terms,
    /// The numbers of threads that search and that send.
    threads: [usize; 2],
    /// The most time of a turn.
    time: Duration,
}

/// Requests that were refused and are not logged yet.
#[derive(Default)]
struct RefusedRequests {
    logged: Option<Instant>,
    since: u64,
}

impl Desk {
    pub(super) fn new(
        key: PublicKey,
        players: BotPlayers,
        client: Client,
        journal: Journal,
        terms: Terms,
        threads: [usize; 2],
        time: Duration,
    ) -> Self {
        let mut nonces = Nonces::default();
        for nonce in journal.games().nonces() {
            nonces.add(nonce, now());
        }
        Self {
            key,
            players,
            client,
            searches: Queue::default(),
            sends: Queue::default(),
            memory: BodyMemory::new(),
            journal: Mutex::new(journal),
            nonces: Mutex::new(nonces),
            refused: Mutex::default(),
            terms,
            threads,
            time,
        }
    }

    fn journal(&self) -> MutexGuard<'_, Journal> {
        self.journal.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Resumes the turns that an earlier process left.
    pub(super) fn resume(&self) {
        let journal = self.journal();
        let open = journal.games().iter().filter(|(_, game)| game.is_open());
        let count = open.inspect(|(gameid, game)| self.enqueue(gameid, game)).count();
        if count > 0 {
            progress::say(&format!("{count} turns were left by the last start and are played now"));
        }
    }

    /// Adds a nonce.
    pub(super) fn add_nonce(&self, nonce: &Nonce, now: u64) -> Known {
        self.nonces.lock().unwrap_or_else(PoisonError::into_inner).add(nonce, now)
    }

    /// Logs why a request was refused, unless one was logged a moment ago.
    pub(super) fn log_refused(&self, reason: &str) {
        let mut refused = self.refused.lock().unwrap_or_else(PoisonError::into_inner);
        if refused.logged.is_some_and(|logged| logged.elapsed() < QUIET) {
            refused.since += 1;
            return;
        }
        let others = match std::mem::take(&mut refused.since) {
            0 => String::new(),
            others => format!("; {others} others since the last such line"),
        };
        refused.logged = Some(Instant::now());
        progress::say(&format!("a request was refused: {reason}{others}"));
    }

    /// Accepts or refuses a challenge.
    pub(super) fn challenge(&self, challenge: Challenge, nonce: Nonce) -> Result<(), Refused> {
        let title = challenge.of.title();
        let mut journal = self.journal();
        let (now, idle) = (now(), self.terms.idle);
        let games = journal.games();
        let games = games.in_progress(now, idle).count() + games.accepted(now, idle);
        let refusal = match self.players.find(&challenge.of) {
            Ok(_) => self.terms.refusal(&challenge, games),
            Err(error) => Some(format!("{error:#}")),
        };
        match refusal {
            None => {
                journal.note(Event::Challenge { of: challenge.of, nonce: Some(nonce) });
                let most = self.terms.games;
                progress::say(&format!(
                    "a challenge to {title} is accepted, game {} of {most}",
                    games + 1
                ));
                Ok(())
            }
            Some(reason) => {
                progress::say(&format!("a challenge to {title} is refused: {reason}"));
                Err(Refused::Unfit(reason))
            }
        }
    }

    /// Takes a position to play in. When this returns, the journal has it.
    pub(super) fn asked(&self, request: Move, nonce: Nonce) -> Result<(), Refused> {
        let taken = self.take(&request, nonce);
        if let Err(refused) = &taken {
            let reason = match refused {
                Refused::Unfit(reason) => reason,
                Refused::Full => "too many turns wait",
            };
            let (gameid, title) = (shortened(&request.gameid), request.of.title());
            progress::say(&format!("game {gameid} ({title}): no turn: {reason}"));
        }
        taken
    }

    fn take(&self, request: &Move, nonce: Nonce) -> Result<(), Refused> {
        let moves = request.turns().map_err(Refused::Unfit)?;
        let unfit = |error: anyhow::Error| Refused::Unfit(format!("{error:#}"));
        let chosen = self.players.find(&request.of).map_err(unfit)?;
        replayed(&chosen.variant, &moves).map_err(unfit)?;
        let Move { gameid, of, clock_curr, .. } = request.clone();
        let mut journal = self.journal();
        match journal.games().verdict(&gameid, &of, &moves) {
            Verdict::New => {
                if self.searches.len() + self.sends.len() >= MOST_TURNS {
                    return Err(Refused::Full);
                }
                let (clock, nonce) = (clock_curr, Some(nonce));
                journal.note(Event::Asked { gameid: gameid.clone(), of, clock, moves, nonce });
                if let Some(game) = journal.games().get(&gameid) {
                    self.enqueue(&gameid, game);
                }
            }
            // The server is there: what waits for another attempt need not wait longer.
            Verdict::Busy => self.sends.hasten(|task| task.gameid == gameid),
            Verdict::Played | Verdict::Old => {
                progress::say(&format!("game {gameid}: the bot has played in this position"));
            }
            Verdict::TooEarly => {
                let what = "the position is that after the bot's turn, in which others move";
                progress::say(&format!("game {gameid}: no turn: {what}"));
            }
        }
        Ok(())
    }

    /// Adds what is to be done in a game to its queue.
    fn enqueue(&self, gameid: &str, game: &Game) {
        let task = Task { gameid: gameid.to_owned(), number: game.number, tries: 0 };
        match game.progress {
            Progress::Waiting => self.searches.add(Instant::now() + left(game), task),
            Progress::Chosen(_) => self.sends.add(Instant::now(), task),
            Progress::Settled(..) => {}
        }
    }

    /// What a task is about; `None` if it is no longer to be done.
    pub(super) fn game_of(&self, task: &Task) -> Option<Game> {
        let journal = self.journal();
        let game = journal.games().get(&task.gameid)?;
        (game.number == task.number && game.is_open()).then(|| game.clone())
    }

    /// The time for the turn of a game.
    pub(super) fn time_for(&self, game: &Game) -> Duration {
        thinking::time(left(game), self.searches.len(), self.threads[0], self.time)
    }

    /// Adds an event about a task to the journal, unless the task is no longer to be done. Returns
    /// whether it still is.
    pub(super) fn note(&self, task: &Task, event: impl FnOnce(String, usize) -> Event) -> bool {
        let mut journal = self.journal();
        let game = journal.games().get(&task.gameid).filter(|game| game.number == task.number);
        let Some(ply) = game.map(|game| game.moves.len()) else { return false };
        journal.note(event(task.gameid.clone(), ply));
        true
    }

    /// Lets no more searches begin.
    pub(super) fn stop_searches(&self) {
        self.searches.close();
    }

    /// What is being done, for a bot that is told to stop.
    pub(super) fn present(&self) -> [usize; 2] {
        [self.searches.taken(), self.sends.len() + self.sends.taken()]
    }

    /// The last words of a bot.
    pub(super) fn farewell(&self) -> String {
        let journal = self.journal();
        let open = Games::iter(journal.games()).filter(|(_, game)| game.is_open()).count();
        match open {
            0 => "stopped; no turn is left to play".to_owned(),
            open => format!(
                "stopped; {open} turns are left in {} for the next start",
                journal.path().display()
            ),
        }
    }
}

/// The time left of the bot's clock.
pub(super) fn left(game: &Game) -> Duration {
    thinking::left(game.clock, Duration::from_secs(now().saturating_sub(game.asked)))
}
