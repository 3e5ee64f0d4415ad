//! The text of the Go Text Protocol, version 2: commands in, responses out.
//!
//! After Position. Farnebäck, *Specification of the Go Text Protocol, version 2, draft 2* (2002).

use std::fmt::Write;

use crate::play::engine::session::Answer;

/// A command line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Command {
    /// Its number, which the response repeats.
    pub id: Option<u32>,
    /// A number that is larger than those of the specification.
    pub bad_id: Option<String>,
    /// Its name.
    pub name: String,
    /// The words after the name.
    pub arguments: Vec<String>,
}

impl Command {
    /// Parses a line; `None` if it has only space or a comment. Control characters are ignored,
    /// except for tabs, which are space.
    pub(super) fn read(line: &[u8]) -> Option<Self> {
        let text = String::from_utf8_lossy(line);
        let text = text.split('#').next().unwrap_or_default();
        let is_kept = |symbol: &char| *symbol == '\t' || !symbol.is_control();
        let text: String = text.chars().filter(is_kept).collect();
        let mut words = text.split([' ', '\t']).filter(|word| !word.is_empty()).peekable();
        words.peek()?;
        let id = words.next_if(|word| is_number(word));
        let name = words.next().unwrap_or_default().to_owned();
        let arguments = words.map(str::to_owned).collect();
        // Numbers are non-negative integers of 32 bits with a sign.
        let number = id.map(|id| id.parse().ok().filter(|&id| id <= i32::MAX as u32));
        let bad_id = id.filter(|_| number == Some(None)).map(str::to_owned);
        Some(Self { id: number.flatten(), bad_id, name, arguments })
    }
}

fn is_number(word: &str) -> bool {
    word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The response to a command with this number, if it had one. It ends with an empty line and
/// contains no other.
pub(super) fn response(id: Option<u32>, answer: &Answer) -> String {
    let (sign, text) = match answer {
        Ok(result) => ('=', result.clone()),
        Err(error) => ('?', error.replace(|it: char| it.is_control(), " ")),
    };
    let mut response = String::from(sign);
    if let Some(id) = id {
        // Writing to a string cannot fail.
        let _ = write!(response, "{id}");
    }
    let separator = if text.starts_with('\n') { '\n' } else { ' ' };
    for (index, line) in text.lines().filter(|line| !line.is_empty()).enumerate() {
        response.push(if index == 0 { separator } else { '\n' });
        response.push_str(line);
    }
    response.push_str("\n\n");
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &[u8]) -> Option<(Option<u32>, String, Vec<String>)> {
        Command::read(line).map(|command| (command.id, command.name, command.arguments))
    }

    #[test]
    fn commands_are_read_as_the_specification_says() {
        let command = |id, name: &str, arguments: &[&str]| {
            Some((id, name.to_owned(), arguments.iter().map(|&it| it.to_owned()).collect()))
        };
        for (line, expected) in [
            (&b"play b d3"[..], command(None, "play", &["b", "d3"])),
            (b"12 play b d3\r", command(Some(12), "play", &["b", "d3"])),
            (b"  0007\tquit \x0b# quit", command(Some(7), "quit", &[])),
            (b"play#b", command(None, "play", &[])),
            (b"pl\x01ay\tb  \t d3", command(None, "play", &["b", "d3"])),
            (b"99999999999 name", command(None, "name", &[])),
            (b"12", command(Some(12), "", &[])),
            (b"-1 name", command(None, "-1", &["name"])),
            (b"# a comment", None),
            (b" \t\r", None),
            (b"", None),
        ] {
            assert_eq!(read(line), expected, "{}", String::from_utf8_lossy(line));
        }
        assert_eq!(read(b"n\xffme").unwrap().1, "n\u{fffd}me");
    }

    #[test]
    fn responses_end_with_an_empty_line_and_have_none() {
        let ok = |text: &str| Ok(text.to_owned());
        assert_eq!(response(None, &ok("")), "=\n\n");
        assert_eq!(response(Some(3), &ok("2")), "=3 2\n\n");
        assert_eq!(response(Some(3), &ok("a\n\nb\n")), "=3 a\nb\n\n");
        assert_eq!(response(Some(3), &ok("\n  a\nb")), "=3\n  a\nb\n\n");
        let error = Err("illegal\nmove".to_owned());
        assert_eq!(response(None, &error), "? illegal move\n\n");
    }
}
