//! Sums of many multiples of points, where points fall into buckets alone, together and against each
//! other.

use ark_ec::{AffineRepr, CurveGroup, VariableBaseMSM};
use ark_ff::{Field, PrimeField, UniformRand};

/// Enough for additions in batches.
const COUNT: usize = 1300;

fn naive<G: CurveGroup>(points: &[G::Affine], scalars: &[G::ScalarField]) -> G {
    points.iter().zip(scalars).map(|(point, scalar)| point.mul_bigint(scalar.into_bigint())).sum()
}

fn sums<G: CurveGroup + VariableBaseMSM<MulBase = <G as CurveGroup>::Affine>>() {
    let mut source = ark_std::test_rng();
    let mut random = || G::ScalarField::rand(&mut source);
    let large = G::ScalarField::from(u64::MAX).square() + random();
    let multiples: Vec<G> =
        (1..=COUNT as u64).map(|k| G::generator() * G::ScalarField::from(k)).collect();
    let points = G::normalize_batch(&multiples);
    let scalars: Vec<_> = (0..COUNT).map(|_| random()).collect();
    // One point, the same scalar, one point and its negative, points at infinity, every other one.
    let same_point = vec![points[7]; COUNT];
    let same_scalar = vec![large; COUNT];
    let few_scalars: Vec<_> = (0..COUNT).map(|i| scalars[i % 5]).collect();
    let negative = |point: &G::Affine| (-point.into_group()).into_affine();
    let opposite: Vec<_> = (0..COUNT)
        .map(|i| if i % 2 == 0 { points[i / 4] } else { negative(&points[i / 4]) })
        .collect();
    let sparse: Vec<_> =
        (0..COUNT).map(|i| if i % 3 == 0 { G::Affine::zero() } else { points[i] }).collect();
    for points in [&points, &same_point, &opposite, &sparse] {
        for scalars in [&scalars, &same_scalar, &few_scalars] {
            assert_eq!(G::msm(points, scalars).unwrap(), naive::<G>(points, scalars));
        }
    }
    assert!(G::msm(&opposite, &same_scalar).unwrap().is_zero());
    let edges: Vec<_> = (0..COUNT as u64)
        .map(|i| {
            let power = G::ScalarField::from(2u64).pow([64 + i % 190]);
            if i % 2 == 0 { power } else { -power }
        })
        .collect();
    assert_eq!(G::msm(&points, &edges).unwrap(), naive::<G>(&points, &edges));
    assert_eq!(
        G::msm(&points[..50], &scalars[..50]).unwrap(),
        naive::<G>(&points[..50], &scalars[..50])
    );
}

#[test]
fn sums_over_bls12_381() {
    sums::<ark_bls12_381::G1Projective>();
    sums::<ark_bls12_381::G2Projective>();
}

#[test]
fn sums_over_bn254() {
    sums::<ark_bn254::G1Projective>();
}

#[test]
fn sums_over_secp256k1_which_has_no_kernels_on_arrays() {
    sums::<ark_secp256k1::Projective>();
}
