//! The forward and backward pass of a batch, with the steps between which norms are combined.

use rayon::prelude::*;

use super::loss::{BatchLosses, LossSums};
use super::shard::{LayerInput, Shard};
use super::{Backprop, NetworkPlan};
use crate::nn::Batch;
use crate::nn::conv::Epilogue;
use crate::nn::settings::LossWeights;

impl Backprop {
    /// Runs the forward and the backward pass. The gradients stay in the shards.
    pub(super) fn forward_backward(&mut self, batch: &Batch, weights: LossWeights) -> BatchLosses {
        self.forward(batch);
        self.each(|plan, shard| {
            shard.policy(plan);
            shard.value(plan);
            shard.evaluate(plan, batch, weights);
            shard.policy_back(plan);
            shard.value_back(plan);
        });
        self.backward();
        LossSums::mean(self.shards.iter().map(|shard| shard.losses), batch.size)
    }

    /// The forward pass up to the statistics of the heads' norms.
    fn forward(&mut self, batch: &Batch) {
        let stem = self.plan.indices.stem;
        self.each(|plan, shard| {
            shard.begin(plan, batch);
            shard.compute_normed(plan, stem, LayerInput::Input);
        });
        self.combine_statistics(stem);
        let mut residual = None;
        for block in self.plan.indices.blocks.clone() {
            self.each(|plan, shard| {
                shard.activate(plan, block.input, residual);
                shard.compute_normed(plan, block.first, LayerInput::Output(block.input));
            });
            self.combine_statistics(block.first);
            self.each(|plan, shard| {
                shard.activate(plan, block.first, None);
                let from = shard.mix(plan, &block);
                shard.compute_normed(plan, block.second, from);
            });
            self.combine_statistics(block.second);
            residual = Some(block.input);
        }
        let trunk = self.plan.indices.trunk();
        let heads = [self.plan.indices.policy_hidden, self.plan.indices.value_features];
        self.each(|plan, shard| {
            shard.activate(plan, trunk, residual);
            heads
                .iter()
                .for_each(|&head| shard.compute_normed(plan, head, LayerInput::Output(trunk)));
        });
        heads.iter().for_each(|&head| self.combine_statistics(head));
    }

    /// The backward pass from the heads' norms on.
    fn backward(&mut self) {
        let (stem, trunk) = (self.plan.indices.stem, self.plan.indices.trunk());
        let heads = [self.plan.indices.policy_hidden, self.plan.indices.value_features];
        heads.iter().for_each(|&head| self.combine_gradient_sums(head));
        self.each(|plan, shard| {
            shard.head_back(plan, heads[0], 0, Epilogue::Logits);
            shard.head_back(plan, heads[1], 1, Epilogue::Add);
            shard.gate_trunk(plan, trunk);
        });
        self.combine_gradient_sums(trunk);
        for block in self.plan.indices.blocks.clone().into_iter().rev() {
            self.each(|plan, shard| shard.second_back(plan, &block));
            self.combine_gradient_sums(block.first);
            self.each(|plan, shard| {
                shard.first_back(plan, &block);
                shard.gate_trunk(plan, block.input);
            });
            self.combine_gradient_sums(block.input);
        }
        self.each(|plan, shard| shard.stem_back(plan, stem));
    }

    /// Runs `work` for all shards, on all threads.
    fn each(&mut self, work: impl Fn(&NetworkPlan, &mut Shard) + Sync) {
        let plan = &self.plan;
        self.shards.par_iter_mut().with_max_len(1).for_each(|shard| work(plan, shard));
    }

    fn combine_statistics(&mut self, index: usize) {
        let norm = self.plan.layers[index].norm.as_mut().expect("the layer has a norm");
        norm.combine_statistics(self.shards.iter().map(|shard| &shard.statistics[index]));
    }

    fn combine_gradient_sums(&mut self, index: usize) {
        let norm = self.plan.layers[index].norm.as_mut().expect("the layer has a norm");
        norm.combine_gradient_sums(self.shards.iter().map(|shard| &shard.statistics[index]));
    }
}
