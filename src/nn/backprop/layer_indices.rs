//! The structure of the network: which layer has which index.

use super::layer::{PlannedLayer, Reads};
use crate::nn::conv::{Geometry, InputKind, Kernel, NetworkParameters};

/// Indices of the layers in [`NetworkParameters::layers`].
#[derive(Debug)]
pub(super) struct LayerIndices {
    pub stem: usize,
    pub blocks: Vec<BlockIndices>,
    pub policy_hidden: usize,
    pub policy_out: usize,
    pub pass: Option<usize>,
    pub value_features: usize,
    pub value_hidden: usize,
    pub value_out: usize,
}

/// The indices of the layers of a block.
#[derive(Clone, Copy, Debug)]
pub(super) struct BlockIndices {
    /// The layer whose output the block reads: the stem, or the last layer of the previous block.
    pub input: usize,
    pub first: usize,
    pub pool: Option<usize>,
    pub second: usize,
}

impl LayerIndices {
    pub(super) fn new(parameters: &NetworkParameters) -> Self {
        let mut indices = 0..;
        let mut next = || indices.next().expect("there are always more numbers");
        let stem = next();
        let (mut blocks, mut input) = (Vec::new(), stem);
        for block in &parameters.blocks {
            let first = next();
            let pool = block.pool.as_ref().map(|_| next());
            let second = next();
            blocks.push(BlockIndices { input, first, pool, second });
            input = second;
        }
        let (policy_hidden, policy_out) = (next(), next());
        let pass = parameters.pass.as_ref().map(|_| next());
        let (value_features, value_hidden, value_out) = (next(), next(), next());
        Self {
            stem,
            blocks,
            policy_hidden,
            policy_out,
            pass,
            value_features,
            value_hidden,
            value_out,
        }
    }

    /// The index of the last layer of the trunk.
    pub(super) fn trunk(&self) -> usize {
        self.blocks.last().map_or(self.stem, |block| block.second)
    }

    /// Prepares all layers for training.
    pub(super) fn plan(
        &self,
        parameters: &NetworkParameters,
        kernel: &'static Kernel,
    ) -> Vec<PlannedLayer> {
        let pools = self.blocks.iter().filter_map(|block| block.pool);
        let pooled: Vec<usize> = pools.chain(self.pass).chain([self.value_hidden]).collect();
        let board = |kernel| Geometry::of(&parameters.board, kernel);
        let (around, cells, whole) = (board(3), board(1), Geometry::new(1, 1, 1));
        let layers = parameters.layers().into_iter().enumerate();
        let plan = layers.map(|(index, (layer, norm))| {
            let reads = match index {
                _ if pooled.contains(&index) => {
                    Reads { source: InputKind::Pooled, geometry: &whole }
                }
                _ if index == self.value_out => {
                    Reads { source: InputKind::Channels, geometry: &whole }
                }
                _ => Reads {
                    source: InputKind::Channels,
                    geometry: if layer.kernel == 1 { &cells } else { &around },
                },
            };
            PlannedLayer::new(layer, norm, reads, kernel)
        });
        plan.collect()
    }
}
