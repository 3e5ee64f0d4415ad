//! When a game was played: as the tags of a transcript say it, and as AbstractPlay's records do.

use time::format_description::well_known::Rfc3339;
use time::{Date, Month, OffsetDateTime, Time};

use crate::play::notation::Transcript;

/// Tags with the times, as RFC 3339 writes them.
pub(super) const STARTED: &str = "Started";
pub(super) const ENDED: &str = "Ended";
/// The tag with the day, `2026.11.21`, as PGN has it.
pub(super) const DAY: &str = "Date";

/// A time as records have it, to the second.
pub(super) fn text_of(time: OffsetDateTime) -> String {
    let whole = time.replace_nanosecond(0).unwrap_or(time);
    whole.format(&Rfc3339).expect("a time of our calendar")
}

/// When a game began and when it ended, as far as its tags say so.
pub(super) fn times_of(game: &Transcript) -> Option<[String; 2]> {
    let given = |name| game.tag(name).filter(|text| is_time(text)).map(str::to_owned);
    let day = || {
        game.tag(DAY)
            .and_then(day_of)
            .map(|day| text_of(day.with_time(Time::MIDNIGHT).assume_utc()))
    };
    let (started, ended) = (given(STARTED), given(ENDED));
    let first = started.or_else(day).or_else(|| ended.clone())?;
    Some([first.clone(), ended.unwrap_or(first)])
}

/// Whether it is a time as RFC 3339 writes them.
pub(super) fn is_time(text: &str) -> bool {
    OffsetDateTime::parse(text, &Rfc3339).is_ok()
}

/// The day of a time, as PGN has it.
pub(super) fn day_text(time: &str) -> Option<String> {
    let date = OffsetDateTime::parse(time, &Rfc3339).ok()?.date();
    Some(format!("{:04}.{:02}.{:02}", date.year(), u8::from(date.month()), date.day()))
}

fn day_of(text: &str) -> Option<Date> {
    let mut parts = text.split(['.', '-']);
    let year = parts.next()?.parse().ok()?;
    let month = Month::try_from(parts.next()?.parse::<u8>().ok()?).ok()?;
    let day = parts.next()?.parse().ok()?;
    Date::from_calendar_date(year, month, day).ok().filter(|_| parts.next().is_none())
}
