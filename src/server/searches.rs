//! Requests about positions: position, analysis and reply.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::http::Request;
use axum::response::Response;
use serde_json::Value;
use tokio::task::spawn_blocking;

use super::App;
use super::body;
use super::players::Selection;
use super::queue::{Allotment, Failed};
use super::refusal::{Refusal, json};
use super::routes;
use crate::answers::listing::{Listing, split_level};
use crate::answers::player::{self, Patience, Question, Wanted};
use crate::play::analysis::Query;
use crate::registry::Variant;

type Answer = Result<Response, Refusal>;

/// `POST /api/position`: the position, without a player.
pub(super) async fn position(State(app): State<Arc<App>>, request: Request<Body>) -> Answer {
    let (object, threefold) = (body::object(&app, request.into_body()).await?, app.threefold);
    blocking(move || Ok(json(player::position(&body::query(object)?, threefold)?))).await
}

/// `POST /api/analysis`: a player's analysis of a position.
pub(super) async fn analysis(State(app): State<Arc<App>>, request: Request<Body>) -> Answer {
    let (name, query) = read_body(&app, request).await?;
    let (listing, selection) = find_player(&app, &name, &query).await?;
    let solutions = Arc::clone(&app);
    let prepare = move || match player::analysis_of_ended(&name, &listing, &query)? {
        Some(text) => Ok(Err(text)),
        None => {
            let solution = solutions.solutions.of(&query.variant(None)?);
            let question = Question::new(Wanted::Analysis, &listing, query)?;
            Ok(Ok(Question { solution, ..question }))
        }
    };
    match blocking(prepare).await? {
        Ok(question) => search(&app, question, selection).await,
        Err(text) => Ok(json(text)),
    }
}

/// `POST /api/reply`: the position after a player's turn.
pub(super) async fn reply(State(app): State<Arc<App>>, request: Request<Body>) -> Answer {
    let (name, query) = read_body(&app, request).await?;
    let (listing, selection) = find_player(&app, &name, &query).await?;
    let threefold = app.threefold;
    let prepare = move || {
        player::check_open(&query, threefold)?;
        Ok(Question::new(Wanted::Reply { threefold }, &listing, query)?)
    };
    search(&app, blocking(prepare).await?, selection).await
}

/// Does what takes longer with a longer request on a thread where that holds up nobody else.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    spawn_blocking(work).await.map_err(Refusal::internal)?
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
    game: Variant,
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

/// Runs the search of a player on a thread of the queue.
async fn search(app: &Arc<App>, question: Question, selection: Selection) -> Answer {
    let most = question.query.time_ms.map_or(Duration::MAX, Duration::from_millis);
    let players = Arc::clone(app);
    let work = move |allotment: &Allotment| {
        let keep_going = || allotment.keep_going();
        let uninterruptible = Some(allotment.uninterruptible());
        let patience = Patience { keep_going: &keep_going, uninterruptible };
        players.players.ask(selection, |player| player.answer(&question, &patience))
    };
    match app.queue.run(most, work).await {
        Ok(Ok(Ok(text))) => Ok(json(text)),
        Ok(Ok(Err(failure))) => Err(failure.into()),
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
