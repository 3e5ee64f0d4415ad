//! The lines of a run's metrics, read piece by piece. This is the only place where the server reads
//! them.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};
use std::path::PathBuf;

use serde_json::value::RawValue;

use crate::base::foreign;
use crate::base::json_log::MOST_OF_LINE as MAX_LINE;
use crate::runs::metrics::{LinePlace, SetBacks};

/// Bytes that are read at a time.
const CHUNK: usize = 32 << 10;

/// A line of a metrics file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Line {
    /// Its number in the file, from 1.
    pub number: u64,
    /// JSON without line breaks.
    pub text: String,
}

/// A reading position in a growing file of lines.
#[derive(Clone, Debug)]
pub(super) struct Tail {
    path: PathBuf,
    /// Number of the last line that the client has seen; later lines are returned.
    seen: u64,
    /// Bytes of the whole lines read so far.
    offset: u64,
    /// Number of lines read so far.
    number: u64,
    /// Which of the lines that the file had at first count.
    current: Current,
}

/// Which of the first lines of a file count: not those of abandoned iterations, to which the run
/// was set back or which are later than the latest.
#[derive(Clone, Default, Debug)]
struct Current {
    set_backs: SetBacks,
    /// The latest iteration.
    latest: u64,
    /// Number of the lines looked at; all later ones count.
    lines: u64,
}

/// Lines, and whether more may be available at once.
pub(super) type Lines = (Vec<Line>, bool);

impl Tail {
    /// Begins after line `seen` of a file, which may not exist yet. `latest` is the latest
    /// iteration of the run. Reads the whole file once.
    pub(super) fn new(path: PathBuf, seen: u64, latest: u64) -> Self {
        let current = Current::default();
        let mut tail = Self { path, seen: 0, offset: 0, number: 0, current };
        // A file that cannot be read has no lines yet.
        let current = Current::of(&mut tail, latest).unwrap_or_default();
        Self { path: tail.path, seen, offset: 0, number: 0, current }
    }

    /// Reads the next lines that are JSON, and the last one also if it has no line break yet.
    /// Leaves out those that only mark others.
    pub(super) fn read_to_end(&mut self) -> io::Result<Lines> {
        let (mut lines, is_more) = self.read(true)?;
        lines.retain(|line| !line.place().is_some_and(|place| place.is_set_back()));
        Ok((lines, is_more))
    }

    /// As [`read_to_end`](Self::read_to_end) for a file that is still written: whole lines only. If
    /// it was truncated or replaced, it is read again from its first line.
    pub(super) fn follow(&mut self) -> io::Result<Lines> {
        if self.path.metadata()?.len() < self.offset {
            (self.offset, self.number, self.seen) = (0, 0, 0);
            self.current = Current::default();
        }
        self.read(false)
    }

    fn read(&mut self, is_finished: bool) -> io::Result<Lines> {
        // The file is open only now: a client that does not read holds none.
        let mut file = foreign::open(&self.path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        let (bytes, is_more) = read_piece(&mut file)?;
        let end = bytes.iter().rposition(|&byte| byte == b'\n').map(|last| last + 1);
        let whole = match is_finished && !is_more {
            true => bytes.len(),
            // Without a line break it is a part of a line that is too long.
            false => end.unwrap_or(if is_more { bytes.len() } else { 0 }),
        };
        self.offset += whole as u64;
        Ok((self.lines(&bytes[..whole]), is_more))
    }

    /// Returns the lines of these bytes that are JSON and that the client has not seen.
    fn lines(&mut self, bytes: &[u8]) -> Vec<Line> {
        let mut lines = Vec::new();
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let number = self.number + 1;
            // Parts of a line that is too long count as one line, at its line break.
            self.number += u64::from(line.ends_with(b"\n"));
            if number > self.seen
                && let Ok(json) = serde_json::from_slice::<&RawValue>(line)
            {
                // JSON has carriage returns only where a space may be.
                let line = Line { number, text: json.get().replace('\r', " ") };
                lines.extend(Some(line).filter(|line| self.current.counts(line)));
            }
        }
        lines
    }
}

impl Line {
    /// What tells whether it counts; `None` if it is no line of metrics.
    fn place(&self) -> Option<LinePlace> {
        serde_json::from_str(&self.text).ok()
    }
}

impl Current {
    /// Reads all lines of a file.
    fn of(tail: &mut Tail, latest: u64) -> io::Result<Self> {
        let mut set_backs = SetBacks::default();
        loop {
            let (lines, is_more) = tail.read(false)?;
            for line in lines {
                line.place().inspect(|place| set_backs.add(line.number, place));
            }
            if !is_more {
                return Ok(Self { set_backs, latest, lines: tail.number });
            }
        }
    }

