//! The folders of runs, exported players and ladders.

use serde_json::{Value, json};

use super::scratch::{Scratch, files};
use crate::base::durable::checksum;
use crate::base::json_log;
use crate::exact::solution::{About, Solution, Value as Known, read_news, sealed};
use crate::registry::preset;
use crate::runs::checkpoint::Run;
use crate::runs::config::Config;
#[cfg(any(feature = "net", feature = "serve"))]
use crate::runs::config::history;
use crate::runs::evaluation;
use crate::runs::exported::Exported;
use crate::runs::ladder::journal::Event;
use crate::runs::ladder::{Journal, Ladder, Standings};
use crate::runs::metrics;
use crate::runs::trained::{ExportSource, Trained};
use crate::search::Evaluator;
use crate::stats::Estimate;
use crate::stats::chart::{Curves, Level, Point, Scene, Series, TimeUnit};
use crate::train::alarms;

/// The files of a run, except for those of its checkpoint and former configs.
const OF_A_RUN: [&str; 6] =
    ["run.json", "config.toml", "latest", "best", "metrics.jsonl", "activity.json"];

/// The files of the checkpoint of iteration 1, and where its checksums name them.
const OF_A_CHECKPOINT: [(&str, &str); 3] =
    [("state.json", "state"), ("weights.bpk", "weights"), ("optimizer.bpk", "optimizer")];

/// The folder of a run with the checkpoint 1, whose checksums fit unless they are given.
pub(super) fn run(input: &[u8]) {
    let (folder, files) = (Scratch::new(), files(input));
    let mut sums = json!({ "state": 0, "weights": 0, "optimizer": 0 });
    for (name, bytes) in &files {
        if OF_A_RUN.contains(&name.as_str()) || is_former_config(name) {
            folder.write(name, bytes);
        }
        if let Some((file, key)) = OF_A_CHECKPOINT.iter().find(|(file, _)| file == name) {
            folder.write(&format!("000001/{file}"), bytes);
            sums[*key] = checksum(bytes).into();
        }
    }
    let given = files.iter().find(|(name, _)| name == "checksums.json");
    let sums = given.map_or_else(|| sums.to_string().into_bytes(), |(_, bytes)| bytes.clone());
    folder.write("000001/checksums.json", &sums);
    let Ok(run) = Run::open(folder.path()) else { return };
    let _ = (run.latest(), evaluation::best(&run), run.checkpoints());
    let _ = Config::load(&run.config_path(), &[]);
    #[cfg(any(feature = "net", feature = "serve"))]
    look_at_former_configs(&run);
    #[cfg(feature = "serve")]
    look_at_activity(&run);
    if let Ok(checkpoint) = run.load(1) {
        assert_eq!(run.state(1).expect("it was loaded"), checkpoint.state);
        run.commit(&checkpoint).expect("a folder for temporary files can be written");
        let again = run.load(1).expect("a checkpoint that was written can be read");
        assert_eq!(again.state, checkpoint.state);
        assert_eq!((again.weights, again.optimizer), (checkpoint.weights, checkpoint.optimizer));
    }
    if let Ok(info) = run.info() {
        let written = serde_json::to_vec(&info).expect("plain values");
        folder.write("run.json", &written);
        assert_eq!(run.info().expect("what was written can be read"), info);
        let _ = info.variant();
        // A player or an error: nothing is made by the sizes of the files alone.
        let _ = Trained::load(&format!("{}@1", folder.path().display()));
    }
}

/// Whether a file is named like a config of earlier iterations, `config-000012.toml`.
fn is_former_config(name: &str) -> bool {
    let digits = name.strip_prefix("config-").and_then(|rest| rest.strip_suffix(".toml"));
    digits.is_some_and(|it| it.len() <= 20 && it.bytes().all(|byte| byte.is_ascii_digit()))
}

/// Every iteration has a config or an error, and what is told of the changes does not depend on how
/// often they are read.
#[cfg(any(feature = "net", feature = "serve"))]
fn look_at_former_configs(run: &Run) {
    for iteration in [0, 1, 2, 12, u64::MAX] {
        let _ = history::text_at(run, iteration);
        let told = || history::changes(run, iteration).map(|it| serde_json::to_string(&it).ok());
        if let Ok(changes) = told() {
            assert_eq!(told().ok(), Some(changes));
        }
    }
}

/// What a training process may have left, and what it would write.
#[cfg(feature = "serve")]
fn look_at_activity(run: &Run) {
    use crate::runs::activity::Activity;

    let path = run.folder().join(Activity::FILE);
    let _ = Activity::read(&path);
    let text = std::fs::read(&path).unwrap_or_default();
    if let Some(activity) = Activity::parse(&text) {
        let written = serde_json::to_vec(&activity).expect("plain values");
        assert_eq!(Activity::parse(&written), Some(activity));
    }
}

/// The metrics of a run.
pub(super) fn metrics(input: &[u8]) {
    let folder = Scratch::new();
    folder.write("metrics.jsonl", input);
    let path = folder.path().join("metrics.jsonl");
    let read = json_log::read(&path).expect("the file exists");
    for until in [0, 1, u64::MAX] {
        let _ = alarms::check(&alarms::History::read(&read, until));
    }
    let current = metrics::current(read.clone());
    assert_eq!(metrics::current(current.clone()), current);
    // The weights of every second checkpoint are known.
    let history = evaluation::History::read(&current, |it| it.is_multiple_of(2).then_some(1));
    let _ = (history.has(1), history.before(10, |_| true));
    // Ratings take the cube of the number of players, of which each needs some bytes.
    if input.len() < 8192
        && let Ok(standing) = history.standing()
    {
        assert_eq!(standing.best(|_| true).is_some(), !standing.ratings.is_empty());
        let points = standing.ratings.iter().map(|&(iteration, y)| (iteration as f64, y));
        draw(points.collect(), standing.panel);
    }
    json_log::append(&path, &[json!({ "iteration": 1, "phase": "learn" })])
        .expect("it can be written");
    assert_eq!(json_log::read(&path).expect("the file exists").len(), read.len() + 1);
}

