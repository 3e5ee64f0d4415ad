//! The other side: a server with games, tokens and a referee, which fails as it is told to.

use std::collections::{HashMap, HashSet, VecDeque};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::thread;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use ring::signature::{Ed25519KeyPair, KeyPair};
use serde_json::{Value, json};

use super::referee::Referee;

/// The secrets of the bot's account. They must not be seen anywhere.
pub const CLIENT_ID: &str = "client-id-9f2c";
pub const CLIENT_SECRET: &str = "client-secret-71d0";
const SCOPE: &str = "games/communicate";
/// What every token begins with.
pub const TOKEN: &str = "token-5e3b-";

/// What goes wrong with a request for a turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The gateway answers with a page of this status.
    Gateway(u16),
    /// The function fails: the status is within an answer of status 200.
    Function,
    /// The function dies.
    Died,
    /// All tokens end.
    Tokens,
    /// The turn counts, and the answer is lost.
    Lost,
    /// The connection stays open without an answer; the turn does not count.
    Silent,
    /// The answer repeats all secrets.
    Echo,
}

/// A game on the server.
pub struct Game {
    pub name: &'static str,
    pub moves: Vec<String>,
    /// The number of turns before the bot's first one.
    pub bot: usize,
    /// The number of the bot's turns after which the server does not go on.
    pub most: usize,
    pub is_over: bool,
}

impl Game {
    fn is_bots_turn(&self) -> bool {
        !self.is_over && self.moves.len() % 2 == self.bot
    }

    /// The turns that the bot has played.
    pub fn played(&self) -> usize {
        (self.moves.len() + 1 - self.bot) / 2
    }

    pub fn is_done(&self) -> bool {
        self.is_over || self.played() >= self.most
    }
}

pub struct State {
    pub games: HashMap<String, Game>,
    pub referee: Referee,
    tokens: HashSet<String>,
    /// The number of tokens so far.
    pub issued: usize,
    /// For how many seconds they are good.
    pub lifetime: u64,
    /// What is to go wrong next.
    pub faults: VecDeque<Fault>,
    /// What the bot should not have done.
    pub problems: Vec<String>,
    /// All turns that the bot sent, also those that did not count.
    pub sent: Vec<(String, String)>,
}

