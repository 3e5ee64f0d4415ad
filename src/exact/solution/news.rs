//! The positions that one level decides, as bytes.
//!
//! The news of a slice are a number of rows, then the rows in ascending order: the difference to
//! the row before, and the lanes that are won and lost. Numbers are written in base 128, lowest
//! digits first.

use super::index::{Class, Index};

/// The news of a row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    /// The number of the row in its slice.
    pub number: u32,
    /// The lanes that the side to move wins.
    pub won: u16,
    /// The lanes that it loses.
    pub lost: u16,
}

const WON: u32 = 1;
const LOST: u32 = 2;

/// Appends the news of a slice whose rows have `lanes` lanes.
pub(super) fn write(rows: &[Row], lanes: usize, bytes: &mut Vec<u8>) {
    write_number(rows.len() as u32, bytes);
    let mut last = 0;
    for row in rows {
        let kind = |lanes: u16, kind: u32| if lanes == 0 { 0 } else { kind };
        let kinds = kind(row.won, WON) | kind(row.lost, LOST);
        write_number((row.number - last) << 2 | kinds, bytes);
        last = row.number;
        if lanes > 1 {
            let masks = [row.won, row.lost].into_iter().filter(|mask| *mask != 0);
            masks.for_each(|mask| bytes.extend(mask.to_le_bytes()));
        }
    }
}

/// Reads the news of a slice into `rows`, and returns the bytes that follow. `None` if they are not
/// news of this slice.
pub(super) fn read<'a>(
    index: &Index,
    class: &Class,
    mut bytes: &'a [u8],
    rows: &mut Vec<Row>,
) -> Option<&'a [u8]> {
    rows.clear();
    let lanes = index.layout().lanes();
    let all = ((1_u32 << lanes) - 1) as u16;
    let length = index.shape(class.set).rows.len() as u32;
    let mut number = 0_u32;
    for _ in 0..read_number(&mut bytes)? {
        let delta = read_number(&mut bytes)?;
        number = number.checked_add(delta >> 2).filter(|number| *number < length)?;
        let mut mask = |kind: u32| match delta & kind {
            0 => Some(0),
            _ if lanes == 1 => Some(1),
            _ => {
                let (mask, rest) = bytes.split_first_chunk()?;
                bytes = rest;
                Some(u16::from_le_bytes(*mask) & all)
            }
        };
        rows.push(Row { number, won: mask(WON)?, lost: mask(LOST)? });
    }
    Some(bytes)
}

fn write_number(mut number: u32, bytes: &mut Vec<u8>) {
    while number >= 128 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

fn read_number(bytes: &mut &[u8]) -> Option<u32> {
    let mut number = 0_u32;
    for digit in 0..5 {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u32::from(byte & 127) << (7 * digit);
        if byte < 128 {
            return Some(number);
        }
    }
    None
}

/// Reads bytes as the news of every slice, for the fuzz target.
#[cfg(any(test, feature = "fuzzing"))]
pub(crate) fn fuzz(layout: &crate::games::Layout, bytes: &[u8]) {
    let index = Index::new(layout);
    let (mut rows, mut written) = (Vec::new(), Vec::new());
    for class in &index.classes {
        if let Some(rest) = read(&index, class, bytes, &mut rows) {
            let length = index.shape(class.set).rows.len() as u32;
            assert!(rows.iter().all(|row| row.number < length));
            written.clear();
            write(&rows, layout.lanes(), &mut written);
            let mut again = Vec::new();
            assert_eq!(read(&index, class, &written, &mut again), Some(&[][..]));
            assert_eq!(again.len(), rows.len());
            assert!(rest.len() < bytes.len());
        }
    }
}
