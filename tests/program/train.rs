//! Training runs by the program: every game, determinism, interruption, damaged files, errors.

#![cfg(feature = "net")]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Map, Value};

use crate::common::cli::{games, run};
use crate::common::run::{Done, PROGRAM, Setup, done};

/// A config whose iterations take a few hundredths of a second. The learning rate is constant, so
/// that runs of different lengths can be compared. The window holds two iterations.
const SMALL: &str = "
game = 'tic_tac_toe'
seed = 7
iterations = 4
network = { channels = 4, blocks = 1, value_hidden = 8 }
selfplay = { games = 8, simulations = 4 }
replay = { window = 100 }
learner = { batch = 8, schedule = 'constant' }
evaluation = { every = 0 }
";

/// [`SMALL`] with other settings of evaluations, or none of them, and more.
fn with(more: &str) -> String {
    SMALL.replace("evaluation = { every = 0 }\n", "") + more
}

/// As [`SMALL`], with iterations that are long enough to be interrupted.
fn busy() -> Setup {
    Setup::new(&SMALL.replace("window = 100", "window = 100, reuse = 16.0"))
}

/// As [`SMALL`], with a window that grows with the positions played.
fn elaborate() -> Setup {
    Setup::new(&SMALL.replace("window", "first_window = 20, window"))
}

/// A finished run with [`SMALL`].
fn finished() -> Setup {
    let setup = Setup::new(SMALL);
    setup.train(&[]).succeeded();
    setup
}

/// The expected lines of the metrics: each phase of each iteration once, in order.
fn expected_metrics(iterations: u64) -> Vec<(u64, String)> {
    let phases = |iteration| ["selfplay", "learn"].map(|phase| (iteration, phase.to_owned()));
    (1..=iterations).flat_map(phases).collect()
}

/// Where the payload of a file of games begins, and the texts that it begins with.
const PAYLOAD: usize = 22;
const TEXTS: &[u8] = b"\x0btic_tac_toe\x02{}";

/// Places of numbers after these texts: version of the rules, iteration, seed, weights.
const RULES_VERSION: usize = 0;
const SEED: usize = 2;
const WEIGHTS: usize = 3;

/// Changes a number in the header of a file of games of tic-tac-toe from one value below 128 to
/// another, and the checksum of the file.
#[track_caller]
fn edit_games(path: &Path, field: usize, from: u8, to: u8) {
    // Magic bytes, format and length come before the checksum, the payload after it.
    let checksum = 18..22;
    let mut bytes = fs::read(path).unwrap();
    assert!(bytes[PAYLOAD..].starts_with(TEXTS), "{}", path.display());
    let number = &mut bytes[PAYLOAD + TEXTS.len() + field];
    assert_eq!(*number, from, "{}", path.display());
    *number = to;
    let sum = crc32fast::hash(&bytes[PAYLOAD..]);
    bytes[checksum].copy_from_slice(&sum.to_le_bytes());
    fs::write(path, bytes).unwrap();
}

/// Asserts that a run has the same results as an undisturbed one with the same config.
#[track_caller]
fn assert_undisturbed(setup: &Setup, undisturbed: &Setup) {
    let (results, expected) = (setup.results(), undisturbed.results());
    assert_eq!(
        results.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>(),
        "the same files"
    );
    for (name, expected) in expected {
        assert!(results[&name] == expected, "{name} differs");
    }
    assert_eq!(setup.metrics(), undisturbed.metrics());
}

/// Asserts that training is refused with these words and changes no file of the run.
#[track_caller]
fn assert_refused(setup: &Setup, arguments: &[&str], words: &[&str]) {
    let before = setup.files();
    setup.train(arguments).failed(1, words);
    assert!(setup.files() == before, "training with {arguments:?} changed files");
}

mod every_game {
    use super::*;

    fn trains(name: &str) {
        let can_be_short = run(&["perft", name, "0", "--rule", "max_plies=8"]).status == Some(0);
        let rules = if can_be_short { "max_plies = 8" } else { "" };
        let setup = Setup::new(&format!(
            "
            game = '{name}'
            iterations = 1
            rules = {{ {rules} }}
            network = {{ channels = 4, blocks = 2, value_hidden = 4 }}
            selfplay = {{ games = 2, simulations = 2 }}
            learner = {{ batch = 16 }}
            replay = {{ reuse = 1.0 }}
            evaluation = {{ every = 0 }}
            "
        ));
        let done = setup.train(&[]).succeeded();
        assert!(done.stdout.contains(&format!("training {name} in ")), "{done:?}");
        assert!(done.stdout.contains("done: 1 of 1 iterations"), "{done:?}");
        for file in ["games/000001.games", "000001/weights.bpk", "000001/optimizer.bpk"] {
            assert!(setup.path(file).is_file(), "{file}");
        }
        assert_eq!(fs::read_to_string(setup.path("latest")).unwrap(), "000001\n");
        assert_eq!(setup.metrics(), expected_metrics(1));
    }

    macro_rules! tests {
        ($($name:ident)*) => {
            const TRAINED: &[&str] = &[$( stringify!($name), )*];

            $( #[test] fn $name() { trains(stringify!($name)); } )*
        };
    }

    tests! {
        susan
        neutron5
        neutron5_single
        neutron5_double
        neutron5_kraus
        neutron5_hole1
        neutron5_hole2
        neutron5_abstractplay
        coneutron5
        coneutron5_abstractplay
        neutron7
        neutron7_single
        neutron7_double
        neutron7_kraus
        neutron7_hole1
        neutron7_hole2
        neutron7_abstractplay
        neutron5x7_abstractplay
        neutron7x5_abstractplay
        coneutron7
        entropy
        checkers_gomoku
        breakthrough6
        breakthrough8
        tic_tac_toe
        connect_four
    }

    #[test]
    fn is_listed_here() {
        assert_eq!(TRAINED, games());
    }
}

mod determinism {
    use super::*;

    #[test]
    fn two_runs_from_one_seed_write_the_same_bytes() {
        let (a, b) = (finished(), finished());
        for name in ["games/000004.games", "000000/weights.bpk", "000004/weights.bpk"] {
            assert!(a.results().contains_key(name), "{name} is compared");
        }
        assert_undisturbed(&a, &b);
    }

    #[test]
    fn two_runs_by_burn_from_one_seed_write_the_same_bytes() {
        let by_burn = ["--set", "learner.engine=burn", "--set", "inference.engine=burn"];
        let one = Setup::new(SMALL);
        one.train(&[&by_burn[..], &["--threads", "1"]].concat()).succeeded();
        for _ in 0..2 {
            let more = Setup::new(SMALL);
            more.train(&[&by_burn[..], &["--threads", "3"]].concat()).succeeded();
            assert_undisturbed(&more, &one);
        }
    }

    #[test]
    fn another_seed_gives_other_games_and_weights() {
        let other = Setup::new(SMALL);
        other.train(&["--seed", "8"]).succeeded();
        let (a, b) = (finished().results(), other.results());
        for name in ["games/000001.games", "000000/weights.bpk", "000004/weights.bpk"] {
            assert!(a[name] != b[name], "{name}");
        }
    }

    #[test]
    fn the_number_of_threads_changes_nothing() {
        let one = Setup::new(SMALL);
        one.train(&["--threads", "1"]).succeeded();
        for threads in ["2", "3"] {
            let more = Setup::new(SMALL);
            more.train(&["--threads", threads]).succeeded();
            assert_undisturbed(&more, &one);
        }
    }
}

/// Self-play and learning overlap.
mod with_a_lag {
    use super::*;

    const LAG: [&str; 2] = ["--set", "train.lag=1"];

