//! Help and messages in a program with games of its author: they name that program and its games.

use std::borrow::Cow;
use std::ffi::OsString;
use std::path::Path;
use std::sync::LazyLock;

use clap::builder::{Resettable, StyledStr};
use clap::{Arg, Command, CommandFactory};

use super::Cli;
use crate::base::program;
use crate::games::legal_turns;
use crate::registry::{self, Listing, preset};

/// The name of the program that ships.
const SHIPPED: &str = "tavoliere";

/// Turns and positions of Neutron in the examples.
const TURNS: [&str; 2] = ["A5-A2", "E3,D1-A4"];
const POSITIONS: [&str; 2] = ["xxxx./....x/..*../...../ooooo o", "xxxx./....x/..*../...../ooooo x"];

/// Options of examples that fit only the games that ship.
const THEIRS: [&str; 4] = ["--rule ", "--level ", "--book ", "solution:"];

/// Commands that take players, so that a game's name in their examples is that of a player.
const PLAYING: [&str; 8] =
    ["analyze", "bot", "engine", "exact", "match", "play", "selfplay", "serve"];

/// A program with games of its author.
struct Own {
    // Clap keeps names and versions for ever.
    name: &'static str,
    version: &'static str,
    game: &'static str,
    /// The games that ship and that it does not have.
    missing: Vec<&'static str>,
    /// The commands of the program.
    commands: Vec<String>,
    /// Two turns and the positions after none and one of them, as texts.
    turns: Vec<String>,
    positions: Vec<String>,
}

/// This program, unless its games are those that ship.
static OWN: LazyLock<Option<Own>> = LazyLock::new(|| {
    let names = |listings: &[Listing]| listings.iter().map(|game| game.name).collect::<Vec<_>>();
    let shipped = names(&registry::shipped());
    let games = names(registry::all());
    (games != shipped).then(|| Own::of(name_of(program::file()), &games, &shipped))
});

/// The program's name by its file.
fn name_of(file: Option<OsString>) -> String {
    let stem = file.as_deref().and_then(|path| Path::new(path).file_stem());
    stem.map_or(SHIPPED.into(), |stem| stem.to_string_lossy().into_owned())
}

/// The command line of this program.
pub(super) fn command() -> Command {
    match &*OWN {
        Some(own) => own.retold(Cli::command()),
        None => Cli::command(),
    }
}

/// What this program is called in its messages.
pub(super) fn name() -> &'static str {
    OWN.as_ref().map_or(SHIPPED, |own| own.name)
}

/// A message in which the commands are those of this program.
pub(super) fn message(text: &str) -> Cow<'_, str> {
    OWN.as_ref().map_or(text.into(), |own| own.commands_in(text).into())
}

impl Own {
    fn of(name: String, games: &[&'static str], shipped: &[&'static str]) -> Self {
        let missing = shipped.iter().copied().filter(|game| !games.contains(game)).collect();
        let commands = Cli::command().get_subcommands().map(|sub| sub.get_name().into()).collect();
        let (turns, positions) = opening(games[0]);
        let version = format!("({SHIPPED} {})", env!("CARGO_PKG_VERSION")).leak();
        let (name, game) = (name.leak(), games[0]);
        Self { name, version, game, missing, commands, turns, positions }
    }

    fn retold(&self, command: Command) -> Command {
        let command = self.texts(command.name(self.name).version(self.version), "");
        command.mut_subcommands(|sub| {
            let name = sub.get_name().to_owned();
            // Those of `bot`, which has commands of its own.
            self.texts(sub, &name).mut_subcommands(|sub| self.texts(sub, &name))
        })
    }

    /// The command with other texts. `name` is that of a subcommand.
    fn texts(&self, command: Command, name: &str) -> Command {
        let help = |text: &StyledStr| StyledStr::from(self.help(&text.to_string(), name));
        let told = |text: Option<&StyledStr>| match text {
            Some(text) => Resettable::Value(help(text)),
            None => Resettable::Reset,
        };
        let (about, long) = (told(command.get_about()), told(command.get_long_about()));
        let after = told(command.get_after_help());
        let arg = |arg: Arg| {
            let (help, long) = (told(arg.get_help()), told(arg.get_long_help()));
            arg.help(help).long_help(long)
        };
        command.about(about).long_about(long).after_help(after).mut_args(arg)
    }

