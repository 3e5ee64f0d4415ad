//! Small boards, solved by the tables and by brute force.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use super::file::Subject;
use super::solve::{Settings, solve_layout};
use super::turns::{EntropyTurns, NeutronTurns, TicTacToeTurns, Turns};
use super::*;
use crate::games::neutron::{Forbid, Restriction};
use crate::games::{
    EntropyRules, Game, Layout, Neutron, NeutronRules, Outcome, Placement, Rules, Side, TicTacToe,
    TicTacToeRules, Variant, legal_turns,
};
use crate::tests::common::folder::Folder;

struct Quiet;

impl Watcher for Quiet {
    fn begin(&mut self, _: &str, _: u64) {}
    fn advance(&mut self, _: u64) {}
    fn level(&mut self, _: u32, _: u64, _: u64) {}
}

static GO_ON: AtomicBool = AtomicBool::new(false);

fn settings(folder: &Folder, threads: usize) -> Settings<'static> {
    Settings { folder: folder.file("solution"), memory: 1 << 30, threads, stop: &GO_ON }
}

/// All positions of a layout, as sets.
fn placements(layout: &Layout) -> Vec<Placement> {
    let all = 1_u64 << layout.cells;
    let fits = |own: u64, other: u64| {
        own & other == 0 && layout.counts.contains(&[own.count_ones(), other.count_ones()])
    };
    let of_size = |place: usize| {
        let sizes: Vec<u32> = layout.counts.iter().map(|counts| counts[place]).collect();
        (0..all).filter(move |set| sizes.contains(&set.count_ones())).collect::<Vec<u64>>()
    };
    let (owns, others) = (of_size(0), of_size(1));
    let mut found = Vec::new();
    for &own in &owns {
        for &other in others.iter().filter(|other| fits(own, **other)) {
            if layout.neutral.is_empty() {
                found.push(Placement { own, other, neutral: None });
            }
            let free = layout.neutral.iter().filter(|cell| (own | other) >> **cell & 1 == 0);
            found.extend(free.map(|&cell| Placement { own, other, neutral: Some(cell) }));
        }
    }
    found
}

/// What a position leads to: the end, or other positions.
enum Next {
    Over(Value),
    Turns(Vec<Result<Placement, Value>>),
}

/// What the rules of a game say about a position. `None` if they do not have it.
fn by_rules<G: Game>(rules: &G::Rules, placement: &Placement) -> Option<Next> {
    let game = G::from_placement(rules, placement, Side::P1)?;
    let value = |game: &G, outcome: Outcome| match outcome {
        Outcome::Win(side) if side == game.to_move() => Value::Win(0),
        Outcome::Win(_) => Value::Loss(0),
        Outcome::Draw => Value::Neither,
    };
    if let Some(outcome) = game.outcome() {
        return Some(Next::Over(value(&game, outcome)));
    }
    let turns = legal_turns(&game).into_iter().map(|turn| {
        let next = turn.after(&game);
        match (next.placement(), next.outcome()) {
            (_, Some(outcome)) => Err(value(&next, outcome)),
            (Some(placement), None) => Ok(placement),
            (None, None) => Err(Value::Neither),
        }
    });
    Some(Next::Turns(turns.collect()))
}

/// Solves positions by repeating until nothing changes, without regard for the order.
fn brute_force(
    all: &[Placement],
    next: impl Fn(&Placement) -> Option<Next>,
) -> HashMap<Placement, Value> {
    let graph: Vec<(Placement, Next)> =
        all.iter().filter_map(|one| Some((*one, next(one)?))).collect();
    let mut values: HashMap<Placement, Value> =
        graph.iter().map(|(one, _)| (*one, Value::Neither)).collect();
    loop {
        let mut changed = Vec::new();
        for (one, next) in &graph {
            let value = match next {
                Next::Over(value) => *value,
                Next::Turns(turns) => {
                    let of = |turn: &Result<Placement, Value>| match turn {
                        Ok(next) => values[next].before(),
                        Err(value) => value.before(),
                    };
                    turns.iter().map(of).max_by_key(|value| value.merit()).unwrap()
                }
            };
            if values[one] != value {
                changed.push((*one, value));
            }
        }
        if changed.is_empty() {
            return values;
        }
        values.extend(changed);
    }
}

/// Solves a layout into `folder` and compares all its values.
fn check<T: Turns>(
    name: &str,
    rules: &impl Rules,
    layout: &Layout,
    turns: &T,
    values: &HashMap<Placement, Value>,
) {
    let subject = Subject {
        game: name.to_owned(),
        rules: serde_json::to_string(rules).unwrap(),
        rules_version: 1,
    };
    let folders = [1, 2].map(|threads| {
        let folder = Folder::new();
        let about = solve_layout(&subject, layout, turns, &settings(&folder, threads), &mut Quiet);
        (folder, about.unwrap())
    });
    let [(folder, about), (_, on_two)] = &folders;
    assert_eq!(about, on_two, "the result depends on the threads");
    assert_eq!(about.positions, values.len() as u64);
    let solution = Solution::open_layout(&folder.file("solution"), &subject, layout).unwrap();
    solution.check_all().unwrap();
    let mut counts = vec![[0_u64; 2]; about.counts.len()];
    for (placement, value) in values {
        assert_eq!(solution.value(placement).unwrap(), Some(*value), "{placement:?}");
        match *value {
            Value::Win(turns) => counts[turns as usize][0] += 1,
            Value::Loss(turns) => counts[turns as usize][1] += 1,
            Value::Neither => {}
        }
    }
    let told: Vec<[u64; 2]> = about.counts.iter().map(|count| [count.won, count.lost]).collect();
    assert_eq!(told, counts);
    println!("{name}: {} positions, longest {}", about.positions, counts.len() - 1);
}

fn check_neutron(name: &str, rules: NeutronRules) {
    let rules = rules.uncapped();
    let layout = Neutron::<3>::layout(&rules).unwrap();
    let all = placements(&layout);
    let values = brute_force(&all, |one| by_rules::<Neutron<3>>(&rules, one));
    check(name, &rules, &layout, &NeutronTurns::<3>::new(&rules), &values);
}

#[test]
fn neutron_on_3x3_is_solved_as_by_brute_force() {
    let five = NeutronRules::FIVE;
    check_neutron("neutron3", five);
    check_neutron("coneutron3", five.coneutron());
    for forbid in [Forbid::Own, Forbid::Opponent, Forbid::Both] {
        let rules = five.restricted(forbid);
        check_neutron("restricted", rules);
        check_neutron("wall", NeutronRules { restriction: Restriction::Wall, ..rules });
        check_neutron("restricted coneutron", rules.coneutron());
    }
}

#[test]
fn tic_tac_toe_is_solved_as_by_brute_force() {
    let layout = TicTacToe::layout(&TicTacToeRules {}).unwrap();
    let all = placements(&layout);
    let values = brute_force(&all, |one| by_rules::<TicTacToe>(&TicTacToeRules {}, one));
    check("tic_tac_toe", &TicTacToeRules {}, &layout, &TicTacToeTurns, &values);
}
