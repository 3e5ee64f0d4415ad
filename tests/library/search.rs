//! The search, on trees small enough to be drawn and counted by hand.

use rand::RngExt;

use crate::base::rng::{Purpose, Rng, stream};
use crate::games::{Action, Side};
use crate::registry::{self, Position, Variant};
use crate::search::{
    Cache, Candidate, Evaluator, GumbelSettings, NoiseSettings, Plan, ProofSettings, PuctSettings,
    Search, Settings, Solo, Uniform, Wdl,
};
use crate::selfplay::pick;
use crate::tests::common::hashed::Hashed;
use crate::tests::common::literal::Literal;
use crate::tests::common::puct::{Plain, Sides};
use crate::tests::common::searches::{planned, searched};
use crate::tests::common::trees::exchanged;

/// Says of each position, by its number, what it was told to say.
#[derive(Clone)]
struct Given(Vec<([f32; 8], Wdl)>);

impl Given {
    /// From shares of the policy and evaluations by the side to move. Actions without a share have
    /// an enormous logit, as only illegal ones may.
    fn shares(evaluations: &[(&[f32], Wdl)]) -> Self {
        let logits = |shares: &[f32]| {
            let mut logits = [1e30; 8];
            logits.iter_mut().zip(shares).for_each(|(logit, share)| *logit = share.ln());
            logits
        };
        Self(evaluations.iter().map(|&(shares, wdl)| (logits(shares), wdl)).collect())
    }
}

impl Evaluator for Given {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        for (position, (row, wdl)) in positions.iter().zip(policy.chunks_mut(8).zip(wdl)) {
            let (logits, evaluation) = &self.0[Literal::number_of(position)];
            row.copy_from_slice(logits);
            *wdl = *evaluation;
        }
    }
}

/// A search that knows nothing but the rules.
fn explored(text: &str, simulations: u32) -> Search {
    searched(Literal::position(text), simulations, &Settings::plain(), Uniform)
}

/// The best action of the tree, and of the same tree with the sides exchanged.
#[track_caller]
fn assert_best(text: &str, simulations: u32, action: Action) {
    for text in [text.to_owned(), exchanged(text)] {
        assert_eq!(explored(&text, simulations).best(), Some(action), "{text}");
    }
}

fn found(tree: &Search) -> Vec<Candidate> {
    tree.candidates().collect()
}

fn found_after(tree: &Search, actions: &[Action]) -> Vec<Candidate> {
    let mut found = tree.ranked_after(actions);
    found.sort_by_key(|found| found.action);
    found
}

fn visits(candidates: &[Candidate]) -> Vec<u32> {
    candidates.iter().map(|found| found.visits).collect()
}

#[track_caller]
fn assert_near(found: impl IntoIterator<Item = f32>, expected: &[f64]) {
    assert_within(1e-6, found, expected);
}

/// Priors are kept in 20 bits.
#[track_caller]
fn assert_priors(found: impl IntoIterator<Item = f32>, expected: &[f64]) {
    assert_within(2e-5, found, expected);
}

#[track_caller]
fn assert_within(bound: f64, found: impl IntoIterator<Item = f32>, expected: &[f64]) {
    let found: Vec<f32> = found.into_iter().collect();
    let near = |(one, two): (&f32, &f64)| (f64::from(*one) - two).abs() < bound;
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(near), "{found:?}, not {expected:?}");
}

// ---- what it finds ----

#[test]
fn a_win_in_one_is_found() {
    assert_best("(x o = x o)", 12, 2);
    assert_best("(x (o = =) (o x =) (o = o) x)", 20, 3);
}

#[test]
fn a_loss_in_one_is_avoided() {
    // Only after action 1 has o nothing better than a draw.
    assert_best("(x (o o x) (o x =) (o = o))", 60, 1);
}

#[test]
fn a_draw_is_preferred_to_a_loss_and_a_win_to_a_draw() {
    assert_best("(x (o o o) (o = =) o)", 40, 1);
    assert_best("(x o o = o)", 20, 2);
    assert_best("(x = (o = x) (o x x) =)", 60, 2);
}

/// Whether a search that takes sides to alternate finds `action`; both find it on `exchanged`.
fn is_found_by(text: &str, sides: Sides, action: Action) -> bool {
    let mut plain = Plain::new(Uniform, Settings::plain(), sides);
    let root = plain.run(Literal::position(text), 200);
    let best = root.edges.iter().max_by_key(|edge| edge.visits).unwrap();
    best.action == action
}

