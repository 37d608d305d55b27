//! Ours: the towers, curves and pairings of the crate `fieldc`.

use std::marker::PhantomData;

use fieldc::curves::{Affine, Jacobian};
use fieldc::pairing::{Pairing, Value, bls12_381::Bls12381, bn254::Bn254};
use fieldc::{Fp2, Fp6, Fp12};

use super::{Base, G1, G2, Library};
use crate::entry::{Entry, OURS, Peer};
use crate::fields::{BLS12_381_P, BN254_P};

pub(super) fn enter(entries: &mut Vec<Entry>) {
    let version = crate::peers::version("fieldc", "");
    let peer = Peer { name: OURS, version, algorithm: crate::curves::kernels() };
    super::rows::<Ours<Bls12381, true>>(entries, &BLS12_381_P, peer);
    super::rows::<Ours<Bn254, false>>(entries, &BN254_P, peer);
}

/// Ours for a curve, whose twist is multiplied or divided by ξ.
struct Ours<E, const IS_MULTIPLIED: bool>(PhantomData<E>);

impl<E: Pairing, const IS_MULTIPLIED: bool> Library for Ours<E, IS_MULTIPLIED> {
    type Curve = E;
    type Tower = Fp12<E::Base>;
    type Line = [Fp2<E::Base>; 3];
    type P = Jacobian<E::G1>;
    type PAffine = Affine<E::G1>;
    type Q = Jacobian<E::G2>;
    type QAffine = Affine<E::G2>;

    fn tower(x: &Fp12<Base<Self>>) -> Self::Tower {
        *x
    }

    fn tower_back(x: &Self::Tower) -> Fp12<Base<Self>> {
        *x
    }

    fn line(parts: &Fp6<Base<Self>>) -> Self::Line {
        [parts.c0, parts.c1, parts.c2]
    }

    fn p(x: &Affine<G1<Self>>) -> (Self::P, Self::PAffine) {
        ((*x).into(), *x)
    }

    fn p_back(x: &Self::P) -> Affine<G1<Self>> {
        x.to_affine()
    }

    fn q(x: &Affine<G2<Self>>) -> (Self::Q, Self::QAffine) {
        ((*x).into(), *x)
    }

    fn q_back(x: &Self::Q) -> Affine<G2<Self>> {
        x.to_affine()
    }

    fn mul(x: &mut Self::Tower, y: &Self::Tower) {
        *x *= y;
    }

    fn square(x: &mut Self::Tower) {
        *x = x.square();
    }

    fn cyclotomic_square(x: &mut Self::Tower) {
        *x = x.cyclotomic_square();
    }

    fn mul_line(x: &mut Self::Tower, [a, b, c]: &Self::Line) {
        *x = if IS_MULTIPLIED { x.mul_by_014(a, b, c) } else { x.mul_by_034(a, b, c) };
    }

    fn add_p(x: &mut Self::P, y: &Self::PAffine) {
        *x += y;
    }

    fn double_p(x: &mut Self::P) {
        *x = x.double();
    }

    fn add_q(x: &mut Self::Q, y: &Self::QAffine) {
        *x += y;
    }

    fn double_q(x: &mut Self::Q) {
        *x = x.double();
    }

    fn miller_loop(pairs: &[(Self::PAffine, Self::QAffine)]) -> Self::Tower {
        *Value::<E>::of(pairs).as_fp12()
    }

    fn final_exponentiation(x: &Self::Tower) -> Self::Tower {
        let value = Value::<E>::new(*x).expect("the value is not 0");
        *value.final_exponentiation().as_fp12()
    }
}
