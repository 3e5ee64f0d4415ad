//! The settings of a search as a flat table, as files have them.

use serde::{Deserialize, Serialize};

use super::settings::{
    GumbelSettings, InteriorRule, NoiseSettings, ProofSettings, PuctSettings, RootRule, Settings,
};

/// The `[search]` table of a config, and of the card of an exported player. What a config cannot
/// change is not in it: published constants, the Gumbel noise, which belongs to the algorithm, and
/// the width of lower bounds.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SettingsTable {
    root: RootRule,
    interior: InteriorRule,
    considered: u32,
    c_scale: f32,
    policy_temperature: f32,
    c_puct: f32,
    first_play_reduction: f32,
    noise_fraction: f32,
    noise_concentration: f32,
    forced_playouts: f32,
    draw_value: f32,
    proofs: bool,
    lookahead: bool,
    proof_nodes: u32,
    reuse: bool,
    cache_mib: u32,
}

impl Default for SettingsTable {
    fn default() -> Self {
        Settings::default().into()
    }
}

impl From<Settings> for SettingsTable {
    fn from(settings: Settings) -> Self {
        let Settings { gumbel, puct, noise, proofs, .. } = settings;
        Self {
            root: settings.root,
            interior: settings.interior,
            considered: gumbel.considered,
            c_scale: gumbel.c_scale,
            policy_temperature: settings.policy_temperature,
            c_puct: puct.c,
            first_play_reduction: puct.first_play_reduction,
            noise_fraction: noise.fraction,
            noise_concentration: noise.concentration,
            forced_playouts: noise.forced_playouts,
            draw_value: settings.draw_value,
            proofs: proofs.enabled,
            lookahead: proofs.lookahead,
            proof_nodes: proofs.nodes,
            reuse: settings.reuse,
            cache_mib: settings.cache_mib,
        }
    }
}

impl From<SettingsTable> for Settings {
    fn from(table: SettingsTable) -> Self {
        let Self { gumbel, puct, .. } = Self::default();
        Self {
            root: table.root,
            interior: table.interior,
            gumbel: GumbelSettings {
                considered: table.considered,
                c_scale: table.c_scale,
                ..gumbel
            },
            puct: PuctSettings {
                c: table.c_puct,
                first_play_reduction: table.first_play_reduction,
                ..puct
            },
            noise: NoiseSettings {
                fraction: table.noise_fraction,
                concentration: table.noise_concentration,
                forced_playouts: table.forced_playouts,
            },
            proofs: ProofSettings {
                enabled: table.proofs,
                lookahead: table.lookahead,
                nodes: table.proof_nodes,
            },
            policy_temperature: table.policy_temperature,
            draw_value: table.draw_value,
            reuse: table.reuse,
            cache_mib: table.cache_mib,
        }
    }
}

/// For fields that files have as a table: `#[serde(with = "search::table")]`.
pub(crate) mod table {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::{Settings, SettingsTable};

    pub(crate) fn serialize<S: Serializer>(
        settings: &Settings,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        SettingsTable::from(*settings).serialize(serializer)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Settings, D::Error> {
        SettingsTable::deserialize(deserializer).map(Settings::from)
    }
}
