//! Complete turns: how to list, parse, play and count them.

use arrayvec::ArrayVec;
use thiserror::Error;

use super::{Action, Game, Outcome, Side, Text};

/// An upper bound on the actions of a turn. The longest is a step with four captures in Checkers
/// Gomoku, five actions.
pub const MAX_ACTIONS: usize = 8;

/// What turns are made of: all that listing, reading and playing them needs of a position.
///
/// Every [`Game`] has it, and so has a position of any game.
pub trait Playable: Copy {
    /// As [`Game::ply`].
    fn ply(&self) -> u32;

    /// As [`Game::outcome`].
    fn outcome(&self) -> Option<Outcome>;

    /// As [`Game::legal_actions`].
    fn legal_actions(&self, actions: &mut Vec<Action>);

    /// As [`Game::play`].
    fn play(&mut self, action: Action);

    /// As [`Game::action_text`].
    fn action_text(&self, action: Action) -> Text;
}

impl<G: Game> Playable for G {
    #[inline]
    fn ply(&self) -> u32 {
        Game::ply(self)
    }

    #[inline]
    fn outcome(&self) -> Option<Outcome> {
        Game::outcome(self)
    }

    #[inline]
    fn legal_actions(&self, actions: &mut Vec<Action>) {
        Game::legal_actions(self, actions);
    }

    #[inline]
    fn play(&mut self, action: Action) {
        Game::play(self, action);
    }

    fn action_text(&self, action: Action) -> Text {
        Game::action_text(self, action)
    }
}

/// Plays an action if it is legal. Returns whether it was.
pub fn try_play<P: Playable>(position: &mut P, action: Action) -> bool {
    let mut legal = Vec::new();
    position.legal_actions(&mut legal);
    let known = legal.binary_search(&action).is_ok();
    if known {
        position.play(action);
    }
    known
}

/// A turn, complete or begun.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Turn {
    /// Its notation.
    pub text: Text,
    /// Its actions, all by the same side.
    pub actions: ArrayVec<Action, MAX_ACTIONS>,
}

impl Turn {
    /// This turn with one more action, and the position after that action.
    pub fn extended<P: Playable>(&self, game: &P, action: Action) -> (P, Self) {
        let mut turn = self.clone();
        turn.text.push_str(&game.action_text(action));
        turn.actions.push(action);
        let mut next = *game;
        next.play(action);
        (next, turn)
    }

    /// Plays the turn in `game`.
    pub fn play_on<P: Playable>(&self, game: &mut P) {
        self.actions.iter().for_each(|&action| game.play(action));
    }

    /// The position after the turn is played in `game`.
    pub fn after<P: Playable>(&self, game: &P) -> P {
        let mut next = *game;
        self.play_on(&mut next);
        next
    }
}

/// Why a turn was rejected.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
pub enum TurnError {
    /// The game has ended.
    #[error("`{turn}`: the game is over")]
    Over {
        /// The turn given.
        turn: String,
    },
    /// The turn is not legal.
    #[error("`{turn}` is not a legal turn here; {hint}")]
    Illegal {
        /// The turn given.
        turn: String,
        /// A few legal turns.
        hint: String,
    },
}

/// All legal turns, sorted by text. Empty once the game is over.
pub fn legal_turns<P: Playable>(game: &P) -> Vec<Turn> {
    let mut turns = Vec::new();
    complete(game, &Turn::default(), &mut turns);
    turns.sort_unstable_by_key(|turn| turn.text);
    turns
}

fn complete<P: Playable>(game: &P, begun: &Turn, turns: &mut Vec<Turn>) {
    let mut actions = Vec::new();
    game.legal_actions(&mut actions);
    for action in actions {
        let (next, turn) = begun.extended(game, action);
        if next.ply() == game.ply() {
            complete(&next, &turn, turns);
        } else {
            turns.push(turn);
        }
    }
}

/// Parses the text of a legal turn. Case and surrounding white space are ignored.
///
/// # Errors
///
/// If the game is over or the turn is not legal. The message lists a few legal turns.
pub fn parse_turn<P: Playable>(game: &P, text: &str) -> Result<Turn, TurnError> {
    if game.outcome().is_some() {
        return Err(TurnError::Over { turn: shortened(text) });
    }
    let wanted = text.trim().as_bytes();
    read(game, wanted, &Turn::default(), &mut Vec::new())
        .ok_or_else(|| TurnError::Illegal { turn: shortened(text), hint: some_turns(game) })
}