#[test]
fn a_side_that_acts_twice_in_a_row_is_not_taken_for_its_opponent() {
    let trees = [
        // After action 0 it is x again, who then wins by action 1. A search that changes the sign
        // with every action takes that choice for o's, who would make x lose: it prefers the draw.
        ("(x (x o x) =)", 0),
        // The other way round: after action 1 o acts twice, and wins by its second action. A
        // search that changes the sign takes the second action for x's, and believes in a win.
        ("(x = (o (o x o) (o x o)))", 0),
        // Three actions in a row, then the opponent: the sign changes once.
        ("(x (x (x o (o x x)) o) (o = =))", 0),
    ];
    for (text, action) in trees {
        assert_best(text, 200, action);
        assert!(is_found_by(text, Sides::Named, action), "{text}");
    }
    // That they tell the two apart is not left to the comments. In the third tree the sides seem
    // to alternate for x at depths 0 and 2, so that it is no trap.
    for (text, action) in &trees[..2] {
        assert!(!is_found_by(text, Sides::Alternating, *action), "{text}");
    }
}

#[test]
fn priors_that_mislead_are_overcome_by_simulations() {
    // Action 0 loses, for o does not have to go on to (x = o). Action 1 wins: x wins after both
    // answers, after the second by acting twice. Action 2 draws.
    let text = "(x (o (x = o) o) (o (x o x) (x o (x o x))) =)";
    let evaluator = Given::shares(&[
        (&[0.8, 0.1, 0.1], [0.4, 0.2, 0.4]),
        (&[0.9, 0.1], [0.4, 0.2, 0.4]),
        (&[0.5, 0.5], [0.4, 0.2, 0.4]),
        (&[0.5, 0.5], [0.4, 0.2, 0.4]),
        (&[0.6, 0.4], [0.4, 0.2, 0.4]),
        (&[0.6, 0.4], [0.4, 0.2, 0.4]),
        (&[0.6, 0.4], [0.4, 0.2, 0.4]),
    ]);
    let settings =
        Settings { puct: PuctSettings { c: 1.25, ..Settings::plain().puct }, ..Settings::plain() };
    let share = |simulations| {
        let root = Literal::position(text);
        let tree = searched(root, simulations, &settings, evaluator.clone());
        found(&tree)[1].visits as f32 / simulations as f32
    };
    let shares = [5, 500, 5_000, 50_000].map(share);
    assert!(shares[0] < 0.5 && shares.is_sorted_by(|a, b| a <= b), "{shares:?}");
    assert!(shares[2] > 0.9 && shares[3] > 0.98, "{shares:?}");
    let tree = searched(Literal::position(text), 50_000, &settings, evaluator);
    assert_eq!(tree.best(), Some(1));
    assert!(tree.value()[0] > 0.98, "{:?}", tree.value());
}

// ---- how it counts ----

#[test]
fn the_visits_of_the_root_are_all_simulations_but_the_first() {
    fn check(variant: &Variant) {
        for simulations in [1, 2, 3, 10, 77] {
            let tree = searched(variant.initial(), simulations, &Settings::plain(), Hashed);
            assert_eq!(tree.simulations(), simulations);
            assert_eq!(visits(&found(&tree)).iter().sum::<u32>(), simulations - 1);
        }
    }
    for name in ["tic_tac_toe", "neutron5", "checkers_gomoku"] {
        check(&registry::preset(name).unwrap());
    }
    // Also where simulations end at once: all but the first end the game.
    let tree = explored("(x o = o)", 50);
    assert_eq!((tree.simulations(), visits(&found(&tree)).iter().sum::<u32>()), (50, 49));
}

/// A tree on which the first simulations were worked out by hand.
///
/// The root R is of x; A of o; C of x once more.
///
/// ```text
/// R: shares 0.5 0.3 0.2, judged (0.5 0.2 0.3): value  0.2 for x
/// A: shares 0.75 0.25,   judged (0.6 0.2 0.2): value  0.4 for o, -0.4 for x
/// C: shares 0.5 0.5,     judged (0.7 0.2 0.1): value  0.6 for x
/// ```
///
/// With `c_puct` 1 and `c_puct_base` 1 the exploration at N visits is
/// `E = (1 + ln((N + 1 + 1) / 1)) * sqrt(N) = (1 + ln(N + 2)) * sqrt(N)`; an action of share p with
/// n visits that sum to w has the bound `w / n + E * p / (1 + n)`; one without visits has
/// `W / N - 0.5 * sqrt(v) + E * p`, where v is the sum of the shares of actions with visits.
fn by_hand(simulations: u32) -> Search {
    searched(
        Literal::position(BY_HAND),
        simulations,
        &settings_by_hand(),
        Given::shares(&SHARES_BY_HAND),
    )
}

const BY_HAND: &str = "(x (o x o) = (x x o))";

const SHARES_BY_HAND: [(&[f32], Wdl); 3] = [
    (&[0.5, 0.3, 0.2], [0.5, 0.2, 0.3]),
    (&[0.75, 0.25], [0.6, 0.2, 0.2]),
    (&[0.5, 0.5], [0.7, 0.2, 0.1]),
];

fn settings_by_hand() -> Settings {
    Settings {
        puct: PuctSettings {
            c: 1.0,
            c_base: 1.0,
            first_play_reduction: 0.5,
            ..Settings::plain().puct
        },
        ..Settings::plain()
    }
}

