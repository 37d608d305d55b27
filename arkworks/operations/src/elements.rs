//! What the steps work on. Operands are elements of the base field; everything else is made from
//! such an element, alike in every build, before the clock starts.

use ark_bls12_381::G1Affine;
use ark_ec::pairing::Pairing;
use ark_ec::{CurveGroup, PrimeGroup};
use ark_ff::{Field, PrimeField};
use ark_serialize::CanonicalSerialize;
use race::chain::Element;
use race::operand::Form;

use crate::signature::{public_key, sign, verify};

/// The limbs of an element's coordinates over the prime field.
pub(crate) fn limbs<F: Field>(value: F) -> Vec<u64> {
    let coordinates = value.to_base_prime_field_elements();
    coordinates.flat_map(|c| c.into_bigint().as_ref().to_vec()).collect()
}

/// The number with these limbs in a prime field.
pub(crate) fn number<F: PrimeField>(limbs: &[u64]) -> F {
    let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    F::from_le_bytes_mod_order(&bytes)
}

/// An element of a field: of an extension the powers of an operand side by side.
#[derive(Clone)]
pub(crate) struct Value<F>(pub(crate) F);

impl<F: Field> Element for Value<F> {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        let x: F::BasePrimeField = number(limbs);
        let powers = (1..=F::extension_degree()).map(|exponent| x.pow([exponent]));
        Self(F::from_base_prime_field_elems(powers).expect("as many as the degree"))
    }

    fn store(&self) -> Vec<u64> {
        limbs(self.0)
    }
}

/// A point of each group and the last pairing, which decides the sign of the next point: so each
/// pairing waits for the one before.
#[derive(Clone)]
pub(crate) struct Pair<E: Pairing> {
    p: [E::G1Affine; 2],
    q: E::G2Affine,
    value: E::TargetField,
}

impl<E: Pairing> Pair<E> {
    pub(crate) fn step(x: &mut Self, _: &Self) {
        let sign = usize::from(bit(&x.value));
        x.value = E::pairing(x.p[sign], x.q).0;
    }
}

impl<E: Pairing> Element for Pair<E> {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        let scalar: E::ScalarField = number(limbs);
        let p = E::G1::generator() * scalar;
        let q = (E::G2::generator() * scalar).into_affine();
        Self { p: [p.into_affine(), (-p).into_affine()], q, value: E::TargetField::ONE }
    }

    fn store(&self) -> Vec<u64> {
        limbs(self.value)
    }
}

/// A bit that changes with the value.
pub(crate) fn bit<F: Field>(value: &F) -> bool {
    let first = value.to_base_prime_field_elements().next();
    first.is_some_and(|coordinate| coordinate.into_bigint().as_ref()[0] & 1 == 1)
}

/// A key, a message of it and its signature, encoded; and whether the last one was found valid.
#[derive(Clone)]
pub(crate) struct Signed {
    key: G1Affine,
    message: Vec<u8>,
    signature: [u8; 96],
    valid: bool,
}

impl Signed {
    /// From encoded signature to answer.
    pub(crate) fn step(x: &mut Self, y: &Self) {
        x.valid = verify(y.key, &y.message, &y.signature);
    }
}

impl Element for Signed {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        let message: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        let (secret, mut signature) = (number(limbs), [0; 96]);
        let point = sign(secret, &message).expect("the domain is short");
        point.serialize_compressed(&mut signature[..]).expect("96 bytes are enough");
        Self { key: public_key(secret), message, signature, valid: false }
    }

    fn store(&self) -> Vec<u64> {
        let signature = self.signature.map(u64::from);
        [&[u64::from(self.valid)], &signature[..]].concat()
    }
}
