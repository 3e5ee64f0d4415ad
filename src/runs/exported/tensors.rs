//! The weights of a network as a safetensors file.

use anyhow::{Context, Result, bail, ensure};
use half::f16;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors, serialize};

use super::Precision;
use super::stored::{Stored, numbers_of, scaled};
use crate::nn::Board;
use crate::nn::conv::{FoldedWeights, Layer, ResidualBlock, VALUES};
use crate::nn::settings::NetworkSettings;

/// A layer of a network.
pub(super) struct Named<'a> {
    /// Its name in the file.
    pub name: String,
    /// The layer.
    pub layer: &'a Layer,
    /// Whether it is applied to each cell, and not to the mean and the largest value of channels.
    pub is_of_cells: bool,
}

/// Returns a safetensors file: for each layer `NAME.weight`, `[outputs, inputs, kernel, kernel]`,
/// and `NAME.bias`, `[outputs]`. Fully connected layers have a kernel of 1. Weights that are
/// bytes stand for themselves times `NAME.scale`, `[outputs]`.
///
/// # Errors
///
/// If the safetensors library fails.
pub(super) fn write(weights: &FoldedWeights, precision: Precision) -> Result<Vec<u8>> {
    let mut parts = Vec::new();
    for Named { name, layer, is_of_cells } in named(weights) {
        let Layer { inputs, outputs, kernel, .. } = *layer;
        let weights = if is_of_cells {
            Stored::weights_of_cells(layer, precision)
        } else {
            Stored::numbers(&layer.weights, precision)
        };
        let bias = Stored::numbers(&layer.bias, precision);
        parts.push((name.clone(), "weight", vec![outputs, inputs, kernel, kernel], weights));
        parts.push((name, "bias", vec![outputs], bias));
    }
    let mut views = Vec::new();
    for (name, part, sizes, stored) in &parts {
        let (dtype, bytes) = match stored {
            Stored::Full(bytes) => (Dtype::F32, bytes),
            Stored::Half(bytes) => (Dtype::F16, bytes),
            Stored::Bytes { integers, scales } => {
                let scales = TensorView::new(Dtype::F32, vec![sizes[0]], scales)?;
                views.push((format!("{name}.scale"), scales));
                (Dtype::I8, integers)
            }
        };
        views.push((format!("{name}.{part}"), TensorView::new(dtype, sizes.clone(), bytes)?));
    }
    let facts = [("format".to_owned(), "tavoliere".to_owned())];
    Ok(serialize(views, Some(facts.into_iter().collect()))?)
}

/// Reads the weights of a network with these settings.
///
/// # Errors
///
/// If the file is damaged, a tensor has another shape or type, or a number is not finite.
pub(super) fn read(
    bytes: &[u8],
    network: &NetworkSettings,
    board: &Board,
) -> Result<FoldedWeights> {
    let spec = board.spec();
    let file = SafeTensors::deserialize(bytes).context("it is not a safetensors file")?;
    let layer = |name: &str, inputs: usize, outputs: usize, kernel: usize| -> Result<Layer> {
        let part = |part: &str, sizes: &[usize]| numbers(&file, name, part, sizes);
        let weights = part("weight", &[outputs, inputs, kernel, kernel])?;
        Ok(Layer { inputs, outputs, kernel, weights, bias: part("bias", &[outputs])? })
    };
    let (channels, hidden) = (network.channels, network.value_hidden);
    let block = |index: usize| -> Result<ResidualBlock> {
        let name = |part: &str| format!("blocks.{index}.{part}");
        let pool =
            network.is_pooled(index).then(|| layer(&name("pool"), 2 * channels, channels, 1));
        Ok(ResidualBlock {
            first: layer(&name("first"), channels, channels, 3)?,
            pool: pool.transpose()?,
            second: layer(&name("second"), channels, channels, 3)?,
        })
    };
    let pass = spec.pass.then(|| layer("pass", 2 * channels, 1, 1));
    Ok(FoldedWeights {
        board: board.clone(),
        stem: layer("stem", spec.planes, channels, 3)?,
        blocks: (0..network.blocks).map(block).collect::<Result<_>>()?,
        policy_hidden: layer("policy_hidden", channels, channels, 1)?,
        policy_out: layer("policy_out", channels, spec.displacements.len(), 1)?,
        pass: pass.transpose()?,
        value_features: layer("value_features", channels, channels, 1)?,
        value_hidden: layer("value_hidden", 2 * channels, hidden, 1)?,
        value_out: layer("value_out", hidden, VALUES, 1)?,
    })
}

/// Returns a safetensors file in full precision.
///
/// # Errors
///
/// If the safetensors library fails.
#[cfg(feature = "cluster")]
pub(crate) fn to_bytes(weights: &FoldedWeights) -> Result<Vec<u8>> {
    write(weights, Precision::Full)
}

/// Reads what [`to_bytes`] wrote.
///
/// # Errors
///
/// As [`read`].
#[cfg(feature = "cluster")]
pub(crate) fn from_bytes(
    bytes: &[u8],
    network: &NetworkSettings,
    board: &Board,
) -> Result<FoldedWeights> {
    read(bytes, network, board)
}

/// Returns all layers.
pub(super) fn named(weights: &FoldedWeights) -> Vec<Named<'_>> {
    let mut layers = Vec::new();
    let mut add = |name: &str, layer, is_of_cells| {
        layers.push(Named { name: name.to_owned(), layer, is_of_cells });
    };
    add("stem", &weights.stem, true);
    for (index, block) in weights.blocks.iter().enumerate() {
        let name = |part: &str| format!("blocks.{index}.{part}");
        add(&name("first"), &block.first, true);
        if let Some(pool) = &block.pool {
            add(&name("pool"), pool, false);
        }
        add(&name("second"), &block.second, true);
    }
    add("policy_hidden", &weights.policy_hidden, true);
    add("policy_out", &weights.policy_out, true);
    if let Some(pass) = &weights.pass {
        add("pass", pass, false);
    }
    add("value_features", &weights.value_features, true);
    add("value_hidden", &weights.value_hidden, false);
    add("value_out", &weights.value_out, false);
    layers
}

/// Returns the numbers of a part of a layer, which must have the shape `sizes`.
fn numbers(file: &SafeTensors<'_>, layer: &str, part: &str, sizes: &[usize]) -> Result<Vec<f32>> {
    let name = format!("{layer}.{part}");
    let read = || -> Result<Vec<f32>> {
        let tensor = file.tensor(&name)?;
        ensure!(tensor.shape() == sizes, "its shape is {:?}, expected {sizes:?}", tensor.shape());
        let numbers = match tensor.dtype() {
            Dtype::F32 => numbers_of(tensor.data()),
            Dtype::F16 => {
                let halves = tensor.data().as_chunks().0.iter();
                halves.map(|&it| f16::from_le_bytes(it).to_f32()).collect()
            }
            Dtype::I8 if part == "weight" => {
                scaled(tensor.data(), &numbers(file, layer, "scale", &sizes[..1])?)
            }
            other => bail!("its type is {other:?}, expected F32 or F16, or I8 for weights"),
        };
        ensure!(
            numbers.iter().all(|number| number.is_finite()),
            "it contains a number that is not finite"
        );
        Ok(numbers)
    };
    read().with_context(|| format!("tensor {name}"))
}
