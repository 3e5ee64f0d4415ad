//! Some positions of a batch, and the memory of their way there and back.

use std::ops::Range;

use super::Plan;
use super::layer::Planned;
use super::loss::LossSums;
use super::norm::Found;
use crate::nn::Batch;
use crate::nn::conv::{Aligned, Finish, Moments, unit};

/// Some positions of a batch.
#[derive(Debug)]
pub struct Shard {
    /// Which of the batch.
    pub positions: Range<usize>,
    /// Units that the stem reads.
    pub input: Aligned,
    /// For each layer what it computes: numbers, before the norm where there is one.
    pub numbers: Vec<Aligned>,
    /// For each layer what the next one reads of it: units; nothing where that is only a loss.
    pub outputs: Vec<Aligned>,
    /// For each layer that reads means and largest values: those, as units.
    pub pooled: Vec<Aligned>,
    /// For each layer that adds something to every cell: what comes out of that, as units.
    pub mixed: Vec<Aligned>,
    /// For each layer that has a norm: what the batch's statistics are made of.
    pub found: Vec<Found>,
    /// The gradient of the trunk, numbers.
    pub trunk: Aligned,
    /// The gradients of what lies beside the trunk, numbers: two at a time.
    pub side: [Aligned; 2],
    /// The gradient of means and largest values.
    pub pooled_gradient: Aligned,
    /// For each layer the gradients of its weights, `[taps, inputs, outputs]`.
    pub weights: Vec<Aligned>,
    /// For each layer the gradients of its biases.
    pub bias: Vec<Aligned>,
    pub scratch: Scratch,
    /// A number for each action.
    pub row: Vec<f32>,
    pub losses: LossSums,
}

/// What is of use for the time of a layer.
#[derive(Debug)]
pub struct Scratch {
    /// Gradients of outputs, as units.
    pub units: Aligned,
    /// Inputs and gradients of boards in pairs.
    pub input_pairs: Aligned,
    pub gradient_pairs: Aligned,
}

impl Shard {
    pub fn new(plan: &Plan, positions: Range<usize>) -> Self {
        let (boards, each) = (positions.len(), plan.kernel.channels());
        let (layers, even) = (&plan.layers, boards.next_multiple_of(2));
        let numbers = |layer: &Planned| boards * layer.cells() * layer.outputs();
        let widest = layers.iter().map(|layer| layer.cells() * layer.outputs().max(layer.inputs()));
        let widest = even * widest.max().unwrap_or(0);
        let trunk = numbers(&layers[plan.places.trunk()]);
        let pools = layers.iter().map(Planned::pooled);
        let (stem, most) = (&layers[plan.places.stem], pools.clone().max().unwrap_or(0));
        let mixes = |place| plan.places.blocks.iter().any(|block| block.pool == Some(place));
        let mixed = |(place, layer): (usize, &Planned)| {
            let cells = if mixes(place) { plan.spec.cells() } else { 0 };
            Aligned::zeros(even * cells * layer.outputs() / each)
        };
        Self {
            input: Aligned::zeros(even * stem.cells() * stem.inputs() / each),
            numbers: layers.iter().map(|layer| Aligned::zeros(numbers(layer))).collect(),
            outputs: layers
                .iter()
                .map(|layer| Aligned::zeros(even * layer.cells() * layer.outputs() / each))
                .collect(),
            pooled: pools.map(|width| Aligned::zeros(even * width / each)).collect(),
            mixed: layers.iter().enumerate().map(mixed).collect(),
            found: layers
                .iter()
                .map(|layer| Found::new(boards * layer.cells(), layer.outputs()))
                .collect(),
            trunk: Aligned::zeros(trunk),
            side: [Aligned::zeros(trunk), Aligned::zeros(trunk)],
            pooled_gradient: Aligned::zeros(boards * most),
            weights: layers.iter().map(|layer| Aligned::zeros(layer.weights())).collect(),
            bias: layers.iter().map(|layer| Aligned::zeros(layer.outputs())).collect(),
            scratch: Scratch {
                units: Aligned::zeros(widest),
                input_pairs: Aligned::zeros(widest),
                gradient_pairs: Aligned::zeros(widest),
            },
            row: vec![0.0; plan.spec.actions()],
            losses: LossSums::default(),
            positions,
        }
    }

    /// How many boards.
    pub fn boards(&self) -> usize {
        self.positions.len()
    }

    /// Forgets the sums of the batch before, and takes up the observations of this one.
    pub fn begin(&mut self, plan: &Plan, batch: &Batch) {
        self.weights.iter_mut().chain(&mut self.bias).for_each(|sums| sums.fill(0.0));
        self.losses = LossSums::default();
        let (spec, each) = (&plan.spec, plan.kernel.channels());
        let (cells, planes) = (spec.cells(), spec.planes);
        let stride = plan.layers[plan.places.stem].inputs() / each;
        let observations = batch.observations.chunks_exact(spec.observation());
        let observations = observations.skip(self.positions.start);
        for (input, planes_of) in self.input.chunks_exact_mut(cells * stride).zip(observations) {
            for (cell, units) in input.chunks_exact_mut(stride).enumerate() {
                let number = |plane| {
                    if plane < planes { planes_of[plane * cells + cell] } else { 0.0 }
                };
                for (index, slot) in units.iter_mut().enumerate() {
                    let values = [number(index * each), number(index * each + 1)];
                    *slot = unit(&values[..each]);
                }
            }
        }
    }

    /// Computes the layer at `place` up to its norm, whose statistics it looks for.
    pub fn compute_normed(&mut self, plan: &Plan, place: usize, from: From) {
        let (boards, layer) = (self.boards(), &plan.layers[place]);
        let input = match from {
            From::Input => &self.input,
            From::Output(place) => &self.outputs[place],
            From::Mixed(place) => &self.mixed[place],
        };
        let numbers = &mut self.numbers[place];
        layer.forward(boards, input, numbers, Finish::Logits);
        let Found { first: mean, second: squares, .. } = &mut self.found[place];
        plan.kernel.moments(Moments { rows: numbers, mean, squares });
    }
}

/// What a layer reads.
#[derive(Clone, Copy, Debug)]
pub enum From {
    /// The observations.
    Input,
    /// The output of the layer at this place.
    Output(usize),
    /// What comes of the layer at this place, which adds to every cell.
    Mixed(usize),
}
