//! Training runs of the program itself, each in a temporary folder of its own.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::Value;

pub use super::cli::PROGRAM;

/// Long enough for anything here, however busy the machine.
const PATIENCE: Duration = Duration::from_secs(120);

/// A config and a place for its run, removed in the end.
pub struct Setup {
    folder: PathBuf,
}

impl Setup {
    /// A setup with this config.
    pub fn new(config: &str) -> Self {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("tavoliere-train-{}-{number}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("config.toml"), config).unwrap();
        Self { folder }
    }

    pub fn config(&self) -> PathBuf {
        self.folder.join("config.toml")
    }

    /// The folder of the run.
    pub fn run(&self) -> PathBuf {
        self.folder.join("run")
    }

    /// A file or folder of the run.
    pub fn path(&self, name: &str) -> PathBuf {
        self.run().join(name)
    }

    /// `train` with this config in this folder, and more arguments.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg("train").arg(self.config()).arg("--run").arg(self.run()).args(arguments);
        command
    }

    /// Runs [`command`](Self::command) to its end.
    pub fn train(&self, arguments: &[&str]) -> Done {
        done(&mut self.command(arguments))
    }

    /// Runs it with no file allowed to grow beyond so many blocks of 512 or 1024 bytes, as `sh`
    /// counts them: writes then fail in the middle, as on a full disk.
    pub fn train_limited(&self, blocks: u32, arguments: &[&str]) -> Done {
        limited(blocks, &self.command(arguments))
    }

    /// Starts it.
    pub fn start(&self, arguments: &[&str]) -> Started {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        Started(Some(command.spawn().unwrap()))
    }

    /// All files of the run and their bytes, apart from the lock and the copy of the config, which
    /// every start writes.
    pub fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(&self.run(), "", &mut files);
        files.retain(|name, _| name != "lock" && name != "config.toml");
        files
    }

    /// What the run came to: its files without those that differ from one run to the next, as
    /// times do.
    pub fn results(&self) -> BTreeMap<String, Vec<u8>> {
        let mut files = self.files();
        let differ = ["checksums.json", "metrics.jsonl", "card.json"];
        files.retain(|name, _| !differ.iter().any(|end| name.ends_with(end)));
        for (_, bytes) in files.iter_mut().filter(|(name, _)| name.ends_with("state.json")) {
            *bytes = without_times(bytes);
        }
        files
    }

    /// Iteration and phase of all whole lines of the metrics, in the order of the file.
    pub fn metrics(&self) -> Vec<(u64, String)> {
        let text = fs::read_to_string(self.path("metrics.jsonl")).unwrap();
        let lines = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines
            .map(|line| {
                (line["iteration"].as_u64().unwrap(), line["phase"].as_str().unwrap().to_owned())
            })
            .collect()
    }
}

impl Drop for Setup {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// A process that runs; killed in the end.
pub struct Started(Option<Child>);

impl Started {
    fn child(&mut self) -> &mut Child {
        self.0.as_mut().unwrap()
    }

    /// Waits until one of these files and folders is there, or the process has ended.
    pub fn wait_for(&mut self, paths: &[PathBuf]) {
        let begun = Instant::now();
        let is_there = || paths.iter().any(|path| path.exists());
        while !is_there() && self.child().try_wait().unwrap().is_none() {
            assert!(begun.elapsed() < PATIENCE, "none of {paths:?} appears");
            std::thread::sleep(Duration::from_micros(100));
        }
    }

    /// Reads its standard output up to a line that contains these words, and returns that line.
    #[cfg(unix)]
    pub fn line_with(&mut self, words: &str) -> String {
        use std::io::{BufRead, BufReader};

        let mut stdout = BufReader::new(self.child().stdout.take().unwrap());
        let (mut line, begun) = (String::new(), Instant::now());
        while !line.contains(words) {
            assert!(begun.elapsed() < PATIENCE, "no `{words}`, but {line}");
            line.clear();
            assert_ne!(stdout.read_line(&mut line).unwrap(), 0, "no `{words}`");
        }
        // The rest is for `finish`, and is short enough for the pipe.
        self.child().stdout = Some(stdout.into_inner());
        line
    }

    /// Sends it a signal, as by `kill -INT`.
    pub fn signal(&mut self, name: &str) {
        let id = self.child().id().to_string();
        assert!(Command::new("kill").args([name, &id]).status().unwrap().success());
    }

    /// Ends it at once.
    pub fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        if let Some(mut child) = self.0.take() {
            let _ = child.kill();
            child.wait().unwrap();
        }
    }

    /// Waits for its end.
    pub fn finish(mut self) -> Done {
        Done::new(self.0.take().unwrap().wait_with_output().unwrap())
    }
}

impl Drop for Started {
    fn drop(&mut self) {
        self.end();
    }
}

/// What a process left behind.
#[derive(Debug)]
pub struct Done {
    /// Its exit status, if it was not ended by a signal.
    pub status: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Done {
    fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let Output { status, stdout, stderr } = output;
        Self { status: status.code(), stdout: text(stdout), stderr: text(stderr) }
    }

    /// Asserts that it ended with exit status 0.
    #[track_caller]
    pub fn succeeded(self) -> Self {
        assert_eq!(self.status, Some(0), "{self:#?}");
        self
    }

    /// Asserts that it ended with this exit status and an error that contains all these words.
    #[track_caller]
    pub fn failed(self, status: i32, words: &[&str]) -> Self {
        assert_eq!(self.status, Some(status), "{self:#?}");
        assert!(!self.stderr.contains("panicked"), "{self:#?}");
        for word in words {
            assert!(self.stderr.contains(word), "no `{word}` in {self:#?}");
        }
        self
    }
}

/// Runs a command with no file allowed to grow beyond so many blocks of 512 or 1024 bytes, as `sh`
/// counts them: writes then fail in the middle, as on a full disk.
pub fn limited(blocks: u32, command: &Command) -> Done {
    let script = r#"trap "" XFSZ; ulimit -f "$0" || exit 99; exec "$@""#;
    let mut shell = Command::new("sh");
    shell.args(["-c", script, &blocks.to_string()]);
    done(shell.arg(command.get_program()).args(command.get_args()))
}

/// Runs a command to its end.
pub fn done(command: &mut Command) -> Done {
    Done::new(command.stdin(Stdio::null()).output().unwrap())
}

fn collect(folder: &Path, prefix: &str, files: &mut BTreeMap<String, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), files);
        } else {
            files.insert(name, fs::read(&path).unwrap());
        }
    }
}

/// The state of a checkpoint without times.
fn without_times(bytes: &[u8]) -> Vec<u8> {
    let mut state: Value = serde_json::from_slice(bytes).unwrap();
    for key in ["seconds", "metrics"] {
        assert!(state.as_object_mut().unwrap().remove(key).is_some(), "{key}");
    }
    state.to_string().into_bytes()
}
