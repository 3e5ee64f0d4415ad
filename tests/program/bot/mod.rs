//! A bot on AbstractPlay, against a server of the test's own: `site.rs` does what the server does.

#![cfg(all(feature = "bot", unix))]

mod referee;
mod running;
mod site;

use std::collections::HashSet;
use std::fs;
use std::net::TcpStream;
use std::sync::Mutex;
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::common::cli::run;
use crate::common::folder::Folder;
use crate::common::http::Client;

use running::{Bot, QUICK, command, send_raw, status, wait_until};
use site::{Fault, Site, nonce, now, signed};

fn challenge(game: &str, variants: &[&str], clock: [f64; 3]) -> Value {
    let [start, inc, max] = clock;
    json!({
        "verb": "challenge", "metaGame": game, "variants": variants, "clockStart": start,
        "clockInc": inc, "clockMax": max, "challengers": ["somebody"],
    })
}

const DAYS: [f64; 3] = [72.0, 24.0, 168.0];

/// Waits until the bot has played so many turns in a game.
#[track_caller]
fn wait_for(site: &Site, gameid: &str, turns: usize) {
    wait_until(&format!("turn {turns} in {gameid}"), || {
        site.state().games[gameid].played() >= turns
    });
}

#[test]
fn the_server_is_answered_and_games_are_played() {
    // Few enough that no player, however strong, has won a game before the last of them.
    const TURNS: usize = 3;
    let (site, place) = (Site::start(), Folder::new());
    let bot = Bot::start(&site, &place, &QUICK);
    for path in ["/", "/any/path"] {
        assert_eq!(Client(bot.address).get(path).json(), json!({ "operational": true }));
    }
    assert_eq!(Client(bot.address).ask("PUT /", &[], b"").status, 405);
    assert_eq!(bot.ask(&challenge("susan", &[], DAYS)), 200);
    assert_eq!(bot.ask(&challenge("breakthrough", &[], DAYS)), 200);
    assert_eq!(status(&place)["accepted"], 2);
    site.begin("first", "susan", None, TURNS);
    site.begin("second", "susan", Some("e5"), TURNS);
    site.begin("third", "breakthrough", Some("b2-b3"), TURNS);
    for turn in 1..=TURNS {
        for gameid in ["first", "second", "third"] {
            assert_eq!(bot.ask(&site.request(gameid)), 202);
            wait_for(&site, gameid, turn);
            assert!(turn == TURNS || site.reply(gameid, turn as u64 * 7919));
        }
    }
    wait_until("all turns are settled", || {
        let status = status(&place);
        status["games"].as_array().unwrap().iter().all(|game| game["state"] == "waiting")
    });
    let state = site.state();
    assert_eq!((state.issued, &state.problems), (1, &Vec::new()), "one token is enough");
    assert_eq!(state.sent.len(), 3 * TURNS, "each turn is sent once");
    drop(state);
    let status = status(&place);
    assert_eq!(status["games"].as_array().unwrap().len(), 3);
    assert_eq!((&status["accepted"], &status["errors"]), (&json!(0), &json!([])));
    assert!(now() - status["last_contact"].as_u64().unwrap() < 1000);
    let said = bot.stop();
    assert!(
        said.contains("game third (breakthrough): turn 2, ") && said.contains("is played"),
        "{said}"
    );
    assert!(said.contains("stopped; no turn is left"), "{said}");
}

#[test]
fn neutron_is_played_by_the_rules_and_in_the_notation_of_the_server() {
    let (site, place) = (Site::start(), Folder::new());
    let bot = Bot::start(&site, &place, &["--player", "neutron5_abstractplay?simulations=2"]);
    assert_eq!(bot.ask(&challenge("neutron", &[], DAYS)), 200);
    for others in [&["7x7"][..], &["restricted"], &["coneutron"], &["odd"]] {
        assert_eq!(bot.ask(&challenge("neutron", others, DAYS)), 400, "{others:?}");
    }
    site.begin("game", "neutron", None, 2);
    // Black slides the neutron to White's home row, which does not end the game here.
    site.state().games.get_mut("game").unwrap().moves =
        ["a1-a4", "a1,a5-d2"].map(str::to_owned).to_vec();
    assert_eq!(bot.ask(&site.request("game")), 202);
    wait_for(&site, "game", 2);
    let moves = site.state().games["game"].moves.clone();
    let (neutron, piece) = moves[2].split_once(',').unwrap();
    assert!(["a3", "d4"].contains(&neutron) && piece.len() == 5, "{moves:?}");
    bot.stop();
    assert_eq!(site.state().problems, Vec::<String>::new());
}

