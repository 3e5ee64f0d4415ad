//! A job of a match, and its games.

use anyhow::{Context, Result, anyhow, bail, ensure};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{MAX_RESULT, is_digest};
use crate::games::{Outcome, Side, Text, parse_turn};
use crate::nn::infer::EngineName;
use crate::nn::settings::NetworkSettings;
use crate::play::Threefold;
use crate::play::arena::{Effort, Opening, Played, Winner};
use crate::registry::{self, Position, Variant};
use crate::search::{self, Weakening};

/// A match: all that its games depend on.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(in crate::train::cluster) struct SentMatch {
    /// The name of the game.
    pub game: String,
    /// The options of the game.
    pub rules: Map<String, Value>,
    /// The version of the game's rules.
    pub rules_version: u32,
    /// The players.
    pub players: [SentPlayer; 2],
    /// The seed of their random numbers.
    pub seed: u64,
    /// Simulations for a network without a limit.
    pub simulations: u32,
    /// The openings of the pairs.
    pub openings: Vec<SentOpening>,
}

/// A player of a match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(in crate::train::cluster) enum SentPlayer {
    /// A player without a network, by its spec.
    Baseline(String),
    /// A network and its search.
    Network(Box<SentNetwork>),
}

/// A network and its search, as workers receive it.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(in crate::train::cluster) struct SentNetwork {
    /// The digest of its weights, a safetensors file.
    pub weights: String,
    /// Its size.
    pub size: NetworkSettings,
    /// The arithmetic of its forward pass.
    pub engine: EngineName,
    /// Its search.
    pub search: search::Settings,
    /// Simulations for each turn, if the player has a limit.
    pub simulations: Option<u32>,
    /// Noise in its evaluations.
    pub weakening: Weakening,
    /// The text of the book whose wins it knows.
    pub book: Option<String>,
}

/// The opening of a pair of games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(in crate::train::cluster) struct SentOpening {
    number: u64,
    moves: Vec<String>,
}

/// The games of a pair, on their way to the learner: for each the turns after the opening, and who
/// won.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(in crate::train::cluster) struct PairResult {
    pair: u64,
    games: [(Vec<String>, Winner); 2],
}

impl SentMatch {
    /// A match from these openings.
    pub(in crate::train::cluster) fn new(
        variant: &Variant,
        players: [SentPlayer; 2],
        seed: u64,
        simulations: u32,
        openings: &[Opening],
    ) -> Self {
        let text = |turn: &Text| turn.as_str().to_owned();
        let sent = |opening: &Opening| SentOpening {
            number: opening.number,
            moves: opening.moves.iter().map(text).collect(),
        };
        Self {
            game: variant.name.to_owned(),
            rules: variant.options(),
            rules_version: variant.rules_version(),
            players,
            seed,
            simulations,
            openings: openings.iter().map(sent).collect(),
        }
    }

    /// Checks the parts, and returns the game.
    ///
    /// # Errors
    ///
    /// If a part is damaged, or this program has other rules.
    pub(in crate::train::cluster) fn variant(&self) -> Result<Variant> {
        let variant = registry::find(&self.game, &self.rules)?;
        let (theirs, ours) = (self.rules_version, variant.rules_version());
        ensure!(
            theirs == ours,
            "the learner has version {theirs} of the rules of {}, this worker has {ours}",
            self.game
        );
        for player in &self.players {
            if let SentPlayer::Network(network) = player {
                ensure!(is_digest(&network.weights), "a player without the digest of its weights");
                network.search.check_memory().map_err(|(key, reason)| {
                    anyhow!("the search of a player has `{key}`: {reason}")
                })?;
            }
        }
        Ok(variant)
    }

    /// The openings, played again.
    ///
    /// # Errors
    ///
    /// If one has an illegal turn, or ends the game.
    pub(in crate::train::cluster) fn openings(&self, variant: &Variant) -> Result<Vec<Opening>> {
        let replayed = |sent: &SentOpening| {
            let start = variant.initial();
            let (position, moves) = replayed(start, &sent.moves)?;
            ensure!(position.outcome().is_none(), "an opening that ends the game");
            let threefold = Threefold::new(false, &start);
            Ok(Opening { number: sent.number, moves, position, threefold })
        };
        self.openings.iter().map(replayed).collect()
    }
}

impl PairResult {
    /// The games of the pair number `pair`, from this opening.
    ///
    /// # Errors
    ///
    /// If a player forfeited: that happens to external engines, which workers do not run.
    pub(in crate::train::cluster) fn new(
        pair: u64,
        opening: &Opening,
        played: &[Played; 2],
    ) -> Result<Self> {
        if let Some(forfeit) = played.iter().find_map(|game| game.forfeit.as_ref()) {
            bail!("a player forfeited: {forfeit}");
        }
        let sent = |game: &Played| {
            let turns = game.moves[opening.moves.len()..].iter();
            (turns.map(|turn| turn.as_str().to_owned()).collect(), game.outcome.into())
        };
        Ok(Self { pair, games: played.each_ref().map(sent) })
    }

