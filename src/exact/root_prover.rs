//! The root prover: proof search at the root of a tree search.
//!
//! A search of a few hundred simulations overlooks short combinations that an exhaustive search
//! finds at once. The root prover therefore runs a [`AnyProver`] at intervals during the search. It
//! looks for a forced win of the side to move, and for a forced win of the other side after the
//! turn that is currently best. Proven results are set in the tree, and the remaining simulations
//! go to other actions. This is similar to MCTS-minimax hybrids (Baier and Winands, "Monte-Carlo
//! tree search and minimax hybrids", 2013), but only at the root, where it costs about as much as
//! the simulations.

use std::sync::Arc;
use std::time::Duration;

use crate::base::clock::Instant;
use crate::classic::prover::{DEEPEST, Undecided};
use crate::exact::book::Book;
use crate::games::{Action, MAX_ACTIONS, Outcome, Side, Turn, legal_turns};
use crate::registry::{AnyProver, Position};
use crate::search::{Search, Settings};

use arrayvec::ArrayVec;

/// The number of simulations before the first proof search. Later ones follow when it has doubled.
const FIRST_CALL: u32 = 16;

/// The size of the prover's table, in positions.
const ENTRIES: usize = 1 << 16;

/// The number of positions visited between two calls of the callback, some ten milliseconds.
const NODES_PER_CALL: u64 = 1 << 15;

/// The same if time is limited, about a millisecond.
const TIMED_NODES_PER_CALL: u64 = 1 << 12;

/// If time is limited, simulations take this many times as long as proof searches.
const TIME_OF_SIMULATIONS: u32 = 3;

/// The number of positions that may be visited for a turn that the search knows nothing of,
/// whatever was spent before. Turns that lose at once need a few.
const UNKNOWN_NODES: u64 = 1 << 12;

/// The maximum number of positions visited to find the longest loss.
const DELAY_NODES: u64 = 1 << 16;

/// The actions of a turn.
pub(crate) type Actions = ArrayVec<Action, MAX_ACTIONS>;

/// A prover that runs beside a search.
pub(crate) struct RootProver {
    prover: AnyProver,
    /// The number of positions to visit per simulation, 0 for no proof search.
    nodes: u64,
    /// The number of simulations at which the next proof search is due.
    due: u32,
    /// The numbers of positions visited in attack and in defence.
    spent: [u64; 2],
    /// The time spent in [`look`](Self::look) so far.
    elapsed: Duration,
    /// When the search began, if its time is limited.
    begun: Option<Instant>,
    /// The number of turns within which the side to move is proven not to win.
    attacked: u32,
    /// The turn that is proven to win.
    winning: Option<Actions>,
    /// Wins that need no proof search.
    book: Option<Arc<Book>>,
    /// Whether the book has not been asked about this position.
    is_book_due: bool,
}

/// The limits of a proof search: the positions left, and a callback that says whether to continue.
struct ProofBudget<'a> {
    left: u64,
    /// The positions between two calls of the callback.
    step: u64,
    keep_going: &'a dyn Fn() -> bool,
}

impl RootProver {
    /// A root prover for searches with these settings.
    pub(crate) fn new(settings: &Settings) -> Self {
        let nodes = settings.proofs.root_nodes();
        Self {
            prover: AnyProver::new(if nodes > 0 { ENTRIES } else { 0 }),
            nodes,
            due: FIRST_CALL,
            spent: [0; 2],
            elapsed: Duration::ZERO,
            begun: None,
            attacked: 0,
            winning: None,
            book: None,
            is_book_due: false,
        }
    }

    /// Uses the wins of a book, if the search has proven results at all.
    pub(crate) fn with_book(self, book: Option<&Arc<Book>>, settings: &Settings) -> Self {
        Self { book: book.filter(|_| settings.proofs.enabled).cloned(), ..self }
    }

    /// Prepares for the search of a new position.
    pub(crate) fn begin(&mut self, is_timed: bool) {
        self.prover.begin(0);
        self.due = FIRST_CALL;
        self.spent = [0; 2];
        self.elapsed = Duration::ZERO;
        self.begun = is_timed.then(Instant::now);
        self.attacked = 0;
        self.winning = None;
        self.is_book_due = self.book.is_some();
    }

    /// Whether a [proof search](Self::look) is due after this number of simulations.
    pub(crate) fn is_due(&self, simulations: u32) -> bool {
        self.is_book_due || self.nodes > 0 && simulations >= self.due
    }

