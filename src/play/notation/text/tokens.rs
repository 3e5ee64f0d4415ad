//! The tokens of the text format: words, tags and comments.

use crate::play::notation::place::LineCounter;

/// A token.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token<'a> {
    /// `[Name "value"]`.
    Tag(&'a str, String),
    /// The text between braces.
    Comment(&'a str),
    /// A turn, a number or a result.
    Word(&'a str),
}

/// Splits a text into tokens, each with its line.
pub(super) struct Tokens<'a> {
    text: &'a str,
    /// The offset of the rest.
    offset: usize,
    lines: LineCounter<'a>,
}

/// The line and the reason of an error.
pub(super) type Malformed = (usize, &'static str);

const TAG_FORM: &str = "a tag must be [Name \"value\"], on a line of its own";

impl<'a> Tokens<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { text, offset: 0, lines: LineCounter::new(text.as_bytes()) }
    }

    /// The next token, if there is one.
    pub(super) fn next(&mut self) -> Option<Result<(usize, Token<'a>), Malformed>> {
        self.skip_blanks();
        let line = self.lines.line_of(self.offset);
        let rest = &self.text[self.offset..];
        let read = match rest.as_bytes().first()? {
            b'[' => tag(rest).ok_or(TAG_FORM),
            b'{' => comment(rest).ok_or("the comment has no closing }"),
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

    /// Skips space and comments from `;` to the end of the line.
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

/// Parses a tag. It reads no further than the end of the tag, as a line may be as long as the text.
fn tag(rest: &str) -> Option<(Token<'_>, usize)> {
    let inside = rest.strip_prefix('[')?;
    let (name, _) = inside.split_at_checked(inside.find(['"', '\n'])?)?;
    let mut value = String::new();
    let mut letters = inside[name.len()..].strip_prefix('"')?.chars();
    loop {
        match letters.next()? {
            '\n' => return None,
            '\\' => value.push(letters.next().filter(|&letter| letter != '\n')?),
            '"' => break,
            letter => value.push(letter),
        }
    }
    let end = letters.as_str().trim_start_matches([' ', '\t']).strip_prefix(']')?;
    Some((Token::Tag(name.trim(), value), rest.len() - end.len()))
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
