//! Trained players that are found by their names from everywhere: in the folders of
//! `TAVOLIERE_PLAYERS`, below the current folder, and within the program.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::base::spelling::nearest;
use crate::play::players::PlayerSpec;
use crate::runs::checkpoint::Run;
use crate::runs::exported::{BuiltIn, Exported, PlayerFiles};

/// Names folders of players, separated as in `PATH`.
const VARIABLE: &str = "TAVOLIERE_PLAYERS";

/// The folder of players below the current folder.
const BELOW: &str = "checkpoints/players";

/// The folders in which players are looked for by name, in this order; those within the program
/// come last.
struct Folders(Vec<PathBuf>);

impl Folders {
    fn of_environment() -> Self {
        let named = env::var_os(VARIABLE).unwrap_or_default();
        let named = env::split_paths(&named).filter(|folder| !folder.as_os_str().is_empty());
        Self(named.chain([BELOW.into()]).collect())
    }

    fn find(&self, name: &str) -> Option<PlayerFiles> {
        let mut folders = self.0.iter().map(|folder| folder.join(name));
        let found = folders.find(|folder| Exported::is_at(folder)).map(PlayerFiles::Folder);
        found.or_else(|| BuiltIn::find(name).map(PlayerFiles::BuiltIn))
    }

    /// The names of all players and their folders; `None` for those within the program.
    fn players(&self) -> BTreeMap<String, Option<PathBuf>> {
        let mut players: BTreeMap<_, _> =
            BuiltIn::all().map(|player| (player.name.to_owned(), None)).collect();
        // A player takes the place of those of its name in later folders.
        for folder in self.0.iter().rev() {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            for path in entries.map(|entry| entry.path()).filter(|path| Exported::is_at(path)) {
                if let Some(name) = path.file_name().and_then(|name| name.to_str()) {
                    players.insert(name.to_owned(), Some(path));
                }
            }
        }
        players
    }

    /// Where players are looked for, for messages.
    fn description(&self) -> String {
        let (below, named) = self.0.split_last().expect("the folder below the current one");
        let mut places: Vec<String> = named.iter().map(|folder| Self::described(folder)).collect();
        if named.is_empty() {
            places.push(format!("{VARIABLE}, which is not set"));
        }
        format!("{}, {} or the program", places.join(", "), below.display())
    }

    /// A folder of the environment variable.
    fn described(folder: &Path) -> String {
        let missing = if folder.is_dir() { "" } else { ", which does not exist" };
        format!("{} ({VARIABLE}{missing})", folder.display())
    }
}

/// Whether `place` is a name rather than the path of a folder.
fn is_name(place: &str) -> bool {
    !place.is_empty() && !place.starts_with('.') && !place.contains(['/', '\\'])
}

/// The player of this name.
pub(super) fn find(name: &str) -> Option<PlayerFiles> {
    is_name(name).then(|| Folders::of_environment().find(name)).flatten()
}

/// The specs of all players that are found by their names, sorted. A spec is the name, or the
/// folder if the name means something else in a spec.
pub fn all_named() -> Vec<String> {
    let spec = |(name, folder): (String, Option<PathBuf>)| {
        let is_spec = matches!(name.parse(), Ok(PlayerSpec::Search(found)) if found == name);
        match folder {
            Some(folder) if !is_spec || !is_name(&name) => folder.display().to_string(),
            _ => name,
        }
    };
    Folders::of_environment().players().into_iter().map(spec).collect()
}

/// What to say if neither a run nor a player is in `place`: where players were looked for, and what
/// may be meant.
pub(super) fn not_found(place: &str) -> String {
    let (folder, folders) = (Path::new(place), Folders::of_environment());
    let what = if is_name(place) {
        format!(", and no player of this name in {}", folders.description())
    } else {
        ": it has no run.json".to_owned()
    };
    let advice = advice(folder, &folders.players());
    let advice = advice.map(|advice| format!("; {advice}")).unwrap_or_default();
    format!("there is no run in {place}{what}{advice}")
}

/// What may be meant by a folder or a name that does not exist.
fn advice(folder: &Path, players: &BTreeMap<String, Option<PathBuf>>) -> Option<String> {
    let name = folder.file_name()?.to_str()?;
    if let Some((name, found)) = players.get_key_value(name) {
        let comes =
            if found.is_some() { "is found by its name" } else { "comes with this program" };
        return Some(format!("train it, or name the player `{name}` alone, which {comes}"));
    }
    if let Some(near) = run_near(folder, name) {
        return Some(format!("did you mean `{}`?", near.display()));
    }
    let near = nearest(name, players.keys().map(String::as_str));
    near.map(|near| format!("did you mean the player `{near}`?"))
}

/// The run or player beside `folder` whose name is most like `name`.
fn run_near(folder: &Path, name: &str) -> Option<PathBuf> {
    let parent = folder.parent()?;
    let listed = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let entries = fs::read_dir(listed).into_iter().flatten().flatten();
    let is_player = |path: &PathBuf| Exported::is_at(path) || Run::open(path).is_ok();
    let paths: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_player).collect();
    let names = paths.iter().filter_map(|path| path.file_name()?.to_str());
    nearest(name, names).map(|near| parent.join(near))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::common::folder::Folder;

    fn said(place: &str) -> String {
        let players = Folders(vec![]).players();
        advice(Path::new(place), &players).unwrap_or_default()
    }

    #[test]
    fn what_is_not_found_is_met_with_what_may_be_meant() {
        let shipped = "name the player `neutron5` alone, which comes with this program";
        for place in ["checkpoints/neutron5", "neutron5", "/no/such/folder/neutron5"] {
            assert!(said(place).contains(shipped), "{}", said(place));
        }
        assert_eq!(said("nowhere/neutorn5"), "did you mean the player `neutron5`?");
        assert_eq!(said("Susan"), "did you mean the player `susan`?");
        assert_eq!(said("breaktrough"), "did you mean the player `breakthrough6`?");
        assert_eq!(said("no/such/xyz"), "");
    }

    #[test]
    fn names_are_no_paths() {
        for name in ["susan", "my player", "a.b"] {
            assert!(is_name(name), "{name}");
        }
        for place in ["", ".", "..", "./susan", "susan/", "a/susan", "/susan", "a\\susan"] {
            assert!(!is_name(place), "{place}");
        }
    }

    #[test]
    fn the_first_folder_with_a_player_has_it() {
        let folder = Folder::new();
        let [first, second] = ["1", "2"].map(|name| folder.file(name));
        for player in [first.join("mine"), second.join("mine"), second.join("susan")] {
            fs::create_dir_all(&player).unwrap();
            fs::write(player.join("player.json"), "{}").unwrap();
        }
        let folders = Folders(vec![first.clone(), folder.file("none"), second.clone()]);
        let found = |name: &str| folders.find(name).map(|files| files.to_string());
        assert_eq!(found("mine"), Some(first.join("mine").display().to_string()));
        assert_eq!(found("susan"), Some(second.join("susan").display().to_string()));
        assert_eq!(found("entropy").as_deref(), Some("entropy"));
        assert_eq!(found("neutron9"), None);
        let players = folders.players();
        assert_eq!(players["mine"], Some(first.join("mine")));
        assert_eq!(players["susan"], Some(second.join("susan")));
        assert_eq!(players["entropy"], None);
        assert_eq!(players.len(), BuiltIn::all().count() + 1);
        let said = folders.description();
        assert!(said.contains("none (TAVOLIERE_PLAYERS, which does not exist), "), "{said}");
        assert!(said.ends_with("2 or the program"), "{said}");
    }
}
