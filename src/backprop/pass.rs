//! The way there and back.

use rayon::prelude::*;

use super::loss::{Example, Logits, LossSums, Losses, replace};
use super::norm::Found;
use super::places::Block;
use super::shard::{From, Shard};
use super::{Backprop, Plan};
use crate::conv::{Activate, Finish, Gate, Products, Spread, Sum};
use crate::replay::Batch;

impl Backprop {
    /// Forwards and backwards, all sums being left in the shards.
    pub(super) fn pass(&mut self, batch: &Batch, value_weight: f32) -> Losses {
        self.forward(batch);
        self.each(|plan, shard| {
            shard.policy(plan);
            shard.value(plan);
            shard.judge(plan, batch, value_weight);
            shard.policy_back(plan);
            shard.value_back(plan);
        });
        self.backward();
        LossSums::mean(self.shards.iter().map(|shard| shard.losses), batch.size)
    }

    /// Up to the statistics of the heads' norms.
    fn forward(&mut self, batch: &Batch) {
        let stem = self.plan.places.stem;
        self.each(|plan, shard| {
            shard.begin(plan, batch);
            shard.compute_normed(plan, stem, From::Input);
        });
        self.settle(stem);
        let mut residual = None;
        for block in self.plan.places.blocks.clone() {
            self.each(|plan, shard| {
                shard.activate(plan, block.input, residual);
                shard.compute_normed(plan, block.first, From::Output(block.input));
            });
            self.settle(block.first);
            self.each(|plan, shard| {
                shard.activate(plan, block.first, None);
                let from = shard.mix(plan, &block);
                shard.compute_normed(plan, block.second, from);
            });
            self.settle(block.second);
            residual = Some(block.input);
        }
        let trunk = self.plan.places.trunk();
        let heads = [self.plan.places.policy_hidden, self.plan.places.value_features];
        self.each(|plan, shard| {
            shard.activate(plan, trunk, residual);
            heads.iter().for_each(|&head| shard.compute_normed(plan, head, From::Output(trunk)));
        });
        heads.iter().for_each(|&head| self.settle(head));
    }

    /// From the heads' norms on.
    fn backward(&mut self) {
        let (stem, trunk) = (self.plan.places.stem, self.plan.places.trunk());
        let heads = [self.plan.places.policy_hidden, self.plan.places.value_features];
        heads.iter().for_each(|&head| self.settle_gradient(head));
        self.each(|plan, shard| {
            shard.head_back(plan, heads[0], 0, Finish::Logits);
            shard.head_back(plan, heads[1], 1, Finish::Add);
            shard.gate_trunk(plan, trunk);
        });
        self.settle_gradient(trunk);
        for block in self.plan.places.blocks.clone().into_iter().rev() {
            self.each(|plan, shard| shard.second_back(plan, &block));
            self.settle_gradient(block.first);
            self.each(|plan, shard| {
                shard.first_back(plan, &block);
                shard.gate_trunk(plan, block.input);
            });
            self.settle_gradient(block.input);
        }
        self.each(|plan, shard| shard.stem_back(plan, stem));
    }

    /// Does something with all shards, on all threads.
    fn each(&mut self, work: impl Fn(&Plan, &mut Shard) + Sync) {
        let plan = &self.plan;
        self.shards.par_iter_mut().with_max_len(1).for_each(|shard| work(plan, shard));
    }

    fn settle(&mut self, place: usize) {
        let norm = self.plan.layers[place].norm.as_mut().expect("the layer has a norm");
        norm.settle(self.shards.iter().map(|shard| &shard.found[place]));
    }

    fn settle_gradient(&mut self, place: usize) {
        let norm = self.plan.layers[place].norm.as_mut().expect("the layer has a norm");
        norm.settle_gradient(self.shards.iter().map(|shard| &shard.found[place]));
    }
}

/// The way there.
impl Shard {
    /// The norm of a layer, perhaps the output of another, and ReLU.
    fn activate(&mut self, plan: &Plan, place: usize, residual: Option<usize>) {
        let norm = plan.layers[place].norm.as_ref().expect("the layer has a norm");
        let input = &self.numbers[place];
        let units = input.len() / plan.kernel.channels();
        let (before, rest) = self.outputs.split_at_mut(place);
        plan.kernel.activate(Activate {
            input,
            scale: &norm.scale,
            shift: &norm.shift,
            residual: residual.map(|place| &before[place][..units]),
            output: &mut rest[0][..units],
        });
    }

    /// Adds what is seen on the whole board to the first half of a block, if it does; what the
    /// second half reads.
    fn mix(&mut self, plan: &Plan, block: &Block) -> From {
        let Some(place) = block.pool else { return From::Output(block.first) };
        let (boards, layer) = (self.boards(), &plan.layers[place]);
        let sizes = [boards, plan.spec.cells(), layer.outputs()];
        let inner = &self.outputs[block.first];
        plan.kernel.pool(sizes, inner, &mut self.pooled[place]);
        let numbers = &mut self.numbers[place];
        layer.forward(boards, &self.pooled[place], numbers, Finish::Logits);
        self.mixed[place].copy_from_slice(inner);
        plan.kernel.add(sizes, numbers, &mut self.mixed[place]);
        From::Mixed(place)
    }

