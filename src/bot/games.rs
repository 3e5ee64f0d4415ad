//! The games in progress, as the events of the journal make them.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::request::TheirGame;
use super::signature::Nonce;

/// The most errors that are remembered.
const MOST_FAILURES: usize = 20;

/// A line of the journal.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Seconds since 1970.
    pub time: u64,
    #[serde(flatten)]
    pub event: Event,
}

/// Something that happened.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub(super) enum Event {
    /// The first line.
    Bot(Header),
    /// A challenge was accepted.
    Challenge {
        #[serde(flatten)]
        of: TheirGame,
        #[serde(skip_serializing_if = "Option::is_none")]
        nonce: Option<Nonce>,
    },
    /// The server asked for a turn.
    Asked {
        gameid: String,
        #[serde(flatten)]
        of: TheirGame,
        /// The bot's time in hours.
        clock: f64,
        /// The turns so far.
        moves: Vec<String>,
        #[serde(skip_serializing_if = "Option::is_none")]
        nonce: Option<Nonce>,
    },
    /// A turn was found, as the server writes it.
    Chosen { gameid: String, ply: usize, turn: String },
    /// Nothing more is to be done about a turn.
    Settled { gameid: String, ply: usize, how: Settlement },
    /// Something failed, and is tried again.
    Failed { gameid: String, ply: usize, error: String },
    /// The nonces of the last requests.
    Nonces { nonces: Vec<Nonce> },
}

/// What is fixed for a journal.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Header {
    /// Version of the journal.
    pub format: u32,
    /// The kind of server.
    pub server: String,
    /// The fingerprint of the account.
    pub account: String,
}

/// How a turn ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Settlement {
    /// The server accepted it.
    Accepted,
    /// The server accepted it, and it ended the game.
    Over,
    /// The server says that it is not the bot's turn: it has the turn already, or time ran out.
    NotOurTurn,
    /// The server does not have the game any more.
    Gone,
    /// The bot could not send it, in many attempts or before its time was over.
    GivenUp,
}

impl Settlement {
    /// Whether the server has the turn, so that it must not be sent again.
    fn is_accepted(self) -> bool {
        matches!(self, Self::Accepted | Self::Over)
    }

    /// Whether the game has ended.
    fn is_end(self) -> bool {
        matches!(self, Self::Over | Self::Gone)
    }
}

/// How far the bot is with a turn.
#[derive(Clone, PartialEq, Debug)]
pub(super) enum Progress {
    /// It waits for a search, or is being searched.
    Waiting,
    /// It is to be sent.
    Chosen(String),
    /// Nothing is to be done. The turn, if one was found.
    Settled(Option<String>, Settlement),
}

/// A game, at the last position that the server asked about.
#[derive(Clone, Debug)]
pub(super) struct Game {
    /// Which game it is.
    pub of: TheirGame,
    /// The turns so far.
    pub moves: Vec<String>,
    /// The bot's time in hours when it was asked.
    pub clock: f64,
    /// When that was.
    pub asked: u64,
    /// When something happened in it for the last time.
    pub changed: u64,
    /// How far the bot is with its turn.
    pub progress: Progress,
    /// Whether a search for the turn failed.
    is_stuck: bool,
    /// The number of the request, which differs from that of all others since the start.
    pub number: u64,
}

impl Game {
    /// Whether the bot has something to do in it.
    pub(super) fn is_open(&self) -> bool {
        !matches!(self.progress, Progress::Settled(..))
    }

    /// Whether the bot knows that it has ended.
    fn is_over(&self) -> bool {
        matches!(self.progress, Progress::Settled(_, how) if how.is_end())
    }

    /// The turn that was found.
    fn turn(&self) -> Option<&str> {
        match &self.progress {
            Progress::Waiting => None,
            Progress::Chosen(turn) => Some(turn),
            Progress::Settled(turn, _) => turn.as_deref(),
        }
    }
}

/// What a request is, in the light of what is known of its game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Verdict {
    /// A position to play in.
    New,
    /// The position that the bot is busy with.
    Busy,
    /// A position in which the bot has played.
    Played,
    /// The position after the bot's turn, from before the other player's.
    TooEarly,
    /// A position before those that the bot has played in.
    Old,
}

/// Something that failed.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    /// Seconds since 1970.
    pub time: u64,
    /// The game.
    pub gameid: String,
    /// The number of turns before.
    pub ply: usize,
    /// What failed.
    pub error: String,
}

