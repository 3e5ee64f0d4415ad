//! Line charts of estimates with intervals, and horizontal reference lines.

use super::axis::Axis;
use super::font::Font;
use super::scene::{Anchor, Scene, Shape};
use super::{Colour, range_of};
use crate::stats::Estimate;

/// A line chart.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Curves {
    /// The title.
    pub title: String,
    /// The label of the horizontal axis.
    pub x_label: String,
    /// The label of the vertical axis.
    pub y_label: String,
    /// The curves.
    pub series: Vec<Series>,
    /// Horizontal reference lines.
    pub levels: Vec<Level>,
}

/// A curve.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// A point of a curve.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Point {
    /// The horizontal value.
    pub x: f64,
    /// The vertical value with its interval.
    pub y: Estimate,
}

/// A horizontal reference line.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Level {
    /// Its name beside the line.
    pub name: String,
    /// The vertical value with its interval.
    pub y: Estimate,
}

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 560.0;
const LEFT: f64 = 72.0;
const BOTTOM: f64 = 56.0;
/// Height of a line of small text.
const LINE: f64 = 18.0;
const SMALL: f64 = 13.0;
/// Width reserved for the interval of each level, to the right of the curves.
const ASIDE: f64 = 9.0;

/// The axes and the plot area.
struct Layout {
    x: Axis,
    y: Axis,
    /// The plot area: left, top, right, bottom.
    area: [f64; 4],
}

impl Curves {
    /// Draws the chart.
    pub(crate) fn scene(&self) -> Scene {
        let font = Font::new();
        let mut scene = Scene::new(&self.title, [WIDTH, HEIGHT]);
        let top = self.legend(&mut scene, &font);
        let layout = self.layout(top, &font);
        self.grid(&mut scene, &layout);
        self.draw_levels(&mut scene, &layout);
        for (index, series) in self.series.iter().enumerate() {
            draw_series(&mut scene, &layout, index, series);
        }
        scene
    }

    fn layout(&self, top: f64, font: &Font) -> Layout {
        let names = self.levels.iter().map(|level| font.width(&level.name, SMALL));
        let names = names.fold(0.0, f64::max).min(WIDTH / 3.0);
        let right = WIDTH - 28.0 - names - ASIDE * self.levels.len() as f64;
        let bottom = HEIGHT - BOTTOM;
        let points = self.series.iter().flat_map(|series| &series.points);
        let heights = points.clone().map(|point| point.y);
        let [low, high] = range_of(heights.chain(self.levels.iter().map(|level| level.y)));
        let air = 0.05 * (high - low);
        let last = points.map(|point| point.x).fold(0.0, f64::max);
        Layout {
            x: Axis::new([0.0, last], [LEFT + 10.0, right - 10.0]),
            y: Axis::new([low - air, high + air], [bottom, top]),
            area: [LEFT, top, right, bottom],
        }
    }

    /// Draws the legend. Returns the top of the plot area below it.
    fn legend(&self, scene: &mut Scene, font: &Font) -> f64 {
        let (mut x, mut y) = (20.0, 58.0);
        for (index, series) in self.series.iter().enumerate() {
            let width = 14.0 + font.width(&series.name, SMALL) + 24.0;
            if x + width > WIDTH && x > 20.0 {
                (x, y) = (20.0, y + LINE);
            }
            scene.mark(index, [x + 5.0, y - 4.5], Colour::of_series(index));
            scene.text([x + 14.0, y], Anchor::Start, SMALL, Colour::INK, &series.name);
            x += width;
        }
        y + 38.0
    }

    fn grid(&self, scene: &mut Scene, layout: &Layout) {
        let [left, top, right, bottom] = layout.area;
        for (number, text) in layout.y.ticks(45.0) {
            let y = layout.y.place(number);
            scene.line([[left, y], [right, y]], Colour::GRID, 1.0);
            scene.text([left - 8.0, y + 4.5], Anchor::End, SMALL, Colour::MUTED, &text);
        }
        for (number, text) in layout.x.ticks(90.0) {
            let x = layout.x.place(number);
            scene.line([[x, bottom], [x, bottom + 5.0]], Colour::MUTED, 1.0);
            scene.text([x, bottom + 20.0], Anchor::Middle, SMALL, Colour::MUTED, &text);
        }
        scene.line([[left, bottom], [right, bottom]], Colour::MUTED, 1.0);
        scene.text([right, bottom + 42.0], Anchor::End, SMALL, Colour::MUTED, &self.x_label);
        scene.text([left - 8.0, top - 12.0], Anchor::End, SMALL, Colour::MUTED, &self.y_label);
    }

    /// Draws the levels with their names to the right. Overlapping names are moved apart.
    fn draw_levels(&self, scene: &mut Scene, layout: &Layout) {
        let [left, top, right, _] = layout.area;
        let mut levels: Vec<&Level> = self.levels.iter().collect();
        levels.sort_by(|a, b| b.y.value.total_cmp(&a.y.value));
        let mut names: Vec<f64> =
            levels.iter().map(|level| layout.y.place(level.y.value)).collect();
        push_apart(&mut names, top, HEIGHT - 8.0);
        let begin = right + 10.0 + ASIDE * levels.len() as f64;
        for (index, (level, name)) in levels.into_iter().zip(names).enumerate() {
            let ends = [level.y.low, level.y.high].map(|end| layout.y.place(end));
            let (x, y) = (right + ASIDE * (index as f64 + 1.0), layout.y.place(level.y.value));
            scene.shapes.push(Shape::Line {
                points: vec![[left, y], [x, y]],
                colour: Colour::MUTED,
                width: 1.5,
                dashed: true,
            });
            whisker(scene, x, ends, Colour::MUTED);
            scene.text([begin, name + 4.5], Anchor::Start, SMALL, Colour::INK, &level.name);
        }
    }
}

fn draw_series(scene: &mut Scene, layout: &Layout, index: usize, series: &Series) {
    let colour = Colour::of_series(index);
    let place = |point: &Point| [layout.x.place(point.x), layout.y.place(point.y.value)];
    for point in &series.points {
        let ends = [point.y.low, point.y.high].map(|end| layout.y.place(end));
        whisker(scene, layout.x.place(point.x), ends, colour);
    }
    let points = series.points.iter().map(place).collect();
    scene.shapes.push(Shape::Line { points, colour, width: 2.0, dashed: false });
    for point in &series.points {
        scene.mark(index, place(point), colour);
    }
}

/// Draws a vertical interval with caps.
fn whisker(scene: &mut Scene, x: f64, [low, high]: [f64; 2], colour: Colour) {
    scene.line([[x, low], [x, high]], colour, 1.2);
    for end in [low, high] {
        scene.line([[x - 3.0, end], [x + 3.0, end]], colour, 1.2);
    }
}

/// Moves places, which are ascending, at least one line of text apart, and between `lowest` and
/// `highest` if they fit there.
fn push_apart(places: &mut [f64], lowest: f64, highest: f64) {
    let mut least = lowest;
    for place in places.iter_mut() {
        *place = place.max(least);
        least = *place + LINE;
    }
    let mut most = highest;
    for place in places.iter_mut().rev() {
        *place = place.min(most);
        most = *place - LINE;
    }
}