    /// The checksum of the weights that played an iteration, from its file of games, where it is a
    /// number of at most 5 bytes of 7 bits.
    fn played_by(setup: &Setup, iteration: u64) -> Vec<u8> {
        let bytes = fs::read(setup.path(&format!("games/{iteration:06}.games"))).unwrap();
        let number = &bytes[PAYLOAD + TEXTS.len() + WEIGHTS..];
        let last = number.iter().position(|byte| *byte < 128).unwrap();
        number[..=last].to_vec()
    }

    #[test]
    fn the_number_of_threads_and_interruptions_change_nothing() {
        let undisturbed = Setup::new(SMALL);
        undisturbed.train(&LAG).succeeded();
        let threads = Setup::new(SMALL);
        threads.train(&[&LAG[..], &["--threads", "3"]].concat()).succeeded();
        assert_undisturbed(&threads, &undisturbed);
        let stopped = Setup::new(SMALL);
        for iterations in ["1", "2", "4"] {
            stopped.train(&[&LAG[..], &["--iterations", iterations]].concat()).succeeded();
        }
        assert_undisturbed(&stopped, &undisturbed);
    }

    #[test]
    fn the_first_two_iterations_are_played_by_the_first_weights() {
        let lagging = Setup::new(SMALL);
        lagging.train(&LAG).succeeded();
        let [first, second, third] = [1, 2, 3].map(|iteration| played_by(&lagging, iteration));
        assert_eq!(first, second);
        assert_ne!(second, third);
    }

    #[test]
    fn the_weights_of_the_iteration_before_must_be_there() {
        let setup = Setup::new(SMALL);
        setup.train(&[&LAG[..], &["--iterations", "2"]].concat()).succeeded();
        fs::remove_dir_all(setup.path("000001")).unwrap();
        assert_refused(&setup, &LAG, &["train.lag=0", "no checkpoint 1"]);
    }
}

mod stopped {
    use super::*;

    #[test]
    fn after_two_iterations_it_resumes_to_the_same_result() {
        let setup = Setup::new(SMALL);
        setup.train(&["--iterations", "2"]).succeeded();
        assert_eq!(setup.metrics(), expected_metrics(2));
        let done = setup.train(&[]).succeeded();
        assert!(done.stdout.contains("iteration 2 of 4 is done"), "{done:?}");
        assert_undisturbed(&setup, &finished());
    }

    #[test]
    fn with_a_growing_window_it_resumes_to_the_same_result() {
        let undisturbed = elaborate();
        undisturbed.train(&[]).succeeded();
        let setup = elaborate();
        for iterations in ["1", "3", "4"] {
            setup.train(&["--iterations", iterations]).succeeded();
        }
        assert_undisturbed(&setup, &undisturbed);
    }

    #[test]
    fn by_time_it_says_so_and_resumes_to_the_same_result() {
        let setup = Setup::new(SMALL);
        // Time for some iterations on a fast machine, for none on a slow one.
        for time in ["0.0001s", "20ms"] {
            let done = setup.train(&["--time", time, "--iterations", "3"]).succeeded();
            let ends = ["give it more time: ", "done: 3 of 3"].map(|end| done.stdout.contains(end));
            assert!(ends.contains(&true), "{done:?}");
        }
        setup.train(&[]).succeeded();
        // The config of a run whose time was up is as long as the run was then.
        let kept = |number: &u64| setup.path(&format!("config-{number:06}.toml"));
        (1..4).for_each(|number| _ = fs::remove_file(kept(&number)));
        assert_undisturbed(&setup, &finished());
    }

    #[test]
    fn by_a_time_of_zero_it_has_the_first_checkpoint_only() {
        let setup = Setup::new(SMALL);
        let done = setup.train(&["--time", "0s"]).succeeded();
        assert!(done.stdout.contains("time is up: 0 iterations"), "{done:?}");
        assert_eq!(fs::read_to_string(setup.path("latest")).unwrap(), "000000\n");
        setup.train(&[]).succeeded();
        assert_undisturbed(&setup, &finished());
    }

    #[test]
    fn by_a_signal_it_says_how_to_resume_and_resumes_to_the_same_result() {
        let undisturbed = busy();
        undisturbed.train(&[]).succeeded();
        let setup = busy();
        // In self-play, and in training.
        for (moment, signal) in [("000001", "-INT"), ("games/000003.games", "-TERM")] {
            let mut started = setup.start(&[]);
            started.wait_for(&[setup.path(moment)]);
            started.signal(signal);
            let done = started.finish().succeeded();
            assert!(done.stdout.contains("interrupted: "), "{done:?}");
            assert!(done.stdout.contains("the same command resumes it"), "{done:?}");
            assert!(done.stderr.contains("stopping"), "{done:?}");
        }
        setup.train(&[]).succeeded();
        assert_undisturbed(&setup, &undisturbed);
    }

    /// Changes a file of a run's folder.
    fn change(setup: &Setup, name: &str, from: &str, to: &str) {
        let text = fs::read_to_string(setup.path(name)).unwrap();
        assert!(text.contains(from), "{name}: {text}");
        fs::write(setup.path(name), text.replacen(from, to, 1)).unwrap();
    }

    #[test]
    fn unknown_keys_are_refused() {
        let setup = finished();
        setup.train(&["--set", "replay.lambda=0.0"]).failed(2, &["unknown key `replay.lambda`"]);
        change(&setup, "000004/checksums.json", "\"state\"", "\"learnt\": 5, \"state\"");
        assert_refused(&setup, &["--set", "iterations=5"], &["checksums.json", "`learnt`"]);
        change(&setup, "run.json", "\"value_hidden\": 8", "\"value_hidden\": 8, \"reply\": false");
        assert_refused(&setup, &[], &["run.json", "`reply`"]);
    }

    #[test]
    fn a_finished_run_says_so_and_is_not_changed() {
        let setup = finished();
        let before = setup.files();
        let config = fs::read(setup.path("config.toml")).unwrap();
        let done = setup.train(&[]).succeeded();
        assert!(done.stdout.contains("done: 4 of 4 iterations"), "{done:?}");
        assert!(setup.files() == before);
        assert_eq!(fs::read(setup.path("config.toml")).unwrap(), config);
    }

    #[test]
    fn with_fewer_iterations_than_are_done_nothing_is_done() {
        let setup = finished();
        let before = setup.files();
        let done = setup.train(&["--iterations", "2"]).succeeded();
        assert!(done.stdout.contains("done: 4 iterations, saved"), "{done:?}");
        assert!(setup.files() == before);
    }
}

mod killed {
    use super::*;

    #[test]
    fn at_any_moment_it_resumes_to_the_same_result() {
        let undisturbed = busy();
        undisturbed.train(&[]).succeeded();
        let setup = busy();
        let moments = [
            "lock",
            "000000",
            "latest",
            "games/000001.games",
            "000001.part",
            "000001",
            "000001",
            "games/000002.games.part",
            "games/000002.games",
            "000002",
            "000003.part/optimizer.bpk",
            "000003",
            "000004.part",
        ];
        for (number, moment) in moments.iter().enumerate() {
            let mut started = setup.start(&[]);
            // Temporary files exist only for a moment and may be missed.
            let whole = moment.split(".part").next().unwrap();
            started.wait_for(&[setup.path(moment), setup.path(whole)]);
            std::thread::sleep(Duration::from_millis(7 * (number as u64 % 4)));
            started.kill();
        }
        setup.train(&[]).succeeded();
        assert_undisturbed(&setup, &undisturbed);
    }

    #[test]
    fn again_and_again_it_still_finishes() {
        let undisturbed = finished();
        let setup = Setup::new(SMALL);
        let mut starts = 0;
        while fs::read_to_string(setup.path("latest")).ok().as_deref() != Some("000004\n") {
            let started = setup.start(&[]);
            // Run a little longer each time, so that it finishes on a slow machine too.
            std::thread::sleep(Duration::from_millis(10 + 5 * starts));
            started.kill();
            starts += 1;
        }
        setup.train(&[]).succeeded();
        assert_undisturbed(&setup, &undisturbed);
    }

