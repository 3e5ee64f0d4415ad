//! Lines of untrusted input, with a limit on the memory they take.

use std::io::{self, BufRead};

/// Replaces the contents of `line` by the next line without its line feed, keeping at most
/// `limit` bytes. Returns the full length of the line in bytes, or none at the end of the input.
///
/// # Errors
///
/// If the input cannot be read.
pub(crate) fn read_line(
    input: &mut impl BufRead,
    line: &mut Vec<u8>,
    limit: usize,
) -> io::Result<Option<usize>> {
    Ok(next_line(input, line, limit)?.map(|(length, _)| length))
}

/// Calls `each` with every line that has a line feed, without it and cut to `limit` bytes, and with
/// the number of bytes up to its end. What follows the last line feed is a line that a crash cut
/// off.
///
/// # Errors
///
/// If the input cannot be read, or those of `each`.
pub(crate) fn each_whole_line<E: From<io::Error>>(
    mut input: impl BufRead,
    limit: usize,
    mut each: impl FnMut(&[u8], u64) -> Result<(), E>,
) -> Result<(), E> {
    let (mut line, mut end) = (Vec::new(), 0);
    while let Some((length, is_whole)) = next_line(&mut input, &mut line, limit)? {
        end += length as u64 + 1;
        if is_whole {
            each(&line, end)?;
        }
    }
    Ok(())
}

/// As [`read_line`], and whether the line has a line feed.
fn next_line(
    input: &mut impl BufRead,
    line: &mut Vec<u8>,
    limit: usize,
) -> io::Result<Option<(usize, bool)>> {
    line.clear();
    let mut length = 0;
    loop {
        let buffer = match input.fill_buf() {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            buffer => buffer?,
        };
        if buffer.is_empty() {
            return Ok((length > 0).then_some((length, false)));
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let part = &buffer[..end.unwrap_or(buffer.len())];
        line.extend(part.iter().take(limit - line.len()));
        length += part.len();
        let used = part.len() + usize::from(end.is_some());
        input.consume(used);
        if end.is_some() {
            return Ok(Some((length, true)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(input: &str, limit: usize) -> Vec<(usize, String)> {
        // A buffer shorter than the lines, so that each line takes several reads.
        let mut input = io::BufReader::with_capacity(3, input.as_bytes());
        let (mut line, mut found) = (Vec::new(), Vec::new());
        while let Some(length) = read_line(&mut input, &mut line, limit).unwrap() {
            found.push((length, String::from_utf8(line.clone()).unwrap()));
        }
        found
    }

    #[test]
    fn lines_are_cut_at_the_limit_and_their_length_is_known() {
        let found = lines("ab\n\nabcdefgh\nlast", 4);
        let expected = [(2, "ab"), (0, ""), (8, "abcd"), (4, "last")];
        assert_eq!(found, expected.map(|(length, text)| (length, text.to_owned())));
        assert_eq!(lines("", 4), []);
    }

    #[test]
    fn a_line_that_was_cut_off_is_left_out() {
        let mut found = Vec::new();
        each_whole_line(&b"ab\n\nabcdefgh\nla"[..], 4, |line, end| {
            found.push((String::from_utf8(line.to_vec()).unwrap(), end));
            io::Result::Ok(())
        })
        .unwrap();
        assert_eq!(found, [("ab", 3), ("", 4), ("abcd", 13)].map(|(it, end)| (it.to_owned(), end)));
    }
}
