//! Readable JSON: one line for each field, and arrays on one line.

use std::io::{self, Write};

use serde::Serialize;
use serde_json::ser::{Formatter, PrettyFormatter, Serializer};

/// Returns a value as JSON text.
///
/// # Errors
///
/// If the value cannot be represented in JSON.
pub(super) fn text(value: &impl Serialize) -> serde_json::Result<Vec<u8>> {
    let mut text = Vec::new();
    let formatter = OneLineArrays(PrettyFormatter::new());
    value.serialize(&mut Serializer::with_formatter(&mut text, formatter))?;
    text.push(b'\n');
    Ok(text)
}

struct OneLineArrays(PrettyFormatter<'static>);

impl Formatter for OneLineArrays {
    fn begin_array_value<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if first { Ok(()) } else { out.write_all(b", ") }
    }

    fn begin_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object(out)
    }

    fn end_object<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object(out)
    }

    fn begin_object_key<W: ?Sized + Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.0.begin_object_key(out, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.begin_object_value(out)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.0.end_object_value(out)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    #[test]
    fn each_field_has_a_line_and_arrays_are_on_one_line() {
        let value = json!({ "a": { "b": [[0, -1], [1, 0]], "c": [] }, "d": ["x", "y"] });
        let text = String::from_utf8(super::text(&value).unwrap()).unwrap();
        let expected = "{
  \"a\": {
    \"b\": [[0, -1], [1, 0]],
    \"c\": []
  },
  \"d\": [\"x\", \"y\"]
}
";
        assert_eq!(text, expected);
    }
}
