//! The games of a program, which may be those of its author.

use anyhow::{Context, Result, ensure};

use crate::registry::{self, Listing, rules_text};
use crate::runs::config::Config;

/// Checks what [`run`](crate::run) checks when a program with these games starts, for a test:
/// names, the rules for people with the boards that they show, and the configs. The games are
/// those of the process from then on, so call it with all games of the program.
///
/// # Errors
///
/// What is wrong, and where.
pub fn check(games: impl IntoIterator<Item = Listing>) -> Result<(), String> {
    register(games).map_err(|error| format!("{error:#}"))
}

/// Makes these the games of the program, and checks what they bring.
///
/// # Errors
///
/// What is wrong with a name, a text of rules or a preset, and where.
pub(super) fn register(games: impl IntoIterator<Item = Listing>) -> Result<()> {
    registry::register(games)?;
    for game in registry::all() {
        rules_text::check(game)
            .map_err(anyhow::Error::msg)
            .with_context(|| format!("the rules text of `{}`", game.name))?;
        check_preset(game).with_context(|| format!("the preset of `{}`", game.name))?;
    }
    Ok(())
}

fn check_preset(game: &Listing) -> Result<()> {
    let Some(text) = game.preset else { return Ok(()) };
    let config = Config::parse_on(Default::default(), text, "preset", &[])?;
    ensure!(config.game == game.name, "it has `game = {:?}`", config.game);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::{TicTacToe, TicTacToeRules};

    fn noughts() -> Listing {
        registry::game::<TicTacToe>("tic_tac_toe", TicTacToeRules {}, "Noughts", "three in a line")
    }

    #[test]
    fn a_preset_is_of_its_game_and_has_known_keys() {
        let checked = |text| check_preset(&noughts().preset(text)).map_err(|it| format!("{it:#}"));
        assert_eq!(checked("game = \"tic_tac_toe\"\niterations = 3\n"), Ok(()));
        let error = checked("game = \"neutron5\"\n").unwrap_err();
        assert!(error.contains("neutron5"), "{error}");
        let error = checked("game = \"tic_tac_toe\"\niteration = 3\n").unwrap_err();
        assert!(error.contains("iterations"), "{error}");
    }

    #[test]
    fn a_board_of_the_rules_text_is_that_of_its_turns() {
        let text = |board: &str| {
            let diagram =
                format!("```position tic_tac_toe\nturns b2\n\n{board}\n```\nBlack in the centre.");
            let text = format!("# Noughts\n\nThree in a line.\n\n## A turn\n\n{diagram}\n");
            rules_text::check(&noughts().rules_text(text.leak()))
        };
        let right = "3 . . .\n2 . x .\n1 . . .\n  a b c";
        assert_eq!(text(right), Ok(()));
        let error = text("3 x . .\n2 . . .\n1 . . .\n  a b c").unwrap_err();
        assert!(error.starts_with("diagram 1: ") && error.contains(right), "{error}");
    }
}
