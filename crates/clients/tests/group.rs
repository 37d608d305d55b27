//! `group` 0.13 and 0.14: its own suites on points, bellman's sums of multiples, and the bytes of
//! other crates' points.

use std::sync::Arc;

use bellman::multicore::Worker;
use bellman::multiexp::{Exponent, FullDensity, multiexp};
use ff_0_13::{PrimeField, PrimeFieldBits};
use fieldc::curves::{Jacobian, bls12_381, bn254, p256, pallas, secp256k1, vesta};
use group_0_13::prime::PrimeCurve;
use group_0_13::{Group, GroupEncoding};

/// The suites of one version. `$wnaf` tests multiples by digits, which `group` computes for scalars
/// with a spare bit only: it drops the last carry of others.
macro_rules! suites {
    ($group:ident: $($name:ident: $Curve:ty $(, $wnaf:ident)?;)+) => {
        $(
            #[test]
            fn $name() {
                use $group::tests;
                tests::curve_tests::<Jacobian<$Curve>>();
                tests::random_uncompressed_encoding_tests::<Jacobian<$Curve>>();
                $(tests::$wnaf::<Jacobian<$Curve>>();)?
            }
        )+
    };
}

suites! {
    group_0_13:
    bls12_381_g1: bls12_381::G1, random_wnaf_tests;
    bls12_381_g2: bls12_381::G2;
    bn254_g1: bn254::G1;
    secp256k1: secp256k1::Secp256k1;
}

suites! {
    group:
    bn254_g2: bn254::G2;
    p256: p256::P256;
    pallas: pallas::Pallas, random_wnaf_tests;
    vesta: vesta::Vesta;
}

/// Scalars that look random, the same number in every field of its prime.
fn scalars<F: PrimeField>(count: u64) -> Vec<F> {
    (0..count).map(|i| (F::from(i) * F::from(u64::MAX - 3 * i)).square() - F::ONE).collect()
}

fn sums_of_multiples<G: PrimeCurve<Scalar: PrimeFieldBits>>() {
    let worker = Worker::new();
    for count in [1, 2, 33, 200] {
        let (scalars, bases) = (scalars::<G::Scalar>(count), scalars::<G::Scalar>(count + 7));
        let bases: Vec<G> = bases[7..].iter().map(|k| G::generator() * k).collect();
        let wanted: G = bases.iter().zip(&scalars).map(|(base, k)| *base * k).sum();
        let mut affine = vec![G::identity().to_affine(); bases.len()];
        G::batch_normalize(&bases, &mut affine);
        let exponents = Arc::new(scalars.iter().map(Exponent::from).collect());
        let found: G = multiexp(&worker, (Arc::new(affine), 0), FullDensity, exponents)
            .wait()
            .expect("as many bases as exponents");
        assert_eq!(found, wanted, "{count}");
    }
}

#[test]
fn multiexp_of_bellman() {
    sums_of_multiples::<bls12_381::G1Jacobian>();
    sums_of_multiples::<bn254::G2Jacobian>();
    sums_of_multiples::<vesta::Jacobian>();
}

/// The same multiples have the same bytes, and each reads the other's.
fn same_bytes<Ours: Group + GroupEncoding, Theirs: Group + GroupEncoding>() {
    let (ours, theirs) = (scalars::<Ours::Scalar>(40), scalars::<Theirs::Scalar>(40));
    for (k, other_k) in ours.into_iter().zip(theirs) {
        let (point, other) = (Ours::generator() * k, Theirs::generator() * other_k);
        let (bytes, other_bytes) = (point.to_bytes(), other.to_bytes());
        assert_eq!(bytes.as_ref(), other_bytes.as_ref());
        assert_eq!(Ours::from_bytes(&bytes).unwrap(), point);
        let (negative, other_negative) = ((-point).to_bytes(), (-other).to_bytes());
        assert_eq!(negative.as_ref(), other_negative.as_ref());
        // A changed byte is a point for both or for neither; halo2curves checks no group.
        for i in [0, 1, bytes.as_ref().len() - 1] {
            let (mut changed, mut other_changed) = (bytes, other_bytes);
            changed.as_mut()[i] ^= 0x41;
            other_changed.as_mut()[i] ^= 0x41;
            let (found, other) = (
                Ours::from_bytes_unchecked(&changed),
                Theirs::from_bytes_unchecked(&other_changed),
            );
            assert_eq!(bool::from(found.is_some()), bool::from(other.is_some()));
            if let (Some(found), Some(other)) = (Option::<Ours>::from(found), other.into()) {
                let (doubled, other): (Ours, Theirs) = (found.double(), other);
                assert_eq!(doubled.to_bytes().as_ref(), other.double().to_bytes().as_ref());
            }
        }
    }
    let (infinity, other) = (Ours::identity().to_bytes(), Theirs::identity().to_bytes());
    assert_eq!(infinity.as_ref(), other.as_ref());
    assert!(bool::from(Ours::from_bytes(&infinity).unwrap().is_identity()));
}

#[test]
fn bytes_of_pasta_curves() {
    same_bytes::<pallas::Jacobian, pasta_curves::Ep>();
    same_bytes::<vesta::Jacobian, pasta_curves::Eq>();
}

/// Not of G2 of BLS12-381: halo2curves has the parts of a coordinate in another order than Zcash.
#[test]
fn bytes_of_halo2curves() {
    same_bytes::<bn254::G1Jacobian, halo2curves::bn256::G1>();
    same_bytes::<bn254::G2Jacobian, halo2curves::bn256::G2>();
    same_bytes::<bls12_381::G1Jacobian, halo2curves::bls12381::G1>();
}

#[test]
fn bytes_of_k256() {
    same_bytes::<secp256k1::Jacobian, k256::ProjectivePoint>();
}
