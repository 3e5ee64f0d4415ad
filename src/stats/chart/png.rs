//! Scenes as PNG.

use anyhow::{Context, Result};
use tiny_skia::{
    Color, FillRule, LineJoin, Paint, Path, PathBuilder, Pixmap, Stroke, StrokeDash, Transform,
};
use ttf_parser::OutlineBuilder;

use super::colour::Colour;
use super::font::Font;
use super::scene::{Anchor, Scene, Shape};

/// Pixels per unit: sharp in print and on high-density screens.
const DENSITY: f64 = 2.0;

/// The longest side in pixels. Larger charts get fewer pixels per unit.
const LONGEST: f64 = 8000.0;

impl Scene {
    /// Returns the contents of a PNG file, on a dark or a light background.
    ///
    /// # Errors
    ///
    /// If the picture is too large for the memory.
    pub(crate) fn png(&self, dark: bool) -> Result<Vec<u8>> {
        let [width, height] = self.size;
        let density = DENSITY.min(LONGEST / width.max(height).max(1.0));
        let [wide, high] = [width, height].map(|side| (side * density).round().max(1.0) as u32);
        let pixels = Pixmap::new(wide, high).context("the picture is too large")?;
        let transform = Transform::from_scale(density as f32, density as f32);
        let mut painter = Painter { pixels, transform, font: Font::new(), dark };
        painter.pixels.fill(painter.shade(Colour::GROUND));
        self.shapes.iter().for_each(|shape| painter.draw(shape));
        painter.pixels.encode_png().context("the picture cannot be encoded")
    }
}

struct Painter {
    pixels: Pixmap,
    transform: Transform,
    font: Font,
    dark: bool,
}

impl Painter {
    fn draw(&mut self, shape: &Shape) {
        match shape {
            Shape::Line { points, colour, width, dashed } => {
                let dash = dashed.then(|| StrokeDash::new(vec![6.0, 4.0], 0.0)).flatten();
                let (width, line_join) = (*width as f32, LineJoin::Round);
                let stroke = Stroke { width, line_join, dash, ..Stroke::default() };
                self.stroke(path(points, false), *colour, &stroke);
            }
            Shape::Area { points, fill, rim } => self.fill(path(points, true), *fill, Some(*rim)),
            Shape::Disc { centre: [x, y], radius, fill, rim } => {
                let circle = PathBuilder::from_circle(*x as f32, *y as f32, *radius as f32);
                self.fill(circle, *fill, Some(*rim));
            }
            Shape::Text { at, anchor, size, colour, text } => {
                let share = match anchor {
                    Anchor::Start => 0.0,
                    Anchor::Middle => 0.5,
                    Anchor::End => 1.0,
                };
                let start = at[0] - share * self.font.width(text, *size);
                self.fill(self.letters([start, at[1]], *size, text), *colour, None);
            }
        }
    }

    fn letters(&self, [x, y]: [f64; 2], size: f64, text: &str) -> Option<Path> {
        let mut pen = Pen { path: PathBuilder::new(), at: [0.0; 2], scale: 0.0 };
        pen.scale = self.font.scale(size) as f32;
        for (glyph, distance) in self.font.letters(text, size) {
            pen.at = [(x + distance) as f32, y as f32];
            self.font.outline(glyph, &mut pen);
        }
        pen.path.finish()
    }

    fn fill(&mut self, path: Option<Path>, colour: Colour, rim: Option<Colour>) {
        // A path without extent has nothing to paint.
        let Some(path) = path else { return };
        let (paint, transform) = (self.paint(colour), self.transform);
        self.pixels.fill_path(&path, &paint, FillRule::Winding, transform, None);
        if let Some(rim) = rim {
            self.stroke(Some(path), rim, &Stroke::default());
        }
    }

    fn stroke(&mut self, path: Option<Path>, colour: Colour, stroke: &Stroke) {
        let Some(path) = path else { return };
        let paint = self.paint(colour);
        self.pixels.stroke_path(&path, &paint, stroke, self.transform, None);
    }

    fn paint(&self, colour: Colour) -> Paint<'static> {
        let mut paint = Paint::default();
        paint.set_color(self.shade(colour));
        paint
    }

    fn shade(&self, colour: Colour) -> Color {
        let [red, green, blue] = if self.dark { colour.dark } else { colour.light };
        Color::from_rgba8(red, green, blue, 255)
    }
}

fn path(points: &[[f64; 2]], closed: bool) -> Option<Path> {
    let mut path = PathBuilder::new();
    for (index, [x, y]) in points.iter().enumerate() {
        let (x, y) = (*x as f32, *y as f32);
        if index == 0 { path.move_to(x, y) } else { path.line_to(x, y) }
    }
    if closed {
        path.close();
    }
    path.finish()
}

/// Adds the outline of a letter to a path, scaled and moved to its place.
struct Pen {
    path: PathBuilder,
    at: [f32; 2],
    scale: f32,
}

impl Pen {
    fn place(&self, x: f32, y: f32) -> [f32; 2] {
        [self.at[0] + self.scale * x, self.at[1] - self.scale * y]
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        let [x, y] = self.place(x, y);
        self.path.move_to(x, y);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        let [x, y] = self.place(x, y);
        self.path.line_to(x, y);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        let ([x1, y1], [x, y]) = (self.place(x1, y1), self.place(x, y));
        self.path.quad_to(x1, y1, x, y);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        let ([x1, y1], [x2, y2]) = (self.place(x1, y1), self.place(x2, y2));
        let [x, y] = self.place(x, y);
        self.path.cubic_to(x1, y1, x2, y2, x, y);
    }

    fn close(&mut self) {
        self.path.close();
    }
}
