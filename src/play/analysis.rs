//! Analysis as JSON lines: reads a query from each line and writes an answer to each.
//!
//! Invalid input does not end the session: an invalid line gets an answer with an error.

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::base::clock::Instant;
use crate::base::lines::read_line;
use crate::exact::solution::{Solution, Value as Exact};
use crate::games::{Action, Outcome, Side, Text, Turn, legal_turns, replay_from};
use crate::play::players::{Limits, Player, SearchReport};
use crate::play::proof_length::ProofLengths;
use crate::registry::{self, Position, Variant};
use crate::search::Wdl;

/// The most bytes of a query.
pub(crate) const MAX_LINE: usize = 1 << 20;

/// The milliseconds that may be between two answers to a query.
const INTERVALS: std::ops::RangeInclusive<u64> = 10..=3_600_000;

/// Simulations for a query without a limit.
pub const DEFAULT_SIMULATIONS: u32 = 200;

/// The maximum number of simulations of a query. It bounds the memory of the search tree.
pub const MAX_SIMULATIONS: u32 = 1_000_000;

/// A query about a position.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Query<'a> {
    #[serde(default)]
    id: Value,
    #[serde(borrow)]
    game: Option<Cow<'a, str>>,
    #[serde(default)]
    rules: Map<String, Value>,
    /// The position that the turns start from, as text; the start of the game without one.
    #[serde(borrow)]
    pub position: Option<Cow<'a, str>>,
    /// The turns from that position.
    #[serde(borrow, default)]
    pub moves: Vec<Cow<'a, str>>,
    /// The most simulations.
    pub simulations: Option<u32>,
    /// The most time, in milliseconds.
    pub time_ms: Option<u64>,
    /// The time between two answers, in milliseconds; without it there is one answer.
    pub every_ms: Option<u64>,
    /// Ends the query with this id early, whose answers come at intervals.
    #[serde(default)]
    stop: bool,
    /// The seed of players that use random numbers. A search without noise uses none.
    pub seed: Option<u64>,
    /// The maximum number of ranked turns in the answer.
    pub top: Option<usize>,
    /// Whether the answer includes the network input.
    #[serde(default)]
    encode: bool,
    /// The first actions of the next turn, after which the network input is encoded.
    #[serde(default)]
    begun: Vec<Action>,
}

/// Checks that a number of simulations is between 1 and `most`.
///
/// # Errors
///
/// If it is not.
pub(crate) fn check_simulations(simulations: u32, most: u32) -> Result<(), Problem> {
    if (1..=most).contains(&simulations) {
        return Ok(());
    }
    Err(Problem::new(format!("simulations must be between 1 and {most}, is {simulations}")))
}

impl Query<'_> {
    /// The game of the query, or `default` if the query has none.
    ///
    /// # Errors
    ///
    /// If there is no such game or option.
    pub fn variant(&self, default: Option<&str>) -> Result<Variant, Problem> {
        let name = self.game.as_deref().or(default);
        let name = name.ok_or_else(|| Problem::new("the query has no `game`"))?;
        registry::find(name, &self.rules).map_err(Problem::new)
    }

    /// The position that the turns of the query start from.
    ///
    /// # Errors
    ///
    /// If its text is malformed or does not fit the rules.
    pub fn start(&self, variant: &Variant) -> Result<Position, Problem> {
        variant.position(self.position.as_deref()).map_err(Problem::new)
    }

    /// The position of the query. `look` is called with every turn that leads to it.
    ///
    /// # Errors
    ///
    /// If its start is no position of the game, or one of its turns is not legal.
    pub fn position(
        &self,
        variant: &Variant,
        look: impl FnMut(&Turn),
    ) -> Result<Position, Problem> {
        replay_from(self.start(variant)?, &self.moves, look)
            .map_err(|(at, error)| Problem { error: error.to_string(), at: Some(at) })
    }

    /// The limits of the search of a query that arrived at `begun`.
    ///
    /// # Errors
    ///
    /// If the number of simulations is out of range.
    pub fn limits(&self, begun: Instant) -> Result<Limits, Problem> {
        let default = if self.time_ms.is_some() { MAX_SIMULATIONS } else { DEFAULT_SIMULATIONS };
        let simulations = self.simulations.unwrap_or(default);
        check_simulations(simulations, MAX_SIMULATIONS)?;
        // The reserve is for the last evaluation and the answer.
        let usable = |ms: u64| Duration::from_millis(ms - (ms / 10).min(20));
        let deadline = self.time_ms.and_then(|ms| begun.checked_add(usable(ms)));
        Ok(Limits { simulations, deadline })
    }
}

