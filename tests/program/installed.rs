//! The program away from its source: players that are found by their names, completions and manual
//! pages.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::common::cli::{PROGRAM, Run, run};
use crate::common::folder::Folder;

/// An empty folder, removed in the end.
struct Away(Folder);

impl Away {
    fn new() -> Self {
        Self(Folder::new())
    }

    /// Runs a program in the folder, with nothing in its environment but these variables.
    fn run_program(&self, program: &Path, args: &[&str], variables: &[(&str, &str)]) -> Run {
        let mut command = Command::new(program);
        command.args(args).current_dir(self.0.file("")).env_clear().envs(variables.iter().copied());
        let output = command.output().unwrap();
        Run {
            status: output.status.code(),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }

    fn run(&self, args: &[&str], variables: &[(&str, &str)]) -> Run {
        self.run_program(Path::new(PROGRAM), args, variables)
    }

    /// The players that a shipped one is exported to.
    fn export(&self, player: &str, folder: &str) {
        self.run(&["export", player, "--output", folder], &[]).well();
    }
}

/// The folders of the source with the players that ship.
fn shipped() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("checkpoints/players");
    let paths = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    paths.filter(|path| path.is_dir()).collect()
}

#[test]
fn a_copied_program_in_an_empty_folder_plays_with_every_shipped_player() {
    let (away, place) = (Away::new(), Away::new());
    let copy = place.0.file("tavoliere");
    fs::copy(PROGRAM, &copy).unwrap();
    let players = shipped();
    assert!(players.len() >= 18, "{players:?}");
    for player in players {
        let name = player.file_name().unwrap().to_str().unwrap();
        let args = ["match", name, "random", "--games", "2", "--simulations", "2", "--json"];
        let run = away.run_program(&copy, &args, &[]);
        assert_eq!(run.status, Some(0), "{name}: {}", run.stderr);
    }
    assert_eq!(fs::read_dir(away.0.file("")).unwrap().count(), 0, "nothing is written");
}

#[test]
fn a_shipped_player_is_exported_with_an_onnx_model_or_as_it_ships() {
    let away = Away::new();
    away.export("neutron5", "mine");
    let mine = away.0.file("mine");
    assert!(mine.join("model.onnx").is_file());
    let shipped = shipped().into_iter().find(|path| path.ends_with("neutron5")).unwrap();
    for file in ["config.toml", "curve.svg"] {
        assert_eq!(fs::read(mine.join(file)).unwrap(), fs::read(shipped.join(file)).unwrap());
    }
    away.run(&["export", "neutron5", "--output", "mine", "--bytes", "--no-onnx"], &[]).well();
    assert!(!mine.join("model.onnx").exists(), "the model that was there is gone");
    let listed = |folder: &Path| {
        let card = fs::read_to_string(folder.join("player.json")).unwrap();
        serde_json::from_str::<serde_json::Value>(&card).unwrap()["files"].clone()
    };
    assert_eq!(listed(&mine), listed(&shipped), "the same weights, config and curve");
}

/// The player that a name stands for, by what `play` says.
#[track_caller]
fn named(away: &Away, name: &str, variables: &[(&str, &str)]) -> String {
    let run = away.run(&["play", name, "--side", "first"], variables).well();
    let first = run.stdout.lines().next().unwrap();
    first.split_once(" against ").unwrap().1.split(';').next().unwrap().to_owned()
}

#[test]
fn names_are_looked_for_in_the_order_of_the_documents() {
    let away = Away::new();
    let first = |variables| named(&away, "tic_tac_toe", variables);
    let folders = std::env::join_paths(["nowhere", "one", "two"]).unwrap();
    let variables = [("TAVOLIERE_PLAYERS", folders.to_str().unwrap())];
    let joined = |parts: [&str; 2]| Path::new(parts[0]).join(parts[1]).display().to_string();
    assert_eq!(first(&variables), "tic_tac_toe", "within the program");
    away.export("tic_tac_toe", "checkpoints/players/tic_tac_toe");
    assert_eq!(first(&variables), joined(["checkpoints/players", "tic_tac_toe"]));
    away.export("tic_tac_toe", "two/tic_tac_toe");
    assert_eq!(first(&variables), joined(["two", "tic_tac_toe"]));
    away.export("tic_tac_toe", "one/tic_tac_toe");
    assert_eq!(first(&variables), joined(["one", "tic_tac_toe"]));
    assert_eq!(first(&[]), joined(["checkpoints/players", "tic_tac_toe"]));
    // A folder without a player is none, one with a player comes first.
    fs::create_dir(away.0.file("tic_tac_toe")).unwrap();
    assert_eq!(first(&variables), joined(["one", "tic_tac_toe"]));
    away.export("susan", "tic_tac_toe");
    assert_eq!(first(&variables), "tic_tac_toe");
    // A name of one's own.
    away.export("entropy", "one/my friend");
    assert_eq!(named(&away, "my friend", &variables), joined(["one", "my friend"]));
}

