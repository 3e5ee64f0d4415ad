//! Scenes as SVG, whose colours follow the light or dark setting of the viewer.

use std::collections::BTreeSet;
use std::fmt::Write;

use super::colour::Colour;
use super::scene::{Anchor, Scene, Shape};

impl Scene {
    /// Returns an SVG document. In viewers without style sheets it has the colours for a light
    /// background.
    pub(crate) fn svg(&self) -> String {
        let [width, height] = self.size.map(number);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" \
             font-family=\"Roboto, 'Helvetica Neue', Arial, sans-serif\">\n<title>{}</title>\n",
            escaped(&self.title)
        );
        out += &self.dark_style();
        out += &format!("<rect width=\"100%\" height=\"100%\" {}/>\n", fill(Colour::GROUND));
        self.shapes.iter().for_each(|shape| out += &element(shape));
        out + "</svg>\n"
    }

    /// The style sheet for a dark setting, with a class for each use of a colour.
    fn dark_style(&self) -> String {
        let colours = self.shapes.iter().flat_map(|shape| match *shape {
            Shape::Line { colour, .. } | Shape::Text { colour, .. } => [colour; 2],
            Shape::Area { fill, rim, .. } | Shape::Disc { fill, rim, .. } => [fill, rim],
        });
        let colours: BTreeSet<Colour> = colours.chain([Colour::GROUND]).collect();
        let mut rules = String::new();
        for colour in colours {
            let (name, shade) = (name(colour), hex(colour.dark));
            rules += &format!(".f{name}{{fill:{shade}}}.s{name}{{stroke:{shade}}}");
        }
        format!("<style>@media (prefers-color-scheme:dark){{{rules}}}</style>\n")
    }
}

fn element(shape: &Shape) -> String {
    match shape {
        Shape::Line { points, colour, width, dashed } => {
            let dash = if *dashed { " stroke-dasharray=\"6 4\"" } else { "" };
            format!(
                "<polyline points=\"{}\" fill=\"none\" {} stroke-width=\"{}\" \
                 stroke-linejoin=\"round\"{dash}/>\n",
                list(points),
                stroke(*colour),
                number(*width)
            )
        }
        Shape::Area { points, fill: inside, rim } => {
            format!("<polygon points=\"{}\" {}/>\n", list(points), filled(*inside, *rim))
        }
        Shape::Disc { centre, radius, fill: inside, rim } => {
            let ([x, y], radius) = (centre.map(number), number(*radius));
            let colours = filled(*inside, *rim);
            format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {colours}/>\n")
        }
        Shape::Text { at, anchor, size, colour, text } => {
            let ([x, y], size, colour) = (at.map(number), number(*size), fill(*colour));
            let anchor = match anchor {
                Anchor::Start => "",
                Anchor::Middle => " text-anchor=\"middle\"",
                Anchor::End => " text-anchor=\"end\"",
            };
            let text = escaped(text);
            format!(
                "<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{anchor} {colour}>{text}</text>\n"
            )
        }
    }
}

fn fill(colour: Colour) -> String {
    format!("class=\"f{}\" fill=\"{}\"", name(colour), hex(colour.light))
}

fn stroke(colour: Colour) -> String {
    format!("class=\"s{}\" stroke=\"{}\"", name(colour), hex(colour.light))
}

/// The attributes of a shape with a rim.
fn filled(inside: Colour, rim: Colour) -> String {
    let classes = format!("f{} s{}", name(inside), name(rim));
    let [inside, rim] = [inside, rim].map(|colour| hex(colour.light));
    format!("class=\"{classes}\" fill=\"{inside}\" stroke=\"{rim}\"")
}

/// The name of a colour in the style sheet.
fn name(colour: Colour) -> String {
    hex(colour.light)[1..].to_owned() + &hex(colour.dark)[1..]
}

fn hex([red, green, blue]: [u8; 3]) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

fn list(points: &[[f64; 2]]) -> String {
    let mut text = String::new();
    for [x, y] in points {
        let space = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{space}{},{}", number(*x), number(*y));
    }
    text
}

/// Rounds to hundredths of a pixel.
fn number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    rounded.to_string()
}

/// Escapes text for XML and drops characters that XML does not allow.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars().filter(|letter| !letter.is_control()) {
        match letter {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            _ => out.push(letter),
        }
    }
    out
}
