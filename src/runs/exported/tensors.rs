//! The weights of a network as a safetensors file.

use anyhow::{Context, Result, ensure};
use half::f16;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors, serialize};

use super::Precision;
use crate::games::Spec;
use crate::nn::conv::{Block, Layer, VALUES, Weights};
use crate::nn::settings::NetworkSettings;

/// Returns a safetensors file: for each layer `NAME.weight`, `[outputs, inputs, kernel, kernel]`,
/// and `NAME.bias`, `[outputs]`. Fully connected layers have a kernel of 1.
///
/// # Errors
///
/// If the safetensors library fails.
pub(super) fn write(weights: &Weights, precision: Precision) -> Result<Vec<u8>> {
    let dtype = if precision == Precision::Half { Dtype::F16 } else { Dtype::F32 };
    let mut parts = Vec::new();
    for (name, layer) in named(weights) {
        let Layer { inputs, outputs, kernel, ref weights, ref bias } = *layer;
        let sizes = vec![outputs, inputs, kernel, kernel];
        parts.push((format!("{name}.weight"), sizes, precision.bytes(weights)));
        parts.push((format!("{name}.bias"), vec![outputs], precision.bytes(bias)));
    }
    let mut views = Vec::new();
    for (name, sizes, bytes) in &parts {
        views.push((name, TensorView::new(dtype, sizes.clone(), bytes)?));
    }
    let facts = [("format".to_owned(), "tavoliere".to_owned())];
    Ok(serialize(views, Some(facts.into_iter().collect()))?)
}

/// Reads the weights of a network with these settings.
///
/// # Errors
///
/// If the file is damaged, a tensor has another shape or type, or a number is not finite.
pub(super) fn read(bytes: &[u8], network: &NetworkSettings, spec: &Spec) -> Result<Weights> {
    let file = SafeTensors::deserialize(bytes).context("it is not a safetensors file")?;
    let layer = |name: &str, inputs: usize, outputs: usize, kernel: usize| -> Result<Layer> {
        let numbers = |part: &str, sizes: &[usize]| {
            let name = format!("{name}.{part}");
            numbers(&file, &name, sizes).with_context(|| format!("tensor {name}"))
        };
        let weights = numbers("weight", &[outputs, inputs, kernel, kernel])?;
        Ok(Layer { inputs, outputs, kernel, weights, bias: numbers("bias", &[outputs])? })
    };
    let (channels, hidden) = (network.channels, network.value_hidden);
    let block = |index: usize| -> Result<Block> {
        let name = |part: &str| format!("blocks.{index}.{part}");
        let pool =
            network.is_pooled(index).then(|| layer(&name("pool"), 2 * channels, channels, 1));
        Ok(Block {
            first: layer(&name("first"), channels, channels, 3)?,
            pool: pool.transpose()?,
            second: layer(&name("second"), channels, channels, 3)?,
        })
    };
    let pass = spec.pass.then(|| layer("pass", 2 * channels, 1, 1));
    Ok(Weights {
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
pub(crate) fn to_bytes(weights: &Weights) -> Result<Vec<u8>> {
    write(weights, Precision::Full)
}

/// Reads what [`to_bytes`] wrote.
///
/// # Errors
///
/// As [`read`].
#[cfg(feature = "cluster")]
pub(crate) fn from_bytes(bytes: &[u8], network: &NetworkSettings, spec: &Spec) -> Result<Weights> {
    read(bytes, network, spec)
}

/// Returns all layers with their names in the file.
pub(super) fn named(weights: &Weights) -> Vec<(String, &Layer)> {
    let mut layers = vec![("stem".to_owned(), &weights.stem)];
    for (index, block) in weights.blocks.iter().enumerate() {
        let name = |part: &str| format!("blocks.{index}.{part}");
        layers.push((name("first"), &block.first));
        layers.extend(block.pool.iter().map(|pool| (name("pool"), pool)));
        layers.push((name("second"), &block.second));
    }
    let mut rest =
        vec![("policy_hidden", &weights.policy_hidden), ("policy_out", &weights.policy_out)];
    rest.extend(weights.pass.iter().map(|pass| ("pass", pass)));
    rest.extend([
        ("value_features", &weights.value_features),
        ("value_hidden", &weights.value_hidden),
        ("value_out", &weights.value_out),
    ]);
    layers.extend(rest.into_iter().map(|(name, layer)| (name.to_owned(), layer)));
    layers
}

/// Returns the numbers of a tensor, which must have the shape `sizes`.
fn numbers(file: &SafeTensors<'_>, name: &str, sizes: &[usize]) -> Result<Vec<f32>> {
    let tensor = file.tensor(name)?;
    ensure!(tensor.shape() == sizes, "its shape is {:?}, expected {sizes:?}", tensor.shape());
    let numbers: Vec<f32> = match tensor.dtype() {
        Dtype::F32 => {
            tensor.data().as_chunks().0.iter().map(|&it| f32::from_le_bytes(it)).collect()
        }
        Dtype::F16 => {
            let halves = tensor.data().as_chunks().0.iter();
            halves.map(|&it| f16::from_le_bytes(it).to_f32()).collect()
        }
        other => anyhow::bail!("its type is {other:?}, expected F32 or F16"),
    };
    ensure!(
        numbers.iter().all(|number| number.is_finite()),
        "it contains a number that is not finite"
    );
    Ok(numbers)
}
