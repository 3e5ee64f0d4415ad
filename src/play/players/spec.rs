//! Player specs: the text that names a player, as in `uct?rollouts=1000`.

use std::fmt::{self, Display};
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use super::External;
use super::options::{PlayerOptions, SearchOptions};
use crate::base::spelling::nearest;

/// A parsed player spec. A trained player is not loaded yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlayerSpec {
    /// A player without a network.
    Baseline(Baseline),
    /// An external engine: the text behind `gtp`.
    External(External),
    /// A perfect player: the folder of a solution, behind `solution:`.
    Solution(String),
    /// A trained network without search: the text behind `policy:`.
    Policy(String),
    /// A trained player: the whole text, or the text behind `search:`.
    Search(String),
}

/// A player without a network.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Baseline {
    /// Uniformly random actions.
    Random,
    /// Plain UCT.
    Uct(UctLimits),
    /// Alpha-beta with a hand-written heuristic.
    AlphaBeta(AlphaBetaLimits),
    /// A solver, for games that have one.
    Perfect,
}

/// The limits of UCT; at least one is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct UctLimits {
    /// Rollouts for each action.
    pub rollouts: Option<u32>,
    /// Time for each turn.
    pub time: Option<Duration>,
}

/// The limits of alpha-beta for a turn; at least one is given.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct AlphaBetaLimits {
    /// Visited positions.
    pub nodes: Option<u64>,
    /// Search depth in turns.
    pub depth: Option<u8>,
    /// Time.
    pub time: Option<Duration>,
}

/// The words that name players without a network.
const WORDS: [&str; 4] = ["random", "uct", "alphabeta", "perfect"];

/// Rollouts of `uct` without a limit in its spec.
const ROLLOUTS: u32 = 1000;
/// Nodes of `alphabeta` without a limit in its spec.
const NODES: u64 = 10_000;

impl FromStr for PlayerSpec {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::read(text).with_context(|| format!("player `{text}`"))
    }
}

impl PlayerSpec {
    fn read(text: &str) -> Result<Self> {
        if let Some(run) = text.strip_prefix("policy:") {
            let options = run.split_once('?').map_or("", |(_, options)| options);
            PlayerOptions::read(options, "policy", &["device", "engine", "precision"])?.device()?;
            return Ok(Self::Policy(run.to_owned()));
        }
        if let Some(external) = text.strip_prefix("gtp").map(External::read).transpose()?.flatten()
        {
            return Ok(Self::External(external));
        }
        if let Some(folder) = text.strip_prefix("solution:") {
            if folder.trim().is_empty() {
                bail!("`solution:` needs the folder of a solution; `tavoliere solve` makes one");
            }
            return Ok(Self::Solution(folder.to_owned()));
        }
        if let Some(run) = text.strip_prefix("search:") {
            return Self::search(run);
        }
        let (word, options) = text.split_once('?').unwrap_or((text, ""));
        if let Some(baseline) = Baseline::read(word, options)? {
            return Ok(Self::Baseline(baseline));
        }
        if let Some((prefix, run)) = word.split_once(':')
            && !Path::new(word).exists()
            && nearest(prefix, ["policy", "search", "gtp", "solution"].into_iter()).is_some()
        {
            bail!(
                "`{prefix}:` is not a kind of player; write policy:{run}, search:{run}, \
                 solution:{run} or gtp:{run}"
            );
        }
        match nearest(word, WORDS.into_iter()) {
            Some(near) if !Path::new(word).exists() => bail!(
                "there is no player and no run of this name, did you mean `{near}`? Players are \
                 {}, policy:RUN, gtp:COMMAND and RUN",
                WORDS.join(", ")
            ),
            _ => Self::search(text),
        }
    }

    /// A trained player, whose options are parsed. The values of search settings are checked when
    /// it is loaded.
    fn search(run: &str) -> Result<Self> {
        SearchOptions::read(run.split_once('?').map_or("", |(_, options)| options))?;
        Ok(Self::Search(run.to_owned()))
    }
}

impl Baseline {
    /// The player that `word` names; `None` if it names none.
    fn read(word: &str, options: &str) -> Result<Option<Self>> {
        Ok(Some(match word {
            "random" => {
                PlayerOptions::read(options, word, &[])?;
                Self::Random
            }
            "perfect" => {
                PlayerOptions::read(options, word, &[])?;
                Self::Perfect
            }
            "uct" => {
                let options = PlayerOptions::read(options, word, &["rollouts", "time"])?;
                let (rollouts, time) = (options.number("rollouts", 10_000_000)?, options.time()?);
                let default = time.is_none().then_some(ROLLOUTS);
                Self::Uct(UctLimits { rollouts: rollouts.or(default), time })
            }
            "alphabeta" => {
                let options = PlayerOptions::read(options, word, &["nodes", "depth", "time"])?;
                let nodes = options.number("nodes", 1_000_000_000)?.map(u64::from);
                let depth = options.number("depth", 48)?.map(|depth| depth as u8);
                let time = options.time()?;
                let default = (depth.is_none() && time.is_none()).then_some(NODES);
                Self::AlphaBeta(AlphaBetaLimits { nodes: nodes.or(default), depth, time })
            }
            _ => return Ok(None),
        }))
    }

    /// Whether its turns depend on the clock.
    pub fn is_timed(&self) -> bool {
        match self {
            Self::Random | Self::Perfect => false,
            Self::Uct(limits) => limits.time.is_some(),
            Self::AlphaBeta(limits) => limits.time.is_some(),
        }
    }

