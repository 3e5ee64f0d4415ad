//! Between planes of the frame, as games have them, and cells with their channels side by side, as
//! kernels have them.

use super::dword;
use crate::games::Spec;
use crate::nn::Board;

/// Converts an observation, `[planes, cells of the frame]`, to the dwords that a kernel reads:
/// `[cells, stride]`, each of `channels` planes. Planes that the observation does not have are 0.
pub(crate) fn encode(
    board: &Board,
    observation: &[f32],
    [channels, stride]: [usize; 2],
    dwords: &mut [f32],
) {
    let frame = board.spec().cells();
    for (cell, dwords) in board.cells().zip(dwords.chunks_exact_mut(stride)) {
        for (index, slot) in dwords.iter_mut().enumerate() {
            let plane = |part| observation.get((index * channels + part) * frame + cell).copied();
            let values = [plane(0), plane(1)].map(Option::unwrap_or_default);
            *slot = dword(&values[..channels]);
        }
    }
}

/// Sorts the logits of the planes, `[count, cells, channels]`, by action: `[count, actions]`.
/// Those of cells that the board does not have are 0.
pub(crate) fn policy_of_cells(
    board: &Board,
    count: usize,
    logits: &[f32],
    channels: usize,
    policy: &mut [f32],
) {
    let (spec, cells) = (board.spec(), board.cells());
    let boards = logits.chunks_exact(cells.len() * channels).take(count);
    for (logits, policy) in boards.zip(policy.chunks_exact_mut(spec.actions())) {
        let planes = policy.chunks_exact_mut(spec.cells());
        for (plane, row) in planes.take(spec.displacements.len()).enumerate() {
            if !board.is_whole() {
                row.fill(0.0);
            }
            let logits = logits.chunks_exact(channels);
            cells.clone().zip(logits).for_each(|(cell, logits)| row[cell] = logits[plane]);
        }
    }
}

/// Copies numbers of the actions of one board, `[actions]`, to `[cells, channels]`: the inverse of
/// [`policy_of_cells`].
#[cfg(not(target_family = "wasm"))]
pub(crate) fn cells_of_policy(board: &Board, policy: &[f32], channels: usize, numbers: &mut [f32]) {
    for (plane, row) in policy.chunks_exact(board.spec().cells()).enumerate() {
        let numbers = numbers.chunks_exact_mut(channels).map(|numbers| &mut numbers[plane]);
        board.cells().zip(numbers).for_each(|(cell, number)| *number = row[cell]);
    }
}

/// Copies the logits of the pass, the first of `[count, channels]`, to their action.
pub(crate) fn policy_of_pass(
    spec: &Spec,
    count: usize,
    logits: &[f32],
    channels: usize,
    policy: &mut [f32],
) {
    let actions = spec.actions();
    let logits = logits.chunks_exact(channels).take(count);
    for (policy, logits) in policy.chunks_exact_mut(actions).zip(logits) {
        policy[actions - 1] = logits[0];
    }
}
