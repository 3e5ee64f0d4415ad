//! Gradients of the network's losses without a tensor library: what training computes most.
//!
//! It shares its convolutions with the forward pass of [`infer`](crate::nn::infer). A batch is cut into
//! shards of a fixed number of positions, which threads take turns at; norms (Ioffe and Szegedy
//! 2015) see the whole batch, so every layer ends with a moment in which what the shards have found
//! is put together, always in the same order. Results therefore do not depend on the number of
//! threads.
//!
//! A gradient of the inputs of a convolution is a convolution too, by the same weights turned
//! round. The gradient of its weights correlates inputs with gradients of outputs; where a unit
//! holds two bf16 they are those of two boards, so that each product is summed up over both. Sums,
//! norms, and gradients that are passed on outside of products are kept in `f32`, as in mixed
//! precision training (Micikevicius et al. 2018), but for the activations themselves.

mod backward;
mod forward;
mod layer;
mod loss;
mod norm;
mod pass;
mod places;
mod shard;

use rayon::prelude::*;

use crate::games::Spec;
use crate::nn::Batch;
use crate::nn::conv::{Kernel, Parameters, Path, Unsupported};
use crate::nn::learning::LossWeights;
use layer::Planned;
pub use loss::Losses;
pub use norm::NormGradient;
use places::Places;
use shard::Shard;

/// Positions of a shard: enough to keep the layers' weights near, few enough to share out.
const SHARD: usize = 32;

/// Computes gradients for networks of one shape.
#[derive(Debug)]
pub struct Backprop {
    plan: Plan,
    shards: Vec<Shard>,
    /// Positions of the batch that the shards are made for.
    size: usize,
}

/// What does not change within a pass.
#[derive(Debug)]
struct Plan {
    kernel: &'static Kernel,
    spec: Spec,
    places: Places,
    layers: Vec<Planned>,
}

/// The gradient of a layer, in the order of [`Parameters::layers`].
#[derive(Clone, PartialEq, Debug)]
pub struct Gradient {
    /// `[outputs, inputs, kernel, kernel]`
    pub weights: Vec<f32>,
    /// `[outputs]`; none where a norm follows, which makes a bias pointless.
    pub bias: Vec<f32>,
    /// That of the norm, where one follows.
    pub norm: Option<NormGradient>,
}

impl Backprop {
    /// For networks of the shape of `parameters`, on boards of games of this shape.
    ///
    /// # Errors
    ///
    /// If this CPU lacks the instructions of `path`.
    pub fn new(parameters: &Parameters, spec: &Spec, path: Path) -> Result<Self, Unsupported> {
        let kernel = Kernel::find(path).ok_or(Unsupported(path))?;
        let places = Places::new(parameters);
        let layers = places.plan(parameters, spec, kernel);
        let plan = Plan { kernel, spec: *spec, places, layers };
        Ok(Self { plan, shards: Vec::new(), size: 0 })
    }

    /// The losses of a batch and the gradients of their weighted sum, on the threads of the
    /// current pool.
    ///
    /// # Panics
    ///
    /// If `parameters` are of another shape, or the batch is empty or of another game.
    pub fn run(
        &mut self,
        parameters: &Parameters,
        batch: &Batch,
        weights: LossWeights,
    ) -> (Losses, Vec<Gradient>) {
        self.plan.load(parameters);
        self.reserve(batch.size);
        let losses = self.pass(batch, weights);
        (losses, self.gradients())
    }

    fn reserve(&mut self, size: usize) {
        assert!(size > 0, "a batch has positions");
        if size != self.size {
            let starts = (0..size).step_by(SHARD);
            let range = |start: usize| start..(start + SHARD).min(size);
            self.shards = starts.map(|start| Shard::new(&self.plan, range(start))).collect();
            self.size = size;
        }
    }

    /// What the shards have summed up.
    fn gradients(&self) -> Vec<Gradient> {
        let places = 0..self.plan.layers.len();
        let places = places.into_par_iter();
        places.map(|place| self.plan.layers[place].gradient(&self.shards, place)).collect()
    }
}

impl Plan {
    fn load(&mut self, parameters: &Parameters) {
        let layers = parameters.layers();
        assert_eq!(layers.len(), self.layers.len(), "a network of the same shape");
        let planned = self.layers.par_iter_mut();
        planned.zip(layers).for_each(|(planned, (layer, norm))| planned.load(layer, norm));
    }
}
