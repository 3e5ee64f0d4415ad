//! The games of an iteration, and how often each of their positions is drawn.

use rand::RngExt;
use rand::distr::Distribution;
use rand::distr::weighted::WeightedIndex;

use super::{CutGames, Settings, seen_from};
use crate::base::rng::Rng;
use crate::classic::alphabeta::chances;
use crate::games::Variant;
use crate::games::{Game, Side};
use crate::search::Wdl;
use crate::selfplay::cut_short;
use crate::selfplay::record::{Choice, GameRecord};

/// A position: its game and its choice.
type Place = (u32, u32);

/// A choice in a game, and what the game is taken to have come to.
#[derive(Clone, Copy)]
pub(super) struct Drawn<'a> {
    pub record: &'a GameRecord,
    pub choice: usize,
    /// As `P1` sees it.
    result: Wdl,
}

impl Drawn<'_> {
    /// What the game is taken to have come to for `side`.
    pub fn result_for(&self, side: Side) -> Wdl {
        for_side(self.result, side)
    }
}

/// Chances of one side as `P1` sees them, and back.
fn for_side(wdl: Wdl, side: Side) -> Wdl {
    seen_from(wdl, side == Side::P1)
}

/// The games of an iteration, and where in them there is something to be learnt.
#[derive(Clone, Debug)]
pub(super) struct Iteration {
    pub games: Vec<GameRecord>,
    /// What each is taken to have come to, as `P1` sees it.
    results: Vec<Wdl>,
    /// Those that count as one are neighbours.
    places: Vec<Place>,
    /// Where in `places` each position that counts begins; none if every place is one.
    groups: Option<Vec<u32>>,
    /// How often each position that counts is drawn; none for all alike.
    weights: Option<WeightedIndex<f32>>,
}

impl Iteration {
    pub fn new<G: Game>(variant: &Variant<G>, games: Vec<GameRecord>, settings: &Settings) -> Self {
        let mut places = Vec::new();
        for (game, record) in (0..).zip(&games) {
            let learnt = (0..).zip(&record.choices).filter(|(_, choice)| is_learnt(choice));
            places.extend(learnt.map(|(choice, _)| (game, choice)));
        }
        let groups = settings.distinct.then(|| group(variant, &games, &mut places));
        let results = games.iter().map(|game| result(variant, game, settings)).collect();
        let mut iteration = Self { games, results, places, groups, weights: None };
        if settings.surprise > 0.0 {
            iteration.weights = iteration.weights(settings.surprise);
        }
        iteration
    }

    /// Positions that count.
    pub fn positions(&self) -> usize {
        self.groups.as_ref().map_or(self.places.len(), Vec::len)
    }

    /// One of the positions of this index.
    pub fn position(&self, index: usize, rng: &mut Rng) -> Drawn<'_> {
        let (game, choice) = match self.members(index) {
            [place] => *place,
            members => members[rng.random_range(0..members.len())],
        };
        let game = game as usize;
        Drawn { record: &self.games[game], choice: choice as usize, result: self.results[game] }
    }

    /// Draws a position; `index` is an even choice among those that count.
    pub fn draw(&self, index: usize, rng: &mut Rng) -> Drawn<'_> {
        let index = self.weights.as_ref().map_or(index, |weights| weights.sample(rng));
        self.position(index, rng)
    }

    /// The places that count as the position of this index.
    fn members(&self, index: usize) -> &[Place] {
        let Some(groups) = &self.groups else { return &self.places[index..=index] };
        let end = groups.get(index + 1).map_or(self.places.len(), |&end| end as usize);
        &self.places[groups[index] as usize..end]
    }

    /// A part of each weight is the same for all, `surprise` of it as the search surprised the
    /// network (policy surprise weighting: KataGo, "Other methods implemented").
    fn weights(&self, surprise: f32) -> Option<WeightedIndex<f32>> {
        let of_place = |&(game, choice): &Place| {
            let search = &self.games[game as usize].choices[choice as usize].search;
            search.as_ref().map_or(0.0, |search| search.surprise)
        };
        let of_position = |index| {
            let members = self.members(index);
            members.iter().map(of_place).sum::<f32>() / members.len() as f32
        };
        let all: Vec<f32> = (0..self.positions()).map(of_position).collect();
        let mean = all.iter().sum::<f32>() / all.len() as f32;
        let weight = |found: &f32| 1.0 - surprise + surprise * found / mean;
        // Where nothing surprised, or there is nothing, all are drawn alike.
        (mean > 0.0).then(|| WeightedIndex::new(all.iter().map(weight)).ok()).flatten()
    }
}

/// What a game is taken to have come to, as `P1` sees it.
fn result<G: Game>(variant: &Variant<G>, game: &GameRecord, settings: &Settings) -> Wdl {
    let end = match settings.cut_games {
        CutGames::Result => None,
        CutGames::Game => cut_short(variant, game),
    };
    match end {
        Some(end) => for_side(chances(&end), end.to_move()),
        None => game.outcome.wdl_for(Side::P1),
    }
}

fn is_learnt(choice: &Choice) -> bool {
    choice.search.as_ref().is_some_and(|search| search.learn)
}

/// Positions of a game that are learnt from.
pub fn positions_of(game: &GameRecord) -> usize {
    game.choices.iter().filter(|choice| is_learnt(choice)).count()
}

/// Sorts the places by their positions; where each position begins.
fn group<G: Game>(variant: &Variant<G>, games: &[GameRecord], places: &mut Vec<Place>) -> Vec<u32> {
    let mut keyed = Vec::with_capacity(places.len());
    let mut left = places.iter().peekable();
    for (number, record) in (0..).zip(games) {
        let mut game = variant.initial();
        for (index, choice) in (0..).zip(&record.choices) {
            if left.next_if_eq(&&(number, index)).is_some() {
                keyed.push((game.position_key(), (number, index)));
            }
            game.play(choice.action);
        }
    }
    keyed.sort_unstable();
    let is_first = |index: &usize| *index == 0 || keyed[*index].0 != keyed[*index - 1].0;
    let starts = (0..keyed.len()).filter(is_first).map(|index| index as u32).collect();
    *places = keyed.into_iter().map(|(_, place)| place).collect();
    starts
}