    /// The bytes of the message.
    pub(in crate::train::cluster) fn bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a result is plain values")
    }

    /// Reads the games of a pair of a match with these openings, and plays them again.
    ///
    /// # Errors
    ///
    /// If they are none, of no pair, break the rules or have another result.
    pub(in crate::train::cluster) fn read(
        bytes: &[u8],
        openings: &[Opening],
    ) -> Result<(u64, [Played; 2])> {
        ensure!(bytes.len() <= MAX_RESULT, "a pair of games of {} bytes is too large", bytes.len());
        let Self { pair, games } = serde_json::from_slice(bytes).context("not a pair of games")?;
        let opening = usize::try_from(pair).ok().and_then(|pair| openings.get(pair));
        let opening = opening.with_context(|| format!("pair {pair} of {}", openings.len()))?;
        let [one, two] = games;
        let game = |(turns, winner): (Vec<String>, Winner), first: Side| {
            let (position, after) = replayed(opening.position, &turns)?;
            let outcome = position.outcome().context("a game that is not over")?;
            ensure!(Winner::from(outcome) == winner, "a game with another result");
            Ok::<_, anyhow::Error>(played(opening, after, first, outcome))
        };
        Ok((pair, [game(one, Side::P1)?, game(two, Side::P2)?]))
    }
}

/// The position after these turns, and the turns as the rules write them.
fn replayed(mut position: Position, turns: &[String]) -> Result<(Position, Vec<Text>)> {
    let mut moves = Vec::new();
    for text in turns {
        let turn = parse_turn(&position, text)?;
        turn.play_on(&mut position);
        moves.push(turn.text);
    }
    Ok((position, moves))
}

/// A game from `opening` with these turns after it.
fn played(opening: &Opening, after: Vec<Text>, first: Side, outcome: Outcome) -> Played {
    let moves = opening.moves.iter().cloned().chain(after).collect();
    Played { moves, first, outcome, efforts: [Effort::default(); 2], forfeit: None }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::play::arena;
    use crate::registry::preset;

    fn variant() -> Variant {
        preset("tic_tac_toe").unwrap()
    }

    fn a_match(players: [&str; 2]) -> SentMatch {
        let players = players.map(|spec| SentPlayer::Baseline(spec.to_owned()));
        let openings = arena::openings(&variant(), 1, 3, 7).unwrap();
        SentMatch::new(&variant(), players, 7, 10, &openings)
    }

    #[test]
    fn openings_are_played_again() {
        let sent = a_match(["random", "uct?rollouts=10"]);
        let read: SentMatch = serde_json::from_slice(&serde_json::to_vec(&sent).unwrap()).unwrap();
        assert_eq!(read, sent);
        assert_eq!(read.variant().unwrap().name, "tic_tac_toe");
        let openings = arena::openings(&variant(), 1, 3, 7).unwrap();
        assert_eq!(read.openings(&variant()).unwrap(), openings);
        let mut worse = sent.clone();
        worse.openings[1].moves = vec!["z9".to_owned()];
        assert!(worse.openings(&variant()).is_err());
        let mut worse = sent.clone();
        worse.rules_version += 1;
        assert!(worse.variant().unwrap_err().to_string().contains("version"));
        let mut worse = sent;
        worse.game = "chess".to_owned();
        assert!(worse.variant().is_err());
    }

    #[test]
    fn games_are_played_again_and_garbage_is_refused() {
        let openings = a_match(["random", "random"]).openings(&variant()).unwrap();
        let moves = |turns: &[&str]| -> Vec<Text> {
            let opening = openings[0].moves.iter().cloned();
            opening.chain(turns.iter().map(|turn| Text::from(turn).unwrap())).collect()
        };
        let taken = openings[0].moves[0].as_str().to_owned();
        let free: Vec<&str> = ["a1", "b1", "c1", "a2", "b2", "c2", "a3", "b3", "c3"]
            .into_iter()
            .filter(|cell| *cell != taken)
            .collect();
        // Some order of the free cells ends the game; it is found by playing it.
        let mut position = openings[0].position;
        let mut turns = Vec::new();
        for cell in free {
            if position.outcome().is_none() {
                parse_turn(&position, cell).unwrap().play_on(&mut position);
                turns.push(cell);
            }
        }
        let outcome = position.outcome().unwrap();
        let game = |first| Played {
            moves: moves(&turns),
            first,
            outcome,
            efforts: [Effort::default(); 2],
            forfeit: None,
        };
        let pair = [game(Side::P1), game(Side::P2)];
        let bytes = PairResult::new(0, &openings[0], &pair).unwrap().bytes();
        let (number, read) = PairResult::read(&bytes, &openings).unwrap();
        assert_eq!((number, read[1].first, read[0].outcome), (0, Side::P2, outcome));
        assert_eq!(read[0].moves, pair[0].moves);
        let text = String::from_utf8(bytes).unwrap();
        let winner = serde_json::to_string(&Winner::from(outcome)).unwrap();
        for (from, to, reason) in [
            ("\"pair\":0", "\"pair\":99", "pair 99 of 3"),
            (turns[0], taken.as_str(), "not a legal turn"),
            (winner.as_str(), "\"nobody\"", "not a pair"),
            (turns[turns.len() - 1], "", ""),
        ] {
            let error = PairResult::read(text.replace(from, to).as_bytes(), &openings);
            let error = format!("{:#}", error.unwrap_err());
            assert!(error.contains(reason), "{from} as {to}: {error}");
        }
        assert!(PairResult::read(b"garbage", &openings).is_err());
    }
}
