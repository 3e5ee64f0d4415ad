//! The backward pass of a shard, layer by layer.

use super::NetworkPlan;
use super::layer_indices::BlockIndices;
use super::norm::Statistics;
use super::shard::Shard;
use crate::nn::conv::{Epilogue, Gate, PoolBackward, Products, Sum};

impl Shard {
    pub(super) fn policy_back(&mut self, plan: &NetworkPlan) {
        let (indices, boards) = (&plan.indices, self.boards());
        let hidden = indices.policy_hidden;
        self.plain_back(plan, indices.policy_out, hidden);
        let (dwords, gradient) = (&self.scratch.dwords, &mut self.side[0]);
        plan.layers[indices.policy_out].backward(boards, dwords, gradient, Epilogue::Logits);
        if let Some(pass) = indices.pass {
            self.pooled_back(plan, pass, hidden, 0);
        }
        self.gate_side(plan, hidden, 0);
    }

    pub(super) fn value_back(&mut self, plan: &NetworkPlan) {
        let indices = &plan.indices;
        let hidden = indices.value_hidden;
        self.plain_back(plan, indices.value_out, hidden);
        let gradient = &mut self.numbers[hidden];
        let layer = &plan.layers[indices.value_out];
        layer.backward(self.positions.len(), &self.scratch.dwords, gradient, Epilogue::Logits);
        let dwords = gradient.len() / plan.kernel.channels();
        plan.kernel.gate(Gate { activation: &self.outputs[hidden][..dwords], gradient });
        self.side[1].fill(0.0);
        self.pooled_back(plan, hidden, indices.value_features, 1);
        self.gate_side(plan, indices.value_features, 1);
    }

    /// Adds the gradients of a layer without a norm, which reads the output of the layer `input`.
    /// The gradients of its outputs are in its `numbers`; they are stored as dwords in `scratch`.
    fn plain_back(&mut self, plan: &NetworkPlan, index: usize, input: usize) {
        let sums = (&mut self.weights[index], &mut self.bias[index]);
        let (input, gradient) = (&self.outputs[input], &self.numbers[index]);
        plan.layers[index].add_gradients(input, gradient, sums, &mut self.scratch);
    }

    /// Adds the gradients of a layer that reads the pooled output of the layer `of`, and adds the
    /// gradients of that output to `side`.
    fn pooled_back(&mut self, plan: &NetworkPlan, index: usize, of: usize, side: usize) {
        let (boards, layer) = (self.boards(), &plan.layers[index]);
        let sums = (&mut self.weights[index], &mut self.bias[index]);
        layer.add_gradients(&self.pooled[index], &self.numbers[index], sums, &mut self.scratch);
        layer.backward(boards, &self.scratch.dwords, &mut self.pooled_gradient, Epilogue::Logits);
        let board = plan.layers[of].cells() * plan.layers[of].outputs();
        let gradients = self.side[side].chunks_exact_mut(board);
        let activations = self.outputs[of].chunks_exact(board / plan.kernel.channels());
        let pooled = self.pooled_gradient.chunks_exact(layer.inputs());
        for ((gradient, activation), pooled) in gradients.zip(activations).zip(pooled) {
            let (mean, largest) = pooled.split_at(pooled.len() / 2);
            plan.kernel.pool_backward(PoolBackward { activation, mean, largest, gradient });
        }
    }

    /// Adds the gradients of a head's first layer, and computes those of the trunk.
    pub(super) fn head_back(
        &mut self,
        plan: &NetworkPlan,
        index: usize,
        side: usize,
        epilogue: Epilogue,
    ) {
        let (boards, layer) = (self.boards(), &plan.layers[index]);
        let input = &self.outputs[plan.indices.trunk()];
        let (numbers, gradient) = (&self.numbers[index], &self.side[side]);
        let weights = &mut self.weights[index];
        layer.add_gradients_through_norm(input, numbers, gradient, weights, &mut self.scratch);
        layer.backward(boards, &self.scratch.dwords, &mut self.trunk, epilogue);
    }

    /// Adds the gradients of a block's second convolution, back to the norm of its first one.
    pub(super) fn second_back(&mut self, plan: &NetworkPlan, block: &BlockIndices) {
        let (boards, layer) = (self.boards(), &plan.layers[block.second]);
        let input = match block.pool {
            Some(index) => &self.mixed[index],
            None => &self.outputs[block.first],
        };
        let (numbers, weights) = (&self.numbers[block.second], &mut self.weights[block.second]);
        layer.add_gradients_through_norm(input, numbers, &self.trunk, weights, &mut self.scratch);
        layer.backward(boards, &self.scratch.dwords, &mut self.side[0], Epilogue::Logits);
        if let Some(index) = block.pool {
            self.sum_boards(plan, index);
            self.pooled_back(plan, index, block.first, 0);
        }
        self.gate_side(plan, block.first, 0);
    }

    /// The gradient of a bias that was added to all cells of a board is the sum over the cells.
    fn sum_boards(&mut self, plan: &NetworkPlan, index: usize) {
        let width = plan.layers[index].outputs();
        let boards = self.side[0].chunks_exact(plan.cells() * width);
        for (rows, sums) in boards.zip(self.numbers[index].chunks_exact_mut(width)) {
            sums.fill(0.0);
            plan.kernel.sum(Sum { rows, sums });
        }
    }

    /// Adds the gradients of a block's first convolution. `trunk` holds the gradients of the
    /// residual connection; those through the convolutions are added to it.
    pub(super) fn first_back(&mut self, plan: &NetworkPlan, block: &BlockIndices) {
        let (boards, layer) = (self.boards(), &plan.layers[block.first]);
        let (input, numbers) = (&self.outputs[block.input], &self.numbers[block.first]);
        let weights = &mut self.weights[block.first];
        layer.add_gradients_through_norm(input, numbers, &self.side[0], weights, &mut self.scratch);
        layer.backward(boards, &self.scratch.dwords, &mut self.trunk, Epilogue::Add);
    }

    pub(super) fn stem_back(&mut self, plan: &NetworkPlan, index: usize) {
        let (numbers, weights) = (&self.numbers[index], &mut self.weights[index]);
        let layer = &plan.layers[index];
        layer.add_gradients_through_norm(
            &self.input,
            numbers,
            &self.trunk,
            weights,
            &mut self.scratch,
        );
    }

    /// Takes the gradient of the trunk back through the ReLU of the layer at `index`, to its norm.
    pub(super) fn gate_trunk(&mut self, plan: &NetworkPlan, index: usize) {
        let (output, numbers) = (&self.outputs[index], &self.numbers[index]);
        gate(plan, index, output, numbers, &mut self.trunk, &mut self.statistics[index]);
    }

    /// The same for a gradient in `side`.
    fn gate_side(&mut self, plan: &NetworkPlan, index: usize, side: usize) {
        let (output, numbers) = (&self.outputs[index], &self.numbers[index]);
        gate(plan, index, output, numbers, &mut self.side[side], &mut self.statistics[index]);
    }
}

/// Takes a gradient back through the ReLU of a layer, and sums up what the gradient of its norm
/// needs.
fn gate(
    plan: &NetworkPlan,
    index: usize,
    output: &[f32],
    input: &[f32],
    gradient: &mut [f32],
    statistics: &mut Statistics,
) {
    let dwords = gradient.len() / plan.kernel.channels();
    plan.kernel.gate(Gate { activation: &output[..dwords], gradient });
    let norm = plan.layers[index].norm.as_ref().expect("the layer has a norm");
    let Statistics { first: sums, second: products, .. } = statistics;
    plan.kernel.products(Products { gradient, input, mean: &norm.mean, sums, products });
}
