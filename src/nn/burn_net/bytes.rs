//! Weights and states of the optimizer as bytes, in burn's format (burnpack).
//!
//! Burn trusts the files that it reads: some contents make it panic. So a file is taken apart here,
//! compared with the network, and put together again; burn reads only the result. The state of the
//! optimizer is put together in the same way before it is written, because burn writes it in the
//! order of a hash map, which differs from run to run.

use std::collections::BTreeMap;

use anyhow::{Context, Result, bail, ensure};
use burn::module::{Module, ModuleVisitor, Param};
use burn::tensor::{Bytes, DType, Tensor as BurnTensor};
use burn_pack::{Reader, Scalar, Tensor, Writer};

use super::Network;

/// The ID of all running statistics, which are no parameters.
const NO_PARAMETER: u64 = 0;

/// The number of moments that AdamW keeps of a parameter, by the ends of their names.
const MOMENTS: [&str; 2] = ["momentum.moment_1", "momentum.moment_2"];

/// The end of the name of a parameter's number of steps.
const STEPS: &str = "momentum.time";

/// The end of the name of a parameter's number of dimensions.
const RANK: &str = "__rank";

/// Checks weights from outside and returns them as burn would write them for this network, with its
/// IDs.
///
/// # Errors
///
/// If they are damaged, of a network of another shape, or not finite.
pub(super) fn checked_weights(weights: &[u8], network: &Network) -> Result<Bytes> {
    let mut file = File::read(weights).context("cannot read the weights")?;
    let mut tensors = Vec::new();
    for Part { name, dims, id } in parts_of(network) {
        let tensor = file.take(&name, &dims).context(
            "the weights belong to a network of another shape, or to a version of this program \
             with other observations; start a new run",
        )?;
        let is_finite = numbers(&tensor)?.into_iter().all(f32::is_finite);
        ensure!(is_finite, "the weights contain numbers that are not finite");
        tensors.push(Tensor::new(name, DType::F32, dims, Some(id), tensor.into_bytes()?));
    }
    file.expect_empty().context("the weights belong to a network of another shape")?;
    Ok(Writer::new(tensors).into_bytes()?)
}

/// Returns the state of the optimizer as burn encoded it, in the order of the names.
///
/// # Errors
///
/// If it cannot be encoded.
pub(super) fn sorted_state(encoded: Bytes) -> Result<Vec<u8>> {
    let File { tensors, scalars, paths } = File::of(encoded)?;
    Ok(written(tensors.into_values().collect(), &scalars, &paths)?.to_vec())
}

/// Checks a state of the optimizer from outside and returns it as burn would write it. A state
/// without any parameter is that before the first step.
///
/// # Errors
///
/// If it is damaged, not finite, or of another network.
pub(super) fn checked_state(state: &[u8], network: &Network) -> Result<Bytes> {
    let mut file = File::read(state)?;
    let (mut tensors, mut scalars, mut paths) = (Vec::new(), BTreeMap::new(), BTreeMap::new());
    let parts = if file.tensors.is_empty() { Vec::new() } else { parts_of(network) };
    for Part { name, dims, id } in parts.into_iter().filter(|part| part.id != NO_PARAMETER) {
        for moment in MOMENTS {
            let tensor = file.take(&format!("{id}.{moment}"), &dims)?;
            ensure!(tensor.param_id == Some(id), "{} is of another parameter", tensor.name);
            // The second moment is a mean of squares.
            let least = if moment == MOMENTS[1] { 0.0 } else { f32::MIN };
            let valid =
                numbers(&tensor)?.into_iter().all(|value| value.is_finite() && value >= least);
            ensure!(valid, "{} holds numbers that cannot be", tensor.name);
            tensors.push(tensor);
        }
        let [rank, steps] = [RANK, STEPS].map(|end| format!("{id}.{end}"));
        let found = file.scalars.remove(&rank);
        ensure!(found == Some(Scalar::from(dims.len())), "{rank} is not {}", dims.len());
        scalars.insert(steps.clone(), Scalar::from(file.steps(&steps)?));
        scalars.insert(rank, Scalar::from(dims.len()));
        paths.insert(id.to_string(), name);
    }
    file.expect_empty()?;
    written(tensors, &scalars, &paths)
}

