use rand::RngExt;

use super::shipped::BOOKS;
use super::*;
use crate::base::rng::{Purpose, stream};
use crate::exact::solution::Solution;
use crate::exact::solution::tests::{neutron4, solve4};
use crate::games::{Neutron, NeutronRules};
use crate::registry::{self, Variant};
use crate::tests::common::folder::Folder;

/// The game that the first line of a book names.
fn variant_of(text: &str) -> Variant {
    let header: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
    registry::preset(header["game"].as_str().unwrap()).unwrap()
}

fn neutron5() -> (Variant, Book) {
    let variant = registry::preset("neutron5").unwrap();
    (variant, shipped(&variant).unwrap())
}

/// A book of `neutron5` with these lines of positions.
fn with_lines(lines: &[&str]) -> String {
    sealed_book(&lines.iter().map(|line| format!("{line}\n")).collect::<String>())
}

/// The turns of a game of the winner by the book against random turns.
fn game_against_random(book: &Book, variant: &Variant, number: u64) -> u32 {
    let mut rng = stream(3, number, 0, Purpose::Position);
    let mut game = variant.initial();
    while game.outcome().is_none() {
        let turns = legal_turns(&game);
        let turn = if game.to_move() == book.winner {
            let (turn, left) = book.winning_turn(&game).expect("the book has an answer");
            assert!(game.ply() + left <= book.turns, "{game}");
            turn
        } else {
            turns[rng.random_range(0..turns.len())].clone()
        };
        turn.play_on(&mut game);
    }
    assert_eq!(game.outcome(), Some(Outcome::Win(book.winner)), "{game}");
    game.ply()
}

#[test]
fn shipped_books_are_proofs() {
    for text in BOOKS {
        let variant = variant_of(text);
        let book = Book::read(text, &variant).unwrap();
        book.check(&variant).unwrap();
        assert_eq!(shipped(&variant), Some(book.clone()), "one book a game");
        let lengths: Vec<u32> =
            (0..200).map(|number| game_against_random(&book, &variant, number)).collect();
        assert!(lengths.iter().all(|turns| *turns <= book.turns));
    }
}

#[test]
fn a_book_that_lacks_a_position_is_no_proof() {
    let (variant, book) = neutron5();
    let lines: Vec<&str> = book.text().lines().skip(1).collect();
    let is_proof_without = |missing: usize| {
        let rest = lines.iter().enumerate().filter(|(at, _)| *at != missing);
        let rest: Vec<&str> = rest.map(|(_, line)| *line).collect();
        let book = Book::read(&with_lines(&rest), &variant).unwrap();
        book.check(&variant).is_ok()
    };
    assert!(!is_proof_without(0));
    // Some have another answer that is in the book as well.
    let tried = (0..lines.len()).step_by(12);
    let (count, proofs) = (tried.len(), tried.filter(|at| is_proof_without(*at)).count());
    assert!(proofs < count / 2, "{proofs} of {count}");
    // A promise that is too good.
    let first = lines[0].replacen("10 ", "8 ", 1);
    let changed: Vec<&str> = std::iter::once(first.as_str()).chain(lines[1..].to_vec()).collect();
    let book = Book::read(&with_lines(&changed), &variant).unwrap();
    assert!(book.check(&variant).unwrap_err().to_string().contains("wins in"));
}

#[test]
fn a_forged_book_is_refused_when_it_is_opened() {
    let (variant, book) = neutron5();
    let (folder, text) = (Folder::new(), book.text());
    let path = folder.file("book");
    std::fs::write(&path, text).unwrap();
    assert_eq!(Book::open(&path, &variant).unwrap(), book);
    // A limit that comes before the win makes it no worse.
    let short = NeutronRules { max_plies: 10, ..NeutronRules::FIVE };
    assert!(Book::open(&path, &Variant::new::<Neutron<5>>("neutron5", short)).is_ok());
    // A turn that loses is said to win at once; its checksum is right.
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let forged = lines[lines.len() / 2].split_once(' ').map(|(_, rest)| format!("1 {rest}"));
    let forged = forged.unwrap();
    let mut lines = lines;
    let middle = lines.len() / 2;
    lines[middle] = &forged;
    std::fs::write(&path, with_lines(&lines)).unwrap();
    let said = format!("{:#}", Book::open(&path, &variant).unwrap_err());
    assert!(said.contains("cannot read the book"), "{said}");
}

