//! `--rule OPTION=VALUE`: options of a game on the command line.

use anyhow::{Context, Result};
use serde_json::{Map, Value};

/// Reads the options; a value that is not JSON is taken as text.
pub fn read(texts: &[String]) -> Result<Map<String, Value>> {
    texts.iter().map(|text| option(text)).collect()
}

fn option(text: &str) -> Result<(String, Value)> {
    let (option, value) = text
        .split_once('=')
        .with_context(|| format!("--rule {text}: an option is written OPTION=VALUE"))?;
    let value = serde_json::from_str(value).unwrap_or_else(|_| value.into());
    Ok((option.to_owned(), value))
}
