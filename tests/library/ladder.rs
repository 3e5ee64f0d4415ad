//! Tests of ladders: scheduling, the log, standings.

use crate::play::arena::Winner;
use crate::registry;
use crate::runs::ladder::journal::{Event, Pair};
use crate::runs::ladder::{Fixture, Header, Journal, LadderPlayer, Standings, schedule};
use crate::stats::Estimate;

// ---- scheduling ----

/// A ladder of tic-tac-toe between `players` players, in which these pairs were played.
fn journal(players: usize, pairs: &[([usize; 2], &[[Winner; 2]])]) -> Journal {
    let mut journal = Journal::new(header());
    for player in 0..players {
        journal.apply(Event::Player(entry(&player.to_string()))).unwrap();
    }
    for (two, winners) in pairs {
        for &winners in *winners {
            let opening = journal.pairs_between(*two);
            let [first, second] = *two;
            journal
                .apply(Event::Round(vec![Fixture { first, second, opening, pairs: 1 }]))
                .unwrap();
            journal.apply(Event::Pair(Pair { first, second, opening, winners })).unwrap();
        }
    }
    journal
}

fn header() -> Header {
    Header::new(&registry::preset("tic_tac_toe").unwrap(), 3, 1, [false; 2])
}

fn entry(name: &str) -> LadderPlayer {
    LadderPlayer { name: name.to_owned(), checksum: "0".to_owned(), training: None }
}

/// One game won by each of the two.
const EVEN: [Winner; 2] = [Winner::P1, Winner::P1];
/// Both games won by the first player.
const BOTH: [Winner; 2] = [Winner::P1, Winner::P2];
/// Two even pairs, which cancel any advantage of the first move.
const EVENS: [[Winner; 2]; 2] = [EVEN, [Winner::P2; 2]];
const DRAWN: [Winner; 2] = [Winner::Draw; 2];

fn round(journal: &Journal, active: &[usize]) -> Vec<[usize; 2]> {
    let plan = schedule::round(journal, active, &mut |pairs| pairs);
    plan.iter().map(|it| [it.first, it.second]).collect()
}

#[test]
fn a_ladder_has_a_limit_of_players() {
    let mut journal = journal(2000, &[]);
    let said = journal.apply(Event::Player(entry("one more"))).unwrap_err().to_string();
    assert_eq!(said, "a ladder has at most 2000 players");
}

#[test]
fn a_chain_joins_all_players_first() {
    assert_eq!(round(&journal(4, &[]), &[0, 1, 2, 3]), [[0, 1], [1, 2], [2, 3]]);
    // A later player is connected to the nearest one, whatever was played before.
    let joined = journal(5, &[([0, 1], &[EVEN]), ([1, 2], &[EVEN])]);
    assert_eq!(round(&joined, &[4, 2, 1, 0, 3]), [[2, 3], [3, 4]]);
    // Inactive players get no matches.
    assert_eq!(round(&joined, &[0, 3]), [[0, 3]]);
    // Games with an inactive player connect two players as well as any others.
    assert_eq!(round(&joined, &[0, 2]), [[0, 2]]);
}

/// The sum of the squared interval widths of all rating differences.
fn uncertainty(journal: &Journal) -> f64 {
    let players = journal.players.len();
    let deviation = |one: usize, two: usize| {
        let standings = Standings::of(journal, one).unwrap();
        let row = standings.rows.iter().find(|row| row.player == two).unwrap();
        let Estimate { low, high, .. } = row.rating.unwrap();
        high - low
    };
    let pairs = (0..players).flat_map(|one| (0..one).map(move |two| [one, two]));
    pairs.map(|[one, two]| deviation(one, two).powi(2)).sum()
}

/// Two groups of equal players, and the expected results of 8 pairs between the groups.
struct Pool {
    players: usize,
    /// The players below this number belong to the stronger group.
    strong: usize,
    between: [[Winner; 2]; 8],
}

impl Pool {
    /// A ladder in which all matches had the expected results.
    fn journal(&self, matches: &[[usize; 2]]) -> Journal {
        let evens = EVENS.repeat(4);
        let as_expected = |&two: &[usize; 2]| match two.map(|player| player < self.strong) {
            [true, false] => (two, &self.between[..]),
            _ => (two, &evens[..]),
        };
        journal(self.players, &matches.iter().map(as_expected).collect::<Vec<_>>())
    }
}

