//! Folders from elsewhere, with links, pipes and huge files in place of what the program wrote.
//! `scripts/disturb.py replace` tries all files with all commands.

#![cfg(unix)]

use std::fs::{self, File};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use crate::common::cli::{PROGRAM, run};
use crate::common::folder::Folder;

/// Runs a command that may wait for nothing, which `timeout` ends after some seconds. Checks that it
/// was done or failed by itself, and returns what it said.
#[track_caller]
fn hurried(arguments: &[&str]) -> String {
    let done = Command::new("timeout").arg("20").arg(PROGRAM).args(arguments).output().unwrap();
    let said = String::from_utf8(done.stderr).unwrap();
    assert!(matches!(done.status.code(), Some(0 | 1)), "{arguments:?}: {} {said}", done.status);
    said
}

fn replace_by_pipe(path: &Path) {
    let _ = fs::remove_file(path);
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

fn replace_by_sparse_file(path: &Path) {
    let _ = fs::remove_file(path);
    File::create(path).unwrap().set_len(1 << 40).unwrap();
}

#[cfg(feature = "net")]
mod runs {
    use super::*;
    use crate::common::run::Setup;

    const SMALL: &str = "
game = 'tic_tac_toe'
iterations = 3
network = { channels = 4, blocks = 1, value_hidden = 8 }
selfplay = { games = 8, simulations = 4 }
learner = { batch = 8 }
";

    /// Two finished runs with the same config: one to be damaged, and another one.
    fn two_runs() -> [Setup; 2] {
        [(); 2].map(|()| {
            let setup = Setup::new(SMALL);
            setup.train(&[]).succeeded();
            setup
        })
    }

    #[test]
    fn train_writes_no_games_through_a_link() {
        let [own, other] = two_runs();
        other.train(&["--iterations", "4"]).succeeded();
        let before = other.files();
        fs::remove_dir_all(own.path("games")).unwrap();
        symlink(other.path("games"), own.path("games")).unwrap();
        own.train(&["--iterations", "4"]).failed(1, &["games is a symbolic link"]);
        assert!(other.files() == before);
    }

    #[test]
    fn prune_removes_nothing_behind_a_link() {
        let small = SMALL.replace("iterations = 3", "iterations = 40");
        let [own, other] = [(); 2].map(|()| {
            let setup = Setup::new(&small);
            setup.train(&[]).succeeded();
            setup
        });
        let before = other.files();
        fs::remove_dir_all(own.path("games")).unwrap();
        symlink(other.path("games"), own.path("games")).unwrap();
        for iteration in ["000017", "000019"] {
            fs::remove_dir_all(own.path(iteration)).unwrap();
            symlink(other.path(iteration), own.path(iteration)).unwrap();
        }
        let said = hurried(&["prune", own.run().to_str().unwrap()]);
        assert!(said.contains("000017 is a symbolic link"), "{said}");
        assert!(!own.path("000021").exists() && other.files() == before);
    }

    #[test]
    fn names_of_folders_and_files_do_not_command_the_terminal() {
        let setup = Setup::new(SMALL);
        let folder = setup.path("a\x1b[2Jb");
        let name = folder.to_str().unwrap();
        let config = setup.config();
        let quick = ["--games", "2", "--simulations", "2"];
        let player = format!("{name}.player");
        for arguments in [
            &["train", config.to_str().unwrap(), "--run", name][..],
            &["digest", name],
            &["prune", name],
            &[&["match", name, "random"], &quick[..]].concat(),
            &["selfplay", name, "--games", "1", "--simulations", "2"],
            &["exact", name, "--limit", "2"],
            &["export", name, "--output", &player],
            &["play", &player, "--level", "list"],
        ] {
            let done = Command::new(PROGRAM).args(arguments).output().unwrap();
            let said = [done.stdout, done.stderr].concat();
            assert!(!said.contains(&0x1b), "{arguments:?}: {}", String::from_utf8_lossy(&said));
        }
    }

    #[test]
    fn train_removes_nothing_of_a_checkpoint_behind_a_link() {
        let [own, other] = two_runs();
        let before = other.files();
        for iteration in ["000001", "000002", "000003"] {
            fs::remove_dir_all(own.path(iteration)).unwrap();
            symlink(other.path(iteration), own.path(iteration)).unwrap();
        }
        own.train(&["--iterations", "9"]).failed(1, &["000003 is a symbolic link"]);
        fs::remove_file(own.path("000003")).unwrap();
        fs::create_dir(own.path("000003")).unwrap();
        for name in ["weights.bpk", "optimizer.bpk", "state.json", "checksums.json"] {
            let name = format!("000003/{name}");
            fs::copy(other.path(&name), own.path(&name)).unwrap();
        }
        own.train(&["--iterations", "9"]).succeeded();
        assert!(other.files() == before, "nothing was removed there");
    }

    #[test]
    fn a_lock_that_is_a_link_is_not_followed() {
        let [own, other] = two_runs();
        fs::remove_file(own.path("lock")).unwrap();
        symlink(other.path("nothing"), own.path("lock")).unwrap();
        own.train(&["--iterations", "4"]).failed(1, &["lock", "symbolic link"]);
        assert!(!other.path("nothing").exists());
    }

    #[test]
    fn nothing_waits_for_a_pipe_or_reads_a_huge_file() {
        let files = [
            "config.toml",
            "metrics.jsonl",
            "run.json",
            "latest",
            "lock",
            "games/000003.games",
            "000003/weights.bpk",
            "000003/optimizer.bpk",
            "000003/state.json",
            "000003/checksums.json",
        ];
        for name in files {
            let setup = Setup::new(SMALL);
            setup.train(&[]).succeeded();
            let (config, path) = (setup.config(), setup.run());
            let [config, path] = [config.to_str().unwrap(), path.to_str().unwrap()];
            for replace in [replace_by_pipe, replace_by_sparse_file] {
                replace(&setup.path(name));
                let train = ["train", config, "--run", path, "--iterations", "4"];
                let play = ["match", path, "random", "--games", "2", "--simulations", "2"];
                for arguments in [&train[..], &["digest", path], &play] {
                    hurried(arguments);
                }
            }
        }
    }
}

#[test]
fn solve_writes_nothing_behind_links() {
    let place = Folder::new();
    let (own, other) = (place.file("own"), place.file("other"));
    fs::create_dir(&own).unwrap();
    fs::create_dir(&other).unwrap();
    let out = own.to_str().unwrap();
    symlink(&other, own.join("unfinished")).unwrap();
    let solve = ["solve", "tic_tac_toe", "--out", out];
    run(&solve).refused(1, "unfinished is a symbolic link");
    fs::remove_file(own.join("unfinished")).unwrap();
    symlink(other.join("lock"), own.join("lock")).unwrap();
    run(&solve).refused(1, "symbolic link");
    fs::remove_file(own.join("lock")).unwrap();
    replace_by_pipe(&own.join("lock"));
    let said = hurried(&solve);
    assert!(said.contains("lock") && said.contains("not a file"), "{said}");
    assert_eq!(fs::read_dir(&other).unwrap().count(), 0);
}

#[test]
fn a_solution_that_cannot_be_read_is_not_solved_again() {
    let place = Folder::new();
    let folder = place.file("solution");
    let solve = ["solve", "tic_tac_toe", "--out", folder.to_str().unwrap()];
    run(&solve).well();
    replace_by_pipe(&folder.join("values"));
    let said = hurried(&solve);
    assert!(said.contains("values") && said.contains("not a file"), "{said}");
    assert!(folder.join("solution").exists());
}

#[test]
fn a_player_with_a_pipe_or_a_huge_file_is_refused() {
    let place = Folder::new();
    let player = place.file("player");
    let out = player.to_str().unwrap();
    for name in ["player.json", "model.safetensors", "levels.json", "config.toml", "curve.svg"] {
        run(&["export", "tic_tac_toe", "--output", out]).well();
        for replace in [replace_by_pipe, replace_by_sparse_file] {
            replace(&player.join(name));
            let copy = place.file("copy");
            let play = ["match", out, "random", "--games", "2", "--simulations", "2"];
            let export = ["export", out, "--output", copy.to_str().unwrap()];
            for arguments in [&play[..], &export] {
                hurried(arguments);
            }
        }
        fs::remove_file(player.join(name)).unwrap();
    }
}
