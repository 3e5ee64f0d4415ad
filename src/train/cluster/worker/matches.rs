//! A worker's part of a match: pairs of games between two players.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result};
use async_nats::jetstream::message::{AckKind, PublishMessage};
use tokio::time::{Instant, interval, sleep, timeout};

use super::queue::{Held, Queue, acked};
use super::session::{PAUSE, Session, TICK};
use crate::base::parallel::spawn;
use crate::play::arena::{Opening, Played};
use crate::registry::Variant;
use crate::runs::match_players::MatchPlayers;
use crate::train::cluster::blobs::Blobs;
use crate::train::cluster::matches;
use crate::train::cluster::streams::STILL_PLAYING;
use crate::train::cluster::wire::{PairResult, SentMatch};

/// How long the worker gathers tasks to play at the same time.
const GATHERING: Duration = Duration::from_millis(100);

/// The most pairs of games of a thread at the same time.
const MOST_PAIRS: usize = 64;

/// A match, ready to play.
struct Table {
    openings: Vec<Opening>,
    players: MatchPlayers,
}

impl Session<'_> {
    /// Plays pairs of games of a match, beginning with the first tasks. Returns tasks of another
    /// job, if some came.
    pub(super) fn play_match(
        &self,
        sent: &SentMatch,
        blobs: &Blobs,
        first: Vec<Held>,
        queue: &mut Queue,
    ) -> Result<Vec<Held>> {
        let variant = sent.variant().inspect_err(|_| self.give_back(&first))?;
        let table = self.table(&variant, sent, blobs);
        let table = table.inspect_err(|_| self.give_back(&first))?;
        self.play_tasks(table, first, queue)
    }

    fn table(&self, variant: &Variant, sent: &SentMatch, blobs: &Blobs) -> Result<Table> {
        let openings = sent.openings(variant)?;
        let [one, two] = sent
            .players
            .each_ref()
            .map(|player| self.link.wait(matches::player(player, variant, blobs)));
        let (one, two) = (one?, two?);
        let (pairs, threads) = (openings.len(), self.threads);
        let players = [&one, &two];
        let players =
            MatchPlayers::new(variant, players, sent.seed, sent.simulations, pairs, threads)?;
        Ok(Table { openings, players })
    }

    fn play_tasks(
        &self,
        mut table: Table,
        mut held: Vec<Held>,
        queue: &mut Queue,
    ) -> Result<Vec<Held>> {
        let job = held[0].task.job.clone();
        let pairs = table.openings.len() as u64;
        loop {
            let share = self.link.wait(self.share(pairs, MOST_PAIRS * self.threads));
            self.link.wait(top_up(queue, &mut held, share))?;
            let (ours, others): (Vec<_>, Vec<_>) =
                held.into_iter().partition(|held| held.task.job == job);
            if ours.is_empty() {
                return Ok(others);
            }
            let (played, came) = self.play_pairs(&mut table, &ours, queue);
            let done = self.link.wait(self.publish_pairs(&table.openings, ours, &played));
            held = others.into_iter().chain(came).collect();
            if done.is_err() || self.stop.load(Ordering::Relaxed) {
                self.give_back(&held);
                return done.map(|()| Vec::new());
            }
            if held.is_empty() {
                held = self.first_tasks(queue)?;
            }
        }
    }

    /// Plays the pairs of these tasks on all threads. Returns the pairs that were finished, with
    /// their numbers, and the tasks that came meanwhile.
    fn play_pairs(
        &self,
        table: &mut Table,
        tasks: &[Held],
        queue: &mut Queue,
    ) -> (Vec<(u64, [Played; 2])>, Vec<Held>) {
        let numbers = tasks.iter().flat_map(|held| held.left.iter().copied());
        let numbers = numbers.filter(|&pair| pair < table.openings.len() as u64);
        let numbers: Vec<u64> = numbers.collect();
        let openings: Vec<_> =
            numbers.iter().map(|&pair| table.openings[pair as usize].clone()).collect();
        let (begun, abandoned, mut came) = (Instant::now(), AtomicBool::new(false), Vec::new());
        self.heartbeat.change(|worker| worker.held = 2 * numbers.len() as u64);
        let played = thread::scope(|scope| {
            let players = &mut table.players;
            let playing = spawn(scope, || players.play(&openings, &|_| {}, &abandoned));
            self.link.wait(async {
                let mut alive = interval(STILL_PLAYING);
                while !playing.is_finished() {
                    abandoned.fetch_or(self.stop.load(Ordering::Relaxed), Ordering::Relaxed);
                    tokio::select! {
                        _ = alive.tick() => {
                            for held in tasks.iter().chain(&came) {
                                // If the server is away, it will give the task to others.
                                let _ = held.message.ack_with(AckKind::Progress).await;
                            }
                        }
                        held = queue.next(), if queue.is_asked() => match held {
                            Ok(held) => came.extend(held),
                            // What is in hand is finished first, whatever became of the queue.
                            Err(_) => sleep(PAUSE).await,
                        },
                        () = sleep(TICK) => {}
                    }
                }
            });
            playing.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        });
        let pairs = numbers.into_iter().zip(played);
        let pairs: Vec<_> = pairs.filter_map(|(number, pair)| Some((number, pair?))).collect();
        self.heartbeat.change(|worker| {
            worker.held = 0;
            worker.games += 2 * pairs.len() as u64;
            worker.games_per_s = 2.0 * pairs.len() as f64 / begun.elapsed().as_secs_f64().max(1e-3);
        });
        (pairs, came)
    }

    /// Publishes finished pairs. Tasks of which all pairs are published are done, others are given
    /// back.
    async fn publish_pairs(
        &self,
        openings: &[Opening],
        mut tasks: Vec<Held>,
        played: &[(u64, [Played; 2])],
    ) -> Result<()> {
        let mut published = Ok(());
        for (number, pair) in played {
            published = self.publish_pair(openings, &tasks, *number, pair).await;
            if published.is_err() {
                break;
            }
            for held in &mut tasks {
                held.left.remove(number);
            }
        }
        for held in &tasks {
            let kind = if held.left.is_empty() { AckKind::Ack } else { AckKind::Nak(None) };
            acked(&held.message, kind).await?;
        }
        published
    }

    async fn publish_pair(
        &self,
        openings: &[Opening],
        tasks: &[Held],
        number: u64,
        pair: &[Played; 2],
    ) -> Result<()> {
        let having = tasks.iter().find(|held| held.left.contains(&number));
        let task = &having.context("a pair of no task")?.task;
        let result = PairResult::new(number, &openings[number as usize], pair)?;
        let message = PublishMessage::build()
            .payload(result.bytes().into())
            .message_id(format!("{}.{number}.{}", task.job, task.attempt));
        self.send(&task.job, message).await
    }
}

/// Takes the tasks that are waiting, until they have `pairs` pairs of games.
async fn top_up(queue: &mut Queue, held: &mut Vec<Held>, pairs: usize) -> Result<()> {
    let until = Instant::now() + GATHERING;
    loop {
        let there: usize = held.iter().map(|held| held.left.len()).sum();
        let left = until.saturating_duration_since(Instant::now());
        if there >= pairs || left.is_zero() {
            return Ok(());
        }
        // A task may have one pair only.
        queue.ask(pairs - there);
        match timeout(left, queue.next()).await {
            Ok(Ok(task)) => held.extend(task),
            Ok(Err(error)) if held.is_empty() => return Err(error),
            // What is in hand is played first, whatever became of the queue.
            Ok(Err(_)) | Err(_) => return Ok(()),
        }
    }
}