#[test]
fn the_first_simulations_are_those_worked_out_by_hand() {
    // Each line: simulation; exploration of the root; bounds of its actions; the result for x.
    //
    // 1                  the root itself                                       W =  0.2
    // 2  E(1) = 2.09861  A 0.2 + 1.04931 = 1.24931
    //                    B 0.2 + 0.62958 = 0.82958
    //                    C 0.2 + 0.41972 = 0.61972       -> A, judged -0.4     W = -0.2
    // 3  E(2) = 3.37473  unvisited -0.1 - 0.5 * sqrt 0.5 = -0.45355
    //                    A -0.4 + E * 0.5 / 2 = 0.44368
    //                    B -0.45355 + E * 0.3 = 0.55887
    //                    C -0.45355 + E * 0.2 = 0.22139  -> B, a draw           W = -0.2
    // 4  E(3) = 4.51968  unvisited -0.06667 - 0.5 * sqrt 0.8 = -0.51388
    //                    A -0.4 + E * 0.5 / 2 = 0.72992
    //                    B  0.0 + E * 0.3 / 2 = 0.67795
    //                    C -0.51388 + E * 0.2 = 0.39006  -> A, where o has
    //    E(1) = 2.09861  0.4 + E * 0.75 = 1.97396, 0.4 + E * 0.25 = 0.92465
    //                                                    -> 0, x wins           W =  0.8
    // 5  E(4) = 5.58352  unvisited 0.2 - 0.44721 = -0.24721
    //                    A 0.6 / 2 + E * 0.5 / 3 = 1.23059
    //                    B 0.0 + E * 0.3 / 2 = 0.83753
    //                    C -0.24721 + E * 0.2 = 0.86949  -> A, where o has W = 0.6 for x, N = 2
    //    E(2) = 3.37473  -1 + E * 0.75 / 2 = 0.26552
    //                    -0.6 / 2 - 0.5 * sqrt 0.75 + E * 0.25 = 0.11067
    //                                                    -> 0, x wins           W =  1.8
    // 6  E(5) = 6.58726  unvisited 0.36 - 0.44721 = -0.08721
    //                    A 1.6 / 3 + E * 0.5 / 4 = 1.35674
    //                    B 0.0 + E * 0.3 / 2 = 0.98809
    //                    C -0.08721 + E * 0.2 = 1.23024  -> A, where o has W = 1.6 for x, N = 3
    //    E(3) = 4.51968  -1 + E * 0.75 / 3 = 0.12992
    //                    -1.6 / 3 - 0.43301 + E * 0.25 = 0.16357
    //                                                    -> 1, o wins           W =  0.8
    // 7  E(6) = 7.54306  unvisited 0.13333 - 0.44721 = -0.31388
    //                    A 0.6 / 4 + E * 0.5 / 5 = 0.90431
    //                    B 0.0 + E * 0.3 / 2 = 1.13146
    //                    C -0.31388 + E * 0.2 = 1.19473  -> C, judged 0.6       W =  1.4
    // 8  E(7) = 8.45906  A 0.15 + E * 0.5 / 5 = 0.99591
    //                    B 0.0 + E * 0.3 / 2 = 1.26886
    //                    C 0.6 + E * 0.2 / 2 = 1.44591   -> C, where x has two equal bounds
    //                                                    -> 0, x wins           W =  2.4
    // 9  E(8) = 9.34112  A 0.15 + E * 0.5 / 5 = 1.08411
    //                    B 0.0 + E * 0.3 / 2 = 1.40117
    //                    C 0.8 + E * 0.2 / 3 = 1.42274   -> C, where x has
    //    E(2) = 3.37473  1 + E * 0.5 / 2 = 1.84368
    //                    0.8 - 0.5 * sqrt 0.5 + E * 0.5 = 2.13381
    //                                                    -> 1, o wins           W =  1.4
    let visits_and_values: [([u32; 3], [f64; 3]); 9] = [
        ([0, 0, 0], [0.0, 0.0, 0.0]),
        ([1, 0, 0], [-0.4, 0.0, 0.0]),
        ([1, 1, 0], [-0.4, 0.0, 0.0]),
        ([2, 1, 0], [0.6 / 2.0, 0.0, 0.0]),
        ([3, 1, 0], [1.6 / 3.0, 0.0, 0.0]),
        ([4, 1, 0], [0.6 / 4.0, 0.0, 0.0]),
        ([4, 1, 1], [0.6 / 4.0, 0.0, 0.6]),
        ([4, 1, 2], [0.6 / 4.0, 0.0, 1.6 / 2.0]),
        ([4, 1, 3], [0.6 / 4.0, 0.0, 0.6 / 3.0]),
    ];
    let sums = [0.2, -0.2, -0.2, 0.8, 1.8, 0.8, 1.4, 2.4, 1.4];
    for (simulations, ((expected, values), sum)) in (1..).zip(visits_and_values.iter().zip(sums)) {
        let tree = by_hand(simulations);
        let found = found(&tree);
        assert_eq!(visits(&found), expected, "{simulations} simulations");
        let seen = found.iter().zip(values).filter(|(found, _)| found.visits > 0);
        let (mean, value): (Vec<f32>, Vec<f64>) =
            seen.map(|(found, value)| (found.wdl[0] - found.wdl[2], value)).unzip();
        assert_near(mean, &value);
        let [win, _, loss] = tree.value();
        assert_near([win - loss], &[sum / f64::from(simulations)]);
    }
}