    #[test]
    fn an_optimizer_that_a_kill_left_behind_is_removed() {
        let undisturbed = finished();
        let setup = Setup::new(SMALL);
        setup.train(&[]).succeeded();
        let [left, any] = ["000001/optimizer.bpk", "000004/optimizer.bpk"].map(|it| setup.path(it));
        fs::copy(any, left).unwrap();
        setup.train(&[]).succeeded();
        assert_undisturbed(&setup, &undisturbed);
    }

    #[test]
    fn half_written_files_do_no_harm() {
        let undisturbed = finished();
        let setup = Setup::new(SMALL);
        setup.train(&["--iterations", "2"]).succeeded();
        let left_over = [
            "run.json.part",
            "config.toml.part",
            "latest.part",
            "games/000003.games",
            "games/000003.games.part",
            "games/000004.games.part",
            "000003/weights.bpk",
            "000003/optimizer.bpk",
            "000003.part/weights.bpk",
            "000004.part/optimizer.bpk.part",
        ];
        for name in left_over {
            fs::create_dir_all(setup.path(name).parent().unwrap()).unwrap();
            fs::write(setup.path(name), "half").unwrap();
        }
        setup.train(&[]).succeeded();
        let _ = fs::remove_file(setup.path("run.json.part"));
        let _ = fs::remove_file(setup.path("latest.part"));
        assert_undisturbed(&setup, &undisturbed);
    }

    #[test]
    fn before_or_while_writing_metrics_each_line_is_there_once_in_the_end() {
        let setup = finished();
        let whole = fs::read(setup.path("metrics.jsonl")).unwrap();
        let end = |lines: usize| {
            let ends = whole.iter().enumerate().filter(|&(_, &byte)| byte == b'\n');
            ends.map(|(at, _)| at + 1).nth(lines - 1).unwrap()
        };
        // Cut the file before the last lines, between them and inside them.
        for length in [end(6), end(6) + 1, end(6) + 40, end(7) - 1, end(7), end(8) - 2, end(8) - 1]
        {
            fs::write(setup.path("metrics.jsonl"), &whole[..length]).unwrap();
            for _ in 0..2 {
                setup.train(&[]).succeeded();
                assert_eq!(setup.metrics(), expected_metrics(4), "cut to {length} bytes");
            }
        }
        fs::remove_file(setup.path("metrics.jsonl")).unwrap();
        setup.train(&[]).succeeded();
        assert_eq!(setup.metrics(), expected_metrics(4)[6..]);
    }
}

mod damaged {
    use super::*;

    /// Damages a file in several ways, and asserts that each is refused with these words.
    #[track_caller]
    fn assert_noticed(setup: &Setup, name: &str, damages: &[Vec<u8>], words: &[&str]) {
        let path = setup.path(name);
        let whole = fs::read(&path).unwrap();
        for damaged in damages {
            assert!(*damaged != whole);
            fs::write(&path, damaged).unwrap();
            assert_refused(setup, &["--iterations", "5"], words);
        }
        fs::write(&path, whole).unwrap();
    }

    fn truncations(whole: &[u8]) -> Vec<Vec<u8>> {
        let length = whole.len();
        [0, 1, 7, 22, length / 2, length - 2]
            .into_iter()
            .filter(|&kept| kept < length)
            .map(|kept| whole[..kept].to_vec())
            .collect()
    }

    /// Copies with one flipped bit, at places spread over the file.
    fn flips(whole: &[u8], bit: u8) -> Vec<Vec<u8>> {
        let flip = |at: usize| {
            let mut damaged = whole.to_vec();
            damaged[at] ^= 1 << bit;
            damaged
        };
        (0..8).map(|part| flip(part * (whole.len() - 1) / 7)).collect()
    }

    fn every_damage(setup: &Setup, name: &str) -> Vec<Vec<u8>> {
        let whole = fs::read(setup.path(name)).unwrap();
        let mut damages = truncations(&whole);
        damages.extend(flips(&whole, 0));
        damages.extend(flips(&whole, 7));
        damages.push([&whole[..], b"more"].concat());
        damages
    }

    #[test]
    fn files_of_the_checkpoint_are_noticed() {
        let setup = finished();
        let remedy = "to resume from an earlier one, write its number into";
        for file in ["weights.bpk", "optimizer.bpk", "state.json", "checksums.json"] {
            let name = format!("000004/{file}");
            let damages = every_damage(&setup, &name);
            // A wrong checksum looks like damage to its file.
            let named = if file == "checksums.json" { "000004/" } else { &name };
            assert_noticed(&setup, &name, &damages, &[named, remedy, "latest", "(possible: 2, 3)"]);
        }
    }

    #[test]
    fn the_newest_games_are_noticed() {
        let setup = finished();
        let name = "games/000004.games";
        let damages = every_damage(&setup, name);
        assert_noticed(&setup, name, &damages, &[name, "from an earlier one", "latest"]);
    }

    #[test]
    fn games_outside_the_window_may_be_missing() {
        // Less than the positions of eight games that end as early as they can.
        let setup = Setup::new(&SMALL.replace("window = 100", "window = 32"));
        setup.train(&[]).succeeded();
        fs::remove_file(setup.path("games/000001.games")).unwrap();
        setup.train(&["--iterations", "5"]).succeeded();
    }

    #[test]
    fn a_damaged_run_json_is_noticed() {
        let setup = finished();
        let whole = fs::read(setup.path("run.json")).unwrap();
        let damages = [truncations(&whole), flips(&whole, 7)].concat();
        assert_noticed(&setup, "run.json", &damages, &["run.json"]);
    }

    #[test]
    fn an_invalid_latest_file_is_noticed() {
        let setup = finished();
        let senseless = ["", "\n", "x00004\n", "000004 000004", "-1", "latest", "\u{fe}4"];
        let senseless = senseless.map(|text| text.as_bytes().to_vec());
        let words = ["latest: expected the number of a checkpoint"];
        assert_noticed(&setup, "latest", &senseless, &words);
        // If it is cut short, it names another checkpoint, which has no optimizer state any more.
        let others = ["0", "00000", "000000\n"].map(|text| text.as_bytes().to_vec());
        assert_noticed(&setup, "latest", &others, &["checkpoint 0 has no optimizer.bpk", "latest"]);
        assert_noticed(&setup, "latest", &[b"\xff00004\n".to_vec()], &["latest"]);
    }

    #[test]
    fn a_missing_latest_checkpoint_is_noticed() {
        let setup = finished();
        let words = ["has no checkpoint", "available: 0 to 4"];
        assert_noticed(&setup, "latest", &[b"000005\n".to_vec()], &words);
        let words = ["latest: expected the number of a checkpoint", "18446744073709551615"];
        assert_noticed(&setup, "latest", &[b"18446744073709551615\n".to_vec()], &words);
        fs::rename(setup.path("000004"), setup.path("aside")).unwrap();
        assert_refused(&setup, &[], &["has no checkpoint 4", "available: 0 to 3"]);
    }

    #[test]
    fn a_missing_latest_file_is_noticed() {
        let setup = finished();
        fs::remove_file(setup.path("latest")).unwrap();
        assert_refused(&setup, &[], &["latest"]);
    }

    #[test]
    fn a_missing_run_json_is_noticed() {
        let setup = finished();
        fs::remove_file(setup.path("run.json")).unwrap();
        assert_refused(&setup, &["--set", "seed=8"], &["run.json"]);
    }

