//! Exported players: written, read, refused if damaged, and computed by other programs.

#![cfg(feature = "net")]

use std::fs;
use std::path::Path;
use std::process::Command;

use burn::tensor::{Tensor, TensorData};
use serde_json::{Value, json};

use crate::games::{legal_turns, parse_turn};
use crate::nn::Board;
use crate::nn::burn_net::{Network, cpu, fold};
use crate::nn::conv::{FoldedWeights, Layer};
use crate::nn::settings::NetworkSettings;
use crate::play::analysis;
use crate::registry::{self, Position, Variant};
use crate::runs::exported::{Export, Exported, GameFacts, Precision, Provenance, Training};
use crate::runs::trained::{PlayEvaluator, Trained};
use crate::search::{self, Evaluator, Wdl};
use crate::tests::common::folder::Folder;
use crate::tests::common::networks::network;
use crate::tests::common::positions::positions;

const SETTINGS: NetworkSettings =
    NetworkSettings { channels: 12, blocks: 3, global_pooling: true, value_hidden: 9 };

fn training() -> Training {
    Training {
        run: "test".into(),
        seed: 3,
        iteration: 7,
        steps: 100,
        games: 20,
        positions: 300,
        seconds: 4.5,
        rating: None,
        settings_changed: Vec::new(),
    }
}

/// Writes the player folder of a network.
fn export(
    variant: &Variant,
    network: &Network,
    precision: Precision,
    folder: &Path,
) -> FoldedWeights {
    let weights = fold(network);
    export_weights(variant, &weights, precision, folder);
    weights
}

/// Writes the player folder of a network with these weights.
fn export_weights(variant: &Variant, weights: &FoldedWeights, precision: Precision, folder: &Path) {
    let export = Export {
        game: GameFacts::of(variant),
        weights,
        network: SETTINGS,
        precision,
        with_onnx: true,
        search: search::Settings {
            puct: search::PuctSettings { c: 1.75, ..search::Settings::default().puct },
            ..Default::default()
        }
        .for_play(),
        simulations: 150,
        training: training(),
        provenance: Provenance::default(),
        licence: "public domain".into(),
    };
    export.write(folder).unwrap();
}

/// All layers, in a fixed order.
fn layers(weights: &FoldedWeights) -> Vec<&Layer> {
    let blocks = weights.blocks.iter();
    let blocks =
        blocks.flat_map(|block| [Some(&block.first), block.pool.as_ref(), Some(&block.second)]);
    let rest = [
        &weights.stem,
        &weights.policy_hidden,
        &weights.policy_out,
        &weights.value_features,
        &weights.value_hidden,
        &weights.value_out,
    ];
    blocks.flatten().chain(&weights.pass).chain(rest).collect()
}

fn check_game(variant: &Variant) {
    let (folder, network) = (Folder::new(), network_of(variant));
    let weights = export(variant, &network, Precision::Full, &folder.file("p"));
    let exported = Exported::read(&folder.file("p")).unwrap();
    assert_eq!(exported.weights, weights, "every bit of the weights");
    let (card, spec) = (&exported.card, variant.spec());
    assert_eq!((card.game.as_str(), card.training.clone()), (variant.name, training()));
    assert_eq!(card.search.puct.c, 1.75);
    assert_eq!(card.observation.planes.len(), spec.planes, "{}", variant.name);
    assert!(card.observation.planes.iter().all(|plane| !plane.is_empty()));
    assert_eq!(card.actions.list.len(), spec.actions());
    assert_eq!(card.actions.cells.len(), spec.cells());
    for cells in [&card.actions.cells, &card.actions.cells_of_second] {
        let mut names: Vec<_> = cells.iter().filter(|name| !name.is_empty()).collect();
        names.sort_unstable();
        let before = names.len();
        names.dedup();
        assert_eq!(names.len(), before, "no two cells have the same name");
    }

    // The exported player evaluates bit for bit as the network.
    let positions = positions(variant, 20);
    let settings = Default::default();
    let own = evaluations(PlayEvaluator::new(network, &settings).unwrap(), &positions);
    let name = folder.file("p").display().to_string();
    let loaded = Trained::load(&format!("{name}?c_puct=3&simulations=9")).unwrap();
    assert_eq!((loaded.network.search.puct.c, loaded.network.simulations), (3.0, Some(9)));
    assert_eq!((loaded.iteration, loaded.seconds), (7, 4.5));
    assert!(evaluations(loaded.network.evaluator, &positions) == own, "{}", variant.name);
}