#[test]
fn the_action_with_the_greatest_lower_bound_is_played() {
    // After eight simulations the actions have 4, 1 and 2 visits and the values 0.15, 0 and 0.8.
    // With a width of 1 their bounds are 0.15 - 0.5, 0 - 1 and 0.8 - 0.71.
    for (lower_bound, expected) in [(0.0, 0), (1.0, 2)] {
        let settings = Settings {
            puct: PuctSettings { lower_bound, ..settings_by_hand().puct },
            ..settings_by_hand()
        };
        let evaluator = Given::shares(&SHARES_BY_HAND);
        for text in [BY_HAND.to_owned(), exchanged(BY_HAND)] {
            let tree = searched(Literal::position(&text), 8, &settings, evaluator.clone());
            assert_eq!(visits(&found(&tree)), [4, 1, 2]);
            assert_eq!(tree.best(), Some(expected), "{text}");
            assert_eq!(tree.ranked()[0].action, expected, "it is the first of the report");
        }
        // The same as the second action of a turn.
        let shares: Vec<_> =
            [(&[1.0_f32][..], [0.2, 0.6, 0.2])].into_iter().chain(SHARES_BY_HAND).collect();
        for text in [format!("(x {BY_HAND})"), exchanged(&format!("(x {BY_HAND})"))] {
            let tree = searched(Literal::position(&text), 9, &settings, Given::shares(&shares));
            assert_eq!(visits(&found(&tree)), [8]);
            assert_eq!(tree.best_after(&[0]), Some(expected), "{text}");
        }
    }
}

#[test]
fn means_of_win_draw_and_loss_are_those_worked_out_by_hand() {
    let tree = by_hand(9);
    let root = found(&tree);
    assert_priors(root.iter().map(|found| found.prior), &[0.5, 0.3, 0.2]);
    // A: judged (0.2 0.2 0.6) by x, won twice, lost once.
    assert_near(root[0].wdl, &[2.2 / 4.0, 0.2 / 4.0, 1.6 / 4.0]);
    assert_near(root[1].wdl, &[0.0, 1.0, 0.0]);
    // C: judged (0.7 0.2 0.1), won once, lost once.
    assert_near(root[2].wdl, &[1.7 / 3.0, 0.2 / 3.0, 1.1 / 3.0]);
    // The root: all of these and its own evaluation.
    assert_near(tree.raw(), &[0.5, 0.2, 0.3]);
    assert_near(tree.value(), &[4.4 / 9.0, 1.6 / 9.0, 3.0 / 9.0]);
    // In A it is o who chooses: x's wins are losses there.
    let [wins, loses] = &found_after(&tree, &[0])[..] else { panic!("two actions") };
    assert_eq!((wins.visits, wins.wdl), (2, [0.0, 0.0, 1.0]));
    assert_eq!((loses.visits, loses.wdl), (1, [1.0, 0.0, 0.0]));
    // In C it is x again.
    let [wins, loses] = &found_after(&tree, &[2])[..] else { panic!("two actions") };
    assert_eq!((wins.visits, wins.wdl), (1, [1.0, 0.0, 0.0]));
    assert_eq!((loses.visits, loses.wdl), (1, [0.0, 0.0, 1.0]));
    assert!(tree.ranked_after(&[1]).is_empty(), "the end of the game has no candidates");
    assert!(tree.ranked_after(&[7]).is_empty(), "an illegal action leads nowhere");
}

/// Compares with the plain search, up to where that is undecided: priors are kept with a relative
/// error of 2^-16 at the most.
fn check_against_plain(root: Position, simulations: u32, settings: &Settings) -> bool {
    let mut plain = Plain::new(Hashed, *settings, Sides::Named);
    let expected = plain.run(root, simulations);
    if plain.closest < 5e-4 {
        return false;
    }
    let tree = searched(root, simulations, settings, Hashed);
    assert_eq!(tree.candidates().count(), expected.edges.len());
    // A temperature raises rounded priors to a power, divides by their sum and rounds again.
    let roundings = match f64::from(settings.policy_temperature) {
        1.0 => 1.0,
        temperature => 1.0 + 2.0 / temperature,
    };
    for (found, edge) in tree.candidates().zip(&expected.edges) {
        assert_eq!((found.action, found.visits), (edge.action, edge.visits));
        assert!((f64::from(found.prior) / edge.prior - 1.0).abs() < 2e-5 * roundings);
        if found.visits > 0 {
            let expected = edge.wdl_for(expected.mover);
            let near = |(a, b): (f32, f64)| (f64::from(a) - b).abs() < 1e-5;
            assert!(found.wdl.into_iter().zip(expected).all(near));
        }
    }
    true
}

