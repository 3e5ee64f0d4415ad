//! What is known of a type of games when the program runs: its sizes, and its functions behind a
//! table.

use std::any::TypeId;
use std::fmt;
use std::hash::Hasher;
use std::marker::PhantomData;

use serde_json::{Map, Value};

use super::any_env::AnyEnv;
use super::erased::Erased;
use super::position::{Position, State};
use crate::base::rng::{Rng, mix};
use crate::classic::alphabeta::{self, AlphaBetaSearch};
use crate::classic::prover::{ProofNumbers, Prover};
use crate::classic::uct::{self, Uct};
use crate::games::env::BatchEnv;
use crate::games::picture::{
    EdgeLines, Labels, Picture, Piece, Shape, edge_lines, ending_on_board,
};
use crate::games::symmetry::{Matrix, Permutation};
use crate::games::{
    Action, Colour, Ending, Layout, Outcome, Perft, Placement, PositionError, RuleOption,
    Rules as _, RulesError, Setup, Side, Spec, Text, Turn, overridden, perft,
};
use crate::registry::proofs::{ProofNumbersOf, ProverOf};

/// The most bytes of the options of a game.
const RULES: usize = 48;

/// The options of a game without their type.
pub(super) type AnyRules = Erased<RULES>;

/// A type of games: a Rust type that implements [`Game`](crate::games::Game) and [`Picture`].
#[derive(Clone, Copy)]
pub struct GameType(&'static dyn Methods);

/// The constants of a type of games.
pub(super) struct Facts {
    id: TypeId,
    name: fn() -> &'static str,
    spec: Spec,
    first: Colour,
    rules_version: u32,
    actions: &'static str,
    symmetries: &'static [Matrix],
    symbols: &'static str,
    counters: &'static [&'static str],
    options: &'static [RuleOption],
    shape: Shape,
    drops: bool,
    pieces: &'static [Piece],
}

impl GameType {
    /// The type `G`.
    #[inline]
    pub fn of<G: Picture>() -> Self {
        Self(&Of::<G>(PhantomData))
    }

    /// The sizes of the observation and the action space.
    #[inline]
    pub fn spec(self) -> &'static Spec {
        &self.0.facts().spec
    }

    /// The colour of the side that moves first.
    pub fn first(self) -> Colour {
        self.0.facts().first
    }

    /// The version of the rules.
    pub fn rules_version(self) -> u32 {
        self.0.facts().rules_version
    }

    /// What an action means.
    pub fn actions(self) -> &'static str {
        self.0.facts().actions
    }

    /// The symmetries of the rules; the first is the identity.
    pub fn symmetries(self) -> &'static [Matrix] {
        self.0.facts().symmetries
    }

    /// The symbols of the text of a position.
    pub fn symbols(self) -> &'static str {
        self.0.facts().symbols
    }

    /// The keys of the counters in the text of a position.
    pub fn counters(self) -> &'static [&'static str] {
        self.0.facts().counters
    }

    /// The explanations of all options.
    pub fn options(self) -> &'static [RuleOption] {
        self.0.facts().options
    }

    /// The shape of the cells.
    pub(crate) fn shape(self) -> Shape {
        self.0.facts().shape
    }

    /// Whether a turn names a column, in which the piece falls to the lowest empty cell.
    pub(crate) fn drops(self) -> bool {
        self.0.facts().drops
    }

    /// All kinds of pieces.
    pub fn pieces(self) -> &'static [Piece] {
        self.0.facts().pieces
    }

    /// What each plane of an observation contains.
    pub fn planes(self) -> Vec<&'static str> {
        self.0.planes()
    }

    /// The lengths of the rows of the printed board, from the top.
    pub fn rows(self) -> Vec<usize> {
        self.0.rows()
    }

    /// The cells of the board, in the order in which they are printed.
    pub fn cells(self) -> Vec<usize> {
        self.0.cells()
    }

    /// The centre of a cell, `[x, y]`.
    pub fn centre(self, cell: usize) -> [f32; 2] {
        self.0.centre(cell)
    }

    /// The coloured sides of the board.
    pub(crate) fn edges(self) -> Vec<EdgeLines> {
        self.0.edges()
    }

    /// The cells that a person clicks to make a turn.
    pub(crate) fn path(self, names: &[String], turn: &Turn) -> Vec<usize> {
        self.0.path(names, turn)
    }

    /// A prover with a table of at most `entries` positions.
    pub(super) fn prover(self, entries: usize) -> Box<dyn ProverOf> {
        self.0.prover(entries)
    }

    /// A proof-number search for wins of `attacker`, with a table of at most `entries` positions.
    pub(super) fn proof_numbers(self, attacker: Side, entries: usize) -> Box<dyn ProofNumbersOf> {
        self.0.proof_numbers(attacker, entries)
    }

    /// The size of a position in the table of a proof-number search, in bytes.
    pub(crate) fn proof_number_entry(self) -> usize {
        self.0.proof_number_entry()
    }

    #[inline]
    pub(super) fn methods(self) -> &'static dyn Methods {
        self.0
    }
}

