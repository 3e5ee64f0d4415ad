//! The configs of the folder `configs/`, as part of the program.
//!
//! The first line of each says what it is, the second how long it takes: `# Time: 12 minutes on ...`.

use crate::base::spelling::nearest;

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

/// All presets, sorted by name.
pub(crate) const PRESETS: &[Preset] = presets![
    "breakthrough6",
    "breakthrough8",
    "checkers_gomoku",
    "checkers_gomoku-gpu",
    "coneutron5",
    "coneutron7",
    "connect_four",
    "connect_four-gpu",
    "entropy",
    "entropy-gpu",
    "neutron5",
    "neutron5_double",
    "neutron5_hole1",
    "neutron5_hole2",
    "neutron5_kraus",
    "neutron5_single",
    "neutron7",
    "neutron7-gpu",
    "neutron7_double",
    "neutron7_hole1",
    "neutron7_hole2",
    "neutron7_kraus",
    "neutron7_single",
    "susan",
    "susan-gpu",
    "tic_tac_toe",
];

impl Preset {
    /// The preset of this name.
    pub(crate) fn find(name: &str) -> Option<Self> {
        PRESETS.iter().find(|preset| preset.name == name).copied()
    }

    /// The name of a preset that was probably meant.
    pub(crate) fn nearest(name: &str) -> Option<&'static str> {
        nearest(name, PRESETS.iter().map(|preset| preset.name))
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
    let width = PRESETS.iter().map(|preset| preset.name.len()).max().unwrap_or_default();
    let line = |preset: &Preset| {
        let (name, time, title) = (preset.name, preset.time(), preset.title());
        format!("  {name:width$}  {time:16} {title}\n")
    };
    PRESETS.iter().map(line).collect()
}
