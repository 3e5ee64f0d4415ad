//! Charts as SVG and PNG.
//!
//! A chart is laid out as a [`Scene`] of a few kinds of shapes, which is written in either format,
//! so that both look the same. Every colour has a light and a dark variant: an SVG follows the
//! setting of the viewer, a PNG is painted in one of the two. The colours suit colour-blind
//! readers, and each series also has its own marks.

mod axis;
mod colour;
mod curves;
mod font;
mod list;
mod matrix;
mod png;
mod scene;
mod svg;
mod time;

pub(crate) use colour::Colour;
pub(crate) use curves::{Curves, Level, Point, Series};
pub(crate) use list::{List, Rated};
pub(crate) use matrix::{Cell, Matrix};
pub(crate) use scene::Scene;
pub(crate) use time::TimeUnit;

use crate::stats::Estimate;

/// The range of the axis: all values, and as much of their intervals as leaves the values readable.
fn range_of(estimates: impl Iterator<Item = Estimate> + Clone) -> [f64; 2] {
    let all = |part: fn(&Estimate) -> f64| {
        let parts = estimates.clone().map(move |estimate| part(&estimate));
        let parts = parts.filter(|part| part.is_finite());
        parts.fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], part| {
            [low.min(part), high.max(part)]
        })
    };
    let [low, high] = all(|it| it.value);
    let [lowest, highest] = [all(|it| it.low)[0], all(|it| it.high)[1]];
    let most = ((high - low) / 2.0).max(25.0);
    [lowest.max(low - most), highest.min(high + most)]
}