/// All games, and what else the journal has.
#[derive(Default)]
pub(super) struct Games {
    /// By the server's name of the game.
    games: BTreeMap<String, Game>,
    /// Accepted challenges whose games have not begun, and when they were accepted.
    challenges: Vec<(u64, TheirGame)>,
    failures: VecDeque<Failure>,
    nonces: Vec<Nonce>,
    /// When the server last asked something.
    contact: Option<u64>,
    /// The number of the next request.
    next: u64,
}

impl Games {
    /// The game of this name.
    pub(super) fn get(&self, gameid: &str) -> Option<&Game> {
        self.games.get(gameid)
    }

    /// All games by their names.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&String, &Game)> {
        self.games.iter()
    }

    /// The last errors, the oldest first.
    pub(super) fn failures(&self) -> impl Iterator<Item = &Failure> {
        self.failures.iter()
    }

    /// When the server last asked something.
    pub(super) fn contact(&self) -> Option<u64> {
        self.contact
    }

    /// The nonces of the last requests.
    pub(super) fn nonces(&self) -> &[Nonce] {
        &self.nonces
    }

    /// The games that have not ended, as far as the bot knows.
    pub(super) fn in_progress(
        &self,
        now: u64,
        idle: Duration,
    ) -> impl Iterator<Item = (&String, &Game)> {
        let is_recent = move |game: &Game| now.saturating_sub(game.changed) <= idle.as_secs();
        self.iter().filter(move |(_, game)| !game.is_over() && (game.is_open() || is_recent(game)))
    }

    /// The number of accepted challenges whose games have not begun.
    pub(super) fn accepted(&self, now: u64, idle: Duration) -> usize {
        let is_recent = |time: u64| now.saturating_sub(time) <= idle.as_secs();
        self.challenges.iter().filter(|(time, _)| is_recent(*time)).count()
    }

    /// What a request for a turn is.
    pub(super) fn verdict(&self, gameid: &str, of: &TheirGame, moves: &[String]) -> Verdict {
        let Some(game) = self.get(gameid).filter(|game| game.of == *of) else {
            return Verdict::New;
        };
        let known = &game.moves;
        if moves == known {
            return match &game.progress {
                Progress::Settled(_, how) if how.is_accepted() => Verdict::Played,
                Progress::Settled(..) => Verdict::New,
                Progress::Waiting if game.is_stuck => Verdict::New,
                Progress::Waiting | Progress::Chosen(_) => Verdict::Busy,
            };
        }
        match moves.strip_prefix(&known[..]) {
            Some([turn]) if Some(turn.as_str()) == game.turn() => Verdict::TooEarly,
            _ if known.starts_with(moves) => Verdict::Old,
            _ => Verdict::New,
        }
    }

    /// Applies an event. One about a position that is not the last of its game changes nothing.
    pub(super) fn apply(&mut self, time: u64, event: &Event) {
        match event {
            Event::Bot(_) => {}
            Event::Challenge { of, nonce } => {
                self.challenges.push((time, of.clone()));
                self.asked(time, nonce.as_ref());
            }
            Event::Asked { gameid, of, clock, moves, nonce } => {
                self.asked(time, nonce.as_ref());
                let before = self.games.remove(gameid);
                if before.is_none()
                    && let Some(begun) = self.challenges.iter().position(|(_, it)| it == of)
                {
                    self.challenges.remove(begun);
                }
                // What was not accepted is tried again.
                let turn = before
                    .filter(|game| game.moves == *moves && game.of == *of)
                    .and_then(|game| game.turn().map(str::to_owned));
                let progress = turn.map_or(Progress::Waiting, Progress::Chosen);
                let (of, moves) = (of.clone(), moves.clone());
                let (clock, asked, changed, number) = (*clock, time, time, self.next);
                self.next += 1;
                let is_stuck = false;
                let game = Game { of, moves, clock, asked, changed, progress, is_stuck, number };
                self.games.insert(gameid.clone(), game);
            }
            Event::Chosen { gameid, ply, turn } => {
                self.change(time, gameid, *ply, |game| {
                    game.progress = Progress::Chosen(turn.clone());
                });
            }
            Event::Settled { gameid, ply, how } => {
                self.change(time, gameid, *ply, |game| {
                    let turn = game.turn().map(str::to_owned);
                    game.progress = Progress::Settled(turn, *how);
                });
            }
            Event::Failed { gameid, ply, error } => {
                self.change(time, gameid, *ply, |game| {
                    // What is searched cannot have failed to be sent.
                    game.is_stuck = game.progress == Progress::Waiting;
                });
                if self.failures.len() == MOST_FAILURES {
                    self.failures.pop_front();
                }
                let (gameid, error) = (gameid.clone(), error.clone());
                self.failures.push_back(Failure { time, gameid, ply: *ply, error });
            }
            Event::Nonces { nonces } => self.nonces.extend(nonces.iter().cloned()),
        }
    }

    fn asked(&mut self, time: u64, nonce: Option<&Nonce>) {
        self.contact = self.contact.max(Some(time));
        self.nonces.extend(nonce.cloned());
    }

    fn change(&mut self, time: u64, gameid: &str, ply: usize, change: impl FnOnce(&mut Game)) {
        if let Some(game) = self.games.get_mut(gameid).filter(|game| game.moves.len() == ply) {
            game.changed = game.changed.max(time);
            change(game);
        }
    }

    /// Forgets what no longer counts at the time `now`: games without a word for the time `idle`,
    /// whatever became of them, and nonces of requests that are too old.
    pub(super) fn forget(&mut self, now: u64, idle: Duration) {
        let is_recent = |time: u64| now.saturating_sub(time) <= idle.as_secs();
        self.games.retain(|_, game| is_recent(game.changed));
        self.challenges.retain(|(time, _)| is_recent(*time));
        self.nonces.retain(|nonce| nonce.until >= now);
    }

    /// The events that lead here.
    pub(super) fn entries(&self) -> Vec<Entry> {
        let mut entries = Vec::new();
        let mut add = |time, event| entries.push(Entry { time, event });
        // Before the games, whose next searches may end well.
        for Failure { time, gameid, ply, error } in self.failures.iter().cloned() {
            add(time, Event::Failed { gameid, ply, error });
        }
        for (gameid, game) in &self.games {
            let (gameid, ply) = (gameid.clone(), game.moves.len());
            let Game { of, moves, clock, .. } = game.clone();
            add(game.asked, Event::Asked { gameid: gameid.clone(), of, clock, moves, nonce: None });
            if let Some(turn) = game.turn().map(str::to_owned) {
                add(game.changed, Event::Chosen { gameid: gameid.clone(), ply, turn });
            }
            if let Progress::Settled(_, how) = game.progress {
                add(game.changed, Event::Settled { gameid, ply, how });
            }
        }
        // After the games, which would be taken for those of the challenges.
        for (time, of) in &self.challenges {
            add(*time, Event::Challenge { of: of.clone(), nonce: None });
        }
        if !self.nonces.is_empty() {
            add(self.contact.unwrap_or_default(), Event::Nonces { nonces: self.nonces.clone() });
        }
        entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DAY: u64 = 86_400;

    fn susan() -> TheirGame {
        TheirGame { name: "susan".to_owned(), variants: Vec::new() }
    }

    fn turns(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    fn asked(moves: &str) -> Event {
        let (gameid, of, moves) = ("g".to_owned(), susan(), turns(moves));
        Event::Asked { gameid, of, clock: 48.0, moves, nonce: None }
    }

    fn chosen(ply: usize, turn: &str) -> Event {
        Event::Chosen { gameid: "g".to_owned(), ply, turn: turn.to_owned() }
    }

    fn settled(ply: usize, how: Settlement) -> Event {
        Event::Settled { gameid: "g".to_owned(), ply, how }
    }

    fn failed(error: impl ToString) -> Event {
        Event::Failed { gameid: "g".to_owned(), ply: 1, error: error.to_string() }
    }

    fn after(events: &[Event]) -> Games {
        let mut games = Games::default();
        (100..).zip(events).for_each(|(time, event)| games.apply(time, event));
        games
    }

    #[test]
    fn a_position_is_played_once() {
        let verdict =
            |events: &[Event], moves: &str| after(events).verdict("g", &susan(), &turns(moves));
        assert_eq!(verdict(&[], "a1"), Verdict::New);
        let begun = [asked("a1")];
        assert_eq!(verdict(&begun, "a1"), Verdict::Busy);
        assert_eq!(verdict(&begun, "a1 a2 a3"), Verdict::New, "the server has gone on");
        let chosen = [asked("a1"), chosen(1, "b1")];
        assert_eq!(verdict(&chosen, "a1"), Verdict::Busy);
        let accepted = [chosen[0].clone(), chosen[1].clone(), settled(1, Settlement::Accepted)];
        assert_eq!(verdict(&accepted, "a1"), Verdict::Played);
        assert_eq!(verdict(&accepted, "a1 b1 c1"), Verdict::New);
        assert_eq!(verdict(&accepted, "a1 b1"), Verdict::TooEarly);
        assert_eq!(verdict(&accepted, ""), Verdict::Old);
        assert_eq!(verdict(&accepted, "a2"), Verdict::New, "another position");
        let stuck = [asked("a1"), failed("no")];
        assert_eq!(verdict(&stuck, "a1"), Verdict::New, "its search failed");
        let unsent = [asked("a1"), chosen[1].clone(), failed("no")];
        assert_eq!(verdict(&unsent, "a1"), Verdict::Busy);
        let refused = [chosen[0].clone(), chosen[1].clone(), settled(1, Settlement::NotOurTurn)];
        assert_eq!(verdict(&refused, "a1"), Verdict::New, "asked for again");
        let mut games = after(&refused);
        games.apply(200, &asked("a1"));
        assert_eq!(games.get("g").unwrap().progress, Progress::Chosen("b1".to_owned()));
    }

    #[test]
    fn what_comes_too_late_changes_nothing() {
        let games = after(&[asked("a1"), asked("a1 b1 c1"), chosen(1, "b1")]);
        assert_eq!(games.get("g").unwrap().progress, Progress::Waiting);
        let games = after(&[settled(0, Settlement::Over), chosen(3, "a1")]);
        assert!(games.get("g").is_none());
    }

    #[test]
    fn games_count_until_they_are_over_or_idle() {
        let count = |events: &[Event], now| {
            let (games, idle) = (after(events), Duration::from_secs(14 * DAY));
            games.in_progress(now, idle).count() + games.accepted(now, idle)
        };
        let challenge = Event::Challenge { of: susan(), nonce: None };
        assert_eq!(count(&[challenge.clone(), challenge.clone()], 200), 2);
        assert_eq!(count(std::slice::from_ref(&challenge), 15 * DAY), 0, "its game never began");
        let game = [challenge.clone(), challenge, asked("a1"), chosen(1, "b1")];
        assert_eq!(count(&game, 200), 2, "one of the challenges became the game");
        let ended = |how| [&game[2..], &[settled(1, how)]].concat();
        for (how, now, expected) in [
            (Settlement::Accepted, 200, 1),
            (Settlement::Accepted, 15 * DAY, 0),
            (Settlement::Over, 200, 0),
            (Settlement::Gone, 200, 0),
            (Settlement::NotOurTurn, 200, 1),
        ] {
            assert_eq!(count(&ended(how), now), expected, "{how:?} {now}");
        }
        assert_eq!(count(&game[2..], 15 * DAY), 1, "its turn is not sent yet");
    }

    #[test]
    fn the_events_of_a_state_lead_to_it() {
        let nonce = Some(Nonce { until: 400, text: "n".to_owned() });
        let challenge = Event::Challenge { of: susan(), nonce };
        let all = [
            challenge.clone(),
            challenge,
            asked("a1"),
            chosen(1, "b1"),
            failed("no"),
            settled(1, Settlement::GivenUp),
        ];
        for length in 0..=all.len() {
            let entries = after(&all[..length]).entries();
            let mut again = Games::default();
            entries.iter().for_each(|entry| again.apply(entry.time, &entry.event));
            assert_eq!(again.entries(), entries, "{length}");
            let text = |entry: &Entry| serde_json::to_string(entry).unwrap();
            let read = |entry| serde_json::from_str::<Entry>(&text(entry)).unwrap();
            assert_eq!(entries.iter().map(read).collect::<Vec<_>>(), entries);
        }
        let mut games = after(&all);
        games.forget(15 * DAY, Duration::from_secs(14 * DAY));
        assert_eq!(games.entries().len(), 1, "only the error");
    }

    #[test]
    fn the_last_errors_are_kept() {
        let games = after(&(0..50).map(failed).collect::<Vec<_>>());
        let errors: Vec<_> = games.failures().map(|it| it.error.as_str()).collect();
        assert_eq!((errors.len(), errors[0], errors[19]), (20, "30", "49"));
    }
}
