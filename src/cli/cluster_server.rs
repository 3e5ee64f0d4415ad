//! The options that say where the NATS server of a cluster is.

use std::path::PathBuf;

use crate::train::cluster::{Address, Server};

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