/// Policies, and wins, draws and losses.
fn evaluations(mut evaluator: PlayEvaluator, positions: &[Position]) -> (Vec<f32>, Vec<Wdl>) {
    let mut policy = vec![0.0; positions.len() * positions[0].spec().actions()];
    let mut wdl = vec![[0.0; 3]; positions.len()];
    evaluator.evaluate(positions, &mut policy, &mut wdl);
    (policy, wdl)
}

#[test]
fn exported_players_of_every_game_are_read_back_unchanged() {
    for listing in registry::all() {
        check_game(&listing.variant);
    }
}

/// Asserts that the text of an action contains the name of its cell.
fn check_cell_names(variant: &Variant) {
    let (spec, mut legal) = (variant.spec(), Vec::new());
    for game in positions(variant, 200) {
        game.legal_actions(&mut legal);
        for &action in legal.iter().filter(|&&action| !(spec.pass && action == spec.pass_action()))
        {
            let (_, cell) = spec.plane_and_cell(action);
            let (name, text) = (game.cell_name(cell), game.action_text(action));
            assert!(cell < spec.cells() && !name.is_empty());
            // Turns omit the cell of the neutron, and the row that a disc falls to.
            let is_left_out = variant.name.contains("neutron") && !text.contains(&name);
            let is_drop = variant.name == "connect_four" && name.starts_with(text.as_str());
            assert!(
                text.contains(&name) || is_left_out || is_drop,
                "{}: {text} {name}",
                variant.name
            );
        }
    }
}

#[test]
fn cells_have_the_names_that_turns_use() {
    for listing in registry::all() {
        check_cell_names(&listing.variant);
    }
}

#[test]
fn half_precision_halves_the_size_and_rounds_to_nearest() {
    let variant = registry::preset("susan").unwrap();
    let (folder, network) = (Folder::new(), network_of(&variant));
    let weights = export(&variant, &network, Precision::Full, &folder.file("full"));
    export(&variant, &network, Precision::Half, &folder.file("half"));
    let half = Exported::read(&folder.file("half")).unwrap();
    for (found, expected) in layers(&half.weights).into_iter().zip(layers(&weights)) {
        let pairs = found.weights.iter().zip(&expected.weights);
        for (found, expected) in pairs.chain(found.bias.iter().zip(&expected.bias)) {
            // A half has 11 bits of precision down to 2^-14, and fewer below.
            let step = (expected.abs() / 2048.0).max(2.0_f32.powi(-25));
            assert!((found - expected).abs() <= step, "{found} {expected}");
        }
    }
    let sizes = layers(&weights).into_iter().map(|it| it.weights.len() + it.bias.len());
    let numbers = sizes.sum::<usize>() as u64;
    for name in ["model.onnx", "model.safetensors"] {
        let size = |which: &str| fs::metadata(folder.file(which).join(name)).unwrap().len();
        // Two bytes less for each number, minus the size of the cast operators.
        assert!(size("full") - size("half") > numbers * 17 / 10, "{name}");
    }
}

