//! The program in a page: what JavaScript calls. [`page!`](crate::page!) exports these functions.
//!
//! Everything passes through two buffers. JavaScript asks for [`input`] of some length, writes
//! there, calls a function with the lengths of the parts, and reads what [`output`] and
//! [`output_length`] say. The module imports one function, `page.now`, milliseconds since some
//! moment.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::local::Local;
use crate::registry::{self, Listing};

/// Makes a crate the program of a site ([docs/site.md]) with these games:
///
/// ```
/// # fn games() -> Vec<tavoliere::Listing> { tavoliere::shipped() }
/// tavoliere::page!(games());
/// ```
///
/// It exports what a page calls, and nothing unless the crate is built as WebAssembly.
/// `scripts/web.sh --manifest Cargo.toml` does that.
///
/// [docs/site.md]: https://docs.rs/crate/tavoliere/latest/source/docs/site.md
#[macro_export]
macro_rules! page {
    ($games:expr) => {
        // The names are long as those within `$games` are looked up beside them.
        #[cfg(target_family = "wasm")]
        const _: () = {
            fn tavoliere_page_games() -> ::std::vec::Vec<$crate::Listing> {
                ::std::iter::Iterator::collect(::std::iter::IntoIterator::into_iter($games))
            }

            #[unsafe(export_name = "input")]
            extern "C" fn tavoliere_page_input(length: usize) -> *mut u8 {
                $crate::answers::page::input(length)
            }

            #[unsafe(export_name = "output")]
            extern "C" fn tavoliere_page_output() -> *const u8 {
                $crate::answers::page::output()
            }

            #[unsafe(export_name = "output_length")]
            extern "C" fn tavoliere_page_output_length() -> usize {
                $crate::answers::page::output_length()
            }

            #[unsafe(export_name = "file")]
            extern "C" fn tavoliere_page_file(name: usize) {
                $crate::answers::page::file(name)
            }

            #[unsafe(export_name = "player")]
            extern "C" fn tavoliere_page_player() -> u32 {
                $crate::answers::page::player(tavoliere_page_games)
            }

            #[unsafe(export_name = "plain")]
            extern "C" fn tavoliere_page_plain() -> u32 {
                $crate::answers::page::plain(tavoliere_page_games)
            }

            #[unsafe(export_name = "answer")]
            extern "C" fn tavoliere_page_answer(path: usize) -> u32 {
                $crate::answers::page::answer(tavoliere_page_games, path)
            }
        };
    };
}

/// The games of the program, which are asked for once.
pub type Games = fn() -> Vec<Listing>;

/// What lives from call to call.
struct PageState {
    local: Option<Local>,
    /// The files of the player that comes next.
    files: BTreeMap<String, Vec<u8>>,
    input: Vec<u8>,
    output: Vec<u8>,
}

static STATE: Mutex<PageState> = Mutex::new(PageState::new());

fn state() -> MutexGuard<'static, PageState> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

impl PageState {
    const fn new() -> Self {
        Self { local: None, files: BTreeMap::new(), input: Vec::new(), output: Vec::new() }
    }

    /// The first `length` bytes of the input as text, and the rest.
    fn parts(&self, length: usize) -> (String, Vec<u8>) {
        let (text, rest) = self.input.split_at(length.min(self.input.len()));
        (String::from_utf8_lossy(text).into_owned(), rest.to_vec())
    }

    /// What answers. The first call makes these the games of the program.
    fn local(&mut self, games: Games) -> anyhow::Result<&mut Local> {
        if self.local.is_none() {
            registry::register(games())?;
        }
        Ok(self.local.get_or_insert_default())
    }

    fn file(&mut self, name: usize) {
        let (name, contents) = self.parts(name);
        self.files.insert(name, contents);
    }

    fn player(&mut self, games: Games) -> anyhow::Result<()> {
        let ((name, _), files) = (self.parts(usize::MAX), std::mem::take(&mut self.files));
        self.local(games)?.add_exported(&name, files)
    }

    fn plain(&mut self, games: Games) -> anyhow::Result<()> {
        let (name, _) = self.parts(usize::MAX);
        self.local(games)?.add_plain(&name)
    }

    fn answer(&mut self, games: Games, path: usize) -> u32 {
        let (path, body) = self.parts(path);
        let answer = match self.local(games) {
            Ok(local) => local.answer(&path, &body),
            Err(error) => return self.finish(Err(error)),
        };
        self.output = answer.text.into_bytes();
        answer.status.into()
    }

    /// Keeps an error as output. Returns the status.
    fn finish(&mut self, done: anyhow::Result<()>) -> u32 {
        match done {
            Ok(()) => 200,
            Err(error) => {
                self.output = format!("{error:#}").into_bytes();
                400
            }
        }
    }
}

/// Makes room for `length` bytes of input, and returns their place.
pub fn input(length: usize) -> *mut u8 {
    let mut state = state();
    state.input.clear();
    state.input.resize(length, 0);
    state.input.as_mut_ptr()
}

/// The place of the output.
pub fn output() -> *const u8 {
    state().output.as_ptr()
}

/// The bytes of the output.
pub fn output_length() -> usize {
    state().output.len()
}

/// Takes a file of the player that comes next: its name of `name` bytes, then its contents.
pub fn file(name: usize) {
    state().file(name);
}

/// Offers the player of the files so far, whose name is the input. Returns 200, or 400 with the
/// reason as output.
pub fn player(games: Games) -> u32 {
    let mut state = state();
    let done = state.player(games);
    state.finish(done)
}

/// Offers a player without a network, whose player spec is the input. Returns as [`player`].
pub fn plain(games: Games) -> u32 {
    let mut state = state();
    let done = state.plain(games);
    state.finish(done)
}

/// Answers a request: the input is a path of `path` bytes, then the body. Returns the status, with
/// the answer as output.
pub fn answer(games: Games, path: usize) -> u32 {
    state().answer(games, path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn none() -> Vec<Listing> {
        Vec::new()
    }

    /// A state whose games are those of the tests.
    fn ready() -> PageState {
        PageState { local: Some(Local::default()), ..PageState::new() }
    }

    fn said(state: &PageState) -> String {
        String::from_utf8(state.output.clone()).unwrap()
    }

    #[test]
    fn a_request_is_a_path_and_a_body() {
        let mut state = ready();
        state.input = b"/api/position{\"game\": \"tic_tac_toe\", \"moves\": [\"b2\"]}".to_vec();
        assert_eq!(state.answer(none, "/api/position".len()), 200);
        assert!(said(&state).contains(r#""to_move":"o""#), "{}", said(&state));
        state.input = b"/nowhere".to_vec();
        assert_eq!(state.answer(none, 1000), 404, "a length beyond the input takes all of it");
    }

    #[test]
    fn what_a_player_lacks_is_the_output() {
        let mut state = ready();
        state.input = b"player.json{}".to_vec();
        state.file("player.json".len());
        assert_eq!(state.files["player.json"], b"{}");
        state.input = b"mine".to_vec();
        let done = state.player(none);
        assert_eq!(state.finish(done), 400);
        assert!(said(&state).contains("`mine`"), "{}", said(&state));
        assert!(state.files.is_empty(), "the next player has other files");
    }

    #[test]
    fn a_page_without_games_says_so() {
        let mut state = PageState::new();
        assert_eq!(state.answer(none, 0), 400);
        assert!(said(&state).contains("there are no games"), "{}", said(&state));
    }
}
