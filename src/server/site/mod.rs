//! The page as static files, with the program as WebAssembly: for hosts that run nothing.
//!
//! The files are those of the page, but for `api.js`, which asks a worker instead of a server, through
//! `program.js`; the npm package (`npm/`) has these two as well.
//! Players and the program are compressed, whatever the host does.

use std::collections::BTreeSet;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

use super::assets;
use crate::answers::listing::listings;
use crate::base::durable::{checksum, write_whole};
use crate::base::foreign;
use crate::base::staged::Staged;
use crate::play::players::PlayerSpec;
use crate::registry;
use crate::runs::exported::{Exported, PlayerFiles};
use crate::runs::players::LoadedPlayer;
use crate::runs::trained::{Location, Trained};

/// The program as WebAssembly, made by `scripts/web.sh --write`.
const PROGRAM: &[u8] = include_bytes!("tavoliere.wasm.gz");

/// The most bytes of another one.
const MOST_PROGRAM: u64 = 64 << 20;

/// What a site has in its folder; whatever else is there stays when it is replaced.
const OWN: [&str; 3] = ["index.html", "offline.js", "assets"];

/// Players without a network that every site offers.
const PLAIN: [&str; 3] = ["uct", "alphabeta", "random"];

/// The names and contents of files, names with `/` between folders.
type Files = Vec<(String, Vec<u8>)>;

/// What was written.
pub(crate) struct Written {
    /// Number of files.
    pub files: usize,
    /// Their bytes.
    pub bytes: usize,
    /// Bytes that a browser loads to play against the first player.
    pub first: usize,
}

/// What a site is to have.
pub(crate) struct Contents {
    /// Exported players, by name or folder.
    pub players: Vec<String>,
    /// Games to show, beside those of the players; `None` for all.
    pub games: Option<Vec<String>>,
    /// The name of the site.
    pub title: Option<String>,
    /// A line at the end of the page.
    pub about: Option<String>,
    /// A program in place of that which is part of this one.
    pub program: Option<PathBuf>,
}

/// Writes a site.
///
/// # Errors
///
/// If a player is not an exported one, a game is not known, or the folder has files that a site does
/// not have.
pub(crate) fn write(folder: &Path, contents: &Contents) -> Result<Written> {
    ensure_free(folder)?;
    let failed = || format!("cannot write {}", folder.display());
    // Whatever ends this process, the folder has the site before or the new one.
    let staged = Staged::begin(folder).with_context(failed)?;
    let files = files(contents)?;
    for (name, contents) in &files.all {
        let path = staged.path().join(name);
        let parent = path.parent().context("a file is in a folder")?;
        fs::create_dir_all(parent).with_context(|| format!("cannot make {}", parent.display()))?;
        write_whole(&path, contents).with_context(|| format!("cannot write {}", path.display()))?;
    }
    staged.keep_others(&OWN).and_then(|()| staged.commit()).with_context(failed)?;
    Ok(Written { files: files.all.len(), bytes: size(&files.all), first: files.first })
}

/// All files of a site, and the bytes that a browser loads to play against the first player.
struct AllFiles {
    all: Files,
    first: usize,
}

fn files(contents: &Contents) -> Result<AllFiles> {
    let (mut listed, packed_players) = offered(&contents.players)?;
    let shown = shown_games(contents, &listed)?;
    if let Some(shown) = &shown {
        // Players without a network play any game.
        let is_shown = |game: &Value| game.is_null() || shown.iter().any(|it| *game == **it);
        listed.retain(|listing| is_shown(&listing["game"]));
    }
    let mut files = page(contents, shown.as_deref());
    let program = match &contents.program {
        Some(path) => {
            let failed = || format!("cannot read {}", path.display());
            let program = foreign::read(path, MOST_PROGRAM).with_context(failed)?;
            ensure!(
                program.starts_with(b"\0asm"),
                "{} is no WebAssembly module; `scripts/web.sh` makes one",
                path.display()
            );
            packed(&program)?
        }
        None => PROGRAM.to_vec(),
    };
    files.push(("assets/tavoliere.wasm.gz".to_owned(), program));
    files.push(("assets/players.json".to_owned(), serde_json::to_vec(&listed)?));
    let first = size(&files) + packed_players.first().map_or(0, |(_, contents)| contents.len());
    files.extend(packed_players);
    let offline = offline(&files)?;
    files.push(("offline.js".to_owned(), offline.into_bytes()));
    Ok(AllFiles { all: files, first })
}

/// The games that a site shows: those of its players and those that are named; `None` for all.
fn shown_games(contents: &Contents, listed: &[Value]) -> Result<Option<Vec<String>>> {
    let Some(named) = &contents.games else { return Ok(None) };
    for name in named {
        registry::preset(name)?;
    }
    let of_players = listed.iter().filter(|listing| listing.get("file").is_some());
    let of_players = of_players.filter_map(|listing| listing["game"].as_str().map(str::to_owned));
    let mut games: Vec<String> = Vec::new();
    for game in of_players.chain(named.iter().cloned()) {
        if !games.contains(&game) {
            games.push(game);
        }
    }
    Ok(Some(games))
}