/// Compares searches of positions of several games; the temperature of each is drawn last.
fn check_against_plain_searches(temperature: fn(&mut Rng) -> f32) {
    fn check(variant: &Variant, temperature: fn(&mut Rng) -> f32, compared: &mut u32) {
        for (seed, simulations) in (0..50).zip([20, 60, 150].into_iter().cycle()) {
            let mut rng = stream(seed, 0, 0, Purpose::Playout);
            let mut root = variant.initial();
            let mut actions = Vec::new();
            for _ in 0..rng.random_range(0..30) {
                root.legal_actions(&mut actions);
                let mut next = root;
                next.play(actions[rng.random_range(0..actions.len())]);
                if next.outcome().is_some() {
                    break;
                }
                root = next;
            }
            let settings = Settings {
                policy_temperature: temperature(&mut rng),
                puct: PuctSettings {
                    c: rng.random_range(0.5..3.0),
                    c_base: rng.random_range(5.0..100.0),
                    first_play_reduction: rng.random_range(0.0..1.0),
                    ..Settings::plain().puct
                },
                ..Settings::plain()
            };
            *compared += u32::from(check_against_plain(root, simulations, &settings));
        }
    }
    let mut compared = 0;
    for name in ["tic_tac_toe", "neutron5", "checkers_gomoku", "entropy", "susan"] {
        check(&registry::preset(name).unwrap(), temperature, &mut compared);
    }
    assert!(compared >= 50, "most comparisons are decided: {compared}");
}

#[test]
fn it_decides_as_a_plain_search_does() {
    check_against_plain_searches(|_| 1.0);
}

#[test]
fn it_decides_as_a_plain_search_does_at_any_policy_temperature() {
    check_against_plain_searches(|rng| rng.random_range(0.5..3.0));
}

// ---- priors ----

#[test]
fn priors_are_the_softmax_over_legal_logits() {
    // Actions 1, 3 and 4 are legal.
    let root = Literal::position("(x . = . x o)");
    for wild in [1e30, -1e30, f32::INFINITY, f32::NAN] {
        // Softmax does not change when all logits grow alike, nor overflow.
        for base in [0.0, -50.0, 5_000.0] {
            let mut logits = [wild; 8];
            logits[1] = base + 1.0;
            logits[3] = base;
            logits[4] = base - 2.0;
            let tree =
                searched(root, 1, &Settings::plain(), Given(vec![(logits, [0.3, 0.4, 0.3])]));
            let found = found(&tree);
            assert!(found.iter().map(|found| found.action).eq([1, 3, 4]));
            let weights = [1.0_f64.exp(), 1.0, (-2.0_f64).exp()];
            let total: f64 = weights.iter().sum();
            assert_priors(found.iter().map(|found| found.prior), &weights.map(|w| w / total));
        }
    }
}

#[test]
fn a_single_legal_action_has_all_of_the_prior() {
    let logits = [f32::MIN; 8];
    let root = Literal::position("(x . . =)");
    let tree = searched(root, 3, &Settings::plain(), Given(vec![(logits, [0.0, 1.0, 0.0])]));
    let [only] = found(&tree)[..] else { panic!("one action") };
    assert_eq!((only.action, only.visits), (2, 2));
    assert_priors([only.prior], &[1.0]);
}

// ---- views ----

fn sums_to_one(wdl: Wdl) -> bool {
    (wdl.iter().sum::<f32>() - 1.0).abs() < 1e-6 && wdl.iter().all(|p| (0.0..=1.0).contains(p))
}

#[test]
fn judgements_are_seen_by_the_side_to_move() {
    let judged = |text: &str| {
        let (own, next) = ([0.6, 0.3, 0.1], [0.5, 0.4, 0.1]);
        let evaluator = Given::shares(&[(&[1.0], own), (&[1.0], next)]);
        let tree = searched(Literal::position(text), 2, &Settings::plain(), evaluator);
        assert_near(tree.raw(), &own.map(f64::from));
        let wdl = found(&tree)[0].wdl;
        assert_near(tree.value(), &[0, 1, 2].map(|part| f64::from(own[part] + wdl[part]) / 2.0));
        wdl
    };
    // The opponent's evaluation is turned round, one's own is not; P2 sees as P1 does.
    for text in ["(x (o =))", "(o (x =))"] {
        assert_near(judged(text), &[0.1, 0.4, 0.5]);
    }
    for text in ["(x (x =))", "(o (o =))"] {
        assert_near(judged(text), &[0.5, 0.4, 0.1]);
    }
    for (text, wdl) in [("(o o)", [1.0, 0.0, 0.0]), ("(o x)", [0.0, 0.0, 1.0])] {
        assert_eq!(found(&explored(text, 4))[0].wdl, wdl);
    }
}