#[test]
fn a_turn_that_ends_the_game_ends_it_for_the_bot() {
    let (site, place) = (Site::start(), Folder::new());
    let bot = Bot::start(&site, &place, &["--player", "breakthrough8?simulations=200"]);
    site.begin("won", "breakthrough", None, 100);
    // The bot's first piece runs, while the other side moves to and fro where it does no harm.
    let runs = "a2-a3 h7-h6 a3-a4 h6-h5 a4-a5 g7-g6 a5-a6 g6-g5 a6xb7 h8-h7";
    site.state().games.get_mut("won").unwrap().moves = runs.split(' ').map(str::to_owned).collect();
    assert_eq!(bot.ask(&site.request("won")), 202);
    wait_until("the game is over", || site.state().games["won"].is_over);
    wait_until("the bot knows it", || status(&place)["games"] == json!([]));
    assert!(bot.stop().contains("ends the game"));
    assert_eq!(site.state().problems, Vec::<String>::new());
}

#[test]
fn a_second_signal_ends_the_bot_at_once() {
    let (site, place) = (Site::start(), Folder::new());
    let bot = Bot::start(&site, &place, &["--player", "uct?time=10m", "--time", "10m"]);
    site.begin("long", "susan", None, 1);
    assert_eq!(bot.ask(&site.request("long")), 202);
    wait_until("it searches", || status(&place)["games"][0]["state"] == "searching");
    // The first one lets the search end that has begun.
    bot.signal("-TERM");
    wait_until("it no longer listens", || TcpStream::connect(bot.address).is_err());
    bot.signal("-INT");
    assert!(bot.end_with(130).contains("press Ctrl-C again to stop at once"));
    assert_eq!(site.state().sent.len(), 0);
}

#[test]
fn a_position_is_played_once() {
    let (site, place) = (Site::start(), Folder::new());
    let bot = Bot::start(&site, &place, &QUICK);
    site.begin("twice", "susan", None, 9);
    let first = site.request("twice");
    for _ in 0..5 {
        assert_eq!(bot.ask(&first), 202);
    }
    wait_for(&site, "twice", 1);
    wait_until("it is settled", || status(&place)["games"][0]["state"] == "waiting");
    assert_eq!(bot.ask(&first), 202);
    // The server may tell of a position from before the other player's turn.
    assert_eq!(bot.ask(&site.request("twice")), 202);
    assert!(site.reply("twice", 5));
    assert_eq!(bot.ask(&site.request("twice")), 202);
    wait_for(&site, "twice", 2);
    assert_eq!(bot.ask(&first), 202, "an old position");
    let said = bot.stop();
    let state = site.state();
    assert_eq!((state.sent.len(), &state.problems), (2, &Vec::new()), "{said}");
}

