//! Which challenges are accepted.

use std::time::Duration;

use super::request::Challenge;

/// What a challenge must be like.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terms {
    /// The most games in progress.
    pub games: usize,
    /// The least time at the start and the least that a clock may be limited to, in hours.
    pub least_clock: f64,
    /// After this time without a word a game no longer counts. The server does not tell how a game
    /// ended that the bot did not end.
    pub idle: Duration,
}

impl Terms {
    /// Why a challenge is refused, besides its game; `None` if it is not. `games` are in progress.
    pub(super) fn refusal(&self, challenge: &Challenge, games: usize) -> Option<String> {
        let Self { games: most, least_clock: least, .. } = *self;
        let Challenge { clock_start, clock_inc, clock_max, ref challengers, .. } = *challenge;
        if challengers.len() > 1 {
            return Some(format!("it is of {} players against the bot", challengers.len()));
        }
        if !(clock_start >= least && clock_max >= least && clock_inc >= 0.0) {
            return Some(format!(
                "its clock of {clock_start} h, {clock_inc} h more for each turn and {clock_max} h \
                 at most is too short; --least-clock is {least}"
            ));
        }
        (games >= most).then(|| format!("{games} games are in progress; --games is {most}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_accepted_by_clock_players_and_games() {
        let terms = Terms { games: 2, least_clock: 1.0, idle: Duration::ZERO };
        let refusal = |[clock_start, clock_inc, clock_max]: [f64; 3], challengers, games| {
            let challengers = vec!["somebody".to_owned(); challengers];
            let of = Default::default();
            let challenge = Challenge { of, clock_start, clock_inc, clock_max, challengers };
            terms.refusal(&challenge, games)
        };
        assert_eq!(refusal([72.0, 24.0, 168.0], 1, 1), None);
        assert_eq!(refusal([1.0, 0.0, 1.0], 0, 0), None);
        for clock in [[0.9, 9.0, 9.0], [9.0, 0.0, 0.9], [9.0, -1.0, 9.0], [-1.0, 0.0, 0.0]] {
            assert!(refusal(clock, 1, 0).unwrap().contains("--least-clock is 1"), "{clock:?}");
        }
        assert!(refusal([72.0, 24.0, 168.0], 1, 2).unwrap().contains("--games is 2"));
        assert!(refusal([72.0, 24.0, 168.0], 2, 0).unwrap().contains("2 players"));
    }
}
