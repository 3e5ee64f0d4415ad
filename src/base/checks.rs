//! Checks of settings. An error names the key and says what its value must be.

/// An invalid setting: its key, and what its value must be.
pub(crate) type Fault = (&'static str, String);

/// Checks that the value is finite and above 0.
///
/// # Errors
///
/// If it is not.
pub(crate) fn positive(key: &'static str, value: f32) -> Result<(), Fault> {
    match value.is_finite() && value > 0.0 {
        true => Ok(()),
        false => Err((key, format!("must be a positive number, is {value}"))),
    }
}

/// Checks that the value lies in the range, both ends included.
///
/// # Errors
///
/// If it does not. NaN is in no range.
pub(crate) fn within<T: PartialOrd + std::fmt::Display>(
    key: &'static str,
    value: T,
    [lowest, highest]: [T; 2],
) -> Result<(), Fault> {
    match lowest <= value && value <= highest {
        true => Ok(()),
        false => Err((key, format!("must be between {lowest} and {highest}, is {value}"))),
    }
}
