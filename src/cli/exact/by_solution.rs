//! `tavoliere exact --solution`: how well players keep the values of random positions.

use std::path::Path;

use anyhow::{Context, bail};

use super::Args;
use crate::cli::game_option::named;
use crate::cli::{Failure, usage};
use crate::exact::solution::{About, Solution};
use crate::play::positions::solved::{Answer, draw, measure, scores};
use crate::registry::Variant;
use crate::runs::players::LoadedPlayer;

/// The positions to draw if their number is not given.
const POSITIONS: usize = 10_000;

/// Measures players on random positions of the solution in `folder`.
pub(super) fn run(args: &Args, folder: &Path, players: &[LoadedPlayer]) -> Result<(), Failure> {
    let count = usage(number(args))?;
    let variant = usage(variant(args, folder, players))?;
    test(args, folder, players, &variant, count)
}

/// The number of positions.
fn number(args: &Args) -> anyhow::Result<usize> {
    let Some(path) = &args.positions else { return Ok(POSITIONS) };
    let text = path.display().to_string();
    let count = text.parse().ok().filter(|count| (1..=10_000_000).contains(count));
    count.with_context(|| {
        format!("--positions {text}: with --solution it is a number from 1 to 10,000,000")
    })
}

/// The game: that of the players or of `--game`, otherwise that of the solution with its usual limit.
fn variant(args: &Args, folder: &Path, players: &[LoadedPlayer]) -> anyhow::Result<Variant> {
    let known = args.game.as_deref().map(|game| named(game, &args.rules)).transpose()?;
    let mut played = players.iter().filter_map(LoadedPlayer::variant);
    let Some(first) = played.next().or(known) else {
        return About::read(folder)?.limited_variant();
    };
    if played.any(|other| other != first) || known.is_some_and(|known| known != first) {
        bail!("the players and --game differ in the game or its rules");
    }
    Ok(first)
}

fn test(
    args: &Args,
    folder: &Path,
    players: &[LoadedPlayer],
    variant: &Variant,
    count: usize,
) -> Result<(), Failure> {
    let solution = Solution::open(folder, variant)?;
    let positions = draw(&solution, variant, count, args.seed, &args.classes)?;
    if let Some(external) = players.iter().find(|player| player.is_external()) {
        let name = &external.name;
        return usage(Err(anyhow::anyhow!("{name} cannot be given a position without turns")));
    }
    usage(args.check_measures(&scores(&positions, &vec![Answer::WRONG; positions.len()])))?;
    args.report_all(variant, players, positions.len(), |players, watch| {
        Ok(scores(&positions, &measure(&positions, players, watch)))
    })
}