#[test]
fn damaged_and_foreign_books_are_refused() {
    let (variant, book) = neutron5();
    let refused = |text: &str| format!("{:#}", Book::read(text, &variant).unwrap_err());
    let text = book.text();
    assert!(refused(&text[..text.len() - 9]).contains("its checksum"));
    assert!(refused(&text.replace("10 xxxxx", "10 .xxxx")).contains("its checksum"));
    assert!(refused("").contains("no positions"));
    assert!(refused("{}\n").contains("first line"));
    assert!(refused(&text.replacen("\"book\":1", "\"book\":2", 1)).contains("the format 2"));
    assert!(refused(&with_lines(&["10"])).contains("line 2"));
    assert!(
        refused(&with_lines(&["300 xxxxx/...../..*../...../ooooo x ply=3"])).contains("line 2")
    );
    assert!(
        refused(&with_lines(&["10 xxxxx/...../..*../...../ooooo o ply=2"])).contains("the winner")
    );
    let other = Variant::new::<Neutron<5>>("neutron5", NeutronRules::FIVE.coneutron());
    let said = format!("{:#}", Book::read(text, &other).unwrap_err());
    assert!(
        said.contains("a book of neutron5") && said.contains("not of neutron5 with these"),
        "{said}"
    );
    let folder = Folder::new();
    let said = format!("{:#}", Book::open(&folder.file("none"), &variant).unwrap_err());
    assert!(said.contains("cannot read the book"), "{said}");
    let said = format!("{:#}", Book::open(&folder.file(""), &variant).unwrap_err());
    assert!(said.contains("not a file"), "{said}");
}

#[test]
fn a_limit_that_comes_before_the_win_leaves_nothing_to_say() {
    for (max_plies, won) in [(0, true), (10, false), (11, true), (200, true)] {
        let rules = NeutronRules { max_plies, ..NeutronRules::FIVE };
        let variant = Variant::new::<Neutron<5>>("neutron5", rules);
        let book = shipped(&variant).unwrap();
        let turn = book.winning_turn(&variant.initial());
        assert_eq!(turn.map(|(_, turns)| turns), won.then_some(11), "{max_plies}");
    }
}

#[test]
fn mirrored_positions_have_mirrored_answers() {
    let (variant, book) = neutron5();
    let layout = variant.layout().unwrap();
    for placement in book.lost.keys().take(50) {
        let [one, other] = [0, 1].map(|symmetry| {
            let image = layout.image(placement, symmetry);
            let side = book.winner.other();
            let game = variant.position_of(&image, side).unwrap();
            let turns = legal_turns(&game).into_iter();
            let mut found: Vec<_> = turns
                .map(|turn| book.winning_turn(&turn.after(&game)).map(|(_, turns)| turns))
                .collect();
            found.sort_unstable();
            found
        });
        assert_eq!(one, other);
    }
}

#[test]
fn a_book_is_made_of_a_solution_and_proves_the_win() {
    let folder = Folder::new();
    solve4(&folder);
    let (variant, ..) = neutron4(&folder);
    let solution = Solution::open(&folder.file("solution"), &variant).unwrap();
    let book = make(&solution, &variant).unwrap();
    book.check(&variant).unwrap();
    let path = folder.file("neutron4.book");
    book.write(&path).unwrap();
    assert_eq!(Book::open(&path, &variant).unwrap(), book);
    for number in 0..100 {
        assert!(game_against_random(&book, &variant, number) <= book.turns);
    }
    let uncapped = variant.uncapped();
    assert_eq!(book, make(&solution, &uncapped).unwrap(), "the same book each time");
}
