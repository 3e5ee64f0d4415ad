//! The batched environment.

use numpy::ndarray::{ArrayView, Dimension, ShapeBuilder};
use numpy::{Element, PyArray, PyArrayMethods, PyReadonlyArray1};
use pyo3::exceptions::PyIndexError;
use pyo3::prelude::*;
use tavoliere::games::Side;
use tavoliere::games::env::EnvError;
use tavoliere::registry::any_env::AnyEnv;

use crate::{game, wrong};

/// Many games of one kind, stepped together. All arrays are views of its memory, which the next
/// call changes.
#[pyclass(subclass, module = "tavoliere._native")]
pub(crate) struct BatchEnv {
    env: Box<dyn AnyEnv>,
    /// The number of the side to move, by game.
    to_move: Vec<u8>,
    /// By game.
    finished: Vec<bool>,
    /// The results of finished games for both sides, `[batch, 2]`.
    rewards: Vec<f32>,
    actions: Vec<u16>,
}

impl BatchEnv {
    /// Copies what the environment has in another form.
    fn update(&mut self) {
        let rewards = self.rewards.chunks_exact_mut(2);
        let sides = self.env.to_move().iter().zip(&mut self.to_move);
        let ends = self.env.outcomes().iter().zip(&mut self.finished).zip(rewards);
        for ((side, number), ((outcome, finished), rewards)) in sides.zip(ends) {
            *number = *side as u8;
            *finished = outcome.is_some();
            let reward = |side| outcome.map_or(0.0, |outcome| outcome.value_for(side));
            rewards.copy_from_slice(&[Side::P1, Side::P2].map(reward));
        }
    }

    fn check(&self, index: usize) -> PyResult<()> {
        let batch = self.env.batch();
        let reason = || PyIndexError::new_err(format!("there is no game {index} among {batch}"));
        if index < batch { Ok(()) } else { Err(reason()) }
    }
}

#[pymethods]
impl BatchEnv {
    #[new]
    #[pyo3(signature = (game_name, batch, seed, rules))]
    fn new(game_name: &str, batch: usize, seed: u64, rules: &str) -> PyResult<Self> {
        if batch == 0 {
            return Err(wrong("the batch must have at least one game"));
        }
        let env = game(game_name, rules)?.env(batch, seed);
        let (to_move, finished, rewards) =
            (vec![0; batch], vec![false; batch], vec![0.0; 2 * batch]);
        let mut made = Self { env, to_move, finished, rewards, actions: vec![0; batch] };
        made.update();
        Ok(made)
    }

    /// Planes, height, width, and the number of actions.
    #[getter]
    fn sizes(&self) -> (usize, usize, usize, usize) {
        let spec = self.env.spec();
        (spec.planes, spec.height, spec.width, spec.actions())
    }

    #[getter]
    fn batch(&self) -> usize {
        self.env.batch()
    }

    fn _step(&mut self, py: Python<'_>, actions: PyReadonlyArray1<'_, i64>) -> PyResult<()> {
        let actions = actions.as_slice()?;
        if actions.len() != self.env.batch() {
            let (given, batch) = (actions.len(), self.env.batch());
            return Err(wrong(EnvError::Count { given, batch }));
        }
        for (game, (&given, action)) in actions.iter().zip(&mut self.actions).enumerate() {
            let Ok(small) = u16::try_from(given) else {
                if self.finished[game] {
                    *action = 0;
                    continue;
                }
                return Err(wrong(format!("action {given} is not legal in game {game}")));
            };
            *action = small;
        }
        py.detach(|| {
            self.env.step(&self.actions)?;
            self.update();
            Ok(())
        })
        .map_err(|error: EnvError| wrong(error))
    }

    fn reset(&mut self, py: Python<'_>) {
        py.detach(|| {
            self.env.reset();
            self.update();
        });
    }

    fn reset_finished(&mut self, py: Python<'_>) {
        py.detach(|| {
            self.env.reset_finished();
            self.update();
        });
    }

    fn random_actions<'py>(&mut self, py: Python<'py>) -> Bound<'py, PyArray<i64, numpy::Ix1>> {
        self.env.random_actions(&mut self.actions);
        PyArray::from_iter(py, self.actions.iter().map(|&action| i64::from(action)))
    }

    #[getter]
    fn observations(this: Bound<'_, Self>) -> PyResult<Bound<'_, PyArray<f32, numpy::Ix4>>> {
        let (planes, height, width, _) = this.borrow().sizes();
        let batch = this.borrow().env.batch();
        view(&this, [batch, planes, height, width], |env| env.env.observations())
    }

    #[getter]
    fn legal(this: Bound<'_, Self>) -> PyResult<Bound<'_, PyArray<bool, numpy::Ix2>>> {
        let shape = [this.borrow().env.batch(), this.borrow().sizes().3];
        view(&this, shape, |env| env.env.legal())
    }

    #[getter]
    fn to_move(this: Bound<'_, Self>) -> PyResult<Bound<'_, PyArray<u8, numpy::Ix1>>> {
        let batch = this.borrow().env.batch();
        view(&this, [batch], |env| &env.to_move)
    }

    #[getter]
    fn finished(this: Bound<'_, Self>) -> PyResult<Bound<'_, PyArray<bool, numpy::Ix1>>> {
        let batch = this.borrow().env.batch();
        view(&this, [batch], |env| &env.finished)
    }

    #[getter]
    fn rewards(this: Bound<'_, Self>) -> PyResult<Bound<'_, PyArray<f32, numpy::Ix2>>> {
        let batch = this.borrow().env.batch();
        view(&this, [batch, 2], |env| &env.rewards)
    }

    fn board(&self, index: usize) -> PyResult<String> {
        self.check(index)?;
        Ok(self.env.board(index))
    }

    fn position(&self, index: usize) -> PyResult<String> {
        self.check(index)?;
        Ok(self.env.position(index))
    }

    fn action_text(&self, index: usize, action: u16) -> PyResult<String> {
        self.check(index)?;
        let actions = self.env.spec().actions();
        let is_legal = usize::from(action) < actions
            && self.env.legal()[index * actions + usize::from(action)];
        if !is_legal {
            return Err(wrong(EnvError::Illegal { game: index, action }));
        }
        Ok(self.env.action_text(index, action))
    }
}

/// A read-only array of numbers that the environment owns. The array keeps the environment alive.
fn view<'py, T: Element, D: Dimension, S: ShapeBuilder<Dim = D>>(
    this: &Bound<'py, BatchEnv>,
    shape: S,
    numbers: impl Fn(&BatchEnv) -> &[T],
) -> PyResult<Bound<'py, PyArray<T, D>>> {
    let borrowed = this.borrow();
    let numbers = ArrayView::from_shape(shape, numbers(&borrowed)).map_err(wrong)?;
    // SAFETY: the numbers are on the heap, at a place that does not change as long as the
    // environment exists, and the array holds a reference to it. Python writes none of them: the
    // array is made read-only at once. The environment writes them with the interpreter released,
    // so a thread that reads at the same time sees a mixture, as the documentation of the class
    // says.
    let array = unsafe { PyArray::borrow_from_array(&numbers, this.clone().into_any()) };
    array.readwrite().make_nonwriteable();
    Ok(array)
}
