//! The bytes of weights and of the optimizer: equal for equal trainings, and never trusted.

#![cfg(feature = "net")]

use std::collections::BTreeMap;

use burn::tensor::{Bytes, DType};
use burn_pack::{Reader, Scalar, Tensor, Writer};
use rand::{Rng, RngExt};

use super::net::{SMALL, batch};
use crate::base::rng::{Purpose, stream};
use crate::nn::burn_net::Learner;
use crate::nn::settings::LearnerSettings;
use crate::nn::{Batch, Board};
use crate::registry;

/// The end of the names of the first and of the second moment, and of the number of steps.
const FIRST: &str = "momentum.moment_1";
const SECOND: &str = "momentum.moment_2";
const STEPS: &str = "momentum.time";

fn given() -> (Board, Batch) {
    let variant = registry::preset("connect_four").unwrap();
    (Board::of(&variant), batch(&variant, 16))
}

fn new() -> Learner {
    Learner::new(&given().0, &SMALL, LearnerSettings::default(), 1).unwrap()
}

/// A learner after some steps, and its weights and state of the optimizer.
fn trained() -> (Learner, Vec<u8>, Vec<u8>) {
    let (mut learner, batch) = (new(), given().1);
    (0..3).for_each(|_| assert!(learner.step(&batch, 1e-3).is_ok()));
    let (weights, state) = (learner.weights().unwrap(), learner.optimizer().unwrap());
    (learner, weights, state)
}

/// What is in a file of burn's.
struct Parts {
    tensors: Vec<Tensor>,
    scalars: BTreeMap<String, Scalar>,
}

impl Parts {
    fn of(bytes: &[u8]) -> Self {
        let reader = Reader::from_bytes(Bytes::from_bytes_vec(bytes.to_vec())).unwrap();
        let scalars = reader.scalars().clone();
        Self { tensors: reader.into_tensors().unwrap(), scalars }
    }

    fn bytes(self) -> Vec<u8> {
        let writer = Writer::new(self.tensors);
        let add =
            |writer: Writer, (name, value): (&String, &Scalar)| writer.with_scalar(name, *value);
        self.scalars.iter().fold(writer, add).into_bytes().unwrap().to_vec()
    }

    /// The first tensor whose name has this end.
    fn tensor(&mut self, end: &str) -> &mut Tensor {
        self.tensors.iter_mut().find(|tensor| tensor.name.ends_with(end)).unwrap()
    }

    /// Gives the first tensor with this end other contents.
    fn replace(&mut self, end: &str, dtype: DType, shape: Vec<usize>, bytes: Vec<u8>) {
        let tensor = self.tensor(end);
        let (name, id) = (tensor.name.clone(), tensor.param_id);
        *tensor = Tensor::new(name, dtype, shape, id, Bytes::from_bytes_vec(bytes));
    }

    /// Changes the first number of the first tensor with this end.
    fn set_number(&mut self, end: &str, number: f32) {
        let tensor = self.tensor(end);
        let mut bytes = tensor.to_bytes().unwrap().to_vec();
        bytes[..4].copy_from_slice(&number.to_le_bytes());
        let shape = tensor.shape.to_vec();
        self.replace(end, DType::F32, shape, bytes);
    }

    /// Sets the first scalar with this end.
    fn set_scalar(&mut self, end: &str, value: Scalar) {
        *self.scalars.iter_mut().find(|(name, _)| name.ends_with(end)).unwrap().1 = value;
    }
}

#[test]
fn equal_trainings_have_equal_bytes() {
    let (_, weights, state) = trained();
    for _ in 0..3 {
        let (_, other_weights, other_state) = trained();
        assert!(other_weights == weights && other_state == state);
    }
    let mut resumed = new().restore(&weights, &state).unwrap();
    assert!(resumed.weights().unwrap() == weights && resumed.optimizer().unwrap() == state);
    let mut undisturbed = trained().0;
    for learner in [&mut resumed, &mut undisturbed] {
        assert!(learner.step(&given().1, 1e-3).is_ok());
    }
    assert!(resumed.optimizer().unwrap() == undisturbed.optimizer().unwrap());
}

#[test]
fn a_state_in_any_order_loads() {
    let (_, weights, state) = trained();
    let mut parts = Parts::of(&state);
    parts.tensors.reverse();
    let reversed = parts.bytes();
    assert!(reversed != state);
    assert!(new().restore(&weights, &reversed).unwrap().optimizer().unwrap() == state);
}

