//! The pictures of a ladder.

use std::collections::HashSet;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, Result, bail};

use super::Args;
use crate::base::durable::write_whole;
use crate::runs::ladder::{Journal, Standings, Training};
use crate::stats::Estimate;
use crate::stats::chart::{
    Cell, Curves, Level, List, Matrix, Point, Rated, Scene, Series, TimeUnit,
};

/// A picture file with its format.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Picture {
    path: PathBuf,
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Format {
    Svg,
    Png,
}

impl FromStr for Picture {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let path = PathBuf::from(text);
        let format = match path.extension().and_then(|it| it.to_str()) {
            Some("svg") => Format::Svg,
            Some("png") => Format::Png,
            _ => bail!("`{text}` is neither FILE.svg nor FILE.png"),
        };
        Ok(Self { path, format })
    }
}

impl Picture {
    fn write(&self, scene: &Scene, dark: bool) -> Result<()> {
        let name = || format!("cannot write {}", self.path.display());
        let bytes = match self.format {
            Format::Svg => scene.svg().into_bytes(),
            Format::Png => scene.png(dark).with_context(name)?,
        };
        write_whole(&self.path, &bytes).with_context(name)
    }
}

/// Draws the pictures of `--picture` and `--matrix`.
pub(super) fn draw(args: &Args, journal: &Journal, standings: &Standings) -> Result<()> {
    if !args.picture.is_empty() {
        let scene = ratings(journal, standings);
        args.picture.iter().try_for_each(|picture| picture.write(&scene, args.dark))?;
    }
    if !args.matrix.is_empty() {
        let scene = matrix(journal, standings);
        args.matrix.iter().try_for_each(|picture| picture.write(&scene, args.dark))?;
    }
    Ok(())
}

/// Draws the ratings as curves over the training time, or as a list if no player was trained.
fn ratings(journal: &Journal, standings: &Standings) -> Scene {
    let shorten = shortener(journal);
    let name = |player: usize| shorten(&journal.players[player].name);
    let rated = || standings.rows.iter().filter_map(|row| Some((row.player, row.rating?)));
    let trained = || {
        rated().filter_map(|(player, elo)| Some((journal.players[player].training.as_ref()?, elo)))
    };
    if trained().next().is_none() {
        let row = |(player, x): (usize, Estimate)| Rated { name: name(player), x };
        let title = format!("{}: ratings with 95 % intervals", journal.header.game);
        return List { title, label: "Elo".to_owned(), rows: rated().map(row).collect() }.scene();
    }
    let scale = Scale::of(trained().map(|(training, _)| training));
    let untrained = rated().filter(|(player, _)| journal.players[*player].training.is_none());
    let level = |(player, y): (usize, Estimate)| Level { name: name(player), y };
    Curves {
        title: format!("{}: ratings with 95 % intervals", journal.header.game),
        x_label: scale.label(),
        y_label: "Elo".to_owned(),
        series: series(trained(), scale, shorten),
        levels: untrained.map(level).collect(),
    }
    .scene()
}

/// Returns a curve for each run, sorted by name.
fn series<'a>(
    trained: impl Iterator<Item = (&'a Training, Estimate)>,
    scale: Scale,
    shorten: fn(&str) -> String,
) -> Vec<Series> {
    let mut found: Vec<(&Training, Estimate)> = trained.collect();
    found.sort_by(|(a, _), (b, _)| (&a.run, a.iteration).cmp(&(&b.run, b.iteration)));
    let runs = found.chunk_by(|(a, _), (b, _)| a.run == b.run);
    runs.map(|run| Series {
        name: shorten(&run[0].0.run),
        points: run.iter().map(|(it, y)| Point { x: scale.of_training(it), y: *y }).collect(),
    })
    .collect()
}

/// The unit of the training axis: a unit of time, or `None` for iterations if no times are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Scale(Option<TimeUnit>);

impl Scale {
    fn of<'a>(trainings: impl Iterator<Item = &'a Training>) -> Self {
        let longest = trainings.map(|it| it.seconds).fold(0.0, f64::max);
        Self((longest > 0.0).then(|| TimeUnit::for_longest(longest)))
    }

    fn of_training(self, training: &Training) -> f64 {
        match self.0 {
            Some(unit) => unit.of_seconds(training.seconds),
            None => training.iteration as f64,
        }
    }

    fn label(self) -> String {
        format!("{} of training", self.0.map_or("iterations", TimeUnit::name))
    }
}

/// Draws the scores of all pairs of players, the strongest first.
fn matrix(journal: &Journal, standings: &Standings) -> Scene {
    let shorten = shortener(journal);
    let players: Vec<usize> = standings.rows.iter().map(|row| row.player).collect();
    let cell = |one: usize, two: usize| {
        let share = standings.score(one, two)?;
        Some(Cell { share, count: standings.results(one, two).iter().sum() })
    };
    let cells = players.iter().flat_map(|&one| players.iter().map(move |&two| cell(one, two)));
    Matrix {
        title: format!("{}: score of the row against the column", journal.header.game),
        label: "per cent; below it the number of games".to_owned(),
        names: players.iter().map(|&player| shorten(&journal.players[player].name)).collect(),
        cells: cells.collect(),
    }
    .scene()
}

/// Returns how to display names: without folders, unless that makes two names equal.
fn shortener(journal: &Journal) -> fn(&str) -> String {
    let names: HashSet<String> = journal.players.iter().map(|it| short(&it.name)).collect();
    if names.len() == journal.players.len() { short } else { str::to_owned }
}

/// Returns a name without the folders of the run's path.
fn short(name: &str) -> String {
    let (place, options) = name.split_at(name.find('?').unwrap_or(name.len()));
    let (word, run) = place.split_at(place.find(':').map_or(0, |colon| colon + 1));
    let run = run.rsplit('/').next().unwrap_or(run);
    format!("{word}{run}{options}")
}
