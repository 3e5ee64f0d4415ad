//! Depth-first proof-number search: proves the wins that need least effort, not the fewest turns.
//!
//! The proof number of a position is the minimum number of leaves that would have to be won to
//! prove it. The disproof number is the same for the other side. The search expands the position
//! that is cheapest to prove (Allis 1994). It finds long wins in which the other side has few
//! choices, which are too deep for an exhaustive search. The depth-first form with thresholds and a
//! table is df-pn (Nagai 2002). A threshold exceeds the second best number by a quarter, which
//! avoids frequent switches between two children (Pawlewicz and Lew 2007). An unsearched position
//! has the number 1 for its side to move, and its number of legal actions for the other side.

use super::Undecided;
use crate::games::{Action, Game, Outcome, Side};

/// The maximum depth in actions, limited by the stack.
const DEEPEST: usize = 200;

/// The number of a goal that cannot be reached. Finite numbers are below.
const INFINITE: u32 = u32::MAX / 4;

/// Proof and disproof number: the leaves that have to be decided for the attacker to prove a win,
/// and for the defender to disprove it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Numbers {
    proof: u32,
    disproof: u32,
}

impl Numbers {
    const PROVEN: Self = Self { proof: 0, disproof: INFINITE };
    const DISPROVEN: Self = Self { proof: INFINITE, disproof: 0 };
    const UNLIMITED: Self = Self { proof: INFINITE, disproof: INFINITE };

    /// From the numbers of the side to move, which is the attacker if `attacks`, and of the other.
    fn new(attacks: bool, own: u32, other: u32) -> Self {
        let [proof, disproof] = if attacks { [own, other] } else { [other, own] };
        Self { proof, disproof }
    }

    fn own(self, attacks: bool) -> u32 {
        if attacks { self.proof } else { self.disproof }
    }

    fn other(self, attacks: bool) -> u32 {
        self.own(!attacks)
    }

    fn reaches(self, limits: Self) -> bool {
        self.proof >= limits.proof || self.disproof >= limits.disproof
    }

    fn is_decided(self) -> bool {
        self.proof == 0 || self.disproof == 0
    }
}

/// A position after an action.
#[derive(Clone, Copy, Debug)]
struct Child<G> {
    #[cfg(test)]
    action: Action,
    game: G,
    key: u64,
    numbers: Numbers,
}

/// The numbers of a position from those of its children, and the child to search next.
struct Summary {
    numbers: Numbers,
    best: usize,
    /// The number of the second best child for the side to move.
    second: u32,
}

#[derive(Clone, Copy, Debug)]
struct Entry<G> {
    game: G,
    generation: u32,
    numbers: Numbers,
}

/// A proof-number search. Its table is kept from one call to the next for the same attacker.
#[derive(Clone, Debug)]
pub(crate) struct ProofNumbers<G> {
    table: Vec<Option<Entry<G>>>,
    generation: u32,
    attacker: Side,
    /// The children of the positions on the current path, by level.
    levels: Vec<Vec<Child<G>>>,
    legal: Vec<Action>,
    replies: Vec<Action>,
    /// The number of positions that may still be visited.
    left: u64,
    /// The numbers of the position that was searched last.
    root: Numbers,
}

impl<G: Game> ProofNumbers<G> {
    /// The size of a position in the table, in bytes.
    pub(crate) const ENTRY: usize = size_of::<Option<Entry<G>>>();

    /// A search for wins of `attacker`, with a table of at most `entries` positions.
    pub(crate) fn new(attacker: Side, entries: usize) -> Self {
        let places = ((entries + 1).next_power_of_two() / 2).max(1);
        Self {
            table: vec![None; places],
            generation: 0,
            attacker,
            levels: Vec::new(),
            legal: Vec::new(),
            replies: Vec::new(),
            left: 0,
            root: Numbers { proof: 1, disproof: 1 },
        }
    }

    /// Clears the table and sets the attacker.
    pub(crate) fn begin(&mut self, attacker: Side) {
        self.attacker = attacker;
        match self.generation.checked_add(1) {
            Some(next) => self.generation = next,
            None => self.table.fill(None),
        }
    }

    /// Sets the number of positions that the following calls may visit. A call may exceed it by the
    /// actions of a few positions.
    pub(crate) fn allow(&mut self, nodes: u64) {
        self.left = nodes;
    }

    /// The number of positions that may still be visited.
    pub(crate) fn left(&self) -> u64 {
        self.left
    }

    /// The proof and the disproof number of the position that was searched last.
    pub(crate) fn numbers(&self) -> [u32; 2] {
        [self.root.proof, self.root.disproof]
    }