/// Exports in bytes, reads, and exports again.
fn check_bytes(variant: &Variant) {
    let (folder, name) = (Folder::new(), variant.name);
    let weights = export(variant, &network_of(variant), Precision::Bytes, &folder.file("bytes"));
    let bytes = Exported::read(&folder.file("bytes")).unwrap();
    let largest = |row: &[f32]| row.iter().fold(0.0_f32, |most, weight| most.max(weight.abs()));
    for (found, expected) in layers(&bytes.weights).into_iter().zip(layers(&weights)) {
        let each = expected.weights.len() / expected.outputs;
        let rows = expected.weights.chunks_exact(each).zip(found.weights.chunks_exact(each));
        for (expected, found) in rows {
            // Half an integer, of which 63 are the largest weight of the output.
            let step = largest(expected) * (0.5 / 63.0 + 1e-4);
            let pairs = expected.iter().zip(found);
            assert!(pairs.into_iter().all(|(expected, found)| (expected - found).abs() <= step));
        }
    }

    // Products of bytes compute the same from the numbers that the bytes stand for.
    export_weights(variant, &bytes.weights, Precision::Full, &folder.file("full"));
    let positions = positions(variant, 20);
    let by_bytes = |which: &str| {
        let spec = format!("{}?engine=int8_portable", folder.file(which).display());
        evaluations(Trained::load(&spec).unwrap().network.evaluator, &positions)
    };
    assert!(by_bytes("full") == by_bytes("bytes"), "{name}");

    // What was read is written as it was.
    export_weights(variant, &bytes.weights, Precision::Bytes, &folder.file("again"));
    let read = |which: &str| fs::read(folder.file(which).join("model.safetensors")).unwrap();
    assert!(read("again") == read("bytes"), "{name}");
}

#[test]
fn weights_in_bytes_play_the_same_by_products_of_bytes() {
    for name in ["susan", "neutron5", "entropy", "connect_four"] {
        check_bytes(&registry::preset(name).unwrap());
    }
}

#[test]
fn scales_of_bytes_are_checked() {
    let folder = Folder::new();
    let variant = registry::preset("tic_tac_toe").unwrap();
    export(&variant, &network_of(&variant), Precision::Bytes, &folder.file("p"));
    let rename = |from: &'static str, to: &'static str| {
        move |bytes: &mut Vec<u8>| {
            let at = bytes.windows(from.len()).position(|part| part == from.as_bytes()).unwrap();
            bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        }
    };
    edit_weights(&folder, rename("\"stem.scale\"", "\"stem.skale\""));
    refused(&folder, "tensor stem.weight: tensor stem.scale");
}

fn network_of(variant: &Variant) -> Network {
    network(&Board::of(variant), &SETTINGS)
}

/// A folder with an exported player of tic-tac-toe.
fn tic_tac_toe() -> Folder {
    let folder = Folder::new();
    let variant = registry::preset("tic_tac_toe").unwrap();
    export(&variant, &network_of(&variant), Precision::Full, &folder.file("p"));
    folder
}

#[track_caller]
fn refused(folder: &Folder, words: &str) {
    let read = Exported::read(&folder.file("p")).map(|_| "it was read");
    let error = format!("{:#}", read.unwrap_err());
    assert!(error.contains(words), "no `{words}` in: {error}");
}

/// Changes `player.json`.
fn edit(folder: &Folder, change: impl FnOnce(&mut Value)) {
    let path = folder.file("p").join("player.json");
    let mut card: Value = serde_json::from_str(&fs::read_to_string(&path).unwrap()).unwrap();
    change(&mut card);
    fs::write(path, card.to_string()).unwrap();
}

#[test]
fn a_cache_that_the_files_ask_for_is_limited_and_one_of_the_options_is_not() {
    let folder = tic_tac_toe();
    edit(&folder, |card| card["search"]["cache_mib"] = json!(65_536));
    let name = folder.file("p").display().to_string();
    let cache = |spec: &str| Trained::load(spec).map(|player| player.network.search.cache_mib);
    assert_eq!(cache(&name).unwrap(), 256);
    assert_eq!(cache(&format!("{name}?cache_mib=300")).unwrap(), 300);
    let error = format!("{:#}", cache(&format!("{name}?cache_mib=65537")).unwrap_err());
    assert!(error.contains("must be between 0 and 65536"), "{error}");
}

#[test]
fn exported_players_know_the_book_of_their_game_unless_an_option_says_otherwise() {
    let has_book = |spec: &str| Trained::load(spec).unwrap().network.book.is_some();
    for spec in ["neutron5", "neutron5?simulations=9", "neutron5_single", "neutron5_double"] {
        assert!(has_book(spec), "{spec}");
    }
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/checkpoints/solutions/neutron5.book");
    assert!(has_book(&format!("neutron5?book={file}")));
    for spec in ["neutron5?book=off", "neutron5?level=1", "coneutron5", "neutron7", "susan"] {
        assert!(!has_book(spec), "{spec}");
    }
    let error = format!("{:#}", Trained::load(&format!("coneutron5?book={file}")).unwrap_err());
    assert!(error.contains("a book of neutron5"), "{error}");
}

