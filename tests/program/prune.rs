//! Pruning: a run that is pruned is the same run, whatever happens on the way.

#![cfg(feature = "net")]

use std::fs;

use crate::common::cli::{Run, run};
use crate::common::run::Setup;

/// Iterations of a few milliseconds. The window holds three of them.
const SMALL: &str = "
game = 'tic_tac_toe'
seed = 7
iterations = 40
network = { channels = 4, blocks = 1, value_hidden = 8 }
selfplay = { games = 4, simulations = 2 }
replay = { window = 60, first_window = 0 }
learner = { batch = 8, schedule = 'constant' }
evaluation = { every = 2, games = 2, simulations = 2, panel = ['random'] }
";

const PRUNED: [&str; 2] = ["--set", "train.prune=true"];

fn trained(arguments: &[&str]) -> Setup {
    let setup = Setup::new(SMALL);
    setup.train(arguments).succeeded();
    setup
}

fn of(command: &str, setup: &Setup, options: &[&str]) -> Run {
    let folder = setup.run().display().to_string();
    run(&[&[command, &folder], options].concat())
}

fn digest(setup: &Setup) -> String {
    of("digest", setup, &[]).well().stdout[..64].to_owned()
}

/// The numbers of the entries of a folder of the run with this ending.
fn numbers(setup: &Setup, folder: &str, ending: &str) -> Vec<u64> {
    let entries = fs::read_dir(setup.path(folder)).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut numbers: Vec<u64> =
        names.filter_map(|name| name.strip_suffix(ending)?.parse().ok()).collect();
    numbers.sort_unstable();
    numbers
}

fn best(setup: &Setup) -> u64 {
    fs::read_to_string(setup.path("best")).unwrap().trim().parse().unwrap()
}

/// The checkpoints of [`SMALL`] that stay: all evaluated up to the 15th, every second one later, and
/// the newest ten.
fn expected(setup: &Setup) -> Vec<u64> {
    let evaluated = (0..=30).step_by(2).chain([32, 36, 40, best(setup)]);
    let mut expected: Vec<u64> = evaluated.chain(31..=40).collect();
    expected.sort_unstable();
    expected.dedup();
    expected
}

#[test]
fn a_pruned_run_has_the_digest_of_a_whole_one() {
    let [whole, pruned] = [trained(&[]), trained(&PRUNED)];
    assert_eq!(numbers(&whole, "", "").len(), 41);
    assert_eq!(numbers(&pruned, "", ""), expected(&pruned));
    let games = numbers(&pruned, "games", ".games");
    assert!((20..=35).contains(&games.len()), "{games:?}");
    assert_eq!(digest(&pruned), digest(&whole));

    // The command removes the same.
    let names = |setup: &Setup| setup.files().into_keys().collect::<Vec<_>>();
    let before = names(&whole);
    let said = of("prune", &whole, &["--dry-run"]).well().stdout;
    assert!(said.contains("would remove") && names(&whole) == before, "{said}");
    let said = of("prune", &whole, &[]).well().stdout;
    assert!(said.contains("removed ") && said.contains(" it takes "), "{said}");
    assert_eq!(names(&whole), names(&pruned));
    assert_eq!(digest(&whole), digest(&pruned));
    let again = of("prune", &whole, &[]).well().stdout;
    assert!(again.contains("removed 0 checkpoints and games of 0 iterations"), "{again}");
    assert_eq!(names(&whole), names(&pruned));
}

#[test]
fn a_pruned_run_goes_on_as_a_whole_one() {
    let [whole, pruned] = [trained(&[]), trained(&PRUNED)];
    for setup in [&whole, &pruned] {
        // The oldest checkpoint that can be resumed from.
        fs::write(setup.path("latest"), "000038\n").unwrap();
    }
    whole.train(&["--iterations", "43"]).succeeded();
    pruned.train(&[&PRUNED[..], &["--iterations", "43"]].concat()).succeeded();
    assert_eq!(digest(&pruned), digest(&whole));
    // A larger window begins with what is there, and goes on.
    let larger = ["--set", "replay.window=600", "--iterations", "44"];
    let done = pruned.train(&[&PRUNED[..], &larger].concat()).succeeded();
    assert!(done.stdout.contains("iteration 43 of 44 is done"), "{}", done.stdout);
}

#[test]
fn a_prune_that_was_killed_is_finished_later() {
    let [whole, pruned] = [trained(&[]), trained(&PRUNED)];
    let expected = digest(&whole);
    // After the log was written, and while a checkpoint was removed.
    fs::copy(pruned.path("pruned.jsonl"), whole.path("pruned.jsonl")).unwrap();
    fs::rename(whole.path("000025"), whole.path("000025.part")).unwrap();
    fs::remove_file(whole.path("000025.part/weights.bpk")).unwrap();
    assert_eq!(digest(&whole), expected);
    // The last line was cut off.
    let log = fs::read_to_string(whole.path("pruned.jsonl")).unwrap();
    let cut = log.trim_end().rfind('\n').unwrap() + 20;
    fs::write(whole.path("pruned.jsonl"), &log[..cut]).unwrap();
    assert_eq!(digest(&whole), expected);
    of("prune", &whole, &[]).well();
    assert_eq!(digest(&whole), expected);
    assert_eq!(numbers(&whole, "", ""), numbers(&pruned, "", ""));
    assert!(!whole.path("000025.part").exists());
}

#[test]
fn what_was_pruned_is_named() {
    let setup = trained(&PRUNED);
    let player = format!("{}@21", setup.run().display());
    let words = "has no checkpoint 21, it was pruned (available: 0, 2, 4, ...";
    run(&["match", &player, "random", "--games", "2"]).refused(1, words);
    fs::write(setup.path("latest"), "000021\n").unwrap();
    setup.train(&[]).failed(1, &["has no checkpoint 21"]);
}

#[test]
fn a_damaged_checkpoint_stays_and_is_named() {
    let setup = trained(&[]);
    fs::write(setup.path("000021/weights.bpk"), "damaged").unwrap();
    let Run { status, stderr: said, .. } = of("prune", &setup, &[]);
    assert_eq!(status, Some(1));
    assert!(
        said.contains("iteration 21 is not pruned")
            && said.contains("damaged")
            && said.contains("1 iterations of "),
        "{said}"
    );
    assert!(setup.path("000021").exists() && !setup.path("000023").exists());
}

#[test]
fn a_run_in_training_is_not_pruned_by_others() {
    let setup = Setup::new(&SMALL.replace("iterations = 40", "iterations = 4000"));
    let mut training = setup.start(&[]);
    training.wait_for(&[setup.path("000002")]);
    of("prune", &setup, &[]).refused(1, "another process is training in");
    training.kill();
}

#[test]
fn a_training_tells_the_space_of_its_run() {
    let setup = Setup::new(SMALL);
    let done = setup.train(&["--iterations", "3"]).succeeded();
    let lines: Vec<&str> = done.stdout.lines().filter(|line| line.contains(" kB")).collect();
    assert!(lines[0].starts_with("      the run takes ") && lines[0].ends_with(" at the end"));
    assert!(lines[1].starts_with("done: 3 of 3 iterations, saved in "), "{}", lines[1]);
    assert_eq!(lines.len(), 2);
}
