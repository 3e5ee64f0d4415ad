//! The forward pass of a shard, layer by layer.

use super::NetworkPlan;
use super::layer_indices::BlockIndices;
use super::loss::{self, BatchRow};
use super::shard::{LayerInput, Shard};
use crate::nn::Batch;
use crate::nn::conv::{Activate, Epilogue, cells_of_policy, policy_of_cells, policy_of_pass};
use crate::nn::settings::LossWeights;

impl Shard {
    /// Applies the norm of a layer, adds the output of the layer `residual`, if any, and applies
    /// ReLU.
    pub(super) fn activate(&mut self, plan: &NetworkPlan, index: usize, residual: Option<usize>) {
        let norm = plan.layers[index].norm.as_ref().expect("the layer has a norm");
        let input = &self.numbers[index];
        let dwords = input.len() / plan.kernel.channels();
        let (before, rest) = self.outputs.split_at_mut(index);
        plan.kernel.activate(Activate {
            input,
            scale: &norm.scale,
            shift: &norm.shift,
            residual: residual.map(|index| &before[index][..dwords]),
            output: &mut rest[0][..dwords],
        });
    }

    /// Applies the global pooling of a block, if it has one. Returns the input of its second
    /// convolution.
    pub(super) fn mix(&mut self, plan: &NetworkPlan, block: &BlockIndices) -> LayerInput {
        let Some(index) = block.pool else { return LayerInput::Output(block.first) };
        let (boards, layer) = (self.boards(), &plan.layers[index]);
        let sizes = [boards, plan.cells(), layer.outputs()];
        let inner = &self.outputs[block.first];
        plan.kernel.pool(sizes, inner, &mut self.pooled[index]);
        let numbers = &mut self.numbers[index];
        layer.forward(boards, &self.pooled[index], numbers, Epilogue::Logits);
        self.mixed[index].copy_from_slice(inner);
        plan.kernel.add(sizes, numbers, &mut self.mixed[index]);
        LayerInput::Mixed(index)
    }

    pub(super) fn policy(&mut self, plan: &NetworkPlan) {
        let (indices, boards) = (&plan.indices, self.boards());
        let index = indices.policy_hidden;
        self.activate(plan, index, None);
        let (hidden, out) = (&self.outputs[index], &mut self.numbers[indices.policy_out]);
        plan.layers[indices.policy_out].forward(boards, hidden, out, Epilogue::Logits);
        if let Some(pass) = indices.pass {
            let sizes = [boards, plan.cells(), plan.layers[index].outputs()];
            plan.kernel.pool(sizes, hidden, &mut self.pooled[pass]);
            let (pooled, out) = (&self.pooled[pass], &mut self.numbers[pass]);
            plan.layers[pass].forward(boards, pooled, out, Epilogue::Logits);
        }
    }

    pub(super) fn value(&mut self, plan: &NetworkPlan) {
        let (indices, boards) = (&plan.indices, self.boards());
        self.activate(plan, indices.value_features, None);
        let (features, hidden) = (indices.value_features, indices.value_hidden);
        let sizes = [boards, plan.cells(), plan.layers[features].outputs()];
        plan.kernel.pool(sizes, &self.outputs[features], &mut self.pooled[hidden]);
        let (pooled, output) = (&self.pooled[hidden], &mut self.outputs[hidden]);
        plan.layers[hidden].forward(boards, pooled, output, Epilogue::Relu);
        let (input, out) = (&self.outputs[hidden], &mut self.numbers[indices.value_out]);
        plan.layers[indices.value_out].forward(boards, input, out, Epilogue::Logits);
    }

    /// Computes the losses, and replaces the logits by their gradients.
    pub(super) fn evaluate(&mut self, plan: &NetworkPlan, batch: &Batch, weights: LossWeights) {
        let indices = &plan.indices;
        for (number, index) in self.positions.clone().enumerate() {
            let example = BatchRow { batch, index, weights };
            self.gather(plan, number);
            loss::policy(&mut self.row, &example, &mut self.losses);
            self.scatter(plan, number);
            let width = plan.layers[indices.value_out].outputs();
            let values = self.numbers[indices.value_out][number * width..].first_chunk_mut();
            let values = values.expect("a row is as wide as the layer");
            loss::values(values, &example, &mut self.losses);
        }
    }

    /// Copies the policy logits of a board to `row`, in the order of the actions.
    fn gather(&mut self, plan: &NetworkPlan, number: usize) {
        let (index, pass) = (plan.indices.policy_out, plan.indices.pass);
        let width = plan.layers[index].outputs();
        let logits = &self.numbers[index][number * plan.cells() * width..];
        policy_of_cells(&plan.board, 1, logits, width, &mut self.row);
        if let Some(pass) = pass {
            let width = plan.layers[pass].outputs();
            let logits = &self.numbers[pass][number * width..];
            policy_of_pass(plan.board.spec(), 1, logits, width, &mut self.row);
        }
    }

    /// Copies `row` back: the inverse of [`gather`](Self::gather).
    fn scatter(&mut self, plan: &NetworkPlan, number: usize) {
        let index = plan.indices.policy_out;
        let (cells, width) = (plan.cells(), plan.layers[index].outputs());
        let numbers = &mut self.numbers[index][number * cells * width..][..cells * width];
        cells_of_policy(&plan.board, &self.row, width, numbers);
        if let (Some(pass), Some(value)) = (plan.indices.pass, self.row.last()) {
            self.numbers[pass][number * plan.layers[pass].outputs()] = *value;
        }
    }
}
