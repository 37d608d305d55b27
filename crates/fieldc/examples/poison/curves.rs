//! The same for towers, points and pairings.

use fieldc::curves::{Affine, Curve, Jacobian, bls12_381, bn254, p256, secp256k1};
use fieldc::pairing::{Gt, Pairing, Value, bls12_381::Bls12381, bn254::Bn254};
use fieldc::{Fp2, Fp6, Fp12, HasTower};

use crate::memcheck::{public, secret};

macro_rules! check {
    ($secret:expr, $known:expr) => {
        assert_eq!(public($secret), $known)
    };
}

fn tower<F: HasTower>() {
    let part = Fp2::new(F::ONE.double(), F::ONE);
    let v = Fp12::W + Fp12::from(Fp6::new(part, part.square(), part.double()));
    let x = secret(v);
    check!(x + x, v + v);
    check!(x - v, Fp12::ZERO);
    check!(-x, -v);
    check!(x * x, v * v);
    check!(x.square(), v.square());
    check!(x.frobenius(5), v.frobenius(5));
    check!(x.conjugate(), v.conjugate());
    check!(x.invert_ct(), v.invert_ct());
    check!(x.cyclotomic_square(), v.cyclotomic_square());
    check!(x.is_zero(), false);
    check!(Fp12::select(secret(true), &x, &v), v);
    let (a, b) = (x.c0, v.c0);
    check!(
        x.mul_by_014(&a.c0, &a.c1, &a.c2),
        v.mul_by_014(&b.c0, &b.c1, &b.c2)
    );
    check!(
        x.mul_by_034(&a.c0, &a.c1, &a.c2),
        v.mul_by_034(&b.c0, &b.c1, &b.c2)
    );
}

fn points<C: Curve>() {
    let scalar = -C::Scalar::from(5_u64);
    let g = Affine::<C>::GENERATOR;
    let p = g + (g + g).to_affine();
    let (g_secret, p_secret) = (secret(g), secret(p));
    check!(p_secret + p_secret, p + p);
    check!(p_secret - p, Jacobian::INFINITY);
    check!(p_secret + g_secret, p + g);
    check!(
        secret(Jacobian::<C>::INFINITY) + g_secret,
        Jacobian::from(g)
    );
    check!(p_secret + secret(Affine::INFINITY), p);
    check!(p_secret.double(), p.double());
    check!(p_secret == g_secret.into(), false);
    check!(p_secret.is_infinity(), false);
    check!(p_secret.to_affine(), p.to_affine());
    check!(p_secret * secret(scalar), p * scalar);
    check!(g_secret.is_on_curve(), true);
    check!(g_secret.is_in_subgroup(), true);
}

fn pairings<E: Pairing>() {
    let (p, q) = (Affine::<E::G1>::GENERATOR, Affine::<E::G2>::GENERATOR);
    let pairing = |p, q| Value::<E>::of(&[(p, q), (p, q)]).final_exponentiation();
    let value = pairing(p, q);
    check!(pairing(secret(p), secret(q)), value);
    check!(pairing(secret(Affine::INFINITY), secret(q)), Gt::ONE);
    let scalar = -E::Scalar::from(5_u64);
    check!(secret(value).pow(secret(scalar)), value.pow(scalar));
}

pub(crate) fn run() {
    tower::<fieldc::bls12_381::Fp>();
    tower::<fieldc::bn254::Fp>();
    points::<bls12_381::G1>();
    points::<bls12_381::G2>();
    points::<bn254::G1>();
    points::<bn254::G2>();
    points::<secp256k1::Secp256k1>();
    points::<p256::P256>();
    pairings::<Bls12381>();
    pairings::<Bn254>();
}
