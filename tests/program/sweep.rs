//! `tavoliere sweep`: rows and stages, going on after an interruption, errors.

#![cfg(feature = "net")]

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::common::cli::PROGRAM;
use crate::common::folder::Folder;
use crate::common::run::{Done, done};

/// A config whose iterations take a few hundredths of a second.
const SMALL: &str = "
game = 'tic_tac_toe'
network = { channels = 4, blocks = 1, value_hidden = 8 }
selfplay = { games = 8, simulations = 4 }
replay = { window = 100 }
learner = { batch = 8 }
";

/// A config, and a folder for its sweep.
struct Sweep {
    folder: Folder,
}

impl Sweep {
    fn new() -> Self {
        let folder = Folder::new();
        fs::write(folder.file("small.toml"), SMALL).unwrap();
        Self { folder }
    }

    fn out(&self) -> PathBuf {
        self.folder.file("out")
    }

    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command.arg("sweep").arg(self.folder.file("small.toml")).arg("--out").arg(self.out());
        command.args(["--games", "8", "--simulations", "4", "--seeds", "2"]).args(arguments);
        command
    }

    fn run(&self, arguments: &[&str]) -> Done {
        done(&mut self.command(arguments))
    }

    /// The number of checkpoints of all trainings.
    fn checkpoints(&self) -> usize {
        let mut folders = vec![self.out()];
        let mut count = 0;
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let is_checkpoint = name.to_str().is_some_and(|name| name.parse::<u64>().is_ok());
                count += usize::from(is_checkpoint);
                let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
                folders.extend((is_folder && !is_checkpoint).then(|| entry.path()));
            }
        }
        count
    }

    /// The rows as JSON, without the times.
    fn rows(&self, arguments: &[&str]) -> Vec<Value> {
        let done = self.run(&[arguments, &["--json"]].concat()).succeeded();
        let mut result: Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!(result["game"], "tic_tac_toe");
        let Value::Array(mut rows) = result["rows"].take() else { panic!("no rows") };
        for row in &mut rows {
            assert!(row.as_object_mut().unwrap().remove("seconds").is_some());
        }
        rows
    }
}

fn names(rows: &[Value]) -> Vec<&str> {
    rows.iter().map(|row| row["name"].as_str().unwrap()).collect()
}

#[test]
fn every_row_is_compared_with_the_config_as_it_is() {
    let sweep = Sweep::new();
    let vary = ["--vary", "replay.reuse=1,16", "--iterations", "3", "--exact", "value"];
    let picture = sweep.folder.file("sweep.svg");
    let drawn = ["--picture", picture.to_str().unwrap()];
    let table = sweep.run(&[&vary[..], &drawn].concat()).succeeded();
    // Two seeds of three rows.
    assert_eq!(table.stderr.matches(": iteration 3 after ").count(), 6, "{}", table.stderr);
    let headings = table.stdout.lines().next().unwrap();
    assert!(headings.starts_with("settings") && headings.contains("accuracy, %"), "{headings}");
    assert_eq!(table.stdout.lines().count(), 4, "{}", table.stdout);
    let drawn = fs::read_to_string(picture).unwrap();
    assert!(drawn.contains("replay.reuse=16 (3 iterations)"), "{drawn}");

    let rows = sweep.rows(&vary);
    assert_eq!(names(&rows)[0], "as it is");
    assert!(rows[0]["elo"].is_null() && rows[0]["accuracy"].is_array());
    for row in &rows[1..] {
        let [low, value, high] =
            ["low", "value", "high"].map(|key| row["elo"][key].as_f64().unwrap());
        assert!(low <= value && value <= high, "{row}");
    }
    // The seeds are the same, and so are the losses of a row that changes nothing.
    let same = sweep.rows(&[&vary[..], &["--vary", "replay.reuse=4"]].concat());
    let same: Vec<&Value> = same.iter().filter(|row| row["name"] == "replay.reuse=4").collect();
    assert_eq!(same[0]["value_loss"], rows[0]["value_loss"]);
    assert_ne!(rows[1]["value_loss"], rows[0]["value_loss"]);
}

#[test]
fn halving_drops_the_worse_half_of_the_rows() {
    let sweep = Sweep::new();
    let vary = ["--vary", "replay.reuse=1,2,8,16", "--iterations", "8", "--halve"];
    let told = sweep.run(&vary).succeeded().stderr;
    assert_eq!(told.matches("dropped after 2 iterations: ").count(), 2, "{told}");
    assert_eq!(told.matches("dropped after 4 iterations: ").count(), 1, "{told}");
    let rows = sweep.rows(&vary);
    let until: Vec<u64> =
        rows.iter().map(|row| row["until"]["iterations"].as_u64().unwrap()).collect();
    assert_eq!(until, [8, 8, 4, 2, 2]);
    assert_eq!(names(&rows).len(), 5);
}

