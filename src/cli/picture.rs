//! Picture files, and what charts of trained players share.

use std::path::{PathBuf, is_separator};
use std::str::FromStr;

use anyhow::{Context, Result, bail};

use crate::base::durable::write_whole;
use crate::runs::ladder::Training;
use crate::stats::Estimate;
use crate::stats::chart::{Point, Scene, Series, TimeUnit};

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
    /// Writes the scene, as PNG with the colours for a dark background if `dark`.
    pub(super) fn write(&self, scene: &Scene, dark: bool) -> Result<()> {
        let name = || format!("cannot write {}", self.path.display());
        let bytes = match self.format {
            Format::Svg => scene.svg().into_bytes(),
            Format::Png => scene.png(dark).with_context(name)?,
        };
        write_whole(&self.path, &bytes).with_context(name)
    }
}

/// The horizontal axis of training: a unit of time, or `None` for iterations if no times are known.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct TrainingAxis(Option<TimeUnit>);

impl TrainingAxis {
    /// The axis for these checkpoints, none without any.
    pub(super) fn of<'a>(trainings: impl Iterator<Item = &'a Training>) -> Option<Self> {
        let longest = trainings.map(|it| it.seconds).reduce(f64::max)?;
        Some(Self((longest > 0.0).then(|| TimeUnit::for_longest(longest))))
    }

    pub(super) fn label(self) -> String {
        format!("{} of training", self.0.map_or("iterations", TimeUnit::name))
    }

    /// The curve of estimates for checkpoints of one run, which are put in order.
    pub(super) fn series(self, name: String, mut points: Vec<(&Training, Estimate)>) -> Series {
        points.sort_by_key(|(training, _)| training.iteration);
        let points = points.into_iter().map(|(training, y)| Point { x: self.place(training), y });
        Series { name, points: points.collect() }
    }

    fn place(self, training: &Training) -> f64 {
        match self.0 {
            Some(unit) => unit.of_seconds(training.seconds),
            None => training.iteration as f64,
        }
    }
}

/// The name of a player without the folders of its run's path.
pub(super) fn without_folders(name: &str) -> String {
    let (place, options) = name.split_at(name.find('?').unwrap_or(name.len()));
    let (word, run) = place.split_at(place.find(':').map_or(0, |colon| colon + 1));
    let run = run.rsplit(is_separator).next().unwrap_or(run);
    format!("{word}{run}{options}")
}
