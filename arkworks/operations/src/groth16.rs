//! Groth16: proofs that a number has been squared 2^14 - 2 times, and their verification.

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use ark_ec::pairing::Pairing;
use ark_ec::{AdditiveGroup, AffineRepr};
use ark_ff::{Field, UniformRand};
use ark_groth16::{Groth16, PreparedVerifyingKey, Proof, ProvingKey, prepare_verifying_key};
use ark_relations::gr1cs::{ConstraintSynthesizer, ConstraintSystemRef, SynthesisError};
use ark_relations::lc;
use ark_std::rand::SeedableRng;
use ark_std::rand::rngs::StdRng;
use race::chain::Element;
use race::operand::Form;

use crate::elements::{bit, limbs, number};
use crate::many::random;

/// Constraints of the circuit; with the result and the constant 1 they fill a domain of 2^14.
const CONSTRAINTS: usize = (1 << 14) - 2;

/// The number that was squared.
#[derive(Clone, Copy)]
struct Squarings<F>(F);

impl<F: Field> Squarings<F> {
    fn result(self) -> F {
        (0..CONSTRAINTS).fold(self.0, |value, _| value.square())
    }
}

impl<F: Field> ConstraintSynthesizer<F> for Squarings<F> {
    fn generate_constraints(self, system: ConstraintSystemRef<F>) -> Result<(), SynthesisError> {
        let result = system.new_input_variable(|| Ok(self.result()))?;
        let (mut value, mut variable) = (self.0, system.new_witness_variable(|| Ok(self.0))?);
        for squared in 1..=CONSTRAINTS {
            value.square_in_place();
            let next = match squared {
                CONSTRAINTS => result,
                _ => system.new_witness_variable(|| Ok(value))?,
            };
            let factor = || lc!() + variable;
            system.enforce_r1cs_constraint(factor, factor, || lc!() + next)?;
            variable = next;
        }
        Ok(())
    }
}

/// Both keys of the circuit, and a proof that others are made from.
struct Keys<E: Pairing> {
    proving: ProvingKey<E>,
    verifying: PreparedVerifyingKey<E>,
    result: E::ScalarField,
    proof: Proof<E>,
}

impl<E: Pairing> Keys<E> {
    fn new() -> Self {
        let (random, circuit) = (&mut StdRng::seed_from_u64(5), Squarings(E::ScalarField::from(3)));
        let proving = Groth16::<E>::generate_random_parameters_with_reduction(circuit, random)
            .expect("the circuit has a domain");
        let verifying = prepare_verifying_key(&proving.vk);
        let proof = Groth16::<E>::create_random_proof_with_reduction(circuit, &proving, random)
            .expect("the circuit holds");
        Self { proving, verifying, result: circuit.result(), proof }
    }
}

/// The keys of a curve, which take seconds to make: once.
fn keys<E: Pairing>() -> Rc<Keys<E>> {
    thread_local! {
        static KEYS: RefCell<HashMap<TypeId, Rc<dyn Any>>> = RefCell::default();
    }
    let made = KEYS.with(|keys| keys.borrow().get(&TypeId::of::<E>()).cloned());
    let made = made.unwrap_or_else(|| {
        let made: Rc<dyn Any> = Rc::new(Keys::<E>::new());
        KEYS.with(|keys| keys.borrow_mut().insert(TypeId::of::<E>(), made.clone()));
        made
    });
    made.downcast().expect("the keys of this curve")
}

/// The limbs of a proof's points.
fn words<E: Pairing>(proof: &Proof<E>) -> Vec<u64> {
    fn point<P: AffineRepr>(point: &P) -> Vec<u64> {
        point.xy().map_or(vec![], |(x, y)| [limbs(x), limbs(y)].concat())
    }
    [point(&proof.a), point(&proof.b), point(&proof.c)].concat()
}

/// A number to square, and the last proof, which decides the next number.
#[derive(Clone)]
pub(crate) struct Proved<E: Pairing> {
    keys: Rc<Keys<E>>,
    number: E::ScalarField,
    proof: Proof<E>,
}

impl<E: Pairing> Proved<E> {
    pub(crate) fn step(x: &mut Self, y: &Self) {
        let last = x.proof.a.x().is_some_and(|x| bit(&x));
        let circuit = Squarings(y.number + E::ScalarField::from(last));
        let (r, s) = (y.number.double(), y.number.square());
        x.proof = Groth16::<E>::create_proof_with_reduction(circuit, &y.keys.proving, r, s)
            .expect("the circuit holds");
    }
}

impl<E: Pairing> Element for Proved<E> {
    const FORM: Form = Form::Plain;

    fn load(operand: &[u64]) -> Self {
        let keys = keys();
        Self { number: number(operand), proof: Proof::default(), keys }
    }

    fn store(&self) -> Vec<u64> {
        words(&self.proof)
    }
}

/// A proof and the result that it speaks of; and whether the last one was found right.
#[derive(Clone)]
pub(crate) struct Verified<E: Pairing> {
    keys: Rc<Keys<E>>,
    result: E::ScalarField,
    proof: Proof<E>,
    is_right: bool,
}

impl<E: Pairing> Verified<E> {
    pub(crate) fn step(x: &mut Self, y: &Self) {
        x.is_right = Groth16::<E>::verify_proof(&y.keys.verifying, &y.proof, &[y.result])
            .expect("as many inputs as the key has");
    }
}

impl<E: Pairing> Element for Verified<E> {
    const FORM: Form = Form::Plain;

    /// Every other proof is of another result, and wrong.
    fn load(operand: &[u64]) -> Self {
        let (keys, random) = (keys::<E>(), &mut random(operand));
        let proof = Groth16::<E>::rerandomize_proof(&keys.proving.vk, &keys.proof, random);
        let is_wrong = bool::rand(random);
        let result = keys.result + E::ScalarField::from(is_wrong);
        Self { result, proof, is_right: !is_wrong, keys }
    }

    fn store(&self) -> Vec<u64> {
        [vec![u64::from(self.is_right)], words(&self.proof)].concat()
    }
}
