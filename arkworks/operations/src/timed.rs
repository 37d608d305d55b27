//! The operations, each as a function that does it so many times.

use std::hint::black_box;

use ark_bls12_381::{Bls12_381, Fq, Fq2, Fr, G1Affine, G1Projective};
use ark_bn254::Bn254;
use ark_ec::pairing::Pairing;
use ark_ec::{CurveGroup, VariableBaseMSM};
use ark_ff::{Field, UniformRand};
use ark_serialize::CanonicalSerialize;
use ark_std::rand::rngs::StdRng;
use ark_std::rand::{Rng, SeedableRng};

use crate::signature::{public_key, sign, verify};

/// An operation with its name.
pub(crate) struct Timed {
    /// As the table has it.
    pub(crate) name: &'static str,
    /// Does the operation so many times.
    pub(crate) run: Box<dyn FnMut(u64)>,
}

fn timed(name: &'static str, run: impl FnMut(u64) + 'static) -> Timed {
    Timed { name, run: Box::new(run) }
}

/// All of them, on the same operands in every process.
pub(crate) fn all() -> Vec<Timed> {
    let random = &mut StdRng::seed_from_u64(4);
    vec![
        multiplication::<Fq>("BLS12-381 Fp multiplication", random),
        square::<Fq>("BLS12-381 Fp square", random),
        multiplication::<Fq2>("BLS12-381 Fp2 multiplication", random),
        multiplication::<ark_bn254::Fq>("BN254 Fp multiplication", random),
        square::<ark_bn254::Fq>("BN254 Fp square", random),
        multiplication::<ark_bn254::Fq2>("BN254 Fp2 multiplication", random),
        pairing::<Bls12_381>("BLS12-381 pairing", random),
        pairing::<Bn254>("BN254 pairing", random),
        multi_scalar("BLS12-381 G1 multi-scalar multiplication, 2^12", random),
        verification("BLS signature verification", random),
    ]
}

/// A chain, each product an operand of the next.
fn multiplication<F: Field>(name: &'static str, random: &mut impl Rng) -> Timed {
    let (mut x, y) = (F::rand(random), F::rand(random));
    timed(name, move |times| {
        for _ in 0..times {
            x *= black_box(&y);
        }
        black_box(x);
    })
}

/// A chain.
fn square<F: Field>(name: &'static str, random: &mut impl Rng) -> Timed {
    let mut x = F::rand(random);
    timed(name, move |times| {
        for _ in 0..times {
            x = black_box(x.square());
        }
    })
}

fn pairing<E: Pairing>(name: &'static str, random: &mut impl Rng) -> Timed {
    let (p, q) = (E::G1::rand(random).into_affine(), E::G2::rand(random).into_affine());
    timed(name, move |times| {
        for _ in 0..times {
            let _ = black_box(E::pairing(black_box(p), black_box(q)));
        }
    })
}

fn multi_scalar(name: &'static str, random: &mut impl Rng) -> Timed {
    let bases: Vec<G1Affine> =
        (0..1 << 12).map(|_| G1Projective::rand(random).into_affine()).collect();
    let scalars: Vec<Fr> = (0..1 << 12).map(|_| Fr::rand(random)).collect();
    timed(name, move |times| {
        for _ in 0..times {
            black_box(G1Projective::msm(black_box(&bases), black_box(&scalars)).ok());
        }
    })
}

/// From encoded signature to answer.
fn verification(name: &'static str, random: &mut impl Rng) -> Timed {
    let secret = Fr::rand(random);
    let (key, mut encoded) = (public_key(secret), [0; 96]);
    let signature = sign(secret, b"message").expect("the domain is short");
    signature.serialize_compressed(&mut encoded[..]).expect("96 bytes are enough");
    timed(name, move |times| {
        for _ in 0..times {
            assert!(verify(key, black_box(b"message"), &encoded));
        }
    })
}
