//! The Gumbel root, the improved policy, and what self-play adds to PUCT.

use std::fmt;

use rand::RngExt;

use crate::base::rng::{Purpose, mix, stream};
use crate::games::picture::{Labels, Picture};
use crate::games::symmetry::{self, Matrix};
use crate::games::{Action, Colour, Game, Outcome, Side, Spec, Text};
use crate::registry::{self, Position};
use crate::search::{
    Cache, Candidate, Evaluator, GumbelSettings, InteriorRule, NoiseSettings, Plan, ProofSettings,
    PuctSettings, RootRule, Search, Settings, Solo, Uniform, Wdl,
};
use crate::tests::common::hashed::Hashed;
use crate::tests::common::literal::{Literal, LiteralRules};
use crate::tests::common::searches::{planned, searched};
use crate::tests::common::trees::{after, exchanged, random_roots, solved};

/// The Gumbel root and the improved policy below it, and nothing else.
fn bare() -> Settings {
    Settings { root: RootRule::Gumbel, interior: InteriorRule::Improved, ..Settings::plain() }
}

fn found(search: &Search) -> Vec<Candidate> {
    search.candidates().collect()
}

fn visits(search: &Search) -> Vec<u32> {
    search.candidates().map(|found| found.visits).collect()
}

/// The shares of the search's policy.
fn shares(search: &mut Search) -> Vec<f64> {
    let mut policy = Vec::new();
    search.policy(&mut policy);
    assert!(search.candidates().map(|found| found.action).eq(policy.iter().map(|pair| pair.0)));
    policy.iter().map(|&(_, share)| f64::from(share)).collect()
}

#[track_caller]
fn assert_close(bound: f64, found: &[f64], expected: &[f64]) {
    let near = |(one, two): (&f64, &f64)| (one - two).abs() < bound;
    assert_eq!(found.len(), expected.len());
    assert!(found.iter().zip(expected).all(near), "{found:?}, not {expected:?}");
}

/// Says of each position of a written tree, by its number, what it was told to say: shares of the
/// policy, and an evaluation by the side to move.
#[derive(Clone, Copy)]
struct Given<'a>(&'a [(&'a [f32], Wdl)]);

impl Evaluator for Given<'_> {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        for (position, (row, wdl)) in positions.iter().zip(policy.chunks_mut(8).zip(wdl)) {
            let (shares, evaluation) = self.0[Literal::number_of(position)];
            row.iter_mut().zip(shares).for_each(|(logit, share)| *logit = share.ln());
            *wdl = evaluation;
        }
    }
}

// ---- the improved policy ----

#[test]
fn completed_values_and_the_improved_policy_are_those_worked_out_by_hand() {
    // Shares 0.4 0.3 0.2 0.1; the root is judged (0.5 0.2 0.3), in [0, 1] v = (0.2 + 1) / 2 = 0.6.
    // Two actions are considered, 0 and 1, with c_visit = 1 and c_scale = 1; three simulations are
    // left after the evaluation of the root.
    //
    // The first goes to action 0, where o is judged (0.6 0.2 0.2): 0.4 for o, in [0, 1] for x
    // q = (-0.4 + 1) / 2 = 0.3. The second goes to action 1, a draw: q = 0.5. The third goes to
    // the larger of
    //     ln 0.4 + (1 + 1) * 0.3 = -0.3163   and   ln 0.3 + (1 + 1) * 0.5 = -0.2040,
    // to action 1 once more. So N = (1 2 0 0), max N = 2, sum N = 3, and
    //     v_mix = (0.6 + 3 * (0.4 * 0.3 + 0.3 * 0.5) / (0.4 + 0.3)) / (1 + 3)
    //           = (0.6 + 3 * 0.385714) / 4 = 0.439286
    //     sigma(q) = (1 + 2) * q = 0.9, 1.5, 1.317857, 1.317857
    //     share * e^sigma = 0.983841, 1.344507, 0.747082, 0.373541, in total 3.448970
    let text = "(x (o x o) = o x)";
    let given = Given(&[(&[0.4, 0.3, 0.2, 0.1], [0.5, 0.2, 0.3]), (&[0.5, 0.5], [0.6, 0.2, 0.2])]);
    let settings = Settings {
        gumbel: GumbelSettings { considered: 2, c_visit: 1.0, c_scale: 1.0, ..bare().gumbel },
        ..bare()
    };
    let expected = [0.285_256, 0.389_828, 0.216_610, 0.108_305];
    for text in [text.to_owned(), exchanged(text)] {
        let mut search = searched(Literal::position(&text), 4, &settings, given);
        assert_eq!(visits(&search), [1, 2, 0, 0]);
        assert_close(1e-4, &shares(&mut search), &expected);
        assert_eq!(search.best(), Some(1));
    }
    // Half the weight of values: e to the 0.45, 0.75, 0.658929 and again 0.658929; shares times
    // that are 0.627325, 0.635100, 0.386544, 0.193272, in total 1.842241. The third simulation
    // then goes to the larger of ln 0.4 + 0.3 = -0.6163 and ln 0.3 + 0.5 = -0.7040: to action 0
    // instead, which wins there for x if o's larger share is that action: the mean of q is then
    // (0.3 + 1) / 2 = 0.65. With N = (2 1 0 0):
    //     v_mix = (0.6 + 3 * (0.4 * 0.65 + 0.3 * 0.5) / 0.7) / 4 = (0.6 + 1.757143) / 4 = 0.589286
    //     sigma(q) = (1 + 2) * 0.5 * q = 0.975, 0.75, 0.883929, 0.883929
    //     share * e^sigma = 1.060467, 0.635100, 0.484077, 0.242039, in total 2.421683
    let settings =
        Settings { gumbel: GumbelSettings { c_scale: 0.5, ..settings.gumbel }, ..settings };
    let mut search = searched(Literal::position(text), 4, &settings, given);
    assert_eq!(visits(&search), [2, 1, 0, 0]);
    assert_close(1e-4, &shares(&mut search), &[0.437_905, 0.262_256, 0.199_893, 0.099_947]);
}

