//! `tavoliere review`: what each turn of a game cost.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::atomic::Ordering;

use anyhow::{Context, Result, anyhow};
use serde_json::{Value, json};

use super::picture::Picture;
use super::{Failure, interrupt, records, usage};
use crate::base::printable::stdout;
use crate::base::progress;
use crate::games::{Outcome, Side};
use crate::play::notation::Transcript;
use crate::play::players::{Player, PlayerSeed, PlayerSetup, PlayerSpec};
use crate::play::review::{Review, ReviewedTurn, Severity};
use crate::registry::Variant;
use crate::runs::players::{LoadedPlayer, check_game};
use crate::stats::Estimate;
use crate::stats::chart::{Curves, Level, Point, Scene, Series};

/// Review a game: what each turn cost, and better turns
///
///   tavoliere review game.txt
///   tavoliere review games.jsonl --player checkpoints/neutron5 --simulations 800
///   tavoliere review game.txt --picture game.svg
///
/// Every position is searched. What a turn costs is the expected score of the best turn less that of
/// the turn played, a draw counting half: 10 % is an inaccuracy (?!), 20 % a mistake (?), 30 % a
/// blunder (??). The page's review does the same. `play` and the page save games; a GAME may have
/// any format that `tavoliere records` reads.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Files of games; `-` is standard input
    #[arg(required = true, value_name = "GAME")]
    games: Vec<PathBuf>,
    /// Player that searches [default: the one named like the game]
    #[arg(long)]
    player: Option<String>,
    /// Simulations for each position
    ///
    /// From 1 to 1,000,000.
    #[arg(long, default_value_t = 200, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    simulations: u32,
    /// Print a JSON object for each game
    #[arg(long)]
    json: bool,
    /// Draw the values of a single game: FILE.svg or FILE.png
    #[arg(long, value_name = "FILE")]
    picture: Option<Picture>,
    /// Paint a PNG for a dark background
    #[arg(long, requires = "picture")]
    dark: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut games = Vec::new();
        for path in &self.games {
            games.extend(records::games_of(path)?);
        }
        if self.picture.is_some() && games.len() != 1 {
            let count = games.len();
            return usage(Err(anyhow!("--picture draws a single game, and there are {count}")));
        }
        let stop = interrupt::listen();
        let turns: usize = games.iter().map(|game| game.moves().len() + 1).sum();
        let bar = progress::bar(turns as u64, "review", "positions");
        let mut loaded: Option<(Variant, Box<dyn Player>)> = None;
        for (number, game) in (1..).zip(&games) {
            let variant = *game.variant();
            if loaded.as_ref().is_none_or(|(of, _)| *of != variant) {
                loaded = Some((variant, self.player_of(&variant)?));
            }
            let Some((_, player)) = &mut loaded else { unreachable!("it was just loaded") };
            let start = variant.position(game.position()).map_err(|error| anyhow!("{error}"))?;
            let watch = || {
                bar.inc(1);
                !stop.load(Ordering::Relaxed)
            };
            player.begin_game(number);
            let review = Review::of(&start, game.moves(), &mut **player, self.simulations, watch);
            let Some(review) = review else {
                if stop.load(Ordering::Relaxed) {
                    return Err(interrupt::failure("the games before are reviewed"));
                }
                return usage(Err(anyhow!("this player has no search, so it cannot review")));
            };
            bar.suspend(|| self.print(game, &review))?;
            if let Some(picture) = &self.picture {
                picture.write(&scene(game, &review), self.dark)?;
            }
        }
        bar.finish_and_clear();
        Ok(())
    }

    fn player_of(&self, variant: &Variant) -> Result<Box<dyn Player>, Failure> {
        let name = self.player.as_deref().unwrap_or(variant.name);
        let loaded = LoadedPlayer::load(usage(name.parse::<PlayerSpec>())?);
        let loaded = loaded.with_context(|| match self.player {
            Some(_) => "--player".to_owned(),
            None => format!("{} has no player of its own; name one by --player", variant.name),
        })?;
        if let Some(played) = loaded.variant() {
            usage(check_game(&played, variant).with_context(|| format!("player `{name}`")))?;
        }
        let seed = PlayerSeed { seed: 1, player: 0 };
        let threads = rayon::current_num_threads();
        Ok(loaded.player(variant, &PlayerSetup { seed, simulations: self.simulations, threads })?)
    }

    fn print(&self, game: &Transcript, review: &Review) -> io::Result<()> {
        if self.json {
            return writeln!(io::stdout(), "{}", json_of(game, review));
        }
        let first = game.variant().game().first();
        let mut out = stdout();
        writeln!(out, "{}, {} turns, {}", game.game(), game.moves().len(), result_of(game))?;
        for (number, turn) in (1..).zip(&review.turns) {
            if let Some(mistake) = turn.mistake {
                writeln!(out, "{}", told(number, turn, turn.side.name(first), mistake))?;
            }
        }
        writeln!(out, "          inaccuracies  mistakes  blunders  mean cost")?;
        for side in [Side::P1, Side::P2] {
            let ([inaccuracies, mistakes, blunders], mean) = review.summary(side);
            let name = side.name(first);
            let mean = percent(mean);
            writeln!(
                out,
                "  {name:<6}  {inaccuracies:>12}  {mistakes:>8}  {blunders:>8}  {mean:>9}"
            )?;
        }
        Ok(())
    }
}

