//! Config keys of earlier versions that were removed.
//!
//! Files of earlier versions contain every key. A removed key that was off is dropped, so that runs
//! and players of those versions still load. A removed key that was on is an error.

use serde_json::Value;

use Off::{Always, False, Number, Text, Zero};

/// The value at which a removed key had no effect.
enum Off {
    False,
    Zero,
    Number(f64),
    Text(&'static str),
    /// Any value: the key had an effect only together with another removed key.
    Always,
}

/// Section and name of every removed key.
const REMOVED: [(&str, &str, Off); 20] = [
    ("network", "reply", False),
    ("search", "c_puct_variance", Zero),
    ("search", "leave_out_lost", False),
    ("selfplay", "first_simulations", Zero),
    ("selfplay", "proof_nodes", Zero),
    ("selfplay", "fast_share", Zero),
    ("selfplay", "fast_simulations", Always),
    ("selfplay", "sparring_share", Zero),
    ("selfplay", "sparring_nodes", Always),
    ("replay", "overfit_limit", Zero),
    ("replay", "distinct", False),
    ("replay", "surprise", Zero),
    ("replay", "lambda", Zero),
    ("replay", "cut_games", Text("result")),
    ("learner", "averaging", Zero),
    ("learner", "reply_weight", Always),
    ("search", "c_visit", Number(50.0)),
    ("search", "gumbel_scale", Number(1.0)),
    ("search", "c_puct_base", Number(19_652.0)),
    ("learner", "value_weight", Number(1.0)),
];

/// The names of the removed keys of a section.
pub(crate) fn of_section(section: &str) -> impl Iterator<Item = &'static str> {
    REMOVED.iter().filter(move |(of, ..)| *of == section).map(|(_, key, _)| *key)
}

/// Whether a removed key had no effect at this value.
pub(crate) fn is_off(section: &str, key: &str, value: &Value) -> bool {
    let is_off = |off: &Off| match off {
        False => *value == Value::Bool(false),
        Zero => value.as_f64() == Some(0.0),
        Number(number) => value.as_f64() == Some(*number),
        Text(text) => value.as_str() == Some(text),
        Always => true,
    };
    REMOVED.iter().any(|(of, name, off)| (*of, *name) == (section, key) && is_off(off))
}

/// Drops the removed keys from a section of a JSON object.
///
/// # Errors
///
/// If a removed key was on; the message names it.
pub(crate) fn drop_from(object: &mut Value, section: &str) -> Result<(), String> {
    let Some(keys) = object.get_mut(section).and_then(Value::as_object_mut) else { return Ok(()) };
    for key in of_section(section) {
        if let Some(value) = keys.remove(key).filter(|value| !is_off(section, key, value)) {
            return Err(format!(
                "`{section}.{key}` is {value}, but this key was removed; use an earlier version"
            ));
        }
    }
    Ok(())
}