#[test]
fn the_same_command_goes_on_with_the_same_result() {
    let (disturbed, whole) = (Sweep::new(), Sweep::new());
    let vary = ["--vary", "replay.reuse=2,16", "--iterations", "12", "--halve", "--workers", "2"];
    let expected = whole.rows(&vary);
    let mut ends = 0;
    for name in ["-TERM", "-INT", "-KILL"] {
        let mut command = disturbed.command(&vary);
        let command = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        let before = disturbed.checkpoints();
        let mut child = command.spawn().unwrap();
        // It is disturbed once it has done some more.
        while child.try_wait().unwrap().is_none() && disturbed.checkpoints() < before + 5 {
            sleep(Duration::from_millis(1));
        }
        Command::new("kill").args([name, &child.id().to_string()]).status().unwrap();
        ends += usize::from(child.wait().unwrap().code() != Some(0));
    }
    assert!(ends > 0, "no sweep was disturbed");
    // Trainings of a sweep that was killed go on to the end of their stage.
    let begun = Instant::now();
    let rows = loop {
        let done = disturbed.run(&[&vary[..], &["--json"]].concat());
        if done.status == Some(0) {
            break disturbed.rows(&vary);
        }
        assert!(done.stderr.contains("another process is at work"), "{}", done.stderr);
        assert!(begun.elapsed() < Duration::from_secs(60), "{}", done.stderr);
        sleep(Duration::from_millis(200));
    };
    assert_eq!(rows, expected);
}

#[test]
fn trainings_may_have_the_same_time() {
    let sweep = Sweep::new();
    let rows = sweep.rows(&["--vary", "replay.reuse=16", "--time", "600ms"]);
    for row in &rows {
        assert!(row["iterations"].as_f64().unwrap() >= 1.0, "{row}");
        assert_eq!(row["until"]["seconds"], 0.6);
    }
}

#[test]
fn what_cannot_be_compared_is_refused_before_anything_is_trained() {
    let sweep = Sweep::new();
    let refused = |arguments: &[&str], words: &[&str]| {
        sweep.run(arguments).failed(2, words);
    };
    refused(&[], &["name settings to compare, as in --vary replay.reuse=2,8"]);
    refused(&["--vary", "replay.reus=2"], &["the row `replay.reus=2`", "replay.reuse"]);
    refused(&["--vary", "replay.reuse=2,-1"], &["the row `replay.reuse=-1`"]);
    refused(&["--vary", "game='entropy'"], &["the row `game=entropy` is another game"]);
    refused(&["--vary", "replay.reuse=2", "--seeds", "1"], &["--seeds"]);
    refused(&["--rows", "no-such-file.toml"], &["no-such-file.toml"]);
    assert!(!sweep.out().exists());

    let vary = ["--vary", "replay.reuse=2", "--iterations", "1"];
    refused(&[&vary[..], &["--exact", "valeu"]].concat(), &["`tavoliere exact random", "valeu"]);
    let solution = ["--exact", "kept", "--solution", "no-such-folder"];
    refused(&[&vary[..], &solution].concat(), &["no-such-folder"]);
    assert!(!sweep.out().join("as_it_is").exists());
    fs::remove_dir_all(sweep.out()).unwrap();
    sweep.run(&vary).succeeded();
    let elsewhere = ["cannot be compared", "name another folder by --out"];
    refused(&["--vary", "replay.reuse=2", "--iterations", "2"], &elsewhere);
    refused(&[&vary[..], &["--set", "selfplay.games=4"]].concat(), &elsewhere);
    refused(&[&vary[..], &["--balanced"]].concat(), &elsewhere);
    // More rows may join.
    assert_eq!(sweep.rows(&["--vary", "replay.reuse=8", "--iterations", "1"]).len(), 2);
}

#[test]
fn a_training_that_fails_is_named_with_its_log() {
    let sweep = Sweep::new();
    let vary = ["--vary", "replay.reuse=2", "--iterations", "1"];
    fs::create_dir_all(sweep.out().join("as_it_is")).unwrap();
    fs::write(sweep.out().join("as_it_is/seed-1"), "no folder").unwrap();
    sweep.run(&vary).failed(1, &["`tavoliere train", "seed-1"]);
}
