//! Plans a training: a config for a game and a time, with the reason for every key.
//!
//! What the numbers rest on is in `docs/recipe.md`.

use std::time::Duration;

use crate::base::device::DeviceName;
use crate::base::duration;
use crate::nn::settings::NetworkSettings;
use crate::recipe::look::Look;
use crate::runs::config::Config;
use crate::runs::evaluation;

/// Channels of a network that may be chosen.
const CHANNELS: [usize; 7] = [16, 24, 32, 48, 64, 96, 128];

/// A network of `c` channels is worth its time if it learns from `NEED * c * c` positions.
const NEED: f64 = 220.0;

/// The widest network for a board, in channels for each cell.
const CHANNELS_PER_CELL: f64 = 2.6;

/// Simulations that may be chosen. More than the fewest are chosen where even so there are
/// `PLENTY` times as many positions as the network needs.
const SIMULATIONS: [u32; 3] = [16, 32, 64];
const PLENTY: f64 = 6.0;

/// Iterations of ten minutes. They grow with the square root of the time.
const ITERATIONS: f64 = 100.0;

/// Iterations that there are at least, even if batches are not full.
const FEWEST_ITERATIONS: f64 = 30.0;

/// Iterations whose files take much space.
const MANY_ITERATIONS: f64 = 1000.0;

const TEN_MINUTES: f64 = 600.0;

/// Part of the time that iterations have; the rest is for evaluations.
const ITERATING: f64 = 0.9;

/// Part of the time that an evaluation may take: rollouts of one opponent, searches of the network.
const EVALUATING: f64 = 0.02;

/// Evaluations, and games against each opponent in each. Few networks that meet in many games tell
/// more of the last part of a training than many in few.
const EVALUATIONS: u64 = 6;
const EVALUATION_GAMES: u64 = 40;

/// The speed of a network of a size, on all threads.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct NetworkSpeed {
    /// Channels of the trunk.
    pub channels: usize,
    /// Evaluations a second in self-play.
    pub evaluations_per_s: f64,
    /// Positions a second that the learner trains on.
    pub positions_per_s: f64,
}

/// The speeds of a machine.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Speeds {
    /// Threads.
    pub threads: usize,
    /// Simulations a second without a network.
    pub simulations_per_s: f64,
    /// Networks by their size, smallest first.
    pub networks: Vec<NetworkSpeed>,
}

/// A planned training.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Plan {
    /// The whole config.
    pub config: Config,
    /// The keys that were decided, as `section.key`, with the reasons.
    pub reasons: Vec<(String, String)>,
}

/// The sizes of networks that come into question for a board, in channels, smallest first.
pub(crate) fn sizes(cells: usize) -> Vec<usize> {
    let widest = cells as f64 * CHANNELS_PER_CELL;
    let fits = |&channels: &usize| channels as f64 <= widest;
    let sizes: Vec<usize> = CHANNELS.into_iter().filter(fits).collect();
    if sizes.is_empty() { CHANNELS[..1].to_vec() } else { sizes }
}

/// Whether no larger network than those measured can be worth its time.
pub(crate) fn is_enough(speeds: &Speeds, time: Duration) -> bool {
    speeds.networks.last().is_some_and(|network| !speeds.is_worth(network, time))
}

impl Speeds {
    /// Positions that a training of this time plays and learns from.
    fn positions(&self, network: &NetworkSpeed, simulations: u32, time: Duration) -> f64 {
        let reuse = f64::from(Config::default().replay.reuse);
        let playing = f64::from(simulations)
            * (1.0 / network.evaluations_per_s.max(1e-3) + 1.0 / self.simulations_per_s.max(1e-3));
        let learning = reuse / network.positions_per_s.max(1e-3);
        ITERATING * time.as_secs_f64() / (playing + learning)
    }

    fn is_worth(&self, network: &NetworkSpeed, time: Duration) -> bool {
        self.positions(network, SIMULATIONS[0], time) >= need(network)
    }

