//! A game that is nothing but its tree, written out: for tests that need to know all of it.
//!
//! `(x (o x o) . =)` is a position in which `x` (P1) moves. Action 0 leads to a position in which
//! `o` (P2) moves and either loses or wins; action 1 is illegal; action 2 ends the game in a draw.
//! A child may be of the same side as its parent: then the turn goes on.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::base::rng::mix;
use crate::games::picture::{Labels, Picture};
use crate::games::symmetry::{self, Matrix};
use crate::games::{Action, Colour, Game, Outcome, Rules, RulesError, Side, Spec, Text};
use crate::registry::Position;

/// A position of a written tree. Trees are leaked: a position has to be `Copy`.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Literal {
    tree: &'static [Node],
    at: usize,
}

#[derive(PartialEq, Eq, Hash, Debug)]
struct Node {
    /// The side to move, or how the game ended.
    state: Result<Side, Outcome>,
    /// The place of each child among the nodes, none for an illegal action.
    children: Vec<Option<usize>>,
    ply: u32,
    /// How many positions that are not ends come before it in the text.
    number: usize,
}

impl Literal {
    /// The position at the root of a tree.
    ///
    /// # Panics
    ///
    /// If the text is not a tree.
    pub fn new(text: &str) -> Self {
        let spaced = text.replace('(', " ( ").replace(')', " ) ");
        let tokens: Vec<&str> = spaced.split_whitespace().collect();
        let mut nodes = Vec::new();
        let rest = read(&tokens, 0, &mut nodes);
        assert!(rest.is_empty() && nodes[0].state.is_ok(), "one tree, not an end: {text}");
        Self { tree: Vec::leak(nodes), at: 0 }
    }

    /// The same as a position of any game.
    ///
    /// # Panics
    ///
    /// If the text is not a tree.
    pub fn position(text: &str) -> Position {
        Position::new(Self::new(text))
    }

    /// The number of a position of a tree.
    ///
    /// # Panics
    ///
    /// If it is one of another game.
    pub fn number_of(position: &Position) -> usize {
        position.typed::<Self>().expect("a position of a written tree").number()
    }

    /// Its number among the positions of the tree that are not ends, in the order in which they
    /// are written.
    pub fn number(&self) -> usize {
        self.node().number
    }

    fn node(&self) -> &'static Node {
        &self.tree[self.at]
    }
}

/// Reads a node with everything below it, and gives back what follows.
fn read<'a>(tokens: &'a [&'a str], ply: u32, nodes: &mut Vec<Node>) -> &'a [&'a str] {
    let number = nodes.iter().filter(|node| node.state.is_ok()).count();
    let (at, children) = (nodes.len(), Vec::new());
    match tokens {
        ["(", side, rest @ ..] => {
            let side = winner(side).expect("a side to move");
            nodes.push(Node { state: Ok(side), children, ply, number });
            let mut rest = rest;
            while rest[0] != ")" {
                rest = read_child(rest, at, side, nodes);
            }
            &rest[1..]
        }
        [end, rest @ ..] => {
            let outcome = winner(end).map_or(Outcome::Draw, Outcome::Win);
            assert!(["x", "o", "="].contains(end), "not a leaf: {end}");
            nodes.push(Node { state: Err(outcome), children, ply, number });
            rest
        }
        [] => panic!("a parenthesis is not closed"),
    }
}

fn read_child<'a>(
    tokens: &'a [&'a str],
    parent: usize,
    mover: Side,
    nodes: &mut Vec<Node>,
) -> &'a [&'a str] {
    if tokens[0] == "." {
        nodes[parent].children.push(None);
        return &tokens[1..];
    }
    let at = nodes.len();
    nodes[parent].children.push(Some(at));
    let keep_going = tokens[0] == "(" && winner(tokens[1]) == Some(mover);
    read(tokens, nodes[parent].ply + u32::from(!keep_going), nodes)
}

fn winner(token: &str) -> Option<Side> {
    match token {
        "x" => Some(Side::P1),
        "o" => Some(Side::P2),
        _ => None,
    }
}

/// Written trees have no options.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct LiteralRules {}

impl Rules for LiteralRules {
    fn check(&self) -> Result<(), RulesError> {
        Ok(())
    }

    fn longest_game(&self) -> u32 {
        1
    }

    fn uncapped(self) -> Self {
        self
    }
}

impl Game for Literal {
    type Rules = LiteralRules;

    const RULES_VERSION: u32 = 1;
    const FIRST: Colour = Colour::Black;
    const SPEC: Spec =
        Spec { planes: 1, height: 1, width: 8, displacements: &[(0, 0)], pass: false };
    const ACTIONS: &'static str = "";
    const SYMMETRIES: &'static [Matrix] = symmetry::TRIVIAL;

    fn initial(_: &Self::Rules) -> Self {
        Self::new("(x =)")
    }

    fn to_move(&self) -> Side {
        self.node().state.unwrap_or(Side::P1)
    }

    fn ply(&self) -> u32 {
        self.node().ply
    }

    fn outcome(&self) -> Option<Outcome> {
        self.node().state.err()
    }

    fn legal_actions(&self, actions: &mut Vec<Action>) {
        actions.clear();
        let children = self.node().children.iter().zip(0..);
        actions.extend(children.filter_map(|(child, action)| child.map(|_| action)));
    }

    fn play(&mut self, action: Action) {
        let child = self.node().children.get(usize::from(action)).copied().flatten();
        self.at = child.expect("a legal action");
    }

    fn observe(&self, planes: &mut [f32]) {
        planes.fill(0.0);
    }

    fn planes() -> Vec<&'static str> {
        Vec::new()
    }

    fn cell_name(&self, _: usize) -> String {
        String::new()
    }

    fn action_text(&self, action: Action) -> Text {
        let mut text = Text::new();
        text.push(char::from(b'0' + action as u8));
        text
    }

    fn position_key(&self) -> u64 {
        mix(self.at as u64)
    }
}

impl Picture for Literal {
    fn labels(_: &Self::Rules) -> Labels {
        Labels { columns: Vec::new(), rows: Vec::new() }
    }

    fn symbol(&self, _: usize) -> char {
        '.'
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "position {} of a written tree", self.number())
    }
}

impl fmt::Debug for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