#[test]
fn lost_actions_count_in_values() {
    // Shares 0.5 0.3 0.2; the root is judged (0.5 0.2 0.3), 0.2. Action 0 loses at once, action 1
    // leads to where o is judged (0.6 0.2 0.2), to -0.4 for x. Two actions are considered; after
    // one simulation each
    //     v_mix = (0.2 + 2 * (0.5 * -1 + 0.3 * -0.4) / (0.5 + 0.3)) / (1 + 2) = -0.45
    // which in [0, 1] is 0.275. With c_visit = 1 sigma(q) = (1 + 1) * q, for action 1 that is 0.6,
    // and
    //     share * e^sigma = 0.546636, and 0.2 * e^0.55 = 0.346651
    // The value is (0.2 - 1 - 0.4) / 3 = -0.4. The next simulation goes to action 1 again.
    let text = "(x o (o x o) (o = =))";
    let given = Given(&[
        (&[0.5, 0.3, 0.2], [0.5, 0.2, 0.3]),
        (&[0.5, 0.5], [0.6, 0.2, 0.2]),
        (&[0.5, 0.5], [0.6, 0.2, 0.2]),
    ]);
    let settings = Settings {
        gumbel: GumbelSettings { considered: 2, c_visit: 1.0, ..bare().gumbel },
        proofs: ProofSettings { enabled: true, ..bare().proofs },
        ..bare()
    };
    for text in [text.to_owned(), exchanged(text)] {
        let mut search = searched(Literal::position(&text), 3, &settings, given);
        assert_eq!(visits(&search), [1, 1, 0]);
        assert_close(1e-4, &shares(&mut search), &[0.0, 0.611_938, 0.388_062]);
        let [win, _, loss] = search.value();
        assert_close(1e-4, &[f64::from(win - loss)], &[-0.4]);
        assert_eq!(visits(&searched(Literal::position(&text), 4, &settings, given)), [1, 2, 0]);
    }
}

