//! The options that say where the NATS server of a cluster is.

use std::path::PathBuf;

use anyhow::{Context, Result};

use crate::train::cluster::{Address, Link, Server};

/// How to connect to the server, besides its address.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct ServerOptions {
    /// File of NATS credentials [default: $NATS_CREDS]
    ///
    /// User and password may also be in the address, or in $NATS_USER and $NATS_PASSWORD.
    #[arg(long, value_name = "FILE")]
    credentials: Option<PathBuf>,
    /// Certificate of the server's authority, a PEM file
    #[arg(long, value_name = "FILE")]
    tls_ca: Option<PathBuf>,
}

impl ServerOptions {
    /// The server at this address.
    pub(super) fn server(&self, address: &Address) -> Server {
        Server {
            address: address.clone(),
            credentials: self.credentials.clone(),
            authority: self.tls_ca.clone(),
        }
    }
}

/// Where the workers are that play the games of a command.
#[derive(Clone, Debug, Default, clap::Args)]
pub(super) struct ClusterOptions {
    /// Let workers on this NATS server play the games
    ///
    /// The results are those of this machine alone. docs/cluster.md is the guide.
    #[arg(long, value_name = "ADDRESS")]
    cluster: Option<Address>,
    /// Accept workers with another engine; the games may then differ
    #[arg(long, requires = "cluster")]
    pub any_engine: bool,
    #[command(flatten)]
    server: ServerOptions,
}

impl ClusterOptions {
    /// Whether workers shall play.
    pub(super) fn is_given(&self) -> bool {
        self.cluster.is_some()
    }

    /// Connects to the server that was given, as a client of this name.
    ///
    /// # Errors
    ///
    /// If the server cannot be reached or refuses us.
    pub(super) fn connect(&self, name: &str) -> Result<Link> {
        let address = self.cluster.as_ref().context("no --cluster is given")?;
        self.server.server(address).connect(name)
    }
}
