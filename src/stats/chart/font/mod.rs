//! The font of charts: widths of text, and outlines of letters for PNG.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Roboto Regular, Latin letters; see the README in this folder.
const ROBOTO: &[u8] = include_bytes!("roboto.ttf");

/// A parsed font.
pub(super) struct Font(Face<'static>);

impl Font {
    /// The font of all charts.
    pub(super) fn new() -> Self {
        Self(Face::parse(ROBOTO, 0).expect("the built-in font is valid"))
    }

    /// The width of a line of text.
    pub(super) fn width(&self, text: &str, size: f64) -> f64 {
        text.chars().map(|letter| self.advance(self.glyph(letter))).sum::<f64>() * self.scale(size)
    }

    /// The factor from the units of outlines to pixels, for letters of this size.
    pub(super) fn scale(&self, size: f64) -> f64 {
        size / f64::from(self.0.units_per_em())
    }

    /// The glyphs of a line of text, each with its distance from the left end of the line.
    pub(super) fn letters(&self, text: &str, size: f64) -> impl Iterator<Item = (GlyphId, f64)> {
        let mut end = 0.0;
        text.chars().map(move |letter| {
            let glyph = self.glyph(letter);
            let begin = end;
            end += self.advance(glyph) * self.scale(size);
            (glyph, begin)
        })
    }

    /// Draws a letter. The left end of its baseline is at 0, and upwards is positive.
    pub(super) fn outline(&self, glyph: GlyphId, builder: &mut dyn OutlineBuilder) {
        // Some letters, such as the space, have no outline.
        let _ = self.0.outline_glyph(glyph, builder);
    }

    /// The glyph of a letter, or the glyph for missing letters.
    fn glyph(&self, letter: char) -> GlyphId {
        self.0.glyph_index(letter).unwrap_or_default()
    }

    fn advance(&self, glyph: GlyphId) -> f64 {
        f64::from(self.0.glyph_hor_advance(glyph).unwrap_or_default())
    }
}