impl PartialEq for GameType {
    fn eq(&self, other: &Self) -> bool {
        self.0.facts().id == other.0.facts().id
    }
}

impl Eq for GameType {}

impl fmt::Debug for GameType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str((self.0.facts().name)())
    }
}

/// The functions of a type of games. States and options that they get are of this type.
pub(super) trait Methods: Send + Sync {
    fn facts(&self) -> &'static Facts;
    fn planes(&self) -> Vec<&'static str>;
    fn rows(&self) -> Vec<usize>;
    fn cells(&self) -> Vec<usize>;
    fn centre(&self, cell: usize) -> [f32; 2];
    fn edges(&self) -> Vec<EdgeLines>;
    fn path(&self, names: &[String], turn: &Turn) -> Vec<usize>;

    // Positions.
    fn is_equal(&self, state: &State, other: &State) -> bool;
    fn hash(&self, state: &State, hasher: &mut dyn Hasher);
    fn to_move(&self, state: &State) -> Side;
    fn ply(&self, state: &State) -> u32;
    fn outcome(&self, state: &State) -> Option<Outcome>;
    fn ending(&self, state: &State) -> Option<Ending>;
    fn ending_on_board(&self, state: &State) -> Option<Ending>;
    fn legal_actions(&self, state: &State, actions: &mut Vec<Action>);
    fn choose_action(
        &self,
        state: &State,
        actions: &mut Vec<Action>,
        choose: &mut dyn FnMut(u32) -> u32,
    ) -> Option<Action>;
    fn play(&self, state: &mut State, action: Action);
    fn observe(&self, state: &State, planes: &mut [f32]);
    fn cell_name(&self, state: &State, cell: usize) -> String;
    fn action_text(&self, state: &State, action: Action) -> Text;
    fn position_key(&self, state: &State) -> u64;
    fn full_key(&self, state: &State) -> u64;
    fn heuristic(&self, state: &State) -> i32;
    fn setup(&self, state: &State) -> Setup;
    fn placement(&self, state: &State) -> Option<Placement>;
    fn position_text(&self, state: &State) -> String;
    fn symbol(&self, state: &State, cell: usize) -> char;
    fn hand(&self, state: &State) -> Option<[u32; 2]>;
    fn display(&self, state: &State, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn debug(&self, state: &State, f: &mut fmt::Formatter<'_>) -> fmt::Result;

    // Options.
    fn rules_are_equal(&self, rules: &AnyRules, other: &AnyRules) -> bool;
    fn rules_debug(&self, rules: &AnyRules, f: &mut fmt::Formatter<'_>) -> fmt::Result;
    fn rules_json(&self, rules: &AnyRules) -> Map<String, Value>;
    fn rules_text(&self, rules: &AnyRules) -> String;
    fn default_rules(&self) -> AnyRules;
    fn overridden(
        &self,
        rules: &AnyRules,
        changes: &Map<String, Value>,
    ) -> Result<AnyRules, RulesError>;
    fn longest_game(&self, rules: &AnyRules) -> u32;
    fn uncapped(&self, rules: &AnyRules) -> AnyRules;
    fn labels(&self, rules: &AnyRules) -> Labels;
    fn initial(&self, rules: &AnyRules) -> Position;
    fn initial_image(&self, rules: &AnyRules, symmetry: &Permutation) -> Position;
    fn position_of_setup(&self, rules: &AnyRules, setup: &Setup)
    -> Result<Position, PositionError>;
    fn position_of_text(&self, rules: &AnyRules, text: &str) -> Result<Position, PositionError>;
    fn layout(&self, rules: &AnyRules) -> Result<Layout, &'static str>;
    fn position_of(
        &self,
        rules: &AnyRules,
        placement: &Placement,
        to_move: Side,
    ) -> Option<Position>;

    // What lives on the speed of rules.
    fn env(&self, rules: &AnyRules, batch: usize, seed: u64) -> Box<dyn AnyEnv>;
    fn perft(&self, state: &State, depth: u32) -> Perft;
    fn roll_out(&self, state: &State, legal: &mut Vec<Action>, rng: &mut Rng) -> Outcome;
    fn playouts(&self, start: &State, games: u64, legal: &mut Vec<Action>, rng: &mut Rng) -> u64;
    fn uct(
        &self,
        state: &State,
        search: &mut Uct,
        limits: &uct::Limits<'_>,
        rng: &mut Rng,
    ) -> Option<Action>;
    fn alphabeta(
        &self,
        state: &State,
        search: &mut AlphaBetaSearch,
        limits: &alphabeta::Limits<'_>,
    ) -> Option<alphabeta::SearchResult>;
    fn prover(&self, entries: usize) -> Box<dyn ProverOf>;
    fn proof_numbers(&self, attacker: Side, entries: usize) -> Box<dyn ProofNumbersOf>;
    fn proof_number_entry(&self) -> usize;
}

/// The table of the type `G`.
struct Of<G>(PhantomData<fn() -> G>);

impl<G: Picture> Of<G> {
    const FACTS: &'static Facts = &Facts {
        id: TypeId::of::<G>(),
        name: std::any::type_name::<G>,
        spec: {
            assert!(G::SPEC.actions() <= Spec::MOST_ACTIONS, "a game has too many actions");
            G::SPEC
        },
        first: G::FIRST,
        rules_version: G::RULES_VERSION,
        actions: G::ACTIONS,
        symmetries: G::SYMMETRIES,
        symbols: G::SYMBOLS,
        counters: G::COUNTERS,
        options: <G::Rules as crate::games::Rules>::OPTIONS,
        shape: G::SHAPE,
        drops: G::DROPS,
        pieces: G::PIECES,
    };
}

/// The methods of positions that pass their arguments on.
macro_rules! of_positions {
    ($( fn $name:ident(&self, state $(, $argument:ident: $type:ty)*) $(-> $result:ty)?; )*) => {
        $( #[inline]
        fn $name(&self, state: &State $(, $argument: $type)*) $(-> $result)? {
            state.get::<G>().$name($($argument),*)
        } )*
    };
}

impl<G: Picture> Methods for Of<G> {
    fn facts(&self) -> &'static Facts {
        Self::FACTS
    }

    fn planes(&self) -> Vec<&'static str> {
        G::planes()
    }

