//! `tavoliere selfplay`: plays games of a trained player against itself.

use std::io::Write;
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;

use serde_json::json;

use super::game_option::load_trained;
use super::{Failure, usage};
use crate::base::device::DeviceName;
use crate::base::printable::stdout;
use crate::games::Outcome;
use crate::registry::Variant;
use crate::runs::trained::Trained;
use crate::search::Cache;
use crate::selfplay::record::{GameRecord, Header, RecordFile};
use crate::selfplay::{self, Counters, IterationJob, Settings};

/// Play games of a trained player against itself, and print them one a line
///
///   tavoliere selfplay neutron5 --games 5
///   tavoliere selfplay checkpoints/susan --simulations 400 --output susan.games
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Trained player: a run, RUN@ITERATION, or an exported player
    player: String,
    /// Number of games, from 1 to 1,000,000
    #[arg(long, default_value_t = 10)]
    games: u64,
    /// Simulations for each action, from 2 to 1,000,000
    #[arg(long, default_value_t = 100)]
    simulations: u32,
    /// First turns to sample at temperature 1; later ones are the best
    #[arg(long, default_value_t = 12)]
    temperature_plies: u32,
    /// Device of the network: cpu, cuda or wgpu
    ///
    /// The same as the player option `?device=NAME`.
    #[arg(long)]
    device: Option<DeviceName>,
    /// Seed of the games
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Also write the games to this file, in the format of training
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Print one JSON object for each game
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        usage(
            self.settings(DeviceName::Cpu)
                .check()
                .map_err(|(key, reason)| anyhow::anyhow!("--{}: {reason}", key.replace('_', "-"))),
        )?;
        let trained = load_trained(&self.player(), "selfplay")?;
        let settings = self.settings(trained.device);
        self.play(&trained.variant, &trained, &settings)
    }

    fn settings(&self, device: DeviceName) -> Settings {
        let settings = Settings::on(device).without_openings();
        let share = self.games.div_ceil(rayon::current_num_threads() as u64);
        Settings {
            games: self.games,
            batch: (share as usize).clamp(1, settings.batch),
            simulations: self.simulations,
            temperature_plies: self.temperature_plies,
            ..settings
        }
    }

    /// Returns the player spec with `--device` as a player option.
    fn player(&self) -> String {
        let Some(device) = self.device else { return self.player.clone() };
        let joint = if self.player.contains('?') { '&' } else { '?' };
        format!("{}{joint}device={device}", self.player)
    }

    fn play(
        &self,
        variant: &Variant,
        trained: &Trained,
        settings: &Settings,
    ) -> Result<(), Failure> {
        let search = trained.network.search.without_noise();
        let cache = Cache::new(search.cache_mib, variant.spec().actions());
        let job = IterationJob {
            seed: self.seed,
            ..IterationJob::new(variant, &search, settings, &cache)
        };
        let (evaluator, threads) =
            (trained.network.evaluator.clone(), rayon::current_num_threads());
        let counters = Counters::default();
        let stop = AtomicBool::new(false);
        let games = selfplay::watch(settings.games, "self-play", &counters, || {
            selfplay::play_by(evaluator, &job, threads, &counters, &stop)
        });
        let games = games.unwrap_or_default();
        for game in &games {
            writeln!(stdout(), "{}", self.describe(variant, game))?;
        }
        if let Some(path) = &self.output {
            let header = Header::new(variant, 0, self.seed, 0);
            RecordFile { header, games }.write(path)?;
        }
        Ok(())
    }

    fn describe(&self, variant: &Variant, game: &GameRecord) -> String {
        let turns = game.turns(variant).into_iter().map(|(turn, _)| turn.to_string());
        let turns: Vec<String> = turns.collect();
        let result = match game.outcome {
            Outcome::Win(side) => format!("{side:?}"),
            Outcome::Draw => "draw".to_owned(),
        };
        if self.json {
            return json!({ "game": variant.name, "moves": turns, "winner": result }).to_string();
        }
        format!("{} ({} turns): {}", result, game.plies, turns.join(" "))
    }
}
