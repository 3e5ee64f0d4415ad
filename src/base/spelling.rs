//! Suggestions for mistyped names.

/// Returns the candidate most similar to `word`, if any is similar enough to be a suggestion; the
/// first of those that are equally similar. The case of letters does not count.
pub(crate) fn nearest<'a>(
    word: &str,
    candidates: impl Iterator<Item = &'a str>,
) -> Option<&'a str> {
    let word = word.to_lowercase();
    candidates
        .map(|candidate| (strsim::jaro_winkler(&word, &candidate.to_lowercase()), candidate))
        .filter(|&(likeness, _)| likeness > 0.75)
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

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
    }
}