#[test]
fn what_is_not_found_says_where_was_looked_and_what_may_be_meant() {
    let away = Away::new();
    let places = "TAVOLIERE_PLAYERS, which is not set, checkpoints/players or the program";
    let variables = [("TAVOLIERE_PLAYERS", "/no/such/folder")];
    let variable = "/no/such/folder (TAVOLIERE_PLAYERS, which does not exist), checkpoints/players";
    for (name, words) in [
        ("neutrn5", [places, "did you mean the player `neutron5`?"]),
        ("Susan", [places, "did you mean the player `susan`?"]),
        (
            "checkpoints/neutron5",
            ["there is no run in checkpoints/neutron5", "name the player `neutron5` alone"],
        ),
        ("neutron5@best", ["there is no run in neutron5", "name the player `neutron5` alone"]),
    ] {
        words.iter().for_each(|words| away.run(&["play", name], &[]).refused(1, words));
    }
    away.run(&["play", "neutrn5"], &variables).refused(1, variable);
    away.export("susan", "checkpoints/my_run");
    let near = "did you mean `checkpoints/my_run`?";
    away.run(&["play", "checkpoints/my_rnu"], &[]).refused(1, near);
}

#[test]
fn a_subcommand_that_is_nearly_right_is_met_with_the_right_one() {
    for (word, command) in [("pley", "play"), ("analyse", "analyze"), ("completion", "completions")]
    {
        run(&[word]).refused(2, &format!("'{command}'"));
    }
}

#[test]
fn shells_complete_every_subcommand() {
    let help = run(&["--help"]).well().stdout;
    let commands = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let commands: Vec<&str> =
        commands.map_while(|line| line.strip_prefix("  ")?.split(' ').next()).collect();
    assert!(commands.contains(&"play") && commands.len() > 10, "{commands:?}");
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run(&["completions", shell]).well().stdout;
        for command in &commands {
            assert!(script.contains(command), "{shell}: no {command}");
        }
        assert!(script.contains("simulations"), "{shell}: options are completed too");
    }
    run(&["completions", "csh"]).refused(2, "possible values: bash");
    if Command::new("bash").arg("--version").output().is_ok() {
        let mut script = run(&["completions", "bash"]).well().stdout;
        script += "COMP_WORDS=(tavoliere pl) COMP_CWORD=1\n_tavoliere tavoliere pl tavoliere\n\
                   echo \"${COMPREPLY[@]}\"\n";
        let output = Command::new("bash").args(["-c", &script]).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "play\n");
    }
}

#[test]
fn every_subcommand_has_a_manual_page() {
    let away = Away::new();
    let page = away.run(&["man"], &[]).well().stdout;
    assert!(page.contains(".TH tavoliere 1"), "{page}");
    away.run(&["man", "--out", "share/man1"], &[]).well();
    let written = |name: &str| fs::read_to_string(away.0.file("share/man1").join(name));
    assert_eq!(written("tavoliere.1").unwrap(), page);
    for (name, words) in
        [("play", "\\-\\-ponder"), ("analyze", "\\-\\-player"), ("man", "\\-\\-out")]
    {
        let page = written(&format!("tavoliere-{name}.1")).unwrap();
        let example = format!("tavoliere {name} ");
        assert!(page.contains(words) && page.contains(&example), "{page}");
    }
    away.run(&["man", "--out", "share/man1/tavoliere.1"], &[]).refused(1, "cannot write to share");
}
