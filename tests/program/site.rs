//! Tests of `tavoliere site`.

use std::collections::BTreeSet;
use std::fs;

use crate::common::cli::run;
use crate::common::folder::Folder;

#[test]
fn a_site_has_all_its_files_and_no_address_of_a_server() {
    let folder = Folder::new();
    let site = folder.file("site");
    let out = site.to_str().unwrap();
    let found = run(&["site", "--out", out, "tic_tac_toe", "neutron5", "--json"]).well().json();
    let index = fs::read_to_string(site.join("index.html")).unwrap();
    assert!(index.contains("data-local") && !index.contains("\"/assets/"), "{index}");
    for part in index.split('"').filter(|part| part.starts_with("assets/")) {
        assert!(site.join(part).is_file(), "{part}");
    }
    let offline = fs::read_to_string(site.join("offline.js")).unwrap();
    let list = offline.split("FILES = [").nth(1).unwrap().split(']').next().unwrap();
    let listed: BTreeSet<&str> = list.split(',').map(|it| it.trim_matches('"')).collect();
    let written = found[0]["files"].as_u64().unwrap() as usize;
    // The folder itself is listed, and offline.js is not.
    assert_eq!(listed.len(), written);
    for name in listed {
        assert!(site.join(name).exists(), "{name}");
    }
    let players = fs::read_to_string(site.join("assets/players.json")).unwrap();
    for words in [r#""name":"neutron5""#, r#""file":"players/neutron5.gz""#, r#""name":"uct""#] {
        assert!(players.contains(words), "no {words} in {players}");
    }
    assert!(found[0]["first"].as_u64().unwrap() < 1_500_000, "{found:?}");
    // Another site takes its place.
    run(&["site", "--out", out, "tic_tac_toe"]).well();
    assert_ne!(fs::read_to_string(site.join("offline.js")).unwrap(), offline);
}

#[test]
fn what_is_no_site_or_no_exported_player_is_left_alone() {
    let folder = Folder::new();
    let other = folder.file("other");
    fs::create_dir(&other).unwrap();
    fs::write(other.join("mine.txt"), "mine").unwrap();
    let out = other.to_str().unwrap();
    run(&["site", "--out", out, "tic_tac_toe"]).refused(1, "is not empty and has no site");
    let new = folder.file("new").to_str().unwrap().to_owned();
    run(&["site", "--out", &new, "nobody"]).refused(1, "nobody");
    run(&["site", "--out", &new, "tic_tac_toe", "tic_tac_toe"]).refused(1, "occurs twice");
    run(&["site", "--out", &new, "tic_tac_toe", "--program", &new]).refused(1, "cannot read");
    run(&["site", "tic_tac_toe"]).refused(2, "--out");
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
    assert!(!folder.file("new").exists());
}