/// The improved policy once more, from what the search says of each action, in double precision.
fn improved_policy(search: &Search, settings: &Settings) -> Vec<f64> {
    let unit = |[win, draw, _]: Wdl| f64::from(win) + f64::from(draw) / 2.0;
    let found = found(search);
    let seen = || found.iter().filter(|found| found.visits > 0);
    let sum: f64 = seen().map(|found| f64::from(found.visits)).sum();
    let most = seen().map(|found| f64::from(found.visits)).fold(0.0, f64::max);
    let prior: f64 = seen().map(|found| f64::from(found.prior)).sum();
    let weighted: f64 = seen().map(|found| f64::from(found.prior) * unit(found.wdl)).sum();
    let mean = if sum > 0.0 { weighted / prior } else { 0.0 };
    let mix = (unit(search.raw()) + sum * mean) / (1.0 + sum);
    let scale = (f64::from(settings.gumbel.c_visit) + most) * f64::from(settings.gumbel.c_scale);
    let logit = |found: &Candidate| {
        let value = if found.visits > 0 { unit(found.wdl) } else { mix };
        f64::from(found.prior).ln() + scale * value
    };
    let highest = found.iter().map(logit).fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = found.iter().map(|found| (logit(found) - highest).exp()).collect();
    let total: f64 = weights.iter().sum();
    weights.iter().map(|weight| weight / total).collect()
}

#[test]
fn the_improved_policy_is_that_of_the_paper_on_random_trees() {
    for (index, text) in random_roots(11, 5, 200).enumerate() {
        let settings = Settings {
            gumbel: GumbelSettings {
                considered: [1, 2, 4, 16][index % 4],
                c_visit: [50.0, 5.0, 0.0][index % 3],
                c_scale: [1.0, 0.1][index % 2],
                ..bare().gumbel
            },
            ..bare()
        };
        for simulations in [1, 2, 3, 7, 30, 150] {
            let mut search = searched(Literal::position(&text), simulations, &settings, Hashed);
            let expected = improved_policy(&search, &settings);
            assert_close(1e-4, &shares(&mut search), &expected);
        }
    }
}

// ---- sequential halving ----

/// A game without end in which one side does everything. At the root it has `width` actions, below
/// it `below`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Endless {
    width: u16,
    below: u16,
    /// The action at the root, once that was chosen.
    first: Option<Action>,
    key: u64,
}

impl Endless {
    fn position(width: u16, below: u16) -> Position {
        Position::new(Self { width, below, first: None, key: 0 })
    }
}

impl Game for Endless {
    type Rules = LiteralRules;

    const RULES_VERSION: u32 = 1;
    const FIRST: Colour = Colour::Black;
    const SPEC: Spec =
        Spec { planes: 1, height: 1, width: 40, displacements: &[(0, 0)], pass: false };
    const ACTIONS: &'static str = "";
    const SYMMETRIES: &'static [Matrix] = symmetry::TRIVIAL;

    fn initial(_: &Self::Rules) -> Self {
        Self { width: 1, below: 1, first: None, key: 0 }
    }

    fn to_move(&self) -> Side {
        Side::P1
    }

    fn ply(&self) -> u32 {
        0
    }

    fn outcome(&self) -> Option<Outcome> {
        None
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        actions.extend(0..if self.first.is_none() { self.width } else { self.below });
    }

    fn play(&mut self, action: Action) {
        self.first = self.first.or(Some(action));
        self.key = mix(self.key ^ u64::from(action));
    }

    fn observe(&self, planes: &mut [f32]) {
        planes.fill(0.0);
    }

    fn planes() -> Vec<&'static str> {
        Vec::new()
    }

    fn cell_name(&self, _: usize) -> String {
        String::new()
    }

    fn action_text(&self, _: Action) -> Text {
        Text::new()
    }

    fn position_key(&self) -> u64 {
        self.key
    }
}

impl Picture for Endless {
    fn labels(_: &Self::Rules) -> Labels {
        Labels { columns: Vec::new(), rows: Vec::new() }
    }

    fn symbol(&self, _: usize) -> char {
        '.'
    }
}

impl fmt::Display for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {}", self.first, self.key)
    }
}