#[test]
fn only_what_the_server_has_signed_is_taken() {
    let (site, place) = (Site::start(), Folder::new());
    let bot = Bot::start(&site, &place, &QUICK);
    let body = challenge("susan", &[], DAYS).to_string().into_bytes();
    let once = signed(1, now(), &nonce(), &body);
    assert_eq!(bot.send(&once, &body), 200);
    assert_eq!(bot.send(&once, &body), 403, "its nonce was seen");
    assert_eq!(bot.send(&[], &body), 403, "not signed");
    assert_eq!(bot.send(&once[..2], &body), 403);
    assert_eq!(bot.send(&signed(2, now(), &nonce(), &body), &body), 403, "by somebody else");
    for time in [0, now() - 400, now() + 400, u64::MAX] {
        assert_eq!(bot.send(&signed(1, time, &nonce(), &body), &body), 403, "{time}");
    }
    let mut other = body.clone();
    other.push(b' ');
    assert_eq!(bot.send(&signed(1, now(), &nonce(), &body), &other), 403, "another body");
    assert_eq!(status(&place)["accepted"], 1);
    // A restart knows the nonces of the last minutes.
    bot.kill();
    let bot = Bot::start(&site, &place, &QUICK);
    assert_eq!(bot.send(&once, &body), 403);
    let said = bot.stop();
    assert!(said.contains("a request was refused: its nonce was seen before"), "{said}");
}

#[test]
fn challenges_are_accepted_by_game_clock_and_number() {
    let (site, place) = (Site::start(), Folder::new());
    let arguments = [&QUICK[..], &["--games", "2", "--least-clock", "24"]].concat();
    let bot = Bot::start(&site, &place, &arguments);
    for (request, status) in [
        (challenge("chess", &[], DAYS), 400),
        (challenge("breakthrough", &["bombardment"], DAYS), 400),
        (challenge("susan", &["odd"], DAYS), 400),
        (challenge("susan", &[], [1.0, 24.0, 168.0]), 400),
        (challenge("susan", &[], [72.0, 24.0, 12.0]), 400),
        (challenge("susan", &[], [24.0, 0.0, 24.0]), 200),
        (challenge("breakthrough", &[], DAYS), 200),
        (challenge("breakthrough", &[], DAYS), 400),
    ] {
        assert_eq!(bot.ask(&request), status, "{request}");
    }
    // A game that begins is one of those that were accepted.
    site.begin("one", "susan", None, 1);
    assert_eq!(bot.ask(&site.request("one")), 202);
    wait_for(&site, "one", 1);
    assert_eq!(bot.ask(&challenge("susan", &[], DAYS)), 400);
    let said = bot.stop();
    for words in ["--games is 2", "--least-clock is 24", "a challenge to chess is refused"] {
        assert!(said.contains(words), "no `{words}` in {said}");
    }
}

#[test]
fn garbage_is_refused_and_harms_nothing() {
    let (site, place) = (Site::start(), Folder::new());
    let bot = Bot::start(&site, &place, &QUICK);
    site.begin("good", "susan", None, 1);
    let good = site.request("good");
    let with = |key: &str, value: Value| {
        let mut other = good.clone();
        other[key] = value;
        other.to_string()
    };
    let mut bodies: Vec<Vec<u8>> = [
        String::new(),
        "null".to_owned(),
        "[]".to_owned(),
        "{}".to_owned(),
        "[".repeat(100_000),
        with("verb", json!("dance")),
        with("metaGame", json!("chess")),
        with("metaGame", json!(null)),
        with("variants", json!(["odd"])),
        with("numPlayers", json!(3)),
        with("gameid", json!("")),
        with("gameid", json!("x\n")),
        with("gameid", json!("x".repeat(1000))),
        with("moves", json!([["a1", "a1"]])),
        with("moves", json!([["z9"]])),
        with("moves", json!([["\u{0}\u{1b}[2J"]])),
        with("moves", json!([["a1", 1]])),
        with("moves", json!("a1")),
        with("moves", json!(vec![["a1"]; 5000])),
        with("clockCurr", json!("long")),
    ]
    .map(String::into_bytes)
    .into();
    bodies.push(vec![0xff; 1000]);
    for body in bodies {
        let status = bot.send(&signed(1, now(), &nonce(), &body), &body);
        assert_eq!(status, 400, "{}", String::from_utf8_lossy(&body[..body.len().min(200)]));
    }
    // A request that is no HTTP, and one that ends early.
    for head in
        ["\u{0}\u{0}\r\n\r\n", "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc"]
    {
        let _ = std::net::TcpStream::connect(bot.address)
            .and_then(|mut stream| std::io::Write::write_all(&mut stream, head.as_bytes()));
    }
    assert_eq!(bot.ask(&good), 202);
    wait_for(&site, "good", 1);
    assert!(!bot.stop().contains('\u{1b}'), "a terminal gets no commands");
}