/// Changes the weights, and their checksum in `player.json`.
fn edit_weights(folder: &Folder, change: impl FnOnce(&mut Vec<u8>)) {
    let path = folder.file("p").join("model.safetensors");
    let mut bytes = fs::read(&path).unwrap();
    change(&mut bytes);
    let crc32 = format!("{:08x}", crate::base::durable::checksum(&bytes));
    edit(folder, |card| {
        card["files"]["model.safetensors"] = json!({ "bytes": bytes.len(), "crc32": crc32 });
    });
    fs::write(path, bytes).unwrap();
}

#[test]
fn damaged_players_are_refused() {
    for name in ["player.json", "model.safetensors"] {
        let folder = tic_tac_toe();
        fs::remove_file(folder.file("p").join(name)).unwrap();
        refused(&folder, &format!("{name}: No such file"));
    }
    let folder = tic_tac_toe();
    let path = folder.file("p").join("model.safetensors");
    let bytes = fs::read(&path).unwrap();
    for place in [0, 9, bytes.len() / 2, bytes.len() - 1] {
        let mut bytes = bytes.clone();
        bytes[place] ^= 16;
        fs::write(&path, bytes).unwrap();
        refused(&folder, "is damaged, or belongs to another player");
    }
    fs::write(&path, &bytes[..bytes.len() - 4]).unwrap();
    refused(&folder, "is damaged");

    let cases: [(&str, Value, &str); 8] = [
        ("/format", json!(2), "has format 2, this program reads format 1"),
        ("/game", json!("tic_tac_tow"), "did you mean `tic_tac_toe`?"),
        ("/game", json!("connect_four"), "has observations of the shape [2, 3, 3]"),
        ("/rules_version", json!(99), "version 99 of the rules"),
        ("/network/channels", json!(13), "tensor stem.weight: its shape is"),
        ("/network/blocks", json!(4), "blocks.3.first.weight"),
        ("/network/channels", json!(0), "channels"),
        ("/search/c_puct", json!(-1), "c_puct"),
    ];
    for (place, value, words) in cases {
        let folder = tic_tac_toe();
        edit(&folder, |card| *card.pointer_mut(place).unwrap() = value);
        refused(&folder, words);
    }
    let folder = tic_tac_toe();
    edit(&folder, |card| card["files"] = json!({}));
    refused(&folder, "does not list model.safetensors");
    let folder = tic_tac_toe();
    fs::write(folder.file("p").join("player.json"), "{\"format\": 1").unwrap();
    refused(&folder, "player.json is damaged");
}

#[test]
fn invalid_weights_are_refused() {
    let folder = tic_tac_toe();
    edit_weights(&folder, |bytes| {
        let end = bytes.len();
        bytes[end - 4..].copy_from_slice(&f32::NAN.to_le_bytes());
    });
    refused(&folder, "not finite");
    for keep in [0, 7, 8, 100, 1000] {
        let folder = tic_tac_toe();
        edit_weights(&folder, |bytes| bytes.truncate(keep));
        refused(&folder, "it is not a safetensors file");
    }
    let folder = tic_tac_toe();
    edit_weights(&folder, |bytes| bytes[..8].copy_from_slice(&u64::MAX.to_le_bytes()));
    refused(&folder, "it is not a safetensors file");
}

/// The answer of `tavoliere analyze` without a player.
fn by_rules(query: &Value) -> Value {
    serde_json::from_str(&analysis::answer_rules(query.to_string().as_bytes(), None)).unwrap()
}

/// All turns of a position, built from the actions of its encoding.
fn turns_by_actions(game: &str, moves: &[&str]) -> Vec<String> {
    let (mut turns, mut open) = (Vec::new(), vec![Vec::new()]);
    while let Some(begun) = open.pop() {
        let query = json!({ "game": game, "moves": moves, "begun": begun, "encode": true });
        for action in by_rules(&query)["encoding"]["actions"].as_array().unwrap() {
            match action["turn"].as_str() {
                Some(turn) => turns.push(turn.to_owned()),
                None => open.push([begun.as_slice(), &[action["action"].clone()]].concat()),
            }
        }
    }
    turns.sort_unstable();
    turns
}