    fn help(&self, text: &str, command: &str) -> String {
        let mut lines: Vec<String> = Vec::new();
        for line in text.lines().filter_map(|line| self.line(line, command)) {
            // All examples of a block may be gone.
            let is_twice = line.is_empty() && lines.last().is_some_and(String::is_empty);
            lines.extend((!is_twice).then_some(line));
        }
        lines.join("\n")
    }

    /// A line of a help text; `None` for an example that fits only a game that is not there.
    fn line(&self, line: &str, command: &str) -> Option<String> {
        let trimmed = line.trim_start();
        let is_example = [SHIPPED, "echo", "{", "diff"].iter().any(|it| trimmed.starts_with(it));
        let said = match command {
            // Its examples are files that are called after the program.
            "completions" => line.replace(SHIPPED, self.name),
            _ => aligned(line, self.commands_in(line)),
        };
        if !is_example || !self.missing.iter().any(|game| !places(line, game).is_empty()) {
            return Some(said);
        }
        let is_solved = command == "solve" && !line.contains("--proof");
        if is_solved || THEIRS.iter().any(|option| line.contains(option)) {
            return None;
        }
        let said = said.replace(&quoted(&TURNS), &quoted(&self.turns));
        let said = said.replace(&quoted(&TURNS[..1]), &quoted(self.turns.get(..1).unwrap_or(&[])));
        let said = POSITIONS
            .iter()
            .zip(&self.positions)
            .fold(said, |said, (theirs, own)| said.replace(theirs, own));
        let said = self.missing.iter().fold(said, |said, game| self.renamed(&said, game, command));
        Some(aligned(line, said))
    }

    /// A line with the first game of this program in the place of one that it does not have.
    fn renamed(&self, line: &str, game: &str, command: &str) -> String {
        let mut line = line.to_owned();
        for at in places(&line, game).into_iter().rev() {
            let before = &line[..at];
            let is_player = before.ends_with(' ') && !before.ends_with("--game ");
            let has = |name: &str| command == name || before.contains(&format!(" {name} "));
            let folder = match is_player {
                true if PLAYING.into_iter().any(has) => "checkpoints/",
                true if has("site") => "players/",
                _ => "",
            };
            line.replace_range(at..at + game.len(), &format!("{folder}{}", self.game));
        }
        line
    }

    /// A text in which the commands are those of this program.
    fn commands_in(&self, text: &str) -> String {
        let theirs = format!("{SHIPPED} ");
        let mut parts = text.split(&theirs);
        let mut said = parts.next().unwrap_or_default().to_owned();
        for part in parts {
            let end = part.find(|sign: char| !sign.is_ascii_lowercase()).unwrap_or(part.len());
            let is_command = self.commands.iter().any(|command| *command == part[..end]);
            said += if is_command { self.name } else { SHIPPED };
            said.push(' ');
            said += part;
        }
        said
    }
}

/// An example with what it explains at the place that this had in the line that it comes from.
fn aligned(line: &str, said: String) -> String {
    let start = line.len() - line.trim_start().len();
    let gap = |line: &str| line[start..].find("  ").map(|at| start + at);
    let column = gap(line).map(|at| line.len() - line[at..].trim_start().len());
    match (column, gap(&said)) {
        (Some(column), Some(at)) if at < column => {
            format!("{:<column$}{}", &said[..at], said[at..].trim_start())
        }
        _ => said,
    }
}

/// Two turns of a game, and the positions after none and one of them.
fn opening(game: &str) -> (Vec<String>, Vec<String>) {
    let Ok(variant) = preset(game) else { return Default::default() };
    let mut position = variant.initial();
    let (mut turns, mut positions) = (Vec::new(), Vec::new());
    for _ in 0..2 {
        positions.push(position.position_text());
        let Some(turn) = legal_turns(&position).into_iter().next() else { break };
        turn.play_on(&mut position);
        turns.push(turn.text.to_string());
    }
    (turns, positions)
}