/// A tree of which about a third are positions of the same side as their parent.
fn random_tree(rng: &mut Rng, depth: u32) -> String {
    let sides = ["x", "o"];
    if depth == 0 || rng.random_range(0..4) == 0 {
        return ["x", "o", "="][rng.random_range(0..3)].to_owned();
    }
    let mut text = format!("({}", sides[rng.random_range(0..2)]);
    for _ in 0..rng.random_range(1..5) {
        let hole = rng.random_range(0..5) == 0;
        text += if hole { " . " } else { " " };
        text += &random_tree(rng, depth - 1);
    }
    text + ")"
}

fn random_roots() -> impl Iterator<Item = String> {
    let mut rng = stream(5, 0, 0, Purpose::Playout);
    let texts = std::iter::repeat_with(move || random_tree(&mut rng, 6));
    texts.filter(|text| text.starts_with('(')).take(100)
}

#[test]
fn exchanging_the_sides_changes_nothing_for_the_side_to_move() {
    for text in random_roots() {
        let search = |text: &str| searched(Literal::position(text), 60, &Settings::plain(), Hashed);
        let (one, two) = (search(&text), search(&exchanged(&text)));
        // The same for the side to move, whichever that is.
        let seen = |search: &Search| -> Vec<(Action, f32, u32, Wdl)> {
            search.candidates().map(|f| (f.action, f.prior, f.visits, f.wdl)).collect()
        };
        assert_eq!(seen(&one), seen(&two), "{text}");
        assert_eq!((one.raw(), one.value(), one.best()), (two.raw(), two.value(), two.best()));
    }
}

#[test]
fn judgements_sum_to_one_and_the_value_is_the_mean_of_all() {
    for text in random_roots() {
        let tree = searched(Literal::position(&text), 60, &Settings::plain(), Hashed);
        let visited: Vec<_> = tree.candidates().filter(|found| found.visits > 0).collect();
        assert!(visited.iter().all(|found| sums_to_one(found.wdl)), "{text}");
        assert!(sums_to_one(tree.value()) && sums_to_one(tree.raw()), "{text}");
        for part in 0..3 {
            let sum: f32 = visited.iter().map(|f| f.wdl[part] * f.visits as f32).sum();
            assert!((tree.value()[part] - (sum + tree.raw()[part]) / 60.0).abs() < 1e-5);
        }
        let highest = visited.iter().map(|found| found.visits).max().unwrap();
        let best = tree.best().unwrap();
        assert!(visited.iter().any(|found| (found.action, found.visits) == (best, highest)));
    }
}

#[test]
fn random_trees_are_searched_as_a_plain_search_does() {
    let roots = random_roots().map(|text| Literal::position(&text));
    let decided = roots.filter(|&root| check_against_plain(root, 40, &Settings::plain()));
    assert!(decided.count() >= 50);
}

// ---- draws ----

/// A choice of `mover` between a line that is judged to be drawn and one that is judged to be won
/// or lost, evenly. Both are longer than any search here.
fn draw_or_gamble(mover: char) -> String {
    let line = format!("{}={}", "(x ".repeat(20), ")".repeat(20));
    format!("(x ({mover} {line} {line}))")
}

/// The visits of the draw and of the gamble in a search by `x`, with so many simulations.
fn drawn_and_gambled(text: &str, simulations: u32, settings: &Settings) -> [u32; 2] {
    let (even, draw, gamble) = ([0.4, 0.2, 0.4], [0.0, 1.0, 0.0], [0.5, 0.0, 0.5]);
    let mut evaluations: Vec<(&[f32], Wdl)> = vec![(&[1.0], even), (&[0.5, 0.5], even)];
    evaluations.extend([(&[1.0_f32][..], draw); 20]);
    evaluations.extend([(&[1.0_f32][..], gamble); 20]);
    let tree =
        searched(Literal::position(text), simulations, settings, Given::shares(&evaluations));
    assert_eq!(tree.value()[0], tree.value()[2], "what is said of the position stays the same");
    visits(&found_after(&tree, &[0])).try_into().unwrap()
}

#[test]
fn a_draw_is_worth_to_the_side_that_searches_what_the_settings_say() {
    for plain in [
        Settings::plain(),
        Settings {
            proofs: ProofSettings { enabled: false, ..Settings::default().proofs },
            ..Settings::default()
        },
    ] {
        let with = |draw_value| Settings {
            draw_value,
            puct: PuctSettings { c: 1.0, ..plain.puct },
            gumbel: GumbelSettings { c_visit: 5.0, ..plain.gumbel },
            ..plain
        };
        // One's own choice, and the other side's, who is taken to want draws where one does not.
        for (mover, dislikes, likes) in [('x', -0.5, 0.5), ('o', 0.5, -0.5)] {
            for text in [draw_or_gamble(mover), exchanged(&draw_or_gamble(mover))] {
                let visits = |value| drawn_and_gambled(&text, 18, &with(value));
                assert_eq!(visits(0.0), [8, 8], "{text}");
                let ([few, many], [more, less]) = (visits(dislikes), visits(likes));
                assert!(many >= 2 * few && more >= 2 * less, "{text}: {few} {many} {more} {less}");
            }
        }
    }
}