impl fmt::Debug for Endless {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// `get_sequence_of_considered_visits` of mctx 0.0.5, and the visits that follow from it: the
/// simulation at each place of the sequence goes to an action that has so many.
fn considered_visits(considered: usize, simulations: usize) -> Vec<u32> {
    if considered <= 1 {
        return (0..simulations as u32).collect();
    }
    let log2 = (considered as f64).log2().ceil() as usize;
    let mut sequence = Vec::new();
    let mut visits = vec![0; considered];
    let mut left = considered;
    while sequence.len() < simulations {
        for _ in 0..(simulations / (log2 * left)).max(1) {
            sequence.extend(&visits[..left]);
            visits[..left].iter_mut().for_each(|visits| *visits += 1);
        }
        left = (left / 2).max(2);
    }
    sequence.truncate(simulations);
    sequence
}

/// The visits of all actions where the smallest comes first among equals.
fn halved_visits(actions: usize, considered: usize, budget: usize) -> Vec<u32> {
    let mut visits = vec![0; actions];
    for wanted in considered_visits(considered.min(actions), budget) {
        let index = visits.iter().position(|&visits| visits == wanted).unwrap();
        visits[index] += 1;
    }
    visits
}

#[test]
fn the_sequence_of_considered_visits_is_that_of_the_paper() {
    // Figure 1 of Danihelka et al. 2022: 16 considered, 200 simulations. Rounds of
    // 200 / (4 * 16) = 3, 200 / (4 * 8) = 6, 200 / (4 * 4) = 12 and 200 / (4 * 2) = 25 visits, of
    // which those of three rounds take 48 + 48 + 48 simulations, and the last two get 56, 28 each.
    let visits = halved_visits(20, 16, 200);
    let expected = [49, 49, 21, 21, 9, 9, 9, 9, 3, 3, 3, 3, 3, 3, 3, 3, 0, 0, 0, 0];
    assert_eq!(visits, expected);
}

#[test]
fn visits_are_halved_as_in_mctx() {
    let mut rng = stream(1, 0, 0, Purpose::Playout);
    for (actions, considered) in (1..=40).flat_map(|actions| (1..=32).map(move |c| (actions, c))) {
        for interior in [InteriorRule::Improved, InteriorRule::Puct] {
            // The first simulation evaluates the root.
            let simulations = rng.random_range(1..=201);
            let settings = Settings {
                interior,
                gumbel: GumbelSettings { considered, ..bare().gumbel },
                ..bare()
            };
            let root = Endless::position(actions, 3);
            let search = searched(root, simulations, &settings, Uniform);
            let budget = simulations as usize - 1;
            let expected = halved_visits(actions.into(), considered as usize, budget);
            assert_eq!(visits(&search), expected, "{actions} {considered} {simulations}");
        }
    }
}

#[test]
fn what_has_the_larger_logit_goes_on() {
    // Values are all alike, so that shares alone decide: the considered are the four largest.
    let row = [0.05, 0.2, 0.1, 0.25, 0.15, 0.02, 0.2, 0.03];
    let text = format!("(x{})", " (x = =)".repeat(8));
    let even = [0.5, 0.0, 0.5];
    let mut given: Vec<(&[f32], Wdl)> = vec![(&row, even)];
    given.extend([(&[0.5_f32, 0.5][..], even); 8]);
    // 16 simulations after the first: 16 / (2 * 4) = 2 each, then 16 / (2 * 2) = 4 each.
    let settings = Settings { gumbel: GumbelSettings { considered: 4, ..bare().gumbel }, ..bare() };
    let search = searched(Literal::position(&text), 17, &settings, Given(&given));
    assert_eq!(visits(&search), [0, 6, 0, 6, 2, 0, 2, 0]);
    assert_eq!(search.best(), Some(3));
}

// ---- what it plays ----

/// What the side to move gets by each action, under best play afterwards.
fn true_values(root: &Position) -> Vec<(Action, f32)> {
    let mut actions = Vec::new();
    root.legal_actions(&mut actions);
    let value = |action| solved(&after(root, action)).value_for(root.to_move());
    actions.into_iter().map(|action| (action, value(action))).collect()
}

fn value_of_action(values: &[(Action, f32)], action: Action) -> f32 {
    values.iter().find(|found| found.0 == action).unwrap().1
}

/// Whether the search plays an action that is best for the side to move.
fn plays_best(root: Position, settings: &Settings, evaluator: impl Evaluator) -> bool {
    let values = true_values(&root);
    let best = values.iter().map(|found| found.1).fold(-1.0, f32::max);
    let search = searched(root, 2_000, settings, evaluator);
    value_of_action(&values, search.best().unwrap()) == best
}

fn certain(interior: InteriorRule) -> [Settings; 2] {
    let settings =
        Settings { interior, proofs: ProofSettings { enabled: true, ..bare().proofs }, ..bare() };
    [
        settings,
        Settings { proofs: ProofSettings { lookahead: true, ..settings.proofs }, ..settings },
    ]
}

#[test]
fn with_enough_simulations_a_best_action_is_played() {
    let mut decided = 0;
    for text in random_roots(2, 4, 300) {
        let root = Literal::position(&text);

        for settings in certain(InteriorRule::Puct) {
            assert!(plays_best(root, &settings, Hashed), "{text} {settings:?}");
        }
        // Without proofs, if nothing misleads, all is tried often enough to tell values apart that
        // differ by 1.
        let settings = Settings { interior: InteriorRule::Puct, ..bare() };
        assert!(plays_best(root, &settings, Uniform), "{text}");
        let values = true_values(&root);
        decided += u32::from(values.iter().any(|found| found.1 != values[0].1));
    }
    assert!(decided >= 150, "there is something to choose: {decided}");
}

#[test]
fn with_enough_simulations_the_improved_policy_below_the_root_finds_a_best_action() {
    // It does not, however many simulations there are, and though all evaluations be true: as soon
    // as a likely action is lost, those without visits are taken to be nearly as bad, which by then
    // weighs so much that none of them is tried instead of a draw.
    for text in random_roots(2, 4, 300) {
        for settings in certain(InteriorRule::Improved) {
            assert!(
                plays_best(Literal::position(&text), &settings, Truthful),
                "{text} {settings:?}"
            );
        }
    }
}

#[test]
fn a_draw_that_was_certain_before_the_search_is_played_rather_than_what_looks_lost() {
    // After the only action of o, x draws by action 0; what it can do else looks lost. Nothing is
    // left to be found out about the draw, so none of the simulations goes there.
    let text = "(o (x = (o (x o =) (x = o))))";
    let lost = ([0.5, 0.5].as_slice(), [0.9, 0.0, 0.1]);
    let given = Given(&[
        (&[1.0], [0.3, 0.4, 0.3]),
        (&[0.9, 0.1], [0.3, 0.4, 0.3]),
        lost,
        (lost.0, [0.1, 0.0, 0.9]),
        (lost.0, [0.1, 0.0, 0.9]),
    ]);
    let settings = Settings {
        reuse: true,
        proofs: ProofSettings { enabled: true, ..bare().proofs },
        ..bare()
    };
    let mut solo = Solo::new(Search::new(settings));
    let mut root = Literal::position(text);
    solo.search.begin(root, Plan::simulations(3));
    solo.run(&mut { given }, &Cache::new(0, 0));
    solo.search.advance(0);
    root.play(0);
    solo.search.begin(root, Plan::simulations(2));
    let [draw, _] = found(&solo.search)[..] else { panic!("two actions") };
    assert_eq!((draw.visits, draw.proven), (1, Some(Outcome::Draw)));
    solo.run(&mut { given }, &Cache::new(0, 0));
    assert_eq!((visits(&solo.search), solo.search.proven()), (vec![1, 2], None));
    assert_eq!(solo.search.best(), Some(0));
}

/// Knows the truth about values and nothing about policy.
#[derive(Clone, Copy)]
struct Truthful;

impl Evaluator for Truthful {
    fn evaluate(&mut self, positions: &[Position], policy: &mut [f32], wdl: &mut [Wdl]) {
        Hashed.evaluate(positions, policy, wdl);
        for (position, wdl) in positions.iter().zip(wdl) {
            *wdl = solved(position).wdl_for(position.to_move());
        }
    }
}

/// Mean and its standard error.
fn mean_and_error(samples: &[f64]) -> [f64; 2] {
    let count = samples.len() as f64;
    let mean = samples.iter().sum::<f64>() / count;
    let variance = samples.iter().map(|sample| (sample - mean).powi(2)).sum::<f64>() / count;
    [mean, (variance / count).sqrt()]
}

#[test]
fn with_noise_and_few_simulations_the_policy_is_improved() {
    const SEEDS: u64 = 300;
    let trees = random_roots(3, 4, 200).filter(|text| {
        let values = true_values(&Literal::position(text));
        values.iter().any(|found| found.1 != values[0].1)
    });
    let mut gains = [0.0; 4];
    let trees: Vec<String> = trees.take(30).collect();
    for text in &trees {
        let root = Literal::position(text);
        let values = true_values(&root);
        for (gain, simulations) in gains.iter_mut().zip([2, 3, 5, 12]) {
            let settings =
                Settings { gumbel: GumbelSettings { considered: 4, ..bare().gumbel }, ..bare() };
            let played = |seed| {
                let plan = Plan { noise: Some(seed), ..Plan::simulations(simulations) };
                planned(root, plan, &settings, Truthful).best().unwrap()
            };
            let sample = |seed| f64::from(value_of_action(&values, played(seed)));
            let [mean, error] = mean_and_error(&(0..SEEDS).map(sample).collect::<Vec<_>>());
            let search = searched(root, 1, &settings, Truthful);
            let raw = |found: &Candidate| {
                f64::from(found.prior) * f64::from(value_of_action(&values, found.action))
            };
            let raw: f64 = found(&search).iter().map(raw).sum();
            // Five standard errors, where all samples may be alike by chance: 1 in e^6 or so.
            assert!(mean >= raw - 5.0 * error - 0.02, "{text}: {mean} of {raw} at {simulations}");
            *gain += (mean - raw) / trees.len() as f64;
        }
    }
    // With one action tried there is nothing to compare; with more there is, and it is used.
    assert!(gains[0].abs() < 0.03, "{gains:?}");
    assert!(gains[1] > 0.1 && gains[1] < gains[2] && gains[3] > 0.25, "{gains:?}");
}

#[test]
fn where_values_are_alike_the_action_played_is_drawn_from_the_policy() {
    const SEEDS: u64 = 20_000;
    let even = [0.5, 0.0, 0.5];
    let shares = [0.4, 0.3, 0.15, 0.1, 0.05];
    let mut given: Vec<(&[f32], Wdl)> = vec![(&shares, even)];
    given.extend([(&[0.5_f32, 0.5][..], even); 5]);
    let root = Literal::position("(x (o = =) (x = =) (o = =) (x = =) (o = =))");
    for (simulations, considered) in [(1, 5), (2, 5), (3, 2), (4, 5), (6, 5), (6, 1), (11, 3)] {
        let settings =
            Settings { gumbel: GumbelSettings { considered, ..bare().gumbel }, ..bare() };
        let mut counts = [0; 5];
        for seed in 0..SEEDS {
            let plan = Plan { noise: Some(mix(seed)), ..Plan::simulations(simulations) };
            let search = planned(root, plan, &settings, Given(&given));
            counts[usize::from(search.best().unwrap())] += 1;
        }
        let square = |(count, share): (&i32, &f32)| {
            let expected = f64::from(*share) * SEEDS as f64;
            (f64::from(*count) - expected).powi(2) / expected
        };
        // The 0.9999 quantile of chi-square with 4 degrees of freedom is 23.5.
        let square: f64 = counts.iter().zip(&shares).map(square).sum();
        assert!(square < 23.5, "{simulations} {considered}: {counts:?}, {square}");
    }
}

#[test]
fn noise_touches_neither_priors_nor_the_policy_where_nothing_is_visited() {
    let root = Literal::position("(x (o x o) . = (x = =) o)");
    let settings = bare();
    let mut plain = searched(root, 1, &settings, Hashed);
    let plan = Plan { noise: Some(7), ..Plan::simulations(1) };
    let mut noisy = planned(root, plan, &settings, Hashed);
    assert_eq!((found(&plain), shares(&mut plain)), (found(&noisy), shares(&mut noisy)));
    let silent = Settings { gumbel: GumbelSettings { scale: 0.0, ..settings.gumbel }, ..settings };
    let plan = Plan { noise: Some(7), ..Plan::simulations(40) };
    let (noisy, plain) =
        (planned(root, plan, &silent, Hashed), searched(root, 40, &silent, Hashed));
    assert_eq!((found(&noisy), noisy.best()), (found(&plain), plain.best()));
}

// ---- sides ----

fn exchanged_outcome(outcome: Outcome) -> Outcome {
    match outcome {
        Outcome::Win(side) => Outcome::Win(side.other()),
        Outcome::Draw => Outcome::Draw,
    }
}

/// Settings of every kind of search.
fn all_settings() -> Vec<Settings> {
    let mut all = Vec::new();
    for (root, interior) in [
        (RootRule::Gumbel, InteriorRule::Improved),
        (RootRule::Gumbel, InteriorRule::Puct),
        (RootRule::Puct, InteriorRule::Puct),
        (RootRule::Puct, InteriorRule::Improved),
    ] {
        for (proofs, lookahead) in [(false, false), (true, false), (true, true)] {
            all.push(Settings {
                root,
                interior,
                proofs: ProofSettings { enabled: proofs, lookahead, ..Settings::default().proofs },
                ..Settings::default()
            });
        }
    }
    all
}

#[test]
fn exchanging_the_sides_changes_nothing_for_the_side_to_move() {
    for text in random_roots(5, 6, 60) {
        for settings in all_settings() {
            for noise in [None, Some(5)] {
                let plan = Plan { noise, ..Plan::simulations(40) };
                let search = |text: &str| planned(Literal::position(text), plan, &settings, Hashed);
                let (mut one, mut two) = (search(&text), search(&exchanged(&text)));
                let mirrored = |mut found: Candidate| {
                    found.mover = found.mover.other();
                    found.proven = found.proven.map(exchanged_outcome);
                    found
                };
                assert!(one.candidates().eq(two.candidates().map(mirrored)), "{text}");
                assert_eq!((one.raw(), one.value()), (two.raw(), two.value()), "{text}");
                assert_eq!((one.best(), one.simulations()), (two.best(), two.simulations()));
                assert_eq!(one.proven(), two.proven().map(exchanged_outcome), "{text}");
                assert_eq!(shares(&mut one), shares(&mut two), "{text}");
            }
        }
    }
}

#[test]
fn a_side_that_acts_twice_in_a_row_is_not_taken_for_its_opponent() {
    let trees = [
        // After action 0 it is x again, who then wins by action 1; taken for o's choice, it loses.
        ("(x (x o x) =)", 0, 1.0),
        // After action 1 o acts twice, and wins by its second action; taken for x's choice, x wins.
        ("(x = (o (o x o) (o x o)))", 0, 0.0),
        // Three actions in a row, then the opponent: the sign changes once.
        ("(x (x (x o (o x x)) o) (o = =))", 0, 1.0),
    ];
    for (text, action, value) in trees {
        for text in [text.to_owned(), exchanged(text)] {
            for settings in all_settings() {
                let search = searched(Literal::position(&text), 300, &settings, Uniform);
                assert_eq!(search.best(), Some(action), "{text} {settings:?}");
                let [win, _, loss] = found(&search)[usize::from(action)].wdl;
                let near = if settings.proofs.enabled { 1e-6 } else { 0.25 };
                assert!((win - loss - value).abs() < near, "{text} {settings:?}: {win} {loss}");
            }
        }
    }
}

// ---- what self-play adds to PUCT ----

/// With an exploration so weak that what is forced is not visited anyway.
fn noisy_puct(forced_playouts: f32) -> Settings {
    Settings {
        noise: NoiseSettings { forced_playouts, ..Settings::plain().noise },
        puct: PuctSettings { c: 0.1, ..Settings::plain().puct },
        ..Settings::plain()
    }
}

/// The visits forced on an action at a root of so many.
fn forced(settings: &Settings, found: &Candidate, visits: u32) -> f64 {
    (f64::from(settings.noise.forced_playouts) * f64::from(found.prior) * f64::from(visits)).sqrt()
}

#[test]
fn every_action_tried_at_a_noisy_root_has_its_forced_visits() {
    fn check(root: Position) {
        let settings = noisy_puct(2.0);
        let mut fewer = 0;
        for seed in 0..10 {
            for simulations in [400, 1_500] {
                let plan = Plan { noise: Some(seed), ..Plan::simulations(simulations) };
                let is_short = |found: &Candidate| {
                    let least = forced(&settings, found, simulations).floor();
                    found.visits > 0 && f64::from(found.visits) + 1.0 < least
                };
                let search = planned(root, plan, &settings, Hashed);
                assert!(!found(&search).iter().any(is_short), "{:?}", found(&search));
                // That is not so by itself.
                let search = planned(root, plan, &noisy_puct(0.0), Hashed);
                fewer += u32::from(found(&search).iter().any(is_short));
            }
        }
        assert!(fewer > 0);
    }
    for name in ["tic_tac_toe", "connect_four", "neutron5"] {
        check(registry::preset(name).unwrap().initial());
    }
}

#[test]
fn an_action_that_is_clearly_bad_gives_its_forced_visits_back() {
    // Action 1 loses and action 3 draws; all others win, but nothing is proven.
    let root = Literal::position("(x (x x x) o (x x x) = (x x x))");
    let shares_given: &[f32] = &[0.2; 5];
    let below = (&[0.5_f32, 0.5][..], [0.5, 0.0, 0.5]);
    let given = Given(&[(shares_given, [0.5, 0.0, 0.5]), below, below, below]);
    for seed in 0..20 {
        let plan = Plan { noise: Some(seed), ..Plan::simulations(2_000) };
        let mut search = planned(root, plan, &noisy_puct(2.0), given);
        let visits = visits(&search);
        assert!(visits[1] >= 10, "a loss is forced too: {visits:?}");
        // What is left of the loss is what its bound alone would give it. The exploration is
        // (0.1 + ln(21,653 / 19,652)) * sqrt(2000) = 8.8; a share of 0.4 at the most lifts -1 to
        // -1 + 8.8 * 0.4 / (1 + n), below the bound of a win from n = 1 on; and one visit is none.
        let shares = shares(&mut search);
        assert_eq!(shares[1], 0.0, "{visits:?} {shares:?}");
        let drawn = f64::from(visits[3]) / 1_999.0;
        assert!(shares[3] < drawn, "{visits:?} {shares:?}");
        // The same without anything forced is the share of the visits.
        let mut search = planned(root, plan, &noisy_puct(0.0), given);
        let total: u32 = search.candidates().map(|found| found.visits).sum();
        let expected: Vec<f64> =
            search.candidates().map(|found| f64::from(found.visits) / f64::from(total)).collect();
        assert_close(1e-6, &self::shares(&mut search), &expected);
    }
}

/// The visits left to each action: it gives back its forced ones, one after the other, as long as
/// its upper bound stays below that of the most visited, and nothing is left of it if that leaves
/// one. The mean over all simulations is `wdl`, the bound that of PUCT without spread.
fn pruned(settings: &Settings, found: &[Candidate], simulations: u32) -> Vec<f64> {
    let total = f64::from(simulations);
    let [c, base] = [settings.puct.c, settings.puct.c_base].map(f64::from);
    let exploration = (c + ((total + base + 1.0) / base).ln()) * total.sqrt();
    let bound = |found: &Candidate, visits: f64| {
        let value = f64::from(found.wdl[0]) - f64::from(found.wdl[2]);
        value + exploration * f64::from(found.prior) / (1.0 + visits)
    };
    let best =
        found.iter().max_by(|a, b| a.visits.cmp(&b.visits).then(a.prior.total_cmp(&b.prior)));
    let best = best.unwrap();
    let left = |found: &Candidate| {
        let all = f64::from(found.visits);
        if found.action == best.action {
            return all;
        }
        let most = forced(settings, found, simulations).floor().min(all);
        let is_worse =
            |given: &f64| bound(found, all - given) < bound(best, f64::from(best.visits));
        let mut given = 0.0;
        while given < most && is_worse(&(given + 1.0)) {
            given += 1.0;
        }
        if given > 0.0 && all - given <= 1.0 { 0.0 } else { all - given }
    };
    found.iter().map(left).collect()
}

#[test]
fn the_pruned_policy_is_that_of_the_paper_and_the_best_action_keeps_its_visits() {
    fn check(root: Position) {
        let settings = noisy_puct(2.0);
        let (mut compared, mut changed) = (0, 0);
        for seed in 0..20 {
            let plan = Plan { noise: Some(seed), ..Plan::simulations(800) };
            let mut search = planned(root, plan, &settings, Hashed);
            let found = found(&search);
            let left = pruned(&settings, &found, 800);
            let total: f64 = left.iter().sum();
            let expected: Vec<f64> = left.iter().map(|left| left / total).collect();
            let shares = shares(&mut search);
            let most = (0..found.len()).max_by_key(|&index| found[index].visits).unwrap();
            // All others are whole numbers of visits, in units of those of the best action.
            let unit = f64::from(found[most].visits) / shares[most];
            for (found, share) in found.iter().zip(&shares) {
                let left = share * unit;
                assert!((left - left.round()).abs() < 1e-2, "{left} of {}", found.visits);
                assert!(left.round() as u32 <= found.visits);
            }
            compared += u32::from(expected.iter().zip(&shares).all(|(a, b)| (a - b).abs() < 1e-5));
            changed += u32::from(left.iter().zip(&found).any(|(l, f)| *l < f64::from(f.visits)));
        }
        // Bounds may be nearer to each other than rounding errors, but hardly ever are.
        assert!(compared >= 18 && changed >= 10, "{compared} {changed}");
    }
    for name in ["tic_tac_toe", "connect_four", "neutron5"] {
        check(registry::preset(name).unwrap().initial());
    }
}
