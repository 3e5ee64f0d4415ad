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
    if number.starts_with('+') {
        return Err(wrong());
    }
    let number: f64 = number.parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * seconds).map_err(|_| wrong())
}

/// The shortest text of a duration that [`parse`] reads, in whole units: `90s`, `30m`, `2h`.
pub(crate) fn text(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let units = [(3600.0, "h"), (60.0, "m"), (1.0, "s")];
    let whole = units.into_iter().find(|(unit, _)| seconds >= *unit && seconds % unit == 0.0);
    match whole {
        Some((unit, name)) => format!("{}{name}", seconds / unit),
        None => format!("{}ms", (seconds * 1000.0).round()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_as_they_are_read() {
        for text in ["0ms", "250ms", "90s", "1500ms", "10m", "90m", "2h"] {
            assert_eq!(super::text(parse(text).unwrap()), text);
        }
        assert_eq!(super::text(Duration::from_secs(1800)), "30m");
    }

    #[test]
    fn times_are_read() {
        assert_eq!(parse("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(parse("90s"), Ok(Duration::from_secs(90)));
        assert_eq!(parse("1.5h"), Ok(Duration::from_secs(5400)));
        for wrong in ["", "30", "m", "-5m", "+5m", "nanm", "1d", "5 m", "1e99h", "\u{661}m"] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
