//! Which action to try first: the sooner a refutation comes, the less there is to search.

use crate::games::{Action, Side};

/// An action and the priority set in it.
#[derive(Clone, Copy, Debug)]
pub struct Scored {
    /// The action.
    pub action: Action,
    priority: u32,
}

/// Lists of actions, one for each level of a search, whose room is used again and again.
#[derive(Clone, Default, Debug)]
pub struct Lists(Vec<Vec<Scored>>);

impl Lists {
    /// The list of a level, to be given back.
    pub fn take(&mut self, level: usize) -> Vec<Scored> {
        if self.0.len() <= level {
            self.0.resize_with(level + 1, Vec::new);
        }
        std::mem::take(&mut self.0[level])
    }

    /// Takes back the list of a level.
    pub fn put_back(&mut self, level: usize, list: Vec<Scored>) {
        self.0[level] = list;
    }
}

/// What refuted other positions.
#[derive(Clone, Default, Debug)]
pub struct Ordering {
    /// By side and action: how often it refuted anything, in depth.
    history: [Vec<u32>; 2],
    /// By level: the last two actions that refuted anything there.
    killers: Vec<[Option<Action>; 2]>,
}

/// The priority in the action of the table, then in the two killers; all history is below.
const TABLE_MOVE: u32 = u32::MAX;
const KILLERS: [u32; 2] = [u32::MAX - 1, u32::MAX - 2];
const MOST_HISTORY: u32 = 1 << 30;

impl Ordering {
    /// Forgets everything; makes room for actions below `actions`.
    pub fn clear(&mut self, actions: usize) {
        for history in &mut self.history {
            history.clear();
            history.resize(actions, 0);
        }
        self.killers.clear();
    }

    /// Fills `list` with the legal actions and the priority in each.
    pub fn rate(
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

    /// An action refuted a position.
    pub fn note(&mut self, action: Action, (mover, level): (Side, usize), depth: u8) {
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

/// The most hopeful action from `index` on, brought to that place; of several the first.
#[inline]
pub fn pick(list: &mut [Scored], index: usize) -> Action {
    let mut best = index;
    for other in index + 1..list.len() {
        if list[other].priority > list[best].priority {
            best = other;
        }
    }
    list.swap(index, best);
    list[index].action
}
