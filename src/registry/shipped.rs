//! The games that ship.

use super::{Listing, game};
use crate::games::neutron::Forbid;
use crate::games::{
    Breakthrough, BreakthroughRules, CheckersGomoku, CheckersGomokuRules, ConnectFour,
    ConnectFourRules, Entropy, EntropyRules, Neutron, NeutronRules, Susan, SusanRules, TicTacToe,
    TicTacToeRules,
};

/// All games that ship, in the order of the table.
pub fn shipped() -> Vec<Listing> {
    vec![
        game::<Susan>(
            "susan",
            SusanRules::default(),
            "Susan",
            "place or slide on a hexagon; surround an enemy stone",
        ),
        game::<Neutron<5>>(
            "neutron5",
            NeutronRules::FIVE,
            "Neutron 5x5",
            "slide the neutron, then a piece; bring it home, 5x5",
        ),
        game::<Neutron<5>>(
            "neutron5_single",
            NeutronRules::FIVE.restricted(Forbid::Own),
            "Neutron 5x5 Single",
            "as Neutron, no piece may stop on its own home row",
        ),
        game::<Neutron<5>>(
            "neutron5_double",
            NeutronRules::FIVE.restricted(Forbid::Both),
            "Neutron 5x5 Double",
            "as Neutron, no piece may stop on either home row",
        ),
        game::<Neutron<5>>(
            "neutron5_kraus",
            NeutronRules::FIVE.restricted(Forbid::Opponent),
            "Neutron 5x5 Kraus",
            "as Neutron, no piece may stop on the opponent's home row",
        ),
        game::<Neutron<5>>(
            "neutron5_hole1",
            NeutronRules::FIVE.with_holes(1),
            "Neutron 5x5, one hole each",
            "as Neutron, each player first places a hole",
        ),
        game::<Neutron<5>>(
            "neutron5_hole2",
            NeutronRules::FIVE.with_holes(2),
            "Neutron 5x5, two holes each",
            "as Neutron, each player first places two holes",
        ),
        game::<Neutron<5>>(
            "neutron5_abstractplay",
            NeutronRules::FIVE.abstractplay(),
            "Neutron 5x5 AbstractPlay",
            "as Neutron, your turn ends the game on your row only",
        ),
        game::<Neutron<5>>(
            "coneutron5",
            NeutronRules::FIVE.coneutron(),
            "CoNeutron 5x5",
            "as Neutron, bring it to the opponent's home row, 5x5",
        ),
        game::<Neutron<5>>(
            "coneutron5_abstractplay",
            NeutronRules::FIVE.coneutron().abstractplay(),
            "CoNeutron 5x5 AbstractPlay",
            "as CoNeutron, your turn ends the game by winning only",
        ),
        game::<Neutron<7>>(
            "neutron7",
            NeutronRules::SEVEN,
            "Neutron 7x7",
            "slide the neutron, then a piece; bring it home, 7x7",
        ),
        game::<Neutron<7>>(
            "neutron7_single",
            NeutronRules::SEVEN.restricted(Forbid::Own),
            "Neutron 7x7 Single",
            "as Neutron, no piece may stop on its own home row",
        ),
        game::<Neutron<7>>(
            "neutron7_double",
            NeutronRules::SEVEN.restricted(Forbid::Both),
            "Neutron 7x7 Double",
            "as Neutron, no piece may stop on either home row",
        ),
        game::<Neutron<7>>(
            "neutron7_kraus",
            NeutronRules::SEVEN.restricted(Forbid::Opponent),
            "Neutron 7x7 Kraus",
            "as Neutron, no piece may stop on the opponent's home row",
        ),
        game::<Neutron<7>>(
            "neutron7_hole1",
            NeutronRules::SEVEN.with_holes(1),
            "Neutron 7x7, one hole each",
            "as Neutron, each player first places a hole",
        ),
        game::<Neutron<7>>(
            "neutron7_hole2",
            NeutronRules::SEVEN.with_holes(2),
            "Neutron 7x7, two holes each",
            "as Neutron, each player first places two holes",
        ),
        game::<Neutron<7>>(
            "neutron7_abstractplay",
            NeutronRules::SEVEN.abstractplay(),
            "Neutron 7x7 AbstractPlay",
            "as Neutron, your turn ends the game on your row only",
        ),
        game::<Neutron<5, 7>>(
            "neutron5x7_abstractplay",
            NeutronRules::SEVEN.abstractplay(),
            "Neutron 5x7 AbstractPlay",
            "as Neutron 7x7 AbstractPlay, with 5 columns",
        ),
        game::<Neutron<7, 5>>(
            "neutron7x5_abstractplay",
            NeutronRules::FIVE.abstractplay(),
            "Neutron 7x5 AbstractPlay",
            "as Neutron 5x5 AbstractPlay, with 7 columns",
        ),
        game::<Neutron<7>>(
            "coneutron7",
            NeutronRules::SEVEN.coneutron(),
            "CoNeutron 7x7",
            "as Neutron, bring it to the opponent's home row, 7x7",
        ),
        game::<Entropy>(
            "entropy",
            EntropyRules::default(),
            "Entropy",
            "queen moves on 5x5, break up your own pieces to win",
        ),
        game::<CheckersGomoku>(
            "checkers_gomoku",
            CheckersGomokuRules::default(),
            "Checkers Gomoku",
            "place, then step; five in a line capture one",
        ),
        game::<Breakthrough<6>>(
            "breakthrough6",
            BreakthroughRules {},
            "Breakthrough 6x6",
            "step forward, capture diagonally; reach the far row, 6x6",
        ),
        game::<Breakthrough<8>>(
            "breakthrough8",
            BreakthroughRules {},
            "Breakthrough 8x8",
            "step forward, capture diagonally; reach the far row, 8x8",
        ),
        game::<TicTacToe>(
            "tic_tac_toe",
            TicTacToeRules {},
            "Tic-tac-toe",
            "three in a line on 3x3",
        )
        .drawn(),
        game::<ConnectFour>(
            "connect_four",
            ConnectFourRules {},
            "Connect Four",
            "drop stones into 7 columns, four in a line wins",
        ),
    ]
}