/// Draws ratings over seconds.
fn draw(points: Vec<(f64, Estimate)>, levels: Vec<(String, Estimate)>) {
    let longest = points.iter().map(|point| point.0).fold(0.0, f64::max);
    let unit = TimeUnit::for_longest(longest);
    let point = |(seconds, y)| Point { x: unit.of_seconds(seconds), y };
    let curves = Curves {
        title: "ratings".to_owned(),
        x_label: unit.name().to_owned(),
        y_label: "Elo".to_owned(),
        series: vec![Series {
            name: "run".to_owned(),
            points: points.into_iter().map(point).collect(),
        }],
        levels: levels.into_iter().map(|(name, y)| Level { name, y }).collect(),
    };
    let scene: Scene = curves.scene();
    assert!(scene.svg().len() < 1 << 20);
}

/// The folder of an exported player. The list of files in its `player.json` is set right.
pub(super) fn player(input: &[u8]) {
    let (folder, files) = (Scratch::new(), files(input));
    let find = |wanted| files.iter().find(|(name, _)| name == wanted).map(|(_, bytes)| bytes);
    let tensors = find("model.safetensors").cloned().unwrap_or_default();
    let text = find("player.json").cloned().unwrap_or_default();
    let card = match serde_json::from_slice::<Value>(&text) {
        Ok(Value::Object(mut card)) => {
            let sum = format!("{:08x}", checksum(&tensors));
            let facts = json!({ "bytes": tensors.len(), "crc32": sum });
            card.insert("files".to_owned(), json!({ "model.safetensors": facts }));
            Value::Object(card).to_string().into_bytes()
        }
        _ => text,
    };
    folder.write("model.safetensors", &tensors);
    folder.write("player.json", &card);
    let name = folder.path().display().to_string();
    let read = Exported::read(folder.path());
    if let Ok(exported) = &read {
        let written = serde_json::to_vec(&exported.card).expect("plain values");
        folder.write("player.json", &written);
        assert_eq!(Exported::read(folder.path()).expect("what was written").card, exported.card);
    }
    if let Ok(trained) = Trained::load(&name) {
        assert!(read.is_ok() && trained.network.search.cache_mib <= 256);
        let mut evaluator = trained.network.evaluator;
        let start = trained.variant.initial();
        let mut policy = vec![0.0; start.spec().actions()];
        evaluator.evaluate(&[start], &mut policy, &mut [[0.0; 3]]);
    }
    let _ = ExportSource::load(&name);
}

/// The log of a ladder, and its games in the file `games.jsonl`.
pub(super) fn ladder(input: &[u8]) {
    let (folder, files) = (Scratch::new(), files(input));
    for (name, bytes) in &files {
        if ["ladder.jsonl", "games.jsonl"].contains(&name.as_str()) {
            folder.write(name, bytes);
        }
    }
    let Ok(Some(journal)) = Ladder::peek(folder.path()) else { return };
    assert_eq!(replayed(&journal), (journal.players.clone(), journal.pairs.clone()));
    let _ = journal.header.variant();
    // Ratings take the cube of the number of players.
    if (1..=12).contains(&journal.players.len())
        && let Ok(standings) = Standings::of(&journal, 0)
    {
        assert_eq!(standings.rows.len(), journal.players.len());
        let rated = standings.rows.iter().filter_map(|row| Some((row.player, row.rating?)));
        let trained = rated.filter_map(|(player, elo)| {
            Some((journal.players[player].training.as_ref()?.seconds, elo))
        });
        draw(trained.collect(), Vec::new());
    }
    let opened = Ladder::open(folder.path(), &journal.header).expect("it was read");
    assert_eq!(*opened.journal(), journal);
}

type Contents = (Vec<crate::runs::ladder::LadderPlayer>, Vec<crate::runs::ladder::journal::Pair>);

/// Players and pairs of the log that these players and pairs write.
fn replayed(journal: &Journal) -> Contents {
    let mut again = Journal::new(journal.header.clone());
    let mut apply = |event: Event| {
        let read: Event = serde_json::from_str(&event.line()).expect("a line can be read");
        again.apply(read).expect("it was possible before");
    };
    journal.players.iter().for_each(|entry| apply(Event::Player(entry.clone())));
    for pair in &journal.pairs {
        let (first, second, opening) = (pair.first, pair.second, pair.opening);
        let fixture = crate::runs::ladder::Fixture { first, second, opening, pairs: 1 };
        apply(Event::Round(vec![fixture]));
        apply(Event::Pair(*pair));
    }
    (again.players, again.pairs)
}

/// The folder of a solution of tic-tac-toe whose file `solution` has this payload, and the news of
/// a level.
pub(super) fn solution(input: &[u8]) {
    let folder = Scratch::new();
    folder.write("solution", &sealed(input));
    folder.write("values", &[2; 1180]);
    let Ok(variant) = preset("tic_tac_toe") else { return };
    read_news(&variant.layout().expect("it numbers its positions"), input);
    let Ok(about) = About::read(folder.path()) else { return };
    let _ = (about.totals(), about.summary(), about.variant(), about.usual_variant());
    let Ok(solution) = Solution::open(folder.path(), &variant) else { return };
    let _ = (solution.check_all(|| ()), solution.value_of(&variant.initial()));
    for value in [Known::Neither, Known::Win(3), Known::Loss(0)] {
        let _ = solution.find(value, 7);
    }
}
