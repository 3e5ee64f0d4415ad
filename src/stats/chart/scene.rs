//! Scenes: charts as lists of shapes with coordinates in screen pixels.

use super::Colour;

/// The point of a text that lies at its coordinates.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// A shape. Points are `[x, y]` from the left and from the top.
#[derive(Clone, PartialEq, Debug)]
pub(crate) enum Shape {
    /// A polyline.
    Line {
        /// The points.
        points: Vec<[f64; 2]>,
        /// Its colour.
        colour: Colour,
        /// Its width.
        width: f64,
        /// Whether it is dashed.
        dashed: bool,
    },
    /// A filled polygon with a rim.
    Area {
        /// The corners.
        points: Vec<[f64; 2]>,
        /// Its colour.
        fill: Colour,
        /// The colour of its rim.
        rim: Colour,
    },
    /// A filled disc with a rim.
    Disc {
        /// The centre.
        centre: [f64; 2],
        /// The radius.
        radius: f64,
        /// Its colour.
        fill: Colour,
        /// The colour of its rim.
        rim: Colour,
    },
    /// A line of text.
    Text {
        /// The point on the baseline that the anchor refers to.
        at: [f64; 2],
        /// The point of the text that lies at `at`.
        anchor: Anchor,
        /// The font size.
        size: f64,
        /// Its colour.
        colour: Colour,
        /// The text.
        text: String,
    },
}

/// Shapes; later ones are drawn over earlier ones.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Scene {
    /// The title.
    pub title: String,
    /// Width and height.
    pub size: [f64; 2],
    /// The shapes.
    pub shapes: Vec<Shape>,
}

impl Scene {
    /// An empty picture with its title in the upper left corner.
    pub(crate) fn new(title: &str, size: [f64; 2]) -> Self {
        let mut scene = Self { title: title.to_owned(), size, shapes: Vec::new() };
        scene.text([20.0, 32.0], Anchor::Start, 18.0, Colour::INK, title);
        scene
    }

    /// Adds a line between two points.
    pub(crate) fn line(&mut self, ends: [[f64; 2]; 2], colour: Colour, width: f64) {
        self.shapes.push(Shape::Line { points: ends.to_vec(), colour, width, dashed: false });
    }

    /// Adds a line of text.
    pub(crate) fn text(
        &mut self,
        at: [f64; 2],
        anchor: Anchor,
        size: f64,
        colour: Colour,
        text: &str,
    ) {
        self.shapes.push(Shape::Text { at, anchor, size, colour, text: text.to_owned() });
    }

    /// Adds a rectangle by its upper left corner and its size.
    pub(crate) fn rectangle(&mut self, [x, y]: [f64; 2], [width, height]: [f64; 2], fill: Colour) {
        let points = vec![[x, y], [x + width, y], [x + width, y + height], [x, y + height]];
        self.shapes.push(Shape::Area { points, fill, rim: fill });
    }

    /// Adds the mark of a series. Marks repeat after four series.
    pub(crate) fn mark(&mut self, series: usize, [x, y]: [f64; 2], fill: Colour) {
        const RADIUS: f64 = 4.5;
        let rim = Colour::GROUND;
        let corners: &[[f64; 2]] = match series % 4 {
            0 => {
                self.shapes.push(Shape::Disc { centre: [x, y], radius: RADIUS, fill, rim });
                return;
            }
            1 => &[[-0.9, -0.9], [0.9, -0.9], [0.9, 0.9], [-0.9, 0.9]],
            2 => &[[0.0, -1.2], [1.1, 0.8], [-1.1, 0.8]],
            _ => &[[0.0, -1.25], [1.25, 0.0], [0.0, 1.25], [-1.25, 0.0]],
        };
        let points = corners.iter().map(|[dx, dy]| [x + RADIUS * dx, y + RADIUS * dy]).collect();
        self.shapes.push(Shape::Area { points, fill, rim });
    }
}