/// The page of a site: with its name, a line at its end and the games that it shows.
fn index(text: &str, contents: &Contents, shown: Option<&[String]>) -> String {
    let games =
        shown.map_or_else(String::new, |games| format!("data-games=\"{}\" ", games.join(" ")));
    let mut text = text.replace("<html ", &format!("<html data-local {games}"));
    // What the site's own `api.js` imports.
    let preload = |name| format!("<link rel=\"modulepreload\" href=\"assets/{name}.js\">");
    let both = format!("{}\n{}", preload("api"), preload("program"));
    text = text.replace(&preload("api"), &both);
    if let Some(title) = &contents.title {
        let title = escaped(title);
        text = text.replace("<title>Tavoliere</title>", &format!("<title>{title}</title>"));
        text = text.replace("> Tavoliere</a>", &format!("> {title}</a>"));
    }
    if let Some(about) = &contents.about {
        let footer = format!("<footer class=\"about\">{}</footer>\n</body>", escaped(about));
        text = text.replace("</body>", &footer);
    }
    text
}

/// A text as HTML.
fn escaped(text: &str) -> String {
    let signs = [('&', "&amp;"), ('<', "&lt;"), ('>', "&gt;"), ('"', "&quot;")];
    signs.into_iter().fold(text.to_owned(), |text, (sign, name)| text.replace(sign, name))
}

/// The bytes of files.
fn size(files: &Files) -> usize {
    files.iter().map(|(_, contents)| contents.len()).sum()
}

/// Checks that the folder is empty, not there, or has a site.
fn ensure_free(folder: &Path) -> Result<()> {
    let Ok(mut entries) = fs::read_dir(folder) else { return Ok(()) };
    let is_site = folder.join("offline.js").is_file() && folder.join("index.html").is_file();
    ensure!(
        is_site || entries.next().is_none(),
        "{} is not empty and has no site; name a new folder",
        folder.display()
    );
    Ok(())
}

/// The files of the page, which need not lie at the root of a host.
fn page(contents: &Contents, shown: Option<&[String]>) -> Files {
    let own = |name: &str| match name {
        "api.js" => Some(include_str!("api.js")),
        _ => None,
    };
    let mut files = Files::new();
    for (name, bytes) in assets::FILES {
        if *name == "index.html" {
            let text = index(&String::from_utf8_lossy(bytes), contents, shown);
            files.push(((*name).to_owned(), text.into_bytes()));
        } else {
            let bytes = own(name).map_or(*bytes, str::as_bytes);
            files.push((format!("assets/{name}"), bytes.to_vec()));
        }
    }
    files.push(("assets/program.js".to_owned(), include_bytes!("program.js").to_vec()));
    files.push(("assets/worker.js".to_owned(), include_bytes!("worker.js").to_vec()));
    files
}

/// The list of all players, and the files of those with a network.
fn offered(players: &[String]) -> Result<(Vec<Value>, Files)> {
    let (mut listed, mut files, mut names) = (Vec::new(), Files::new(), BTreeSet::new());
    for place in players {
        let exported = match Location::find(place)? {
            Location::Exported(exported) => exported,
            Location::Checkpoint(_) => bail!(
                "{place} is a run; a site has exported players: `tavoliere export {place} --output DIR`, \
                 then name DIR"
            ),
        };
        let name = place.rsplit('/').find(|part| !part.is_empty()).unwrap_or(place);
        ensure!(names.insert(name), "{name} occurs twice");
        let file = format!("players/{}.gz", file_name(name, names.len()));
        let player = LoadedPlayer::of_trained(Trained::of_files(&exported)?);
        for listing in listings(name, &player)? {
            let mut listing = json!(listing);
            listing["file"] = json!(file);
            listed.push(listing);
        }
        files.push((format!("assets/{file}"), packed(&bundle(&exported)?)?));
    }
    for name in PLAIN {
        let player = LoadedPlayer::load(name.parse::<PlayerSpec>()?)?;
        listed.extend(listings(name, &player)?.iter().map(|listing| json!(listing)));
    }
    Ok((listed, files))
}

/// The name of a player's file, the player's own if it means nothing else in an address.
fn file_name(name: &str, number: usize) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if name.chars().all(is_plain) { name.to_owned() } else { format!("+{number}") }
}

/// The files of a player in one: a line that lists their names and lengths, then all of them.
fn bundle(player: &PlayerFiles) -> Result<Vec<u8>> {
    let files = Exported::of(player)?.files_to_play()?;
    let lengths: Vec<_> = files.iter().map(|(name, contents)| (name, contents.len())).collect();
    let mut bytes = serde_json::to_vec(&lengths)?;
    bytes.push(b'\n');
    files.iter().for_each(|(_, contents)| bytes.extend_from_slice(contents));
    Ok(bytes)
}

fn packed(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// The service worker, which knows all files and a version that changes with any of them.
fn offline(files: &Files) -> Result<String> {
    let version = files.iter().fold(0, |sum, (name, contents)| {
        checksum(format!("{sum} {name} {}", checksum(contents)).as_bytes())
    });
    let mut names: Vec<&str> = vec!["./"];
    names.extend(files.iter().map(|(name, _)| name.as_str()));
    let text = include_str!("offline.js");
    let text = text.replace("tavoliere-VERSION", &format!("tavoliere-{version:08x}"));
    Ok(text.replace(
        "const FILES = [];",
        &format!("const FILES = {};", serde_json::to_string(&names)?),
    ))
}
