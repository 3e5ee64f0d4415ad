//! Files of an exported player that document its training; no program needs them to play.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::FileFacts;

const CONFIG: &str = "config.toml";
const CURVE: &str = "curve.svg";

/// Config and rating curve of a training, as far as they are known.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Provenance {
    /// The config, as TOML; `train` can repeat the training with it.
    pub config: Option<String>,
    /// A chart of the ratings over the time of training, as SVG.
    pub curve: Option<String>,
}

impl Provenance {
    /// Name and contents of each file; `None` for files that do not exist.
    pub(super) fn files(&self) -> [(&'static str, Option<&str>); 2] {
        [(CONFIG, self.config.as_deref()), (CURVE, self.curve.as_deref())]
    }

    /// Reads the files that `files`, the list of the model card, contains.
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