    fn rows(&self) -> Vec<usize> {
        G::rows()
    }

    fn cells(&self) -> Vec<usize> {
        G::cells()
    }

    fn centre(&self, cell: usize) -> [f32; 2] {
        G::centre(cell)
    }

    fn edges(&self) -> Vec<EdgeLines> {
        edge_lines::<G>()
    }

    fn path(&self, names: &[String], turn: &Turn) -> Vec<usize> {
        G::path(names, turn)
    }

    of_positions! {
        fn to_move(&self, state) -> Side;
        fn ply(&self, state) -> u32;
        fn outcome(&self, state) -> Option<Outcome>;
        fn ending(&self, state) -> Option<Ending>;
        fn legal_actions(&self, state, actions: &mut Vec<Action>);
        fn observe(&self, state, planes: &mut [f32]);
        fn cell_name(&self, state, cell: usize) -> String;
        fn action_text(&self, state, action: Action) -> Text;
        fn position_key(&self, state) -> u64;
        fn full_key(&self, state) -> u64;
        fn heuristic(&self, state) -> i32;
        fn setup(&self, state) -> Setup;
        fn placement(&self, state) -> Option<Placement>;
        fn position_text(&self, state) -> String;
        fn symbol(&self, state, cell: usize) -> char;
        fn hand(&self, state) -> Option<[u32; 2]>;
    }

    fn is_equal(&self, state: &State, other: &State) -> bool {
        other.is::<G>() && state.get::<G>() == other.get::<G>()
    }

    fn hash(&self, state: &State, mut hasher: &mut dyn Hasher) {
        state.get::<G>().hash(&mut hasher);
    }

    fn ending_on_board(&self, state: &State) -> Option<Ending> {
        ending_on_board(state.get::<G>())
    }

    fn choose_action(
        &self,
        state: &State,
        actions: &mut Vec<Action>,
        choose: &mut dyn FnMut(u32) -> u32,
    ) -> Option<Action> {
        state.get::<G>().choose_action(actions, choose)
    }

    fn play(&self, state: &mut State, action: Action) {
        state.get_mut::<G>().play(action);
    }

    fn display(&self, state: &State, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(state.get::<G>(), f)
    }

    fn debug(&self, state: &State, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(state.get::<G>(), f)
    }

    fn rules_are_equal(&self, rules: &AnyRules, other: &AnyRules) -> bool {
        other.is::<G::Rules>() && rules.get::<G::Rules>() == other.get::<G::Rules>()
    }

