//! The routes of the server and their handlers.

use std::sync::Arc;

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::response::Response;
use axum::routing::{MethodRouter, get, post};

use super::parameters::Parameters;
use super::refusal::{Refusal, json};
use super::runs::Runs;
use super::{App, assets, compression, events, guard, records, report, searches};
use crate::answers::listing::Listing;
use crate::answers::rulebooks;
use crate::registry::rules_text::rulebook;

type Answer = Result<Response, Refusal>;

/// All routes: the method, the path with its parameters in braces, and the handler.
fn routes() -> Vec<(&'static str, &'static str, MethodRouter<Arc<App>>)> {
    vec![
        ("get", "/", get(assets::index)),
        ("get", "/assets/{name}", get(assets::asset)),
        ("get", "/api/games", get(games)),
        ("get", "/api/rules", get(families)),
        ("get", "/api/rules/{name}", get(rules)),
        ("get", "/api/players", get(players)),
        ("post", "/api/position", post(searches::position)),
        ("post", "/api/analysis", post(searches::analysis)),
        ("post", "/api/reply", post(searches::reply)),
        ("post", "/api/records/read", post(records::read)),
        ("post", "/api/records/write", post(records::write)),
        ("get", "/api/runs", get(runs)),
        ("get", "/api/runs/{name}", get(run)),
        ("get", "/api/runs/{name}/progress", get(run_progress)),
        ("get", "/api/runs/{name}/events", get(events::events)),
        ("get", "/api/runs/{name}/games/{iteration}", get(run_games)),
        ("get", "/api/runs/{name}/games/{iteration}/{index}", get(run_game)),
        ("get", "/api/openapi.json", get(async || json(OPENAPI))),
    ]
}

/// Returns the method and path of every route, as the OpenAPI document writes them.
#[cfg(test)]
pub(crate) fn paths() -> Vec<(&'static str, &'static str)> {
    routes().into_iter().map(|(method, path, _)| (method, path)).collect()
}

/// Returns all handlers, behind the checks of [`guard`].
pub(super) fn router(app: Arc<App>) -> Router {
    let add = |router: Router<Arc<App>>, (_, path, handler)| router.route(path, handler);
    routes()
        .into_iter()
        .fold(Router::new(), add)
        .fallback(missing)
        .method_not_allowed_fallback(wrong_method)
        .layer(from_fn(compression::compress))
        .layer(from_fn_with_state(Arc::clone(&app), guard::guard))
        .with_state(app)
}

/// The OpenAPI document.
const OPENAPI: &str = include_str!("openapi.json");

async fn missing() -> Refusal {
    Refusal::not_found("there is no such path; /api/openapi.json lists all paths")
}

async fn wrong_method() -> Refusal {
    let reason = "this path does not allow the method; /api/openapi.json lists those it allows";
    Refusal::new(StatusCode::METHOD_NOT_ALLOWED, reason)
}

async fn games(State(app): State<Arc<App>>) -> Response {
    json(app.games.clone())
}

async fn families(State(app): State<Arc<App>>) -> Response {
    json(app.families.clone())
}

async fn rules(Parameters(name): Parameters<String>) -> Answer {
    let rulebook = rulebook(&name).map_err(Refusal::not_found)?;
    rulebooks::describe(rulebook).map(json).map_err(Refusal::internal)
}

/// The players that were named or are found by their names, and the networks of the runs.
async fn players(State(app): State<Arc<App>>) -> Answer {
    let of_runs = on_reader(&app, |runs| Ok(runs.listings())).await?;
    let loaded = app.players.listings();
    // A player that the command line names has that name for itself.
    let is_new = |it: &&Listing| loaded.iter().all(|other| other.name != it.name);
    let all: Vec<_> = loaded.iter().copied().chain(of_runs.iter().filter(is_new)).collect();
    serde_json::to_string(&all).map(json).map_err(Refusal::internal)
}

async fn runs(State(app): State<Arc<App>>) -> Answer {
    read(&app, |runs| runs.list()).await
}

async fn run(State(app): State<Arc<App>>, Parameters(name): Parameters<String>) -> Answer {
    let (run, metrics) = on_reader(&app, move |runs| runs.report(&name)).await?;
    Ok(json(report::body(run, metrics)))
}

async fn run_progress(State(app): State<Arc<App>>, Parameters(name): Parameters<String>) -> Answer {
    read(&app, move |runs| runs.progress(&name)).await
}

async fn run_games(
    State(app): State<Arc<App>>,
    Parameters((name, iteration)): Parameters<(String, String)>,
) -> Answer {
    let iteration = number(&iteration)?;
    read(&app, move |runs| runs.games(&name, iteration)).await
}

async fn run_game(
    State(app): State<Arc<App>>,
    Parameters((name, iteration, index)): Parameters<(String, String, String)>,
) -> Answer {
    let (iteration, index) = (number(&iteration)?, number(&index)?);
    read(&app, move |runs| runs.game(&name, iteration, index)).await
}

/// Parses a number in a path.
fn number(text: &str) -> Result<u64, Refusal> {
    text.parse().map_err(|_| Refusal::not_found("iteration and game must be numbers, as in 12"))
}

/// Reads files on a thread where blocking is allowed, and returns the JSON response.
async fn read(
    app: &App,
    read: impl FnOnce(&Runs) -> Result<String, Refusal> + Send + 'static,
) -> Answer {
    let text = on_reader(app, read).await?;
    app.budget.answer(text).map(json).ok_or_else(|| Refusal::crowded(app.queue.time()))
}

/// Reads files on a thread where blocking is allowed.
pub(super) async fn on_reader<T: Send + 'static>(
    app: &App,
    read: impl FnOnce(&Runs) -> Result<T, Refusal> + Send + 'static,
) -> Result<T, Refusal> {
    let runs = app.runs.clone();
    searches::blocking(move || read(&runs)).await
}
