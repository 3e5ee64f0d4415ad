//! What tags and turns are made of: words, tags and comments.

use crate::notation::place::LineCounter;

/// A part of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// `[Name "value"]`.
    Tag(&'a str, String),
    /// What stands between braces.
    Comment(&'a str),
    /// A turn, a number or a result.
    Word(&'a str),
}

/// The parts of a text, each with its line.
pub(super) struct Tokens<'a> {
    text: &'a str,
    /// Where the rest begins.
    offset: usize,
    lines: LineCounter<'a>,
}

/// What is wrong with a part, and the line.
pub(super) type Malformed = (usize, &'static str);

const TAG_FORM: &str = "a tag is written [Name \"value\"], on a line of its own";

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, offset: 0, lines: LineCounter::new(text.as_bytes()) }
    }

    /// The next part, if there is one.
    pub(super) fn next(&mut self) -> Option<Result<(usize, Token<'a>), Malformed>> {
        self.skip_blanks();
        let line = self.lines.line_of(self.offset);
        let rest = &self.text[self.offset..];
        let read = match rest.as_bytes().first()? {
            b'[' => tag(rest).ok_or(TAG_FORM),
            b'{' => comment(rest).ok_or("the comment has no end: a } is missing"),
            _ => Ok(word(rest)),
        };
        Some(match read {
            Ok((token, length)) => {
                self.offset += length;
                Ok((line, token))
            }
            Err(reason) => Err((line, reason)),
        })
    }

    /// Goes on to what is not space, and no comment up to the end of its line.
    fn skip_blanks(&mut self) {
        loop {
            let rest = &self.text[self.offset..];
            let blank = rest.len() - rest.trim_start().len();
            self.offset += blank;
            let rest = &rest[blank..];
            if !rest.starts_with(';') {
                return;
            }
            self.offset += rest.find('\n').unwrap_or(rest.len());
        }
    }
}

fn tag(rest: &str) -> Option<(Token<'_>, usize)> {
    let line = rest.lines().next()?;
    let inside = line.strip_prefix('[')?.trim_start();
    let (name, quoted) = inside.split_once('"')?;
    let mut value = String::new();
    let mut letters = quoted.char_indices();
    loop {
        match letters.next()?.1 {
            '\\' => value.push(letters.next()?.1),
            '"' => break,
            letter => value.push(letter),
        }
    }
    let after = letters.as_str().trim_start();
    let length = line.len() - after.len() + 1;
    after.starts_with(']').then_some((Token::Tag(name.trim_end(), value), length))
}

fn comment(rest: &str) -> Option<(Token<'_>, usize)> {
    let end = rest.find('}')?;
    Some((Token::Comment(&rest[1..end]), end + 1))
}

fn word(rest: &str) -> (Token<'_>, usize) {
    let ends = |letter: char| letter.is_whitespace() || ['{', ';', '['].contains(&letter);
    let end = rest.find(ends).unwrap_or(rest.len());
    (Token::Word(&rest[..end]), end)
}