    /// Whether the attacker wins by force, whichever side is to move. `true` is certain. `false`
    /// excludes wins of up to 200 actions. After an error the same call resumes the search.
    ///
    /// # Errors
    ///
    /// If the node limit is reached.
    pub(crate) fn wins(&mut self, game: &G) -> Result<bool, Undecided> {
        if let Some(outcome) = game.outcome() {
            return Ok(outcome == Outcome::Win(self.attacker));
        }
        self.root = self.search(game, game.full_key(), Numbers::UNLIMITED, 0);
        match self.root {
            Numbers::PROVEN => Ok(true),
            numbers if numbers.is_decided() => Ok(false),
            _ => Err(Undecided),
        }
    }

    /// The winning action of the position that the last call of [`wins`](Self::wins) has proven, if
    /// the attacker is to move there.
    #[cfg(test)]
    pub(crate) fn winning_action(&self) -> Option<Action> {
        let children = self.levels.first()?;
        children.iter().find(|child| child.numbers == Numbers::PROVEN).map(|child| child.action)
    }

    /// Searches a position until its numbers reach the limits. Returns its numbers.
    fn search(&mut self, game: &G, key: u64, limits: Numbers, level: usize) -> Numbers {
        if level == DEEPEST {
            return Numbers::DISPROVEN;
        }
        let attacks = game.to_move() == self.attacker;
        let mut children = self.expand(game, attacks, level);
        let numbers = loop {
            let Summary { numbers, best, second } = summary(&children, attacks);
            if numbers.reaches(limits) || numbers.is_decided() || self.left == 0 {
                break numbers;
            }
            let child = children[best];
            let own = limits.own(attacks).min(second.saturating_add(1 + second / 4));
            let others = numbers.other(attacks) - child.numbers.other(attacks);
            let other = limits.other(attacks) - others;
            let limits = Numbers::new(attacks, own, other);
            children[best].numbers = self.search(&child.game, child.key, limits, level + 1);
        };
        let entry = Entry { game: *game, generation: self.generation, numbers };
        let place = self.place(key);
        self.table[place] = Some(entry);
        self.levels[level] = children;
        numbers
    }

    /// The children of a position, up to the first one that decides it for the side to move.
    fn expand(&mut self, game: &G, attacks: bool, level: usize) -> Vec<Child<G>> {
        if self.levels.len() == level {
            self.levels.push(Vec::new());
        }
        let mut children = std::mem::take(&mut self.levels[level]);
        children.clear();
        let mut legal = std::mem::take(&mut self.legal);
        game.legal_actions(&mut legal);
        for &action in &legal {
            let child = self.child(game, action);
            children.push(child);
            self.left = self.left.saturating_sub(1);
            if child.numbers.own(attacks) == 0 {
                break;
            }
        }
        self.legal = legal;
        children
    }

    fn child(&mut self, game: &G, action: Action) -> Child<G> {
        let mut next = *game;
        next.play(action);
        let (key, numbers) = match next.outcome() {
            Some(outcome) if outcome == Outcome::Win(self.attacker) => (0, Numbers::PROVEN),
            Some(_) => (0, Numbers::DISPROVEN),
            None => {
                let key = next.full_key();
                (key, self.known(key, &next).unwrap_or_else(|| self.initial_numbers(&next)))
            }
        };
        Child {
            #[cfg(test)]
            action,
            game: next,
            key,
            numbers,
        }
    }

    fn known(&self, key: u64, game: &G) -> Option<Numbers> {
        let entry = self.table[self.place(key)]?;
        let is_it = entry.generation == self.generation && entry.game == *game;
        is_it.then_some(entry.numbers)
    }

    /// The numbers of a position that has not been searched.
    fn initial_numbers(&mut self, game: &G) -> Numbers {
        game.legal_actions(&mut self.replies);
        Numbers::new(game.to_move() == self.attacker, 1, self.replies.len() as u32)
    }

    fn place(&self, key: u64) -> usize {
        key as usize & (self.table.len() - 1)
    }
}

/// The side to move needs only the cheapest child, the other side needs all of them.
fn summary<G>(children: &[Child<G>], attacks: bool) -> Summary {
    let (mut best, mut second) = (0, INFINITE);
    let mut others = 0;
    let cost = |index: usize| {
        let numbers = children[index].numbers;
        (numbers.own(attacks), numbers.other(attacks))
    };
    for (index, child) in children.iter().enumerate() {
        if index > 0 {
            if cost(index) < cost(best) {
                second = cost(best).0;
                best = index;
            } else {
                second = second.min(cost(index).0);
            }
        }
        others += u64::from(child.numbers.other(attacks));
    }
    let own = cost(best).0;
    // Sums count transpositions more than once, so they may be too large.
    let other = if own == 0 { INFINITE } else { others.min(u64::from(INFINITE) - 1) as u32 };
    Summary { numbers: Numbers::new(attacks, own, other), best, second }
}
