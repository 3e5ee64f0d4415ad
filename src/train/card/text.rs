//! A card as it is printed.

use std::fmt::{self, Display};

use super::{Card, Rated};
use crate::stats::Estimate;

/// The most ratings that are drawn, and the length of the longest bar.
const BARS: usize = 12;
const LONGEST: f64 = 40.0;

/// Columns of advice.
const COLUMNS: usize = 76;

impl Display for Card {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { game, iteration, seconds, games, positions, simulations, .. } = self;
        writeln!(
            f,
            "{game}: trained for {:.1} minutes, {iteration} iterations, {games} games, {positions} \
             positions",
            seconds / 60.0
        )?;
        for scored in &self.scores {
            let (opponent, games) = (&scored.opponent, scored.games);
            writeln!(f, "  against {opponent:23} {} of {games} games", percent(scored.score))?;
        }
        if !self.scores.is_empty() {
            writeln!(f, "    with {simulations} simulations a turn, without the root prover")?;
        }
        if let Some(proven) = &self.proven {
            writeln!(
                f,
                "  correct in {:.1} % of {} proven positions ({:.1} to {:.1} %), with {} simulations",
                100.0 * proven.share.value,
                proven.positions,
                100.0 * proven.share.low,
                100.0 * proven.share.high,
                proven.simulations
            )?;
        }
        bars(f, &self.ratings)?;
        if !self.advice.is_empty() {
            writeln!(f, "  what may make it better:")?;
        }
        self.advice.iter().try_for_each(|advice| item(f, advice))
    }
}

fn percent(Estimate { value, low, high }: Estimate) -> String {
    let [value, low, high] = [value, low, high].map(|share| 100.0 * share);
    format!("{value:5.1} % ({low:.0} to {high:.0} %)")
}

/// Bars of the ratings over the time of training.
fn bars(f: &mut fmt::Formatter<'_>, ratings: &[Rated]) -> fmt::Result {
    let (Some(first), true) = (ratings.first(), ratings.len() > 1) else { return Ok(()) };
    writeln!(f, "  Elo after minutes of training:")?;
    let values = ratings.iter().map(|rated| rated.elo.value);
    let lowest = values.clone().fold(first.elo.value, f64::min).min(0.0);
    let highest = values.fold(first.elo.value, f64::max);
    let range = (highest - lowest).max(1.0);
    for rated in thinned(ratings) {
        let length = ((rated.elo.value - lowest) / range * LONGEST).round() as usize;
        let (minutes, elo) = (rated.seconds / 60.0, rated.elo.value);
        writeln!(f, "  {minutes:7.1} {elo:7.0} {}", "#".repeat(length.max(1)))?;
    }
    Ok(())
}

/// At most [`BARS`] of them, evenly, the last one among them.
fn thinned(ratings: &[Rated]) -> impl Iterator<Item = &Rated> {
    let step = ratings.len().div_ceil(BARS).max(1);
    let last = ratings.len().saturating_sub(1);
    ratings
        .iter()
        .enumerate()
        .filter(move |(index, _)| (last - index).is_multiple_of(step))
        .map(|it| it.1)
}

/// An item of a list, in lines that are not too long.
fn item(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    let (mut line, mut mark) = (String::new(), "  - ");
    for word in text.split_whitespace() {
        if !line.is_empty() && line.len() + word.len() >= COLUMNS {
            writeln!(f, "{mark}{line}")?;
            (mark, line) = ("    ", String::new());
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line += word;
    }
    writeln!(f, "{mark}{line}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::train::card::{Accuracy, Scored};

    #[test]
    fn a_card_is_drawn() {
        let share = |value| Estimate { value, low: value - 0.05, high: value + 0.05 };
        let rated = |number: u64| Rated {
            iteration: 10 * number,
            seconds: 60.0 * number as f64,
            elo: share(100.0 * number as f64),
        };
        let card = Card {
            game: "hex5".to_owned(),
            iteration: 80,
            seconds: 570.0,
            games: 19_200,
            positions: 288_000,
            simulations: 64,
            scores: vec![Scored {
                opponent: "uct?rollouts=1000".to_owned(),
                games: 20,
                score: share(0.95),
            }],
            proven: Some(Accuracy {
                positions: 60,
                correct: 54,
                share: share(0.9),
                simulations: 100,
            }),
            ratings: vec![rated(1), rated(4)],
            advice: vec![
                "more time: it still got stronger in the last third of its training, and \
                          this line is long"
                    .to_owned(),
            ],
        };
        let expected = "\
hex5: trained for 9.5 minutes, 80 iterations, 19200 games, 288000 positions
  against uct?rollouts=1000        95.0 % (90 to 100 %) of 20 games
    with 64 simulations a turn, without the root prover
  correct in 90.0 % of 60 proven positions (85.0 to 95.0 %), with 100 simulations
  Elo after minutes of training:
      1.0     100 ##########
      4.0     400 ########################################
  what may make it better:
  - more time: it still got stronger in the last third of its training, and this
    line is long
";
        assert_eq!(card.to_string(), expected);
        let many: Vec<Rated> = (1..=40).map(rated).collect();
        let drawn: Vec<u64> = thinned(&many).map(|rated| rated.iteration).collect();
        assert!(drawn.len() <= BARS && drawn.last() == Some(&400), "{drawn:?}");
    }
}
