//! Tests of `tavoliere positions` and `tavoliere exact`: test suites and the accuracy of players.

use serde_json::Value;

use crate::common::cli::{program, run};
use crate::common::folder::Folder;

#[test]
fn the_program_generates_and_uses_suites() {
    let folder = Folder::new();
    let path = folder.file("set.jsonl");
    let file = path.to_str().unwrap();
    let make = ["positions", "tic_tac_toe", "--kinds", "win3,only2,value", "--each", "5"];
    let options = ["--opening", "1", "--games", "200", "--horizon", "9", "--seed", "4"];
    let made = run(&[&make[..], &options, &["--output", file]].concat()).well().stdout;
    assert_eq!(made, "win3 5\nonly2 5\nvalue 41\n");
    let written = std::fs::read_to_string(&path).unwrap();
    // The command in the header generates the same suite, here on standard output.
    let header: Value = serde_json::from_str(written.lines().next().unwrap()).unwrap();
    let command = header["command"].as_str().unwrap().replace('\'', "");
    let words: Vec<&str> = command.split(' ').collect();
    assert_eq!(words[0], "tavoliere");
    assert_eq!(run(&words[1..]).well().stdout, written);
    let test = ["exact", "perfect", "alphabeta?depth=9", "--positions", file];
    for answer in run(&[&test[..], &["--json"]].concat()).well().json() {
        assert_eq!(
            (&answer["game"], &answer["simulations"]),
            (&"tic_tac_toe".into(), &Value::Null)
        );
        let measures = answer["measures"].as_object().unwrap();
        assert_eq!(measures.len(), 4, "{measures:?}");
        for measure in measures.values() {
            assert_eq!(measure["solved"], measure["positions"]);
            assert_eq!((&measure["share"], &measure["interval"][1]), (&1.0.into(), &1.0.into()));
        }
    }
    let shown = run(&test).well().stdout;
    for words in ["perfect, tic_tac_toe:", "value_matters", "100.0 %  (95 % interval"] {
        assert!(shown.contains(words), "no `{words}` in {shown}");
    }
}

#[test]
fn the_program_finds_the_same_on_any_number_of_threads() {
    let result = |threads: &str| {
        let args = ["exact", "uct?rollouts=30", "--game", "tic_tac_toe", "--json"];
        let output = program(&args).env("RAYON_NUM_THREADS", threads).output().unwrap();
        assert!(output.status.success());
        output.stdout
    };
    assert_eq!(result("1"), result("3"));
}

#[test]
fn requirements_decide_the_exit_status() {
    let test = |player: &str, condition: &str| {
        let args = ["exact", player, "--game", "tic_tac_toe", "--require", condition];
        run(&args).status
    };
    assert_eq!(test("perfect", "value>=100%"), Some(0));
    assert_eq!(test("random", "value < 1"), Some(2));
    assert_eq!(test("random", "value_matters>=0.95"), Some(3));
    assert_eq!(test("perfect", "value>1"), Some(3));
}

#[test]
fn errors_are_drawn() {
    let folder = Folder::new();
    let [svg, png] = ["a.svg", "a.png"].map(|name| folder.file(name).display().to_string());
    let args = ["exact", "random", "perfect", "--game", "tic_tac_toe", "--picture", &svg];
    run(&[&args[..], &["--picture", &png, "--measure", "win3"]].concat()).well();
    let picture = std::fs::read_to_string(&svg).unwrap();
    for words in ["tic_tac_toe: error (win3)", ">random<", ">perfect<", "% of the positions"] {
        assert!(picture.contains(words), "no {words} in {picture}");
    }
    assert!(std::fs::read(&png).unwrap().starts_with(b"\x89PNG"));
}

#[cfg(feature = "net")]
#[test]
fn errors_are_drawn_over_the_training() {
    use crate::common::run::Setup;
    let setup = Setup::new(
        "game = \"tic_tac_toe\"\niterations = 2\n[network]\nchannels = 8\nblocks = 1\n\
         value_hidden = 8\n[selfplay]\ngames = 8\nbatch = 8\nsimulations = 4\n\
         [learner]\nbatch = 16\n",
    );
    setup.train(&[]).succeeded();
    let (folder, net) = (Folder::new(), setup.run().display().to_string());
    let svg = folder.file("a.svg").display().to_string();
    let players = [format!("{net}@0..2/2"), format!("policy:{net}@*")];
    let args = ["exact", &players[0], &players[1], "random", "--simulations", "1,3", "--json"];
    let reports = run(&[&args[..], &["--picture", &svg]].concat()).well().json();
    let names: Vec<&str> = reports.iter().map(|it| it["player"].as_str().unwrap()).collect();
    let name = |kind: &str, iteration: u32| format!("{kind}{net}@{iteration}");
    let [raw0, raw1, raw2] = [0, 1, 2].map(|iteration| name("policy:", iteration));
    let [first, last] = [0, 2].map(|iteration| name("", iteration));
    assert_eq!(names, [&*first, &*first, &*last, &*last, &*raw0, &*raw1, &*raw2, "random"]);
    let picture = std::fs::read_to_string(&svg).unwrap();
    let curves = [">run at 1 simulation<", ">run at 3 simulations<", ">policy:run<", ">random<"];
    for words in [&curves[..], &["tic_tac_toe: error (value)", "seconds of training"]].concat() {
        assert!(picture.contains(words), "no {words} in {picture}");
    }
}

