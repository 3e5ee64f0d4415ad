//! Converts times between the tags of a transcript and AbstractPlay's records.

use time::format_description::well_known::Rfc3339;
use time::{Date, Month, OffsetDateTime, Time};

use crate::play::notation::Transcript;

/// Tags with times in the format of RFC 3339.
pub(super) const STARTED: &str = "Started";
pub(super) const ENDED: &str = "Ended";
/// The tag with the day in the format of PGN, `2026.11.21`.
pub(super) const DAY: &str = "Date";

/// A time in the format of records, to the second.
pub(super) fn text_of(time: OffsetDateTime) -> String {
    let whole = time.replace_nanosecond(0).unwrap_or(time);
    whole.format(&Rfc3339).expect("a time of our calendar")
}

/// The times at which a game began and ended, if its tags have any time.
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

/// Whether it is a time in the format of RFC 3339.
pub(super) fn is_time(text: &str) -> bool {
    OffsetDateTime::parse(text, &Rfc3339).is_ok()
}

/// The day of a time, in the format of PGN.
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