    /// Runs the prover within the budget that the simulations so far allow, and sets proven results
    /// in the tree of `search`. `game` is the root of the search. No leaf of the search may have a
    /// pending evaluation.
    pub(crate) fn look(
        &mut self,
        search: &mut Search,
        game: &Position,
        keep_going: &dyn Fn() -> bool,
    ) {
        let begun = Instant::now();
        self.ask_book(search, game);
        self.call_prover(search, game, keep_going);
        self.elapsed += begun.elapsed();
    }

    /// How long a proof search may take, if time is limited.
    fn time_left(&self) -> Option<Duration> {
        let simulated = self.begun?.elapsed().saturating_sub(self.elapsed);
        Some((simulated / TIME_OF_SIMULATIONS).saturating_sub(self.elapsed))
    }

    fn budget<'a>(&self, left: u64, keep_going: &'a dyn Fn() -> bool) -> ProofBudget<'a> {
        let step = if self.begun.is_some() { TIMED_NODES_PER_CALL } else { NODES_PER_CALL };
        ProofBudget { left, step, keep_going }
    }

    /// Sets the win that the book has for the root of the search.
    fn ask_book(&mut self, search: &mut Search, game: &Position) {
        if !std::mem::take(&mut self.is_book_due) {
            return;
        }
        let found = self.book.as_ref().and_then(|book| book.winning_turn(game));
        if let Some((turn, _)) = found {
            search.add_proof(&turn.actions[..1], Outcome::Win(game.to_move()));
            self.winning = Some(turn.actions);
        }
    }

    /// The expected duration of a proof search after this number of simulations. It is extrapolated
    /// from the previous ones: the budget grows with the simulations since the last.
    pub(crate) fn time_of_a_look(&self, simulations: u32) -> Duration {
        let looked_at = (self.due / 2).max(1);
        self.elapsed.mul_f32(simulations.saturating_sub(looked_at) as f32 / looked_at as f32)
    }

    fn call_prover(&mut self, search: &mut Search, game: &Position, keep_going: &dyn Fn() -> bool) {
        let (begun, most) = (Instant::now(), self.time_left());
        self.due = 2 * search.simulations();
        // The first simulation only evaluates the root and gives no budget.
        let allowed = self.nodes * u64::from(search.simulations().saturating_sub(1)) / 2;
        let [attack, defence] = self.spent.map(|spent| allowed.saturating_sub(spent));
        for (part, allowed) in [attack, defence].into_iter().enumerate() {
            if search.proven().is_some() {
                return;
            }
            // The attack leaves half of the time to the defence, as of the positions.
            let most = most.map(|most| if part == 0 { most / 2 } else { most });
            let keep_going = &|| most.is_none_or(|most| begun.elapsed() < most) && keep_going();
            let mut budget = self.budget(allowed, keep_going);
            match part {
                0 => self.attack(search, game, &mut budget),
                _ => self.defend(search, game, &mut budget),
            }
            self.spent[part] += allowed - budget.left;
        }
    }

    /// The actions of the turn to play from `game`, the root of the search: the fastest proven win,
    /// the longest proven loss, or the best turn of the search. It may be incomplete if the search
    /// has not expanded the whole turn. `None` if the search has no action.
    pub(crate) fn turn(
        &mut self,
        search: &Search,
        game: &Position,
        keep_going: &dyn Fn() -> bool,
    ) -> Option<Actions> {
        let is_lost = search.proven() == Some(Outcome::Win(game.to_move().other()));
        if is_lost && self.nodes > 0 {
            return self.longest_loss(search, game, keep_going);
        }
        self.winning.clone().or_else(|| best_turn(search, game))
    }

    /// Whether the turn to play is proven to win.
    pub(crate) fn has_won(&self) -> bool {
        self.winning.is_some()
    }

    /// Searches for a win of the side to move, the shortest first.
    fn attack(&mut self, search: &mut Search, game: &Position, budget: &mut ProofBudget<'_>) {
        let side = game.to_move();
        while self.attacked < DEEPEST {
            match self.wins(game, side, self.attacked + 1, budget) {
                Err(Undecided) => return,
                Ok(false) => self.attacked += 1,
                Ok(true) => {
                    if let Some(winning) = self.winning_turn(game, self.attacked + 1, budget) {
                        search.add_proof(&winning[..1], Outcome::Win(side));
                        self.winning = Some(winning);
                    }
                    return;
                }
            }
        }
    }

    /// The turn by which the side to move wins within `turns` turns. `None` if there is none or the
    /// budget does not suffice.
    fn winning_turn(
        &mut self,
        game: &Position,
        turns: u32,
        budget: &mut ProofBudget<'_>,
    ) -> Option<Actions> {
        let (mut position, mut actions, mut legal) = (*game, Actions::new(), Vec::new());
        while position.ply() == game.ply() {
            position.legal_actions(&mut legal);
            let (action, next) = legal.iter().find_map(|&action| {
                let mut next = position;
                next.play(action);
                let left = turns - (next.ply() - game.ply());
                let wins = self.wins(&next, game.to_move(), left, budget) == Ok(true);
                wins.then_some((action, next))
            })?;
            actions.push(action);
            position = next;
        }
        Some(actions)
    }

    /// Searches for a win of the other side after the best turn of the search. If that turn is
    /// lost, continues with the next best.
    fn defend(&mut self, search: &mut Search, game: &Position, budget: &mut ProofBudget<'_>) {
        let mut last = None;
        while let Some(turn) = best_turn(search, game).filter(|turn| last.as_ref() != Some(turn)) {
            let is_last_resort = self.nodes > 0 && is_last_resort(search, &turn);
            let mut few = self.budget(UNKNOWN_NODES, budget.keep_going);
            let budget = if is_last_resort { &mut few } else { &mut *budget };
            let Some(lost) = self.refuted(game, &turn, budget) else { return };
            search.add_proof(&turn[..lost], Outcome::Win(game.to_move().other()));
            if search.proven().is_some() {
                return;
            }
            last = Some(turn);
        }
    }

    /// The number of actions of a turn after which the other side is proven to win. `None` if no
    /// proof is found.
    fn refuted(
        &mut self,
        game: &Position,
        turn: &[Action],
        budget: &mut ProofBudget<'_>,
    ) -> Option<usize> {
        let positions: ArrayVec<Position, MAX_ACTIONS> = after_each(game, turn).collect();
        let (whole, parts) = positions.split_last()?;
        let other = game.to_move().other();
        for turns in 1..=DEEPEST {
            if self.wins(whole, other, turns, budget).ok()? {
                // If the other side wins as soon after a part of the turn, the rest does not
                // matter. The end of the turn counts as one turn.
                let wins = |part| self.wins(part, other, turns + 1, budget) == Ok(true);
                let part = parts.iter().position(wins);
                return Some(part.map_or(turn.len(), |index| index + 1));
            }
        }
        None
    }

    /// Whether `side` wins within `turns` turns. Runs the prover in steps, so that the callback is
    /// checked. The prover's table lets each step resume the last one.
    fn wins(
        &mut self,
        game: &Position,
        side: Side,
        turns: u32,
        budget: &mut ProofBudget<'_>,
    ) -> Result<bool, Undecided> {
        loop {
            let allowed = budget.left.min(budget.step);
            if allowed == 0 || !(budget.keep_going)() {
                return Err(Undecided);
            }
            self.prover.allow(allowed);
            let answer = self.prover.wins(game, side, turns);
            budget.left -= allowed - self.prover.left();
            if answer.is_ok() {
                return answer;
            }
        }
    }

    /// The turn after which the other side, which wins by force, takes longest, within the limits
    /// of the proof search. In a tie, the turn that the search ranks highest.
    fn longest_loss(
        &mut self,
        search: &Search,
        game: &Position,
        keep_going: &dyn Fn() -> bool,
    ) -> Option<Actions> {
        let mut budget = self.budget(DELAY_NODES, keep_going);
        let ranked: Vec<Action> = search.ranked().iter().map(|found| found.action).collect();
        let mut turns = legal_turns(game);
        sort_by_rank(&mut turns, &ranked);
        for length in 1..=DEEPEST {
            let mut lasting = Vec::new();
            for turn in &turns {
                let position = after_each(game, &turn.actions).last()?;
                match self.wins(&position, game.to_move().other(), length, &mut budget) {
                    Ok(true) => {}
                    Ok(false) => lasting.push(turn.clone()),
                    // The budget is used up: take one of the turns that last longest so far.
                    Err(Undecided) => return Some(lasting.first().unwrap_or(turn).actions.clone()),
                }
            }
            if lasting.is_empty() {
                break;
            }
            turns = lasting;
        }
        turns.into_iter().next().map(|turn| turn.actions)
    }
}

