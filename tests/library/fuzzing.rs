//! Runs every fuzz target with its seeds and with mutations of them.
//!
//! The fuzzer itself is the package `fuzz/`. These inputs find what breaks at once, and they are
//! the same on every machine.

use std::fs;
use std::panic::catch_unwind;
use std::path::{Path, PathBuf};

use rand::RngExt;

use crate::base::rng::{Purpose, Rng, stream};
use crate::fuzzing::{Target, targets};

/// Mutations of each target, and of slow ones.
const MUTATIONS: [(&[&str], u64); 3] = [
    (&["http"], 200),
    (&["weights", "optimizer", "run", "player", "ladder", "metrics"], 500),
    (&[], 2000),
];

/// Numbers that readers have to expect.
const NUMBERS: [&str; 12] = [
    "0",
    "-1",
    "1",
    "255",
    "65536",
    "4294967296",
    "9223372036854775808",
    "18446744073709551616",
    "1e308",
    "-1e999",
    "0.5",
    "5e-324",
];

/// What stands for something in many texts.
const WORDS: [&str; 16] = [
    "null", "true", "[", "]", "{", "}", "\"", "\\u0000", "\n", "=", "?", "@", "\u{feff}", "é",
    "\0", "\n==== ",
];

fn folder(kind: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz").join(kind)
}

/// The seeds of a target, sorted by their names. The published crate has none.
fn seeds(target: &str) -> Vec<Vec<u8>> {
    let Ok(entries) = fs::read_dir(folder("seeds").join(target)) else { return Vec::new() };
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).unwrap()).collect()
}

/// A place in the bytes, also at their end.
fn place(bytes: &[u8], rng: &mut Rng) -> usize {
    rng.random_range(0..=bytes.len())
}

/// A short range of the bytes.
fn range(bytes: &[u8], rng: &mut Rng) -> std::ops::Range<usize> {
    let start = place(bytes, rng);
    start..bytes.len().min(start + rng.random_range(1..64_usize))
}

/// The first number at or after a random place.
fn number(bytes: &[u8], rng: &mut Rng) -> Option<std::ops::Range<usize>> {
    let from = place(bytes, rng);
    let start = from + bytes[from..].iter().position(u8::is_ascii_digit)?;
    let length = bytes[start..].iter().take_while(|byte| byte.is_ascii_digit()).count();
    Some(start..start + length)
}

fn mutate(bytes: &mut Vec<u8>, other: &[u8], rng: &mut Rng) {
    let at = place(bytes, rng);
    match rng.random_range(0..8) {
        0 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
        1 if at < bytes.len() => bytes[at] = rng.random(),
        2 => drop(bytes.drain(range(bytes, rng))),
        3 => bytes.truncate(at),
        4 => {
            let part = other[range(other, rng)].to_vec();
            bytes.splice(at..at, part);
        }
        5 | 6 => {
            if let Some(found) = number(bytes, rng) {
                let text = NUMBERS[rng.random_range(0..NUMBERS.len())];
                bytes.splice(found, text.bytes());
            }
        }
        _ => drop(bytes.splice(at..at, WORDS[rng.random_range(0..WORDS.len())].bytes())),
    }
}

/// Runs a target with its seeds and with mutations of them.
fn run(&(name, target): &Target) {
    let seeds = seeds(name);
    target(b"");
    seeds.iter().for_each(|seed| target(seed));
    let rest = MUTATIONS.iter().find(|(names, _)| names.is_empty() || names.contains(&name));
    for index in 0..rest.map_or(0, |(_, count)| *count) {
        let mut rng = stream(1, index, 0, Purpose::Playout);
        let Some(last) = seeds.len().checked_sub(1) else { return };
        let mut input = seeds[rng.random_range(0..=last)].clone();
        let other = &seeds[rng.random_range(0..=last)];
        for _ in 0..rng.random_range(1..4) {
            mutate(&mut input, other, &mut rng);
        }
        if catch_unwind(|| target(&input)).is_err() {
            let path = std::env::temp_dir().join(format!("{name}-{index}"));
            fs::write(&path, &input).unwrap();
            panic!("{name}: the input {} is a fault", path.display());
        }
    }
}

#[test]
fn every_target_has_seeds_and_a_dictionary_or_needs_none() {
    if !folder("").exists() {
        return;
    }
    let names: Vec<&str> = targets().map(|(name, _)| *name).collect();
    for name in &names {
        assert!(!seeds(name).is_empty(), "{name} has no seeds");
    }
    let all = cfg!(all(feature = "net", feature = "serve", feature = "bot"));
    for kind in ["seeds", "dictionaries"] {
        for entry in fs::read_dir(folder(kind)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_stem().unwrap().to_str().unwrap();
            assert!(!all || names.contains(&name), "{} is of no target", path.display());
        }
    }
}

macro_rules! runs {
    ($($test:ident: $($name:literal)*;)*) => {
        $(
            #[test]
            fn $test() {
                targets().filter(|(name, _)| [$($name),*].contains(name)).for_each(run);
            }
        )*

        #[test]
        fn every_target_is_run() {
            let run = [$($($name),*),*];
            assert!(targets().all(|(name, _)| run.contains(name)));
        }
    };
}

runs! {
    readers_of_texts: "config" "specs" "analyze" "positions";
    readers_of_folders: "run" "metrics" "player" "ladder" "solution";
    readers_of_games: "turns" "position" "book" "records" "text" "lines" "abstractplay";
    readers_of_protocols: "gtp-engine" "gtp-client" "ugi" "http" "bot";
    readers_of_tensors: "weights" "optimizer";
}