fn written(
    tensors: Vec<Tensor>,
    scalars: &BTreeMap<String, Scalar>,
    paths: &BTreeMap<String, String>,
) -> Result<Bytes> {
    let mut writer = Writer::new(tensors);
    for (name, value) in scalars {
        writer = writer.with_scalar(name, *value);
    }
    for (name, value) in paths {
        writer = writer.with_metadata(name, value);
    }
    Ok(writer.into_bytes()?)
}

/// A parameter or a running statistic of a network.
struct Part {
    name: String,
    dims: Vec<usize>,
    id: u64,
}

/// The parameters and running statistics of a network, in the order in which burn writes them.
fn parts_of(network: &Network) -> Vec<Part> {
    let mut parts = Parts::default();
    network.visit(&mut parts);
    parts.found
}

#[derive(Default)]
struct Parts {
    path: Vec<String>,
    found: Vec<Part>,
}

impl ModuleVisitor for Parts {
    fn enter_module(&mut self, name: &str, _: &str) {
        self.path.push(name.to_owned());
    }

    fn exit_module(&mut self, _: &str, _: &str) {
        self.path.pop();
    }

    fn visit_float<const D: usize>(&mut self, param: &Param<BurnTensor<D>>) {
        let (name, dims) = (self.path.join("."), param.lazy_shape().to_vec());
        self.found.push(Part { name, dims, id: param.id.val() });
    }
}

/// What is in a file: each part is taken out once.
struct File {
    tensors: BTreeMap<String, Tensor>,
    scalars: BTreeMap<String, Scalar>,
    paths: BTreeMap<String, String>,
}

impl File {
    fn read(bytes: &[u8]) -> Result<Self> {
        Self::of(Bytes::from_bytes_vec(bytes.to_vec()))
    }

    fn of(bytes: Bytes) -> Result<Self> {
        let reader = Reader::from_bytes(bytes)?;
        let (scalars, paths) = (reader.scalars().clone(), reader.metadata().clone());
        let named = reader.into_tensors()?.into_iter().map(|it| (it.name.clone(), it));
        Ok(Self { tensors: named.collect(), scalars, paths })
    }

    /// Takes the tensor with this name and shape.
    fn take(&mut self, name: &str, dims: &[usize]) -> Result<Tensor> {
        let tensor = self.tensors.remove(name).with_context(|| format!("{name} is missing"))?;
        let found = tensor.shape.to_vec();
        ensure!(found == dims, "{name} has the shape {found:?} instead of {dims:?}");
        ensure!(tensor.dtype == DType::F32, "{name} is of type {:?}, not F32", tensor.dtype);
        Ok(tensor)
    }

    /// Takes a number of steps, for which burn has 31 bits.
    fn steps(&mut self, name: &str) -> Result<usize> {
        let steps = self.scalars.remove(name).with_context(|| format!("{name} is missing"))?;
        match usize::try_from(steps) {
            Ok(steps) if (1..i32::MAX as usize).contains(&steps) => Ok(steps),
            _ => bail!("{name} is {steps:?}"),
        }
    }

    /// Returns an error if anything is left over, except for paths, which only name parameters.
    fn expect_empty(&self) -> Result<()> {
        match self.tensors.keys().chain(self.scalars.keys()).next() {
            Some(name) => bail!("{name} is of no parameter"),
            None => Ok(()),
        }
    }
}

/// The numbers of a tensor of type F32.
fn numbers(tensor: &Tensor) -> Result<Vec<f32>> {
    let bytes = tensor.to_bytes()?;
    let (numbers, _) = bytes.as_chunks::<4>();
    Ok(numbers.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
}
