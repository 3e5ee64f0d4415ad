//! The batched environment agrees with single games, for every game of the table.

use rand::RngExt;

use crate::base::rng::{Purpose, stream};
use crate::games::env::{BatchEnv, EnvError};
use crate::games::picture::Picture;
use crate::games::{
    Action, Breakthrough, CheckersGomoku, ConnectFour, ConnectFourRules, Entropy, Game as _,
    Neutron, Susan, TicTacToe, TicTacToeRules,
};
use crate::registry::any_env::AnyEnv;
use crate::registry::{self, Position, Variant};

const SEED: u64 = 5;

/// Everything that an environment exposes, for comparison.
fn shown(env: &BatchEnv<TicTacToe>) -> impl PartialEq + std::fmt::Debug + use<> {
    let arrays = (env.observations().to_vec(), env.legal().to_vec());
    let lists: Vec<_> =
        (0..env.games().len()).map(|game| env.legal_actions(game).to_vec()).collect();
    (env.games().to_vec(), arrays, env.to_move().to_vec(), env.outcomes().to_vec(), lists)
}

/// All that there is to see of an environment of any game.
fn seen(env: &dyn AnyEnv) -> impl PartialEq + Send + use<> {
    let boards: Vec<String> = (0..env.batch()).map(|game| env.board(game)).collect();
    let arrays = (env.observations().to_vec(), env.legal().to_vec());
    (boards, arrays, env.to_move().to_vec(), env.outcomes().to_vec())
}

fn check_against_single_games(variant: &Variant) {
    const BATCH: usize = 37;
    let mut env = variant.env(BATCH, SEED);
    let mut games = [variant.initial(); BATCH];
    let mut actions = Vec::new();
    for step in 0.. {
        if env.outcomes().iter().all(Option::is_some) {
            break;
        }
        env.random_actions(&mut actions);
        env.step(&actions).unwrap();
        for (index, game) in games.iter_mut().enumerate() {
            let mut rng = stream(SEED, step, index as u64, Purpose::Playout);
            let mut legal = Vec::new();
            game.legal_actions(&mut legal);
            if !legal.is_empty() {
                game.play(legal[rng.random_range(0..legal.len())]);
            }
            check_view(&*env, index, game);
        }
    }
}

/// The arrays of the environment agree with the game itself.
fn check_view(env: &dyn AnyEnv, index: usize, game: &Position) {
    let spec = game.spec();
    assert_eq!(env.board(index), game.to_string());
    assert_eq!(env.outcomes()[index], game.outcome());
    assert_eq!(env.to_move()[index], game.to_move());
    let mut legal = Vec::new();
    game.legal_actions(&mut legal);
    let mask = &env.legal()[index * spec.actions()..][..spec.actions()];
    assert!((0..).zip(mask).all(|(action, &set)| set == legal.contains(&action)));
    let mut observation = vec![f32::NAN; spec.observation()];
    game.observe(&mut observation);
    let size = observation.len();
    assert_eq!(env.observations()[index * size..][..size], observation);
}

fn check_threads_change_nothing(variant: &Variant) {
    let run = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut env = variant.env(100, SEED);
            let mut actions = Vec::new();
            for _ in 0..150 {
                env.random_actions(&mut actions);
                env.step(&actions).unwrap();
                env.reset_finished();
            }
            seen(&*env)
        })
    };
    let alone = run(1);
    assert!(alone == run(2) && alone == run(3), "{}", variant.name);
}

macro_rules! every_game {
    ($($name:ident,)*) => { $(
        mod $name {
            use super::*;

            #[test]
            fn equals_single_games() {
                let variant = registry::preset(stringify!($name)).unwrap();
                check_against_single_games(&variant);
            }

            #[test]
            fn threads_change_nothing() {
                let variant = registry::preset(stringify!($name)).unwrap();
                check_threads_change_nothing(&variant);
            }
        }
    )* };
}

for_every_game!(every_game);