impl Query<'_> {
    /// The time between two answers; an hour without one.
    fn interval(&self) -> Result<Duration, Problem> {
        let (least, most) = (*INTERVALS.start(), *INTERVALS.end());
        let ms = self.every_ms.unwrap_or(most);
        if !INTERVALS.contains(&ms) {
            let error = format!("every_ms must be between {least} and {most}, is {ms}");
            return Err(Problem::new(error));
        }
        Ok(Duration::from_millis(ms))
    }
}

/// An error of a query.
#[derive(Debug, Serialize)]
pub struct Problem {
    /// What is wrong, and what to do.
    pub error: String,
    /// The index of the invalid turn, if the error is about one.
    pub at: Option<usize>,
}

impl Problem {
    /// An error that is not about a turn.
    pub fn new(error: impl ToString) -> Self {
        Self { error: error.to_string(), at: None }
    }
}

#[derive(Serialize)]
struct Refusal {
    id: Value,
    #[serde(flatten)]
    problem: Problem,
}

#[derive(Serialize)]
struct Answer<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<&'a Value>,
    /// Only of a query that is answered at intervals.
    #[serde(rename = "final", skip_serializing_if = "Option::is_none")]
    is_final: Option<bool>,
    board: String,
    position: String,
    to_move: Option<char>,
    ply: u32,
    legal: Vec<Text>,
    outcome: Option<&'static str>,
    winner: Option<&'static str>,
    #[serde(flatten)]
    report: Option<ReportAnswer<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    exact: Option<ExactAnswer>,
    #[serde(skip_serializing_if = "Option::is_none")]
    encoding: Option<Encoding>,
}

/// What a solution says.
#[derive(Serialize)]
struct ExactAnswer {
    #[serde(flatten)]
    value: ExactValue,
    turns: Vec<ExactTurn>,
}

/// A value for the side to move of the query's position.
#[derive(Serialize)]
struct ExactValue {
    /// `win`, `loss` or `neither`.
    value: &'static str,
    /// The turns until the end; none if neither side can force a win.
    #[serde(rename = "in")]
    distance: Option<u32>,
}

#[derive(Serialize)]
struct ExactTurn {
    turn: Text,
    #[serde(flatten)]
    value: ExactValue,
}

impl From<Exact> for ExactValue {
    fn from(value: Exact) -> Self {
        let (value, distance) = match value {
            Exact::Win(turns) => ("win", Some(turns)),
            Exact::Loss(turns) => ("loss", Some(turns)),
            Exact::Neither => ("neither", None),
        };
        Self { value, distance }
    }
}

/// What a solution says about a position and about its turns, best first.
fn exact(solution: &Solution, game: &Position) -> anyhow::Result<ExactAnswer> {
    let turns = if game.outcome().is_none() { solution.turns(game)? } else { Vec::new() };
    let turn = |(turn, value): (Turn, Exact)| ExactTurn { turn: turn.text, value: value.into() };
    Ok(ExactAnswer {
        value: solution.value_of(game)?.into(),
        turns: turns.into_iter().map(turn).collect(),
    })
}

/// The network input of a position.
#[derive(Serialize)]
struct Encoding {
    /// `[planes, height, width]`, row by row.
    observation: Vec<f32>,
    actions: Vec<ActionAnswer>,
}

/// An action that may be played next.
#[derive(Serialize)]
struct ActionAnswer {
    /// Its index in the policy.
    action: Action,
    /// Its part of the turn's notation.
    text: String,
    /// The complete turn, if the action completes it.
    turn: Option<String>,
}

#[derive(Serialize)]
struct ReportAnswer<'a> {
    best: &'a str,
    value: Chances,
    raw: Chances,
    turns: Vec<TurnAnswer<'a>>,
    pv: Vec<&'a str>,
    /// The proven result for the side to move.
    proven: Option<&'static str>,
    /// The turns until the end of a proven win or loss, if they were found.
    proven_in: Option<u32>,
    simulations: u32,
}

