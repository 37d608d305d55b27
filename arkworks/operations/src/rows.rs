//! The rows: a field of the operands, an operation, and its step.

use ark_bls12_381::Bls12_381;
use ark_bn254::Bn254;
use ark_ec::pairing::Pairing;
use ark_ff::Field;
use race::chain::{Chain, Runner};
use race::fields::{BLS12_381_P, BN254_P, Field as Operands};
use race::remote::Served;

use crate::elements::{Pair, Signed, Value};
use crate::groth16::{Proved, Verified};
use crate::many::{Sum, Transform};

/// All of them. What takes long is one chain, in which each step waits for the one before.
pub(crate) fn all() -> Vec<Served> {
    let mut rows = vec![];
    curve::<Bls12_381>(&BLS12_381_P, &mut rows);
    rows.extend([
        row(&BLS12_381_P, "msm_4096", Chain::long(Sum::<{ 1 << 12 }>::step)),
        row(&BLS12_381_P, "msm_16384", Chain::long(Sum::<{ 1 << 14 }>::step)),
        row(&BLS12_381_P, "transform_16384", Chain::long(Transform::step)),
        row(&BLS12_381_P, "verify", Chain::long(Signed::step)),
    ]);
    curve::<Bn254>(&BN254_P, &mut rows);
    rows
}

fn row(field: &'static Operands, op: &'static str, runner: impl Runner + 'static) -> Served {
    Served { field, op, runner: Box::new(runner) }
}

fn curve<E: Pairing>(field: &'static Operands, rows: &mut Vec<Served>)
where
    <E::G2 as ark_ec::CurveGroup>::BaseField: Field,
{
    rows.extend([
        row(field, "mul", multiply::<<E::G1 as ark_ec::CurveGroup>::BaseField>()),
        row(field, "square", square::<<E::G1 as ark_ec::CurveGroup>::BaseField>()),
        row(field, "fp2_mul", multiply::<<E::G2 as ark_ec::CurveGroup>::BaseField>()),
        row(field, "inverse", inverse::<<E::G1 as ark_ec::CurveGroup>::BaseField>()),
        row(field, "pairing", Chain::long(Pair::<E>::step)),
        row(field, "groth16_prove", Chain::long(Proved::<E>::step)),
        row(field, "groth16_verify", Chain::long(Verified::<E>::step)),
    ]);
}

fn multiply<F: Field>() -> impl Runner {
    Chain::new(|x: &mut Value<F>, y: &Value<F>| x.0 *= &y.0)
}

fn square<F: Field>() -> impl Runner {
    Chain::new(|x: &mut Value<F>, _: &Value<F>| {
        x.0.square_in_place();
    })
}

/// Of x + y, as all rows of inverses.
fn inverse<F: Field>() -> impl Runner {
    Chain::new(|x: &mut Value<F>, y: &Value<F>| {
        x.0 = (x.0 + y.0).inverse().unwrap_or_default();
    })
}