    fn policy(&mut self, plan: &Plan) {
        let (places, boards) = (&plan.places, self.boards());
        self.activate(plan, places.policy_hidden, None);
        let hidden = &self.outputs[places.policy_hidden];
        let out = &mut self.numbers[places.policy_out];
        plan.layers[places.policy_out].forward(boards, hidden, out, Finish::Logits);
        if let Some(pass) = places.pass {
            let sizes = [boards, plan.spec.cells(), plan.layers[places.policy_hidden].outputs()];
            plan.kernel.pool(sizes, hidden, &mut self.pooled[pass]);
            let (pooled, out) = (&self.pooled[pass], &mut self.numbers[pass]);
            plan.layers[pass].forward(boards, pooled, out, Finish::Logits);
        }
    }

    fn value(&mut self, plan: &Plan) {
        let (places, boards) = (&plan.places, self.boards());
        self.activate(plan, places.value_features, None);
        let (features, hidden) = (places.value_features, places.value_hidden);
        let sizes = [boards, plan.spec.cells(), plan.layers[features].outputs()];
        plan.kernel.pool(sizes, &self.outputs[features], &mut self.pooled[hidden]);
        let (pooled, output) = (&self.pooled[hidden], &mut self.outputs[hidden]);
        plan.layers[hidden].forward(boards, pooled, output, Finish::Relu);
        let (input, out) = (&self.outputs[hidden], &mut self.numbers[places.value_out]);
        plan.layers[places.value_out].forward(boards, input, out, Finish::Logits);
    }

    /// Replaces the logits by their gradients.
    fn judge(&mut self, plan: &Plan, batch: &Batch, value_weight: f32) {
        let places = &plan.places;
        let width = |place: usize| plan.layers[place].outputs();
        let board = plan.spec.cells() * width(places.policy_out);
        for (number, index) in self.positions.clone().enumerate() {
            let mut pass = places.pass.map(|place| self.numbers[place][number * width(place)]);
            let [policy, wdl] = self
                .numbers
                .get_disjoint_mut([places.policy_out, places.value_out])
                .expect("two layers of the network");
            let logits = Logits {
                cells: &mut policy[number * board..][..board],
                pass: pass.as_mut(),
                wdl: &mut wdl[number * width(places.value_out)..][..3],
            };
            let example = Example { batch, index, spec: &plan.spec, value_weight };
            replace(logits, &example, &mut self.row, &mut self.losses);
            if let (Some(place), Some(pass)) = (places.pass, pass) {
                self.numbers[place][number * width(place)] = pass;
            }
        }
    }
}

/// The way back.
impl Shard {
    fn policy_back(&mut self, plan: &Plan) {
        let (out, hidden) = (plan.places.policy_out, plan.places.policy_hidden);
        self.plain_back(plan, out, hidden);
        plan.layers[out].backward(
            self.boards(),
            &self.scratch.units,
            &mut self.side[0],
            Finish::Logits,
        );
        if let Some(pass) = plan.places.pass {
            self.pooled_back(plan, pass, hidden, 0);
        }
        self.gate_side(plan, hidden, 0);
    }

    fn value_back(&mut self, plan: &Plan) {
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
    fn head_back(&mut self, plan: &Plan, place: usize, side: usize, finish: Finish) {
        let (boards, layer) = (self.boards(), &plan.layers[place]);
        let input = &self.outputs[plan.places.trunk()];
        let (numbers, gradient) = (&self.numbers[place], &self.side[side]);
        let weights = &mut self.weights[place];
        layer.learn_normed(input, numbers, gradient, weights, &mut self.scratch);
        layer.backward(boards, &self.scratch.units, &mut self.trunk, finish);
    }

    /// The gradients of a block's second half, up to the norm of its first.
    fn second_back(&mut self, plan: &Plan, block: &Block) {
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
    fn first_back(&mut self, plan: &Plan, block: &Block) {
        let (boards, layer) = (self.boards(), &plan.layers[block.first]);
        let (input, numbers) = (&self.outputs[block.input], &self.numbers[block.first]);
        let weights = &mut self.weights[block.first];
        layer.learn_normed(input, numbers, &self.side[0], weights, &mut self.scratch);
        layer.backward(boards, &self.scratch.units, &mut self.trunk, Finish::Add);
    }

    fn stem_back(&mut self, plan: &Plan, place: usize) {
        let (numbers, weights) = (&self.numbers[place], &mut self.weights[place]);
        let layer = &plan.layers[place];
        layer.learn_normed(&self.input, numbers, &self.trunk, weights, &mut self.scratch);
    }

    /// The gradient of the trunk through the ReLU of the layer at `place`, up to its norm.
    fn gate_trunk(&mut self, plan: &Plan, place: usize) {
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