    /// The network and the simulations of a training of this time.
    fn choose(&self, time: Duration) -> (&NetworkSpeed, u32) {
        let worth = self.networks.iter().rfind(|network| self.is_worth(network, time));
        let network = worth.or(self.networks.first()).expect("networks were measured");
        let is_plenty = |simulations: &&u32| {
            self.positions(network, **simulations, time) >= PLENTY * need(network)
        };
        let simulations = SIMULATIONS.iter().rev().find(is_plenty).unwrap_or(&SIMULATIONS[0]);
        (network, *simulations)
    }
}

/// The positions that a network has to learn from to be worth its time.
fn need(network: &NetworkSpeed) -> f64 {
    NEED * (network.channels * network.channels) as f64
}

/// Plans a training of a game that looks like this, on a machine of these speeds.
pub(crate) fn plan(
    game: &str,
    look: &Look,
    speeds: &Speeds,
    time: Duration,
    device: DeviceName,
) -> Plan {
    let mut config = Config { game: game.to_owned(), ..Config::default() };
    config.selfplay = crate::selfplay::Settings::on(device);
    let mut plan = Plan { config, reasons: Vec::new() };
    plan.size(look, speeds, time);
    plan.beginnings(look);
    plan.results(look);
    plan.evaluation(look, speeds, time);
    plan
}

impl Plan {
    fn note(&mut self, key: &str, reason: impl Into<String>) {
        self.reasons.push((key.to_owned(), reason.into()));
    }

    /// The plan with these keys as they are in `config`, where somebody has set them.
    pub(crate) fn with(self, config: Config, keys: &[&str]) -> Self {
        let is_decided = |(key, _): &(String, String)| !keys.contains(&key.as_str());
        let reasons = self.reasons.into_iter().filter(is_decided).collect();
        let mut plan = Self { config, reasons };
        keys.iter().for_each(|key| plan.note(key, "set by hand"));
        plan
    }

    /// The plan with the network from whose weights it starts, which is the one that was measured.
    pub(crate) fn starting_with(mut self, network: NetworkSettings) -> Self {
        let usual = NetworkSettings { channels: network.channels, ..NetworkSettings::default() };
        let settings = [
            ("network.blocks", network.blocks != usual.blocks),
            ("network.global_pooling", network.global_pooling != usual.global_pooling),
            ("network.value_hidden", network.value_hidden != usual.value_hidden),
        ];
        for (key, _) in settings.into_iter().filter(|&(_, is_other)| is_other) {
            self.note(key, "as in the network that it starts from");
        }
        self.config.network = network;
        self
    }

    /// The network, the simulations, the games of an iteration and their number.
    fn size(&mut self, look: &Look, speeds: &Speeds, time: Duration) {
        let (network, simulations) = speeds.choose(time);
        let positions = speeds.positions(network, simulations, time);
        let wanted = ITERATIONS * (time.as_secs_f64() / TEN_MINUTES).sqrt();
        let selfplay = &mut self.config.selfplay;
        let per_game = (look.searched.actions - opening_actions(look) / 2.0).max(1.0);
        // As many games as there are slots keep the batches full for most of an iteration.
        let groups = if selfplay.queue { 2 } else { 1 };
        let slots = (speeds.threads * groups * selfplay.batch) as f64;
        let games = |iterations: f64| positions / iterations / per_game;
        let games = games(wanted).max(slots.min(games(FEWEST_ITERATIONS)));
        let games = ((games / 16.0).round() * 16.0).clamp(16.0, 100_000.0);
        let iterations = (positions / (games * per_game)).clamp(1.0, 1e6).round();

        (selfplay.games, selfplay.simulations) = (games as u64, simulations);
        self.config.network.channels = network.channels;
        self.config.iterations = iterations as u64;
        if iterations > MANY_ITERATIONS {
            self.config.train.prune = true;
            self.note("train.prune", "a long training: what it no longer needs is removed");
        }
        self.note(
            "iterations",
            format!("expected in {}; the schedules span the time itself", duration::text(time)),
        );
        self.note(
            "network.channels",
            format!(
                "{:.0} evaluations/s and {:.0} training positions/s here: time for about {} positions",
                network.evaluations_per_s,
                network.positions_per_s,
                rounded(positions)
            ),
        );
        self.note(
            "selfplay.games",
            format!("a game of {:.0} actions, iterations of some seconds", look.searched.actions),
        );
        let why = match simulations == SIMULATIONS[0] {
            true => "more games teach more than longer searches",
            false => "there is time for longer searches",
        };
        self.note("selfplay.simulations", why);
    }