/// A line about a mistake.
fn told(number: usize, turn: &ReviewedTurn, side: &str, mistake: Severity) -> String {
    let ReviewedTurn { turn, best, scores: [hoped, left], cost, .. } = turn;
    format!(
        "{number:>4}. {side}: {turn}{}  costs {}; better was {best} ({} instead of {})",
        mistake.mark(),
        percent(*cost),
        percent(*hoped),
        percent(*left)
    )
}

fn percent(share: f32) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn result_of(game: &Transcript) -> String {
    match game.outcome() {
        None => "not finished".to_owned(),
        Some(Outcome::Draw) => "a draw".to_owned(),
        Some(Outcome::Win(side)) => {
            format!("{} wins", side.name(game.variant().game().first()))
        }
    }
}

fn json_of(game: &Transcript, review: &Review) -> Value {
    let first = game.variant().game().first();
    let turn = |turn: &ReviewedTurn| {
        json!({
            "turn": turn.turn.as_str(), "side": turn.side.name(first), "best": turn.best.as_str(),
            "best_score": turn.scores[0], "score": turn.scores[1], "cost": turn.cost,
            "mistake": turn.mistake,
        })
    };
    let summary = |side: Side| {
        let ([inaccuracies, mistakes, blunders], mean) = review.summary(side);
        json!({
            "side": side.name(first), "inaccuracies": inaccuracies, "mistakes": mistakes,
            "blunders": blunders, "mean_cost": mean,
        })
    };
    json!({
        "game": game.game(), "rules": game.rules(), "scores": review.scores,
        "turns": review.turns.iter().map(turn).collect::<Vec<_>>(),
        "summary": [summary(Side::P1), summary(Side::P2)],
    })
}

/// The expected score of the first player over the turns.
fn scene(game: &Transcript, review: &Review) -> Scene {
    let first = Side::P1.name(game.variant().game().first());
    let exact = |value: f64| Estimate { value, low: value, high: value };
    let point = |(turn, score): (usize, &f32)| Point {
        x: turn as f64,
        y: exact(100.0 * f64::from(*score)),
    };
    let points = review.scores.iter().enumerate().map(point).collect();
    let curves = Curves {
        title: format!("{}: {}", game.game(), result_of(game)),
        x_label: "turns".to_owned(),
        y_label: format!("expected score of {first}, %"),
        series: vec![Series { name: first.to_owned(), points }],
        levels: vec![Level { name: "even".to_owned(), y: exact(50.0) }],
    };
    curves.scene()
}