#[test]
fn encoded_positions_are_those_of_the_game() {
    let variant = registry::preset("neutron5").unwrap();
    let mut game = variant.initial();
    for moves in [&[][..], &["A5-A2"]] {
        let expected: Vec<_> =
            legal_turns(&game).iter().map(|turn| turn.text.to_string()).collect();
        assert_eq!(turns_by_actions("neutron5", moves), expected);
        let query = json!({ "game": "neutron5", "moves": moves, "encode": true });
        let encoding = &by_rules(&query)["encoding"];
        let mut planes = vec![0.0; variant.spec().observation()];
        game.observe(&mut planes);
        let found = encoding["observation"].as_array().unwrap();
        let found: Vec<f32> = found.iter().map(|it| it.as_f64().unwrap() as f32).collect();
        assert_eq!(found, planes);
        let next = if moves.is_empty() { "A5-A2" } else { &expected[0] };
        let turn = parse_turn(&game, next).unwrap();
        turn.play_on(&mut game);
    }
}

/// The contents of `check.json`: observations and outputs of burn for them.
fn check_file(network: &Network, positions: &[Position]) -> Value {
    let spec = positions[0].spec();
    let mut observations = vec![0.0; positions.len() * spec.observation()];
    let rows = observations.chunks_exact_mut(spec.observation());
    positions.iter().zip(rows).for_each(|(position, planes)| position.observe(planes));
    let shape = [positions.len(), spec.planes, spec.height, spec.width];
    let input = Tensor::from_data(TensorData::new(observations.clone(), shape), &cpu());
    let outputs = network.forward(input);
    let numbers = |tensor: Tensor<2>| tensor.into_data().try_into_vec::<f32>().unwrap();
    let wdl = numbers(burn::tensor::activation::softmax(outputs.wdl, 1));
    let moves_left: Vec<f32> =
        numbers(outputs.moves_left).into_iter().map(|it| it.exp_m1().max(0.0)).collect();
    json!({
        "observations": observations,
        "policy": numbers(outputs.policy),
        "wdl": wdl,
        "moves_left": moves_left,
    })
}

/// Runs a script of this project with the Python that `TAVOLIERE_PYTHON` names.
fn python(script: &str, arguments: &[String]) -> String {
    let python = std::env::var("TAVOLIERE_PYTHON").unwrap_or_else(|_| "python3".into());
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts").join(script);
    let output = Command::new(python).arg(script).args(arguments).output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (stdout, stderr) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{stdout}{stderr}");
    stdout
}

#[test]
#[ignore = "needs Python with onnxruntime, by TAVOLIERE_PYTHON or python3"]
fn onnx_runtime_computes_the_outputs_of_burn() {
    let folder = Folder::new();
    let mut folders = Vec::new();
    for listing in registry::all() {
        let variant = listing.variant;
        let (network, path) = (network_of(&variant), folder.file(listing.name));
        export(&variant, &network, Precision::Full, &path);
        let check = check_file(&network, &positions(&variant, 40));
        fs::write(path.join("check.json"), check.to_string()).unwrap();
        folders.push(path.display().to_string());
    }
    // Weights in bytes, and what they stand for in full.
    let variant = registry::preset("entropy").unwrap();
    let [bytes, full] = ["bytes", "full"].map(|name| folder.file(name));
    export(&variant, &network_of(&variant), Precision::Bytes, &bytes);
    let weights = Exported::read(&bytes).unwrap().weights;
    export_weights(&variant, &weights, Precision::Full, &full);
    let check = check_file(&network_of(&variant), &positions(&variant, 40));
    let check = json!({ "observations": check["observations"], "like": full });
    fs::write(bytes.join("check.json"), check.to_string()).unwrap();
    folders.push(bytes.display().to_string());
    let printed = python("check_onnx.py", &folders);
    assert_eq!(printed.lines().count(), folders.len() + 1);
    println!("{printed}");
}
