//! One run on many machines: a learner and any number of workers, over a NATS server with
//! JetStream.
//!
//! The learner ([`ClusterActors`]) publishes the games of an iteration, or of an evaluation, as
//! [tasks](wire::Task): a few numbers of games each, and the digest of a [job](wire::Job). A worker
//! ([`worker`]) fetches the job and what it names, plays the games and publishes them. A game
//! depends on its job and its number only, so that any worker plays the same one, and the run comes
//! out as on one machine, bit for bit.
//!
//! Everything is named by what it is: jobs, weights and earlier games by their SHA-256, games by
//! their job and number. So nothing is lost or counted twice when a learner, a worker or the
//! server is killed: what is there already is found by its name.
//!
//! | what | where on the server | removed |
//! |---|---|---|
//! | tasks | work queue `tavoliere_RUN_tasks`, subject `tavoliere.RUN.tasks.JOB` | when all their games are published |
//! | games | stream `tavoliere_RUN_games`, subject `tavoliere.RUN.games.JOB` | when the checkpoint of their iteration is written |
//! | jobs, weights, earlier games | object store `tavoliere_RUN` | as the games |
//! | runs and workers | key-value buckets `tavoliere_runs`, `tavoliere_workers` | a minute after their last sign of life |
//!
//! Begin with `wire/mod.rs` for what is sent, then `dispatcher.rs`, `learner.rs` and
//! `worker/mod.rs`.

mod blobs;
mod dispatcher;
mod ladder;
mod learner;
mod link;
mod matches;
mod names;
mod presence;
mod status;
mod streams;
mod wire;
pub(crate) mod worker;

pub(crate) use ladder::ClusterVenue;
pub(crate) use learner::ClusterActors;
pub(crate) use link::{Address, Link, Server};
pub(crate) use names::RunName;
pub(crate) use presence::RunKind;
pub(crate) use status::Status;
