//! The network as an ONNX model.
//!
//! The graph is built from the plain weights, in which every layer is a convolution: a fully
//! connected layer is a convolution with a kernel of 1 on a board of one cell.

mod proto;

use prost::Message;

use self::proto::{
    Attribute, Dimension, FLOAT, FLOAT16, Graph, INT8, Model, Node, OperatorSet, Shape,
    StringStringEntry, Tensor, TensorType, Type, ValueInfo,
};
use super::Precision;
use super::stored::Stored;
use crate::nn::Board;
use crate::nn::conv::{FoldedWeights, Layer};

/// Version of the operator set; ONNX Runtime has it since 1.14 (2023).
const OPSET: i64 = 18;

/// Name of the constant that is 1 on the cells of the board, `[1, 1, height, width]`.
const MASK: &str = "board";

/// Name of the constant that the mean over the frame is multiplied by to be that over the board.
const SHARE: &str = "board.share";

/// Returns the encoded model.
///
/// * Input: `observation`, `[batch, planes, height, width]`.
/// * Outputs: `policy`, `[batch, actions]`, logits of all actions, legal or not; `wdl`,
///   `[batch, 3]`, probabilities of win, draw and loss for the side to move; `moves_left`,
///   `[batch, 1]`, turns to the end of the game.
///
/// Weights that are stored in less than 32 bits are widened to `f32` before the computation.
/// `facts` become the metadata.
pub(super) fn model(
    weights: &FoldedWeights,
    precision: Precision,
    name: &str,
    facts: &[(&str, String)],
) -> Vec<u8> {
    let spec = weights.board.spec();
    let mut builder = Builder::new(&weights.board, precision);
    builder.network(weights);
    let sizes = [spec.planes, spec.height, spec.width].map(|size| size as i64);
    let graph = Graph {
        name: name.to_owned(),
        node: builder.nodes,
        initializer: builder.initializers,
        input: vec![value("observation", &sizes, "the position as the side to move sees it")],
        output: vec![
            value("policy", &[spec.actions() as i64], "logits of all actions, legal or not"),
            value("wdl", &[3], "probabilities of win, draw and loss for the side to move"),
            value("moves_left", &[1], "turns to the end of the game"),
        ],
    };
    let entry = |(key, value): &(&str, String)| StringStringEntry {
        key: (*key).into(),
        value: value.clone(),
    };
    Model {
        ir_version: 8,
        producer_name: env!("CARGO_PKG_NAME").into(),
        producer_version: env!("CARGO_PKG_VERSION").into(),
        doc_string: "player.json in the same folder describes the inputs and outputs".into(),
        graph: Some(graph),
        opset_import: vec![OperatorSet { domain: String::new(), version: OPSET }],
        metadata_props: facts.iter().map(entry).collect(),
    }
    .encode_to_vec()
}

/// An input or output of the shape `[batch, sizes...]`.
fn value(name: &str, sizes: &[i64], doc: &str) -> ValueInfo {
    let batch = Dimension { dim_value: None, dim_param: Some("batch".into()) };
    let sizes = sizes.iter().map(|&size| Dimension { dim_value: Some(size), dim_param: None });
    let shape = Shape { dim: std::iter::once(batch).chain(sizes).collect() };
    let tensor = TensorType { elem_type: FLOAT, shape: Some(shape) };
    ValueInfo {
        name: name.into(),
        r#type: Some(Type { tensor_type: Some(tensor) }),
        doc_string: doc.into(),
    }
}

/// Collects the operators of the graph. Each method returns the name of its output.
struct Builder {
    precision: Precision,
    /// Whether the board lacks cells of its frame. What is computed there is set to zero.
    is_masked: bool,
    nodes: Vec<Node>,
    initializers: Vec<Tensor>,
}

