//! The connection to the NATS server, for callers that wait.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use async_nats::jetstream::response::Response;
use async_nats::jetstream::{self, Context};
use async_nats::{ConnectErrorKind, ConnectOptions, Event, ServerAddr};
use serde_json::Value;
use tokio::runtime::{Builder, Runtime};

use crate::base::progress;

/// How long a server may take to answer.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Where the server is, and who we are to it.
#[derive(Clone, Debug)]
pub(crate) struct Server {
    /// Its address.
    pub address: Address,
    /// A file of credentials, as `nsc` makes it.
    pub credentials: Option<PathBuf>,
    /// A file of certificates that the server's is checked against, beside those of the system.
    pub authority: Option<PathBuf>,
}

/// The address of a server, `nats://[USER:PASSWORD@]HOST[:PORT]`, or `tls://` for an encrypted
/// connection. Nothing prints it, because of the password.
#[derive(Clone)]
pub(crate) struct Address(ServerAddr);

impl FromStr for Address {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> Result<Self> {
        let address = text.parse::<ServerAddr>().ok().filter(|address| !address.host().is_empty());
        Ok(Self(address.context(
            "the address of a NATS server is written nats://HOST:4222, with user and password \
             nats://USER:PASSWORD@HOST:4222",
        )?))
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown())
    }
}

impl Address {
    /// The host and the port, without user and password.
    fn shown(&self) -> String {
        format!("{}:{}", self.0.host(), self.0.port())
    }
}

/// A connection to a server with JetStream. It is made anew whenever it breaks.
pub(crate) struct Link {
    runtime: Runtime,
    pub(super) jetstream: Context,
    /// The host and the port, without user and password.
    pub(super) address: String,
}

impl Server {
    /// Connects to the server, as a client of this name.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached or refuses us, or it has no JetStream.
    pub(crate) fn connect(&self, name: &str) -> Result<Link> {
        let shown = self.address.shown();
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.context("cannot start the thread of the connection")?;
        let client = runtime.block_on(async {
            let options = self.options(name).await?;
            options.connect(self.address.0.clone()).await.map_err(|error| explained(error, &shown))
        })?;
        let mut jetstream = {
            // It starts a task of its own.
            let _inside = runtime.enter();
            jetstream::new(client)
        };
        jetstream.set_timeout(PATIENCE);
        let link = Link { runtime, jetstream, address: shown };
        link.check_jetstream()?;
        Ok(link)
    }

    async fn options(&self, name: &str) -> Result<ConnectOptions> {
        let Address(address) = &self.address;
        let mut options = ConnectOptions::new()
            .name(name)
            .connection_timeout(PATIENCE)
            .max_reconnects(None)
            .event_callback(|event| async move { tell(&event) });
        // A URL with one word before the host has a token.
        if let (Some(token), None) = (address.username(), address.password()) {
            options = options.token(token.to_owned());
        }
        if let (false, Ok(user)) = (address.has_user_pass(), std::env::var("NATS_USER")) {
            let password = std::env::var("NATS_PASSWORD").unwrap_or_default();
            options = options.user_and_password(user, password);
        }
        let credentials =
            self.credentials.clone().or_else(|| std::env::var_os("NATS_CREDS").map(PathBuf::from));
        if let Some(path) = credentials {
            let read = options.credentials_file(&path).await;
            options = read.with_context(|| format!("cannot read {}", path.display()))?;
        }
        if let Some(path) = &self.authority {
            ensure!(path.is_file(), "there is no file of certificates {}", path.display());
            options = options.add_root_certificates(path.clone()).require_tls(true);
        }
        Ok(options)
    }
}

impl Link {
    /// Runs `work` to its end on the calling thread.
    pub(super) fn wait<T>(&self, work: impl Future<Output = T>) -> T {
        self.runtime.block_on(work)
    }

    /// Runs `work` on the thread of the connection.
    pub(super) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(work);
    }

    fn check_jetstream(&self) -> Result<()> {
        // Not by `query_account`, which cannot read the answer of older servers.
        let asked = self.wait(self.jetstream.request::<_, _, Response<Value>>("INFO", &()));
        let refused = match asked {
            Ok(Response::Ok(_)) => return Ok(()),
            Ok(Response::Err { error }) => anyhow::Error::new(error),
            Err(error) => error.into(),
        };
        Err(refused.context(format!(
            "the server at {} has no JetStream for us; start it with `nats-server -js -sd \
             FOLDER`, or enable it for our account",
            self.address
        )))
    }
}

/// Says on standard error what happens to the connection.
fn tell(event: &Event) {
    match event {
        Event::Disconnected => progress::say("the NATS server is gone; trying to reach it again"),
        Event::Connected => {}
        Event::SlowConsumer(_) | Event::Draining | Event::Closed | Event::LameDuckMode => {}
        Event::ServerError(error) => progress::say(&format!("the NATS server says: {error}")),
        Event::ClientError(_) => {}
    }
}

/// The error of a first connection, with what to do. It never has the password, which is part of
/// the address.
fn explained(error: async_nats::ConnectError, address: &str) -> anyhow::Error {
    let advice = match error.kind() {
        ConnectErrorKind::AuthorizationViolation | ConnectErrorKind::Authentication => {
            "it refuses our user and password, token or credentials"
        }
        ConnectErrorKind::Tls => {
            "the encrypted connection could not be set up; --tls-ca FILE names the certificate of its authority"
        }
        _ => "nobody answers there; start a server with `nats-server -js -sd FOLDER`",
    };
    let error = anyhow::Error::new(error);
    error.context(format!("cannot connect to the NATS server at {address}: {advice}"))
}

/// What a refused request to the server means, if the server is full.
pub(super) fn check_full(text: &str, stream: &str) -> Result<()> {
    if text.contains("maximum bytes exceeded") || text.contains("insufficient storage") {
        bail!(
            "the server has no room left for {stream}: give it more disk (`max_file_store`), or \
             remove streams that nobody needs"
        );
    }
    Ok(())
}
