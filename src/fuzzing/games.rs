//! Turns and positions of all games, and the formats of records.

use crate::base::durable::checksum;
use crate::base::rng::{Purpose, stream};
use crate::exact::book::{Book, sealed_book};
use crate::games::{Text, Turn, legal_turns, options, parse_turn};
use crate::nn::Batch;
use crate::play::notation::{self, Format, Transcript};
use crate::play::positions::file::PositionFile;
use crate::registry::{self, Position, Variant};
use crate::selfplay::record::{RecordFile, is_record, sealed};
use crate::selfplay::replay::{Buffer, Settings};

/// The most turns that an input plays.
const MOST_TURNS: usize = 80;

/// A game: `NAME OPTION=VALUE...`, then a turn on each line. A line that is not a legal turn stands
/// for some legal one.
pub(super) fn turns(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let Some(variant) = variant_of(first) else { return };
    let lines: Vec<&str> = rest.lines().take(MOST_TURNS).collect();
    let moves = play_lines(&variant, &lines);
    let game = Transcript::new(variant, &moves, None).expect("legal turns");
    written_and_read(&[game]);
}

fn variant_of(text: &str) -> Option<Variant> {
    let (name, given) = text.trim().split_once(' ').unwrap_or((text.trim(), ""));
    let rules = options(given.split(' ').filter(|text| !text.is_empty())).ok()?;
    let variant = registry::find(name, &rules).ok()?;
    let again = registry::find(name, &variant.changed_options());
    assert_eq!(again.expect("options of a game"), variant);
    Some(variant)
}

/// Plays the lines and returns the turns.
fn play_lines(variant: &Variant, lines: &[&str]) -> Vec<Text> {
    let (mut game, mut moves) = (variant.initial(), Vec::new());
    let mut planes = vec![0.0; variant.spec().observation()];
    for (index, line) in lines.iter().enumerate() {
        let legal = legal_turns(&game);
        assert_eq!(legal.is_empty(), game.outcome().is_some(), "{game}");
        let read = parse_turn(&game, line).ok();
        if legal.is_empty() {
            assert_eq!(read, None);
            break;
        }
        let some = || legal[checksum(line.as_bytes()) as usize % legal.len()].clone();
        let turn = read.unwrap_or_else(some);
        assert!(legal.contains(&turn), "{turn:?} in {game}");
        expect_read(&game, &turn);
        if index % 16 == 0 {
            legal.iter().for_each(|turn| expect_read(&game, turn));
        }
        game.observe(&mut planes);
        assert!(planes.iter().all(|number| (0.0..=1.0).contains(number)), "{game}");
        let ply = game.ply();
        turn.play_on(&mut game);
        assert_eq!(game.ply(), ply + 1);
        moves.push(turn.text);
    }
    assert_eq!(variant.replay(&moves, |_| ()), Ok(game));
    moves
}

/// Checks that the text of a turn is read as this turn, in any case and between spaces.
fn expect_read(game: &Position, turn: &Turn) {
    let spaced = format!(" {}\t", turn.text.to_ascii_uppercase());
    for text in [turn.text.as_str(), &spaced] {
        assert_eq!(parse_turn(game, text).as_ref(), Ok(turn), "{text} in {game}");
    }
}

/// The records of games in any format.
pub(super) fn transcripts(input: &[u8]) {
    if let Ok(games) = notation::read(input) {
        written_and_read(&games);
    }
}

/// Checks that games are the same after they were written and read, in every format.
fn written_and_read(games: &[Transcript]) {
    for format in [Format::Pgn, Format::Lines, Format::AbstractPlay] {
        let Ok(text) = notation::write(games, format) else { continue };
        let read = notation::read(text.as_bytes());
        let read = read.unwrap_or_else(|error| panic!("{format:?}: {error}\n{text}"));
        assert_eq!(read.len(), games.len(), "{text}");
        for (one, other) in read.iter().zip(games) {
            if format != Format::AbstractPlay {
                assert_eq!(one, other, "{format:?}\n{text}");
                continue;
            }
            // These records have neither values nor all times, and Susan only in one notation.
            assert_eq!((one.game(), one.outcome()), (other.game(), other.outcome()), "{text}");
            assert_eq!(one.moves().len(), other.moves().len(), "{text}");
            let text = notation::write(std::slice::from_ref(one), format);
            let again = notation::read(text.expect("it is finished").as_bytes());
            assert_eq!(again.expect("it was read before"), std::slice::from_ref(one));
        }
    }
}