impl Builder {
    fn new(board: &Board, precision: Precision) -> Self {
        let spec = board.spec();
        let mut builder = Self {
            precision,
            is_masked: !board.is_whole(),
            nodes: Vec::new(),
            initializers: Vec::new(),
        };
        if builder.is_masked {
            let mut mask = vec![0.0; spec.cells()];
            board.cells().for_each(|cell| mask[cell] = 1.0);
            let mask = Stored::numbers(&mask, precision);
            builder.initializer(MASK, &[1, 1, spec.height, spec.width], mask);
            let share = spec.cells() as f32 / board.cells().len() as f32;
            builder.initializer(SHARE, &[1], Stored::numbers(&[share], Precision::Full));
        }
        builder
    }

    fn network(&mut self, weights: &FoldedWeights) {
        let observation = self.only_cells("observation");
        let mut trunk = self.convolution("stem", &weights.stem, &observation);
        trunk = self.relu("stem", &trunk);
        for (index, block) in weights.blocks.iter().enumerate() {
            let name = format!("blocks.{index}");
            let first = format!("{name}.first");
            let inner = self.convolution(&first, &block.first, &trunk);
            let mut inner = self.relu(&first, &inner);
            if let Some(pool) = &block.pool {
                let name = format!("{name}.pool");
                let bias = self.of_the_whole_board(&name, pool, &inner);
                inner = self.node("Add", &format!("{name}.add"), &[&inner, &bias], vec![]);
                inner = self.only_cells(&inner);
            }
            let second = self.convolution(&format!("{name}.second"), &block.second, &inner);
            let sum = self.node("Add", &format!("{name}.add"), &[&trunk, &second], vec![]);
            trunk = self.relu(&name, &sum);
        }
        self.policy(weights, &trunk);
        self.values(weights, &trunk);
    }

    fn policy(&mut self, weights: &FoldedWeights, trunk: &str) {
        let hidden = self.convolution("policy_hidden", &weights.policy_hidden, trunk);
        let hidden = self.relu("policy_hidden", &hidden);
        let cells = self.convolution("policy_out", &weights.policy_out, &hidden);
        let cells = self.only_cells(&cells);
        let Some(pass) = &weights.pass else {
            self.flatten("policy", &cells);
            return;
        };
        let cells = self.flatten("policy.cells", &cells);
        let pass = self.of_the_whole_board("pass", pass, &hidden);
        let pass = self.flatten("policy.pass", &pass);
        self.node("Concat", "policy", &[&cells, &pass], vec![Attribute::int("axis", 1)]);
    }

    fn values(&mut self, weights: &FoldedWeights, trunk: &str) {
        let features = self.convolution("value_features", &weights.value_features, trunk);
        let features = self.relu("value_features", &features);
        let hidden = self.of_the_whole_board("value_hidden", &weights.value_hidden, &features);
        let hidden = self.node("Relu", "value_hidden.relu", &[&hidden], vec![]);
        let rows = [("wdl_out", 0..3), ("moves_left_out", 3..4)];
        let [wdl, moves_left] = rows.map(|(name, outputs)| {
            let layer = weights.value_out.rows(outputs);
            let stored = Stored::numbers(&layer.weights, self.precision);
            let values = self.stored_convolution(name, &layer, stored, &hidden);
            self.flatten(&format!("{name}.flat"), &values)
        });
        self.node("Softmax", "wdl", &[&wdl], vec![Attribute::int("axis", 1)]);
        // The network predicts ln(1 + n). Relu removes negative values that rounding may cause.
        let turns = self.node("Exp", "moves_left.turns", &[&moves_left], vec![]);
        let one = Stored::numbers(&[1.0], self.precision);
        let one = self.initializer("moves_left.one", &[1], one);
        let turns = self.node("Sub", "moves_left.minus_one", &[&turns, &one], vec![]);
        self.node("Relu", "moves_left", &[&turns], vec![]);
    }

