//! Configs, player specs, and the queries of `analyze`.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use serde_json::Value;

use crate::base::duration;
use crate::games::{Text, Turn};
use crate::nn::infer;
use crate::play::analysis;
use crate::play::notation::Format;
use crate::play::players::{
    Budget, Chosen, Forfeit, Limits, Player, PlayerSpec, SearchOptions, SearchPlayer, SearchReport,
};
use crate::play::positions::Kind;
use crate::registry::{Position, preset};
use crate::runs::checkpoint_range;
use crate::runs::config::Config;
use crate::search::{self, Uniform, copies};

/// A config. Its lines that begin with `--set ` are settings of the command line.
pub(super) fn config(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let (settings, lines): (Vec<&str>, Vec<&str>) =
        text.lines().partition(|line| line.starts_with("--set "));
    let settings: Vec<String> = settings.iter().map(|line| line[6..].to_owned()).collect();
    if let Ok(config) = Config::parse(&lines.join("\n"), "input", &settings) {
        let written = config.to_toml();
        let read = Config::parse(&written, "written", &[]);
        assert_eq!(read.expect("a config that was written can be read"), config);
    }
}

/// Player specs and other words of the command line, one on each line.
pub(super) fn specs(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    for line in text.lines().take(8) {
        match line.parse::<PlayerSpec>() {
            Ok(spec @ PlayerSpec::Baseline(baseline)) => same_spec(&spec, &baseline.to_string()),
            Ok(PlayerSpec::External(engine)) => {
                same_spec(&PlayerSpec::External(engine.clone()), &engine.to_string());
            }
            Ok(PlayerSpec::Policy(_) | PlayerSpec::Search(_) | PlayerSpec::Solution(_))
            | Err(_) => {}
        }
        if let Ok(options) = SearchOptions::read(line) {
            let _ = options.search(search::Settings::default());
            let _ = options.inference.changed(infer::Settings::default());
        }
        let _ = checkpoint_range::expand(line);
        let _ = duration::parse(line);
        if let Ok(kind) = line.parse::<Kind>() {
            assert_eq!(kind.to_string().parse(), Ok(kind));
        }
        let _ = line.parse::<Format>();
    }
}

fn same_spec(spec: &PlayerSpec, text: &str) {
    let read: PlayerSpec = text.parse().expect("a spec that was written can be read");
    assert_eq!(read, *spec, "{text}");
}

/// Queries of `analyze`, with the rules alone and with a player.
pub(super) fn analyze(input: &[u8]) {
    let mut answers = Vec::new();
    analysis::converse(input, &mut answers, |line| analysis::answer_rules(line, Some("neutron5")))
        .expect("memory can be read and written");
    let count = checked(&answers);
    answers.clear();
    let variant = preset("neutron5").expect("a game of the table");
    let mut player = Brief::new();
    analysis::converse(input, &mut answers, |line| {
        analysis::answer_player(line, &variant, &mut player)
    })
    .expect("memory can be read and written");
    assert_eq!(checked(&answers), count);
}

/// The number of answers, which must be JSON objects with a board or an error.
fn checked(answers: &[u8]) -> usize {
    let text = std::str::from_utf8(answers).expect("answers are text");
    for line in text.lines() {
        let answer: Value = serde_json::from_str(line).expect("an answer is JSON");
        assert!(answer["board"].is_string() != answer["error"].is_string(), "{line}");
    }
    text.lines().count()
}

/// A search player with a few simulations, whatever the limits.
pub(super) struct Brief(SearchPlayer);

const SIMULATIONS: u32 = 4;

impl Brief {
    pub(super) fn new() -> Self {
        let settings = search::Settings { cache_mib: 0, ..Default::default() };
        let settings = settings.without_root_prover();
        let budget = Budget::Simulations(SIMULATIONS);
        Self(SearchPlayer::new(copies(&Uniform, 1), settings, budget))
    }
}

impl Player for Brief {
    fn unit(&self) -> Option<&'static str> {
        self.0.unit()
    }

    fn begin_game(&mut self, game: u64) {
        self.0.begin_game(game);
    }

    fn set_time(&mut self, _: Option<Duration>) {}

    fn choose_while(
        &mut self,
        position: &Position,
        moves: &[Text],
        keep_going: &dyn Fn() -> bool,
    ) -> Result<Chosen, Forfeit> {
        self.0.choose_while(position, moves, keep_going)
    }

    fn analyze(&mut self, position: &Position) -> Option<SearchReport> {
        self.0.analyze(position)
    }

    fn analyze_within(
        &mut self,
        position: &Position,
        limits: &Limits,
        keep_going: &dyn Fn() -> bool,
    ) -> Option<SearchReport> {
        let simulations = limits.simulations.min(SIMULATIONS);
        self.0.analyze_within(position, &Limits::simulations(simulations), keep_going)
    }

    fn ponder(&mut self, _: &Position, _: &AtomicBool) {}

    fn advance(&mut self, turn: &Turn) {
        self.0.advance(turn);
    }
}
