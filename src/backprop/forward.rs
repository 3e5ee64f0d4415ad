//! What a shard does on the way there, layer by layer.

use super::Plan;
use super::loss::{Example, Logits, replace};
use super::places::Block;
use super::shard::{From, Shard};
use crate::conv::{Activate, Finish};
use crate::learning::LossWeights;
use crate::replay::Batch;

impl Shard {
    /// The norm of a layer, perhaps the output of another, and ReLU.
    pub fn activate(&mut self, plan: &Plan, place: usize, residual: Option<usize>) {
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
    pub fn mix(&mut self, plan: &Plan, block: &Block) -> From {
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

    pub fn policy(&mut self, plan: &Plan) {
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

    pub fn value(&mut self, plan: &Plan) {
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
    pub fn judge(&mut self, plan: &Plan, batch: &Batch, weights: LossWeights) {
        let places = &plan.places;
        let width = |place: usize| plan.layers[place].outputs();
        let board = plan.spec.cells() * width(places.policy_out);
        for (number, index) in self.positions.clone().enumerate() {
            let mut pass = places.pass.map(|place| self.numbers[place][number * width(place)]);
            let [policy, values] = self
                .numbers
                .get_disjoint_mut([places.policy_out, places.value_out])
                .expect("two layers of the network");
            let logits = Logits {
                cells: &mut policy[number * board..][..board],
                pass: pass.as_mut(),
                values: values[number * width(places.value_out)..]
                    .first_chunk_mut()
                    .expect("a row is as wide as the layer"),
            };
            let example = Example { batch, index, spec: &plan.spec, weights };
            replace(logits, &example, &mut self.row, &mut self.losses);
            if let (Some(place), Some(pass)) = (places.pass, pass) {
                self.numbers[place][number * width(place)] = pass;
            }
        }
    }
}