    /// How games begin.
    fn beginnings(&mut self, look: &Look) {
        let turns = look.searched.turns;
        let selfplay = &mut self.config.selfplay;
        selfplay.opening_plies = opening_turns(look);
        selfplay.temperature_plies = (0.45 * turns).round().clamp(4.0, 30.0) as u32;
        let moves_only = look.moves_only();
        selfplay.opening_floor = match moves_only {
            true => 0.5,
            false => ((3.0 / look.branching).clamp(0.15, 0.4) * 100.0).round() as f32 / 100.0,
        };
        self.note(
            "selfplay.opening_plies",
            format!("games begin differently; they last {turns:.0} turns"),
        );
        let floor = match moves_only {
            true => "pieces only move: random turns make varied positions",
            false => "pieces are placed: random ones among many cells are soon lost ones",
        };
        self.note("selfplay.opening_floor", floor);
        self.note("selfplay.temperature_plies", "later turns use the best action");
        if moves_only && look.can_place {
            self.config.selfplay.placement_share = 0.7;
            self.note(
                "selfplay.placement_share",
                "pieces may stand anywhere: games begin in positions that play hardly comes to",
            );
        }
    }

    /// What keeps games decided.
    fn results(&mut self, look: &Look) {
        if look.moving > 0.05 {
            self.config.search.draw_value = -0.5;
            self.note("search.draw_value", "pieces can move to and fro: a draw is worth less");
        }
    }

    /// What the network is measured against.
    fn evaluation(&mut self, look: &Look, speeds: &Speeds, time: Duration) {
        let affordable = |rollouts: u64| {
            // Half of the turns, and rollouts from positions that are halfway to the end.
            let games =
                EVALUATION_GAMES as f64 * look.searched.actions / 2.0 * rollouts as f64 / 2.0;
            let seconds = games / look.random_games_per_s.max(1e-9) / speeds.threads as f64;
            seconds < EVALUATING * time.as_secs_f64()
        };
        let uct = [10_000, 1_000, 100].into_iter().filter(|&rollouts| affordable(rollouts));
        let mut panel: Vec<String> = uct.take(2).map(|it| format!("uct?rollouts={it}")).collect();
        panel.reverse();
        let alphabeta = evaluation::Settings::default().panel.pop();
        panel.extend(alphabeta.filter(|_| look.has_heuristic));
        if panel.is_empty() {
            panel.push("random".to_owned());
        }
        let every = (self.config.iterations / EVALUATIONS).max(1);
        let games = evaluation_games(look, speeds.choose(time).0, panel.len(), time);
        let settings = &mut self.config.evaluation;
        *settings = evaluation::Settings { every, games, panel, ..evaluation::Settings::default() };
        self.note("evaluation.every", "six times, as far as they take little of the time");
        self.note("evaluation.games", "all evaluations count together");
        self.note("evaluation.panel", "opponents that are fast enough here");
    }

    /// The config as TOML, with a reason behind every key. `title` is its first line.
    pub(crate) fn to_toml(&self, title: &str, look: &Look) -> String {
        let whole: toml::Table = self.config.to_toml().parse().expect("a config is TOML");
        let mut text = format!("# {title}\n# {}\n", look.described());
        text += &format!("game = \"{}\"\n", self.config.game);
        let mut section = "";
        let mut lines: Vec<_> = self.reasons.iter().collect();
        lines.sort_by_key(|(key, _)| key.contains('.').then(|| key.split('.').next()));
        for (key, reason) in lines {
            let (table, name) = key.split_once('.').unwrap_or(("", key));
            if table != section {
                section = table;
                text += &format!("\n[{section}]\n");
            }
            let values = whole.get(table).and_then(toml::Value::as_table).unwrap_or(&whole);
            if let Some(value) = values.get(name) {
                text += &format!("{name} = {value}   # {reason}\n");
            }
        }
        text
    }
}

