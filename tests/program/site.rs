//! Tests of `tavoliere site`.

use std::collections::BTreeSet;
use std::fs;

use serde_json::Value;

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
    for module in ["api", "program"] {
        let preload = format!("<link rel=\"modulepreload\" href=\"assets/{module}.js\">");
        assert_eq!(index.matches(&preload).count(), 1, "{module}");
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
    // Another site takes its place. What is not of a site stays, what is of no player goes.
    fs::write(site.join("CNAME"), "example.org").unwrap();
    run(&["site", "--out", out, "tic_tac_toe"]).well();
    assert_ne!(fs::read_to_string(site.join("offline.js")).unwrap(), offline);
    assert!(site.join("CNAME").exists() && !site.join("assets/players/neutron5.gz").exists());
    assert!(site.join("assets/players/tic_tac_toe.gz").exists());
}

#[test]
fn a_player_of_any_name_has_a_file_that_an_address_can_name() {
    let folder = Folder::new();
    let names = ["h#1", "q?level=1", "p%2f.."].map(|name| folder.file(name));
    for name in &names {
        let from = run(&["export", "tic_tac_toe", "--output", name.to_str().unwrap()]);
        from.well();
    }
    let site = folder.file("site");
    // A spec has its options behind the question mark.
    let [first, _, third] = names.each_ref().map(|name| name.to_str().unwrap());
    run(&["site", "--out", site.to_str().unwrap(), first, third]).well();
    let players: Value =
        serde_json::from_slice(&fs::read(site.join("assets/players.json")).unwrap()).unwrap();
    let files: BTreeSet<&str> =
        players.as_array().unwrap().iter().filter_map(|player| player["file"].as_str()).collect();
    assert_eq!(files.len(), 2);
    for file in files {
        assert!(!file.contains(['#', '?', '%']), "{file}");
        assert!(site.join("assets").join(file).is_file(), "{file}");
    }
}

#[test]
fn a_site_shows_the_games_and_players_that_are_named() {
    let folder = Folder::new();
    let site = folder.file("site");
    let out = site.to_str().unwrap();
    let words = ["--title", "A & <b>", "--about", "By \"me\"."];
    let named = ["site", "--out", out, "tic_tac_toe", "--game", "susan"];
    run(&[&named[..], &words].concat()).well();
    let index = fs::read_to_string(site.join("index.html")).unwrap();
    for part in [
        "data-games=\"tic_tac_toe susan\"",
        "<title>A &amp; &lt;b&gt;</title>",
        "> A &amp; &lt;b&gt;</a>",
        "<footer class=\"about\">By &quot;me&quot;.</footer>",
    ] {
        assert!(index.contains(part), "{part}");
    }
    let players = fs::read_to_string(site.join("assets/players.json")).unwrap();
    let players: Vec<Value> = serde_json::from_str(&players).unwrap();
    let is_shown = |game: &Value| game.is_null() || game == "tic_tac_toe" || game == "susan";
    assert!(players.iter().all(|it| is_shown(&it["game"])));
    assert!(players.iter().any(|it| it["name"] == "uct"));
    run(&["site", "--out", out, "--game", "chess"]).refused(1, "there is no game `chess`");
    // Without any it has all.
    run(&["site", "--out", out]).well();
    assert!(!fs::read_to_string(site.join("index.html")).unwrap().contains("data-games"));
}

#[cfg(unix)]
#[test]
fn nothing_is_written_through_links_in_a_site() {
    let folder = Folder::new();
    let (site, elsewhere) = (folder.file("site"), folder.file("elsewhere"));
    let out = site.to_str().unwrap();
    run(&["site", "--out", out, "tic_tac_toe"]).well();
    fs::rename(site.join("assets"), &elsewhere).unwrap();
    fs::remove_file(elsewhere.join("players/tic_tac_toe.gz")).unwrap();
    for name in ["site/assets", ".site.tavoliere-part", ".site.tavoliere-old"] {
        std::os::unix::fs::symlink(&elsewhere, folder.file(name)).unwrap();
    }
    run(&["site", "--out", out, "tic_tac_toe"]).well();
    assert!(site.join("assets/players/tic_tac_toe.gz").exists());
    assert!(!site.join("assets").is_symlink());
    assert!(!elsewhere.join("players/tic_tac_toe.gz").exists());
    assert!(elsewhere.join("players.json").exists(), "nothing was removed there");
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
    let passwd = ["site", "--out", &new, "tic_tac_toe", "--program", "Cargo.toml"];
    run(&passwd).refused(1, "no WebAssembly module");
    run(&["site", "tic_tac_toe"]).refused(2, "--out");
    assert_eq!(fs::read_dir(&other).unwrap().count(), 1);
    assert!(!folder.file("new").exists());
}
