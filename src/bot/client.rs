//! Sends turns to the server, and reads what it says to them.
//!
//! Failures come in two ways: as a status of HTTP, and, as the server runs its functions behind a
//! gateway that passes on whatever they return, as a status within an answer of status 200.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::StatusCode;

use super::account::{Account, Secret};
use super::shortened;
use super::tokens::Tokens;

/// The most bytes of an answer, which has the whole game.
const MOST_BYTES: u64 = 16 << 20;

/// What the server says to a turn.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Reply {
    /// It has the turn.
    Accepted {
        /// Whether the turn ended the game.
        is_over: bool,
    },
    /// It is not the bot's turn.
    NotOurTurn,
    /// It does not have the game, or not with this bot.
    Gone,
    /// It refuses the turn, and may not change its mind.
    Refused(String),
    /// It could not be asked, or could not answer.
    Failed(String),
}

/// A turn as it is sent.
#[derive(Clone, Debug)]
pub(super) struct Message {
    /// The server's name of the game.
    pub gameid: String,
    /// The name of the game's rules.
    pub game: String,
    /// The turn as the server writes it.
    pub turn: String,
}

/// A client of the server.
pub(super) struct Client {
    agent: Agent,
    account: Account,
    tokens: Tokens,
}

impl Client {
    /// A client that waits for an answer no longer than `time`.
    pub(super) fn new(account: Account, time: Duration) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            // Secrets go where they are meant to go. A connection that was kept might end while a
            // turn is sent.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .max_idle_connections(0)
            .timeout_global(Some(time))
            .user_agent(concat!("tavoliere/", env!("CARGO_PKG_VERSION")));
        Self { agent: config.build().into(), account, tokens: Tokens::new() }
    }

    /// Sends a turn. A token that is refused is renewed once.
    pub(super) fn send(&self, message: &Message) -> Reply {
        let mut refused = None;
        loop {
            let token = match self.tokens.get(&self.agent, &self.account, refused.as_ref()) {
                Ok(token) => token,
                Err(error) => return Reply::Failed(error),
            };
            match self.send_with(message, &token) {
                Ok((401, _)) if refused.is_none() => refused = Some(token),
                Ok((status, body)) => return self.hidden(reply(status, &body), &token),
                Err(error) => return self.hidden(Reply::Failed(error), &token),
            }
        }
    }

    fn send_with(&self, message: &Message, token: &Secret) -> Result<(u16, Vec<u8>), String> {
        let Message { gameid, game, turn } = message;
        let body = json!({ "verb": "move", "gameid": gameid, "metaGame": game, "move": turn });
        let request = self
            .agent
            .post(&self.account.query_url)
            .header("Authorization", format!("Bearer {}", token.text()))
            .content_type("application/json");
        let mut response = request.send(body.to_string()).map_err(|error| error.to_string())?;
        let status = response.status();
        let body = response.body_mut().with_config().limit(MOST_BYTES).read_to_vec();
        let body = body.map_err(|error| format!("the answer cannot be read: {error}"))?;
        Ok((inner_status(status, &body), body))
    }

    /// The reply without secrets that the server may have repeated.
    fn hidden(&self, reply: Reply, token: &Secret) -> Reply {
        let hide = |text: String| token.hidden_in(&self.account.hidden_in(&text));
        match reply {
            Reply::Refused(text) => Reply::Refused(hide(text)),
            Reply::Failed(text) => Reply::Failed(hide(text)),
            other => other,
        }
    }
}

/// The fields of an answer that matter, whether it is what a function returned or its body.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Answer {
    /// The status that a function returned.
    status_code: Option<u16>,
    /// What it returned, as text.
    body: Option<Value>,
    /// The error of a function that failed.
    error_message: Option<Value>,
    /// The error that a function reports.
    message: Option<Value>,
    /// Who is to move; empty once the game is over.
    to_move: Option<Value>,
    /// When the game ended.
    game_ended: Option<Value>,
}

impl Answer {
    fn of(bytes: &[u8]) -> Option<Self> {
        serde_json::from_slice(bytes).ok()
    }

    /// What the function returned.
    fn returned(self) -> Self {
        match &self.body {
            Some(Value::String(text)) => Self::of(text.as_bytes()).unwrap_or_default(),
            Some(body @ Value::Object(_)) => Self::deserialize(body).unwrap_or_default(),
            _ => self,
        }
    }
}

/// What an answer means with this status of HTTP.
#[cfg(any(test, feature = "fuzzing"))]
pub(super) fn read(status: u16, body: &[u8]) -> Reply {
    let status = StatusCode::from_u16(status).unwrap_or_default();
    reply(inner_status(status, body), body)
}