    fn counts(&self, line: &Line) -> bool {
        let is_current = |place: LinePlace| {
            place.iteration() <= Some(self.latest) && self.set_backs.counts(line.number, &place)
        };
        line.number > self.lines || line.place().is_none_or(is_current)
    }
}

/// Reads some bytes, enough for a whole line if it is not too long, and returns them and whether
/// the file may have more.
fn read_piece(file: &mut File) -> io::Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::with_capacity(CHUNK);
    file.take(CHUNK as u64).read_to_end(&mut bytes)?;
    if bytes.len() < CHUNK || bytes.contains(&b'\n') {
        let is_more = bytes.len() == CHUNK;
        return Ok((bytes, is_more));
    }
    file.take((MAX_LINE - CHUNK) as u64).read_to_end(&mut bytes)?;
    let is_more = bytes.len() == MAX_LINE;
    Ok((bytes, is_more))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Reads all lines, and returns their numbers and lengths.
    fn all(tail: &mut Tail, read: fn(&mut Tail) -> io::Result<Lines>) -> Vec<(u64, usize)> {
        let mut found = Vec::new();
        loop {
            let (lines, is_more) = read(tail).unwrap();
            found.extend(lines.iter().map(|line| (line.number, line.text.len())));
            if !is_more {
                return found;
            }
        }
    }

    #[test]
    fn lines_of_any_length_are_read_and_those_that_are_too_long_are_skipped() {
        let path = std::env::temp_dir().join(format!("tavoliere-tail-{}", std::process::id()));
        let of_length = |length: usize| format!("\"{}\"", "x".repeat(length - 2));
        let lengths = [3, CHUNK - 5, CHUNK, CHUNK + 1, 7, MAX_LINE - 1, MAX_LINE + 1, 9];
        let lines: Vec<String> = lengths.into_iter().map(of_length).collect();
        fs::write(&path, lines.join("\n")).unwrap();
        let kept = |numbers: &[u64]| -> Vec<(u64, usize)> {
            numbers.iter().map(|&number| (number, lengths[number as usize - 1])).collect()
        };
        let mut tail = Tail::new(path.clone(), 0, 0);
        assert_eq!(all(&mut tail, Tail::read_to_end), kept(&[1, 2, 3, 4, 5, 6, 8]));
        let mut tail = Tail::new(path.clone(), 4, 0);
        assert_eq!(all(&mut tail, Tail::follow), kept(&[5, 6]), "the last line has no end yet");
        fs::write(&path, b"1\r\n[2,\r3]\n{\n\"\xff\"\n").unwrap();
        assert_eq!(all(&mut tail, Tail::follow), [(1, 1), (2, 6)], "another file");
        fs::remove_file(&path).unwrap();
    }

    /// The iterations and phases of the lines that a reader gets.
    fn phases(tail: &mut Tail, read: fn(&mut Tail) -> io::Result<Lines>) -> Vec<(u64, String)> {
        let values = |line: &Line| serde_json::from_str::<serde_json::Value>(&line.text).unwrap();
        let phase = |value: serde_json::Value| {
            (value["iteration"].as_u64().unwrap(), value["phase"].as_str().unwrap().to_owned())
        };
        read(tail).unwrap().0.iter().map(values).map(phase).collect()
    }

    #[test]
    fn lines_of_abandoned_iterations_are_left_out() {
        let path = std::env::temp_dir().join(format!("tavoliere-abandoned-{}", std::process::id()));
        let line =
            |(iteration, phase)| format!("{{\"iteration\":{iteration},\"phase\":\"{phase}\"}}\n");
        let old = [(1, "selfplay"), (2, "selfplay"), (2, "evaluation"), (3, "selfplay")];
        let new = [(1, "set_back"), (2, "selfplay"), (3, "selfplay")];
        let text: String = old.into_iter().chain(new).map(line).collect();
        fs::write(&path, &text).unwrap();
        let owned = |lines: &[(u64, &str)]| -> Vec<(u64, String)> {
            lines.iter().map(|&(iteration, phase)| (iteration, phase.to_owned())).collect()
        };
        let read = |latest| phases(&mut Tail::new(path.clone(), 0, latest), Tail::read_to_end);
        assert_eq!(read(3), owned(&[old[0], new[1], new[2]]));
        assert_eq!(read(2), owned(&[old[0], new[1]]), "the run was set back again");
        // Who follows is told when the run is set back.
        let mut tail = Tail::new(path.clone(), 0, 3);
        assert_eq!(phases(&mut tail, Tail::follow), owned(&[old[0], new[0], new[1], new[2]]));
        fs::write(&path, text + &new.map(line).concat()).unwrap();
        assert_eq!(phases(&mut tail, Tail::follow), owned(&new));
        fs::remove_file(&path).unwrap();
    }
}
