//! Requests about positions: position, analysis and reply.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use serde_json::Value;

use super::App;
use super::boards::{self, Line};
use super::body;
use super::player::{Question, Wanted};
use super::players::{Listing, Selection, split_level};
use super::queue::{Allotment, Failed};
use super::refusal::{Refusal, json};
use super::routes;
use crate::games::{AnyVariant, Game};
use crate::play::analysis::{DEFAULT_SIMULATIONS, Query, answer_query};

/// The most simulations of a request. The limit bounds the memory of the trees of all threads.
pub(crate) const MAX_SIMULATIONS: u32 = 100_000;

type Answer = Result<Response, Refusal>;

/// `POST /api/position`: the position, without a player.
pub(super) async fn position(State(app): State<Arc<App>>, request: Request<Body>) -> Answer {
    let query = body::query(body::object(&app, request.into_body()).await?)?;
    let text = with_variant!(query.variant(None)?, variant => {
        boards::describe(&variant, &Line::of(&query, &variant, app.threefold)?, None)
    });
    Ok(json(text))
}

/// `POST /api/analysis`: a player's analysis of a position.
pub(super) async fn analysis(State(app): State<Arc<App>>, request: Request<Body>) -> Answer {
    let (name, query) = read_body(&app, request).await?;
    let (listing, selection) = find_player(&app, &name, &query).await?;
    if !listing.thinks {
        let reason = "cannot analyse positions; use /api/reply, or a player whose `thinks` is true";
        return Err(Refusal::bad(format!("`{name}` {reason}")));
    }
    let over = with_variant!(query.variant(None)?, variant => {
        let position = query.position(&variant, |_| ())?;
        let is_over = position.outcome().is_some();
        is_over.then(|| answer_query(None, &query, &position, None, None)).transpose()?
    });
    match over {
        Some(text) => Ok(json(text)),
        None => {
            let solution = app.solutions.of(&query.variant(None)?);
            let question = question(Wanted::Analysis, &listing, query)?;
            search(&app, Question { solution, ..question }, selection).await
        }
    }
}

/// `POST /api/reply`: the position after a player's turn.
pub(super) async fn reply(State(app): State<Arc<App>>, request: Request<Body>) -> Answer {
    let (name, query) = read_body(&app, request).await?;
    let (listing, selection) = find_player(&app, &name, &query).await?;
    let is_over = with_variant!(query.variant(None)?, variant => {
        Line::of(&query, &variant, app.threefold)?.outcome().is_some()
    });
    if is_over {
        return Err(Refusal::bad("the game is over, so there is no reply"));
    }
    let wanted = Wanted::Reply { threefold: app.threefold };
    search(&app, question(wanted, &listing, query)?, selection).await
}

/// Reads the name of the player and the query from the body.
async fn read_body(app: &App, request: Request<Body>) -> Result<(String, Query<'static>), Refusal> {
    let mut object = body::object(app, request.into_body()).await?;
    let Some(Value::String(name)) = object.remove("player") else {
        let reason = "`player` is missing or not a string; /api/players lists the players";
        return Err(Refusal::bad(reason));
    };
    Ok((name, body::query(object)?))
}

/// Returns the player with this name, at a level if `?level=N` follows, for the game of the query.
async fn find_player(
    app: &App,
    name: &str,
    query: &Query<'_>,
) -> Result<(Listing, Selection), Refusal> {
    let (of, level) = split_level(name);
    let (listing, selection) = find_as_it_is(app, of, query.variant(None)?).await?;
    match listing.at(level) {
        Some(listing) => Ok((listing, selection.at(level))),
        None => {
            let reason = format!("the player `{of}` has no level {}", level.unwrap_or_default());
            Err(Refusal::bad(format!("{reason}; /api/players lists the levels")))
        }
    }
}

/// Returns the player with this name, without a level.
async fn find_as_it_is(
    app: &App,
    name: &str,
    game: AnyVariant,
) -> Result<(Listing, Selection), Refusal> {
    let bad = |error| Refusal::bad(format!("{error:#}"));
    if let Some(found) = app.players.find(name, game) {
        return found.map(|(listing, selection)| (listing.clone(), selection)).map_err(bad);
    }
    let of_run = name.to_owned();
    let found = routes::on_reader(app, move |runs| runs.network(&of_run).transpose()).await?;
    let (listing, network) = found.ok_or_else(|| {
        let name: String = name.chars().take(60).collect();
        Refusal::bad(format!("there is no player `{name}`; /api/players lists the players"))
    })?;
    Ok((listing, Selection::network(network, game).map_err(bad)?))
}

/// Builds the request to the player, with its default number of simulations if the query sets no
/// limit.
fn question(
    wanted: Wanted,
    listing: &Listing,
    mut query: Query<'static>,
) -> Result<Question, Refusal> {
    if query.simulations.is_some_and(|simulations| simulations > MAX_SIMULATIONS) {
        let reason = format!("simulations must be between 1 and {MAX_SIMULATIONS}");
        return Err(Refusal::bad(reason));
    }
    if query.simulations.is_none() {
        let usual = listing.simulations.unwrap_or(DEFAULT_SIMULATIONS);
        query.simulations = Some(if query.time_ms.is_some() { MAX_SIMULATIONS } else { usual });
    }
    let limits = query.limits(Instant::now())?;
    Ok(Question { wanted, query, limits, solution: None })
}

/// Runs the search of a player on a thread of the queue.
async fn search(app: &Arc<App>, question: Question, selection: Selection) -> Answer {
    let most = question.query.time_ms.map_or(Duration::MAX, Duration::from_millis);
    let players = Arc::clone(app);
    let work = move |allotment: &Allotment| {
        players.players.ask(selection, |player| player.answer(&question, allotment))
    };
    match app.queue.run(most, work).await {
        Ok(Ok(Ok(text))) => Ok(json(text)),
        Ok(Ok(Err(refusal))) => Err(refusal),
        Ok(Err(error)) => Err(Refusal::bad(format!("{error:#}"))),
        Err(failed) => Err(refusal(failed, app.queue.time())),
    }
}

fn refusal(failed: Failed, time: Duration) -> Refusal {
    match failed {
        Failed::Busy => Refusal::busy(
            "the server is busy: too many searches are waiting; try again later",
            time,
        ),
        Failed::Late => Refusal::late("the player did not answer in time; try again"),
        Failed::Crashed => {
            Refusal::internal("the search failed; please report how to reproduce it")
        }
    }
}
