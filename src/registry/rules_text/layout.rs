//! Wraps text to lines.

/// Wraps a text to lines of at most `width` characters, of which the first begins with `first` and
/// the others with as many spaces.
pub(super) fn wrapped(text: &str, first: &str, width: usize) -> String {
    let (mut lines, mut line) = (String::new(), first.to_owned());
    let indent = " ".repeat(first.len());
    let mut is_empty = true;
    for word in text.split_whitespace() {
        if !is_empty && line.chars().count() + 1 + word.chars().count() > width {
            lines.push_str(line.trim_end());
            lines.push('\n');
            line.clone_from(&indent);
            is_empty = true;
        }
        if !is_empty {
            line.push(' ');
        }
        line.push_str(word);
        is_empty = false;
    }
    lines.push_str(line.trim_end());
    lines.push('\n');
    lines
}

/// The text with every line indented by `spaces`.
pub(super) fn indented(text: &str, spaces: usize) -> String {
    text.lines().map(|line| format!("{:spaces$}{line}\n", "")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_filled_up_to_the_width() {
        assert_eq!(wrapped("aa bb cc dddddddd e", "* ", 8), "* aa bb\n  cc\n  dddddddd\n  e\n");
        assert_eq!(wrapped("", "* ", 8), "*\n");
        assert_eq!(indented("a\nb", 2), "  a\n  b\n");
    }
}