#[test]
fn a_crafted_state_is_refused() {
    let (_, weights, state) = trained();
    let check = |what: &str, craft: fn(&mut Parts)| {
        let mut parts = Parts::of(&state);
        craft(&mut parts);
        let error = new().restore(&weights, &parts.bytes()).err();
        let error = error.unwrap_or_else(|| panic!("loaded: {what}"));
        assert!(error.to_string().contains("cannot read the optimizer's state"), "{error:#}");
    };
    check("a tensor is missing", |parts| drop(parts.tensors.pop()));
    check("a scalar is missing", |parts| drop(parts.scalars.pop_first()));
    check("all scalars are missing", |parts| parts.scalars.clear());
    check("all tensors are missing", |parts| parts.tensors.clear());
    check("the ID is of another parameter", |parts| parts.tensor(FIRST).param_id = Some(7));
    check("the ID is missing", |parts| parts.tensor(FIRST).param_id = None);
    check("the ID is doubled", |parts| {
        let id = parts.tensors.last().unwrap().param_id;
        parts.tensor(FIRST).param_id = id;
    });
    check("a tensor is of no parameter", |parts| parts.tensor(FIRST).name.insert(0, '1'));
    check("the shape is another", |parts| parts.replace(FIRST, DType::F32, vec![1], vec![0; 4]));
    check("the shape is empty", |parts| parts.replace(FIRST, DType::F32, vec![0], vec![]));
    check("the rank is 0", |parts| parts.replace(FIRST, DType::F32, vec![], vec![0; 4]));
    check("the rank is 9", |parts| parts.replace(FIRST, DType::F32, vec![1; 9], vec![0; 4]));
    check("the type is another", |parts| {
        let shape = parts.tensor(FIRST).shape.to_vec();
        let bytes = vec![0; 8 * shape.iter().product::<usize>()];
        parts.replace(FIRST, DType::F64, shape, bytes);
    });
    check("a moment is infinite", |parts| parts.set_number(FIRST, f32::INFINITY));
    check("a moment is no number", |parts| parts.set_number(SECOND, f32::NAN));
    check("a mean of squares is negative", |parts| parts.set_number(SECOND, -1.0));
    check("the steps are 0", |parts| parts.set_scalar(STEPS, Scalar::UInt(0)));
    check("the steps are many", |parts| parts.set_scalar(STEPS, Scalar::UInt(u64::MAX)));
    check("the steps are negative", |parts| parts.set_scalar(STEPS, Scalar::Int(-1)));
    check("the steps are no number", |parts| parts.set_scalar(STEPS, Scalar::Bool(true)));
    check("the rank differs from the shape", |parts| parts.set_scalar("__rank", Scalar::UInt(8)));
    check("the rank is huge", |parts| parts.set_scalar("__rank", Scalar::UInt(1 << 40)));
    check("a scalar is of no parameter", |parts| {
        parts.scalars.insert("7.__rank".to_owned(), Scalar::UInt(9));
    });
}

#[test]
fn crafted_weights_are_refused() {
    let (_, weights, state) = trained();
    let check = |craft: fn(&mut Parts)| {
        let mut parts = Parts::of(&weights);
        craft(&mut parts);
        assert!(new().restore(&parts.bytes(), &state).is_err());
    };
    check(|parts| drop(parts.tensors.pop()));
    check(|parts| parts.tensors.clear());
    check(|parts| parts.tensors[0].name.push('x'));
    check(|parts| parts.replace("weight", DType::F32, vec![1], vec![0; 4]));
    check(|parts| parts.replace("weight", DType::F32, vec![], vec![0; 4]));
    check(|parts| {
        let shape = parts.tensor("weight").shape.to_vec();
        let bytes = vec![0; 2 * shape.iter().product::<usize>()];
        parts.replace("weight", DType::F16, shape, bytes);
    });
    check(|parts| parts.set_number("running_var", f32::NEG_INFINITY));
    check(|parts| {
        let more =
            Tensor::new("x".into(), DType::F32, vec![0], None, Bytes::from_bytes_vec(vec![]));
        parts.tensors.push(more);
    });
}

#[test]
fn ids_in_weights_have_no_effect() {
    let (_, weights, state) = trained();
    let mut parts = Parts::of(&weights);
    parts.tensors.iter_mut().for_each(|tensor| tensor.param_id = Some(5));
    let restored = new().restore(&parts.bytes(), &state).unwrap();
    assert!(restored.weights().unwrap() == weights && restored.optimizer().unwrap() == state);
}

/// Damages a file: some bytes become random, zero or all ones, or the end is cut off.
fn damage(bytes: &mut Vec<u8>, rng: &mut impl Rng) {
    // Half of the damage is in the header and the descriptions, where it matters most.
    let end = if rng.random() { bytes.len() } else { bytes.len().min(4000) };
    for _ in 0..rng.random_range(1..4) {
        let place = rng.random_range(0..end);
        match rng.random_range(0..6) {
            0 => bytes[place] = rng.random(),
            1 => bytes[place] ^= 1 << rng.random_range(0..8),
            2 => bytes[place] = 0,
            3 => bytes[place..].iter_mut().take(8).for_each(|byte| *byte = 0xff),
            4 => bytes[place] = bytes[place].wrapping_add(1),
            _ => bytes[place..].iter_mut().take(4).for_each(|byte| *byte = rng.random()),
        }
    }
    if rng.random_range(0..10) == 0 {
        bytes.truncate(rng.random_range(0..end));
    }
}

#[test]
fn thousands_of_damaged_files_never_panic() {
    let (_, weights, state) = trained();
    let batch = given().1;
    let mut rng = stream(1, 0, 0, Purpose::Sampling);
    let mut loaded = 0;
    for number in 0..4000 {
        let (mut weights, mut state) = (weights.clone(), state.clone());
        damage(if number % 2 == 0 { &mut weights } else { &mut state }, &mut rng);
        if let Ok(mut learner) = new().restore(&weights, &state) {
            // Damaged numbers may be finite: the step then works, or reports that it diverged.
            let _ = learner.step(&batch, 1e-3);
            loaded += 1;
        }
    }
    assert!((1..4000).contains(&loaded), "{loaded} were loaded");
}
