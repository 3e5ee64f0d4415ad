//! Parses games in the text format.

use super::tokens::{Token, Tokens};
use crate::games::{Outcome, legal_turns, options};
use crate::play::notation::transcript::{TAKEN, is_value, parse_result};
use crate::play::notation::{ReadError, Transcript};
use crate::registry::{self, Variant};
use crate::search::Wdl;

/// The most tags of a game.
const MAX_TAGS: usize = 100;

const RESULTS: &str = "the result must be P1, P2, draw or *";

/// Parses the games of a text. Spaces, turn numbers and comments are ignored, except for values in
/// comments.
///
/// # Errors
///
/// If a tag or a comment is malformed, the game is missing or unknown, or it breaks its rules.
pub(crate) fn read(text: &str) -> Result<Vec<Transcript>, ReadError> {
    let mut tokens = Tokens::new(text);
    let (mut games, mut begun) = (Vec::new(), Begun::default());
    while let Some(token) = tokens.next() {
        let number = games.len() + 1;
        let (line, token) = token.map_err(|(line, reason)| ReadError::new(line, number, reason))?;
        // A game may lack the result at its end, if the next one begins with a tag.
        if matches!(token, Token::Tag(..)) && begun.is_past_tags() {
            games.push(std::mem::take(&mut begun).finished(number)?);
        }
        let number = games.len() + 1;
        let ends = begun
            .take(line, token)
            .map_err(|(line, reason)| ReadError::new(line, number, reason))?;
        if ends {
            games.push(std::mem::take(&mut begun).finished(number)?);
        }
    }
    if !begun.is_blank() {
        let number = games.len() + 1;
        games.push(begun.finished(number)?);
    }
    Ok(games)
}

/// A partly parsed game.
#[derive(Default)]
struct Begun<'a> {
    /// The line of its first tag or word.
    first: Option<usize>,
    tags: Vec<(usize, &'a str, String)>,
    moves: Vec<&'a str>,
    values: Vec<Option<Wdl>>,
    /// The lines of the moves.
    lines: Vec<usize>,
    /// Results given, and their lines.
    results: Vec<(usize, Option<Outcome>)>,
    variant: Option<Variant>,
    /// Whether turns of this game can be plain numbers.
    digits_are_turns: bool,
}

type Problem = (usize, String);

impl<'a> Begun<'a> {
    fn is_blank(&self) -> bool {
        self.first.is_none()
    }

    fn is_past_tags(&self) -> bool {
        self.variant.is_some()
    }

    /// Adds a token. Returns whether it ends the game.
    fn take(&mut self, line: usize, token: Token<'a>) -> Result<bool, Problem> {
        match token {
            Token::Tag(name, value) => {
                self.first.get_or_insert(line);
                self.tag(line, name, value).map(|()| false)
            }
            Token::Comment(text) => {
                if let (Some(last), Some(value)) = (self.values.last_mut(), value_of(text)) {
                    *last = Some(value);
                }
                Ok(false)
            }
            Token::Word(word) => {
                self.first.get_or_insert(line);
                self.find_variant(line)?;
                self.word(line, word)
            }
        }
    }

    fn tag(&mut self, line: usize, name: &'a str, value: String) -> Result<(), Problem> {
        if self.tags.iter().any(|&(_, known, _)| known == name) {
            return Err((line, format!("the tag {name} is given twice")));
        }
        if self.tags.len() == MAX_TAGS {
            return Err((line, format!("the game has more than {MAX_TAGS} tags")));
        }
        if name == "Result" {
            let result = parse_result(&value).ok_or_else(|| (line, unknown_result(&value)))?;
            self.results.push((line, result));
        }
        self.tags.push((line, name, value));
        Ok(())
    }

    /// Looks the game up by its tags, once all of them are parsed.
    fn find_variant(&mut self, line: usize) -> Result<Variant, Problem> {
        if let Some(variant) = self.variant {
            return Ok(variant);
        }
        let tag = |wanted| self.tags.iter().find(|&&(_, name, _)| name == wanted);
        let missing = || (line, "the tag [Game \"NAME\"] is missing".to_owned());
        let (line, _, name) = tag("Game").ok_or_else(missing)?;
        let (rules_line, rules) =
            tag("Rules").map_or((*line, ""), |(line, _, rules)| (*line, rules.as_str()));
        let texts = rules.split([' ', ',', ';', '\t']).filter(|text| !text.is_empty());
        let rules = options(texts).map_err(|error| (rules_line, error.to_string()))?;
        let variant =
            registry::find(name.trim(), &rules).map_err(|error| (rules_line, error.to_string()))?;
        self.digits_are_turns = has_turns_of_digits(&variant);
        self.variant = Some(variant);
        Ok(variant)
    }

    /// Adds a turn, a number, or the result. Returns whether the word ends the game.
    fn word(&mut self, line: usize, word: &'a str) -> Result<bool, Problem> {
        if let Some(result) = parse_result(word) {
            self.results.push((line, result));
            return Ok(true);
        }
        let turn = without_number(word);
        let is_number = !self.digits_are_turns && turn.bytes().all(|byte| byte.is_ascii_digit());
        if !turn.is_empty() && !is_number {
            self.moves.push(turn);
            self.values.push(None);
            self.lines.push(line);
        }
        Ok(false)
    }

    /// Completes the game, which has this number in the input.
    fn finished(mut self, number: usize) -> Result<Transcript, ReadError> {
        let first = self.first.unwrap_or(1);
        let problem = |(line, reason): Problem| ReadError::new(line, number, reason);
        let variant = self.find_variant(first).map_err(problem)?;
        let result = self.result().map_err(problem)?;
        let tags = self.tags.iter().filter(|(_, name, _)| !TAKEN.contains(name));
        Transcript::new(variant, &self.moves, result)
            .and_then(|game| game.with_values(&self.values))
            .and_then(|game| game.with_tags(tags.map(|(_, name, value)| (*name, value))))
            .map_err(|fault| ReadError::fault(&fault, number, first, &self.lines))
    }

    /// The given result. Tag and end must agree; `*` leaves the result to the rules.
    fn result(&self) -> Result<Option<Outcome>, Problem> {
        match self.results[..] {
            [(_, tag), (line, end)] if tag != end => {
                Err((line, "the result differs from that of the tag [Result]".to_owned()))
            }
            [(_, result), ..] => Ok(result),
            [] => Ok(None),
        }
    }
}

fn unknown_result(text: &str) -> String {
    let text: String = text.chars().take(40).collect();
    format!("{RESULTS}, not `{text}`")
}

/// The word without a leading turn number, as in `12.d4` and `12...`.
fn without_number(word: &str) -> &str {
    let rest = word.trim_start_matches(|letter: char| letter.is_ascii_digit());
    let turn = rest.trim_start_matches('.');
    if turn.len() < rest.len() { turn } else { word }
}

fn has_turns_of_digits(variant: &Variant) -> bool {
    let is_number = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    legal_turns(&variant.initial()).iter().any(|turn| is_number(&turn.text))
}

/// The win, draw and loss in a comment, if it has them.
fn value_of(comment: &str) -> Option<Wdl> {
    let chances: Vec<f32> =
        comment.split('/').map(|part| part.trim().parse().ok()).collect::<Option<_>>()?;
    let value = Wdl::try_from(chances).ok()?;
    is_value(value).then_some(value)
}