    fn rules_debug(&self, rules: &AnyRules, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(rules.get::<G::Rules>(), f)
    }

    fn rules_json(&self, rules: &AnyRules) -> Map<String, Value> {
        match serde_json::to_value(rules.get::<G::Rules>()) {
            Ok(Value::Object(table)) => table,
            other => unreachable!("options are written as a table, not as {other:?}"),
        }
    }

    fn rules_text(&self, rules: &AnyRules) -> String {
        serde_json::to_string(rules.get::<G::Rules>()).expect("options are plain values")
    }

    fn default_rules(&self) -> AnyRules {
        Erased::new(G::Rules::default())
    }

    fn overridden(
        &self,
        rules: &AnyRules,
        changes: &Map<String, Value>,
    ) -> Result<AnyRules, RulesError> {
        overridden(rules.get::<G::Rules>(), changes).map(Erased::new)
    }

    fn longest_game(&self, rules: &AnyRules) -> u32 {
        rules.get::<G::Rules>().longest_game()
    }

    fn uncapped(&self, rules: &AnyRules) -> AnyRules {
        Erased::new(rules.get::<G::Rules>().uncapped())
    }

    fn labels(&self, rules: &AnyRules) -> Labels {
        G::labels(rules.get())
    }

    fn initial(&self, rules: &AnyRules) -> Position {
        Position::new(G::initial(rules.get()))
    }

    fn initial_image(&self, rules: &AnyRules, symmetry: &Permutation) -> Position {
        Position::new(G::initial_image(rules.get(), symmetry))
    }

    fn position_of_setup(
        &self,
        rules: &AnyRules,
        setup: &Setup,
    ) -> Result<Position, PositionError> {
        G::from_setup(rules.get(), setup).map(Position::new)
    }

    fn position_of_text(&self, rules: &AnyRules, text: &str) -> Result<Position, PositionError> {
        G::from_position(rules.get(), text).map(Position::new)
    }

    fn layout(&self, rules: &AnyRules) -> Result<Layout, &'static str> {
        G::layout(rules.get())
    }

    fn position_of(
        &self,
        rules: &AnyRules,
        placement: &Placement,
        to_move: Side,
    ) -> Option<Position> {
        G::from_placement(rules.get(), placement, to_move).map(Position::new)
    }

    fn env(&self, rules: &AnyRules, batch: usize, seed: u64) -> Box<dyn AnyEnv> {
        Box::new(BatchEnv::<G>::new(rules.get(), batch, seed))
    }

    fn perft(&self, state: &State, depth: u32) -> Perft {
        perft(state.get::<G>(), depth)
    }

    fn roll_out(&self, state: &State, legal: &mut Vec<Action>, rng: &mut Rng) -> Outcome {
        use rand::RngExt;
        let mut game = *state.get::<G>();
        loop {
            if let Some(outcome) = game.outcome() {
                return outcome;
            }
            let draw = |count| rng.random_range(0..count as usize) as u32;
            let action = game.choose_action(legal, draw);
            game.play(action.expect("the game is not over"));
        }
    }

    fn playouts(&self, start: &State, games: u64, legal: &mut Vec<Action>, rng: &mut Rng) -> u64 {
        use rand::RngExt;
        let start = start.get::<G>();
        (0..games).fold(0, |checksum, _| {
            let mut game = *start;
            while let Some(action) = game.choose_action(legal, |count| rng.random_range(0..count)) {
                game.play(action);
            }
            let outcome = match game.outcome() {
                None => 0,
                Some(Outcome::Draw) => 1,
                Some(Outcome::Win(side)) => 2 + side.index() as u64,
            };
            mix(checksum ^ game.position_key() ^ outcome)
        })
    }

    fn uct(
        &self,
        state: &State,
        search: &mut Uct,
        limits: &uct::Limits<'_>,
        rng: &mut Rng,
    ) -> Option<Action> {
        search.search(state.get::<G>(), limits, rng)
    }

    fn alphabeta(
        &self,
        state: &State,
        search: &mut AlphaBetaSearch,
        limits: &alphabeta::Limits<'_>,
    ) -> Option<alphabeta::SearchResult> {
        search.search(state.get::<G>(), limits)
    }

    fn prover(&self, entries: usize) -> Box<dyn ProverOf> {
        Box::new(Prover::<G>::new(entries))
    }

    fn proof_numbers(&self, attacker: Side, entries: usize) -> Box<dyn ProofNumbersOf> {
        Box::new(ProofNumbers::<G>::new(attacker, entries))
    }

    fn proof_number_entry(&self) -> usize {
        ProofNumbers::<G>::ENTRY
    }
}
