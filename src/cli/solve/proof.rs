//! `tavoliere solve --proof`: who wins from the start, of any game, by proof-number search.

use std::io::Write;
use std::sync::atomic::Ordering;

use serde_json::json;

use super::Args;
use crate::base::printable::stdout;
use crate::base::progress;
use crate::cli::{Failure, interrupt};
use crate::exact::{EitherSide, Finding};
use crate::games::Side;
use crate::registry::Variant;

/// The positions that are visited between two looks at the keyboard.
const PART: u64 = 1 << 18;

/// Searches until a win is proven, the limit on positions is reached or Ctrl-C is pressed.
pub(super) fn run(args: &Args, variant: &Variant) -> Result<(), Failure> {
    let stop = interrupt::listen();
    let limit = args.visits;
    let mut search = EitherSide::new(variant.uncapped().initial(), args.memory);
    let bar = progress::bar(limit, variant.name, "positions");
    let mut finding = Finding::Open;
    while finding == Finding::Open && search.visited() < limit && !stop.load(Ordering::Relaxed) {
        finding = search.go_on(PART.min(limit - search.visited()));
        bar.set_position(search.visited());
        bar.set_message(numbers(&search, variant));
    }
    bar.finish_and_clear();
    print(args, variant, &search, finding)?;
    if stop.load(Ordering::Relaxed) && finding == Finding::Open {
        return Err(interrupt::failure("a proof begins anew"));
    }
    Ok(())
}

/// The least numbers of leaves that a proof of each side still needs.
fn numbers(search: &EitherSide, variant: &Variant) -> String {
    let colour = |side: Side| side.name(variant.game().first());
    let of_side = |(side, [proof, _]): (Side, [u32; 2])| format!("{} {proof}", colour(side));
    search.numbers().map(of_side).join(", ")
}

fn print(
    args: &Args,
    variant: &Variant,
    search: &EitherSide,
    finding: Finding,
) -> std::io::Result<()> {
    let (game, visited) = (variant.name, search.visited());
    let colour = |side: Side| side.name(variant.game().first());
    let winner = match finding {
        Finding::Win(side) => Some(colour(side)),
        Finding::NoWin | Finding::Open => None,
    };
    if args.json {
        let numbers = search.numbers().map(|(side, [proof, disproof])| {
            json!({"side": colour(side), "proof": proof, "disproof": disproof})
        });
        let finding = json!({
            "game": game, "winner": winner, "decided": finding != Finding::Open,
            "positions": visited, "numbers": numbers,
        });
        return writeln!(stdout(), "{finding}");
    }
    let said = match (finding, winner) {
        (_, Some(winner)) => format!("{winner} wins by force"),
        (Finding::NoWin, _) => "neither side has a win of up to 200 actions".to_owned(),
        _ => format!(
            "not decided; a proof needs at least this number of leaves: {}",
            numbers(search, variant)
        ),
    };
    writeln!(stdout(), "{game}: {said} ({visited} positions visited)")
}