    fn limits(&self) -> Vec<String> {
        let time = |time: Option<Duration>| time.map(|time| format!("time={}ms", time.as_millis()));
        match *self {
            Self::Random | Self::Perfect => Vec::new(),
            Self::Uct(UctLimits { rollouts, time: limit }) => {
                let rollouts = rollouts.map(|rollouts| format!("rollouts={rollouts}"));
                rollouts.into_iter().chain(time(limit)).collect()
            }
            Self::AlphaBeta(AlphaBetaLimits { nodes, depth, time: limit }) => {
                let nodes = nodes.map(|nodes| format!("nodes={nodes}"));
                let depth = depth.map(|depth| format!("depth={depth}"));
                nodes.into_iter().chain(depth).chain(time(limit)).collect()
            }
        }
    }
}

/// The spec with all limits, including defaults.
impl Display for Baseline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            Self::Random => "random",
            Self::Uct(_) => "uct",
            Self::AlphaBeta(_) => "alphabeta",
            Self::Perfect => "perfect",
        };
        let limits = self.limits();
        let question = if limits.is_empty() { "" } else { "?" };
        write!(f, "{word}{question}{}", limits.join("&"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        format!("{:#}", text.parse::<PlayerSpec>().unwrap_err())
    }

    #[test]
    fn names_are_read_and_written() {
        for (text, whole) in [
            ("random", "random"),
            ("uct", "uct?rollouts=1000"),
            ("uct?time=1.5s", "uct?time=1500ms"),
            ("uct?time=2.5ms", "uct?time=2ms"),
            ("uct?time=20ms&rollouts=7", "uct?rollouts=7&time=20ms"),
            ("alphabeta?", "alphabeta?nodes=10000"),
            ("alphabeta?depth=3", "alphabeta?depth=3"),
            ("perfect", "perfect"),
        ] {
            let PlayerSpec::Baseline(baseline) = text.parse().unwrap() else { panic!("{text}") };
            assert_eq!(baseline.to_string(), whole);
            assert_eq!(whole.parse::<PlayerSpec>().unwrap(), PlayerSpec::Baseline(baseline));
        }
        let search = |text: &str| PlayerSpec::Search(text.to_owned());
        assert_eq!(
            "runs/x@3?root=puct".parse::<PlayerSpec>().unwrap(),
            search("runs/x@3?root=puct")
        );
        assert_eq!("search:random".parse::<PlayerSpec>().unwrap(), search("random"));
        for (text, whole) in [
            ("gtp:engine --fast", "gtp?timeout=60000ms:engine --fast"),
            ("gtp?timeout=2s: a 'b c' ", "gtp?timeout=2000ms:a 'b c'"),
            ("gtp:sh -c \"x: y?z\"", "gtp?timeout=60000ms:sh -c \"x: y?z\""),
            ("gtp: a\\ ", "gtp?timeout=60000ms: a\\ "),
            ("gtp:\u{c}", "gtp?timeout=60000ms:\u{c}"),
        ] {
            let PlayerSpec::External(external) = text.parse().unwrap() else { panic!("{text}") };
            assert_eq!(external.to_string(), whole);
            assert_eq!(whole.parse::<PlayerSpec>().unwrap(), PlayerSpec::External(external));
        }
        assert_eq!(
            "solution:a/b".parse::<PlayerSpec>().unwrap(),
            PlayerSpec::Solution("a/b".to_owned())
        );
        assert_eq!("gtp".parse::<PlayerSpec>().unwrap(), search("gtp"));
        assert_eq!(
            "policy:x@3".parse::<PlayerSpec>().unwrap(),
            PlayerSpec::Policy("x@3".to_owned())
        );
    }

    #[test]
    fn errors_name_the_mistake_and_the_known_words() {
        for (text, words) in [
            ("randon", "did you mean `random`?"),
            ("alfabeta?nodes=3", "did you mean `alphabeta`?"),
            ("polcy:x", "write policy:x"),
            (
                "uct?rolouts=3",
                "not an option of uct, did you mean `rollouts`? Its options are rollouts, time",
            ),
            ("uct?rollouts=0", "rollouts=0: not a number from 1 to 10000000"),
            ("uct?rollouts", "`rollouts` is not of the form key=value"),
            ("uct?time=5", "write it as in 200ms"),
            ("uct?time=0s", "time=0s: not from 1ms"),
            ("alphabeta?depth=49", "depth=49: not a number from 1 to 48"),
            ("alphabeta?depth=3&depth=4", "`depth` is given twice"),
            ("random?seed=3", "`seed` is not an option of random. It has no options"),
            ("gtp:", "`gtp:` needs the command line of an engine"),
            ("gtp:''", "`gtp:` needs the command line of an engine"),
            ("gtp:engine 'x", "a quotation mark is not closed"),
            ("gtp?timeot=3s:x", "did you mean `timeout`?"),
            ("gtp?timeout=0s:x", "timeout=0s: not from 1ms"),
            ("gtb:x", "write policy:x, search:x, solution:x or gtp:x"),
            (
                "policy:x?simulations=3",
                "not an option of policy. Its options are device, engine, precision",
            ),
            ("runs/x?simulatons=3", "did you mean `simulations`?"),
            ("runs/x@3?c_puckt=3", "did you mean `c_puct`?"),
            ("solution: ", "`solution:` needs the folder of a solution"),
            ("runs/x?book=", "book=: write the file of a book, or off"),
            ("runs/x?level=2&book=off", "level=2 and book exclude each other"),
            ("search:x?simulations=0", "simulations=0: not a number from 1"),
        ] {
            let said = refused(text);
            assert!(said.contains(words) && said.contains(text), "{said}");
        }
    }
}
