//! Lines of an input that are read on a thread of its own, so that work can end when one arrives.

use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::mpsc::{Receiver, RecvError, SyncSender, TryRecvError, sync_channel};
use std::thread;

use super::lines::read_line;

/// The most lines that are read before they are wanted.
const AHEAD: usize = 64;

/// What some programs write before the first line of a text.
const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// A line of input.
#[derive(Debug)]
pub(crate) struct InputLine {
    /// Its bytes without the line feed, at most as many as the limit.
    pub bytes: Vec<u8>,
    /// Its full length in bytes.
    pub length: usize,
}

/// The lines of an input. The thread that reads them ends with the input, or with the program.
#[derive(Debug)]
pub(crate) struct LineReader {
    arrived: Receiver<io::Result<InputLine>>,
    /// What has arrived and was not taken yet: a line, or the end of the input.
    next: RefCell<Option<Result<io::Result<InputLine>, RecvError>>>,
}

impl LineReader {
    /// Begins to read lines, of which at most `limit` bytes are kept. A byte-order mark at the
    /// beginning is skipped.
    ///
    /// # Errors
    ///
    /// If there is no thread.
    pub(crate) fn start(input: impl Read + Send + 'static, limit: usize) -> io::Result<Self> {
        let (lines, arrived) = sync_channel(AHEAD);
        let read = move || read(BufReader::new(input), limit, &lines);
        thread::Builder::new().name("input".to_owned()).spawn(read)?;
        Ok(Self { arrived, next: RefCell::new(None) })
    }

    /// Whether a line, or the end of the input, has arrived.
    pub(crate) fn has_arrived(&self) -> bool {
        let mut next = self.next.borrow_mut();
        if next.is_none() {
            *next = match self.arrived.try_recv() {
                Ok(line) => Some(Ok(line)),
                Err(TryRecvError::Empty) => None,
                Err(TryRecvError::Disconnected) => Some(Err(RecvError)),
            };
        }
        next.is_some()
    }

    /// Waits until a line, or the end of the input, has arrived.
    pub(crate) fn wait(&self) {
        if !self.has_arrived() {
            *self.next.borrow_mut() = Some(self.arrived.recv());
        }
    }

    /// The next line; waits for it. `None` at the end of the input.
    ///
    /// # Errors
    ///
    /// If the input cannot be read.
    pub(crate) fn take(&self) -> io::Result<Option<InputLine>> {
        self.wait();
        match self.next.take() {
            Some(Ok(line)) => line.map(Some),
            _ => Ok(None),
        }
    }
}

/// Sends the lines until the input ends or nobody wants them.
fn read(mut input: impl BufRead, limit: usize, lines: &SyncSender<io::Result<InputLine>>) {
    let skipped = input.fill_buf().is_ok_and(|start| start.starts_with(BYTE_ORDER_MARK));
    input.consume(if skipped { BYTE_ORDER_MARK.len() } else { 0 });
    loop {
        let mut bytes = Vec::new();
        let line = match read_line(&mut input, &mut bytes, limit) {
            Ok(Some(length)) => Ok(InputLine { bytes, length }),
            Ok(None) => return,
            Err(error) => Err(error),
        };
        let is_failed = line.is_err();
        if lines.send(line).is_err() || is_failed {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn lines_arrive_in_order_and_are_cut() {
        let lines = LineReader::start(&b"\xef\xbb\xbfa\nlonger\n\nlast"[..], 4).unwrap();
        let mut found = Vec::new();
        while let Some(InputLine { bytes, length }) = lines.take().unwrap() {
            found.push((String::from_utf8(bytes).unwrap(), length));
        }
        let expected = [("a", 1), ("long", 6), ("", 0), ("last", 4)];
        assert_eq!(found, expected.map(|(text, length)| (text.to_owned(), length)));
        assert!(lines.has_arrived() && lines.take().unwrap().is_none());
    }

    /// An input of what is sent to it.
    struct Sent(Receiver<&'static [u8]>);

    impl Read for Sent {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let Ok(bytes) = self.0.recv() else { return Err(io::Error::other("broken")) };
            buffer[..bytes.len()].copy_from_slice(bytes);
            Ok(bytes.len())
        }
    }

    #[test]
    fn work_learns_that_a_line_has_arrived() {
        let (send, sent) = channel();
        let lines = LineReader::start(Sent(sent), 100).unwrap();
        assert!(!lines.has_arrived());
        send.send(&b"stop\n"[..]).unwrap();
        lines.wait();
        assert!(lines.has_arrived() && lines.has_arrived());
        assert_eq!(lines.take().unwrap().unwrap().bytes, b"stop");
        assert!(!lines.has_arrived());
        drop(send);
        assert_eq!(lines.take().unwrap_err().to_string(), "broken");
        assert!(lines.take().unwrap().is_none());
    }
}
