//! Small boards, solved by the tables and by brute force.

use std::collections::HashMap;
use std::sync::atomic::AtomicBool;

use super::solve::{SolveSettings, solve_layout};
use super::subject::SolvedGame;
use super::turns::{EntropyTurns, NeutronTurns, TicTacToeTurns, Turns};
use super::*;
use crate::games::neutron::{Forbid, Restriction};
use crate::games::symmetry::Permutation;
use crate::games::{
    Entropy, EntropyGoal, EntropyRules, Game, Layout, Neutron, NeutronRules, Outcome, Placement,
    Rescue, Rules, Side, Spec, TicTacToe, TicTacToeRules, legal_turns,
};
use crate::registry::Variant;
use crate::tests::common::folder::Folder;

struct Quiet;

impl Watcher for Quiet {
    fn begin(&mut self, _: &str, _: u64) {}
    fn advance(&mut self, _: u64) {}
    fn level(&mut self, _: u32, _: u64, _: u64) {}
    fn damaged(&mut self, _: &anyhow::Error) {}
}

static GO_ON: AtomicBool = AtomicBool::new(false);

fn settings(folder: &Folder, threads: usize) -> SolveSettings<'static> {
    SolveSettings { folder: folder.file("solution"), memory: 1 << 30, threads, stop: &GO_ON }
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
    let subject = SolvedGame {
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
    solution.check_all(|| ()).unwrap();
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
    let layout = Neutron::<3, 3>::layout(&rules).unwrap();
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

/// The rules of Entropy on `size` by `size` cells, written plainly from their description.
struct PlainEntropy {
    size: i32,
    rules: EntropyRules,
}

impl PlainEntropy {
    fn cell(&self, x: i32, y: i32) -> Option<u64> {
        let on_board = (0..self.size).contains(&x) && (0..self.size).contains(&y);
        on_board.then(|| 1 << (y * self.size + x))
    }

    fn cells(&self) -> impl Iterator<Item = (i32, i32)> {
        let size = self.size;
        (0..size * size).map(move |cell| (cell % size, cell / size))
    }

    /// Whether a cell beside `(x, y)` is in `set`.
    fn touches(&self, (x, y): (i32, i32), set: u64) -> bool {
        let beside =
            |(dx, dy): (i32, i32)| self.cell(x + dx, y + dy).is_some_and(|cell| set & cell != 0);
        around().any(beside)
    }

    fn pieces(&self, set: u64) -> impl Iterator<Item = (i32, i32)> {
        self.cells().filter(move |&(x, y)| self.cell(x, y).is_some_and(|cell| set & cell != 0))
    }

    fn has_won(&self, own: u64, other: u64) -> bool {
        let empty = !(own | other);
        self.pieces(own).all(|at| {
            let friend = self.touches(at, own);
            match self.rules.win {
                EntropyGoal::Immobile => !friend || !self.touches(at, empty),
                EntropyGoal::NoFriend => !friend,
                EntropyGoal::Contact => !friend && self.touches(at, other),
            }
        })
    }

    fn next(&self, placement: &Placement) -> Next {
        let Placement { own, other, .. } = *placement;
        if self.has_won(other, own) {
            return Next::Over(Value::Loss(0));
        }
        if self.has_won(own, other) {
            return Next::Over(Value::Win(0));
        }
        let isolated: Vec<_> =
            self.pieces(own).filter(|at| !self.touches(*at, own | other)).collect();
        let mut turns = Vec::new();
        for (x, y) in self.pieces(own).filter(|at| self.touches(*at, own)) {
            let from = self.cell(x, y).unwrap();
            for (dx, dy) in around() {
                for step in 1.. {
                    let to = self.cell(x + step * dx, y + step * dy);
                    let Some(to) = to.filter(|to| (own | other) & to == 0) else { break };
                    let after = own ^ from ^ to;
                    let saved =
                        isolated.iter().filter(|at| self.touches(**at, after | other)).count();
                    let is_legal = match self.rules.rescue {
                        Rescue::Any => isolated.is_empty() || saved > 0,
                        Rescue::All => saved == isolated.len(),
                    };
                    if is_legal {
                        turns.push(Ok(Placement { own: other, other: after, neutral: None }));
                    }
                }
            }
        }
        if turns.is_empty() {
            turns.push(Ok(Placement { own: other, other: own, neutral: None }));
        }
        Next::Turns(turns)
    }
}

/// The eight directions.
fn around() -> impl Iterator<Item = (i32, i32)> {
    (0..9).map(|cell| (cell % 3 - 1, cell / 3 - 1)).filter(|step| *step != (0, 0))
}

fn check_entropy<const N: usize>(pieces: u32, rules: EntropyRules) {
    let rules = rules.uncapped();
    let spec = Spec { width: N, height: N, ..Entropy::SPEC };
    let images =
        |symmetry: &Permutation| (0..N * N).map(|cell| symmetry.cell(cell) as u8).collect();
    let layout = Layout {
        cells: N * N,
        counts: vec![[pieces; 2]],
        neutral: Vec::new(),
        symmetries: Permutation::all(&spec, Entropy::SYMMETRIES).iter().map(images).collect(),
        turned: (0..(N * N) as u8).collect(),
    };
    let plain = PlainEntropy { size: N as i32, rules };
    let values = brute_force(&placements(&layout), |one| Some(plain.next(one)));
    check("entropy on a small board", &rules, &layout, &EntropyTurns::<N>::new(rules), &values);
}

#[test]
fn entropy_on_small_boards_is_solved_as_by_brute_force() {
    for win in [EntropyGoal::Immobile, EntropyGoal::NoFriend, EntropyGoal::Contact] {
        for rescue in [Rescue::Any, Rescue::All] {
            check_entropy::<3>(3, EntropyRules { win, rescue, max_plies: 0 });
        }
    }
    check_entropy::<4>(3, EntropyRules::default());
}

/// Solves 4x4 Neutron with 4 pieces each.
pub(in crate::exact) fn neutron4(folder: &Folder) -> (Variant, SolveSettings<'static>, SolvedGame) {
    let variant = Variant::new::<Neutron<4>>("neutron4", NeutronRules::FIVE.uncapped());
    (variant, settings(folder, 2), SolvedGame::of(&variant))
}

pub(in crate::exact) fn solve4(folder: &Folder) -> About {
    let (variant, settings, subject) = neutron4(folder);
    let layout = variant.layout().unwrap();
    let turns = NeutronTurns::<4>::new(variant.typed::<Neutron<4>>().unwrap());
    solve_layout(&subject, &layout, &turns, &settings, &mut Quiet).unwrap()
}

#[test]
fn neutron_on_4x4_agrees_with_its_rules() {
    let folder = Folder::new();
    let about = solve4(&folder);
    let (variant, ..) = neutron4(&folder);
    let solution = Solution::open(&folder.file("solution"), &variant).unwrap();
    println!("{:?} {:?}", about.summary(), about.counts);
    let checked = recheck::recheck(&solution, &variant, 3_000, 7, |_| ()).unwrap();
    assert_eq!(checked.agreed, 3_000);
    assert!(checked.proven > 300, "{checked:?}");
    // All numbers are those of positions that have this number.
    let index = solution.index();
    for number in (0..solution.values()).step_by(997) {
        assert_eq!(index.value(&index.placement(number)), Some(number));
    }
}

#[test]
fn damaged_and_foreign_solutions_are_refused() {
    let folder = Folder::new();
    solve4(&folder);
    let (variant, ..) = neutron4(&folder);
    let path = folder.file("solution");
    let [values, about] = ["values", "solution"].map(|name| path.join(name));
    let refused = |variant: &Variant| {
        let opened = Solution::open(&path, variant).and_then(|it| it.check_all(|| ()));
        format!("{:#}", opened.unwrap_err())
    };
    let other = Variant::new::<Neutron<4>>(variant.name, NeutronRules::FIVE.uncapped().coneutron());
    assert!(refused(&other).contains("has the solution of neutron4"), "{}", refused(&other));
    let whole = std::fs::read(&values).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 4;
    std::fs::write(&values, flipped).unwrap();
    assert!(refused(&variant).contains("is damaged at byte"));
    std::fs::write(&values, &whole[..whole.len() - 1]).unwrap();
    assert!(refused(&variant).contains("solve the game again"));
    std::fs::write(&values, whole).unwrap();
    let mut bytes = std::fs::read(&about).unwrap();
    bytes[40] ^= 1;
    std::fs::write(&about, bytes).unwrap();
    assert!(refused(&variant).contains("its checksum does not match"));
    std::fs::remove_file(&about).unwrap();
    assert!(refused(&variant).contains("is not there"));
}

/// Sets its flag at the given call.
struct StopAt<'a> {
    calls: u32,
    stop: &'a AtomicBool,
}

