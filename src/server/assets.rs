//! The files of the page, compiled into the program.
//!
//! To add a file, put it into `page/` and add its name to [`FILES`].

use std::path::PathBuf;
use std::sync::Arc;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::Response;

use super::App;
use super::parameters::Parameters;
use super::refusal::Refusal;
use crate::base::durable::checksum;
use crate::base::foreign;

macro_rules! file {
    ($name:literal) => {
        ($name, include_bytes!(concat!("page/", $name)))
    };
}

/// All files of the page.
pub(super) const FILES: &[(&str, &[u8])] = &[
    file!("advice.js"),
    file!("analysis.css"),
    file!("api.js"),
    file!("board.css"),
    file!("board.js"),
    file!("candidates.js"),
    file!("catalogue.js"),
    file!("chart.js"),
    file!("clock.js"),
    file!("colours.css"),
    file!("compare.js"),
    file!("controls.js"),
    file!("counters.js"),
    file!("dom.js"),
    file!("editor.js"),
    file!("games.js"),
    file!("geometry.js"),
    file!("graph.js"),
    file!("hint.js"),
    file!("icon.svg"),
    file!("index.html"),
    file!("kept_game.js"),
    file!("keys.js"),
    file!("leave.js"),
    file!("line.js"),
    file!("link.js"),
    file!("main.js"),
    file!("marks.js"),
    file!("message.js"),
    file!("notation.js"),
    file!("opponent.js"),
    file!("opponents.js"),
    file!("orientation.js"),
    file!("pieces.js"),
    file!("play.css"),
    file!("play.js"),
    file!("plot.js"),
    file!("plots.css"),
    file!("position_text.js"),
    file!("records.js"),
    file!("result.js"),
    file!("retry.js"),
    file!("review.js"),
    file!("review_panel.js"),
    file!("rule_options.js"),
    file!("rules.css"),
    file!("rules.js"),
    file!("run.js"),
    file!("run_charts.js"),
    file!("run_details.js"),
    file!("run_games.js"),
    file!("run_metrics.js"),
    file!("run_state.js"),
    file!("run_worth.js"),
    file!("runs.js"),
    file!("session.js"),
    file!("settings.js"),
    file!("setup.js"),
    file!("share.js"),
    file!("sounds.js"),
    file!("status.js"),
    file!("stepping.js"),
    file!("steps.js"),
    file!("still.js"),
    file!("strength.js"),
    file!("style.css"),
    file!("table.js"),
    file!("theme.js"),
    file!("thinker.js"),
    file!("training.js"),
    file!("tree.js"),
    file!("turns.js"),
    file!("values.js"),
    file!("variation.js"),
];

/// Media types by the suffix of the file name.
const TYPES: &[(&str, &str)] = &[
    (".html", "text/html; charset=utf-8"),
    (".css", "text/css; charset=utf-8"),
    (".js", "text/javascript; charset=utf-8"),
    (".svg", "image/svg+xml"),
    (".png", "image/png"),
    (".json", "application/json"),
    (".woff2", "font/woff2"),
];

/// The most bytes of a file of the page.
const MOST_BYTES: u64 = 64 << 20;

/// Source of the page's files.
pub(super) struct Page {
    /// A folder to read from (`--page`); `None` for the compiled-in files.
    folder: Option<PathBuf>,
}

impl Page {
    pub(super) fn new(folder: Option<PathBuf>) -> Self {
        Self { folder }
    }

    async fn file(&self, name: &str) -> Option<Bytes> {
        match &self.folder {
            None => {
                let file = FILES.iter().find(|(known, _)| *known == name)?;
                Some(Bytes::from_static(file.1))
            }
            Some(folder) => {
                let is_plain = !name.starts_with('.') && !name.contains(['/', '\\', ':', '\0']);
                let path = is_plain.then(|| folder.join(name))?;
                let read = tokio::task::spawn_blocking(move || foreign::read(&path, MOST_BYTES));
                read.await.ok()?.ok().map(Bytes::from)
            }
        }
    }
}

/// `GET /`: the page itself.
pub(super) async fn index(
    State(app): State<Arc<App>>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    serve(&app.page, "index.html", &headers).await
}

/// `GET /assets/{name}`: a file of the page.
pub(super) async fn asset(
    State(app): State<Arc<App>>,
    Parameters(name): Parameters<String>,
    headers: HeaderMap,
) -> Result<Response, Refusal> {
    serve(&app.page, &name, &headers).await
}

/// Responds with a file, or with 304 if the client's copy is current.
async fn serve(page: &Page, name: &str, headers: &HeaderMap) -> Result<Response, Refusal> {
    let missing = || Refusal::not_found("there is no such file; the page is at /");
    let kind = TYPES.iter().find(|(end, _)| name.ends_with(end)).ok_or_else(missing)?.1;
    let bytes = page.file(name).await.ok_or_else(missing)?;
    let tag = format!("\"{:08x}\"", checksum(&bytes));
    let known = headers.get(header::IF_NONE_MATCH).and_then(|known| known.to_str().ok());
    let is_known = known.is_some_and(|known| known.contains(&tag));
    let mut response = Response::new(if is_known { Body::empty() } else { Body::from(bytes) });
    if is_known {
        *response.status_mut() = StatusCode::NOT_MODIFIED;
    }
    let tag = HeaderValue::try_from(tag).map_err(Refusal::internal)?;
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    // Revalidate on every load: the program may have been updated.
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-cache"));
    headers.insert(header::ETAG, tag);
    Ok(response)
}
