//! The error of players as a picture: over the training, if any was trained.

use anyhow::Result;

use super::report::ExactReport;
use crate::cli::picture::{Picture, TrainingAxis, without_folders};
use crate::runs::ladder::Training;
use crate::stats::Estimate;
use crate::stats::chart::{Curves, Level, List, Rated, Scene};

/// Draws the error in one measure to all files.
pub(super) fn draw(
    files: &[Picture],
    dark: bool,
    measure: &str,
    reports: &[ExactReport],
) -> Result<()> {
    if files.is_empty() {
        return Ok(());
    }
    let scene = scene(measure, reports);
    files.iter().try_for_each(|file| file.write(&scene, dark))
}

/// The measure that is drawn if none is named.
pub(super) fn usual_measure<'a>(known: &[&'a str]) -> &'a str {
    let usual = known.iter().find(|name| ["kept", "value"].contains(name));
    usual.or(known.first()).copied().unwrap_or("value")
}

fn scene(measure: &str, reports: &[ExactReport]) -> Scene {
    let tested = || reports.iter().filter_map(|report| Some((report, error(report, measure)?)));
    let title = reports.first().map_or("", |report| report.game);
    let title = format!("{title}: error ({measure}) with 95 % intervals");
    let label = "wrong turns, % of the positions".to_owned();
    let trainings = reports.iter().filter_map(|report| report.training.as_ref());
    let Some(axis) = TrainingAxis::of(trainings) else {
        let row = |(report, x): (&ExactReport, Estimate)| Rated { name: report.title(), x };
        return List { title, label, rows: tested().map(row).collect() }.scene();
    };
    let mut curves: Vec<(String, Vec<(&Training, Estimate)>)> = Vec::new();
    let mut levels = Vec::new();
    for (report, y) in tested() {
        let Some(training) = &report.training else {
            levels.push(Level { name: report.title(), y });
            continue;
        };
        let name = report.title_of(&without_folders(&training.run));
        match curves.iter_mut().find(|(known, _)| *known == name) {
            Some((_, points)) => points.push((training, y)),
            None => curves.push((name, vec![(training, y)])),
        }
    }
    let series = curves.into_iter().map(|(name, points)| axis.series(name, points)).collect();
    // A longer label of the vertical axis would not fit.
    let y_label = "%".to_owned();
    Curves { title, x_label: axis.label(), y_label, series, levels }.scene()
}

/// The share of positions that the player gets wrong, in per cent; none without positions.
fn error(report: &ExactReport, measure: &str) -> Option<Estimate> {
    let right = report.share(measure)?;
    let wrong = |share: f64| 100.0 * (1.0 - share);
    Some(Estimate { value: wrong(right.value), low: wrong(right.high), high: wrong(right.low) })
}