#[cfg(target_os = "linux")]
#[test]
fn a_huge_body_takes_no_memory() {
    let (site, place) = (Site::start(), Folder::new());
    let bot = Bot::start(&site, &place, &QUICK);
    let before = bot.peak_memory();
    let size = 100 << 20;
    let head = format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {size}\r\n\r\n");
    // It is refused before all of it was sent, so that the answer may be lost.
    let refused = send_raw(bot.address, &head, size);
    assert!(refused.is_none_or(|status| status == 413), "{refused:?}");
    let small = 2 << 20;
    let head = format!("POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {small}\r\n\r\n");
    assert_eq!(send_raw(bot.address, &head, small), Some(413));
    let grown = bot.peak_memory().saturating_sub(before);
    assert!(grown < 20 << 10, "{grown} KiB");
    assert_eq!(bot.ask(&challenge("susan", &[], DAYS)), 200);
    bot.stop();
}

#[test]
fn whatever_the_server_answers_a_turn_is_played_in_the_end() {
    for (fault, token) in [
        (Fault::Tokens, 2),
        (Fault::Gateway(500), 1),
        (Fault::Gateway(503), 1),
        (Fault::Function, 1),
        (Fault::Died, 1),
        (Fault::Lost, 1),
        (Fault::Silent, 1),
        (Fault::Echo, 1),
    ] {
        let (site, place) = (Site::start(), Folder::new());
        let bot = Bot::start(&site, &place, &[&QUICK[..], &["--timeout", "5s"]].concat());
        site.begin("game", "breakthrough", None, 2);
        for turn in 1..=2 {
            site.state().faults.push_back(if turn == 1 { fault } else { Fault::Gateway(502) });
            assert_eq!(bot.ask(&site.request("game")), 202);
            wait_for(&site, "game", turn);
            if turn == 1 {
                assert!(site.reply("game", 3));
            }
        }
        wait_until("it is settled", || status(&place)["games"][0]["state"] == "waiting");
        let errors = status(&place)["errors"].as_array().unwrap().len();
        assert!(errors >= 1 || fault == Fault::Tokens, "{fault:?}");
        let said = bot.stop();
        let state = site.state();
        assert_eq!(state.problems, Vec::<String>::new(), "{fault:?}: {said}");
        let sent: HashSet<_> = state.sent.iter().collect();
        assert_eq!(sent.len(), 2, "{fault:?}: {:?}", state.sent);
        assert_eq!(state.issued, token, "{fault:?}: {said}");
    }
}

#[test]
fn tokens_that_end_are_renewed() {
    let (site, place) = (Site::start(), Folder::new());
    site.state().lifetime = 0;
    let bot = Bot::start(&site, &place, &QUICK);
    site.begin("game", "susan", None, 3);
    for turn in 1..=3 {
        assert_eq!(bot.ask(&site.request("game")), 202);
        wait_for(&site, "game", turn);
        assert!(turn == 3 || site.reply("game", 4));
    }
    bot.stop();
    let state = site.state();
    assert_eq!(
        (state.issued, state.sent.len()),
        (3, 3),
        "a token for each turn, before it is sent"
    );
    assert_eq!(state.problems, Vec::<String>::new());
}

#[test]
fn a_game_that_is_gone_is_given_up() {
    let (site, place) = (Site::start(), Folder::new());
    let bot = Bot::start(&site, &place, &QUICK);
    site.begin("gone", "susan", None, 1);
    let request = site.request("gone");
    site.state().games.clear();
    assert_eq!(bot.ask(&request), 202);
    wait_until("it is sent", || !site.state().sent.is_empty());
    wait_until("it is settled", || status(&place)["games"] == json!([]));
    assert!(bot.stop().contains("does not have the game any more"));
    assert_eq!(site.state().sent.len(), 1);
}

