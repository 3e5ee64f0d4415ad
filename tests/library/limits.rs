//! Sizes that come from files are checked before anything is made of them.

use std::fs;

use serde_json::{Value, json};

use super::common::folder::Folder;
use crate::base::durable::checksum;
use crate::nn::settings::{LearnerSettings, NetworkSettings};
use crate::registry;
use crate::runs::checkpoint::{Run, RunInfo};
use crate::search;
use crate::stats::ratings::{RatingSettings, RatingsError, rate};

/// A run without checkpoints.
fn run(folder: &Folder) -> Run {
    let variant = registry::preset("tic_tac_toe").unwrap();
    let info = RunInfo::new(&variant, 1, NetworkSettings::default());
    Run::begin(&folder.file("run"), &info).unwrap().0
}

/// Changes a value of `run.json` and reads it.
fn info_with(key: &str, value: Value) -> Result<RunInfo, String> {
    let folder = Folder::new();
    let run = run(&folder);
    let path = run.folder().join("run.json");
    let mut info: Value = serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
    info["network"][key] = value;
    fs::write(&path, info.to_string()).unwrap();
    run.info().map_err(|error| format!("{error:#}"))
}

#[test]
fn the_network_of_a_run_has_a_possible_size() {
    assert!(info_with("channels", json!(48)).is_ok());
    for (key, value, words) in [
        ("channels", json!(1_u64 << 63), "`network.channels`: must be between 1 and 1024"),
        ("channels", json!(0), "`network.channels`: must be between 1 and 1024"),
        ("blocks", json!(1_u64 << 63), "`network.blocks`: must be between 0 and 100"),
        ("value_hidden", json!(0), "`network.value_hidden`: must be between 1 and 4096"),
        ("channels", json!(-1), "invalid value"),
        ("channels", json!(1.5), "invalid type"),
    ] {
        let said = info_with(key, value.clone()).unwrap_err();
        assert!(said.contains(words) && said.contains("run.json is damaged"), "{said}");
    }
}

#[test]
fn networks_of_allowed_channels_and_blocks_have_a_limit_together() {
    let settings = |channels, blocks| NetworkSettings { channels, blocks, ..Default::default() };
    assert!(settings(1024, 4).check().is_ok());
    assert!(settings(256, 40).check().is_ok());
    let (key, reason) = settings(1024, 100).check().unwrap_err();
    assert_eq!(key, "blocks");
    assert!(
        reason.contains("with 1024 channels") && reason.contains("limit is 100000000"),
        "{reason}"
    );
}

#[cfg(feature = "net")]
#[test]
fn a_network_has_at_least_the_weights_that_its_settings_are_taken_to_need() {
    use crate::nn::Board;
    use crate::nn::burn_net::Learner;
    let board = Board::of(&registry::preset("tic_tac_toe").unwrap());
    for (channels, blocks, global_pooling) in [(8, 0, false), (16, 3, true), (32, 4, false)] {
        let network = NetworkSettings { channels, blocks, global_pooling, value_hidden: 16 };
        let learner = Learner::new(&board, &network, LearnerSettings::default(), 1);
        let (least, all) = (network.least_weights(), learner.unwrap().parameters());
        assert!(least <= all && all < 2 * least + 2000, "{least} of {all}");
    }
}

#[test]
fn the_batch_of_the_learner_has_a_limit_for_large_networks() {
    let learner = |batch| LearnerSettings { batch, ..Default::default() };
    let large = NetworkSettings { channels: 1024, blocks: 4, ..Default::default() };
    assert!(learner(65_536).check_size(&NetworkSettings::default()).is_ok());
    assert!(learner(4096).check_size(&large).is_ok());
    let (key, reason) = learner(65_536).check_size(&large).unwrap_err();
    assert!(key == "batch" && reason.contains("must be at most 11915"), "{reason}");
}

