//! For how long the server has been waiting for the client of a connection.

use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Instant;

use hyper::body::{Body, Bytes, Frame, Incoming, SizeHint};

#[derive(Clone, Copy, Debug)]
enum Phase {
    /// The server waits for the rest of the first request, since then.
    Asking(Instant),
    /// The client waits for the server.
    Answering,
    /// The server waits for the client to read the answer, or for the next request. The client read
    /// last at this time.
    Answered(Instant),
    /// The client follows a run; it has not read its events since then.
    Following(Option<Instant>),
}

/// For how long the server has been waiting for a client.
pub(super) struct Patience(Mutex<Phase>);

impl Patience {
    /// Begins with waiting for a request.
    pub(super) fn new() -> Self {
        Self(Mutex::new(Phase::Asking(Instant::now())))
    }

    fn phase(&self) -> MutexGuard<'_, Phase> {
        self.0.lock().expect("nothing panics while the phase is locked")
    }

    /// Since when the server has been waiting for the client; `None` if it is not.
    pub(super) fn since(&self) -> Option<Instant> {
        match *self.phase() {
            Phase::Asking(since) | Phase::Answered(since) => Some(since),
            Phase::Answering => None,
            Phase::Following(stalled) => stalled,
        }
    }

    /// Whether no whole request has arrived yet.
    pub(super) fn is_asking(&self) -> bool {
        matches!(*self.phase(), Phase::Asking(_))
    }

    /// A whole request has arrived.
    pub(super) fn asked(&self) {
        *self.phase() = Phase::Answering;
    }

    /// The answer is ready to be written. If it consists of events, its end is not in sight.
    pub(super) fn answered(&self, is_events: bool) {
        let answered = Phase::Answered(Instant::now());
        *self.phase() = if is_events { Phase::Following(None) } else { answered };
    }

    /// The connection took bytes for the client.
    pub(super) fn wrote(&self) {
        let mut phase = self.phase();
        match &mut *phase {
            Phase::Answered(since) => *since = Instant::now(),
            Phase::Following(stalled) => *stalled = None,
            Phase::Asking(_) | Phase::Answering => {}
        }
    }

    /// The connection takes no more bytes, since the client does not read.
    pub(super) fn stalled(&self) {
        if let Phase::Following(stalled @ None) = &mut *self.phase() {
            *stalled = Some(Instant::now());
        }
    }
}

/// The body of a request. The client is waited for until it has arrived.
pub(super) struct Arriving {
    /// The body.
    pub body: Incoming,
    /// Is told when the body has arrived.
    pub patience: Arc<Patience>,
}

impl Body for Arriving {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(context);
        let is_last = matches!(frame, Poll::Ready(None)) || self.body.is_end_stream();
        if frame.is_ready() && is_last {
            self.patience.asked();
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
