//! Checks the layers of the source: no group of `src/lib.rs` uses a group that is listed later.

use std::fs;
use std::path::{Path, PathBuf};

fn source() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// The lines of a text before its module of tests, which may use anything.
fn outside_tests(text: &str) -> impl Iterator<Item = &str> {
    text.lines().take_while(|line| *line != "mod tests {" && *line != "mod tests;")
}

/// The groups, lowest first.
fn groups() -> Vec<String> {
    let text = fs::read_to_string(source().join("lib.rs")).unwrap();
    let module = |line: &str| {
        let name = line.trim_start_matches("pub ").strip_prefix("mod ")?.strip_suffix(';')?;
        Some(name.to_owned())
    };
    outside_tests(&text).filter_map(module).collect()
}

fn files_below(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_below(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The groups that a text uses outside its tests, with the line numbers.
fn used(text: &str) -> impl Iterator<Item = (usize, &str)> {
    outside_tests(text).enumerate().flat_map(|(index, line)| {
        let paths = line.split("crate::").skip(1);
        paths.map(move |path| {
            let end = path.find(|c: char| !(c.is_alphanumeric() || c == '_'));
            (index + 1, &path[..end.unwrap_or(path.len())])
        })
    })
}

#[test]
fn no_group_uses_one_listed_later() {
    let groups = groups();
    assert!(groups.len() >= 12, "{groups:?}");
    let (mut checked, mut wrong) = (0, Vec::new());
    for (level, group) in groups.iter().enumerate() {
        let mut files = Vec::new();
        files_below(&source().join(group), &mut files);
        for file in files {
            let text = fs::read_to_string(&file).unwrap();
            for (line, name) in used(&text) {
                checked += 1;
                if groups.iter().position(|other| other == name).is_some_and(|other| other > level)
                {
                    wrong.push(format!("{}:{line} uses {name}", file.display()));
                }
            }
        }
    }
    assert!(checked > 500, "only {checked} uses were found");
    assert!(wrong.is_empty(), "the order of src/lib.rs does not allow:\n{}", wrong.join("\n"));
}

/// Every other file is refused by the compiler, which denies `unsafe` where it is not allowed.
#[test]
fn unsafe_code_is_allowed_where_contributing_says() {
    let (mut files, mut found) = (Vec::new(), Vec::new());
    files_below(&source(), &mut files);
    for file in files {
        if fs::read_to_string(&file).unwrap().contains("allow(unsafe_code)") {
            let path = file.strip_prefix(source()).unwrap().to_str().unwrap().to_owned();
            found.push(path.replace("/mod.rs", ""));
        }
    }
    found.sort_unstable();
    let guide = include_str!("../../CONTRIBUTING.md");
    let rule = guide.split("* No `unsafe` outside ").nth(1).unwrap();
    let rule = rule.split_once(';').unwrap().0;
    let parts = rule.split("`src/").skip(1).map(|part| part.split_once('`').unwrap().0.to_owned());
    let mut listed: Vec<String> = parts.collect();
    listed.sort_unstable();
    assert_eq!(found, listed);
}

#[test]
fn every_file_belongs_to_a_group() {
    let groups = groups();
    for entry in fs::read_dir(source()).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let is_group = path.is_dir() && groups.contains(&name);
        assert!(is_group || ["lib", "main"].contains(&name.as_str()), "{}", path.display());
    }
}
