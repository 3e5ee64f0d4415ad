//! `tavoliere bench`: measures speed on fixed workloads.

use std::io::{Write, stdout};
use std::time::Duration;

use anyhow::anyhow;

use super::{Failure, usage};
use crate::base::device::{DeviceName, Unavailable};
use crate::base::spelling::nearest;
use crate::cli::benchmarks::{self, Finding, NAMES, Options};
use crate::nn::infer::{self, EngineName};
use crate::registry;

/// The game by default.
const USUAL: &str = "connect_four";

/// Measure speed on fixed workloads
///
///   tavoliere bench playouts tree --game susan
///   tavoliere bench inference --batch 256 --peak
///   tavoliere bench selfplay --threads 2 --seconds 20
///
/// The benchmarks, the last three only with the `net` feature:
///
///   playouts    random games
///   env         the batched environment, as docs/python.md uses it, with random actions
///   uct         plain UCT with random rollouts, 1,000 simulations from the start position
///   tree        PUCT without a network, 64 simulations an action
///   memory      bytes of one tree of 10,000,000 simulations, however long that takes
///   slots       self-play in game slots without a network
///   inference   forward passes of a network of 64 channels and 5 blocks
///   selfplay    self-play with that network
///   training    optimizer steps on that network
///
/// The signature beside each figure is a checksum of the results. It stays the same as long as the
/// program computes the same, on any number of threads.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Benchmarks to run [default: all]
    names: Vec<String>,
    /// Name of the game, or `all` [default: connect_four or the first]
    #[arg(long)]
    game: Option<String>,
    /// Number of threads, from 1 to 1024 [default: that of the benchmark]
    ///
    /// By default selfplay and training use all threads, the others one.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Seconds for each benchmark, above 0 and at most 3600
    #[arg(long, default_value_t = 5.0)]
    seconds: f64,
    /// Positions in a batch, from 1 to 65536 [default: that of the benchmark]
    ///
    /// By default 1,024 in env, 256 in training, and 64 in inference and slots.
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=65536))]
    batch: Option<u64>,
    /// Arithmetic of inference and training
    ///
    /// One of auto, burn, portable, neon, neon_bf16, avx2, avx512, avx512_bf16, amx_bf16, int8.
    ///
    /// The instructions of int8 are int8_portable, int8_neon, int8_avx2, int8_avx_vnni,
    ///
    /// int8_avx512 and int8_amx.
    ///
    /// Training is by auto if this is one of int8.
    #[arg(long, default_value = "auto")]
    engine: String,
    /// Device of the network: cpu, cuda or wgpu
    #[arg(long, default_value_t)]
    device: DeviceName,
    /// Compare inference with the measured peak of one thread
    #[arg(long)]
    peak: bool,
    /// Print one JSON object a line
    #[arg(long)]
    json: bool,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        if !(self.seconds > 0.0 && self.seconds <= 3600.0) {
            return usage(Err(anyhow!("--seconds must be above 0 and at most 3600")));
        }
        self.check_device()?;
        let options = Options {
            threads: self.threads.map(|threads| threads as usize),
            time: Duration::from_secs_f64(self.seconds),
            batch: self.batch.map(|batch| batch as usize),
            device: self.device,
            inference: infer::Settings { engine: usage(self.engine())?, ..Default::default() },
        };
        for name in usage(self.benchmarks())? {
            for game in usage(self.games())? {
                let variant = registry::preset(game)?;
                let finding = benchmarks::run(name, &variant, &options)?;
                self.print(&finding)?;
                #[cfg(feature = "net")]
                if self.peak && name == "inference" {
                    let peak = benchmarks::peak(&variant, &finding, &options)?;
                    peak.map_or(Ok(()), |peak| self.print_peak(&peak))?;
                }
            }
        }
        Ok(())
    }

    #[cfg(feature = "net")]
    fn check_device(&self) -> Result<(), Unavailable> {
        crate::nn::burn_net::open(self.device).map(|_| ())
    }

    #[cfg(not(feature = "net"))]
    fn check_device(&self) -> Result<(), Unavailable> {
        let is_there = !self.device.is_accelerator();
        is_there.then_some(()).ok_or(Unavailable::NotBuilt(self.device))
    }

    fn benchmarks(&self) -> anyhow::Result<Vec<&str>> {
        if self.names.is_empty() {
            return Ok(NAMES.to_vec());
        }
        let known = |name: &String| {
            NAMES.iter().copied().find(|known| known == name).ok_or_else(|| {
                let hint = nearest(name, NAMES.iter().copied());
                let hint = hint.map(|near| format!(", did you mean `{near}`?"));
                let hint = hint.unwrap_or_else(|| format!("; known are {}", NAMES.join(", ")));
                anyhow!("there is no benchmark `{name}`{hint}")
            })
        };
        self.names.iter().map(known).collect()
    }

    fn engine(&self) -> anyhow::Result<EngineName> {
        let engine = EngineName::find(&self.engine).map_err(anyhow::Error::msg)?;
        engine.instruction_set()?;
        Ok(engine)
    }

    fn games(&self) -> Result<Vec<&str>, registry::GameError> {
        let all = registry::all().iter().map(|game| game.name);
        match self.game.as_deref() {
            Some("all") => Ok(all.collect()),
            Some(game) => registry::preset(game).map(|_| vec![game]),
            None => {
                Ok(vec![all.clone().find(|name| *name == USUAL).unwrap_or(registry::all()[0].name)])
            }
        }
    }

    fn print(&self, finding: &Finding) -> anyhow::Result<()> {
        let mut out = stdout();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(finding)?)?;
        } else {
            let Finding { bench, game, threads, value, unit, signature, .. } = finding;
            let moves = finding.moves_per_s.map(|moves| format!(", {moves:.0} moves/s"));
            let moves = moves.unwrap_or_default();
            writeln!(
                out,
                "{bench:<10} {game:<18} {threads} threads {value:>12.0} {unit}{moves}  ({signature})"
            )?;
        }
        Ok(())
    }

    #[cfg(feature = "net")]
    fn print_peak(&self, peak: &benchmarks::Peak) -> anyhow::Result<()> {
        let mut out = stdout();
        if self.json {
            writeln!(out, "{}", serde_json::to_string(peak)?)?;
            return Ok(());
        }
        let benchmarks::Peak { engine, f32_gflops, bf16_gflops, int8_gflops, used_gflops, ratio } =
            peak;
        let bf16 = bf16_gflops.map(|bf16| format!(", of bf16 {bf16:.1}")).unwrap_or_default();
        writeln!(
            out,
            "  {engine}: {used_gflops:.1} GFLOP/s a thread, {:.0} % of the peak (of f32 \
             {f32_gflops:.1}{bf16}, of int8 {int8_gflops:.1})",
            100.0 * ratio
        )?;
        Ok(())
    }
}