/// A signal lets the search that has begun end. What waits is played after the next start.
#[test]
fn a_signal_loses_no_turn() {
    let (site, place) = (Site::start(), Folder::new());
    // A search by time, one at a time.
    let slow = ["--player", "uct?rollouts=10000000", "--threads", "1", "--time", "10s"];
    let bot = Bot::start(&site, &place, &slow);
    for gameid in ["a", "b", "c"] {
        site.begin(gameid, "breakthrough", None, 1);
        assert_eq!(bot.ask(&site.request(gameid)), 202);
    }
    let said = bot.stop();
    let played = site.state().sent.len();
    assert!(played <= 2, "{said}");
    let left = 3 - played;
    assert!(said.contains("stopping: ") && said.contains("press Ctrl-C again"), "{said}");
    assert!(said.contains(&format!("{left} turns are left in ")), "{said}");
    let games = status(&place)["games"].clone();
    let states: Vec<_> = games.as_array().unwrap().iter().map(|game| &game["state"]).collect();
    assert_eq!(states.iter().filter(|state| **state == "searching").count(), left, "{games}");
    let bot = Bot::start(&site, &place, &QUICK);
    for gameid in ["a", "b", "c"] {
        wait_for(&site, gameid, 1);
    }
    bot.signal("-INT");
    let said = bot.end();
    assert!(said.contains(&format!("{left} turns were left by the last start")), "{said}");
    let state = site.state();
    assert_eq!((state.sent.len(), &state.problems), (3, &Vec::new()));
}

/// Two hundred games at once, while the bot is killed again and again.
#[test]
fn kills_neither_lose_nor_double_a_turn() {
    const GAMES: usize = 200;
    const TURNS: usize = 3;
    const KILLS: u64 = 8;
    let (site, place) = (Site::start(), Folder::new());
    let arguments = [&QUICK[..], &["--games", "1000"]].concat();
    let start = || Bot::start(&site, &place, &arguments);
    let bot = Mutex::new(Some(start()));
    let names: Vec<String> = (0..GAMES).map(|number| format!("game-{number}")).collect();
    for (number, gameid) in names.iter().enumerate() {
        match number % 4 {
            0 => site.begin(gameid, "susan", None, TURNS),
            1 => site.begin(gameid, "susan", Some("e5"), TURNS),
            2 => site.begin(gameid, "breakthrough", None, TURNS),
            _ => site.begin(gameid, "breakthrough", Some("c2-c3"), TURNS),
        }
    }
    // What goes wrong besides.
    let faults = [Fault::Gateway(502), Fault::Lost, Fault::Tokens, Fault::Function];
    site.state().faults.extend(faults.repeat(10));
    thread::scope(|scope| {
        // Each thread is the other player of some games.
        for (number, names) in names.chunks(GAMES / 8).enumerate() {
            let (site, bot) = (&site, &bot);
            scope.spawn(move || {
                for turn in 1..=TURNS {
                    names.iter().for_each(|gameid| deliver(site, bot, gameid));
                    for (index, gameid) in names.iter().enumerate() {
                        wait_for(site, gameid, turn);
                        let random = (number * 1000 + index * 7 + turn) as u64;
                        assert!(turn == TURNS || site.reply(gameid, random));
                    }
                }
            });
        }
        let mut random = 1_u64;
        for _ in 0..KILLS {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            thread::sleep(Duration::from_millis(20 + (random >> 33) % 400));
            let mut bot = bot.lock().unwrap();
            bot.take().unwrap().kill();
            *bot = Some(start());
        }
    });
    wait_until("all turns are settled", || {
        let games = status(&place)["games"].clone();
        games.as_array().unwrap().iter().all(|game| game["state"] == "waiting")
    });
    let said = bot.into_inner().unwrap().unwrap().stop();
    let state = site.state();
    assert_eq!(state.problems, Vec::<String>::new(), "{said}");
    let played: usize = state.games.values().map(|game| game.played()).sum();
    assert_eq!(played, GAMES * TURNS);
    assert!(state.games.values().all(|game| game.is_done()));
}

