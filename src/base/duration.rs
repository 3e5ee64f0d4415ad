//! Durations as text, such as `30m`.

use std::time::Duration;

/// Parses a duration such as `200ms`, `90s`, `30m` or `2h`.
///
/// # Errors
///
/// A message that quotes the text and shows how to write a duration.
pub(crate) fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration; write it as in 200ms, 90s, 30m or 2h");
    let number = text.trim_end_matches(char::is_alphabetic);
    let seconds = match &text[number.len()..] {
        "ms" => 0.001,
        "s" => 1.0,
        "m" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = number.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read() {
        assert_eq!(parse("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse("1.5h"), Ok(Duration::from_secs(5400)));
        for wrong in ["", "30", "m", "-5m", "nanm", "1d", "5 m", "1e99h", "\u{661}m"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
