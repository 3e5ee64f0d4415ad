//! Texts from elsewhere, as a terminal may show them.

use std::borrow::Cow;
use std::io::{self, Stdout, Write};

/// The text with control characters written out, `\\u{1b}` for an escape, so that the names in a
/// foreign file cannot command a terminal. Line feeds and tabs stay. Marks that change the direction
/// of writing are written out, too: they can show a name as another one.
pub(crate) fn printable(text: &str) -> Cow<'_, str> {
    if !text.contains(is_command) {
        return Cow::Borrowed(text);
    }
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if is_command(letter) {
            shown.extend(letter.escape_unicode());
        } else {
            shown.push(letter);
        }
    }
    Cow::Owned(shown)
}

/// Standard output for texts that people read: what is written is [`printable`]. Lines for programs
/// go to [`io::stdout`].
pub(crate) fn stdout() -> Printable<Stdout> {
    Printable(io::stdout())
}

/// A writer of [`printable`] text.
#[derive(Debug)]
pub(crate) struct Printable<W>(W);

impl<W: Write> Write for Printable<W> {
    /// Takes whole letters: a piece of a formatted text always has them.
    fn write(&mut self, text: &[u8]) -> io::Result<usize> {
        self.0.write_all(printable(&String::from_utf8_lossy(text)).as_bytes())?;
        Ok(text.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

fn is_command(letter: char) -> bool {
    let is_direction = matches!(letter, '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_direction || (letter.is_control() && letter != '\n' && letter != '\t')
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::{Printable, printable};

    #[test]
    fn commands_to_a_terminal_are_written_out() {
        let plain = "neutron5: naïve\n\t囲碁";
        assert_eq!(printable(plain), plain);
        assert_eq!(printable("a\x1b[2Jb\r\u{9b}c\0"), "a\\u{1b}[2Jb\\u{d}\\u{9b}c\\u{0}");
        let mut written = Vec::new();
        let name = "a\x1b[2J";
        writeln!(Printable(&mut written), "{name} 囲碁").unwrap();
        assert_eq!(String::from_utf8(written).unwrap(), "a\\u{1b}[2J 囲碁\n");
        assert_eq!(printable("evil\u{202e}txt"), "evil\\u{202e}txt");
    }
}
