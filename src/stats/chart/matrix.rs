//! Charts of a square table of shares, with colours from 0 to 1.

use super::Colour;
use super::font::Font;
use super::scene::{Anchor, Scene};

/// A chart of a square table. Rows are labelled by name and number, columns by number from 1.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Matrix {
    /// The title.
    pub title: String,
    /// The meaning of a cell, printed beside the colour scale.
    pub label: String,
    /// The names of the rows, from the top.
    pub names: Vec<String>,
    /// The cells, row by row; none for an empty cell.
    pub cells: Vec<Option<Cell>>,
}

/// The contents of a cell.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Cell {
    /// A share from 0 to 1.
    pub share: f64,
    /// Number of observations.
    pub count: u64,
}

const TOP: f64 = 84.0;
/// The side of a cell.
const CELL: f64 = 46.0;
const SMALL: f64 = 13.0;
const TINY: f64 = 10.5;
/// Width and height of the colour scale.
const SCALE: [f64; 2] = [200.0, 12.0];

impl Matrix {
    /// Draws the chart.
    ///
    /// # Panics
    ///
    /// If the number of cells is not the square of the number of names.
    pub(crate) fn scene(&self) -> Scene {
        let (font, count) = (Font::new(), self.names.len());
        assert_eq!(self.cells.len(), count * count, "a cell for each row and column");
        let widths = self.names.iter().map(|name| font.width(name, SMALL));
        let left = 64.0 + widths.fold(0.0, f64::max);
        let [right, bottom] = [left, TOP].map(|from| from + CELL * count as f64);
        let below = font.width(&self.label, SMALL) + SCALE[0] + 60.0;
        let room = below.max(font.width(&self.title, 18.0) + 40.0);
        let mut scene = Scene::new(&self.title, [(right + 24.0).max(room), bottom + 56.0]);
        for (index, name) in self.names.iter().enumerate() {
            let (number, middle) = ((index + 1).to_string(), CELL * (index as f64 + 0.5));
            let [x, y] = [left + middle, TOP + middle + 4.5];
            scene.text([x, TOP - 10.0], Anchor::Middle, SMALL, Colour::MUTED, &number);
            scene.text([left - 12.0, y], Anchor::End, SMALL, Colour::MUTED, &number);
            scene.text([left - 40.0, y], Anchor::End, SMALL, Colour::INK, name);
        }
        for (index, cell) in self.cells.iter().enumerate() {
            let (row, column) = (index / count, index % count);
            let corner = [left + CELL * column as f64, TOP + CELL * row as f64];
            draw(&mut scene, corner, *cell, row == column);
        }
        self.scale(&mut scene, [20.0, bottom + 24.0]);
        scene
    }

    /// Draws the colour scale.
    fn scale(&self, scene: &mut Scene, [x, y]: [f64; 2]) {
        const STEPS: u32 = 50;
        let width = SCALE[0] / f64::from(STEPS);
        for step in 0..STEPS {
            let share = (f64::from(step) + 0.5) / f64::from(STEPS);
            let corner = [x + width * f64::from(step), y];
            scene.rectangle(corner, [width, SCALE[1]], Colour::of_share(share));
        }
        for (share, text) in [(0.0, "0 %"), (0.5, "50 %"), (1.0, "100 %")] {
            let place = [x + SCALE[0] * share, y - 6.0];
            let anchor = match share {
                0.0 => Anchor::Start,
                1.0 => Anchor::End,
                _ => Anchor::Middle,
            };
            scene.text(place, anchor, TINY, Colour::MUTED, text);
        }
        let place = [x + SCALE[0] + 16.0, y + 10.0];
        scene.text(place, Anchor::Start, SMALL, Colour::MUTED, &self.label);
    }
}

/// Draws a cell, leaving a gap to its neighbours.
fn draw(scene: &mut Scene, [x, y]: [f64; 2], cell: Option<Cell>, is_self: bool) {
    let side = [CELL - 3.0; 2];
    let Some(Cell { share, count }) = cell else {
        if is_self {
            scene.rectangle([x + 1.5, y + 1.5], side, Colour::GRID);
        }
        return;
    };
    let fill = Colour::of_share(share);
    scene.rectangle([x + 1.5, y + 1.5], side, fill);
    let (percent, count) = (format!("{:.0}", 100.0 * share), count.to_string());
    let middle = x + CELL / 2.0;
    scene.text([middle, y + 23.0], Anchor::Middle, 15.0, fill.text_on(), &percent);
    scene.text([middle, y + 37.0], Anchor::Middle, TINY, fill.text_on(), &count);
}
