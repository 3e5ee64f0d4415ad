//! The configs of the folder `configs/`, as part of the program, and those that other games bring.
//!
//! The first line of each says what it is, the second how long it takes: `# Time: 12 minutes on
//! ...`.

use crate::base::spelling::nearest;
use crate::registry;

/// A config that is part of the program.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Preset {
    /// The name of the file, without `.toml`.
    pub name: &'static str,
    /// The text of the file.
    pub text: &'static str,
}

/// Lists the files of `configs/`.
macro_rules! presets {
    ($($name:literal),* $(,)?) => {
        &[$(Preset {
            name: $name,
            text: include_str!(concat!("../../../configs/", $name, ".toml")),
        }),*]
    };
}

/// The presets of the games that ship, sorted by name.
const SHIPPED: &[Preset] = presets![
    "breakthrough6",
    "breakthrough8",
    "checkers_gomoku",
    "checkers_gomoku-gpu",
    "coneutron5",
    "coneutron5_abstractplay",
    "coneutron7",
    "connect_four",
    "connect_four-gpu",
    "entropy",
    "entropy-gpu",
    "neutron5",
    "neutron5_abstractplay",
    "neutron5_double",
    "neutron5_hole1",
    "neutron5_hole2",
    "neutron5_kraus",
    "neutron5_single",
    "neutron5x7_abstractplay",
    "neutron7",
    "neutron7-gpu",
    "neutron7_abstractplay",
    "neutron7_double",
    "neutron7_hole1",
    "neutron7_hole2",
    "neutron7_kraus",
    "neutron7_single",
    "neutron7x5_abstractplay",
    "susan",
    "susan-gpu",
    "tic_tac_toe",
];

/// All presets: those of the games that ship and are in the table, then those that other games
/// bring.
pub(crate) fn presets() -> impl Iterator<Item = Preset> {
    let is_there = |preset: &Preset| {
        // One for another device is called after its game, too.
        let game = preset.name.split('-').next();
        registry::all().iter().any(|listing| Some(listing.name) == game && listing.preset.is_none())
    };
    let own = registry::all().iter().filter_map(|game| {
        let text = game.preset?;
        Some(Preset { name: game.name, text })
    });
    SHIPPED.iter().copied().filter(is_there).chain(own)
}

impl Preset {
    /// Where it is, for errors.
    pub(crate) fn place(&self) -> String {
        let ships = SHIPPED.iter().any(|shipped| std::ptr::eq(shipped.text, self.text));
        if ships {
            format!("configs/{}.toml", self.name)
        } else {
            format!("the preset {}", self.name)
        }
    }

    /// The preset of this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        presets().find(|preset| preset.name == name)
    }

    /// The name of a preset that was probably meant.
    pub(crate) fn nearest(name: &str) -> Option<&'static str> {
        nearest(name, presets().map(|preset| preset.name))
    }

    /// What is trained: the first line of the text.
    pub(crate) fn title(&self) -> &'static str {
        let line = self.text.lines().next().unwrap_or_default();
        line.trim_start_matches("# ").trim_end_matches('.')
    }

    /// How long it takes, as the second line of the text says, without the machine.
    pub(crate) fn time(&self) -> &'static str {
        let line = self.text.lines().nth(1).and_then(|line| line.strip_prefix("# Time: "));
        let time = line.unwrap_or_default().split([';', '.', ':']).next().unwrap_or_default();
        time.split(" on ").next().unwrap_or_default()
    }
}

/// A line for each preset: its name, its time and what is trained.
pub(crate) fn list() -> String {
    let width = presets().map(|preset| preset.name.len()).max().unwrap_or_default();
    let line = |preset: Preset| {
        let (name, time, title) = (preset.name, preset.time(), preset.title());
        let time = time.replace(" minutes", " min");
        format!("  {name:width$}  {time:13} {title}\n")
    };
    presets().map(line).collect()
}