#[test]
fn a_sure_draw_is_worth_that_too() {
    // Action 0 draws; action 1 leads to what seems to be lost a little more often than won.
    let line = format!("{}o{}", "(x ".repeat(20), ")".repeat(20));
    for text in [format!("(x = {line})"), exchanged(&format!("(x = {line})"))] {
        let mut evaluations: Vec<(&[f32], Wdl)> = vec![(&[0.5, 0.5], [0.4, 0.2, 0.4])];
        evaluations.extend([(&[1.0_f32][..], [0.4, 0.0, 0.6]); 20]);
        let best = |draw_value| {
            let settings = Settings { draw_value, ..Settings::default().for_play() };
            searched(Literal::position(&text), 18, &settings, Given::shares(&evaluations)).best()
        };
        assert_eq!([best(0.0), best(-0.5), best(0.5)], [Some(0), Some(1), Some(0)], "{text}");
    }
}

// ---- noise ----

const NOISY: &str = "(x (o x o) . = (x = =) o)";

fn noisy(settings: &Settings, simulations: u32, seed: u64) -> Search {
    let plan = Plan { noise: Some(seed), ..Plan::simulations(simulations) };
    planned(Literal::position(NOISY), plan, settings, Hashed)
}

#[test]
fn no_noise_changes_nothing() {
    let settings = Settings {
        noise: NoiseSettings { fraction: 0.0, ..Settings::plain().noise },
        ..Settings::plain()
    };
    let plain = searched(Literal::position(NOISY), 20, &settings, Hashed);
    assert!(noisy(&settings, 20, 0).candidates().eq(plain.candidates()));
}

#[test]
fn noise_depends_on_its_seed_alone_and_touches_only_priors_of_the_root() {
    let settings = Settings::plain();
    let (one, same, other) =
        (noisy(&settings, 20, 0), noisy(&settings, 20, 0), noisy(&settings, 20, 1));
    assert!(one.candidates().eq(same.candidates()));
    assert!(one.candidates().zip(other.candidates()).all(|(a, b)| a.prior != b.prior));
    let plain = searched(Literal::position(NOISY), 20, &settings, Hashed);
    for action in [0, 3] {
        let priors = |search: &Search| -> Vec<(Action, f32)> {
            found_after(search, &[action]).iter().map(|f| (f.action, f.prior)).collect()
        };
        let (noisy, plain) = (priors(&one), priors(&plain));
        assert!(noisy.iter().all(|found| plain.contains(found)) || noisy.len() > plain.len());
    }

    // The noise that was mixed in does not depend on the evaluator.
    let mix = |noisy: &Search, plain: &Search| -> Vec<f32> {
        let pairs = noisy.candidates().zip(plain.candidates());
        pairs.map(|(noisy, plain)| (noisy.prior - 0.75 * plain.prior) / 0.25).collect()
    };
    let plan = Plan { noise: Some(0), ..Plan::simulations(3) };
    let uniform = searched(Literal::position(NOISY), 3, &settings, Uniform);
    let also = planned(Literal::position(NOISY), plan, &settings, Uniform);
    let near = |(a, b): (f32, f32)| (a - b).abs() < 1e-4;
    assert!(mix(&one, &plain).into_iter().zip(mix(&also, &uniform)).all(near));
}

#[test]
fn noise_is_a_dirichlet_draw_in_the_share_asked_for() {
    // Shares of a Dirichlet draw over k actions, with the parameters summing to s, have the mean
    // 1 / k and the variance (1 / k) * (1 - 1 / k) / (s + 1).
    const DRAWS: u64 = 20_000;
    for concentration in [1.0, 10.0] {
        let settings = Settings {
            noise: NoiseSettings { concentration, ..Settings::plain().noise },
            ..Settings::plain()
        };
        let (mut sum, mut squares) = (0.0, 0.0);
        for seed in 0..DRAWS {
            let plan = Plan { noise: Some(seed), ..Plan::simulations(1) };
            let search = planned(Literal::position(NOISY), plan, &settings, Uniform);
            let total: f32 = search.candidates().map(|found| found.prior).sum();
            assert!((total - 1.0).abs() < 1e-4);
            // All four priors are 0.25 without noise.
            let share = (f64::from(found(&search)[2].prior) - 0.75 * 0.25) / 0.25;
            assert!((-1e-4..=1.0 + 1e-4).contains(&share));
            sum += share;
            squares += share * share;
        }
        let mean = sum / DRAWS as f64;
        let variance = squares / DRAWS as f64 - mean * mean;
        let expected = 0.25 * 0.75 / (f64::from(concentration) + 1.0);
        assert!((mean - 0.25).abs() < 5.0 * (expected / DRAWS as f64).sqrt(), "{mean}");
        assert!((variance / expected - 1.0).abs() < 0.1, "{variance}, not {expected}");
    }
}

