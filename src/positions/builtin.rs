//! The sets of positions that come with the program.

/// Name of the game, and the file.
const SETS: &[(&str, &str, &str)] = &[];

/// The sets of a game, as names and texts of files; none if there are none.
pub fn sets_of(game: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let game = game.to_owned();
    SETS.iter().filter(move |set| set.0 == game).map(|&(_, name, text)| (name, text))
}