    #[test]
    fn missing_files_are_noticed() {
        let names = [
            "000004/weights.bpk",
            "000004/optimizer.bpk",
            "000004/state.json",
            "000004/checksums.json",
            "games/000004.games",
        ];
        let setup = finished();
        for name in names {
            let whole = fs::read(setup.path(name)).unwrap();
            fs::remove_file(setup.path(name)).unwrap();
            let file = name.split('/').next_back().unwrap();
            assert_refused(&setup, &["--iterations", "5"], &[file, "latest"]);
            fs::write(setup.path(name), whole).unwrap();
        }
        setup.train(&["--iterations", "5"]).succeeded();
    }

    #[test]
    fn games_of_another_iteration_or_run_are_noticed() {
        let setup = finished();
        let path = setup.path("games/000004.games");
        let whole = fs::read(&path).unwrap();
        fs::copy(setup.path("games/000003.games"), &path).unwrap();
        assert_refused(&setup, &["--iterations", "5"], &["games/000004.games", "iteration 3"]);
        fs::write(&path, whole).unwrap();
        edit_games(&path, SEED, 7, 8);
        assert_refused(&setup, &["--iterations", "5"], &["games/000004.games", "seed 8"]);
    }

    #[test]
    fn the_remedy_helps() {
        let undisturbed = finished();
        let setup = finished();
        for (damaged, earlier) in [("000004", "3\n"), ("000003", "000002")] {
            fs::write(setup.path(damaged).join("weights.bpk"), "damaged").unwrap();
            setup.train(&["--iterations", "5"]).failed(1, &["weights.bpk", "latest"]);
            fs::write(setup.path("latest"), earlier).unwrap();
        }
        setup.train(&[]).succeeded();
        assert!(setup.results() == undisturbed.results());
    }
}

mod other {
    use super::*;

    #[test]
    fn game_rules_seed_or_network_in_the_same_folder_are_refused() {
        let setup = finished();
        let cases = [
            ("game=connect_four", "game \"tic_tac_toe\", not with \"connect_four\""),
            ("seed=8", "seed 7, not with 8"),
            ("network.channels=5", "network.channels 4, not with 5"),
            ("network.blocks=2", "network.blocks 1, not with 2"),
        ];
        for (setting, difference) in cases {
            let arguments = ["--iterations", "5", "--set", setting];
            assert_refused(&setup, &arguments, &["started with", difference, "--run DIR"]);
        }
        setup.train(&["--iterations", "5"]).succeeded();
    }

    #[test]
    fn rules_of_the_same_game_are_refused() {
        let config = SMALL.replace("tic_tac_toe", "neutron5").replace("games = 8", "games = 2");
        let setup = Setup::new(&config);
        setup.train(&["--iterations", "1", "--set", "rules.max_plies=8"]).succeeded();
        for rules in ["rules.max_plies=9", "rules.holes=1", "rules.forbid=own"] {
            let arguments = ["--set", "rules.max_plies=8", "--set", rules];
            assert_refused(&setup, &arguments, &["started with rules.", "--run DIR"]);
        }
    }

    #[test]
    fn versions_of_the_rules_are_refused() {
        let setup = finished();
        let edit = |key: &str, value: u64| {
            let text = fs::read_to_string(setup.path("run.json")).unwrap();
            let mut info: Map<String, Value> = serde_json::from_str(&text).unwrap();
            info[key] = value.into();
            fs::write(setup.path("run.json"), serde_json::to_vec_pretty(&info).unwrap()).unwrap();
            text
        };
        let whole = edit("rules_version", 99);
        assert_refused(&setup, &["--iterations", "5"], &["rules version 99", "--run DIR"]);
        fs::write(setup.path("run.json"), &whole).unwrap();
        edit("format", 99);
        assert_refused(&setup, &["--iterations", "5"], &["run.json has format 99"]);
        fs::write(setup.path("run.json"), &whole).unwrap();

        let path = setup.path("games/000004.games");
        edit_games(&path, RULES_VERSION, 1, 99);
        let words = ["games/000004.games", "version 99 of the rules of tic_tac_toe"];
        assert_refused(&setup, &["--iterations", "5"], &words);
    }

    #[test]
    fn process_in_the_same_folder_is_refused() {
        let setup = busy();
        let mut first = setup.start(&["--iterations", "1000"]);
        first.wait_for(&[setup.path("000001")]);
        let config = fs::read_to_string(setup.path("config.toml")).unwrap();
        let second = ["--iterations", "1", "--set", "learner.batch=9"];
        setup.train(&second).failed(1, &["another process is training in"]);
        let after = fs::read_to_string(setup.path("config.toml")).unwrap();
        assert_eq!(after, config, "the config is still that of the first");
        first.kill();
        setup.train(&["--iterations", "1"]).succeeded();
    }
}

mod unwritable {
    use super::*;

    #[test]
    fn folder_below_a_file_is_named() {
        let setup = Setup::new(SMALL);
        let below = setup.config().join("run");
        let below = below.to_str().unwrap();
        let arguments = ["--run", below];
        let mut command = Command::new(PROGRAM);
        done(command.arg("train").arg(setup.config()).args(arguments)).failed(1, &[below]);
    }

    /// Trains two iterations, then with writes that fail, then without a limit.
    fn fails_and_recovers(config: &str, blocks: u32, spoil: impl Fn(&Setup), word: &str) -> Setup {
        let undisturbed = Setup::new(config);
        undisturbed.train(&[]).succeeded();
        let setup = Setup::new(config);
        setup.train(&["--iterations", "2"]).succeeded();
        spoil(&setup);
        for _ in 0..2 {
            let before = fs::read_to_string(setup.path("latest")).unwrap();
            let done = setup.train_limited(blocks, &[]);
            done.failed(1, &["cannot write", word, "File too large"]);
            let after = fs::read_to_string(setup.path("latest")).unwrap();
            assert!(before <= after, "no checkpoint is lost");
        }
        setup.train(&[]).succeeded();
        let (results, expected) = (setup.results(), undisturbed.results());
        assert_eq!(results.len(), expected.len());
        for (name, expected) in expected {
            assert!(results[&name] == expected, "{name} differs");
        }
        setup
    }

    #[test]
    fn full_disk_at_the_weights_loses_nothing() {
        let setup = fails_and_recovers(SMALL, 4, |_| (), "weights.bpk");
        assert_eq!(setup.metrics(), expected_metrics(4));
    }

    #[test]
    fn full_disk_at_the_games_loses_nothing() {
        let config = SMALL.replace("games = 8", "games = 64");
        let setup = fails_and_recovers(&config, 4, |_| (), "games/000003.games");
        assert_eq!(setup.metrics(), expected_metrics(4));
    }

    #[test]
    fn full_disk_at_the_metrics_loses_nothing() {
        let padding = |setup: &Setup| {
            let path = setup.path("metrics.jsonl");
            let text = fs::read_to_string(&path).unwrap();
            let spaces = " ".repeat(1 << 20);
            fs::write(&path, format!("{spaces}\n{text}")).unwrap();
        };
        let setup = fails_and_recovers(SMALL, 512, padding, "metrics.jsonl");
        assert_eq!(setup.metrics(), expected_metrics(4));
    }

    #[test]
    fn full_disk_at_the_first_checkpoint_allows_a_restart() {
        let setup = Setup::new(SMALL);
        setup.train_limited(4, &[]).failed(1, &["000000.part/weights.bpk", "File too large"]);
        setup.train(&[]).succeeded();
        assert_undisturbed(&setup, &finished());
    }

    #[test]
    fn standard_output_does_not_end_the_training() {
        let setup = Setup::new(SMALL);
        let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        let mut command = setup.command(&[]);
        let status = command.stdout(full).stderr(Stdio::null()).status().unwrap();
        assert_eq!(status.code(), Some(0));
        assert_undisturbed(&setup, &finished());
    }

    #[test]
    fn standard_output_closed_early_does_not_end_the_training() {
        let setup = Setup::new(SMALL);
        let mut child = setup.command(&[]).stdout(Stdio::piped()).spawn().unwrap();
        drop(child.stdout.take());
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert_undisturbed(&setup, &finished());
    }
}

mod evaluated {
    use super::*;

