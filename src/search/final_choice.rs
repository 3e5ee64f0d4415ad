//! The action to play at the end of a search: the greatest lower confidence bound of its value
//! (LCB), as in Leela Zero and KataGo.
//!
//! The most visited action may be one that the last simulations found to be bad, before they could
//! go to a better one.

use std::cmp::Ordering;

/// An action needs this share of the most visits: a few may be luck.
const LEAST_SHARE: f32 = 0.1;

/// An action that may be played.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Contender<T> {
    pub action: T,
    pub visits: u32,
    /// Its Q-value for the side to move; meaningless without visits.
    pub value: f32,
    pub prior: f32,
}

impl<T> Contender<T> {
    /// The lower bound of the value.
    fn bound(&self, width: f32) -> f32 {
        self.value - width / (self.visits as f32).sqrt()
    }

    /// Orders by descending visits, then by descending prior.
    pub(super) fn by_visits(&self, other: &Self) -> Ordering {
        other.visits.cmp(&self.visits).then(other.prior.total_cmp(&self.prior))
    }
}

/// The action to play; `None` if there is no contender. With a `width` of 0 it is the most visited
/// one.
pub(super) fn chosen<T>(
    contenders: impl Iterator<Item = Contender<T>> + Clone,
    width: f32,
) -> Option<T> {
    let most = contenders.clone().map(|found| found.visits).max()?;
    let found = if width == 0.0 || most == 0 {
        contenders.min_by(Contender::by_visits)
    } else {
        let is_known = |found: &Contender<T>| found.visits as f32 >= LEAST_SHARE * most as f32;
        contenders
            .filter(is_known)
            .min_by(|a, b| b.bound(width).total_cmp(&a.bound(width)).then_with(|| a.by_visits(b)))
    };
    found.map(|found| found.action)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The index of the contender chosen among these visits and values, all with the same prior.
    fn chosen_of(contenders: &[(u32, f32)], width: f32) -> Option<usize> {
        let all = contenders.iter().enumerate();
        let all =
            all.map(|(action, &(visits, value))| Contender { action, visits, value, prior: 0.5 });
        chosen(all, width)
    }

    #[test]
    fn a_better_action_is_played_although_another_has_more_visits() {
        // Lower bounds with a width of 1: 0.1 - 0.1, 0.3 - 0.125, 0.3 - 0.25.
        let contenders = [(100, 0.1), (64, 0.3), (16, 0.3)];
        assert_eq!(chosen_of(&contenders, 1.0), Some(1));
        assert_eq!(chosen_of(&contenders, 0.0), Some(0), "the most visited");
        // With a width of 16: -1.5, -1.7 and -3.7.
        assert_eq!(chosen_of(&contenders, 16.0), Some(0));
    }

    #[test]
    fn an_action_with_few_visits_is_not_played() {
        assert_eq!(chosen_of(&[(100, 0.0), (9, 1.0)], 1.0), Some(0));
        assert_eq!(chosen_of(&[(100, 0.0), (10, 1.0)], 1.0), Some(1));
    }

    #[test]
    fn the_first_of_equals_is_played_and_nothing_without_actions() {
        for width in [0.0, 1.0] {
            assert_eq!(chosen_of(&[(0, 0.0), (0, 0.0)], width), Some(0));
            assert_eq!(chosen_of(&[(4, 0.5), (4, 0.5)], width), Some(0));
            assert_eq!(chosen_of(&[], width), None);
        }
    }
}
