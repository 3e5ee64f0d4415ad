//! Where a player comes from, for people: files beside it that nothing plays by.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::FileFacts;

const CONFIG: &str = "config.toml";
const CURVE: &str = "curve.svg";

/// What is known of how a player was trained.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Provenance {
    /// The config, with which `train` does it again.
    pub config: Option<String>,
    /// A picture (SVG) of its ratings over the time of training.
    pub curve: Option<String>,
}

impl Provenance {
    /// Its files by their names, with their contents, where there are any.
    pub(super) fn files(&self) -> [(&'static str, Option<&str>); 2] {
        [(CONFIG, self.config.as_deref()), (CURVE, self.curve.as_deref())]
    }

    /// Reads those of its files that a card speaks of.
    pub(super) fn read(folder: &Path, files: &BTreeMap<String, FileFacts>) -> Result<Self> {
        let read = |name: &str| -> Result<Option<String>> {
            if !files.contains_key(name) {
                return Ok(None);
            }
            let path = folder.join(name);
            let text = fs::read_to_string(&path);
            text.map(Some).with_context(|| format!("cannot read {}", path.display()))
        };
        Ok(Self { config: read(CONFIG)?, curve: read(CURVE)? })
    }
}
