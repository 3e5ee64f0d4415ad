//! Files of an exported player that document its training; no program needs them to play.

use std::collections::BTreeMap;

use anyhow::Result;

use super::{FileFacts, PlayerFiles};

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

    /// Reads the files that `listed`, the list of the model card, contains.
    pub(super) fn read(files: &PlayerFiles, listed: &BTreeMap<String, FileFacts>) -> Result<Self> {
        let read = |name: &str| listed.contains_key(name).then(|| files.read_text(name));
        Ok(Self { config: read(CONFIG).transpose()?, curve: read(CURVE).transpose()? })
    }
}
