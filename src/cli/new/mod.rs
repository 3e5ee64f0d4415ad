//! `tavoliere new`: writes a crate for a game of one's own.

use std::fs;
use std::io::{Write, stdout};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, ensure};

use super::{Failure, usage};
use crate::base::staged::Staged;
use crate::registry::check_name;

/// Write a crate for a game of your own
///
///   tavoliere new my_game && cd my_game
///   cargo test --release --no-default-features
///   cargo run --release -- train my_game
///
/// The crate is small and ready: it builds, its tests pass, it trains, and shows a playable game.
/// Its comments say what to replace. docs/new-game.md walks through it.
#[derive(Debug, clap::Args)]
#[command(verbatim_doc_comment)]
pub(super) struct Args {
    /// Name of the game: lower-case letters, digits and `_`
    name: String,
    /// Folder of the crate, which must not exist [default: the name]
    #[arg(long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Folder of the source of tavoliere [default: the current folder or one above it, otherwise the
    /// published crate]
    #[arg(long, value_name = "DIR")]
    library: Option<PathBuf>,
}

/// The files of the crate and their templates, with `{name}`, `{Type}`, `{title}` and `{source}`.
const FILES: &[(&str, &str)] = &[
    ("Cargo.toml", include_str!("template/Cargo.toml.txt")),
    ("README.md", include_str!("template/README.md.txt")),
    ("rustfmt.toml", include_str!("template/rustfmt.toml.txt")),
    (".gitignore", include_str!("template/gitignore.txt")),
    ("rules.md", include_str!("template/rules.md.txt")),
    ("{name}.toml", include_str!("template/preset.toml.txt")),
    ("src/main.rs", include_str!("template/main.rs.txt")),
    ("src/lib.rs", include_str!("template/lib.rs.txt")),
    ("src/game.rs", include_str!("template/game.rs.txt")),
];

impl Args {
    pub(super) fn run(self) -> Result<(), Failure> {
        usage(self.check())?;
        let folder = self.output.clone().unwrap_or_else(|| PathBuf::from(&self.name));
        let source = usage(self.source())?;
        self.write(&folder, &source)?;
        let (name, folder) = (&self.name, folder.display());
        if !source.starts_with("path") {
            writeln!(
                stdout(),
                "no clone of tavoliere here: the crate builds on the published one; \
                 --library CLONE builds on a clone"
            )?;
        }
        writeln!(
            stdout(),
            "{folder}: a game that is ready to train; src/game.rs says what to replace\n  \
             cd {folder}\n  cargo test --release --no-default-features\n  \
             cargo run --release -- train {name}"
        )?;
        Ok(())
    }

    fn check(&self) -> Result<()> {
        check_name(&self.name)?;
        // A package cannot have the name of its dependency, nor of a keyword.
        let taken = [
            "tavoliere",
            "serde",
            "std",
            "core",
            "alloc",
            "test",
            "game",
            "self",
            "super",
            "crate",
        ];
        ensure!(!taken.contains(&self.name.as_str()), "`{}` is taken; choose another", self.name);
        Ok(())
    }

    /// The dependency on the library, as Cargo writes it.
    fn source(&self) -> Result<String> {
        let folder = match &self.library {
            Some(folder) => {
                let is_it = is_library(folder);
                ensure!(is_it, "--library {}: no source of tavoliere is there", folder.display());
                Some(folder.clone())
            }
            None => {
                let here = std::env::current_dir()?;
                here.ancestors().find(|folder| is_library(folder)).map(Path::to_owned)
            }
        };
        let Some(folder) = folder else {
            return Ok(format!("version = \"{}\"", env!("CARGO_PKG_VERSION")));
        };
        let folder = fs::canonicalize(&folder)?;
        let path = folder.to_str().context("the folder of the library has no name in Unicode")?;
        Ok(format!("path = {}", toml::Value::from(path)))
    }

    fn write(&self, folder: &Path, source: &str) -> Result<()> {
        let name = folder.display();
        ensure!(!folder.exists(), "{name} exists; choose another name or --output");
        let filled = |text: &str| {
            text.replace("{name}", &self.name)
                .replace("{Type}", &type_name(&self.name))
                .replace("{title}", &title(&self.name))
                .replace("{source}", source)
        };
        let write = || -> std::io::Result<()> {
            let staged = Staged::begin(folder)?;
            fs::create_dir(staged.path().join("src"))?;
            for (file, text) in FILES {
                fs::write(staged.path().join(filled(file)), filled(text))?;
            }
            staged.commit()
        };
        write().with_context(|| format!("cannot write {name}"))
    }
}

/// Whether a folder has the source of this library.
fn is_library(folder: &Path) -> bool {
    let text = fs::read_to_string(folder.join("Cargo.toml")).unwrap_or_default();
    let manifest = text.parse::<toml::Table>().unwrap_or_default();
    manifest.get("package").and_then(|package| package.get("name")?.as_str()) == Some("tavoliere")
}

/// `my_game` as the name of a type, `MyGame`.
fn type_name(name: &str) -> String {
    name.split('_').map(capitalised).collect()
}

/// `my_game` for people, `My game`.
fn title(name: &str) -> String {
    capitalised(&name.replace('_', " "))
}

fn capitalised(word: &str) -> String {
    let mut signs = word.chars();
    let first = signs.next().map(|sign| sign.to_ascii_uppercase());
    first.into_iter().chain(signs).collect()
}
