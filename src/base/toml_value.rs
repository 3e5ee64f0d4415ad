//! Values as they are written on a command line.

use toml::{Table, Value};

/// The value of a setting `key=value`: a TOML value, or the text itself if it is none.
pub(crate) fn read(text: &str) -> Value {
    toml::from_str::<Table>(&format!("value = {text}"))
        .ok()
        .filter(|table| table.len() == 1)
        .and_then(|mut table| table.remove("value"))
        .unwrap_or_else(|| Value::String(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_one_toml_value_is_a_text() {
        assert_eq!(read("1_000"), Value::Integer(1000));
        assert_eq!(read("0.5"), Value::Float(0.5));
        assert_eq!(read("true"), Value::Boolean(true));
        assert_eq!(read("puct"), Value::String("puct".to_owned()));
        assert_eq!(read("1\nother = 2"), Value::String("1\nother = 2".to_owned()));
    }
}
