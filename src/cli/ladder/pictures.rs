//! The pictures of a ladder.

use std::collections::HashSet;

use anyhow::Result;

use super::Args;
use crate::cli::picture::{TrainingAxis, without_folders};
use crate::runs::ladder::{Journal, Standings, Training};
use crate::stats::Estimate;
use crate::stats::chart::{Cell, Curves, Level, List, Matrix, Rated, Scene, Series};

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
    let Some(axis) = TrainingAxis::of(trained().map(|(training, _)| training)) else {
        let row = |(player, x): (usize, Estimate)| Rated { name: name(player), x };
        let title = format!("{}: ratings with 95 % intervals", journal.header.game);
        return List { title, label: "Elo".to_owned(), rows: rated().map(row).collect() }.scene();
    };
    let untrained = rated().filter(|(player, _)| journal.players[*player].training.is_none());
    let level = |(player, y): (usize, Estimate)| Level { name: name(player), y };
    Curves {
        title: format!("{}: ratings with 95 % intervals", journal.header.game),
        x_label: axis.label(),
        y_label: "Elo".to_owned(),
        series: series(trained(), axis, shorten),
        levels: untrained.map(level).collect(),
    }
    .scene()
}

/// Returns a curve for each run, sorted by name.
fn series<'a>(
    trained: impl Iterator<Item = (&'a Training, Estimate)>,
    axis: TrainingAxis,
    shorten: fn(&str) -> String,
) -> Vec<Series> {
    let mut found: Vec<(&Training, Estimate)> = trained.collect();
    found.sort_by(|(a, _), (b, _)| a.run.cmp(&b.run));
    let runs = found.chunk_by(|(a, _), (b, _)| a.run == b.run);
    runs.map(|run| axis.series(shorten(&run[0].0.run), run.to_vec())).collect()
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
    let names: HashSet<String> =
        journal.players.iter().map(|it| without_folders(&it.name)).collect();
    if names.len() == journal.players.len() { without_folders } else { str::to_owned }
}
