//! Queries of `tavoliere analyze` that are answered at intervals.

use serde_json::Value;

use crate::common::cli::{analyze, run};
use crate::common::live::Live;

/// A search that ends only when it is stopped, or after minutes.
fn endless(id: u64) -> String {
    format!(r#"{{"id": {id}, "moves": ["e5"], "every_ms": 20, "simulations": 1000000}}"#)
}

fn answer(live: &mut Live) -> Value {
    serde_json::from_str(&live.line()).unwrap()
}

/// Reads answers until one is about this query and final. Returns those about it.
fn answers_until_final(live: &mut Live, id: u64) -> Vec<Value> {
    let mut found = Vec::new();
    loop {
        let answer = answer(live);
        if answer["id"] == id {
            let is_final = answer["final"] == true;
            found.push(answer);
            if is_final {
                return found;
            }
        }
    }
}

fn simulations(answers: &[Value]) -> Vec<u64> {
    answers.iter().map(|answer| answer["simulations"].as_u64().unwrap()).collect()
}

#[test]
fn other_queries_are_answered_beside_a_stream_until_it_is_stopped() {
    let mut live = Live::start("analyze", &["--player", "susan", "--streams", "2"]);
    live.send(&endless(1));
    live.send(&endless(2));
    let mut seen = [0, 0];
    while seen != [3, 3] {
        let answer = answer(&mut live);
        assert_eq!((&answer["final"], &answer["ply"]), (&false.into(), &1.into()), "{answer}");
        let count = &mut seen[answer["id"].as_u64().unwrap() as usize - 1];
        *count = (*count + 1).min(3);
    }
    live.send(r#"{"id": "plain", "moves": [], "simulations": 20}"#);
    let plain = loop {
        let answer = answer(&mut live);
        if answer["id"] == "plain" {
            break answer;
        }
    };
    assert_eq!((&plain["simulations"], plain.get("final")), (&20.into(), None));
    // A stop of none is ignored.
    live.send(r#"{"id": 7, "stop": true}"#);
    live.send(r#"{"id": 1, "stop": true}"#);
    let first = answers_until_final(&mut live, 1);
    assert!(simulations(&first).is_sorted(), "{:?}", simulations(&first));
    live.send(r#"{"id": 2, "stop": true}"#);
    let second = answers_until_final(&mut live, 2);
    let last = second.last().unwrap();
    assert!(last["turns"][0]["turn"] == last["best"] && last["pv"][0] == last["best"], "{last}");
    // The id is free again.
    live.send(&endless(1));
    live.send(r#"{"id": 1, "stop": true}"#);
    assert!(answers_until_final(&mut live, 1).iter().all(|answer| answer["error"].is_null()));
}

#[test]
fn a_stream_ends_by_itself_at_its_limits_and_when_all_is_proven() {
    let of = |line: &str| analyze_all(&["--player", "tic_tac_toe"], line);
    let limited = of(r#"{"id": 1, "moves": [], "every_ms": 3600000, "simulations": 64}"#);
    assert_eq!((simulations(&limited), &limited[0]["final"]), (vec![64], &true.into()));
    let timed = of(r#"{"id": 1, "moves": [], "every_ms": 10, "time_ms": 60}"#);
    assert!(timed.iter().rev().skip(1).all(|answer| answer["final"] == false), "{timed:?}");
    assert_eq!(timed.last().unwrap()["final"], true);
    let won = ["a1", "b1", "a2", "b2", "a3"].map(|turn| format!("{turn:?}")).join(",");
    let over = of(&format!(r#"{{"id": 1, "moves": [{won}], "every_ms": 50}}"#));
    assert_eq!(
        (over.len(), &over[0]["final"], &over[0]["outcome"]),
        (1, &true.into(), &"x".into())
    );
    // All streams are answered, whatever ends the input.
    let lines: Vec<String> = (0..20).map(|id| endless(id).replace("1000000", "30")).collect();
    let all = analyze_all(&["--player", "susan", "--streams", "3"], &lines.join("\n"));
    let last: Vec<&Value> = all.iter().filter(|answer| answer["final"] == true).collect();
    assert_eq!(last.len(), 20);
    assert!(last.iter().all(|answer| answer["simulations"] == 30), "{last:?}");
}

/// All answers to these lines.
fn analyze_all(args: &[&str], lines: &str) -> Vec<Value> {
    let args = [&["analyze"], args].concat();
    crate::common::cli::run_with(&args, lines).well().json()
}

#[test]
fn streams_that_are_wrong_get_an_error() {
    let lines = [
        r#"{"id": 1, "moves": [], "every_ms": 5}"#,
        r#"{"id": 2, "moves": ["z9"], "every_ms": 50}"#,
        r#"{"id": 3, "moves": [], "every_ms": "often"}"#,
        r#"{"id": 4, "game": "susan", "every_ms": 50}"#,
    ];
    let errors = analyze_all(&["--player", "tic_tac_toe", "--streams", "1"], &lines.join("\n"));
    let words = ["every_ms must be between 10 and 3600000, is 5", "`z9`", "often", "not `susan`"];
    for (error, words) in errors.iter().zip(words) {
        assert!(error["error"].as_str().unwrap().contains(words), "{error}");
    }
    assert_eq!((errors.len(), &errors[1]["at"]), (4, &0.into()));

    let twice = format!("{}\n{}\n{}", endless(1), endless(1), r#"{"id": 1, "stop": true}"#);
    let answers = analyze_all(&["--player", "susan"], &twice);
    let refused: Vec<&Value> = answers.iter().filter(|it| it["error"].is_string()).collect();
    assert_eq!(refused.len(), 1, "{answers:?}");
    assert!(refused[0]["error"].as_str().unwrap().contains("still answered"));

    // The rules have one answer, and nothing to stop.
    let lines = [r#"{"game": "susan", "every_ms": 50}"#, r#"{"id": 1, "stop": true}"#];
    let answers = analyze(&[], &lines);
    assert_eq!(answers[0]["final"], true);
    assert!(answers[1]["error"].as_str().unwrap().contains("nothing to stop"));
    run(&["analyze", "--streams", "2"]).refused(2, "--player");
    run(&["analyze", "--player", "susan", "--streams", "0"]).refused(2, "1 or more");
}

#[test]
fn proven_results_say_in_how_many_turns_they_come() {
    let query = |moves: &str| format!(r#"{{"moves": [{moves}], "simulations": 200}}"#);
    let answers = analyze(
        &["--player", "tic_tac_toe"],
        &[query(r#""a1", "b2", "a2", "c2""#), query(r#""a1", "b1", "a2""#), query("")],
    );
    let found = |answer: &Value| (answer["proven"].clone(), answer["proven_in"].clone());
    assert_eq!(found(&answers[0]), ("win".into(), 1.into()));
    assert_eq!(answers[0]["turns"][0]["proven_in"], 1);
    // A draw, or a result that is not proven, has no length.
    assert!(answers[2]["proven_in"].is_null(), "{}", answers[2]);
    let lost: Vec<&Value> = answers[1]["turns"].as_array().unwrap().iter().collect();
    // White has to take a3, and loses later.
    for turn in lost.iter().filter(|turn| turn["proven"] == "loss") {
        assert_eq!(turn["proven_in"], if turn["turn"] == "a3" { 4 } else { 2 }, "{turn}");
    }
}
