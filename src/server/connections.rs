//! The open connections: how many, for how long, and which of them makes room for another.

use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::http::{Request, Response, header};
use hyper::body::{Body, Incoming};
use hyper::server::conn::http1;
use hyper::service::{Service, service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, Id, JoinError, JoinSet};
use tokio::time::sleep;

use super::limits::Limits;
use super::patience::{Arriving, Patience};
use super::socket::Socket;
use super::stopped;

/// The most bytes of a request's head, and of an answer that wait in memory until they are written.
const MAX_BUFFER: usize = 64 << 10;

/// Pause before the server looks again for room for a connection.
const PAUSE: Duration = Duration::from_millis(50);

/// All open connections.
pub(super) struct Connections {
    router: Router,
    limits: Limits,
    stopping: watch::Receiver<bool>,
    tasks: JoinSet<()>,
    open: HashMap<Id, Connection>,
}

struct Connection {
    patience: Arc<Patience>,
    task: AbortHandle,
}

impl Connections {
    pub(super) fn new(router: Router, limits: Limits, stopping: watch::Receiver<bool>) -> Self {
        Self { router, limits, stopping, tasks: JoinSet::new(), open: HashMap::new() }
    }

    /// Accepts and serves connections for ever.
    pub(super) async fn accept(&mut self, listener: TcpListener) {
        loop {
            let accepted = tokio::select! {
                Some(ended) = self.tasks.join_next_with_id() => {
                    self.forget(ended);
                    continue;
                }
                accepted = listener.accept() => accepted,
            };
            match accepted {
                Ok((stream, _)) => {
                    while self.open.len() >= self.limits.connections {
                        self.make_room().await;
                    }
                    self.open(stream);
                }
                // The client is gone already.
                Err(error) if is_of_client(&error) => {}
                // Too many open files, or no memory.
                Err(_) => self.make_room().await,
            }
        }
    }

    /// Closes the connections that have not asked anything, and waits until the others end.
    pub(super) async fn finish(&mut self) {
        for connection in self.open.values().filter(|open| open.patience.is_asking()) {
            connection.task.abort();
        }
        while self.tasks.join_next().await.is_some() {}
    }

    fn open(&mut self, stream: TcpStream) {
        // Server-sent events are small: send each at once (no Nagle delay).
        let _ = stream.set_nodelay(true);
        let patience = Arc::new(Patience::new());
        let socket = Socket::new(stream, self.limits.write, Arc::clone(&patience));
        let served = serve(
            socket,
            self.router.clone(),
            Arc::clone(&patience),
            self.limits.head,
            self.stopping.clone(),
        );
        let task = self.tasks.spawn(served);
        self.open.insert(task.id(), Connection { patience, task });
    }

    fn forget(&mut self, ended: Result<(Id, ()), JoinError>) {
        self.open.remove(&ended.map_or_else(|error| error.id(), |(id, ())| id));
    }

    /// Disconnects the client that the server has been waiting for longest, and waits until a
    /// connection has ended, at most for [`PAUSE`].
    async fn make_room(&mut self) {
        let waiting = self.open.values().filter_map(|open| Some((open.patience.since()?, open)));
        if let Some((_, longest)) = waiting.min_by_key(|&(since, _)| since) {
            longest.task.abort();
        }
        tokio::select! {
            Some(ended) = self.tasks.join_next_with_id() => self.forget(ended),
            () = sleep(PAUSE) => {}
        }
    }
}

/// Whether accepting failed because of the client, so that the next one can be accepted at once.
fn is_of_client(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};

    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

/// Answers the requests of a connection until it ends. When the server stops, the request that is
/// being answered is the last one.
async fn serve(
    socket: Socket,
    router: Router,
    patience: Arc<Patience>,
    head: Duration,
    stopping: watch::Receiver<bool>,
) {
    let router = TowerToHyperService::new(router);
    let service = service_fn(move |request: Request<Incoming>| {
        let patience = Arc::clone(&patience);
        if request.body().is_end_stream() {
            patience.asked();
        }
        let arriving = request.map(|body| Arriving { body, patience: Arc::clone(&patience) });
        let answer = router.call(arriving);
        async move {
            let response = answer.await?;
            patience.answered(is_events(&response));
            Ok::<_, Infallible>(response)
        }
    });
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(head).max_buf_size(MAX_BUFFER);
    let mut connection = pin!(http.serve_connection(TokioIo::new(socket), service));
    // How a connection ended is of no concern to the others.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = stopped(stopping) => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}

fn is_events<B>(response: &Response<B>) -> bool {
    let kind = response.headers().get(header::CONTENT_TYPE);
    kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream"))
}
