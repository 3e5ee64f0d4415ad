//! A server that listens: its socket, its runtime of one thread, and its end.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use tokio::net::{TcpListener, TcpSocket};
use tokio::runtime::Runtime;
use tokio::sync::watch;

use super::connections::Connections;
use super::limits::Limits;

/// Connections that may wait to be accepted.
const BACKLOG: u32 = 1024;

/// The bytes of an answer that the system may hold for a client that does not read. Its own limit
/// would be some megabytes.
const SEND_BUFFER: u32 = 128 << 10;

/// A server that is already listening, whatever it answers.
pub(crate) struct HttpServer {
    runtime: Runtime,
    listener: TcpListener,
    address: SocketAddr,
    stop: Stop,
    stopping: watch::Receiver<bool>,
}

/// A handle that stops a server.
#[derive(Clone, Debug)]
pub(crate) struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Makes the server finish the open requests and then stop.
    pub(crate) fn stop(&self) {
        self.0.send_replace(true);
    }
}

impl HttpServer {
    /// Starts to listen. One thread will answer requests; `blocking` others may wait for files.
    ///
    /// # Errors
    ///
    /// If it cannot listen on the address.
    pub(crate) fn bind(address: SocketAddr, blocking: usize) -> io::Result<Self> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .max_blocking_threads(blocking)
            .build()?;
        let listener = {
            let _inside = runtime.enter();
            listen(address)?
        };
        let address = listener.local_addr()?;
        let (sender, stopping) = watch::channel(false);
        Ok(Self { runtime, listener, address, stop: Stop(Arc::new(sender)), stopping })
    }

    /// Returns the address that it listens on.
    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    /// Returns a handle that stops it.
    pub(crate) fn stop(&self) -> Stop {
        self.stop.clone()
    }

    /// Returns what tells whether it was told to stop.
    pub(super) fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.clone()
    }

    /// Answers requests until the server is stopped.
    pub(crate) fn run(self, router: Router, limits: Limits) {
        let Self { runtime, listener, stopping, .. } = self;
        runtime.block_on(serve(listener, router, limits, stopping));
        // Do not wait for file reads whose clients are gone.
        runtime.shutdown_background();
    }
}

async fn serve(
    listener: TcpListener,
    router: Router,
    limits: Limits,
    stopping: watch::Receiver<bool>,
) {
    let mut connections = Connections::new(router, limits, stopping.clone());
    tokio::select! {
        () = connections.accept(listener) => {}
        () = stopped(stopping) => {}
    }
    let _ = tokio::time::timeout(limits.grace, connections.finish()).await;
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Without it a port could not be used again for a minute. Elsewhere it would mean to share it.
    #[cfg(unix)]
    socket.set_reuseaddr(true)?;
    // Accepted connections inherit it.
    socket.set_send_buffer_size(SEND_BUFFER)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

/// Completes when the server is told to stop.
pub(super) async fn stopped(mut stopping: watch::Receiver<bool>) {
    // The error case: the sender is gone, which also means stop.
    let _ = stopping.wait_for(|&stopping| stopping).await;
}