#[test]
fn every_concentration_that_is_accepted_can_be_drawn_from() {
    for noise_concentration in [f32::from_bits(1), f32::MIN_POSITIVE, 1e-3, 1e30, f32::MAX] {
        let settings = Settings {
            noise: NoiseSettings { concentration: noise_concentration, ..Settings::plain().noise },
            ..Settings::plain()
        };
        settings.check().unwrap();
        let total: f32 = noisy(&settings, 20, 0).candidates().map(|found| found.prior).sum();
        assert!((total - 1.0).abs() < 1e-4, "{total} at {noise_concentration}");
    }
}

// ---- the arena and the evaluator ----

#[test]
fn a_tree_used_again_is_as_good_as_new() {
    let texts: Vec<String> = random_roots().take(20).collect();
    let settings = Settings::plain();
    let mut used = Solo::new(Search::new(settings));
    for (text, simulations) in texts.iter().zip([200, 3, 50].into_iter().cycle()) {
        let root = Literal::position(text);
        used.search.begin(root, Plan::simulations(simulations));
        used.run(&mut Hashed, &Cache::new(0, 0));
        let (used, fresh) = (&used.search, searched(root, simulations, &settings, Hashed));
        assert!(used.candidates().eq(fresh.candidates()), "{text}");
        assert_eq!((used.raw(), used.value()), (fresh.raw(), fresh.value()));
        assert_eq!((used.best(), used.simulations()), (fresh.best(), fresh.simulations()));
    }
}

#[test]
fn a_search_without_end_is_the_same_as_one_that_ends_there() {
    let root = Literal::position(NOISY);
    let settings = Settings::plain();
    let mut solo = Solo::new(Search::new(settings));
    solo.search.begin(root, Plan::default());
    while solo.search.simulations() < 40 {
        assert!(solo.simulate(&mut Hashed, &Cache::new(0, 0)));
    }
    assert!(solo.search.candidates().eq(searched(root, 40, &settings, Hashed).candidates()));
}

#[test]
fn a_search_that_has_not_begun_has_nothing_to_say() {
    let is_silent = |search: &Search| {
        (search.candidates().count(), search.best(), search.simulations()) == (0, None, 0)
            && (search.proven(), search.ranked().len(), search.is_evaluated()) == (None, 0, false)
    };
    let mut search = Search::new(Settings::plain());
    assert!(is_silent(&search));
    search = searched(Literal::position(NOISY), 9, &Settings::plain(), Hashed);
    search.begin(Literal::position(NOISY), Plan::simulations(9));
    assert!(is_silent(&search));
}

/// Logits and evaluations of the worst kind.
struct Wild {
    logit: f32,
    wdl: Wdl,
}

impl Evaluator for Wild {
    fn evaluate(&mut self, _: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        policy.fill(self.logit);
        wdl.fill(self.wdl);
    }
}

#[test]
fn numbers_that_are_none_do_no_harm() {
    fn check(variant: &Variant) {
        let wild = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, f32::MIN];
        for logit in wild {
            for wdl in [[0.5, 0.0, 0.5], [logit; 3], [0.0, logit, 1.0]] {
                for settings in [Settings::plain(), Settings::default()] {
                    let plan = Plan { noise: Some(3), ..Plan::simulations(30) };
                    let wild = Wild { logit, wdl };
                    let mut search = planned(variant.initial(), plan, &settings, wild);
                    assert_eq!(search.simulations(), 30);
                    assert!(variant.initial().try_play(search.best().unwrap()));
                    assert!(sums_to_one(search.value()));
                    let mut policy = Vec::new();
                    search.policy(&mut policy);
                    let mut rng = stream(1, 2, 3, Purpose::Selection);
                    assert!(variant.initial().try_play(pick(&policy, 1.0, &mut rng)));
                }
            }
        }
    }
    for name in ["tic_tac_toe", "neutron5"] {
        check(&registry::preset(name).unwrap());
    }
}

#[test]
fn one_bad_number_does_not_stop_a_search() {
    // Only C of these positions has an evaluation that is no number.
    let evaluator = Given::shares(&[
        (&[0.5, 0.3, 0.2], [0.5, 0.2, 0.3]),
        (&[0.75, 0.25], [0.6, 0.2, 0.2]),
        (&[0.5, f32::NAN], [f32::NAN; 3]),
    ]);
    let root = Literal::position("(x (o x o) = (x x o))");
    let tree = searched(root, 500, &Settings::plain(), evaluator);
    assert_eq!(visits(&found(&tree)).iter().sum::<u32>(), 499);
    assert!(tree.best().is_some());
}

#[test]
fn the_sides_of_a_written_tree_are_those_of_its_text() {
    let mut game = Literal::position("(x (x o x) . (o =))");
    assert_eq!((game.to_move(), game.ply(), game.outcome()), (Side::P1, 0, None));
    assert!(!game.try_play(1) && game.try_play(0));
    assert_eq!((game.to_move(), game.ply(), Literal::number_of(&game)), (Side::P1, 0, 1));
    assert!(game.try_play(1));
    assert_eq!((game.ply(), game.outcome().unwrap().value_for(Side::P1)), (1, 1.0));
    assert!(!game.try_play(0));
}