impl Look {
    /// Whether no piece is ever added.
    fn moves_only(&self) -> bool {
        self.moving >= 1.0
    }

    /// What was seen, as a sentence.
    pub(crate) fn described(&self) -> String {
        let Self { searched, branching, cells, .. } = self;
        format!(
            "{cells} cells, about {branching:.0} actions in a position; games of short searches last \
             {:.0} turns, and {:.0} % of them are decided.",
            searched.turns,
            100.0 * searched.decided
        )
    }
}

/// The most turns of an opening.
fn opening_turns(look: &Look) -> u32 {
    let turns = look.searched.turns;
    let (wanted, most) = match look.moves_only() {
        true => (0.4 * turns, 16.0),
        // With few actions, more turns make as many positions.
        false => (0.3 * turns + 40.0 / look.branching.max(1.0), 12.0),
    };
    // At least half of the turns of a game are searched and trained on.
    wanted.max(2.0).min((turns / 2.0).floor()).min(most).round() as u32
}

/// The actions of such an opening.
fn opening_actions(look: &Look) -> f64 {
    let per_turn = look.searched.actions / look.searched.turns.max(1.0);
    f64::from(opening_turns(look)) * per_turn
}

/// The games against each opponent that an evaluation has time for, an even number. The network
/// searches half of the turns against the panel, and all of them against the network before.
fn evaluation_games(look: &Look, network: &NetworkSpeed, panel: usize, time: Duration) -> u64 {
    let simulations = f64::from(evaluation::Settings::default().simulations);
    let searches = look.searched.turns * (panel as f64 / 2.0 + 1.0);
    let game = searches * simulations / network.evaluations_per_s.max(1e-3);
    let pairs = EVALUATING * time.as_secs_f64() / game.max(1e-9) / 2.0;
    2 * (pairs as u64).clamp(2, EVALUATION_GAMES / 2)
}

