//! Finds the kind and the correct turns of a position by exhaustive search up to a horizon.

use super::Kind;
use crate::classic::prover::Undecided;
use crate::games::{Text, Turn, legal_turns};
use crate::registry::{AnyProver, Position};

/// A turn and the position after it.
struct Reply {
    turn: Turn,
    next: Position,
}

/// The kind and the sorted correct turns of an unfinished position at the beginning of a turn, both
/// proven within `horizon` turns. `None` if it is of none of the `wanted` kinds.
///
/// # Errors
///
/// If the prover needs more nodes than it was allowed.
pub(crate) fn classify(
    prover: &mut AnyProver,
    game: &Position,
    wanted: &[Kind],
    horizon: u32,
) -> Result<Option<(Kind, Vec<Text>)>, Undecided> {
    let replies: Vec<Reply> =
        legal_turns(game).into_iter().map(|turn| Reply::new(game, turn)).collect();
    let wins_wanted = wanted.iter().any(|kind| matches!(kind, Kind::Win(_)));
    let found = if wins_wanted {
        match winning_turns(prover, game, &replies, wanted, horizon)? {
            Search::Winning(found) => found,
            Search::Open => only_turn(prover, game, &replies, horizon)?,
        }
    } else {
        // Most positions have several turns that do not lose, which is faster to find out.
        match only_turn(prover, game, &replies, horizon)? {
            Some(_) if prover.soonest(game, game.to_move(), horizon)?.is_some() => None,
            found => found,
        }
    };
    Ok(found.filter(|(kind, _)| wanted.contains(kind)))
}

/// Whether the side to move wins.
enum Search {
    /// It does; with the kind and the correct turns if that kind is wanted.
    Winning(Option<(Kind, Vec<Text>)>),
    /// Not within the horizon.
    Open,
}

fn winning_turns(
    prover: &mut AnyProver,
    game: &Position,
    replies: &[Reply],
    wanted: &[Kind],
    horizon: u32,
) -> Result<Search, Undecided> {
    let mover = game.to_move();
    let Some(turns) = prover.soonest(game, mover, horizon)? else { return Ok(Search::Open) };
    let kind = Kind::Win(turns);
    if !wanted.contains(&kind) {
        return Ok(Search::Winning(None));
    }
    let mut right = Vec::new();
    for reply in replies {
        if prover.wins(&reply.next, mover, horizon - 1)? {
            right.push(reply.turn.text);
        }
    }
    Ok(Search::Winning(Some((kind, right))))
}

/// The kind and the only turn after which the other side does not win within the horizon. `None` if
/// there are several such turns or none, or if only one turn is legal.
fn only_turn(
    prover: &mut AnyProver,
    game: &Position,
    replies: &[Reply],
    horizon: u32,
) -> Result<Option<(Kind, Vec<Text>)>, Undecided> {
    let other = game.to_move().other();
    let (mut only, mut longest) = (None, None);
    for reply in replies {
        match prover.soonest(&reply.next, other, horizon - 1)? {
            Some(turns) => longest = longest.max(Some(turns + 1)),
            None if only.is_some() => return Ok(None),
            None => only = Some(reply.turn.text),
        }
    }
    Ok(longest.zip(only).map(|(turns, only)| (Kind::Only(turns), vec![only])))
}

impl Reply {
    fn new(game: &Position, turn: Turn) -> Self {
        Self { next: turn.after(game), turn }
    }
}
