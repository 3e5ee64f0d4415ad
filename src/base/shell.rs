//! Commands that are printed, so that people can paste them into a shell.

use std::borrow::Cow;

/// A word of a command, quoted if a shell would take it apart.
pub(crate) fn quoted(word: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| letter.is_alphanumeric() || "-_./@:+,%=".contains(letter);
    match !word.is_empty() && word.chars().all(is_plain) {
        true => word.into(),
        false => format!("'{}'", word.replace('\'', r"'\''")).into(),
    }
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn words_that_a_shell_would_take_apart_are_quoted() {
        for (word, expected) in [
            ("checkpoints/neutron5@7", "checkpoints/neutron5@7"),
            ("kraus é b", "'kraus é b'"),
            ("it's?*", r"'it'\''s?*'"),
            ("é", "é"),
            ("", "''"),
        ] {
            assert_eq!(quoted(word), expected);
        }
    }
}
