//! The letters of pictures: their widths, and their outlines for formats that know no text.

use ttf_parser::{Face, GlyphId, OutlineBuilder};

/// Roboto Regular, Latin letters; see the README beside it.
const ROBOTO: &[u8] = include_bytes!("roboto.ttf");

/// A font, read.
pub struct Font(Face<'static>);

impl Font {
    /// The font of all pictures.
    pub fn new() -> Self {
        Self(Face::parse(ROBOTO, 0).expect("the font that is built in is whole"))
    }

    /// The width of a line of text.
    pub fn width(&self, text: &str, size: f64) -> f64 {
        text.chars().map(|letter| self.advance(self.glyph(letter))).sum::<f64>() * self.scale(size)
    }

    /// How much outlines are to be enlarged for letters of this size.
    pub fn scale(&self, size: f64) -> f64 {
        size / f64::from(self.0.units_per_em())
    }

    /// The letters of a line, each with its distance from the line's left end.
    pub fn letters(&self, text: &str, size: f64) -> impl Iterator<Item = (GlyphId, f64)> {
        let mut end = 0.0;
        text.chars().map(move |letter| {
            let glyph = self.glyph(letter);
            let begin = end;
            end += self.advance(glyph) * self.scale(size);
            (glyph, begin)
        })
    }

    /// Draws a letter, its baseline's left end at 0, and upwards positive.
    pub fn outline(&self, glyph: GlyphId, builder: &mut dyn OutlineBuilder) {
        // A letter such as the space has no outline.
        let _ = self.0.outline_glyph(glyph, builder);
    }

    /// The letter, or the sign for one that is missing.
    fn glyph(&self, letter: char) -> GlyphId {
        self.0.glyph_index(letter).unwrap_or_default()
    }

    fn advance(&self, glyph: GlyphId) -> f64 {
        f64::from(self.0.glyph_hor_advance(glyph).unwrap_or_default())
    }
}