/// Whether the search chose a turn only because all that it tried instead of its last action is
/// proven to lose. It may lose sooner than they do.
fn is_last_resort(search: &Search, turn: &[Action]) -> bool {
    let Some((last, before)) = turn.split_last() else { return false };
    let tried = search.ranked_after(before);
    !tried.is_empty() && tried.iter().all(|found| found.action != *last && found.is_lost())
}

/// Sorts turns by the rank of their first actions; those without a rank come last.
fn sort_by_rank(turns: &mut [Turn], ranked: &[Action]) {
    let rank = |turn: &Turn| ranked.iter().position(|&action| action == turn.actions[0]);
    turns.sort_by_key(|turn| rank(turn).unwrap_or(usize::MAX));
}

/// The positions after each action of a turn.
fn after_each(game: &Position, turn: &[Action]) -> impl Iterator<Item = Position> {
    let mut position = *game;
    turn.iter().map(move |&action| {
        position.play(action);
        position
    })
}

/// The actions of the best turn of a search, as far as the search has expanded it.
fn best_turn(search: &Search, game: &Position) -> Option<Actions> {
    let (mut position, mut turn) = (*game, Actions::new());
    while position.ply() == game.ply()
        && let Some(action) = search.best_after(&turn)
    {
        position.play(action);
        turn.push(action);
    }
    (!turn.is_empty()).then_some(turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::positions::file::PositionFile;
    use crate::play::positions::{Kind, builtin};
    use crate::registry::preset;
    use crate::search::Uniform;
    use crate::tests::common::searches::searched;

    /// The number of turns in which the other side wins after a turn, `None` if more than four.
    fn lasts(game: &Position, turn: &Turn) -> Option<u32> {
        let mut prover = AnyProver::new(1 << 16);
        prover.begin(10_000_000);
        prover.soonest(&turn.after(game), game.to_move().other(), 4).expect("nodes enough")
    }

    /// Compares `refuted` with an exhaustive search of all lost turns: one action is refuted if all
    /// turns that begin with it are lost as soon, otherwise the whole turn is.
    fn check(game: &Position) -> [usize; 2] {
        let turns: Vec<_> = legal_turns(game).into_iter().map(|t| (lasts(game, &t), t)).collect();
        let mut found = [0; 2];
        for (lost, turn) in turns.iter().filter_map(|(lost, turn)| Some(((*lost)?, turn))) {
            let mut alike = turns.iter().filter(|(_, t)| t.actions[0] == turn.actions[0]);
            let whatever_follows = alike.all(|(other, _)| other.is_some_and(|other| other <= lost));
            let expected = if whatever_follows { 1 } else { turn.actions.len() };
            let mut root_prover = RootProver::new(&Settings::default().for_play());
            root_prover.begin(false);
            let mut budget = root_prover.budget(10_000_000, &|| true);
            assert_eq!(root_prover.refuted(game, &turn.actions, &mut budget), Some(expected));
            found[expected - 1] += 1;
        }
        found
    }

    #[test]
    fn a_limited_time_is_shared_by_simulations_and_both_parts() {
        let variant = preset("neutron7").expect("a game");
        let mut settings = Settings::default().for_play();
        settings.proofs.nodes = 1_000_000;
        let game = variant.initial();
        let mut search = searched(game, 100, &settings, Uniform);
        let mut root_prover = RootProver::new(&settings);
        root_prover.begin(true);
        let simulated = Duration::from_millis(600);
        root_prover.begun = Instant::now().checked_sub(simulated);
        // It would be stopped by nothing else for minutes.
        root_prover.look(&mut search, &game, &|| true);
        assert!(root_prover.elapsed >= simulated / TIME_OF_SIMULATIONS);
        assert!(root_prover.spent.iter().all(|&spent| spent > 0), "{:?}", root_prover.spent);
        assert_eq!(root_prover.time_left(), Some(Duration::ZERO));
    }

    #[test]
    fn an_action_after_which_every_turn_is_lost_is_lost_itself() {
        let variant = preset("neutron5").expect("a game");
        let mut found = [0; 2];
        let files = builtin::sets_of(variant.name);
        for (name, text) in files {
            let positions =
                PositionFile::read(name, text).and_then(|file| file.positions(&variant));
            let positions = positions.expect("built in");
            for position in positions.iter().filter(|at| at.kind == Kind::Only(2)).take(6) {
                let more = check(&position.game);
                found = [found[0] + more[0], found[1] + more[1]];
            }
        }
        assert!(found.iter().all(|&count| count > 20), "{found:?} end after one action, after two");
    }
}
