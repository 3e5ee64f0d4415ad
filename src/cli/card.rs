//! `tavoliere card`: what the newest networks of runs are worth.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Result;

use super::picture::Picture;
use super::{Failure, usage};
use crate::base::printable::stdout;
use crate::runs::checkpoint::Run;
use crate::stats::chart::{Curves, Point, Series, TimeUnit};
use crate::train::card::{Card, Rated};

/// Show what the newest network of a run is worth, and what may make it better
///
///   tavoliere card checkpoints/neutron5
///   tavoliere card checkpoints/* --picture elo.svg
///
/// A training prints this where it ends, and keeps it as card.json in its folder: scores against
/// players without a network, the share of proven positions in which the network finds a correct
/// turn, its Elo over the time of training, and advice. All intervals are of 95 %. Scores are those
/// of the run's own evaluations; `tavoliere match` tells more, with more games.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Folders of runs
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Draw the Elo of all runs to FILE.svg or FILE.png
    ///
    /// The first opponent of a run's panel has 0, so only runs of one panel can be compared.
    #[arg(long, value_name = "FILE")]
    picture: Vec<Picture>,
    /// Draw PNG pictures dark; SVG pictures follow the viewer's setting
    #[arg(long)]
    dark: bool,
    /// Print a JSON object for each run
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let mut curves = Vec::new();
        for folder in &self.runs {
            let card = card_of(folder)?;
            match self.json {
                true => writeln!(stdout(), "{}", serde_json::to_string(&card)?)?,
                false => writeln!(stdout(), "{card}")?,
            }
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            curves.push((name, card.ratings));
        }
        if self.picture.is_empty() {
            return Ok(());
        }
        let scene = chart(curves).scene();
        self.picture.iter().try_for_each(|picture| picture.write(&scene, self.dark))?;
        Ok(())
    }
}

/// The card that the run has of its newest network, or a new one.
fn card_of(folder: &Path) -> Result<Card, Failure> {
    let run = usage(Run::open(folder))?;
    let newest = usage(run.latest())?;
    match Card::read(folder).filter(|card| Some(card.iteration) == newest) {
        Some(card) => Ok(card),
        None => Ok(made(&run, folder)?),
    }
}

#[cfg(feature = "net")]
fn made(run: &Run, _: &Path) -> Result<Card> {
    crate::train::card::make(run)
}

#[cfg(not(feature = "net"))]
fn made(_: &Run, folder: &Path) -> Result<Card> {
    anyhow::bail!(
        "{} has no card of its newest network, and this program was built without `net`, which \
         plays by checkpoints",
        folder.display()
    )
}

/// The ratings of all runs over their training.
fn chart(runs: Vec<(String, Vec<Rated>)>) -> Curves {
    let all = runs.iter().flat_map(|(_, rated)| rated);
    let longest = all.map(|rated| rated.seconds).fold(0.0, f64::max);
    let unit = TimeUnit::for_longest(longest);
    let point = |rated: Rated| Point { x: unit.of_seconds(rated.seconds), y: rated.elo };
    let series = |(name, rated): (String, Vec<Rated>)| Series {
        name,
        points: rated.into_iter().map(point).collect(),
    };
    Curves {
        title: "Ratings by the runs' own evaluations, 95 % intervals".to_owned(),
        x_label: format!("{} of training", unit.name()),
        y_label: "Elo".to_owned(),
        series: runs.into_iter().map(series).collect(),
        levels: Vec::new(),
    }
}
