//! The program in a page: what JavaScript calls.
//!
//! Everything passes through two buffers. JavaScript asks for [`input`] of some length, writes
//! there, calls a function with the lengths of the parts, and reads what [`output`] and
//! [`output_length`] say. The module imports one function, `page.now`, milliseconds since some
//! moment.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use tavoliere::answers::local::Local;

/// What lives from call to call.
struct State {
    local: Option<Local>,
    /// The files of the player that comes next.
    files: BTreeMap<String, Vec<u8>>,
    input: Vec<u8>,
    output: Vec<u8>,
}

static STATE: Mutex<State> = Mutex::new(State {
    local: None,
    files: BTreeMap::new(),
    input: Vec::new(),
    output: Vec::new(),
});

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl State {
    /// The first `length` bytes of the input as text, and the rest.
    fn parts(&self, length: usize) -> (String, Vec<u8>) {
        let (text, rest) = self.input.split_at(length.min(self.input.len()));
        (String::from_utf8_lossy(text).into_owned(), rest.to_vec())
    }

    fn local(&mut self) -> &mut Local {
        self.local.get_or_insert_default()
    }

    /// Keeps an error as output. Returns the status.
    fn finish(&mut self, done: Result<(), String>) -> u32 {
        match done {
            Ok(()) => 200,
            Err(reason) => {
                self.output = reason.into_bytes();
                400
            }
        }
    }
}

/// Makes room for `length` bytes of input, and returns their place.
#[unsafe(no_mangle)]
pub extern "C" fn input(length: usize) -> *mut u8 {
    let mut state = state();
    state.input.clear();
    state.input.resize(length, 0);
    state.input.as_mut_ptr()
}

/// The place of the output.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    state().output.as_ptr()
}

/// The bytes of the output.
#[unsafe(no_mangle)]
pub extern "C" fn output_length() -> usize {
    state().output.len()
}

/// Takes a file of the player that comes next: its name of `name` bytes, then its contents.
#[unsafe(no_mangle)]
pub extern "C" fn file(name: usize) {
    let mut state = state();
    let (name, contents) = state.parts(name);
    state.files.insert(name, contents);
}

/// Offers the player of the files so far, whose name is the input. Returns 200, or 400 with the
/// reason as output.
#[unsafe(no_mangle)]
pub extern "C" fn player() -> u32 {
    let mut state = state();
    let length = state.input.len();
    let ((name, _), files) = (state.parts(length), std::mem::take(&mut state.files));
    let done = state.local().add_exported(&name, files);
    state.finish(done.map_err(|error| format!("{error:#}")))
}

/// Offers a player without a network, whose player spec is the input. Returns as [`player`].
#[unsafe(no_mangle)]
pub extern "C" fn plain() -> u32 {
    let mut state = state();
    let length = state.input.len();
    let (name, _) = state.parts(length);
    let done = state.local().add_plain(&name);
    state.finish(done.map_err(|error| format!("{error:#}")))
}

/// Answers a request: the input is a path of `path` bytes, then the body. Returns the status, with
/// the answer as output.
#[unsafe(no_mangle)]
pub extern "C" fn answer(path: usize) -> u32 {
    let mut state = state();
    let (path, body) = state.parts(path);
    let answer = state.local().answer(&path, &body);
    state.output = answer.text.into_bytes();
    answer.status.into()
}
