//! `tavoliere digest`: equal runs have equal digests, and only they.

#![cfg(feature = "net")]

use std::collections::BTreeSet;
use std::fs;

use crate::common::cli::{Run, run};
use crate::common::run::Setup;

const SMALL: &str = "
game = 'tic_tac_toe'
seed = 7
iterations = 4
network = { channels = 4, blocks = 1, value_hidden = 8 }
selfplay = { games = 8, simulations = 4 }
replay = { window = 100 }
learner = { batch = 8 }
evaluation = { every = 2, games = 2, simulations = 2, panel = ['random'] }
";

/// A finished run.
fn finished(arguments: &[&str]) -> Setup {
    let setup = Setup::new(SMALL);
    setup.train(arguments).succeeded();
    setup
}

fn digest_of(setup: &Setup, options: &[&str]) -> Run {
    let folder = setup.run().display().to_string();
    run(&[&["digest", &folder], options].concat())
}

fn digest(setup: &Setup) -> String {
    let printed = digest_of(setup, &[]).well();
    let rest = format!("  {}  iterations 4", setup.run().display());
    printed.lines()[0].strip_suffix(&rest).unwrap().to_owned()
}

#[test]
fn neither_threads_nor_stops_change_it() {
    let expected = digest(&finished(&["--threads", "1"]));
    assert!(expected.len() == 64 && expected.bytes().all(|byte| byte.is_ascii_hexdigit()));
    assert_eq!(digest(&finished(&["--threads", "3"])), expected);
    let stopped = Setup::new(SMALL);
    for iterations in ["1", "3", "4"] {
        stopped.train(&["--iterations", iterations]).succeeded();
    }
    assert_eq!(digest(&stopped), expected);
}

#[test]
fn a_run_that_was_set_back_and_repeated_has_it_again() {
    let setup = finished(&[]);
    let expected = digest(&setup);
    fs::write(setup.path("latest"), "000003\n").unwrap();
    let digest_of_three = |setup: &Setup| {
        let printed = digest_of(setup, &[]).well().stdout;
        assert!(printed.ends_with("  iterations 3\n"), "{printed}");
        printed[..64].to_owned()
    };
    assert_eq!(digest_of_three(&setup), digest_of_three(&finished(&["--iterations", "3"])));
    setup.train(&[]).succeeded();
    assert_eq!(digest(&setup), expected);
}

#[test]
fn another_seed_or_config_changes_it() {
    let settings = ["seed=8", "learner.learning_rate=0.003", "evaluation.games=4"];
    let mut found = BTreeSet::from([digest(&finished(&[]))]);
    for setting in settings {
        found.insert(digest(&finished(&["--set", setting])));
    }
    assert_eq!(found.len(), 4);
}

#[test]
fn its_list_names_the_parts_that_differ() {
    let setup = finished(&[]);
    let parts = |setup: &Setup| -> Vec<String> {
        digest_of(setup, &["--files"]).well().lines().into_iter().map(str::to_owned).collect()
    };
    let before = parts(&setup);
    assert!(before.iter().any(|line| line.ends_with("  000004/optimizer.bpk")));
    assert!(!before.iter().any(|line| line.ends_with("  000003/optimizer.bpk")), "it is pruned");
    let best = fs::read_to_string(setup.path("best")).unwrap();
    let other = if best == "000002\n" { "000004\n" } else { "000002\n" };
    fs::write(setup.path("best"), other).unwrap();
    let after = parts(&setup);
    let differ: Vec<&str> =
        before.iter().zip(&after).filter(|(a, b)| a != b).map(|(_, b)| b.as_str()).collect();
    assert!(differ[0].ends_with("  best") && differ.len() == 2, "the part and the whole");
}

#[test]
fn several_runs_are_a_line_each() {
    let setup = finished(&[]);
    let folder = setup.run().display().to_string();
    let printed = run(&["digest", &folder, &folder]).well();
    assert_eq!(printed.lines()[0], printed.lines()[1]);
}

#[test]
fn a_missing_or_damaged_part_is_an_error() {
    let refused = |name: &str, change: &dyn Fn(&Setup), words: &str| {
        let setup = finished(&[]);
        change(&setup);
        let printed = digest_of(&setup, &[]);
        assert!(printed.status == Some(1) && printed.stdout.is_empty(), "{name}: {printed:?}");
        assert!(printed.stderr.contains(words) && printed.stderr.contains(name), "{printed:?}");
    };
    for name in ["run.json", "config.toml", "games/000002.games", "000002/weights.bpk"] {
        refused(name, &|setup| fs::remove_file(setup.path(name)).unwrap(), "");
        let cut = |setup: &Setup| {
            let bytes = fs::read(setup.path(name)).unwrap();
            // After an equals sign, if there is one: a config that is cut between two keys is a
            // shorter config.
            let middle = bytes.len() / 2;
            let sign = bytes[middle..].iter().position(|&byte| byte == b'=');
            fs::write(setup.path(name), &bytes[..middle + sign.map_or(0, |at| at + 1)]).unwrap();
        };
        refused(name, &cut, "");
    }
    let optimizer = "000004/optimizer.bpk";
    refused(optimizer, &|setup| fs::remove_file(setup.path(optimizer)).unwrap(), "has no");
    refused("latest", &|setup| fs::remove_file(setup.path("latest")).unwrap(), "is missing");
    run(&["digest", "no/such/run"]).refused(1, "there is no run in no/such/run");
}

/// Burn kept some kilobytes for each parameter in every step: 400 MiB here.
#[cfg(target_os = "linux")]
#[test]
fn many_steps_of_training_take_no_more_memory_than_few() {
    use std::process::Stdio;

    let setup = Setup::new(SMALL);
    let many = ["--iterations", "1", "--set", "learner.batch=2", "--set", "replay.reuse=500"];
    let mut child =
        setup.command(&many).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let status = format!("/proc/{}/status", child.id());
    let mut peak = 0;
    while child.try_wait().unwrap().is_none() {
        let text = fs::read_to_string(&status).unwrap_or_default();
        let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let size = line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok());
        peak = peak.max(size.unwrap_or(0));
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    assert!(child.wait().unwrap().success());
    assert!((1..200 << 10).contains(&peak), "{peak} KiB");
}
