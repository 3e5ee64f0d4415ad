//! Charts of a list of estimates with intervals, one per row.

use super::axis::Axis;
use super::font::Font;
use super::scene::{Anchor, Scene};
use super::{Colour, range_of};
use crate::stats::Estimate;

/// A chart with one estimate per row.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct List {
    /// The title.
    pub title: String,
    /// The label of the horizontal axis.
    pub label: String,
    /// The rows, from the top.
    pub rows: Vec<Rated>,
}

/// A row of a list.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Rated {
    /// Its name.
    pub name: String,
    /// The estimate and its interval.
    pub x: Estimate,
}

const WIDTH: f64 = 960.0;
const TOP: f64 = 56.0;
const ROW: f64 = 28.0;
const SMALL: f64 = 13.0;

impl List {
    /// Draws the chart.
    pub(crate) fn scene(&self) -> Scene {
        let font = Font::new();
        let bottom = TOP + ROW * self.rows.len() as f64;
        let mut scene = Scene::new(&self.title, [WIDTH, bottom + 56.0]);
        let widths = self.rows.iter().map(|row| font.width(&row.name, SMALL));
        let left = 32.0 + widths.fold(0.0, f64::max).min(WIDTH / 2.0);
        let right = WIDTH - 28.0;
        let [low, high] = range_of(self.rows.iter().map(|row| row.x));
        let air = 0.04 * (high - low);
        let axis = Axis::new([low - air, high + air], [left, right]);
        for (number, text) in axis.ticks(90.0) {
            let x = axis.place(number);
            scene.line([[x, TOP], [x, bottom]], Colour::GRID, 1.0);
            scene.text([x, bottom + 20.0], Anchor::Middle, SMALL, Colour::MUTED, &text);
        }
        scene.line([[left, bottom], [right, bottom]], Colour::MUTED, 1.0);
        scene.text([right, bottom + 42.0], Anchor::End, SMALL, Colour::MUTED, &self.label);
        for (index, row) in self.rows.iter().enumerate() {
            draw(&mut scene, &axis, [left - 12.0, TOP + ROW * (index as f64 + 0.5)], row);
        }
        scene
    }
}

/// Draws a row whose name ends at `end`.
fn draw(scene: &mut Scene, axis: &Axis, [end, y]: [f64; 2], row: &Rated) {
    let colour = Colour::of_series(0);
    let [x, low, high] = [row.x.value, row.x.low, row.x.high].map(|it| axis.place(it));
    scene.text([end, y + 4.5], Anchor::End, SMALL, Colour::INK, &row.name);
    scene.line([[low, y], [high, y]], colour, 2.0);
    for cap in [low, high] {
        scene.line([[cap, y - 4.0], [cap, y + 4.0]], colour, 2.0);
    }
    scene.mark(0, [x, y], colour);
}