#[derive(Serialize)]
struct TurnAnswer<'a> {
    turn: &'a str,
    visits: u32,
    prior: f32,
    value: Chances,
    proven: Option<&'static str>,
    proven_in: Option<u32>,
}

/// Win, draw and loss as a JSON object.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct Chances {
    win: f32,
    draw: f32,
    loss: f32,
}

impl From<Wdl> for Chances {
    fn from([win, draw, loss]: Wdl) -> Self {
        Self { win, draw, loss }
    }
}

/// Answers a query by the rules alone. `default` is the game of a query without one.
pub fn answer_rules(line: &[u8], default: Option<&str>) -> String {
    answer(line, |query| {
        let variant = query.variant(default)?;
        respond(query, &variant, None, None)
    })
}

/// Answers a query by the rules and by a solution. `default` is the game of a query without one.
pub(crate) fn answer_solution(line: &[u8], default: Option<&str>, solution: &Solution) -> String {
    answer(line, |query| {
        let variant = query.variant(default)?;
        {
            solution.check_game(&variant).map_err(Problem::new)?;
            respond(query, &variant, None, Some(solution))
        }
    })
}

/// Answers a query by a player of `variant`.
pub fn answer_player(line: &[u8], variant: &Variant, player: &mut dyn Player) -> String {
    answer_player_and_solution(line, variant, player, None)
}

/// The same, with the exact values of a solution of the player's game, if there is one.
pub(crate) fn answer_player_and_solution(
    line: &[u8],
    variant: &Variant,
    player: &mut dyn Player,
    solution: Option<&Solution>,
) -> String {
    answer(line, |query| {
        check_game(query, variant)?;
        respond(query, variant, Some(player), solution)
    })
}

/// Checks that the query is about the game and the rules of the player.
fn check_game(query: &Query<'_>, variant: &Variant) -> Result<(), Problem> {
    if let Some(name) = query.game.as_deref().filter(|&name| name != variant.name) {
        let name: String = name.chars().take(40).collect();
        return Err(Problem::new(format!("the player plays {}, not `{name}`", variant.name)));
    }
    let asked = variant.overridden(&query.rules).map_err(Problem::new)?;
    if !asked.has_rules_of(variant) {
        return Err(Problem::new("the player was trained under other rules"));
    }
    Ok(())
}

fn answer(line: &[u8], respond: impl FnOnce(&Query<'_>) -> Result<String, Problem>) -> String {
    // An array would be read as the fields of a query in order.
    if !line.trim_ascii_start().starts_with(b"{") {
        return refuse(Value::Null, Problem::new("a query is a JSON object"));
    }
    let query: Query<'_> = match serde_json::from_slice(line) {
        Ok(query) => query,
        Err(error) => return refuse(id_of(line), Problem::new(error)),
    };
    if query.stop {
        let reason = "there is nothing to stop: only a player answers at intervals";
        return refuse(query.id, Problem::new(reason));
    }
    respond(&query).unwrap_or_else(|problem| refuse(query.id, problem))
}

/// The answer to a query that is refused.
pub(crate) fn refuse(id: Value, problem: Problem) -> String {
    to_json(&Refusal { id, problem })
}

/// The id of an invalid query, if it is an object with an id.
fn id_of(line: &[u8]) -> Value {
    match serde_json::from_slice(line) {
        Ok(Value::Object(mut object)) => object.remove("id").unwrap_or_default(),
        _ => Value::Null,
    }
}

fn to_json(value: &impl Serialize) -> String {
    serde_json::to_string(value).expect("answers are plain values")
}

fn respond(
    query: &Query<'_>,
    variant: &Variant,
    player: Option<&mut dyn Player>,
    solution: Option<&Solution>,
) -> Result<String, Problem> {
    query.interval()?;
    let limits = query.limits(Instant::now())?;
    let game = query.position(variant, |_| ())?;
    let player = player.filter(|_| game.outcome().is_none());
    let report = player.and_then(|player| player.analyze_within(&game, &limits, &|| true));
    answer_query(Some(&query.id), query, &game, report.as_ref(), solution)
}