#[test]
fn the_next_match_is_the_one_that_leaves_the_least_uncertainty() {
    let (clear, dominated) =
        ([&[BOTH; 2], &EVENS[..]].concat().repeat(2), [&[BOTH; 7][..], &[EVEN]].concat());
    let chain = [[0, 1], [1, 2], [2, 3]];
    let dense = [[0, 1], [0, 1], [0, 1], [1, 2], [2, 3], [2, 3], [0, 3], [3, 4], [1, 3]];
    let star = [[0, 1], [0, 1], [0, 1], [0, 2], [0, 3]];
    for (strong, between, played) in [
        (4, &clear, &chain[..]),
        (2, &clear, &chain),
        (2, &dominated, &chain),
        (1, &dominated, &star),
        (5, &clear, &dense),
        (2, &dominated, &dense),
    ] {
        let players = 1 + played.iter().flatten().max().unwrap();
        let pool = Pool { players, strong, between: between[..].try_into().unwrap() };
        let active: Vec<usize> = (0..players).collect();
        let chosen = round(&pool.journal(played), &active)[0];
        let after = |two: [usize; 2]| uncertainty(&pool.journal(&[played, &[two]].concat()));
        let left = after(chosen);
        for two in (0..players).flat_map(|one| (one + 1..players).map(move |two| [one, two])) {
            assert!(left <= after(two) * 1.01, "{two:?}, not {chosen:?} after {played:?}");
        }
    }
}

#[test]
fn a_match_without_openings_is_left_out() {
    let known = journal(3, &[([0, 1], &[EVEN; 4]), ([1, 2], &[EVEN; 2])]);
    let plan = schedule::round(&known, &[0, 1, 2], &mut |pairs| pairs.min(4));
    assert!(plan.iter().all(|it| [it.first, it.second] != [0, 1]), "{plan:?}");
    assert!(plan.iter().all(|it| it.opening + it.pairs <= 4), "{plan:?}");
    assert_eq!(schedule::round(&known, &[0, 1, 2], &mut |_| 0), []);
}

// ---- stored files ----

#[test]
fn impossible_events_are_refused() {
    let mut known = journal(2, &[([0, 1], &[EVEN])]);
    let fixture = Fixture { first: 0, second: 1, opening: 1, pairs: 2 };
    for (event, words) in [
        (Event::Ladder(header()), "a second header"),
        (Event::Player(entry("1")), "`1` has already entered"),
        (Event::Round(vec![Fixture { second: 2, ..fixture }]), "the round has"),
        (Event::Round(vec![Fixture { second: 0, ..fixture }]), "the round has"),
        (Event::Round(vec![Fixture { opening: 7, ..fixture }]), "the round has"),
        (Event::Round(vec![Fixture { pairs: 0, ..fixture }]), "the round has"),
        (Event::Pair(Pair { first: 0, second: 1, opening: 1, winners: EVEN }), "not the one"),
    ] {
        let before = known.clone();
        let said = known.apply(event).unwrap_err().to_string();
        assert!(said.contains(words), "{said}");
        assert_eq!(known, before);
    }
}

#[test]
fn standings_count_both_games_of_a_pair_for_both() {
    let known = journal(3, &[([0, 1], &[BOTH, DRAWN, EVEN]), ([1, 2], &[BOTH, BOTH])]);
    let standings = Standings::of(&known, 1).unwrap();
    assert_eq!(standings.results(0, 1), [3, 2, 1]);
    assert_eq!(standings.results(1, 0), [1, 2, 3]);
    assert_eq!(standings.results(0, 2), [0, 0, 0]);
    assert_eq!((standings.score(0, 1), standings.score(0, 2)), (Some(4.0 / 6.0), None));
    let order: Vec<usize> = standings.rows.iter().map(|row| row.player).collect();
    assert_eq!(order, [0, 1, 2]);
    let anchor = standings.rows[1].rating.unwrap();
    assert_eq!((anchor.value, anchor.low, anchor.high), (0.0, 0.0, 0.0));
    assert_eq!(standings.rows[1].results, [5, 2, 3]);
    assert!(standings.rows[1].los.unwrap() > 0.9 && standings.rows[2].los.is_none());
}

#[test]
fn players_that_no_games_connect_with_the_anchor_have_no_rating() {
    let known = journal(4, &[([0, 1], &[BOTH]), ([2, 3], &[BOTH])]);
    let standings = Standings::of(&known, 3).unwrap();
    assert_eq!(standings.rows[0].player, 2);
    assert_eq!(standings.rows[1].player, 3);
    assert_eq!(standings.unrated().collect::<Vec<_>>(), [0, 1]);
    assert!(Standings::of(&known, 4).is_err());
}
