//! Sizes of memory as text: `12G`, `800M`.

/// Parses a number of bytes: a number with `K`, `M`, `G` or `T`, for powers of 1024.
///
/// # Errors
///
/// If the text has another form, or the size is too large.
pub(crate) fn parse_size(text: &str) -> Result<u64, String> {
    let form = || format!("`{text}` is not a size; write it as in 12G or 800M");
    let text = text.trim();
    let unit = text.chars().last().ok_or_else(form)?;
    let power = "KMGT".find(unit.to_ascii_uppercase()).ok_or_else(form)? as u32 + 1;
    let number: f64 = text[..text.len() - 1].parse().map_err(|_| form())?;
    let bytes = number * 1024_f64.powi(power as i32);
    if !(1.0..=1e18).contains(&bytes) {
        return Err(form());
    }
    Ok(bytes as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_a_unit() {
        assert_eq!(parse_size("12G"), Ok(12 << 30));
        assert_eq!(parse_size("1.5m"), Ok(3 << 19));
        for wrong in ["", "12", "G", "-1G", "NaNG", "1e30T", "12GB", "ß"] {
            assert!(parse_size(wrong).is_err(), "{wrong}");
        }
    }
}
