//! Trainings, matches and tests of a sweep: processes of this program, each of one thread.

use std::fs::{self, File};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};

use crate::base::foreign;
use crate::base::parallel::on_threads;
use crate::base::process::{ask_to_end, in_own_group};
use crate::base::program;
use crate::cli::wording;

/// The time between two looks at a process.
const LOOK: Duration = Duration::from_millis(50);

/// This program, to be started as other processes.
pub(super) struct Programs<'a> {
    /// How many run at a time.
    workers: usize,
    /// The lock of the sweep's folder.
    lock: &'a File,
    /// Set when the user wants to stop.
    stop: &'a AtomicBool,
}

impl<'a> Programs<'a> {
    pub(super) fn new(workers: usize, lock: &'a File, stop: &'a AtomicBool) -> Self {
        Self { workers, lock, stop }
    }

    /// Whether the user wants to stop.
    pub(super) fn are_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Runs a job for each item, several at a time, and begins no more after a failure or if the user
    /// wants to stop.
    ///
    /// # Errors
    ///
    /// The first failure of a job.
    pub(super) fn each<T: Sync>(
        &self,
        items: &[T],
        job: impl Fn(&T) -> Result<()> + Sync,
    ) -> Result<()> {
        let (next, failed) = (AtomicUsize::new(0), Mutex::new(None));
        let work = |_| {
            while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                if self.are_stopped() {
                    break;
                }
                if let Err(error) = job(item) {
                    next.store(items.len(), Ordering::Relaxed);
                    failed.lock().expect("no job panics").get_or_insert(error);
                }
            }
        };
        on_threads(self.workers.min(items.len()), &work, &|_, _| (), &mut || ());
        failed.into_inner().expect("no job panics").map_or(Ok(()), Err)
    }

    /// Runs the program with these arguments, and returns whether it came to its end: if the user
    /// wants to stop, it is told to. Its standard output is appended to the log.
    ///
    /// # Errors
    ///
    /// If it fails; the message has the last line of its standard error, which is beside the log.
    pub(super) fn run(&self, arguments: &[String], log: &Path) -> Result<bool> {
        let output = foreign::open_to_write(log, File::options().create(true).append(true));
        let output = output.with_context(|| format!("cannot write {}", log.display()))?;
        self.finish(arguments, output, log)
    }

    /// The same; the standard output becomes the file `to` when the program has come to its end.
    pub(super) fn write(&self, arguments: &[String], to: &Path) -> Result<bool> {
        let part = to.with_extension("part");
        let is_done = self.finish(arguments, create(&part)?, to)?;
        if is_done {
            fs::rename(&part, to).with_context(|| format!("cannot write {}", to.display()))?;
        }
        Ok(is_done)
    }

    fn finish(&self, arguments: &[String], output: File, beside: &Path) -> Result<bool> {
        let errors = beside.with_extension("err");
        let mut command = program::once_more().context("cannot find this program's file")?;
        command.args(arguments).stdout(output).stderr(create(&errors)?);
        command.env("RAYON_NUM_THREADS", "1");
        // The process shares the lock. If this one is killed, the folder stays locked until those
        // that it has started have ended.
        command.stdin(self.lock.try_clone().context("cannot share the lock")?);
        // Ctrl-C on the terminal is for this process alone, which then stops the others.
        let child = in_own_group(&mut command).spawn();
        let mut child = child.context("cannot start this program once more")?;
        let mut is_told = false;
        let status = loop {
            if let Some(status) = child.try_wait().context("cannot wait for a process")? {
                break status;
            }
            if self.are_stopped() && !is_told {
                ask_to_end(&mut child);
                is_told = true;
            }
            thread::sleep(LOOK);
        };
        if self.are_stopped() {
            return Ok(false);
        }
        if !status.success() {
            let text = foreign::read_text(&errors, foreign::LIST).unwrap_or_default();
            let last = text.lines().last().unwrap_or_default();
            let name = wording::name();
            let last = last.strip_prefix(&format!("{name}: ")).unwrap_or(last);
            bail!("`{name} {}`: {last}", arguments.join(" "));
        }
        let _ = fs::remove_file(&errors);
        Ok(true)
    }
}

fn create(path: &Path) -> Result<File> {
    let mut options = File::options();
    let file = foreign::open_to_write(path, options.write(true).create(true).truncate(true));
    file.with_context(|| format!("cannot write {}", path.display()))
}