/// A file of self-play games: its bytes, or its payload, which gets a header.
pub(super) fn records(input: &[u8]) {
    let bytes = if is_record(input) { input.to_vec() } else { sealed(input) };
    if let Ok(games) = notation::read(&bytes) {
        written_and_read(&games);
    }
    let Ok(file) = RecordFile::decode(&bytes) else { return };
    let written = file.encode().expect("plain values");
    let again = RecordFile::decode(&written).expect("what was written can be read");
    assert_eq!(again.encode().expect("plain values"), written);
    let rules = serde_json::from_str(&file.header.rules).unwrap_or_default();
    if let Ok(variant) = registry::find(&file.header.game, &rules) {
        sampled(file, &variant);
    }
}

/// Puts the games into a replay buffer, if they are legal, and samples from it.
fn sampled(file: RecordFile, variant: &Variant) {
    if file.check(variant).is_err() {
        return;
    }
    for game in &file.games {
        assert_eq!(game.turns(variant).len(), game.plies as usize);
    }
    let mut buffer = Buffer::new(*variant, &Settings::default());
    buffer.push(file.games);
    if buffer.positions() == 0 {
        return;
    }
    let (mut rng, mut batch) = (stream(1, 1, 1, Purpose::Sampling), Batch::default());
    buffer.draw(4, &mut rng, &mut batch);
    for policy in batch.policy.chunks_exact(variant.spec().actions()) {
        let sum: f32 = policy.iter().sum();
        assert!((sum - 1.0).abs() < 1e-3, "the policy sums to {sum}");
    }
    assert!(!buffer.newest_examples(2, &mut rng).is_empty());
}

/// A file of positions.
pub(super) fn positions(input: &[u8]) {
    let Ok(text) = std::str::from_utf8(input) else { return };
    let Ok(file) = PositionFile::read("input", text) else { return };
    let variant = &file.variant;
    let Ok(found) = file.positions(variant) else { return };
    let written = file.header.with(&found);
    let again = PositionFile::read("written", &written).expect("what was written can be read");
    let again = again.positions(variant).expect("legal positions");
    assert_eq!(again.len(), found.len());
    for (one, other) in again.iter().zip(&found) {
        assert_eq!((one.kind, &one.moves, &one.right), (other.kind, &other.moves, &other.right));
    }
}

/// A position: `NAME OPTION=VALUE...` on the first line, the text of a position on the second.
pub(super) fn position(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let Some(variant) = variant_of(first) else { return };
    position_of(&variant, rest);
}

/// Reads a position, writes it, reads it again and plays some turns from it.
fn position_of(variant: &Variant, text: &str) {
    let Ok(mut game) = variant.position(Some(text)) else { return };
    for turn in 0..MOST_TURNS {
        let written = game.position_text();
        assert_eq!(variant.position(Some(&written)), Ok(game), "{written}");
        let legal = legal_turns(&game);
        assert_eq!(legal.is_empty(), game.outcome().is_some(), "{game}");
        assert_eq!(game.ending().is_some(), game.outcome().is_some(), "{game}");
        let Some(next) = legal.get(checksum(&[turn as u8]) as usize % legal.len().max(1)) else {
            return;
        };
        let mut planes = vec![0.0; variant.spec().observation()];
        game.observe(&mut planes);
        next.play_on(&mut game);
    }
}

/// The positions of a book of 5x5 Neutron, each after a number of turns.
pub(super) fn book(input: &[u8]) {
    let Ok(variant) = registry::preset("neutron5") else { return };
    let text = String::from_utf8_lossy(input);
    let Ok(book) =
        Book::read(&text, &variant).or_else(|_| Book::read(&sealed_book(&text), &variant))
    else {
        return;
    };
    assert_eq!(Book::read(book.text(), &variant).expect("a book that was read"), book);
    let _ = (book.winning_turn(&variant.initial()), book.check(&variant));
}