/// Texts in quotation marks, joined by commas.
fn quoted<S: AsRef<str>>(texts: &[S]) -> String {
    let texts: Vec<_> = texts.iter().map(|text| format!("\"{}\"", text.as_ref())).collect();
    texts.join(", ")
}

/// Where a line has the name of a game as a word.
fn places(line: &str, game: &str) -> Vec<usize> {
    let is_part = |sign: char| sign.is_ascii_alphanumeric() || sign == '_';
    let is_word = |at: &usize| {
        !line[..*at].ends_with(is_part) && !line[at + game.len()..].starts_with(is_part)
    };
    line.match_indices(game).map(|(at, _)| at).filter(is_word).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A program that has one of the games that ship, under the name of another program.
    fn own() -> Own {
        let shipped: Vec<_> = registry::all().iter().map(|game| game.name).collect();
        Own::of("mine".into(), &["breakthrough6"], &shipped)
    }

    fn help_of(command: &mut Command) -> Vec<(String, String)> {
        let mut texts = vec![(String::new(), command.render_long_help().to_string())];
        for sub in command.get_subcommands_mut() {
            texts.push((sub.get_name().to_owned(), sub.render_long_help().to_string()));
        }
        texts
    }

    #[test]
    fn the_examples_of_an_own_program_are_about_its_games() {
        let own = own();
        for (name, text) in help_of(&mut own.retold(Cli::command())) {
            for line in text.lines() {
                let line = line.trim_start();
                assert!(!line.starts_with("tavoliere "), "{name}: {line}");
                let is_example = line.starts_with("mine ") || line.starts_with(['{', '\'']);
                let foreign = own.missing.iter().find(|game| !places(line, game).is_empty());
                assert!(!is_example || foreign.is_none(), "{name}: {line}");
            }
        }
    }

    #[test]
    fn examples_name_the_program_a_game_and_its_players() {
        let own = own();
        let said = |line, command| own.line(line, command);
        let told = |text: &str| Some(text.to_owned());
        assert_eq!(
            said("  tavoliere play neutron5", "play"),
            told("  mine play checkpoints/breakthrough6")
        );
        assert_eq!(
            said("  tavoliere match checkpoints/susan uct --game entropy", "match"),
            told("  mine match checkpoints/breakthrough6 uct --game breakthrough6")
        );
        assert_eq!(
            said("  tavoliere rules neutron5        explain it", "rules"),
            told("  mine rules breakthrough6        explain it")
        );
        assert_eq!(said("  tavoliere perft neutron5 3 --rule holes=1", "perft"), None);
        assert_eq!(
            said(r#"  {"game": "neutron5", "moves": ["A5-A2", "E3,D1-A4"]}"#, "analyze"),
            told(r#"  {"game": "breakthrough6", "moves": ["a2-a3", "a5-a4"]}"#)
        );
        let position = preset("breakthrough6").unwrap().initial().position_text();
        assert_eq!(
            said(
                r#"  {"game": "neutron5", "position": "xxxx./....x/..*../...../ooooo o"}"#,
                "analyze"
            ),
            Some(format!(r#"  {{"game": "breakthrough6", "position": "{position}"}}"#))
        );
    }

    #[test]
    fn messages_name_the_commands_of_the_program() {
        let said =
            own().commands_in("`tavoliere games` lists them; the source of tavoliere is there");
        assert_eq!(said, "`mine games` lists them; the source of tavoliere is there");
        assert_eq!(name_of(Some("/some/where/hex".into())), "hex");
        assert_eq!(message("`tavoliere games` lists them"), "`tavoliere games` lists them");
        assert_eq!(name(), "tavoliere");
    }

    #[test]
    fn the_version_says_whose_library_it_is() {
        let version = own().retold(Cli::command()).render_version();
        assert_eq!(version, format!("mine (tavoliere {})\n", env!("CARGO_PKG_VERSION")));
    }
}
