//! `player.json`: the model card, with everything that a program needs to use an exported network.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::Precision;
use crate::games::Spec;
use crate::nn::conv::VALUES;
use crate::nn::settings::NetworkSettings;
use crate::registry::{Position, Variant};
use crate::search;

/// Version of the folder's layout.
pub(super) const FORMAT: u32 = 1;

/// The contents of `player.json`.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Card {
    /// Version of the folder's layout.
    pub format: u32,
    /// Name and version of the program that wrote it.
    pub program: String,
    /// Name of the game.
    pub game: String,
    /// All options of the game.
    pub rules: Map<String, Value>,
    /// Version of the rules.
    pub rules_version: u32,
    /// Licence of the player.
    pub licence: String,
    /// The input of the network.
    pub observation: Observation,
    /// The actions to which `policy` refers.
    pub actions: Actions,
    /// The outputs of the model, by their names.
    pub outputs: BTreeMap<String, Output>,
    /// Size of the network.
    pub network: NetworkSettings,
    /// Number of cells that the network computes, those of the board; none in the files of
    /// networks that computed the whole frame.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub computed_cells: Option<usize>,
    /// Precision of the stored weights.
    pub precision: Precision,
    /// The recommended search.
    #[serde(with = "search::table")]
    pub search: search::Settings,
    /// The recommended simulations for each turn.
    pub simulations: u32,
    /// How it was trained.
    pub training: Training,
    /// Size and checksum of the other files of the folder, by their names.
    pub files: BTreeMap<String, FileFacts>,
}

/// The input of the network.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Observation {
    /// Name of the model's input.
    pub name: String,
    /// `[planes, rows, columns]`, without the batch dimension.
    pub shape: [usize; 3],
    /// Description of each plane.
    pub planes: Vec<String>,
    /// How the numbers are to be normalised before they are given to the network.
    pub normalisation: String,
}

/// The actions, in the order of the policy: plane by plane, within a plane row by row from the top;
/// a pass comes last.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Actions {
    /// Number of all actions, legal or not.
    pub count: usize,
    /// What an action means.
    pub meaning: String,
    /// `[dx, dy]` of each plane: the displacement of the piece on the cell, `dx` to the right, `dy`
    /// downwards; `[0, 0]` refers to the cell itself.
    pub planes: Vec<[i8; 2]>,
    /// Names of the cells in the view of the first side, row by row from the top; empty for cells
    /// that are not on the board.
    pub cells: Vec<String>,
    /// Names of the cells in the view of the second side.
    pub cells_of_second: Vec<String>,
    /// Index of the pass, if the game has one.
    pub pass: Option<usize>,
    /// Each action in the view of the first side: the cell and, if any, the displacement.
    pub list: Vec<String>,
}

/// An output of the network.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(crate) struct Output {
    /// Number of values for each position.
    pub size: usize,
    /// What the values are.
    pub meaning: String,
}

/// How a network was trained.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Training {
    /// Name of the run.
    pub run: String,
    /// Seed of the run.
    pub seed: u64,
    /// Iteration of the checkpoint.
    pub iteration: u64,
    /// Steps of the optimizer up to the checkpoint.
    pub steps: u64,
    /// Games of self-play up to the checkpoint.
    pub games: u64,
    /// Positions of these games.
    pub positions: u64,
    /// Seconds of training up to the checkpoint.
    pub seconds: f64,
    /// Rating by the run's evaluations, if the checkpoint was evaluated.
    pub rating: Option<Rating>,
    /// The settings that were changed during the training: `config.toml` holds the last ones.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub settings_changed: Vec<Changed>,
}

/// Settings that were changed during a training.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Changed {
    /// The last iteration with the settings before.
    pub after: u64,
    /// The old and the new value of each changed key; null for one that was not set. Empty if it is
    /// not known what was changed, because this version cannot read the config before or after.
    pub keys: BTreeMap<String, [Value; 2]>,
}

/// A rating in Elo.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Rating {
    /// Maximum likelihood estimate.
    pub elo: f64,
    /// 95 % interval.
    pub interval: [f64; 2],
    /// The player whose rating is 0.
    pub zero: String,
}

/// Size and checksum of a file.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct FileFacts {
    /// Size in bytes.
    pub bytes: usize,
    /// CRC-32 (ISO-HDLC, as in zlib), hexadecimal.
    pub crc32: String,
}

/// The part of a model card that depends on the game alone.
#[derive(Clone, Debug)]
pub(crate) struct GameFacts {
    /// Name of the game.
    pub name: &'static str,
    /// All options of its rules.
    pub rules: Map<String, Value>,
    /// The same as JSON, in the order of their declaration.
    pub rules_json: String,
    /// Version of its rules.
    pub rules_version: u32,
    /// Sizes of its observations and actions.
    pub spec: Spec,
    /// Its observation.
    pub observation: Observation,
    /// Its actions.
    pub actions: Actions,
}

impl GameFacts {
    /// The facts of a game.
    pub(crate) fn of(variant: &Variant) -> Self {
        Self {
            name: variant.name,
            rules: variant.options(),
            rules_json: variant.options_text(),
            rules_version: variant.rules_version(),
            spec: *variant.spec(),
            observation: Observation::of(variant),
            actions: Actions::of(variant),
        }
    }
}

impl Observation {
    /// The observation of a game.
    pub(crate) fn of(variant: &Variant) -> Self {
        Self {
            name: "observation".into(),
            shape: [variant.spec().planes, variant.spec().height, variant.spec().width],
            planes: variant.game().planes().into_iter().map(str::to_owned).collect(),
            normalisation: "none: the numbers as they are, most of them 0 or 1".into(),
        }
    }
}

impl Actions {
    /// The actions of a game.
    pub(crate) fn of(variant: &Variant) -> Self {
        let spec = variant.spec();
        let names = |game: &Position| (0..spec.cells()).map(|cell| game.cell_name(cell)).collect();
        let [first, second] = views(variant);
        Self::new(spec, variant.game().actions(), names(&first), names(&second))
    }

    fn new(spec: &Spec, meaning: &str, cells: Vec<String>, cells_of_second: Vec<String>) -> Self {
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
            meaning: meaning.to_owned(),
            planes: spec.displacements.iter().map(|&(dx, dy)| [dx, dy]).collect(),
            cells,
            cells_of_second,
            pass: spec.pass.then(|| usize::from(spec.pass_action())),
            list,
        }
    }
}

/// The start position, and the first position in which the second side is to move.
fn views(variant: &Variant) -> [Position; 2] {
    let first = variant.initial();
    let (mut second, mut actions) = (first, Vec::new());
    while second.to_move() == first.to_move() && second.outcome().is_none() {
        second.legal_actions(&mut actions);
        second.play(actions[0]);
    }
    [first, second]
}

/// The outputs of the model.
pub(super) fn outputs(actions: usize) -> BTreeMap<String, Output> {
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
