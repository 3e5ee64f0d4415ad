//! What a shard does on the way back, layer by layer.

use super::Plan;
use super::norm::Found;
use super::places::Block;
use super::shard::Shard;
use crate::nn::conv::{Finish, Gate, Products, Spread, Sum};

impl Shard {
    pub fn policy_back(&mut self, plan: &Plan) {
        let (places, boards) = (&plan.places, self.boards());
        let hidden = places.policy_hidden;
        self.plain_back(plan, places.policy_out, hidden);
        let (units, gradient) = (&self.scratch.units, &mut self.side[0]);
        plan.layers[places.policy_out].backward(boards, units, gradient, Finish::Logits);
        if let Some(pass) = places.pass {
            self.pooled_back(plan, pass, hidden, 0);
        }
        self.gate_side(plan, hidden, 0);
    }

    pub fn value_back(&mut self, plan: &Plan) {
        let places = &plan.places;
        let hidden = places.value_hidden;
        self.plain_back(plan, places.value_out, hidden);
        let gradient = &mut self.numbers[hidden];
        let layer = &plan.layers[places.value_out];
        layer.backward(self.positions.len(), &self.scratch.units, gradient, Finish::Logits);
        let units = gradient.len() / plan.kernel.channels();
        plan.kernel.gate(Gate { activation: &self.outputs[hidden][..units], gradient });
        self.side[1].fill(0.0);
        self.pooled_back(plan, hidden, places.value_features, 1);
        self.gate_side(plan, places.value_features, 1);
    }

    /// The gradients of a layer without a norm that reads the output of another, its own being in
    /// the place of its numbers; leaves them as units.
    fn plain_back(&mut self, plan: &Plan, place: usize, input: usize) {
        let sums = (&mut self.weights[place], &mut self.bias[place]);
        let (input, gradient) = (&self.outputs[input], &self.numbers[place]);
        plan.layers[place].learn(input, gradient, sums, &mut self.scratch);
    }

    /// The gradients of a layer that reads means and largest values of the layer at `of`, whose
    /// gradient, on this side, they are added to.
    fn pooled_back(&mut self, plan: &Plan, place: usize, of: usize, side: usize) {
        let (boards, layer) = (self.boards(), &plan.layers[place]);
        let sums = (&mut self.weights[place], &mut self.bias[place]);
        layer.learn(&self.pooled[place], &self.numbers[place], sums, &mut self.scratch);
        layer.backward(boards, &self.scratch.units, &mut self.pooled_gradient, Finish::Logits);
        let board = plan.layers[of].cells() * plan.layers[of].outputs();
        let gradients = self.side[side].chunks_exact_mut(board);
        let activations = self.outputs[of].chunks_exact(board / plan.kernel.channels());
        let pooled = self.pooled_gradient.chunks_exact(layer.inputs());
        for ((gradient, activation), pooled) in gradients.zip(activations).zip(pooled) {
            let (mean, largest) = pooled.split_at(pooled.len() / 2);
            plan.kernel.spread(Spread { activation, mean, largest, gradient });
        }
    }

    /// The gradients of a head's first layer, and of the trunk.
    pub fn head_back(&mut self, plan: &Plan, place: usize, side: usize, finish: Finish) {
        let (boards, layer) = (self.boards(), &plan.layers[place]);
        let input = &self.outputs[plan.places.trunk()];
        let (numbers, gradient) = (&self.numbers[place], &self.side[side]);
        let weights = &mut self.weights[place];
        layer.learn_normed(input, numbers, gradient, weights, &mut self.scratch);
        layer.backward(boards, &self.scratch.units, &mut self.trunk, finish);
    }

    /// The gradients of a block's second half, up to the norm of its first.
    pub fn second_back(&mut self, plan: &Plan, block: &Block) {
        let (boards, layer) = (self.boards(), &plan.layers[block.second]);
        let input = match block.pool {
            Some(place) => &self.mixed[place],
            None => &self.outputs[block.first],
        };
        let (numbers, weights) = (&self.numbers[block.second], &mut self.weights[block.second]);
        layer.learn_normed(input, numbers, &self.trunk, weights, &mut self.scratch);
        layer.backward(boards, &self.scratch.units, &mut self.side[0], Finish::Logits);
        if let Some(place) = block.pool {
            self.sum_boards(plan, place);
            self.pooled_back(plan, place, block.first, 0);
        }
        self.gate_side(plan, block.first, 0);
    }

    /// What was added to all cells of a board has the gradients of all of them.
    fn sum_boards(&mut self, plan: &Plan, place: usize) {
        let width = plan.layers[place].outputs();
        let boards = self.side[0].chunks_exact(plan.spec.cells() * width);
        for (rows, sums) in boards.zip(self.numbers[place].chunks_exact_mut(width)) {
            sums.fill(0.0);
            plan.kernel.sum(Sum { rows, sums });
        }
    }

    /// The gradients of a block's first half; those of the trunk, which so far are those of what
    /// is carried past the block, become whole.
    pub fn first_back(&mut self, plan: &Plan, block: &Block) {
        let (boards, layer) = (self.boards(), &plan.layers[block.first]);
        let (input, numbers) = (&self.outputs[block.input], &self.numbers[block.first]);
        let weights = &mut self.weights[block.first];
        layer.learn_normed(input, numbers, &self.side[0], weights, &mut self.scratch);
        layer.backward(boards, &self.scratch.units, &mut self.trunk, Finish::Add);
    }

    pub fn stem_back(&mut self, plan: &Plan, place: usize) {
        let (numbers, weights) = (&self.numbers[place], &mut self.weights[place]);
        let layer = &plan.layers[place];
        layer.learn_normed(&self.input, numbers, &self.trunk, weights, &mut self.scratch);
    }

    /// The gradient of the trunk through the ReLU of the layer at `place`, up to its norm.
    pub fn gate_trunk(&mut self, plan: &Plan, place: usize) {
        let (output, numbers) = (&self.outputs[place], &self.numbers[place]);
        gate(plan, place, output, numbers, &mut self.trunk, &mut self.found[place]);
    }

    /// The same beside the trunk.
    fn gate_side(&mut self, plan: &Plan, place: usize, side: usize) {
        let (output, numbers) = (&self.outputs[place], &self.numbers[place]);
        gate(plan, place, output, numbers, &mut self.side[side], &mut self.found[place]);
    }
}

/// The gradient through the ReLU of a layer, and what its norm needs to know of it.
fn gate(
    plan: &Plan,
    place: usize,
    output: &[f32],
    input: &[f32],
    gradient: &mut [f32],
    found: &mut Found,
) {
    let units = gradient.len() / plan.kernel.channels();
    plan.kernel.gate(Gate { activation: &output[..units], gradient });
    let norm = plan.layers[place].norm.as_ref().expect("the layer has a norm");
    let Found { first: sums, second: products, .. } = found;
    plan.kernel.products(Products { gradient, input, mean: &norm.mean, sums, products });
}
