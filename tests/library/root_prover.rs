//! The root prover finds correct turns that the search alone overlooks, in proven positions.

use std::sync::Arc;

use crate::exact::book;
use crate::exact::root_prover::RootProver;
use crate::games::{Outcome, Side, Turn, legal_turns};
use crate::play::players::{Budget, Limits, SearchPlayer, SearchReport};
use crate::play::positions::file::PositionFile;
use crate::play::positions::{Kind, SuitePosition, builtin};
use crate::registry::{self, AnyProver, Position, Variant};
use crate::search::{ProofSettings, Settings, Uniform, copies};
use crate::tests::common::literal::Literal;
use crate::tests::common::searches::searched;

/// The number of simulations of a player without a network: few enough to overlook many wins.
const FEW: u32 = 24;

/// The number of positions of each kind.
const EACH: usize = 6;

fn positions(variant: &Variant, kind: Kind) -> Vec<SuitePosition> {
    let files = builtin::sets_of(variant.name).map(|(name, text)| PositionFile::read(name, text));
    let all = files.flat_map(|file| file.unwrap().positions(variant).unwrap());
    all.filter(|position| position.kind == kind).take(EACH).collect()
}

fn report(game: &Position, proof_nodes: u32) -> SearchReport {
    let settings = Settings {
        cache_mib: 0,
        proofs: ProofSettings { nodes: proof_nodes, ..Settings::default().for_play().proofs },
        ..Settings::default().for_play()
    };
    SearchPlayer::new(copies(&Uniform, 1), settings, Budget::Otherwise(FEW))
        .search(game, &Limits::simulations(FEW))
}

/// The number of positions in which a correct turn is found.
fn solved(positions: &[SuitePosition], proof_nodes: u32) -> usize {
    let right = |position: &&SuitePosition| {
        let report = report(&position.game, proof_nodes);
        assert_eq!(report.line[0], report.best);
        position.is_solved_by(&report.best.text)
    };
    positions.iter().filter(right).count()
}

/// With proofs a correct turn is found in all positions. Returns the number of positions in which
/// it is found without proofs, and the number of positions.
fn check(variant: &Variant) -> (usize, usize) {
    let mut sums = (0, 0);
    for kind in [Kind::Win(3), Kind::Only(2)] {
        let positions = positions(variant, kind);
        assert_eq!(solved(&positions, 10_000), positions.len(), "{kind} of {}", variant.name);
        sums.0 += solved(&positions, 0);
        sums.1 += positions.len();
    }
    sums
}

#[test]
fn players_prove_what_their_search_overlooks() {
    let (mut found, mut all) = (0, 0);
    for game in ["connect_four", "susan", "neutron5", "coneutron5", "entropy", "checkers_gomoku"] {
        let sums = check(&registry::preset(game).unwrap());
        (found, all) = (found + sums.0, all + sums.1);
    }
    assert!(all > 50 && 4 * found < 3 * all, "{found} of {all} are found by search alone");
}

/// The number of turns in which the other side wins after a turn, `None` if more than six.
fn lasts(game: &Position, turn: &Turn) -> Option<u32> {
    let mut prover = AnyProver::new(1 << 16);
    prover.begin(10_000_000);
    prover.soonest(&turn.after(game), game.to_move().other(), 6).unwrap()
}

fn check_lengths(variant: &Variant) {
    for position in positions(variant, Kind::Win(3)) {
        let (game, winner) = (position.game, position.game.to_move());
        let first = report(&game, 10_000);
        assert_eq!(first.proven, Some(Outcome::Win(winner)), "{game}");
        let found = &first.turns[0];
        assert_eq!((&found.turn, found.proven), (&first.best, first.proven));
        let lost = first.best.after(&game);
        let answers = legal_turns(&lost);
        let longest = answers.iter().map(|turn| lasts(&lost, turn)).max().unwrap();
        assert!(longest <= Some(1), "the shortest win was taken: {game}");
        let answer = report(&lost, 10_000);
        assert_eq!(answer.proven, Some(Outcome::Win(winner)));
        assert_eq!(lasts(&lost, &answer.best), longest, "the longest answer: {lost}");
    }
}

#[test]
fn wins_are_as_short_and_losses_as_long_as_possible() {
    for game in ["connect_four", "neutron5", "checkers_gomoku"] {
        check_lengths(&registry::preset(game).unwrap());
    }
}

#[test]
fn one_simulation_proves_nothing() {
    let variant = registry::preset("neutron5").unwrap();
    for position in positions(&variant, Kind::Win(3)) {
        let settings = Settings { cache_mib: 0, ..Settings::default().for_play() };
        let mut player = SearchPlayer::new(copies(&Uniform, 1), settings, Budget::Otherwise(FEW));
        assert_eq!(player.search(&position.game, &Limits::simulations(1)).proven, None);
    }
}

#[test]
fn a_turn_of_which_nothing_is_known_is_not_preferred_to_the_longest_loss() {
    // Both actions lose: the first to the reply, the second two turns later.
    let tree = Literal::position("(x (o o) (o (x (o o))))");
    let settings = Settings {
        proofs: ProofSettings { nodes: 1, ..Settings::default().for_play().proofs },
        ..Settings::default().for_play()
    };
    let mut search = searched(tree, 1, &settings, Uniform);
    search.add_proof(&[1], Outcome::Win(Side::P2));
    assert_eq!(search.best(), Some(0), "the only one that is not proven");
    let mut root_prover = RootProver::new(&settings);
    root_prover.begin(false);
    root_prover.look(&mut search, &tree, &|| true);
    assert_eq!(search.proven(), Some(Outcome::Win(Side::P2)));
    assert_eq!(root_prover.turn(&search, &tree, &|| true).unwrap()[..], [1]);
}

#[test]
fn a_win_of_a_book_is_played_without_a_search() {
    let variant = registry::preset("neutron5").unwrap();
    let rest = registry::preset("coneutron5").unwrap();
    assert_eq!(book::shipped(&rest), None);
    let book = Arc::new(book::shipped(&variant).unwrap());
    let won = Some(Outcome::Win(variant.initial().to_move()));
    for (proofs, proof_nodes) in [(true, 500), (true, 0), (false, 0)] {
        let settings = Settings {
            cache_mib: 0,
            proofs: ProofSettings {
                enabled: proofs,
                nodes: proof_nodes,
                ..Settings::default().proofs
            },
            ..Settings::default()
        };
        let player = SearchPlayer::new(copies(&Uniform, 1), settings, Budget::Otherwise(FEW));
        let mut player = player.with_book(Some(&book));
        let report = player.search(&variant.initial(), &Limits::simulations(FEW));
        let (turn, turns) = book.winning_turn(&variant.initial()).unwrap();
        assert_eq!(turns, 11);
        // Without proofs a search knows no results.
        assert_eq!(report.proven, won.filter(|_| proofs));
        assert_eq!(report.simulations, if proofs { 1 } else { FEW });
        if proofs {
            assert_eq!((&report.best, &report.turns[0].turn), (&turn, &turn));
            assert_eq!(report.turns[0].proven, won);
        }
    }
}