/// A number of positions for people: two digits.
fn rounded(number: f64) -> String {
    let digits = number.max(1.0).log10().floor() as i32 - 1;
    let unit = 10f64.powi(digits.max(0));
    format!("{:.0}", (number / unit).round() * unit)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recipe::look::Sample;

    const TEN: Duration = Duration::from_secs(600);

    /// A game of placing pieces on a board of 25 cells.
    fn look() -> Look {
        let sample = Sample { turns: 20.0, actions: 20.0, decided: 1.0 };
        Look {
            cells: 25,
            branching: 12.0,
            searched: sample,
            random_games_per_s: 200_000.0,
            moving: 0.0,
            can_place: false,
            has_heuristic: false,
        }
    }

    /// A machine on which a network of `c` channels takes `c * c` times as long.
    fn speeds(factor: f64) -> Speeds {
        let network = |channels: usize| {
            let cost = (channels * channels) as f64 / 4096.0;
            NetworkSpeed {
                channels,
                evaluations_per_s: factor * 100_000.0 / cost,
                positions_per_s: factor * 8_000.0 / cost,
            }
        };
        let networks = sizes(25).into_iter().map(network).collect();
        Speeds { threads: 2, simulations_per_s: 1_000_000.0, networks }
    }

    fn planned(look: &Look, factor: f64, time: Duration) -> Config {
        plan("hex5", look, &speeds(factor), time, DeviceName::Cpu).config
    }

    #[test]
    fn more_time_and_faster_machines_train_larger_networks_in_more_iterations() {
        let minutes = |minutes: u64| planned(&look(), 1.0, Duration::from_secs(60 * minutes));
        let [one, ten, hundred] = [1, 10, 100].map(minutes);
        assert!(one.network.channels < ten.network.channels, "{one:?}");
        assert!(one.iterations < ten.iterations && ten.iterations < hundred.iterations);
        assert!(ten.selfplay.simulations < hundred.selfplay.simulations);
        let fast = planned(&look(), 10.0, Duration::from_secs(60));
        assert_eq!(fast.network, ten.network);
        let slow = planned(&look(), 1e-6, TEN);
        assert_eq!((slow.network.channels, slow.selfplay.games, slow.iterations), (16, 16, 1));
    }

    #[test]
    fn networks_fit_the_board() {
        assert_eq!(sizes(9), [16]);
        assert_eq!(sizes(25), [16, 24, 32, 48, 64]);
        assert_eq!(sizes(1), [16]);
        assert_eq!(sizes(64).last(), Some(&128));
    }

    #[test]
    fn a_plan_follows_from_what_the_game_is_like() {
        let placing = planned(&look(), 1.0, TEN);
        assert_eq!(placing.search.draw_value, 0.0);
        assert_eq!((placing.selfplay.placement_share, placing.selfplay.opening_plies), (0.0, 9));
        assert_eq!(placing.evaluation.panel, ["uct?rollouts=1000", "uct?rollouts=10000"]);

        let moving = Look { moving: 1.0, can_place: true, has_heuristic: true, ..look() };
        let config = planned(&moving, 1.0, TEN);
        assert_eq!((config.search.draw_value, config.selfplay.placement_share), (-0.5, 0.7));
        assert_eq!(config.evaluation.panel.len(), 3);
    }

    #[test]
    fn openings_are_shorter_than_games() {
        let plies = |turns: f64| {
            let searched = Sample { turns, actions: 3.0 * turns, decided: 1.0 };
            planned(&Look { searched, ..look() }, 1.0, TEN).selfplay.opening_plies
        };
        assert_eq!([1.0, 2.0, 3.9, 6.0, 200.0].map(plies), [0, 1, 1, 3, 12]);
    }

    #[test]
    fn evaluations_of_long_games_have_fewer_of_them() {
        let games = |turns: f64| {
            let searched = Sample { turns, actions: turns, decided: 1.0 };
            planned(&Look { searched, ..look() }, 1.0, TEN).evaluation.games
        };
        assert_eq!((games(20.0), games(100_000.0)), (40, 4));
        assert!((6..40).contains(&games(2_000.0)));
    }

    #[test]
    fn long_trainings_are_pruned() {
        assert!(!planned(&look(), 1.0, TEN).train.prune);
        assert!(planned(&look(), 1.0, 200 * TEN).train.prune);
    }

    #[test]
    fn what_is_set_by_hand_is_part_of_the_plan() {
        let plan = plan("entropy", &look(), &speeds(1.0), TEN, DeviceName::Cpu);
        let channels = "network.channels=16".to_owned();
        let settings = [channels, "rules.max_plies=99".to_owned(), "seed=7".to_owned()];
        let text = plan.to_toml("A title.", &look());
        let config = Config::parse(&text, "plan.toml", &settings).unwrap();
        let plan = plan.with(config.clone(), &["network.channels", "rules.max_plies", "seed"]);
        let text = plan.to_toml("A title.", &look());
        assert!(text.contains("channels = 16   # set by hand"), "{text}");
        assert_eq!(Config::parse(&text, "plan.toml", &[]).unwrap(), config, "{text}");
    }

    #[test]
    fn opponents_that_would_take_too_long_are_left_out() {
        let slow = Look { random_games_per_s: 20_000.0, ..look() };
        assert_eq!(
            planned(&slow, 1.0, TEN).evaluation.panel,
            ["uct?rollouts=100", "uct?rollouts=1000"]
        );
        let slower = Look { random_games_per_s: 1.0, ..look() };
        assert_eq!(planned(&slower, 1.0, TEN).evaluation.panel, ["random"]);
    }

    #[test]
    fn a_plan_is_an_ordinary_config_with_a_reason_for_every_key() {
        let moving = Look { moving: 1.0, can_place: true, has_heuristic: true, ..look() };
        for look in [look(), moving] {
            let plan = plan("neutron5", &look, &speeds(1.0), TEN, DeviceName::Cpu);
            let text = plan.to_toml("A title.", &look);
            assert_eq!(Config::parse(&text, "plan.toml", &[]).unwrap(), plan.config, "{text}");
            let keys = text.lines().filter(|line| line.contains(" = ")).skip(1);
            assert!(keys.clone().count() >= 10, "{text}");
            assert!(keys.into_iter().all(|line| line.contains("   # ")), "{text}");
        }
    }
}
