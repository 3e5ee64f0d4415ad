//! Axes: maps from values to coordinates, with labelled ticks.

/// A linear map from values to coordinates.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Axis {
    range: [f64; 2],
    places: [f64; 2],
}

/// The largest number on an axis. Numbers from files may be any.
const LARGEST: f64 = 1e100;

/// The least width of a range, as a share of its numbers, or of 1.
const PRECISION: f64 = 1e-9;

impl Axis {
    /// Maps the ends of `range` to `places`. A range that is empty, infinite or too narrow to be
    /// divided becomes one of width 2, or wider around a large number.
    pub(super) fn new([low, high]: [f64; 2], places: [f64; 2]) -> Self {
        let middle = if low.is_finite() { low.clamp(-LARGEST, LARGEST) } else { 0.0 };
        let least = PRECISION * middle.abs().max(1.0);
        let is_sound = low.abs() <= LARGEST && high.abs() <= LARGEST && high - low >= least;
        let half = (1e3 * least).max(1.0);
        let range = if is_sound { [low, high] } else { [middle - half, middle + half] };
        Self { range, places }
    }

    /// The coordinate of a number. Numbers out of range are clamped to its ends.
    pub(super) fn place(&self, number: f64) -> f64 {
        let ([low, high], [from, to]) = (self.range, self.places);
        from + (number.clamp(low, high) - low) / (high - low) * (to - from)
    }

    /// Returns round numbers in the range with their labels, about one per `spacing` pixels.
    pub(super) fn ticks(&self, spacing: f64) -> Vec<(f64, String)> {
        let ([low, high], [from, to]) = (self.range, self.places);
        let wanted = ((to - from).abs() / spacing).max(1.0);
        let rough = (high - low) / wanted;
        let power = 10.0_f64.powf(rough.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0].map(|part| part * power);
        let step = step.into_iter().find(|&step| step >= rough * 0.999).unwrap_or(rough);
        let decimals = (-step.log10().floor()).max(0.0) as usize;
        let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
        let numbers = (first..=last).map(|count| count as f64 * step);
        numbers.map(|number| (number, written(number, decimals))).collect()
    }
}

/// Formats a number with `decimals` decimals and a typographic minus sign.
fn written(number: f64, decimals: usize) -> String {
    let text = format!("{number:.decimals$}");
    text.strip_prefix('-').map_or(text.clone(), |rest| format!("\u{2212}{rest}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_in_range() {
        let written = |range, spacing| -> Vec<String> {
            let ticks = Axis::new(range, [0.0, 500.0]).ticks(spacing);
            ticks.into_iter().map(|(_, text)| text).collect()
        };
        assert_eq!(
            written([-130.0, 410.0], 80.0),
            ["\u{2212}100", "0", "100", "200", "300", "400"]
        );
        assert_eq!(written([0.0, 1.0], 100.0), ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]);
        assert_eq!(written([3.0, 3.0], 250.0), ["2", "3", "4"]);
        assert_eq!(written([f64::NAN, 1.0], 250.0), ["\u{2212}1", "0", "1"]);
    }

    #[test]
    fn ranges_of_any_numbers_have_few_ticks() {
        let numbers = [0.0, -0.0, 5e-324, 1e-300, 1.0, 1.0 + 1e-15, 1.8e19, 1e100, 1e308, -1e308];
        for low in numbers {
            for high in numbers {
                let axis = Axis::new([low, high], [0.0, 500.0]);
                let ticks = axis.ticks(80.0);
                assert!(ticks.len() < 20, "{low} {high}: {} ticks", ticks.len());
                assert!(ticks.iter().all(|(number, _)| axis.place(*number).is_finite()));
                assert!(axis.place(high).is_finite(), "{low} {high}");
            }
        }
    }

    #[test]
    fn numbers_out_of_range_stay_at_its_ends() {
        let axis = Axis::new([0.0, 10.0], [300.0, 100.0]);
        assert_eq!([-5.0, 0.0, 5.0, 20.0].map(|it| axis.place(it)), [300.0, 300.0, 200.0, 100.0]);
    }
}