    const EVALUATED: &str = "
[evaluation]
every = 2
games = 6
simulations = 4
panel = ['random', 'uct?rollouts=8']
";

    fn evaluations(setup: &Setup) -> Vec<Value> {
        let text = fs::read_to_string(setup.path("metrics.jsonl")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let mut lines: Vec<Value> = lines.filter(|line| line["phase"] == "evaluation").collect();
        for line in &mut lines {
            let line = line.as_object_mut().unwrap();
            assert!(line.remove("seconds").is_some() && line.remove("time").is_some());
        }
        lines
    }

    #[cfg(unix)]
    #[test]
    fn an_evaluation_stops_at_a_signal_and_is_done_again() {
        let evaluated = "evaluation = { every = 1, games = 10, panel = ['uct?rollouts=50000'] }\n";
        let config = with(evaluated).replace("iterations = 4", "iterations = 1");
        let undisturbed = Setup::new(&config);
        undisturbed.train(&[]).succeeded();
        let setup = Setup::new(&config);
        let mut started = setup.start(&[]);
        started.wait_for(&[setup.path("000001")]);
        started.line_with("   1/1  ");
        started.signal("-INT");
        let said = started.finish().succeeded();
        assert!(said.stdout.contains("interrupted: 1 of 1 iterations"), "{said:#?}");
        assert!(evaluations(&setup).is_empty());
        setup.train(&[]).succeeded();
        let met = |setup| evaluations(setup).iter().map(|it| it["met"].clone()).collect::<Vec<_>>();
        assert_eq!(met(&setup), met(&undisturbed));
        assert_eq!(met(&setup).len(), 1);
    }

    #[test]
    fn the_last_network_is_evaluated_wherever_a_training_ends() {
        let config = with(EVALUATED);
        let iterations =
            |setup: &Setup| evaluations(setup).iter().map(|it| it["iteration"].clone()).collect();
        let undisturbed = Setup::new(&config);
        undisturbed.train(&[]).succeeded();
        let whole: Vec<Value> = iterations(&undisturbed);
        let setup = Setup::new(&config);
        setup.train(&["--iterations", "3"]).succeeded();
        let stopped: Vec<Value> = iterations(&setup);
        assert_eq!((stopped.len(), whole.len()), (2, 2));
        assert_eq!([&stopped[1], &whole[1]], [3, 4]);
        assert_eq!(evaluations(&setup)[1]["at_end"], true);
        // What comes later does not depend on it.
        setup.train(&[]).succeeded();
        let digest = |setup: &Setup| {
            run(&["digest", setup.run().to_str().unwrap()]).well().stdout[..64].to_owned()
        };
        assert_eq!(digest(&setup), digest(&undisturbed));
    }

    #[test]
    fn networks_meet_the_panel_and_each_other_and_the_best_is_marked() {
        let setup = Setup::new(&with(EVALUATED));
        let said = setup.train(&[]).succeeded().stdout;
        assert_eq!(said.matches("evaluated: random ").count(), 2, "{said}");
        let lines = evaluations(&setup);
        let names = |line: &Value| -> Vec<String> {
            let met = line["met"].as_array().unwrap().iter();
            met.map(|met| met["opponent"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(names(&lines[0]), ["random", "uct?rollouts=8"]);
        assert_eq!(names(&lines[1]), ["random", "uct?rollouts=8", "@2"]);
        for met in lines.iter().flat_map(|line| line["met"].as_array().unwrap()) {
            for side in ["first", "second"] {
                let games =
                    met[side].as_array().unwrap().iter().map(|count| count.as_u64().unwrap());
                assert_eq!(games.sum::<u64>(), 3, "{met}");
            }
        }
        let best = lines[1]["best"].as_u64().unwrap();
        assert_eq!(fs::read_to_string(setup.path("best")).unwrap(), format!("{best:06}\n"));
        // An evaluation whose line was not written is repeated with the same result.
        let whole = fs::read_to_string(setup.path("metrics.jsonl")).unwrap();
        let kept =
            whole.lines().filter(|line| !line.contains("@2")).map(|line| format!("{line}\n"));
        fs::write(setup.path("metrics.jsonl"), kept.collect::<String>()).unwrap();
        setup.train(&[]).succeeded();
        assert_eq!(evaluations(&setup), lines);
    }

    #[test]
    fn without_its_older_checkpoints_a_run_goes_on() {
        for panel in ["['random', 'uct?rollouts=8']", "[]"] {
            let config = EVALUATED.replace("['random', 'uct?rollouts=8']", panel);
            let setup = Setup::new(&with(&config));
            setup.train(&["--iterations", "3"]).succeeded();
            fs::remove_dir_all(setup.path("000002")).unwrap();
            let said = setup.train(&[]).succeeded().stdout;
            assert!(said.contains("done: 4 of 4 iterations"), "{said}");
            let evaluations = evaluations(&setup);
            let last = evaluations.last().unwrap();
            assert_eq!(last["iteration"], 4);
            let met = last["met"].as_array().unwrap();
            assert!(met.iter().all(|met| met["opponent"] != "@2"), "{last}");
            assert_eq!(last["rating"].is_null(), panel == "[]", "{last}");
        }
    }

    #[test]
    fn a_panel_that_cannot_play_is_refused_at_once() {
        let config = with("[evaluation]\npanel = ['perfect']\n").replace("tic_tac_toe", "neutron5");
        let setup = Setup::new(&config);
        setup.train(&[]).failed(1, &["evaluation.panel", "perfect plays"]);
    }

    #[test]
    fn evaluations_do_not_change_the_training() {
        let with = Setup::new(&with(EVALUATED));
        with.train(&[]).succeeded();
        let (with, without) = (with.results(), finished().results());
        let weights = |name: &&String| name.ends_with("weights.bpk");
        assert!(without.keys().filter(weights).count() == 5);
        assert!(without.keys().filter(weights).all(|name| with[name] == without[name]));
    }
}

mod set_back {
    use super::*;

    const EVALUATED: &str = "
[evaluation]
every = 1
games = 4
simulations = 4
panel = ['random']
";

    /// A finished run with an evaluation of every iteration, whose best network is that of
    /// iteration 4, set back to iteration 2.
    fn set_back() -> Setup {
        let setup = Setup::new(&with(EVALUATED));
        setup.train(&[]).succeeded();
        fs::write(setup.path("best"), "000004\n").unwrap();
        fs::write(setup.path("latest"), "000002\n").unwrap();
        setup
    }

    /// The lines of a phase, apart from times.
    fn lines(setup: &Setup, phase: &str) -> Vec<Value> {
        let text = fs::read_to_string(setup.path("metrics.jsonl")).unwrap();
        let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        lines.filter(|line| line["phase"] == phase).collect()
    }

    fn weights_of(setup: &Setup, iteration: u64) -> Value {
        let text = fs::read(setup.path(&format!("{iteration:06}/checksums.json"))).unwrap();
        serde_json::from_slice::<Value>(&text).unwrap()["weights"].clone()
    }

    #[test]
    fn abandoned_checkpoints_are_ignored_before_training_goes_on() {
        let setup = set_back();
        let folder = setup.run();
        let name = folder.to_str().unwrap();
        let done = run(&["match", &format!("{name}@3"), "random", "--games", "2"]);
        done.refused(1, "000003 was abandoned when the run was set back");
        let output = setup.path("player");
        let output = output.to_str().unwrap();
        run(&["export", &format!("{name}@best"), "--output", output]).well();
        let card = fs::read(format!("{output}/player.json")).unwrap();
        let iteration = &serde_json::from_slice::<Value>(&card).unwrap()["training"]["iteration"];
        assert!(iteration.as_u64().unwrap() <= 2, "{iteration}");
        fs::remove_dir_all(output).unwrap();
        let ladder = setup.path("ladder");
        let all = format!("{name}@*");
        let arguments = ["ladder", &all, "random", "--games", "8", "--json", "--folder"];
        let done = run(&[&arguments[..], &[ladder.to_str().unwrap()]].concat());
        let done = &done.well().stdout;
        assert!(done.contains("@2") && !done.contains("@3") && !done.contains("@4"), "{done}");
    }

    #[test]
    fn nothing_is_lost_if_it_is_set_forward_again() {
        let setup = set_back();
        let before = lines(&setup, "evaluation");
        setup.train(&["--iterations", "2"]).succeeded();
        fs::write(setup.path("latest"), "000004\n").unwrap();
        setup.train(&[]).succeeded();
        assert_eq!(lines(&setup, "evaluation"), before);
    }

    #[test]
    fn what_was_measured_of_abandoned_networks_is_measured_anew() {
        let setup = set_back();
        let said = setup.train(&["--set", "learner.learning_rate=0.05"]).succeeded().stdout;
        assert!(said.contains("was set back from iteration 4 to 2"), "{said}");
        let evaluations = lines(&setup, "evaluation");
        assert_eq!(evaluations.len(), 6);
        for iteration in [3, 4] {
            let [old, new] = [iteration - 1, iteration + 1].map(|line| &evaluations[line]);
            assert_eq!([&old["iteration"], &new["iteration"]], [iteration; 2]);
            assert_ne!(old["weights"], new["weights"], "other settings train other weights");
            assert_eq!(new["weights"], weights_of(&setup, iteration as u64));
            let before = new["met"].as_array().unwrap().last().unwrap();
            assert_eq!(before["opponent"], format!("@{}", iteration - 1));
            assert_eq!(before["weights"], weights_of(&setup, iteration as u64 - 1));
        }
        let marked = lines(&setup, "set_back");
        assert_eq!(marked.len(), 1);
        assert_eq!([&marked[0]["iteration"], &marked[0]["from"]], [2, 4]);
        let best = fs::read_to_string(setup.path("best")).unwrap();
        assert_eq!(best.trim().parse::<u64>().unwrap(), evaluations[5]["best"]);
        // It is as a run that was never set back: the same command has nothing left to do.
        let before = setup.files();
        setup.train(&["--set", "learner.learning_rate=0.05"]).succeeded();
        assert!(setup.files() == before);
    }

    #[test]
    fn best_is_marked_anew_when_training_goes_on() {
        let setup = set_back();
        setup.train(&["--iterations", "2"]).succeeded();
        let best = fs::read_to_string(setup.path("best")).unwrap();
        assert_eq!(best.trim().parse::<u64>().unwrap(), lines(&setup, "evaluation")[1]["best"]);
    }

    #[test]
    fn a_kill_before_the_metrics_of_the_first_new_iteration_supersedes_the_old_ones_too() {
        let setup = set_back();
        let settings = ["--set", "learner.learning_rate=0.05"];
        setup.train(&[&settings[..], &["--iterations", "3"]].concat()).succeeded();
        let text = fs::read_to_string(setup.path("metrics.jsonl")).unwrap();
        let end = text.find("{\"from\":4").unwrap_or_else(|| panic!("{text}"));
        fs::write(setup.path("metrics.jsonl"), &text[..end]).unwrap();
        setup.train(&[&settings[..], &["--iterations", "3"]].concat()).succeeded();
        let after = fs::read_to_string(setup.path("metrics.jsonl")).unwrap();
        let without_times = |phase| {
            let mut lines = lines(&setup, phase);
            lines.iter_mut().for_each(|line| _ = line.as_object_mut().unwrap().remove("time"));
            lines
        };
        assert_eq!(
            without_times("set_back"),
            [serde_json::json!({
                "iteration": 2, "phase": "set_back", "from": 4
            })]
        );
        assert_eq!(after.lines().count(), text.lines().count());
        assert_eq!(lines(&setup, "evaluation")[4]["weights"], weights_of(&setup, 3));
    }

    #[test]
    fn with_the_same_settings_it_comes_out_as_if_it_had_not_been_set_back() {
        let setup = set_back();
        setup.train(&[]).succeeded();
        let undisturbed = Setup::new(&with(EVALUATED));
        undisturbed.train(&[]).succeeded();
        let (results, expected) = (setup.results(), undisturbed.results());
        assert!(results == expected, "{:?} {:?}", results.keys(), expected.keys());
    }
}

mod watched {
    use super::*;

    /// The metrics of a phase, without times.
    fn metrics(setup: &Setup, phase: &str) -> Vec<Map<String, Value>> {
        let text = fs::read_to_string(setup.path("metrics.jsonl")).unwrap();
        let lines =
            text.lines().map(|line| serde_json::from_str::<Map<String, Value>>(line).unwrap());
        lines.filter(|line| line["phase"] == phase).collect()
    }

    /// Variety of the games, and fresh losses, of each iteration.
    fn variety_and_losses(setup: &Setup) -> Vec<[Value; 5]> {
        let (selfplay, learn) = (metrics(setup, "selfplay"), metrics(setup, "learn"));
        let values = |(played, learnt): (&Map<String, Value>, &Map<String, Value>)| {
            let played =
                ["cut_short", "distinct_games", "distinct_positions"].map(|key| &played[key]);
            let learnt = ["fresh_policy_loss", "fresh_value_loss"].map(|key| &learnt[key]);
            let all: Vec<Value> = played.into_iter().chain(learnt).cloned().collect();
            all.try_into().unwrap()
        };
        selfplay.iter().zip(&learn).map(values).collect()
    }

    #[test]
    fn fresh_losses_are_measured_before_training_on_the_games() {
        let setup = finished();
        let rows = variety_and_losses(&setup);
        assert_eq!(rows.len(), 4);
        for [cut, games, positions, policy, value] in &rows {
            assert_eq!(cut, 0.0, "a full board is no cut");
            assert!((0.5..=1.0).contains(&games.as_f64().unwrap()));
            assert!((0.2..=1.0).contains(&positions.as_f64().unwrap()));
            assert!((0.1..3.0).contains(&policy.as_f64().unwrap()));
            assert!((0.1..3.0).contains(&value.as_f64().unwrap()));
        }
        // A new network predicts nearly equal probabilities.
        let value = rows[0][4].as_f64().unwrap();
        assert!((value - 3.0_f64.ln()).abs() < 0.1, "{value}");
    }

    #[test]
    fn neither_threads_nor_stops_change_these_metrics() {
        let expected = variety_and_losses(&finished());
        let threads = Setup::new(SMALL);
        threads.train(&["--threads", "3"]).succeeded();
        assert_eq!(variety_and_losses(&threads), expected);
        let stopped = Setup::new(SMALL);
        for iterations in ["1", "3", "4"] {
            stopped.train(&["--iterations", iterations]).succeeded();
        }
        assert_eq!(variety_and_losses(&stopped), expected);
    }

    #[test]
    fn without_positions_to_train_on_these_metrics_are_null() {
        let openings = "opening_plies = 1000, temperature_plies = 0, restart_share = 0.0";
        let setup = Setup::new(&SMALL.replace("games = 8", &format!("games = 1, {openings}")));
        setup.train(&[]).succeeded();
        // Few of the random openings end before the game does.
        let trained: Vec<bool> =
            metrics(&setup, "selfplay").iter().map(|line| line["positions"] != 0).collect();
        assert!(trained.contains(&false));
        for (row, trained) in variety_and_losses(&setup).iter().zip(trained) {
            assert_eq!(row[2].is_null() && row[3].is_null() && row[4].is_null(), !trained);
        }
    }

    #[test]
    fn an_alarm_is_printed_once_and_kept_in_the_metrics() {
        let config = SMALL.replace("tic_tac_toe", "neutron5").replace("games = 8", "games = 32");
        let setup = Setup::new(&format!("{config}[rules]\nmax_plies = 3\n"));
        let mut said = Vec::new();
        for iterations in ["4", "5", "6", "8"] {
            said.push(setup.train(&["--iterations", iterations]).succeeded().stdout);
        }
        let raised = |text: &String| text.matches("ALARM games_cut: ").count();
        assert_eq!(said.iter().map(raised).collect::<Vec<_>>(), [0, 1, 0, 0], "{said:?}");
        assert!(said[1].contains("iterations 1 to 5 were ended by max_plies"), "{said:?}");
        assert!(said[1].contains("rules.max_plies"), "the hint names a setting: {said:?}");
        for line in metrics(&setup, "learn") {
            let alarms = line["alarms"].as_array().unwrap();
            let is_in_force = alarms.contains(&"games_cut".into());
            assert_eq!(is_in_force, line["iteration"].as_u64().unwrap() >= 5, "{line:?}");
        }
        let undisturbed = Setup::new(&fs::read_to_string(setup.config()).unwrap());
        let said = undisturbed.train(&["--iterations", "8"]).succeeded().stdout;
        assert_eq!(raised(&said), 1, "{said}");
        let alarms = |setup| -> Vec<Value> {
            metrics(setup, "learn").into_iter().map(|line| line["alarms"].clone()).collect()
        };
        assert_eq!(alarms(&undisturbed), alarms(&setup));
    }
}

mod other_settings {
    use super::*;

    #[test]
    fn are_said_kept_and_told_by_exported_players() {
        let setup = Setup::new(SMALL);
        setup.train(&["--iterations", "2"]).succeeded();
        let before = fs::read(setup.path("config.toml")).unwrap();
        let settings = ["--set", "learner.learning_rate=0.05", "--set", "evaluation.every=3"];
        let said = setup.train(&settings).succeeded().stdout;
        let lines: Vec<&str> = said.lines().collect();
        let changed = [
            "settings changed after iteration 2:",
            "  evaluation.every: 0 -> 3",
            "  learner.learning_rate: 0.01 -> 0.05",
        ];
        assert_eq!(lines[2..5], changed, "{said}");
        assert_eq!(fs::read(setup.path("config-000002.toml")).unwrap(), before);
        let again = setup.train(&settings).succeeded().stdout;
        assert!(!again.contains("changed"), "{again}");

        let exported = |spec: &str| {
            let folder = setup.config().with_file_name("player");
            let from = format!("{}{spec}", setup.run().display());
            let done = run(&["export", &from, "--output", folder.to_str().unwrap()]);
            assert_eq!(done.status, Some(0), "{}", done.stderr);
            let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
            let card: Value = serde_json::from_str(&read("player.json")).unwrap();
            (card["training"]["settings_changed"].clone(), read("config.toml"))
        };
        let (told, config) = exported("");
        assert_eq!(told[0]["after"], 2);
        assert_eq!(told[0]["keys"]["learner.learning_rate"], serde_json::json!([0.01, 0.05]));
        assert!(config.contains("#   learner.learning_rate: 0.01 -> 0.05\n"), "{config}");
        assert!(config.contains("\nlearning_rate = 0.05\n"), "{config}");
        let (told, config) = exported("@2");
        assert_eq!(told, Value::Null);
        assert_eq!(config.as_bytes(), before);
    }

    #[test]
    fn of_abandoned_iterations_are_forgotten_when_training_goes_on() {
        let setup = Setup::new(SMALL);
        setup.train(&["--iterations", "2"]).succeeded();
        setup.train(&["--iterations", "4", "--set", "learner.batch=16"]).succeeded();
        fs::write(setup.path("latest"), "000003\n").unwrap();
        let said = setup.train(&["--set", "learner.batch=32"]).succeeded().stdout;
        assert!(said.contains("  learner.batch: 16 -> 32\n"), "{said}");
        let learner = |name: &str| {
            let text = fs::read_to_string(setup.path(name)).unwrap();
            let section = text.split("[learner]").nth(1).unwrap().to_owned();
            section.lines().find(|line| line.starts_with("batch = ")).unwrap().to_owned()
        };
        assert_eq!(learner("config-000002.toml"), "batch = 8");
        assert_eq!(learner("config-000003.toml"), "batch = 16");
        assert_eq!(learner("config.toml"), "batch = 32");
        assert!(!setup.path("config-000004.toml").exists());
    }
}

mod by_its_name {
    use super::*;

    fn train(arguments: &[&str]) -> crate::common::cli::Run {
        run(&[&["train"], arguments].concat())
    }

    #[test]
    fn a_run_goes_on_with_its_own_config() {
        let setup = Setup::new(SMALL);
        setup.train(&["--iterations", "2", "--set", "selfplay.games=4"]).succeeded();
        let folder = setup.run().display().to_string();
        let said = train(&[&folder]).well().stdout;
        assert!(said.contains("iteration 2 of 4 is done"), "{said}");
        assert!(!said.contains("settings changed"), "{said}");
        // So does its config, and a setting that differs is said first.
        let config = setup.path("config.toml").display().to_string();
        let said = train(&[&config, "--iterations", "5", "--set", "replay.reuse=2"]).well().stdout;
        let [changed, first] = ["replay.reuse: 4.0 -> 2.0", "   5/5  "].map(|it| said.find(it));
        assert!(changed.is_some() && changed < first, "{said}");
        assert!(setup.path("000005").exists());
        // Its config may begin another run.
        let other = setup.path("other").display().to_string();
        train(&[&config, "--run", &other, "--iterations", "1"]).well();
        let words = "is a run, which is resumed where it is";
        train(&[&folder, "--run", &other]).refused(2, words);
        train(&[&setup.path("games").display().to_string()]).refused(2, "a folder without a run");
    }

    #[test]
    fn no_iteration_is_counted_beyond_the_last() {
        let setup = finished();
        let said = train(&[setup.run().to_str().unwrap(), "--iterations", "2"]).well().stdout;
        assert!(said.contains("iteration 4 is done, beyond the goal of 2"), "{said}");
        assert!(said.contains("done: 4 iterations, saved"), "{said}");
    }
}

mod console {
    use super::*;

    #[test]
    fn lines_fit_a_terminal_and_name_the_colours() {
        let setup = Setup::new(SMALL);
        let said = setup.train(&["--iterations", "2"]).succeeded().stdout;
        let lines: Vec<&str> = said.lines().filter(|line| line.contains("/2  ")).collect();
        assert_eq!(lines.len(), 2, "{said}");
        for line in lines {
            assert!(line.chars().count() <= 76, "the numbers of long games are longer: {line}");
            for part in [" left  ", " turns, Black ", "% White ", "% draw ", "  loss "] {
                assert!(line.contains(part), "no `{part}` in {line}");
            }
            assert!(!line.contains("P1") && !line.contains("eval/s"), "{line}");
        }
        let said = setup.train(&["--verbose"]).succeeded().stdout;
        assert_eq!(said.matches(" eval/s ").count(), 2, "{said}");
    }

    #[test]
    fn commands_that_are_printed_can_be_pasted() {
        let setup = Setup::new(SMALL);
        let config = setup.config().display().to_string();
        let folder = setup.path("kraus é b").display().to_string();
        let said = run(&["train", &config, "--run", &folder, "--time", "0s"]).well().stdout;
        assert!(said.contains(&format!(" train '{folder}' --time +1s\n")), "{said}");
        assert!(said.contains(&format!(" play '{folder}'\n")), "{said}");
    }

    #[cfg(unix)]
    #[test]
    fn a_long_first_iteration_says_in_a_pipe_how_far_it_is() {
        // Tic-tac-toe is over too soon: a fast machine plays a million games in ten seconds.
        let settings = SMALL.replace("tic_tac_toe", "connect_four");
        let settings =
            settings.replace("games = 8, simulations = 4", "games = 1000000, simulations = 64");
        let setup = Setup::new(&settings);
        let mut started = setup.start(&["--threads", "1"]);
        let line = started.line_with("self-play: ");
        assert!(line.starts_with("   1/4  self-play: "), "{line}");
        assert!(line.ends_with(" of 1000000 games\n"), "{line}");
        let activity = fs::read_to_string(setup.path("activity.json")).unwrap();
        let activity: Value = serde_json::from_str(&activity).unwrap();
        assert_eq!(
            [&activity["phase"], &activity["iteration"], &activity["goal"], &activity["total"]],
            [&Value::from("selfplay"), &1.into(), &4.into(), &1_000_000.into()]
        );
        started.signal("-INT");
        started.finish().succeeded();
        assert!(!setup.path("activity.json").exists());
    }
}

mod presets {
    use super::*;
    use crate::common::folder::Folder;

    #[test]
    fn are_listed_without_a_config() {
        let listed = run(&["train"]);
        listed.refused(2, "name a config file or one of these presets");
        listed.refused(2, "  tic_tac_toe              seconds ");
        run(&["train", "neutron55"]).refused(2, "there is a preset: `tavoliere train neutron5`");
        let near = "there is a preset: `tavoliere train connect_four`";
        run(&["train", "conect_four"]).refused(2, near);
    }

    #[test]
    fn are_trained_by_their_names_from_anywhere() {
        let folder = Folder::new();
        let mut command = Command::new(PROGRAM);
        command.current_dir(folder.file("")).args(["train", "tic_tac_toe", "--iterations", "1"]);
        let settings = ["selfplay.games=4", "selfplay.simulations=2", "network.channels=4"];
        command.args(settings.iter().flat_map(|setting| ["--set", setting]));
        done(&mut command).succeeded();
        assert!(folder.file("checkpoints/tic_tac_toe/000001/weights.bpk").exists());
        let mut command = Command::new(PROGRAM);
        command.current_dir(folder.file("")).args(["train", "tic_tac_toe", "--set", "seed=x"]);
        done(&mut command).failed(2, &["--set seed=x"]);
    }
}

mod errors {
    use super::*;

    /// Asserts that training is refused with these words and does not create a run.
    #[track_caller]
    fn error(config: &str, arguments: &[&str], words: &[&str]) {
        let setup = Setup::new(config);
        setup.train(arguments).failed(2, words);
        assert!(!setup.run().exists(), "a run was created");
    }

    #[test]
    fn in_a_config_name_file_line_and_the_nearest_key() {
        let line = |text: &str| with(&format!("[search]\n{text}\n"));
        error(
            &line("c_putc = 1"),
            &[],
            &["config.toml:10: unknown key `search.c_putc`, did you mean `search.c_puct`?"],
        );
        error(
            &SMALL.replace("tic_tac_toe", "tic_tac"),
            &[],
            &["config.toml:2: `game`: there is no game `tic_tac`", "`tavoliere games` lists them"],
        );
        error(&SMALL.replace("games = 8", "games = 0"), &[], &["config.toml:6: `selfplay.games`"]);
        error("seed = = 1", &[], &["config.toml:1: "]);
        error("", &[], &["config.toml", "the key `game` is missing; set it to a name that"]);
        error(
            &SMALL.replace("seed = 7", "rules = { holes = 1 }"),
            &[],
            &["config.toml:3: `rules.holes`: game `tic_tac_toe`: unknown option `holes`"],
        );
    }

    #[test]
    fn in_a_setting_name_the_setting() {
        let cases = [
            ("selfplay.game=3", "did you mean `selfplay.games`?"),
            ("selfplay.games=0", "must be between 1 and"),
            ("learner.batch=many", "`learner.batch`"),
            ("learner.learning_rate=nan", "must be a positive number"),
            ("selfplay", "expected section.key=value"),
            ("game=tictactoe", "did you mean `tic_tac_toe`?"),
            ("rules.holes=1", "this game has none"),
        ];
        for (setting, reason) in cases {
            error(SMALL, &["--set", setting], &[&format!("--set {setting}: "), reason]);
        }
    }

    #[test]
    fn in_the_arguments_are_usage_errors() {
        for time in ["0", "90", "x", "-1s", "5 m", "nans", ""] {
            error(SMALL, &[&format!("--time={time}")], &["--time", "90s, 30m or 2h"]);
        }
        for arguments in [
            &["--threads", "0"],
            &["--threads", "x"],
            &["--iterations", "x"],
            &["--iterations", "0"],
            &["--device", "abacus"],
        ] {
            error(SMALL, arguments, &arguments[..1]);
        }
        error(SMALL, &["--set", "iterations=0"], &["iterations", "between 1 and"]);
        error(SMALL, &["--sed", "8"], &["--sed"]);
        let games = ["--set", "games=64"];
        error(SMALL, &games, &["did you mean `evaluation.games` or `selfplay.games`?"]);
        let many = ["--set", "selfplay.games=many"];
        error(SMALL, &many, &["expected a whole number, 0 or more"]);
        error(SMALL, &["--iterations", "0"], &["must be 1 or more"]);
        error(SMALL, &["another.toml"], &["another.toml"]);
    }

    #[test]
    fn about_a_config_that_cannot_be_read_name_it() {
        let setup = Setup::new(SMALL);
        let folder = setup.config().with_file_name("folder");
        fs::create_dir(&folder).unwrap();
        let binary = setup.config().with_file_name("binary.toml");
        fs::write(&binary, [0xff, 0xfe, 0]).unwrap();
        for path in [setup.config().with_file_name("missing.toml"), folder, binary] {
            let mut command = Command::new(PROGRAM);
            let done = done(command.arg("train").arg(&path).arg("--run").arg(setup.run()));
            done.failed(2, &["cannot read the config", path.to_str().unwrap()]);
        }
        assert!(!setup.run().exists());
    }

    #[test]
    fn about_divergence_name_it_and_keep_the_last_checkpoint() {
        let setup = Setup::new(SMALL);
        // Every step multiplies all weights by 1 - 10.
        let explode = [
            "learner.learning_rate=10",
            "learner.weight_decay=1",
            "learner.warmup_steps=1",
            "replay.reuse=16",
        ];
        let arguments: Vec<&str> = explode.iter().flat_map(|set| ["--set", set]).collect();
        let done = setup.train(&arguments);
        done.failed(1, &["training diverged", "learner.learning_rate"]);
        assert_eq!(fs::read_to_string(setup.path("latest")).unwrap(), "000000\n");
        setup.train(&[]).succeeded();
        assert_undisturbed(&setup, &finished());
    }
}

/// The other tests compare with an undisturbed run, so this one checks it.
#[test]
fn an_undisturbed_run_has_all_its_files() {
    let setup = finished();
    let files = setup.files();
    for iteration in 0..=4 {
        assert!(files.contains_key(&format!("{iteration:06}/weights.bpk")));
        assert!(files.contains_key(&format!("{iteration:06}/state.json")));
        let optimizer = files.contains_key(&format!("{iteration:06}/optimizer.bpk"));
        assert_eq!(optimizer, iteration >= 2, "the last three");
        let games = files.contains_key(&format!("games/{iteration:06}.games"));
        assert_eq!(games, iteration >= 1);
    }
    assert_eq!(files["latest"], b"000004\n");
    assert_eq!(setup.metrics(), expected_metrics(4));
    assert!(!files.keys().any(|name| name.contains(".part")), "{:?}", files.keys());
    let Done { stderr, .. } = setup.train(&[]).succeeded();
    assert_eq!(stderr, "", "no progress bars without a terminal");
}
