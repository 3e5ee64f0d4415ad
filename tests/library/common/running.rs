//! A server that runs on a thread of its own until the end of a test.

use std::thread::JoinHandle;

use super::http::Client;
use crate::server::{Players, Server, ServerSettings, Solutions, Stop};

pub struct Running {
    pub client: Client,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    pub fn new(settings: ServerSettings, players: Players) -> Self {
        Self::with_solutions(settings, players, Solutions::default())
    }

    pub fn with_solutions(
        settings: ServerSettings,
        players: Players,
        solutions: Solutions,
    ) -> Self {
        let server = Server::bind(settings, players, solutions).unwrap();
        let (client, stop) = (Client(server.address()), server.stop());
        Self { client, stop, thread: Some(std::thread::spawn(|| server.run())) }
    }

    /// Stops the server, which must end.
    pub fn stop(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.stop();
        }
    }
}
