//! Pictures of positions as SVG files, drawn as the page draws them.

use std::fmt::Write;

use super::diagram::{Frame, Shown};
use crate::games::picture::{EdgeLines, Label, Look, Piece, Shape};

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
    frame.edges.iter().for_each(|lines| svg += &edge(lines));
    frame.labels.iter().for_each(|label| svg += &text(frame, label));
    for (symbol, &[x, y]) in shown.squares.chars().zip(&frame.centres) {
        svg += &piece(frame.pieces, symbol, x, y);
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

/// The coloured sides of the board. Their style is here, as few boards have them.
fn edge(edge: &EdgeLines) -> String {
    let colour = if edge.colour == 'x' { "#25262b" } else { "#fdf9f0" };
    let line = |[[a, b], [c, d]]: &[[f32; 2]; 2]| format!("M{a:.3} {b:.3}L{c:.3} {d:.3}");
    let path: String = edge.lines.iter().map(line).collect();
    let style = format!("fill:none;stroke:{colour};stroke-width:.1;stroke-linecap:round");
    format!("<path style=\"{style}\" d=\"{path}\"/>\n")
}

/// The centre of the cell that a label belongs to: the nearest. Beside hexagons two are as near, of
/// which the name of one begins or ends with the label.
fn labelled(frame: &Frame, label: &Label) -> [f32; 2] {
    let distance = |cell: usize| {
        let [x, y] = frame.centres[cell];
        (x - label.x).hypot(y - label.y)
    };
    let cells = 0..frame.centres.len();
    let least = cells.clone().map(distance).fold(f32::INFINITY, f32::min);
    let near: Vec<usize> = cells.filter(|&cell| distance(cell) < least + 0.05).collect();
    let text = label.text.as_str();
    let is_named = |cell: &&usize| {
        let name = &frame.names[**cell];
        name.starts_with(text) || name.ends_with(text)
    };
    let cell = near.iter().find(is_named).or(near.first());
    cell.map_or_else(Default::default, |&cell| frame.centres[cell])
}

/// A label, pulled from its place beside the text board towards the nearest cell.
fn text(frame: &Frame, label: &Label) -> String {
    let distance = |[x, y]: [f32; 2]| (x - label.x).hypot(y - label.y);
    let [x, y] = labelled(frame, label);
    let pull = 0.25 / distance([x, y]).max(0.1);
    let (x, y) = (label.x + pull * (x - label.x), label.y + pull * (y - label.y));
    format!("<text x=\"{x:.3}\" y=\"{y:.3}\">{}</text>\n", label.text)
}

/// What stands on a cell; nothing if the symbol is none of the pieces.
fn piece(pieces: &[Piece], symbol: char, x: f32, y: f32) -> String {
    let Some(piece) = pieces.iter().find(|piece| piece.symbol == symbol) else {
        return String::new();
    };
    let (body, usual) = match piece.look {
        Look::Black => (
            "<circle class=\"x\" r=\".36\"/>",
            "<path class=\"xs\" d=\"M-.1-.1L.1 .1M.1-.1L-.1 .1\"/>",
        ),
        Look::White => ("<circle class=\"o\" r=\".36\"/>", "<circle class=\"os\" r=\".14\"/>"),
        Look::Neutral => (
            "<circle class=\"n\" r=\".36\"/>",
            "<path class=\"ns\" d=\"M0-.25L.07-.07.25 0 .07 .07 0 .25-.07 .07-.25 0-.07-.07z\"/>",
        ),
        Look::Hole => ("<circle class=\"h\" r=\".3\"/>", ""),
    };
    let sign = if piece.sign.is_empty() { usual.to_owned() } else { sign(piece) };
    format!("<g transform=\"translate({x:.3} {y:.3})\">{body}{sign}</g>\n")
}

/// The text on a piece. Its style is here, as few pictures need it.
fn sign(piece: &Piece) -> String {
    let colour = match piece.look {
        Look::Black => "#fdf9f0",
        Look::White => "#25262b",
        Look::Neutral => "#fff6d6",
        Look::Hole => "#f6e6cb",
    };
    let text = piece.sign.replace('&', "&amp;").replace('<', "&lt;");
    format!("<text style=\"fill:{colour};font-size:.4px\">{text}</text>")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usual_pieces_have_their_signs() {
        let drawn = |symbol| piece(Piece::USUAL, symbol, 1.0, 0.5);
        assert_eq!(
            drawn('o'),
            "<g transform=\"translate(1.000 0.500)\"><circle class=\"o\" r=\".36\"/>\
             <circle class=\"os\" r=\".14\"/></g>\n"
        );
        assert_eq!(
            drawn('#'),
            "<g transform=\"translate(1.000 0.500)\"><circle class=\"h\" r=\".3\"/></g>\n"
        );
        assert_eq!(drawn('.') + &drawn('k'), "");
    }

    #[test]
    fn a_sign_is_text_on_the_body_of_the_look() {
        let pieces = [
            Piece::new('k', "Black king", Look::Black).with_sign("K"),
            Piece::new('q', "White queen", Look::White).with_sign("<&"),
            Piece::new('m', "Black man", Look::Black),
        ];
        let drawn = |symbol| piece(&pieces, symbol, 0.0, 0.0);
        assert_eq!(
            drawn('k'),
            "<g transform=\"translate(0.000 0.000)\"><circle class=\"x\" r=\".36\"/>\
             <text style=\"fill:#fdf9f0;font-size:.4px\">K</text></g>\n"
        );
        let white = drawn('q');
        assert!(white.contains("class=\"o\"") && white.contains(">&lt;&amp;</text>"), "{white}");
        assert_eq!(drawn('m'), piece(Piece::USUAL, 'x', 0.0, 0.0), "another symbol of Black");
        assert_eq!(drawn('x'), "", "no piece of this game");
    }

    #[test]
    fn a_label_between_two_hexagons_belongs_to_the_one_that_it_names() {
        let row = 3_f32.sqrt() / 2.0;
        let frame = Frame {
            shape: Shape::Hexagon,
            drops: false,
            centres: vec![[0.0, 0.0], [1.0, 0.0], [0.5, row], [1.5, row]],
            names: ["a1", "b1", "a2", "b2"].map(str::to_owned).to_vec(),
            labels: Vec::new(),
            edges: Vec::new(),
            pieces: Piece::USUAL,
        };
        let centre = |text: &str, x, y| labelled(&frame, &Label::new(text, x, y));
        assert_eq!(centre("b", 0.5, -row), [1.0, 0.0]);
        assert_eq!(centre("2", -0.5, row), [0.5, row]);
        assert_eq!(centre("?", 0.5, -row), [0.0, 0.0], "no name has it");
    }

    #[test]
    fn a_coloured_side_is_a_path() {
        let lines = vec![[[0.0, 0.0], [1.0, 0.5]], [[1.0, 0.5], [2.0, 0.0]]];
        let drawn = edge(&EdgeLines { colour: 'o', lines });
        assert!(drawn.contains("#fdf9f0"), "{drawn}");
        assert!(
            drawn.contains("d=\"M0.000 0.000L1.000 0.500M1.000 0.500L2.000 0.000\""),
            "{drawn}"
        );
    }
}