/// The status of an answer: that of HTTP, unless there is one within.
fn inner_status(status: StatusCode, body: &[u8]) -> u16 {
    let within = status.is_success().then(|| Answer::of(body)?.status_code).flatten();
    within.unwrap_or(status.as_u16())
}

/// What an answer means. `status` is the inner one.
fn reply(status: u16, body: &[u8]) -> Reply {
    let text = || shortened(String::from_utf8_lossy(body).trim());
    let Some(answer) = Answer::of(body) else {
        // No server that is asked for a turn answers with a page, but some gateways do.
        let is_accepted = status == 200 && body.is_empty();
        let failed = || Reply::Failed(format!("status {status}: {}", text()));
        return if is_accepted { Reply::Accepted { is_over: false } } else { failed() };
    };
    if answer.error_message.is_some() {
        return Reply::Failed(format!("its function failed: {}", text()));
    }
    // A gateway has messages, too; functions say what is wrong with 400 and 500.
    let is_of_function = answer.status_code.is_some() || matches!(status, 400 | 500);
    let returned = answer.returned();
    if status == 200 {
        let is_empty = |it: &Value| it.as_str() == Some("");
        let is_over = returned.game_ended.is_some_and(|it| !it.is_null())
            || returned.to_move.as_ref().is_some_and(is_empty);
        return Reply::Accepted { is_over };
    }
    let message = returned.message.as_ref().and_then(Value::as_str).unwrap_or_default();
    let reason = || match message {
        "" => format!("status {status}: {}", text()),
        message => format!("status {status}: {}", shortened(message)),
    };
    let says = |words: &str| message.to_ascii_lowercase().contains(words);
    match is_of_function && !message.is_empty() {
        true if says("it is not") && says("turn") => Reply::NotOurTurn,
        true if says("unable to load game") || says("is not a player in game") => Reply::Gone,
        true => Reply::Refused(reason()),
        false => Reply::Failed(reason()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(status: u16, body: &str) -> Reply {
        read(status, body.as_bytes())
    }

    /// An answer of the gateway to a function that returned this.
    fn wrapped(status: u16, body: Value) -> String {
        json!({ "statusCode": status, "body": body.to_string(), "headers": {} }).to_string()
    }

    #[test]
    fn an_accepted_turn_is_one_however_it_is_said() {
        let going_on = Reply::Accepted { is_over: false };
        assert_eq!(of(200, ""), going_on);
        assert_eq!(of(200, "{}"), going_on);
        let game = json!({ "id": "x", "toMove": "1", "gameEnded": null });
        assert_eq!(of(200, &game.to_string()), going_on);
        assert_eq!(of(200, &wrapped(200, game)), going_on);
        for end in [json!({ "toMove": "" }), json!({ "toMove": "", "gameEnded": 1 })] {
            assert_eq!(of(200, &end.to_string()), Reply::Accepted { is_over: true });
            assert_eq!(of(200, &wrapped(200, end)), Reply::Accepted { is_over: true });
        }
    }

    #[test]
    fn a_turn_of_the_other_player_is_told_from_other_failures() {
        for message in ["It is not bot abc's turn in game x", "It is not your turn!"] {
            let message = json!({ "message": message });
            assert_eq!(of(500, &message.to_string()), Reply::NotOurTurn);
            assert_eq!(of(200, &wrapped(500, message)), Reply::NotOurTurn);
        }
        for message in ["Unable to load game x", "Bot abc is not a player in game x"] {
            assert_eq!(of(200, &wrapped(500, json!({ "message": message }))), Reply::Gone);
        }
        let refused = of(200, &wrapped(500, json!({ "message": "Unable to apply move a1" })));
        assert_eq!(refused, Reply::Refused("status 500: Unable to apply move a1".to_owned()));
    }

    #[test]
    fn everything_else_is_a_failure_to_try_again() {
        for (status, body) in [
            (200, "<html>log in</html>"),
            (200, r#"{"errorMessage":"No game","errorType":"Error"}"#),
            (302, ""),
            (403, r#"{"message":"Missing Authentication Token"}"#),
            (401, r#"{"message":"Unauthorized"}"#),
            (429, r#"{"message":"It is not your turn!"}"#),
            (500, ""),
            (500, "{}"),
            (502, r#"{"message":"Internal server error"}"#),
            (504, r#"{"message":"Endpoint request timed out"}"#),
            (200, &wrapped(500, json!({}))),
        ] {
            let reply = of(status, body);
            assert!(matches!(reply, Reply::Failed(_)), "{status} {body}: {reply:?}");
        }
        let long = "x".repeat(5000);
        let Reply::Failed(error) = of(502, &long) else { panic!() };
        assert!(error.len() < 300, "{error}");
    }
}