/// The server.
#[derive(Clone)]
pub struct Site {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

impl Site {
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let state = State {
            games: HashMap::new(),
            referee: Referee::new(),
            tokens: HashSet::new(),
            issued: 0,
            lifetime: 3600,
            faults: VecDeque::new(),
            problems: Vec::new(),
            sent: Vec::new(),
        };
        let site = Self { address, state: Arc::new(Mutex::new(state)) };
        let serving = site.clone();
        // It ends with the tests.
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let site = serving.clone();
                thread::spawn(move || site.answer(stream));
            }
        });
        site
    }

    pub fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// The environment of the bot.
    pub fn environment(&self) -> [(&'static str, String); 6] {
        let url = |path| format!("http://{}/{path}", self.address);
        [
            ("BOT_TOKEN_URL", url("oauth2/token")),
            ("BOT_QUERY_URL", url("dev/botQuery")),
            ("BOT_OAUTH_SCOPE", SCOPE.to_owned()),
            ("BOT_CLIENT_ID", CLIENT_ID.to_owned()),
            ("BOT_CLIENT_SECRET", CLIENT_SECRET.to_owned()),
            ("AP_BOT_PUBLIC_KEY", public_key()),
        ]
    }

    /// Begins a game in which the bot moves first, or second after this turn.
    pub fn begin(&self, gameid: &str, name: &'static str, first: Option<&str>, most: usize) {
        let moves: Vec<String> = first.into_iter().map(str::to_owned).collect();
        let bot = moves.len();
        let game = Game { name, moves, bot, most, is_over: false };
        self.state().games.insert(gameid.to_owned(), game);
    }

    /// The request for the bot's turn in a game.
    pub fn request(&self, gameid: &str) -> Value {
        let state = self.state();
        let game = &state.games[gameid];
        let moves: Vec<&[String]> = game.moves.chunks(2).collect();
        json!({
            "verb": "move",
            "metaGame": game.name,
            "variants": [],
            "gameid": gameid,
            "clockCurr": 72,
            "numPlayers": 2,
            "moves": moves,
        })
    }

    /// The other player plays a turn; false if the game is over.
    pub fn reply(&self, gameid: &str, random: u64) -> bool {
        let mut state = self.state();
        let State { games, referee, .. } = &mut *state;
        let game = games.get_mut(gameid).unwrap();
        assert!(!game.is_bots_turn() && !game.is_over);
        let legal = referee.rule(game.name, &game.moves).legal;
        game.moves.push(legal[random as usize % legal.len()].clone());
        game.is_over = referee.rule(game.name, &game.moves).is_over;
        !game.is_over
    }

    fn answer(&self, stream: TcpStream) {
        let Some((path, authorization, body)) = read(&stream) else { return };
        let answer = match path.as_str() {
            "/oauth2/token" => Some(self.grant(&String::from_utf8(body).unwrap())),
            "/dev/botQuery" => self.turn(&stream, authorization.as_deref(), &body),
            _ => Some((404, "{}".to_owned())),
        };
        if let Some((status, text)) = answer {
            let length = text.len();
            let head = format!(
                "HTTP/1.1 {status} Status\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            // A bot that was killed does not read it.
            let _ = (&stream).write_all(head.as_bytes());
            let _ = (&stream).write_all(text.as_bytes());
        }
    }

    fn grant(&self, form: &str) -> (u16, String) {
        let mut state = self.state();
        let scope = SCOPE.replace('/', "%2F");
        let expected = format!(
            "grant_type=client_credentials&client_id={CLIENT_ID}&client_secret={CLIENT_SECRET}\
             &scope={scope}"
        );
        if form != expected {
            state.problems.push(format!("form: {form}"));
            return (400, format!("{{\"error\":\"invalid {form}\"}}"));
        }
        state.issued += 1;
        let token = format!("{TOKEN}{}", state.issued);
        state.tokens.insert(token.clone());
        let lifetime = state.lifetime;
        (
            200,
            json!({ "access_token": token, "expires_in": lifetime, "token_type": "Bearer" })
                .to_string(),
        )
    }

    fn turn(
        &self,
        stream: &TcpStream,
        authorization: Option<&str>,
        body: &[u8],
    ) -> Option<(u16, String)> {
        let mut state = self.state();
        let fault = state.faults.pop_front();
        match fault {
            Some(Fault::Gateway(status)) => return Some((status, "<html>no</html>".to_owned())),
            Some(Fault::Function) => {
                return Some((200, wrapped(500, &json!({ "message": "Unable to get game" }))));
            }
            Some(Fault::Died) => {
                return Some((
                    200,
                    json!({ "errorMessage": "No game", "errorType": "Error" }).to_string(),
                ));
            }
            Some(Fault::Echo) => {
                let token = authorization.unwrap_or_default();
                return Some((502, format!("{CLIENT_ID} {CLIENT_SECRET} {token}")));
            }
            Some(Fault::Silent) => {
                drop(state);
                // Until the bot has enough of it.
                let _ = (&*stream).read(&mut [0]);
                return None;
            }
            Some(Fault::Tokens) => state.tokens.clear(),
            Some(Fault::Lost) | None => {}
        }
        let token = authorization.and_then(|it| it.strip_prefix("Bearer "));
        if !token.is_some_and(|token| state.tokens.contains(token)) {
            return Some((401, json!({ "message": "Unauthorized" }).to_string()));
        }
        if state.lifetime == 0 {
            // Tokens are good for one turn.
            state.tokens.clear();
        }
        let (status, answer) = state.play(body);
        (fault != Some(Fault::Lost)).then(|| (200, wrapped(status, &answer)))
    }
}

impl State {
    /// Plays a turn of the bot.
    fn play(&mut self, body: &[u8]) -> (u16, Value) {
        let message: Value = serde_json::from_slice(body).unwrap();
        let field = |name: &str| message[name].as_str().unwrap().to_owned();
        let (gameid, turn) = (field("gameid"), field("move"));
        let fail = |message: &str| (500, json!({ "message": message }));
        self.sent.push((gameid.clone(), turn.clone()));
        let Some(game) = self.games.get_mut(&gameid) else {
            return fail(&format!("Unable to load game {gameid}"));
        };
        if field("verb") != "move" || field("metaGame") != game.name {
            self.problems.push(format!("a message that is none: {message}"));
        }
        // What the bot sends again, since it does not know that it counted.
        let is_known = game.moves.iter().skip(game.bot).step_by(2).any(|it| *it == turn);
        if !game.is_bots_turn() {
            if !is_known {
                self.problems
                    .push(format!("{gameid}: {turn} is another turn than that which counted"));
            }
            return fail(&format!("It is not bot {CLIENT_ID}'s turn in game {gameid}"));
        }
        if !self.referee.rule(game.name, &game.moves).legal.contains(&turn) {
            if !is_known {
                self.problems.push(format!("{gameid}: {turn} is illegal after {:?}", game.moves));
            }
            return fail(&format!("Unable to apply move {turn}"));
        }
        game.moves.push(turn);
        game.is_over = self.referee.rule(game.name, &game.moves).is_over;
        let mover = if game.is_over { "" } else { "1" };
        (200, json!({ "id": gameid, "toMove": mover, "state": "x".repeat(5000) }))
    }
}

/// What the gateway makes of an answer of a function.
fn wrapped(status: u16, body: &Value) -> String {
    json!({ "statusCode": status, "body": body.to_string(), "headers": {} }).to_string()
}

/// Reads a request: its path, its authorization and its body; none if the bot is gone.
fn read(stream: &TcpStream) -> Option<(String, Option<String>, Vec<u8>)> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut length, mut authorization) = (String::new(), 0, None);
    reader.read_line(&mut line).ok()?;
    let path = line.split(' ').nth(1)?.to_owned();
    loop {
        line.clear();
        reader.read_line(&mut line).ok()?;
        let Some((name, value)) = line.trim_end().split_once(": ") else { break };
        match name.to_ascii_lowercase().as_str() {
            "content-length" => length = value.parse().ok()?,
            "authorization" => authorization = Some(value.to_owned()),
            _ => {}
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((path, authorization, body))
}

// ---- signatures ----

fn pair(seed: u8) -> Ed25519KeyPair {
    Ed25519KeyPair::from_seed_unchecked(&[seed; 32]).unwrap()
}

/// The server's key, as its text file has it.
fn public_key() -> String {
    let (name, pair) = (b"ssh-ed25519", pair(1));
    let bytes = [&[0, 0, 0, 11][..], name, &[0, 0, 0, 32], pair.public_key().as_ref()].concat();
    format!("ssh-ed25519 {}", BASE64_STANDARD.encode(bytes))
}

/// A nonce that no other request has.
pub fn nonce() -> String {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    format!("{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_secs()
}

/// The headers of a request that the key of this seed has signed; the server's is 1.
pub fn signed(seed: u8, time: u64, nonce: &str, body: &[u8]) -> [String; 3] {
    let message = [format!("{time}.{nonce}.").as_bytes(), body].concat();
    let signature = BASE64_STANDARD.encode(pair(seed).sign(&message));
    [
        format!("X-Signature-Timestamp: {time}"),
        format!("X-Signature-Nonce: {nonce}"),
        format!("X-Signature: {signature}"),
    ]
}