/// A checkpoint 0 whose state has these values, as [`Run::state`] reads it.
fn state_with(changes: Value) -> Result<(), String> {
    let folder = Folder::new();
    let run = run(&folder);
    let mut state = json!({
        "iteration": 0, "steps": 0, "games": 0, "positions": 0, "seconds": 0.0, "metrics": []
    });
    for (key, value) in changes.as_object().unwrap() {
        state[key] = value.clone();
    }
    let checkpoint = run.folder().join("000000");
    fs::create_dir_all(&checkpoint).unwrap();
    let state = state.to_string();
    let sums = json!({ "state": checksum(state.as_bytes()), "weights": 0, "optimizer": 0 });
    fs::write(checkpoint.join("state.json"), state).unwrap();
    fs::write(checkpoint.join("checksums.json"), sums.to_string()).unwrap();
    run.state(0).map(drop).map_err(|error| format!("{error:#}"))
}

#[test]
fn the_counts_of_a_checkpoint_are_possible() {
    assert_eq!(state_with(json!({})), Ok(()));
    for changes in [
        json!({ "iteration": u64::MAX }),
        json!({ "steps": u64::MAX }),
        json!({ "games": 1_u64 << 60 }),
        json!({ "positions": u64::MAX }),
        json!({ "seconds": -1.0 }),
        json!({ "seconds": 1e300 }),
    ] {
        let said = state_with(changes.clone()).unwrap_err();
        assert!(said.contains("state.json is damaged"), "{changes}: {said}");
    }
}

#[test]
fn the_numbers_of_checkpoints_are_possible() {
    let folder = Folder::new();
    let run = run(&folder);
    fs::create_dir_all(run.folder().join("18446744073709551615")).unwrap();
    assert_eq!(run.checkpoints(), [0_u64; 0]);
    for number in ["18446744073709551615", "1000000000", "-1", ""] {
        fs::write(run.folder().join("latest"), number).unwrap();
        let said = format!("{:#}", run.latest().unwrap_err());
        assert!(said.contains("expected the number of a checkpoint"), "{said}");
    }
    fs::write(run.folder().join("latest"), "999999999").unwrap();
    assert_eq!(run.latest().unwrap(), Some(999_999_999));
}

#[test]
fn files_that_are_too_small_for_their_network_are_refused_before_it_is_made() {
    let settings = NetworkSettings { channels: 1024, blocks: 4, ..Default::default() };
    let said = settings.expect_bytes(100_000).unwrap_err();
    assert!(said.contains("100000 bytes, too few"), "{said}");
    assert_eq!(settings.expect_bytes(4 * settings.least_weights()), Ok(()));
}

#[test]
fn files_of_players_have_a_bound_of_memory() {
    let settings = |cache_mib| search::Settings { cache_mib, ..Default::default() };
    assert_eq!(settings(65_536).of_files().cache_mib, 256);
    assert_eq!(settings(8).of_files().cache_mib, 8);
    assert!(settings(64).check_memory().is_ok());
    // More than any machine has: 4 PiB.
    let (key, reason) = settings(u32::MAX).check_memory().unwrap_err();
    assert!(key == "cache_mib" && reason.contains("does not have 4294967295 MiB"), "{reason}");
}

#[test]
fn pools_of_too_many_players_are_not_rated() {
    let rated = rate(1_000_000, &[], &RatingSettings::default());
    assert_eq!(rated, Err(RatingsError::TooMany { players: 1_000_000 }));
}

#[test]
fn numbers_in_json_are_read_as_they_were_written() {
    for number in [0.9598958253860476, 0.161201795, 1e-7, f64::MAX, f64::MIN_POSITIVE] {
        let text = serde_json::to_string(&number).unwrap();
        assert_eq!(serde_json::from_str::<f64>(&text).unwrap(), number, "{text}");
    }
}

#[test]
fn a_run_whose_network_computes_other_cells_does_not_go_on() {
    let folder = Folder::new();
    let susan = registry::preset("susan").unwrap();
    let info = RunInfo::new(&susan, 1, NetworkSettings::default());
    let earlier = RunInfo { computed_cells: None, ..info.clone() };
    drop(Run::begin(&folder.file("run"), &earlier).unwrap());
    let refused = format!("{:#}", Run::begin(&folder.file("run"), &info).unwrap_err());
    assert!(refused.contains("cannot go on: its network computes 81 cells"), "{refused}");
}