impl Watcher for StopAt<'_> {
    fn begin(&mut self, _: &str, _: u64) {}

    fn advance(&mut self, _: u64) {
        self.calls = self.calls.saturating_sub(1);
        if self.calls == 0 {
            self.stop.store(true, std::sync::atomic::Ordering::Relaxed);
        }
    }

    fn level(&mut self, _: u32, _: u64, _: u64) {}
    fn damaged(&mut self, _: &anyhow::Error) {}
}

#[test]
fn a_stopped_solve_resumes_and_ends_the_same() {
    let rules = NeutronRules::FIVE.uncapped();
    let layout = Neutron::<3, 3>::layout(&rules).unwrap();
    let turns = NeutronTurns::<3>::new(&rules);
    let subject = SolvedGame { game: "neutron3".into(), rules: "{}".into(), rules_version: 1 };
    let solved = |folder: &Folder, calls: Option<u32>| {
        let stop = AtomicBool::new(false);
        let mut watcher = StopAt { calls: calls.unwrap_or(u32::MAX), stop: &stop };
        let settings = SolveSettings {
            folder: folder.file("solution"),
            memory: 1 << 30,
            threads: 1,
            stop: &stop,
        };
        solve_layout(&subject, &layout, &turns, &settings, &mut watcher)
    };
    let bytes = |folder: &Folder| std::fs::read(folder.file("solution/values")).unwrap();
    let straight = Folder::new();
    let expected = solved(&straight, None).unwrap();
    let folder = Folder::new();
    let mut stops = 0;
    let about = loop {
        // Each attempt gets a little farther.
        match solved(&folder, Some(3 + 4 * stops)) {
            Ok(about) => break about,
            Err(error) => assert!(error.is::<Stopped>(), "{error:#}"),
        }
        stops += 1;
        // As a process that was killed leaves them.
        std::fs::write(folder.file("solution/unfinished/level-0003.part"), "torn").unwrap();
    };
    assert!(stops >= 3, "it was stopped {stops} times only");
    assert_eq!((about, bytes(&folder)), (expected, bytes(&straight)));
    let level = folder.file("solution/unfinished");
    assert!(!level.exists());
}

