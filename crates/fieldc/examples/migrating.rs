//! The example of docs/migrating.md: text that is generic over the traits of ff.

use ff::PrimeField;
use fieldc::bls12_381::Fr; // was: use bls12_381::Scalar as Fr;

fn evaluate<F: PrimeField>(coefficients: &[F], x: F) -> F {
    coefficients
        .iter()
        .rev()
        .fold(F::ZERO, |sum, a| sum * x + a)
}

fn main() {
    let value = evaluate(&[1, 2, 3].map(Fr::from_u64), Fr::from_u64(10));
    assert_eq!(value, Fr::from_u64(321));
}
