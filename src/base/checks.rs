//! Checks of settings: each names the key and says what its value must be.

/// A setting that makes no sense: its key, and what it must be.
pub type Fault = (&'static str, String);

/// The value must be finite and above 0.
///
/// # Errors
///
/// If it is not.
pub fn positive(key: &'static str, value: f32) -> Result<(), Fault> {
    match value.is_finite() && value > 0.0 {
        true => Ok(()),
        false => Err((key, format!("must be a positive number, is {value}"))),
    }
}

/// The value must be one of the range.
///
/// # Errors
///
/// If it is not; nor is NaN in any range.
pub fn within<T: PartialOrd + std::fmt::Display>(
    key: &'static str,
    value: T,
    [lowest, highest]: [T; 2],
) -> Result<(), Fault> {
    match lowest <= value && value <= highest {
        true => Ok(()),
        false => Err((key, format!("must be between {lowest} and {highest}, is {value}"))),
    }
}
