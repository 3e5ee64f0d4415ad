//! The rule by which a run is pruned: which checkpoints and games stay.

/// Number of the newest checkpoints that stay, whether or not they are evaluated.
const NEWEST: u64 = 10;

/// Of the evaluated checkpoints the first 15 stay, and then 8 for each doubling of their number.
const PER_DOUBLING: u64 = 8;

/// What stays of a run whose latest checkpoint is that of iteration `latest`.
///
/// Whether an evaluated checkpoint stays depends on its number among them alone, so that one that is
/// removed is never missed later.
#[derive(Clone, Copy, Debug)]
pub(super) struct Rule<'a> {
    /// The latest iteration.
    pub latest: u64,
    /// The checkpoint that is marked as the best.
    pub best: Option<u64>,
    /// The evaluated iterations, ascending. While there are none, every iteration counts as one.
    pub evaluated: &'a [u64],
    /// The first iteration whose games are in the replay buffer.
    pub window_from: u64,
}

impl Rule<'_> {
    /// Whether the checkpoint of an iteration stays.
    pub(super) fn keeps_checkpoint(&self, iteration: u64) -> bool {
        iteration == 0
            || iteration + NEWEST > self.latest
            || self.best == Some(iteration)
            // The next evaluation plays against it.
            || self.evaluated.last() == Some(&iteration)
            || self.number(iteration).is_some_and(is_landmark)
    }

    /// Whether the games of an iteration stay.
    pub(super) fn keeps_games(&self, iteration: u64) -> bool {
        iteration >= self.window_from || self.keeps_checkpoint(iteration)
    }

    /// The number of an iteration among those that are evaluated, from 1 on.
    fn number(&self, iteration: u64) -> Option<u64> {
        if self.evaluated.is_empty() {
            return Some(iteration);
        }
        Some(self.evaluated.binary_search(&iteration).ok()? as u64 + 1)
    }
}

/// Whether a number is one of the first 15, or one of 8 evenly spaced ones between two powers of
/// two.
fn is_landmark(number: u64) -> bool {
    let step = (1 << number.ilog2()) / PER_DOUBLING;
    step <= 1 || number.is_multiple_of(step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(rule: &Rule<'_>) -> Vec<u64> {
        (0..=rule.latest).filter(|&iteration| rule.keeps_checkpoint(iteration)).collect()
    }

    #[test]
    fn eight_checkpoints_stay_for_each_doubling() {
        let rule = Rule { latest: 100, best: None, evaluated: &[], window_from: 0 };
        let newest = 91..=100;
        let older = [(0..=16).collect(), (18..=32).step_by(2).collect::<Vec<_>>()].concat();
        let older = [older, (36..=64).step_by(4).collect(), vec![72, 80, 88]].concat();
        assert_eq!(kept(&rule), older.into_iter().chain(newest).collect::<Vec<_>>());
        assert_eq!(kept(&Rule { latest: 1 << 20, ..rule }).len(), 1 + 15 + 8 * 16 + 10);
    }

    #[test]
    fn evaluated_checkpoints_count_among_themselves() {
        let evaluated: Vec<u64> = (1..=20).map(|number| 5 * number).collect();
        let rule = Rule { latest: 104, best: Some(85), evaluated: &evaluated, window_from: 0 };
        let by_five = |numbers: &[u64]| numbers.iter().map(|it| 5 * it).collect::<Vec<_>>();
        let landmarks = by_five(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]);
        let rest = vec![85, 90, 95, 96, 97, 98, 99, 100, 101, 102, 103, 104];
        assert_eq!(kept(&rule), [landmarks, rest].concat());
        // The last evaluated one is older than the newest ten.
        let rule = Rule { latest: 300, best: None, ..rule };
        assert!(rule.keeps_checkpoint(100) && !rule.keeps_checkpoint(95));
    }

    #[test]
    fn games_of_the_window_and_of_kept_checkpoints_stay() {
        let rule = Rule { latest: 100, best: None, evaluated: &[50], window_from: 70 };
        let games: Vec<u64> = (1..=100).filter(|&it| rule.keeps_games(it)).collect();
        assert_eq!(games, [vec![50], (70..=100).collect()].concat());
    }

    #[test]
    fn what_was_removed_is_not_needed_later() {
        for every in [1, 3, 25] {
            let mut gone = vec![false; 600];
            for latest in 1..600 {
                let evaluated: Vec<u64> = (every..=latest).step_by(every as usize).collect();
                let rule = Rule { latest, best: None, evaluated: &evaluated, window_from: 0 };
                for iteration in every..latest {
                    let keeps = rule.keeps_checkpoint(iteration);
                    assert!(!(keeps && gone[iteration as usize]), "{iteration} at {latest}");
                    gone[iteration as usize] |= !keeps;
                }
            }
        }
    }
}