/// Completes the turn `begun` by actions whose texts make up `rest`, with backtracking.
fn read<P: Playable>(
    game: &P,
    rest: &[u8],
    begun: &Turn,
    actions: &mut Vec<Action>,
) -> Option<Turn> {
    game.legal_actions(actions);
    let begins = |action: &Action| {
        let text = game.action_text(*action);
        let head = rest.get(..text.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(text.as_bytes()))
    };
    let candidates: ArrayVec<Action, 16> =
        actions.iter().copied().filter(begins).take(16).collect();
    candidates.into_iter().find_map(|action| {
        let (next, turn) = begun.extended(game, action);
        let rest = &rest[turn.text.len() - begun.text.len()..];
        if next.ply() == game.ply() {
            read(&next, rest, &turn, actions)
        } else {
            rest.is_empty().then_some(turn)
        }
    })
}

/// An input text, shortened to 40 characters for an error message.
fn shortened(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(40) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

fn some_turns<P: Playable>(game: &P) -> String {
    const SHOWN: usize = 6;
    let turns = legal_turns(game);
    // One turn more takes as much space as to say that there is one.
    let shown = if turns.len() == SHOWN + 1 { SHOWN + 1 } else { SHOWN };
    let more = turns.len().saturating_sub(shown);
    let shown: Vec<&str> = turns.iter().take(shown).map(|turn| turn.text.as_str()).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("legal are {}{more}", shown.join(", "))
}

/// The position after `moves`, played from the start.
///
/// # Errors
///
/// The index of the first illegal move, and what is wrong with it.
pub fn replay<G: Game, S: AsRef<str>>(
    rules: &G::Rules,
    moves: &[S],
) -> Result<G, (usize, TurnError)> {
    replay_from(G::initial(rules), moves, |_| ())
}

/// The same from another position. Calls `look` with every turn.
///
/// # Errors
///
/// As [`replay`].
pub fn replay_from<P: Playable, S: AsRef<str>>(
    start: P,
    moves: &[S],
    mut look: impl FnMut(&Turn),
) -> Result<P, (usize, TurnError)> {
    let mut game = start;
    for (index, text) in moves.iter().enumerate() {
        let turn = parse_turn(&game, text.as_ref()).map_err(|error| (index, error))?;
        turn.play_on(&mut game);
        look(&turn);
    }
    Ok(game)
}

/// Counts of the sequences of turns of a given length.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub struct Perft {
    /// Sequences of exactly the given number of turns.
    pub sequences: u64,
    /// Sequences whose last turn ended the game.
    pub finished: u64,
    /// Finished games won by the first player.
    pub p1: u64,
    /// Finished games won by the second player.
    pub p2: u64,
    /// Finished games that were drawn.
    pub draws: u64,
}

impl Perft {
    fn count(&mut self, outcome: Option<Outcome>) {
        self.sequences += 1;
        self.finished += u64::from(outcome.is_some());
        match outcome {
            Some(Outcome::Win(Side::P1)) => self.p1 += 1,
            Some(Outcome::Win(Side::P2)) => self.p2 += 1,
            Some(Outcome::Draw) => self.draws += 1,
            None => {}
        }
    }
}

/// Counts the sequences of exactly `depth` turns from `game`. Games that end earlier do not count.
pub fn perft<G: Game>(game: &G, depth: u32) -> Perft {
    let mut counts = Perft::default();
    if depth == 0 {
        counts.count(game.outcome());
    } else {
        // One buffer per level: a turn may need several.
        let mut buffers = vec![Vec::new(); depth as usize * MAX_ACTIONS + 1];
        walk(game, game.ply() + depth, &mut buffers, &mut counts);
    }
    counts
}

fn walk<G: Game>(game: &G, last: u32, buffers: &mut [Vec<Action>], counts: &mut Perft) {
    let (actions, deeper) = buffers.split_first_mut().expect("a buffer for every level");
    game.legal_actions(actions);
    for &action in actions.iter() {
        let mut next = *game;
        next.play(action);
        if next.ply() == last {
            counts.count(next.outcome());
        } else {
            walk(&next, last, deeper, counts);
        }
    }
}