/// The games of a typed environment and the lists of their actions are those of single games. False
/// if the variant is of another type.
fn check_typed<G: Picture>(variant: &Variant) -> bool {
    const BATCH: usize = 5;
    let Some(rules) = variant.typed::<G>() else { return false };
    let mut env = BatchEnv::<G>::new(rules, BATCH, SEED);
    let mut games = [G::initial(rules); BATCH];
    let (mut actions, mut legal) = (Vec::new(), Vec::new());
    loop {
        for (index, game) in games.iter().enumerate() {
            game.legal_actions(&mut legal);
            assert_eq!((&env.games()[index], env.legal_actions(index)), (game, &legal[..]));
        }
        if env.is_finished() {
            return true;
        }
        env.random_actions(&mut actions);
        env.step(&actions).unwrap();
        let unfinished = games.iter_mut().zip(&actions).filter(|(it, _)| it.outcome().is_none());
        unfinished.for_each(|(game, &action)| game.play(action));
    }
}

#[test]
fn typed_games_and_lists_are_those_of_single_games() {
    let checks = [
        check_typed::<Susan>,
        check_typed::<Neutron<5>>,
        check_typed::<Neutron<7>>,
        check_typed::<Neutron<5, 7>>,
        check_typed::<Neutron<7, 5>>,
        check_typed::<Entropy>,
        check_typed::<CheckersGomoku>,
        check_typed::<Breakthrough<6>>,
        check_typed::<Breakthrough<8>>,
        check_typed::<TicTacToe>,
        check_typed::<ConnectFour>,
    ];
    for game in registry::all() {
        assert!(checks.iter().any(|check| check(&game.variant)), "{} has another type", game.name);
    }
}

fn tic_tac_toe(batch: usize) -> BatchEnv<TicTacToe> {
    BatchEnv::new(&TicTacToeRules {}, batch, SEED)
}

#[test]
fn a_refused_step_changes_nothing_and_names_the_game() {
    let mut env = tic_tac_toe(3);
    env.step(&[0, 1, 2]).unwrap();
    let before = shown(&env);
    let refused = |env: &mut BatchEnv<TicTacToe>, actions: &[Action]| {
        let error = env.step(actions).unwrap_err();
        assert!(shown(env) == before && env.steps() == 1);
        error
    };
    let error = refused(&mut env, &[4, 4, 2]);
    assert_eq!(error, EnvError::Illegal { game: 2, action: 2 });
    assert_eq!(error.to_string(), "action 2 is not legal in game 2");
    let error = refused(&mut env, &[4, Action::MAX, 2]);
    assert_eq!(error, EnvError::Illegal { game: 1, action: Action::MAX });
    let error = refused(&mut env, &[4, 4]);
    assert_eq!(error, EnvError::Count { given: 2, batch: 3 });
    let message = refused(&mut env, &[4; 4]).to_string();
    assert_eq!(message, "got 4 actions for 3 games: give one for each game");
}

#[test]
fn a_finished_game_ignores_actions_until_it_is_reset() {
    let mut env = tic_tac_toe(2);
    for actions in [[0, 0], [3, 1], [1, 2], [4, 4], [2, 3]] {
        env.step(&actions).unwrap();
    }
    assert!(env.outcomes()[0].is_some() && env.outcomes()[1].is_none() && !env.is_finished());
    assert!(env.legal()[..9].iter().all(|&legal| !legal) && env.legal_actions(0).is_empty());
    let (ended, others) = (env.games()[0], env.games()[1]);
    env.step(&[Action::MAX, 5]).unwrap();
    assert!(env.games()[0] == ended && env.games()[1] != others);

    let others = env.games()[1];
    env.reset_finished();
    assert_eq!(env.games(), [TicTacToe::initial(&TicTacToeRules {}), others]);
    assert_eq!(env.outcomes(), [None, None]);
    assert_eq!(env.legal_actions(0).len(), 9);
}

#[test]
fn the_arrays_stay_where_they_are() {
    let mut env = BatchEnv::<ConnectFour>::new(&ConnectFourRules {}, 64, SEED);
    let places = |env: &BatchEnv<ConnectFour>| {
        let lists: Vec<_> = (0..64).map(|game| env.legal_actions(game).as_ptr()).collect();
        (env.observations().as_ptr(), env.legal().as_ptr(), env.games().as_ptr(), lists)
    };
    let before = places(&env);
    let mut actions = Vec::new();
    for _ in 0..100 {
        env.random_actions(&mut actions);
        env.step(&actions).unwrap();
        env.reset_finished();
    }
    assert_eq!(places(&env), before);
}

#[test]
fn an_empty_batch_is_finished() {
    let mut env = tic_tac_toe(0);
    assert!(env.is_finished() && env.step(&[]).is_ok());
}
