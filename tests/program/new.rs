//! `tavoliere new`: a crate for a game of one's own. `scripts/own_game.sh` builds and runs one.

use std::fs;

use crate::common::cli::run;
use crate::common::folder::Folder;

/// Runs `tavoliere new` for a folder that is named by its path.
fn new(name: &str, folder: &str, library: &str) -> crate::common::cli::Run {
    run(&["new", name, "--output", folder, "--library", library])
}

#[test]
fn a_new_crate_has_its_name_everywhere_and_nothing_left_to_fill_in() {
    let folder = Folder::new();
    let library = env!("CARGO_MANIFEST_DIR");
    let own = folder.file("mine");
    let said = new("square_four", own.to_str().unwrap(), library).well().stdout;
    assert!(said.contains("cargo run --release -- train square_four"), "{said}");
    let read = |name: &str| fs::read_to_string(own.join(name)).unwrap();
    assert!(read("Cargo.toml").contains("tavoliere = { path = \""));
    assert!(read("src/game.rs").contains("impl Game for SquareFour {"));
    assert!(read("src/lib.rs").contains("\"Square four\","));
    assert!(read("square_four.toml").contains("game = \"square_four\""));
    assert!(read("rustfmt.toml").contains("max_width = 100"));
    for name in ["Cargo.toml", "README.md", "rules.md", "src/lib.rs", "src/main.rs", "src/game.rs"]
    {
        let text = read(name);
        let left = ["{name}", "{Type}", "{title}", "{source}"];
        assert!(left.iter().all(|field| !text.contains(field)), "{name}");
    }
}

#[test]
fn names_and_folders_that_cannot_be_are_refused() {
    let folder = Folder::new();
    let library = env!("CARGO_MANIFEST_DIR");
    let own = folder.file("mine");
    let own = own.to_str().unwrap();
    for name in ["Hex", "7up", "a-b", "", "o\u{308}"] {
        new(name, own, library).refused(2, "a name of a game has lower-case letters");
    }
    new("tavoliere", own, library).refused(2, "`tavoliere` is taken");
    new("core", own, library).refused(2, "`core` is taken");
    new("mine", own, own).refused(2, "no source of tavoliere is there");
    assert!(!folder.file("mine").exists());
    fs::create_dir(own).unwrap();
    new("mine", own, library).refused(1, "exists; choose another name");
}
