//! Suggestions for mistyped names.

/// The longest word, in bytes, for which a similar one is looked for: far longer than any name. The
/// time to compare grows with the square of the length.
const LONGEST: usize = 100;

/// Returns the candidate most similar to `word`, if any is similar enough to be a suggestion; the
/// first of those that are equally similar. The case of letters does not count.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    if word.len() > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    candidates
        .map(|candidate| (strsim::jaro_winkler(&word, &candidate.to_lowercase()), candidate))
        .filter(|&(likeness, _)| likeness > 0.75)
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::{LONGEST, nearest};

    #[test]
    fn the_most_similar_name_is_suggested() {
        let names = ["neutron5", "neutron7", "susan", "M"];
        let of = |word| nearest(word, names.into_iter());
        assert_eq!(of("susn"), Some("susan"));
        assert_eq!(of("NEUTRON7"), Some("neutron7"));
        assert_eq!(of("neutron"), Some("neutron5"), "the first of those equally similar");
        assert_eq!(of("m"), Some("M"));
        assert_eq!(of("chess"), None);
        assert_eq!(of(""), None);
        let [long, too_long] = [LONGEST, LONGEST + 1].map(|length| "n".repeat(length));
        let of_long = |word| nearest(word, [long.as_str()].into_iter());
        assert_eq!(of_long(&long), Some(long.as_str()));
        assert_eq!(of_long(&too_long), None, "it is not even compared");
    }
}
