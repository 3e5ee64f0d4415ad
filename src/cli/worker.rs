//! `tavoliere worker`: plays games for runs on other machines.

use anyhow::Result;

use super::cluster_server::ServerOptions;
use super::{Failure, interrupt};
use crate::train::cluster::worker::Worker;
use crate::train::cluster::{Address, RunName};

/// Play games for the runs and ladders on a NATS server
///
///   tavoliere worker nats://desktop:4222
///   tavoliere worker nats://user:password@desktop:4222 --threads 8 --run neutron5
///
/// A worker plays for whatever runs are there: self-play and evaluations of `tavoliere train CONFIG
/// --cluster ADDRESS`, and matches of `tavoliere ladder PLAYERS --cluster ADDRESS`. Start as many as you like, before or after the learner. Ctrl-C gives the unfinished games
/// back. A worker of another version, or without the instructions that the run's engine needs, says
/// so and leaves the run alone. docs/cluster.md is the guide.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Address of the NATS server, as in nats://desktop:4222
    #[arg(value_name = "ADDRESS")]
    server: Address,
    /// Number of threads, from 1 to 1024 [default: one for each core]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1024))]
    threads: Option<u64>,
    /// Play for this run only
    #[arg(long, value_name = "NAME")]
    run: Option<RunName>,
    #[command(flatten)]
    options: ServerOptions,
}

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        let threads = self.threads.map_or_else(rayon::current_num_threads, |it| it as usize);
        let stop = interrupt::listen();
        let link = self.options.server(&self.server).connect("tavoliere worker")?;
        Worker::new(link, threads, self.run)?.serve(stop);
        Ok(())
    }
}