/// Sends a request until the bot has taken it: it may be killed before it answers.
fn deliver(site: &Site, bot: &Mutex<Option<Bot>>, gameid: &str) {
    let body = site.request(gameid).to_string().into_bytes();
    wait_until("the bot takes the request", || {
        let address = bot.lock().unwrap().as_ref().unwrap().address;
        running::try_send(address, &signed(1, now(), &nonce(), &body), &body) == Some(202)
    });
}

#[test]
fn a_damaged_journal_is_refused_and_a_torn_one_mended() {
    let (site, place) = (Site::start(), Folder::new());
    let bot = Bot::start(&site, &place, &QUICK);
    assert_eq!(bot.ask(&challenge("susan", &[], DAYS)), 200);
    assert_eq!(bot.ask(&challenge("susan", &[], DAYS)), 200);
    bot.kill();
    let path = place.file("bot").join("journal.jsonl");
    let whole = fs::read_to_string(&path).unwrap();
    fs::write(&path, whole.trim_end().strip_suffix('}').unwrap()).unwrap();
    let folder = place.file("bot");
    let shown = run(&["bot", "status", "--journal", folder.to_str().unwrap()]).well().stdout;
    assert!(shown.contains("cut off") && shown.contains("accepted           1\n"), "{shown}");
    let said = Bot::start(&site, &place, &QUICK).stop();
    assert!(said.contains("the last line of ") && said.contains("was cut off"), "{said}");
    fs::write(&path, whole.replacen("\"event\":\"challenge\"", "\"event\":\"chall", 1)).unwrap();
    let output = command(&site, &place.file("bot"), &QUICK).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("line 2 of ") && said.contains("is damaged"), "{said}");
    run(&["bot", "status", "--journal", folder.to_str().unwrap()]).refused(1, "line 2 of ");
}

#[test]
fn what_is_missing_is_said_before_anything_is_written() {
    let (site, place) = (Site::start(), Folder::new());
    let folder = place.file("bot");
    let refused = |arguments: &[&str], change: &dyn Fn(&mut std::process::Command), words: &str| {
        let mut command = command(&site, &folder, arguments);
        change(&mut command);
        let output = command.output().unwrap();
        let said = String::from_utf8(output.stderr).unwrap();
        assert_eq!((output.status.code(), output.stdout), (Some(2), Vec::new()), "{said}");
        assert!(said.contains(words) && !said.contains(site::CLIENT_SECRET), "{said}");
        assert!(!folder.exists());
    };
    for (name, _) in site.environment() {
        let without = |command: &mut std::process::Command| {
            command.env_remove(name);
        };
        refused(&QUICK, &without, name);
    }
    let insecure = |command: &mut std::process::Command| {
        command.env("BOT_TOKEN_URL", "http://example.org/");
    };
    refused(&QUICK, &insecure, "https://");
    let same = ["--player", "susan", "--player", "susan?simulations=2"];
    refused(&same, &|_| (), "both play susan");
    refused(&["--player", "uct", "--player", "random"], &|_| (), "all other games");
    refused(&["--player", "gtp:cat"], &|_| (), "external engine");
    refused(&[], &|_| (), "--player");
    refused(&[&QUICK[..], &["--time", "2h"]].concat(), &|_| (), "from 10ms to 1h");
    refused(&[&QUICK[..], &["--public-key", "/nowhere"]].concat(), &|_| (), "/nowhere");
    run(&["bot", "status", "--journal", folder.to_str().unwrap()]).refused(1, "--journal");
}

#[test]
fn two_bots_do_not_share_a_journal() {
    let (site, place) = (Site::start(), Folder::new());
    let bot = Bot::start(&site, &place, &QUICK);
    let mut second = command(&site, &place.file("bot"), &QUICK);
    let output = second.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("another bot uses the journal"));
    bot.stop();
    let output = second.env("BOT_CLIENT_ID", "another").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(String::from_utf8(output.stderr).unwrap().contains("belongs to another bot"));
}
