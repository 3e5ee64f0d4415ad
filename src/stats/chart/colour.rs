//! Colours, each with a variant for light and for dark backgrounds.

/// A colour: red, green and blue for either background.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Colour {
    /// On a light background.
    pub light: [u8; 3],
    /// On a dark background.
    pub dark: [u8; 3],
}

impl Colour {
    /// The background.
    pub(crate) const GROUND: Self = Self { light: [255, 255, 255], dark: [24, 26, 31] };
    /// Text and marks.
    pub(crate) const INK: Self = Self { light: [32, 33, 36], dark: [232, 234, 237] };
    /// Secondary text, and the lines of levels.
    pub(crate) const MUTED: Self = Self { light: [95, 99, 104], dark: [154, 160, 166] };
    /// Grid lines.
    pub(crate) const GRID: Self = Self { light: [226, 228, 231], dark: [52, 55, 61] };

    /// The colours of series (Okabe and Ito 2008, darkened or brightened for the background).
    const SERIES: [Self; 6] = [
        Self { light: [0, 104, 172], dark: [86, 180, 233] },
        Self { light: [204, 85, 0], dark: [245, 148, 61] },
        Self { light: [0, 133, 98], dark: [52, 199, 155] },
        Self { light: [170, 68, 130], dark: [222, 139, 188] },
        Self { light: [150, 115, 0], dark: [232, 204, 80] },
        Self { light: [90, 90, 90], dark: [190, 190, 190] },
    ];

    /// The colour of a series. Colours repeat after six series.
    pub(crate) fn of_series(index: usize) -> Self {
        Self::SERIES[index % Self::SERIES.len()]
    }

    /// The colour of a share: orange at 0, nearly the background at 1/2, blue at 1.
    pub(crate) fn of_share(share: f64) -> Self {
        const LOW: Colour = Colour { light: [217, 95, 14], dark: [230, 126, 54] };
        const MIDDLE: Colour = Colour { light: [243, 243, 243], dark: [44, 48, 55] };
        const HIGH: Colour = Colour { light: [33, 113, 181], dark: [74, 155, 232] };
        let away = (2.0 * share - 1.0).clamp(-1.0, 1.0);
        MIDDLE.towards(if away < 0.0 { LOW } else { HIGH }, away.abs())
    }

    /// Black or white, whichever has more contrast with this colour.
    pub(crate) fn text_on(self) -> Self {
        let readable = |ground: [u8; 3]| if luminance(ground) > 0.36 { [20; 3] } else { [255; 3] };
        Self { light: readable(self.light), dark: readable(self.dark) }
    }

    fn towards(self, other: Self, share: f64) -> Self {
        let mix = |from: [u8; 3], to: [u8; 3]| {
            [0, 1, 2].map(|part| {
                let (from, to) = (f64::from(from[part]), f64::from(to[part]));
                (from + share * (to - from)).round() as u8
            })
        };
        Self { light: mix(self.light, other.light), dark: mix(self.dark, other.dark) }
    }
}

/// The relative luminance of a colour, from 0 to 1.
fn luminance([red, green, blue]: [u8; 3]) -> f64 {
    let linear = |part: u8| (f64::from(part) / 255.0).powf(2.2);
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}