#[test]
fn a_solve_says_what_keeps_it_from_working() {
    let rules = NeutronRules::FIVE.uncapped();
    let layout = Neutron::<3, 3>::layout(&rules).unwrap();
    let turns = NeutronTurns::<3>::new(&rules);
    let subject =
        |game: &str| SolvedGame { game: game.into(), rules: "{}".into(), rules_version: 1 };
    let folder = Folder::new();
    let refused = |subject: &SolvedGame, memory: u64| {
        let settings = SolveSettings { memory, ..settings(&folder, 1) };
        let solved = solve_layout(subject, &layout, &turns, &settings, &mut Quiet);
        format!("{:#}", solved.unwrap_err())
    };
    assert!(refused(&subject("neutron3"), 1 << 20).contains("raise --memory"));
    solve_layout(&subject("neutron3"), &layout, &turns, &settings(&folder, 1), &mut Quiet).unwrap();
    assert!(refused(&subject("other"), 1 << 30).contains("belongs to neutron3"));
    // A level that is damaged is not taken for whole.
    let other = Folder::new();
    let work = other.file("solution/unfinished");
    std::fs::create_dir_all(&work).unwrap();
    std::fs::write(work.join("level-0000"), [7; 40]).unwrap();
    let solved =
        solve_layout(&subject("neutron3"), &layout, &turns, &settings(&other, 1), &mut Quiet);
    assert!(format!("{:#}", solved.unwrap_err()).contains("level-0000 is damaged"));
    let susan = crate::registry::preset("susan").unwrap();
    let solved = solve(&susan, &settings(&other, 1), &mut Quiet);
    assert!(solved.unwrap_err().to_string().contains("susan cannot be solved"));
}

/// Solves tic-tac-toe into the folder `solution`.
pub(crate) fn solve_tic_tac_toe(folder: &Folder) -> std::path::PathBuf {
    let variant = crate::registry::preset("tic_tac_toe").unwrap();
    let settings = settings(folder, 1);
    solve(&variant, &settings, &mut Quiet).unwrap();
    settings.folder
}
