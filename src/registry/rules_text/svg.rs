//! Pictures of positions as SVG files, drawn as the page draws them.

use std::fmt::Write;

use super::diagram::{Frame, Shown};
use crate::games::picture::{Label, Shape};

/// Pixels between the centres of neighbouring cells.
const SCALE: f32 = 44.0;

/// The distance of the outermost centres from the edge of the picture.
const MARGIN: f32 = 0.95;

/// The styles, in the colours of the page.
const STYLE: &str = "\
.frame{fill:#8c6239}.cell{fill:#e4c391;stroke:#b98d55;stroke-width:.02}.shade{fill:#d9b37b}\
.plate{fill:#35618f}.well{fill:#e9dcc4}.mark{fill:#fff0a8;fill-opacity:.75}\
text{font:600 .29px sans-serif;fill:#f6e6cb;text-anchor:middle;dominant-baseline:central}\
.x{fill:#25262b;stroke:#08090b;stroke-width:.035}.o{fill:#fdf9f0;stroke:#5c4a33;stroke-width:.035}\
.xs,.os{fill:none;stroke:#8d919c;stroke-width:.045;stroke-linecap:round}.os{stroke:#c2ab87}\
.n{fill:#1d5fae;stroke:#0d3568;stroke-width:.035}.ns{fill:#fff6d6}.h{fill:#120c06}";

/// The picture of a position. Marked cells, or those that decided the game, are light.
pub(super) fn picture(shown: &Shown) -> String {
    let frame = &shown.picture;
    let [right, bottom] =
        [0, 1].map(|axis| frame.centres.iter().map(|centre| centre[axis]).fold(0.0, f32::max));
    let [width, height] = [right, bottom].map(|end| end + 2.0 * MARGIN);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-{MARGIN} -{MARGIN} {width:.3} {height:.3}\" \
         width=\"{:.0}\" height=\"{:.0}\" role=\"img\"><title>{}</title><style>{STYLE}</style>\n",
        width * SCALE,
        height * SCALE,
        shown.status(),
    );
    let plate = if frame.drops { "plate" } else { "frame" };
    let _ = writeln!(
        svg,
        "<rect class=\"{plate}\" x=\"-{MARGIN}\" y=\"-{MARGIN}\" width=\"{width:.3}\" height=\"{height:.3}\" rx=\".24\"/>"
    );
    let marked = if shown.marks.is_empty() { ending_or_last(shown) } else { &shown.marks };
    for cell in 0..frame.centres.len() {
        svg += &spot(frame, cell, cell_class(frame, cell));
        if marked.contains(&cell) {
            svg += &spot(frame, cell, "mark");
        }
    }
    frame.labels.iter().for_each(|label| svg += &text(frame, label));
    for (symbol, &[x, y]) in shown.squares.chars().zip(&frame.centres) {
        svg += &piece(symbol, x, y);
    }
    svg + "</svg>\n"
}

/// The cells to mark where the text marks none.
fn ending_or_last(shown: &Shown) -> &[usize] {
    shown.ending.as_ref().map_or(&shown.last, |ending| &ending.cells)
}

fn cell_class(frame: &Frame, cell: usize) -> &'static str {
    let [x, y] = frame.centres[cell];
    match frame.shape {
        _ if frame.drops => "well",
        Shape::Square if (x + y) as i32 % 2 == 1 => "cell shade",
        _ => "cell",
    }
}

/// The area of a cell.
fn spot(frame: &Frame, cell: usize, class: &str) -> String {
    let [x, y] = frame.centres[cell];
    match frame.shape {
        _ if frame.drops => format!("<circle class=\"{class}\" cx=\"{x}\" cy=\"{y}\" r=\".4\"/>\n"),
        Shape::Square => {
            let (left, top) = (x - 0.485, y - 0.485);
            format!(
                "<rect class=\"{class}\" x=\"{left:.3}\" y=\"{top:.3}\" width=\".97\" height=\".97\"/>\n"
            )
        }
        Shape::Hexagon => {
            let corner = |corner: u8| {
                let angle = (f32::from(corner) + 0.5) * std::f32::consts::FRAC_PI_3;
                let radius = 0.97 / 3_f32.sqrt();
                format!("{:.3},{:.3}", x + radius * angle.cos(), y + radius * angle.sin())
            };
            let points: Vec<String> = (0..6).map(corner).collect();
            format!("<polygon class=\"{class}\" points=\"{}\"/>\n", points.join(" "))
        }
    }
}

/// A label, pulled from its place beside the text board towards the nearest cell.
fn text(frame: &Frame, label: &Label) -> String {
    let distance = |[x, y]: [f32; 2]| (x - label.x).hypot(y - label.y);
    let nearest =
        frame.centres.iter().copied().min_by(|&a, &b| distance(a).total_cmp(&distance(b)));
    let [x, y] = nearest.unwrap_or_default();
    let pull = 0.25 / distance([x, y]).max(0.1);
    let (x, y) = (label.x + pull * (x - label.x), label.y + pull * (y - label.y));
    format!("<text x=\"{x:.3}\" y=\"{y:.3}\">{}</text>\n", label.text)
}

fn piece(symbol: char, x: f32, y: f32) -> String {
    let drawing = match symbol {
        'x' => {
            "<circle class=\"x\" r=\".36\"/><path class=\"xs\" d=\"M-.1-.1L.1 .1M.1-.1L-.1 .1\"/>"
        }
        'o' => "<circle class=\"o\" r=\".36\"/><circle class=\"os\" r=\".14\"/>",
        '*' => {
            "<circle class=\"n\" r=\".36\"/><path class=\"ns\" d=\"M0-.25L.07-.07.25 0 .07 .07 0 .25-.07 .07-.25 0-.07-.07z\"/>"
        }
        '#' => "<circle class=\"h\" r=\".3\"/>",
        _ => return String::new(),
    };
    format!("<g transform=\"translate({x:.3} {y:.3})\">{drawing}</g>\n")
}