/// The answer to a query about a position, by the rules, by the report of a player and by a
/// solution, if there are such. It begins with `id`, if that is given.
///
/// # Errors
///
/// If the query asks for the network input after actions that do not begin a turn, or the solution
/// is damaged.
pub(crate) fn answer_query(
    id: Option<&Value>,
    query: &Query<'_>,
    game: &Position,
    report: Option<&SearchReport>,
    solution: Option<&Solution>,
) -> Result<String, Problem> {
    answer_whole(id, query, game, report, solution, true)
}

/// The same; `is_final` is told if the query is answered at intervals.
fn answer_whole(
    id: Option<&Value>,
    query: &Query<'_>,
    game: &Position,
    report: Option<&SearchReport>,
    solution: Option<&Solution>,
    is_final: bool,
) -> Result<String, Problem> {
    let exact = solution.map(|solution| exact(solution, game)).transpose();
    let exact = exact.map_err(|error| Problem::new(format!("{error:#}")))?;
    let encoding = query.encode.then(|| encode(game, &query.begun)).transpose()?;
    let answer = answer_about(id, game, report, query.top);
    let is_final = query.every_ms.map(|_| is_final);
    Ok(to_json(&Answer { is_final, encoding, exact, ..answer }))
}

/// A query that a player answers at intervals.
pub(crate) struct Stream<'a> {
    /// The query.
    pub line: &'a [u8],
    /// When it arrived.
    pub arrived: Instant,
    /// The game of the player.
    pub variant: &'a Variant,
    /// For exact values.
    pub solution: Option<&'a Solution>,
}

impl Stream<'_> {
    /// Tells answers until the limits of the query are reached or `is_stopped`; the last is final.
    pub(crate) fn answer(
        &self,
        player: &mut dyn Player,
        is_stopped: &dyn Fn() -> bool,
        mut tell: impl FnMut(String),
    ) {
        let last =
            answer(self.line, |query| self.answer_until_last(query, player, is_stopped, &mut tell));
        tell(last);
    }

    /// Tells all answers but the last, which it returns.
    fn answer_until_last(
        &self,
        query: &Query<'_>,
        player: &mut dyn Player,
        is_stopped: &dyn Fn() -> bool,
        tell: &mut dyn FnMut(String),
    ) -> Result<String, Problem> {
        check_game(query, self.variant)?;
        let (interval, limits) = (query.interval()?, query.limits(self.arrived)?);
        let game = query.position(self.variant, |_| ())?;
        let about = |report: Option<&SearchReport>, is_final| {
            answer_whole(Some(&query.id), query, &game, report, self.solution, is_final)
        };
        if game.outcome().is_some() {
            return about(None, true);
        }
        player.begin_game(0);
        let mut made = 0;
        loop {
            let next = Instant::now() + interval;
            let until = limits.deadline.map_or(next, |deadline| deadline.min(next));
            let part = Limits { simulations: limits.simulations - made, ..Limits::until(until) };
            let Some(report) = player.analyze_on(&game, &part, &|| !is_stopped()) else {
                return about(None, true);
            };
            made += report.simulations.clamp(1, part.simulations);
            let is_late = limits.deadline.is_some_and(|deadline| Instant::now() >= deadline);
            // A search that ends before its time finds nothing more.
            let is_over = made >= limits.simulations || Instant::now() + interval / 2 < next;
            let is_final = is_late || is_over || is_stopped();
            let answer = about(Some(&SearchReport { simulations: made, ..report }), is_final)?;
            if is_final {
                return Ok(answer);
            }
            tell(answer);
        }
    }
}

/// The network input after the first actions of a turn, and the legal next actions.
fn encode(start: &Position, begun: &[Action]) -> Result<Encoding, Problem> {
    let (mut game, mut turn) = (*start, Turn::default());
    let mut legal = Vec::new();
    game.legal_actions(&mut legal);
    for &action in begun {
        if !legal.contains(&action) {
            return Err(Problem::new(format!("`begun`: {action} is not a legal action here")));
        }
        (game, turn) = turn.extended(&game, action);
        if game.ply() > start.ply() {
            return Err(Problem::new("`begun` is a complete turn; put it into `moves`"));
        }
        game.legal_actions(&mut legal);
    }
    let mut observation = vec![0.0; game.spec().observation()];
    game.observe(&mut observation);
    let answer = |&action: &Action| {
        let (next, extended) = turn.extended(&game, action);
        let text = game.action_text(action).to_string();
        let is_whole = next.ply() > start.ply();
        ActionAnswer { action, text, turn: is_whole.then(|| extended.text.to_string()) }
    };
    Ok(Encoding { observation, actions: legal.iter().map(answer).collect() })
}

