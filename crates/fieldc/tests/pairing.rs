//! Pairings: bilinear, not degenerate, of order r; what is prepared and what is not agree.
#![cfg(feature = "pairing")]

mod common;

use common::on_every_path;
use fieldc::curves::{Affine, Curve};
use fieldc::pairing::{self, Pairing, Prepared};

macro_rules! tests {
    ($($name:ident),+) => {$(
        mod $name {
            use super::{Affine, Curve, on_every_path};
            use fieldc::$name::Fr;
            use fieldc::curves::$name::{G1, G1Affine, G2, G2Affine};
            use fieldc::pairing::$name::*;

            fn point<C: Curve<Scalar = Fr>>(seed: u8) -> Affine<C> {
                (Affine::<C>::GENERATOR * Fr::from_bytes_wide_le(&[seed; 48])).to_affine()
            }

            #[test]
            fn it_is_bilinear() {
                let (p, q) = (point::<G1>(3), point::<G2>(4));
                let (a, b) = (Fr::from_bytes_wide_le(&[5; 48]), -Fr::from(2_u64));
                on_every_path(|kernels| {
                    let value = pairing(&p, &q);
                    let (ap, bq) = ((p * a).to_affine(), (q * b).to_affine());
                    assert_eq!(pairing(&ap, &bq), value.pow(a * b), "{kernels:?}");
                    assert_eq!(pairing(&ap, &q), value.pow(a), "{kernels:?}");
                    let sum = (p + ap).to_affine();
                    assert_eq!(pairing(&sum, &q), value * pairing(&ap, &q), "{kernels:?}");
                    let sum = (q + bq).to_affine();
                    assert_eq!(pairing(&p, &sum), value * pairing(&p, &bq), "{kernels:?}");
                    assert_eq!(pairing(&-p, &q), value.invert(), "{kernels:?}");
                });
            }

            #[test]
            fn it_is_not_degenerate_and_of_the_groups_order() {
                let value = pairing(&G1Affine::GENERATOR, &G2Affine::GENERATOR);
                assert_ne!(value, Gt::ONE);
                assert_eq!(value.as_fp12().pow(&Fr::MODULUS), fieldc::Fp12::ONE);
                assert_eq!(value.pow(-Fr::ONE) * value, Gt::ONE);
                assert_eq!(value.pow(Fr::ZERO), Gt::ONE);
                assert_eq!(value / value.square(), value.invert());
            }

            #[test]
            fn with_infinity_it_is_one() {
                let (p, q) = (point::<G1>(3), point::<G2>(4));
                for pair in [
                    (G1Affine::INFINITY, q),
                    (p, G2Affine::INFINITY),
                    (G1Affine::INFINITY, G2Affine::INFINITY),
                ] {
                    assert_eq!(pairing(&pair.0, &pair.1), Gt::ONE);
                    assert_eq!(multi_pairing(&[pair, (p, q), pair]), pairing(&p, &q));
                    let (one, other) = (G2Prepared::from(pair.1), G2Prepared::from(q));
                    let pairs = [(&pair.0, &one), (&p, &other)];
                    assert_eq!(multi_pairing_prepared(&pairs), pairing(&p, &q));
                }
                assert_eq!(multi_pairing(&[]), Gt::ONE);
                assert_eq!(multi_pairing_prepared(&[]), Gt::ONE);
            }

            #[test]
            fn products_are_products() {
                let pairs: Vec<_> =
                    (1..20).map(|i| (point::<G1>(i), point::<G2>(99 - i))).collect();
                let prepared: Vec<_> =
                    pairs.iter().map(|(_, q)| G2Prepared::from(*q)).collect();
                for count in [1, 2, 7, 8, 9, 19] {
                    let expected = pairs[..count]
                        .iter()
                        .fold(Gt::ONE, |product, (p, q)| product * pairing(p, q));
                    assert_eq!(multi_pairing(&pairs[..count]), expected, "{count}");
                    let pairs: Vec<_> =
                        pairs[..count].iter().zip(&prepared).map(|((p, _), q)| (p, q)).collect();
                    assert_eq!(multi_pairing_prepared(&pairs), expected, "{count}");
                }
            }
        }
    )+};
}

tests! { bls12_381, bn254 }

/// Code that is generic over pairings.
fn product<E: Pairing>(p: Affine<E::G1>, q: Affine<E::G2>) -> pairing::Gt<E> {
    let mut value = pairing::Value::<E>::of(&[(p, q)]);
    value *= pairing::Value::of_prepared(&[(&-p, &Prepared::from(q))]);
    value.final_exponentiation()
}

#[test]
fn pairings_are_generic() {
    use fieldc::pairing::{bls12_381::Bls12381, bn254::Bn254};
    assert_eq!(
        product::<Bls12381>(Affine::GENERATOR, Affine::GENERATOR),
        pairing::Gt::ONE
    );
    assert_eq!(
        product::<Bn254>(Affine::GENERATOR, Affine::GENERATOR),
        pairing::Gt::ONE
    );
}