#[test]
fn bad_arguments_are_refused() {
    let cases: &[(&[&str], &str)] = &[
        (&["exact"], "PLAYERS"),
        (
            &["exact", "random"],
            "neither the players nor --positions have a game; name one by --game",
        ),
        (&["exact", "random", "--game", "susn"], "did you mean `susan`?"),
        (&["exact", "random", "--rule", "holes=2"], "--game <NAME>"),
        (
            &["exact", "random", "--game", "neutron5_hole1", "--rule", "holes=2"],
            "name a suite with these rules by --positions",
        ),
        (&["exact", "randon", "--game", "susan"], "did you mean `random`?"),
        (&["exact", "perfect", "--game", "susan"], "tic_tac_toe and connect_four only"),
        (
            &["exact", "random", "--game", "susan", "--kinds", "win"],
            "`win` is not a kind of position",
        ),
        (
            &["exact", "random", "--game", "susan", "--kinds", "value"],
            "no positions of susan match --kinds and --after",
        ),
        (&["exact", "random", "--game", "susan", "--simulations", "0"], "0 is not in 1.."),
        (
            &["exact", "random", "--game", "susan", "--positions", "/nowhere"],
            "cannot read /nowhere",
        ),
        (&["exact", "random", "--game", "susan", "--require", "win5"], "KIND>=ACCURACY"),
        (&["exact", "random", "--game", "susan", "--require", "win5>2"], "is no accuracy"),
        (&["exact", "random", "--game", "susan", "--require", "win55>0"], "known are"),
        (&["exact", "random", "--game", "susan", "--picture", "a.gif"], "FILE.svg nor FILE.png"),
        (
            &["exact", "random", "--game", "susan", "--picture", "a.svg", "--measure", "win33"],
            "--measure: `win33` is not tested here, did you mean `win3`?",
        ),
        (&["exact", "random", "--game", "susan", "--measure", "win3"], "--picture <FILE>"),
        (&["exact", "nowhere@*", "--game", "susan"], "there is no run in nowhere"),
        (&["positions", "susn"], "did you mean `susan`?"),
        (&["positions", "susan", "--kinds", "win9"], "--kinds win9 exceeds --horizon 7"),
        (&["positions", "susan", "--kinds", "value"], "susan is not solved"),
        (&["positions", "susan", "--players", "random"], "takes two player specs"),
        (&["positions", "susan", "--players", "random,uct?time=1s"], "without a time limit"),
        (&["positions", "susan", "--rule", "pie"], "OPTION=VALUE"),
        (&["positions", "susan", "--plies", "5-2"], "FIRST-LAST"),
        (&["positions", "tic_tac_toe", "--opening", "0"], "fewer games"),
    ];
    for (args, words) in cases {
        run(args).refused(2, words);
    }
    let nothing = ["positions", "susan", "--kinds", "only6", "--games", "1", "--opening", "1"];
    let players = ["--players", "random,random", "--nodes", "1"];
    run(&[&nothing[..], &players].concat()).refused(1, "raise --games or --nodes");
    let nowhere = ["positions", "tic_tac_toe", "--kinds", "value", "--output", "/nowhere/at/all"];
    run(&nowhere).refused(1, "cannot write /nowhere/at/all");
}

#[test]
fn players_are_tested_under_other_rules() {
    let folder = Folder::new();
    let file = folder.file("suite.jsonl");
    let suite = ["--output", file.to_str().unwrap()];
    let make =
        ["positions", "neutron5_hole1", "--rule", "holes=2", "--kinds", "win3", "--each", "2"];
    run(&[&make[..], &["--horizon", "3", "--games", "200"], &suite].concat()).well();
    let test = ["exact", "random", "--positions", suite[1], "--game", "neutron5_hole1", "--rule"];
    assert!(run(&[&test[..], &["holes=2"]].concat()).well().stdout.contains("of     2"));
    run(&[&test[..], &["holes=1"]].concat()).refused(2, "other rules than those of --rule");
}
