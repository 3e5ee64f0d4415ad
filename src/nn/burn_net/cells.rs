//! The cells of a board in tensors, which have all cells of its frame.

use burn::nn::BatchNorm;
use burn::tensor::{Device, IndexingUpdateOp, Int, Tensor, TensorData};

use crate::nn::Board;

/// The cells of a board.
pub(super) struct Cells {
    /// Their numbers in the frame; none if it has no others.
    numbers: Option<Tensor<1, Int>>,
}

impl Cells {
    pub(super) fn new(board: &Board, device: &Device) -> Self {
        let tensor = || {
            let numbers: Vec<i32> = board.cells().map(|cell| cell as i32).collect();
            Tensor::from_data(TensorData::from(&*numbers), device)
        };
        Self { numbers: (!board.is_whole()).then(tensor) }
    }

    /// The cells as a list: from `[batch, channels, height, width]` to `[batch, channels, cells]`.
    pub(super) fn listed(&self, x: Tensor<4>) -> Tensor<3> {
        let [batch, channels, height, width] = x.dims();
        let frame = x.reshape([batch, channels, height * width]);
        match &self.numbers {
            Some(numbers) => frame.select(2, numbers.clone()),
            None => frame,
        }
    }

    /// Sets everything beside the board to zero.
    pub(super) fn only(&self, x: Tensor<4>) -> Tensor<4> {
        match &self.numbers {
            Some(numbers) => placed(self.listed(x.clone()), numbers, x.dims()),
            None => x,
        }
    }

    /// Normalises the cells by their statistics alone.
    pub(super) fn norm(&self, norm: &BatchNorm, x: Tensor<4>) -> Tensor<4> {
        let Some(numbers) = &self.numbers else { return norm.forward(x) };
        let dims = x.dims();
        placed(norm.forward(self.listed(x)), numbers, dims)
    }
}

/// Places a list of cells in the frame, beside zeros.
fn placed(list: Tensor<3>, numbers: &Tensor<1, Int>, dims: [usize; 4]) -> Tensor<4> {
    let [batch, channels, height, width] = dims;
    let zeros = Tensor::<3>::zeros([batch, channels, height * width], &list.device());
    let zeros = zeros.cast(list.dtype());
    zeros.select_assign(2, numbers.clone(), list, IndexingUpdateOp::Add).reshape(dims)
}
