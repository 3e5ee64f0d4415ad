//! The rating list of a ladder.

use super::journal::Journal;
use crate::stats::{
    Encounter, Estimate, Intransitivity, Ratings, RatingsError,
    ratings::{self, RatingSettings, groups},
};

/// The ratings of all players that games connect with the anchor.
#[derive(Clone, Debug)]
pub(crate) struct Fit {
    /// The ratings, by the players' places.
    pub ratings: Ratings,
    /// The player of each place.
    pub members: Vec<usize>,
    /// The games between them; players are given by their places.
    encounters: Vec<Encounter>,
}

impl Fit {
    /// Rates all players that games connect with `anchor`, whose rating is 0.
    ///
    /// # Errors
    ///
    /// If `anchor` is unknown or the ratings cannot be computed.
    pub(crate) fn of(
        players: usize,
        encounters: &[Encounter],
        anchor: usize,
    ) -> Result<Self, RatingsError> {
        let group = groups(players, encounters).into_iter().find(|group| group.contains(&anchor));
        let members = group.ok_or(RatingsError::Unknown { player: anchor, players })?;
        let place = |player: usize| members.iter().position(|&member| member == player);
        let inside = |met: &Encounter| {
            Some(Encounter { first: place(met.first)?, second: place(met.second)?, ..*met })
        };
        let encounters: Vec<Encounter> = encounters.iter().filter_map(inside).collect();
        let anchor = place(anchor).unwrap_or_default();
        let settings = RatingSettings { anchor, ..RatingSettings::default() };
        let ratings = ratings::rate(members.len(), &encounters, &settings)?;
        Ok(Self { ratings, members, encounters })
    }

    /// The place of a player, if it is rated.
    pub(crate) fn place(&self, player: usize) -> Option<usize> {
        self.members.iter().position(|&member| member == player)
    }
}

/// A row of the rating list.
#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// Number of the player.
    pub player: usize,
    /// Rating in Elo; `None` if no games connect the player with the anchor.
    pub rating: Option<Estimate>,
    /// Games won, drawn and lost.
    pub results: [u64; 3],
    /// Likelihood of superiority over the player of the next row, if both are rated.
    pub los: Option<f64>,
}

impl Row {
    /// Number of games played.
    pub(crate) fn games(&self) -> u64 {
        self.results.iter().sum()
    }

    /// Mean points of a game; `None` without games.
    pub(crate) fn score(&self) -> Option<f64> {
        score(self.results)
    }
}

/// Mean points of a game from the numbers won, drawn and lost; `None` without games.
fn score([won, drawn, lost]: [u64; 3]) -> Option<f64> {
    let games = won + drawn + lost;
    (games > 0).then(|| (won as f64 + drawn as f64 / 2.0) / games as f64)
}

/// The rating list, with further statistics of the games.
#[derive(Clone, Debug)]
pub(crate) struct Standings {
    /// The strongest player first; players without a rating last.
    pub rows: Vec<Row>,
    /// The advantage of the first move in Elo.
    pub first_move: Estimate,
    /// The probability of a draw between equal players, without that advantage.
    pub draws: Estimate,
    /// Test of whether the ratings explain the games.
    pub intransitivity: Intransitivity,
    /// Results won, drawn and lost of a player against another, at `player * players + other`.
    results: Vec<[u64; 3]>,
    players: usize,
}

impl Standings {
    /// The rating list of all players of the journal; the rating of `anchor` is 0.
    ///
    /// # Errors
    ///
    /// If `anchor` is unknown or the ratings cannot be computed.
    pub(crate) fn of(journal: &Journal, anchor: usize) -> Result<Self, RatingsError> {
        let (players, encounters) = (journal.players.len(), journal.encounters());
        let fit = Fit::of(players, &encounters, anchor)?;
        let results = results(players, &encounters);
        let mut rows: Vec<Row> = (0..players)
            .map(|player| Row {
                player,
                rating: fit.place(player).map(|place| fit.ratings.rating(place)),
                results: sum(&results[player * players..][..players]),
                los: None,
            })
            .collect();
        let height = |row: &Row| row.rating.map_or(f64::NEG_INFINITY, |rating| rating.value);
        rows.sort_by(|a, b| height(b).total_cmp(&height(a)));
        for index in 1..rows.len() {
            let places = fit.place(rows[index - 1].player).zip(fit.place(rows[index].player));
            rows[index - 1].los = places.map(|(one, two)| fit.ratings.los(one, two));
        }
        Ok(Self {
            rows,
            first_move: fit.ratings.first_move(),
            draws: fit.ratings.drawing().map(|ratio| ratio / (2.0 + ratio)),
            intransitivity: named(fit.ratings.intransitivity(&fit.encounters), &fit.members),
            results,
            players,
        })
    }

    /// Games won, drawn and lost by a player against another.
    ///
    /// # Panics
    ///
    /// If one of the players is unknown.
    pub(crate) fn results(&self, player: usize, other: usize) -> [u64; 3] {
        assert!(player.max(other) < self.players, "there are {} players", self.players);
        self.results[player * self.players + other]
    }

    /// Mean points of a player's games against another; `None` without games.
    ///
    /// # Panics
    ///
    /// If one of the players is unknown.
    pub(crate) fn score(&self, player: usize, other: usize) -> Option<f64> {
        score(self.results(player, other))
    }

    /// The players without a rating.
    pub(crate) fn unrated(&self) -> impl Iterator<Item = usize> + '_ {
        self.rows.iter().filter(|row| row.rating.is_none()).map(|row| row.player)
    }
}

/// Replaces places by the players' numbers.
fn named(mut found: Intransitivity, members: &[usize]) -> Intransitivity {
    if let Some(cycle) = &mut found.cycle {
        cycle.players = cycle.players.map(|place| members[place]);
    }
    found
}

/// The results of all players against all players, row by row.
fn results(players: usize, encounters: &[Encounter]) -> Vec<[u64; 3]> {
    let mut results = vec![[0; 3]; players * players];
    for met in encounters {
        let [won, drawn, lost] = met.results;
        let rows =
            [(met.first, met.second, met.results), (met.second, met.first, [lost, drawn, won])];
        for (player, other, more) in rows {
            let cell = &mut results[player * players + other];
            *cell = sum(&[*cell, more]);
        }
    }
    results
}

/// The sum of results.
fn sum(results: &[[u64; 3]]) -> [u64; 3] {
    let add = |all: [u64; 3], more: &[u64; 3]| [0, 1, 2].map(|index| all[index] + more[index]);
    results.iter().fold([0; 3], add)
}
