//! `player.json`: everything that a program has to know to use an exported network.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Precision;
use crate::games::Game;
use crate::games::Variant;
use crate::nn::conv::VALUES;
use crate::nn::learning::NetworkSettings;
use crate::search;

/// Version of the folder's layout.
pub const FORMAT: u32 = 1;

/// What `player.json` says.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Card {
    /// Version of the folder's layout.
    pub format: u32,
    /// The program that wrote it, and its version.
    pub program: String,
    /// Name of the game.
    pub game: String,
    /// All its options.
    pub rules: Map<String, Value>,
    /// Version of its rules.
    pub rules_version: u32,
    /// The terms under which the player is given away.
    pub licence: String,
    /// What the network reads.
    pub observation: Observation,
    /// What `policy` is about.
    pub actions: Actions,
    /// What the network says, by the names of the model's outputs.
    pub outputs: BTreeMap<String, Output>,
    /// Size of the network.
    pub network: NetworkSettings,
    /// How its numbers are stored.
    pub precision: Precision,
    /// The recommended search.
    pub search: search::Settings,
    /// The recommended simulations for each action.
    pub simulations: u32,
    /// How it was trained.
    pub training: Training,
    /// The other files of the folder, by their names.
    pub files: BTreeMap<String, FileFacts>,
}

/// What the network reads.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Observation {
    /// Name of the model's input.
    pub name: String,
    /// Planes, rows, columns; a batch of any size stands before them.
    pub shape: [usize; 3],
    /// What each plane shows.
    pub planes: Vec<String>,
    /// What is done to the numbers before the network sees them.
    pub normalisation: String,
}

/// The actions, in the order of the policy: those of the first plane cell by cell, row by row from
/// the top, then those of the next plane; a pass at the end.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Actions {
    /// How many there are, legal or not.
    pub count: usize,
    /// What an action means.
    pub meaning: String,
    /// `[dx, dy]` of each plane: where the thing on the cell goes, `dx` to the right, `dy`
    /// downwards; `[0, 0]` is about the cell itself.
    pub planes: Vec<[i8; 2]>,
    /// The names of the cells as the side that moves first sees the board, row by row from the
    /// top; empty for those that are not on the board.
    pub cells: Vec<String>,
    /// The same as the other side sees it.
    pub cells_of_second: Vec<String>,
    /// The action without a cell, where there is one.
    pub pass: Option<usize>,
    /// Each action as the first side sees it: the cell, and where there is a direction, that.
    pub list: Vec<String>,
}

/// What the network says.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Output {
    /// Numbers for each position.
    pub size: usize,
    /// What they are.
    pub meaning: String,
}

/// How a network was trained.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Training {
    /// Name of the run.
    pub run: String,
    /// Names its randomness.
    pub seed: u64,
    /// The iteration of the checkpoint.
    pub iteration: u64,
    /// Steps of the optimizer up to there.
    pub steps: u64,
    /// Games of self-play up to there.
    pub games: u64,
    /// Positions in them.
    pub positions: u64,
    /// Seconds it took.
    pub seconds: f64,
    /// Its rating among the run's panel, in Elo, if it was evaluated.
    pub rating: Option<Rating>,
}

/// A rating in Elo.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rating {
    /// The most likely.
    pub elo: f64,
    /// The 95 % interval.
    pub interval: [f64; 2],
    /// Who has 0.
    pub zero: String,
}

/// What a file must be like.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct FileFacts {
    /// Its size.
    pub bytes: usize,
    /// Its CRC-32 (ISO-HDLC, as zlib has it), hexadecimal.
    pub crc32: String,
}

impl Observation {
    /// That of a game.
    pub fn of<G: Game>() -> Self {
        Self {
            name: "observation".into(),
            shape: [G::SPEC.planes, G::SPEC.height, G::SPEC.width],
            planes: G::planes().into_iter().map(str::to_owned).collect(),
            normalisation: "none: the numbers as they are, most of them 0 or 1".into(),
        }
    }
}

impl Actions {
    /// Those of a game.
    pub fn of<G: Game>(variant: &Variant<G>) -> Self {
        let spec = G::SPEC;
        let names = |game: G| (0..spec.cells()).map(|cell| game.cell_name(cell)).collect();
        let [cells, cells_of_second]: [Vec<String>; 2] = views(variant).map(names);
        let label = |&(dx, dy): &(i8, i8), cell: &String| match (cell.is_empty(), dx, dy) {
            (true, ..) => String::new(),
            (false, 0, 0) => cell.clone(),
            (false, dx, dy) => format!("{cell} {dx:+} {dy:+}"),
        };
        let planes = spec.displacements.iter();
        let mut list: Vec<String> =
            planes.flat_map(|plane| cells.iter().map(move |cell| label(plane, cell))).collect();
        list.extend(spec.pass.then(|| "pass".to_owned()));
        Self {
            count: spec.actions(),
            meaning: G::ACTIONS.to_owned(),
            planes: spec.displacements.iter().map(|&(dx, dy)| [dx, dy]).collect(),
            cells,
            cells_of_second,
            pass: spec.pass.then(|| usize::from(spec.pass_action())),
            list,
        }
    }
}

/// The first positions in which each of the two sides is to move.
fn views<G: Game>(variant: &Variant<G>) -> [G; 2] {
    let first = variant.initial();
    let (mut second, mut actions) = (first, Vec::new());
    while second.to_move() == first.to_move() && second.outcome().is_none() {
        second.legal_actions(&mut actions);
        second.play(actions[0]);
    }
    [first, second]
}

/// What the outputs of the model are.
pub fn outputs(actions: usize) -> BTreeMap<String, Output> {
    let output = |(name, size, meaning): (&str, usize, &str)| {
        (name.to_owned(), Output { size, meaning: meaning.to_owned() })
    };
    [
        ("policy", actions, "a logit for each action; take the softmax over the legal ones"),
        ("wdl", VALUES - 1, "probabilities of win, draw and loss for the side to move"),
        ("moves_left", 1, "turns to the end of the game, the next one among them"),
    ]
    .map(output)
    .into()
}