/// The answer about a position, by the rules and by the report of a player, if there is one, with
/// at most `top` ranked turns. It begins with `id`, if that is given.
pub fn describe(
    id: Option<&Value>,
    game: &Position,
    report: Option<&SearchReport>,
    top: Option<usize>,
) -> String {
    to_json(&answer_about(id, game, report, top))
}

fn answer_about<'a>(
    id: Option<&'a Value>,
    game: &Position,
    report: Option<&'a SearchReport>,
    top: Option<usize>,
) -> Answer<'a> {
    let outcome = game.outcome();
    Answer {
        id,
        is_final: None,
        board: game.to_string(),
        position: game.position_text(),
        to_move: outcome.is_none().then(|| game.to_move().colour(game.first())),
        ply: game.ply(),
        legal: legal_turns(game).into_iter().map(|turn| turn.text).collect(),
        outcome: outcome.map(|outcome| outcome.colour(game.first())),
        winner: outcome.map(winner_name),
        report: report.map(|report| report_answer(report, game, top)),
        exact: None,
        encoding: None,
    }
}

fn text_of(turn: &Turn) -> &str {
    &turn.text
}

fn report_answer<'a>(
    report: &'a SearchReport,
    game: &Position,
    top: Option<usize>,
) -> ReportAnswer<'a> {
    let mover = game.to_move();
    let proven = |outcome: Option<Outcome>| outcome.map(|outcome| result_name(outcome, mover));
    let mut lengths = ProofLengths::new();
    let proven_in = lengths.of(game, report.proven);
    let shown = report.turns.iter().take(top.unwrap_or(usize::MAX));
    ReportAnswer {
        best: &report.best.text,
        value: report.value.into(),
        raw: report.raw.into(),
        turns: shown
            .map(|found| TurnAnswer {
                turn: &found.turn.text,
                visits: found.visits,
                prior: found.prior,
                value: found.wdl.into(),
                proven: proven(found.proven),
                proven_in: lengths.after(game, &found.turn, found.proven),
            })
            .collect(),
        pv: report.line.iter().map(text_of).collect(),
        proven: proven(report.proven),
        proven_in,
        simulations: report.simulations,
    }
}

/// A result for `side`: `win`, `draw` or `loss`.
fn result_name(outcome: Outcome, side: Side) -> &'static str {
    match outcome {
        Outcome::Win(winner) if winner == side => "win",
        Outcome::Win(_) => "loss",
        Outcome::Draw => "draw",
    }
}

/// The side that won, `P1` or `P2`, or `draw`.
pub fn winner_name(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Win(Side::P1) => "P1",
        Outcome::Win(Side::P2) => "P2",
        Outcome::Draw => "draw",
    }
}

/// The answer to a line of `length` bytes, more than a query may have.
pub(crate) fn too_long(length: usize) -> String {
    let limit = format!("the line has {length} bytes; the limit is {MAX_LINE}");
    refuse(Value::Null, Problem::new(limit))
}

/// Answers every line until the input ends. The output is flushed before it waits for input.
///
/// # Errors
///
/// If input or output fails.
pub fn converse(
    input: impl io::Read,
    output: impl Write,
    mut answer: impl FnMut(&[u8]) -> String,
) -> io::Result<()> {
    let mut input = io::BufReader::with_capacity(1 << 16, input);
    let mut output = io::BufWriter::with_capacity(1 << 16, output);
    let mut line = Vec::new();
    while let Some(length) = read_line(&mut input, &mut line, MAX_LINE)? {
        if length > MAX_LINE {
            writeln!(output, "{}", too_long(length))?;
        } else if !line.trim_ascii().is_empty() {
            writeln!(output, "{}", answer(&line))?;
        }
        if !input.buffer().contains(&b'\n') {
            output.flush()?;
        }
    }
    output.flush()
}
