//! Positions of any game.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::erased::Erased;
use super::game_type::GameType;
use crate::base::rng::Rng;
use crate::classic::alphabeta::{self, AlphaBetaSearch};
use crate::classic::uct::{self, Uct};
use crate::games::picture::Picture;
use crate::games::{
    Action, Colour, Ending, Outcome, Perft, Placement, Playable, Setup, Side, Spec, Text, try_play,
};

/// The most bytes of a position of a game.
const BYTES: usize = 96;

/// A position of a game without its type.
pub(super) type State = Erased<BYTES>;

/// A position of any game. It is `Copy` and has 128 bytes; its game may have 96.
///
/// Its methods are those of [`Game`](crate::games::Game), which has their documentation.
#[derive(Clone, Copy)]
pub struct Position {
    game: GameType,
    state: State,
}

const _: () = assert!(size_of::<Position>() == 128 && size_of::<Option<Position>>() == 128);

impl Position {
    /// The position of a game of known type.
    #[inline]
    pub fn new<G: Picture>(game: G) -> Self {
        Self { game: GameType::of::<G>(), state: Erased::new(game) }
    }

    /// The type of the game.
    #[inline]
    pub fn game(&self) -> GameType {
        self.game
    }

    /// The position as one of the type `G`, if it is of this type.
    pub fn typed<G: Picture>(&self) -> Option<&G> {
        self.state.is::<G>().then(|| self.state.get())
    }

    /// The sizes of the observation and the action space.
    #[inline]
    pub fn spec(&self) -> &'static Spec {
        self.game.spec()
    }

    /// The colour of the side that moves first.
    pub fn first(&self) -> Colour {
        self.game.first()
    }

    /// The side to move.
    #[inline]
    pub fn to_move(&self) -> Side {
        self.game.methods().to_move(&self.state)
    }

    /// The number of completed turns since the start.
    #[inline]
    pub fn ply(&self) -> u32 {
        self.game.methods().ply(&self.state)
    }

    /// The result, or `None` if the game is not over.
    #[inline]
    pub fn outcome(&self) -> Option<Outcome> {
        self.game.methods().outcome(&self.state)
    }

    /// Why the game ended, for people; `None` if it is not over.
    pub fn ending(&self) -> Option<Ending> {
        self.game.methods().ending(&self.state)
    }

    /// The same, with its cells as indices into [`GameType::cells`].
    pub(crate) fn ending_on_board(&self) -> Option<Ending> {
        self.game.methods().ending_on_board(&self.state)
    }

    /// Replaces the contents of `actions` by the legal actions in ascending order.
    #[inline]
    pub fn legal_actions(&self, actions: &mut Vec<Action>) {
        self.game.methods().legal_actions(&self.state, actions);
    }

    /// The legal action whose index among them is what `choose` returns for their number; `None`
    /// once the game is over. `actions` is room for them.
    pub(crate) fn choose_action(
        &self,
        actions: &mut Vec<Action>,
        mut choose: impl FnMut(u32) -> u32,
    ) -> Option<Action> {
        self.game.methods().choose_action(&self.state, actions, &mut choose)
    }

    /// Plays a legal action.
    #[inline]
    pub fn play(&mut self, action: Action) {
        self.game.methods().play(&mut self.state, action);
    }

    /// Plays an action if it is legal. Returns whether it was.
    pub fn try_play(&mut self, action: Action) -> bool {
        try_play(self, action)
    }

    /// Writes the observation of the side to move, `[planes, height, width]`, with values from 0
    /// to 1.
    #[inline]
    pub fn observe(&self, planes: &mut [f32]) {
        self.game.methods().observe(&self.state, planes);
    }

    /// The name of a cell as the side to move counts them.
    pub fn cell_name(&self, cell: usize) -> String {
        self.game.methods().cell_name(&self.state, cell)
    }

    /// The text of a legal action: its part of the turn's notation.
    pub fn action_text(&self, action: Action) -> Text {
        self.game.methods().action_text(&self.state, action)
    }

    /// A hash of what counts for repetition.
    #[inline]
    pub fn position_key(&self) -> u64 {
        self.game.methods().position_key(&self.state)
    }

    /// A hash of everything that the rest of the game depends on.
    #[inline]
    pub fn full_key(&self) -> u64 {
        self.game.methods().full_key(&self.state)
    }

    /// A hand-written static evaluation for the side to move.
    pub fn heuristic(&self) -> i32 {
        self.game.methods().heuristic(&self.state)
    }

    /// The position as it is written.
    pub fn setup(&self) -> Setup {
        self.game.methods().setup(&self.state)
    }

    /// The position as sets of cells, if the game numbers its positions.
    pub fn placement(&self) -> Option<Placement> {
        self.game.methods().placement(&self.state)
    }

    /// The text of the position on one line, at the beginning of a turn.
    pub fn position_text(&self) -> String {
        self.game.methods().position_text(&self.state)
    }

    /// The content of a cell as it is drawn.
    pub(crate) fn symbol(&self, cell: usize) -> char {
        self.game.methods().symbol(&self.state, cell)
    }

    /// The symbols of all cells, in the order of [`GameType::cells`].
    pub(crate) fn squares(&self) -> String {
        self.game.cells().into_iter().map(|cell| self.symbol(cell)).collect()
    }

    /// The numbers of pieces that Black and White have yet to place.
    pub(crate) fn hand(&self) -> Option<[u32; 2]> {
        self.game.methods().hand(&self.state)
    }

    /// Counts the sequences of exactly `depth` turns from here.
    pub fn perft(&self, depth: u32) -> Perft {
        self.game.methods().perft(&self.state, depth)
    }

    /// The result of a uniformly random game from here. `legal` is room for actions.
    pub(crate) fn roll_out(&self, legal: &mut Vec<Action>, rng: &mut Rng) -> Outcome {
        self.game.methods().roll_out(&self.state, legal, rng)
    }

    /// Plays uniformly random games from here. Returns a checksum of their ends.
    pub(crate) fn playouts(&self, games: u64, legal: &mut Vec<Action>, rng: &mut Rng) -> u64 {
        self.game.methods().playouts(&self.state, games, legal, rng)
    }

    /// The most visited action of a [UCT search](Uct::search) from here.
    pub(crate) fn uct(
        &self,
        search: &mut Uct,
        limits: &uct::Limits<'_>,
        rng: &mut Rng,
    ) -> Option<Action> {
        self.game.methods().uct(&self.state, search, limits, rng)
    }

    /// The result of an [alpha-beta search](AlphaBetaSearch::search) from here.
    pub(crate) fn alphabeta(
        &self,
        search: &mut AlphaBetaSearch,
        limits: &alphabeta::Limits<'_>,
    ) -> Option<alphabeta::SearchResult> {
        self.game.methods().alphabeta(&self.state, search, limits)
    }
}

impl Playable for Position {
    fn ply(&self) -> u32 {
        self.ply()
    }

    fn outcome(&self) -> Option<Outcome> {
        self.outcome()
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        self.legal_actions(actions);
    }

    fn play(&mut self, action: Action) {
        self.play(action);
    }

    fn action_text(&self, action: Action) -> Text {
        self.action_text(action)
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Self) -> bool {
        self.game.methods().is_equal(&self.state, &other.state)
    }
}

impl Eq for Position {}

impl Hash for Position {
    fn hash<H: Hasher>(&self, hasher: &mut H) {
        self.game.methods().hash(&self.state, hasher);
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.game.methods().display(&self.state, f)
    }
}

impl fmt::Debug for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.game.methods().debug(&self.state, f)
    }
}
