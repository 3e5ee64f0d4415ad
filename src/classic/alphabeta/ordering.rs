//! Move ordering by the table, killer moves and history, for alpha-beta and the prover.

use crate::games::{Action, Side};

/// An action and its priority.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scored {
    /// The action.
    pub action: Action,
    priority: u32,
}

/// Lists of actions, one for each level of a search, whose memory is reused.
#[derive(Clone, Default, Debug)]
pub(crate) struct Lists(Vec<Vec<Scored>>);

impl Lists {
    /// Takes the list of a level. Return it with [`put_back`](Self::put_back).
    pub(crate) fn take(&mut self, level: usize) -> Vec<Scored> {
        if self.0.len() <= level {
            self.0.resize_with(level + 1, Vec::new);
        }
        std::mem::take(&mut self.0[level])
    }

    /// Returns the list of a level.
    pub(crate) fn put_back(&mut self, level: usize, list: Vec<Scored>) {
        self.0[level] = list;
    }
}

/// Statistics of the actions that caused cutoffs.
#[derive(Clone, Default, Debug)]
pub(crate) struct Ordering {
    /// By side and action: the sum of the squared depths of its cutoffs.
    history: [Vec<u32>; 2],
    /// By level: the last two different actions that caused a cutoff.
    killers: Vec<[Option<Action>; 2]>,
}

/// The priorities of the action of the table and of the two killers. All history is below.
const TABLE_MOVE: u32 = u32::MAX;
const KILLERS: [u32; 2] = [u32::MAX - 1, u32::MAX - 2];
const MOST_HISTORY: u32 = 1 << 30;

impl Ordering {
    /// Clears the statistics, and makes room for actions below `actions`.
    pub(crate) fn clear(&mut self, actions: usize) {
        for history in &mut self.history {
            history.clear();
            history.resize(actions, 0);
        }
        self.killers.clear();
    }

    /// Fills `list` with the legal actions and their priorities.
    pub(crate) fn rate(
        &self,
        list: &mut Vec<Scored>,
        legal: &[Action],
        (mover, level): (Side, usize),
        table_action: Option<Action>,
    ) {
        let killers = self.killers.get(level).copied().unwrap_or_default();
        let history = &self.history[mover.index()];
        let priority = |action: Action| {
            if table_action == Some(action) {
                return TABLE_MOVE;
            }
            let killer = killers.iter().position(|&killer| killer == Some(action));
            killer.map_or(history[usize::from(action)], |killer| KILLERS[killer])
        };
        list.clear();
        list.extend(legal.iter().map(|&action| Scored { action, priority: priority(action) }));
    }

    /// Records a cutoff by an action.
    pub(crate) fn note(&mut self, action: Action, (mover, level): (Side, usize), depth: u8) {
        if self.killers.len() <= level {
            self.killers.resize(level + 1, [None; 2]);
        }
        let [first, second] = &mut self.killers[level];
        if *first != Some(action) {
            (*first, *second) = (Some(action), *first);
        }
        let history = &mut self.history[mover.index()];
        history[usize::from(action)] += u32::from(depth) * u32::from(depth);
        if history[usize::from(action)] > MOST_HISTORY {
            history.iter_mut().for_each(|count| *count /= 2);
        }
    }
}

/// Swaps the action with the highest priority from `index` on, the first in a tie, to `index`, and
/// returns it.
#[inline]
pub(crate) fn pick(list: &mut [Scored], index: usize) -> Action {
    let mut best = index;
    for other in index + 1..list.len() {
        if list[other].priority > list[best].priority {
            best = other;
        }
    }
    list.swap(index, best);
    list[index].action
}