    /// A layer on the global mean and maximum of every channel of `input`.
    fn of_the_whole_board(&mut self, name: &str, layer: &Layer, input: &str) -> String {
        let mut mean = self.node("GlobalAveragePool", &format!("{name}.mean"), &[input], vec![]);
        if self.is_masked {
            mean = self.node("Mul", &format!("{name}.mean_of_board"), &[&mean, SHARE], vec![]);
        }
        let largest = self.node("GlobalMaxPool", &format!("{name}.largest"), &[input], vec![]);
        let axis = vec![Attribute::int("axis", 1)];
        let both = self.node("Concat", &format!("{name}.both"), &[&mean, &largest], axis);
        let weights = Stored::numbers(&layer.weights, self.precision);
        self.stored_convolution(name, layer, weights, &both)
    }

    /// A layer that is applied to each cell.
    fn convolution(&mut self, name: &str, layer: &Layer, input: &str) -> String {
        let weights = Stored::weights_of_cells(layer, self.precision);
        self.stored_convolution(name, layer, weights, input)
    }

    /// A layer whose weights are stored in this way.
    fn stored_convolution(
        &mut self,
        name: &str,
        layer: &Layer,
        weights: Stored,
        input: &str,
    ) -> String {
        let (kernel, border) = (layer.kernel, layer.kernel as i64 / 2);
        let sizes = [layer.outputs, layer.inputs, kernel, kernel];
        let weight = self.initializer(&format!("{name}.weight"), &sizes, weights);
        let bias = Stored::numbers(&layer.bias, self.precision);
        let bias = self.initializer(&format!("{name}.bias"), &[layer.outputs], bias);
        let pads = vec![Attribute::ints("pads", &[border; 4])];
        self.node("Conv", &format!("{name}.conv"), &[input, &weight, &bias], pads)
    }

    /// ReLU of cells.
    fn relu(&mut self, name: &str, input: &str) -> String {
        let output = self.node("Relu", &format!("{name}.relu"), &[input], vec![]);
        self.only_cells(&output)
    }

    /// Sets everything beside the board to zero.
    fn only_cells(&mut self, input: &str) -> String {
        match self.is_masked {
            true => self.node("Mul", &format!("{input}.of_board"), &[input, MASK], vec![]),
            false => input.to_owned(),
        }
    }

    fn flatten(&mut self, name: &str, input: &str) -> String {
        self.node("Flatten", name, &[input], vec![Attribute::int("axis", 1)])
    }

    /// Constants, which an operator widens to `f32` if they are stored in less.
    fn initializer(&mut self, name: &str, sizes: &[usize], numbers: Stored) -> String {
        match numbers {
            Stored::Full(bytes) => self.tensor(name, sizes, FLOAT, bytes),
            Stored::Half(bytes) => {
                let half = self.tensor(&format!("{name}.half"), sizes, FLOAT16, bytes);
                let to = vec![Attribute::int("to", i64::from(FLOAT))];
                self.node("Cast", name, &[&half], to)
            }
            Stored::Bytes { integers, scales } => {
                let integers = self.tensor(&format!("{name}.integers"), sizes, INT8, integers);
                let scales = self.tensor(&format!("{name}.scale"), &sizes[..1], FLOAT, scales);
                let outputs = vec![Attribute::int("axis", 0)];
                self.node("DequantizeLinear", name, &[&integers, &scales], outputs)
            }
        }
    }

    fn tensor(&mut self, name: &str, sizes: &[usize], data_type: i32, raw_data: Vec<u8>) -> String {
        let dims = sizes.iter().map(|&size| size as i64).collect();
        self.initializers.push(Tensor { dims, data_type, name: name.to_owned(), raw_data });
        name.to_owned()
    }

    /// Adds an operator with one output, which has the operator's name.
    fn node(&mut self, op: &str, name: &str, input: &[&str], attribute: Vec<Attribute>) -> String {
        self.nodes.push(Node {
            input: input.iter().map(|&input| input.to_owned()).collect(),
            output: vec![name.to_owned()],
            name: name.to_owned(),
            op_type: op.to_owned(),
            attribute,
        });
        name.to_owned()
    }
}
