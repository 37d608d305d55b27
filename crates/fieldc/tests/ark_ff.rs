//! Fields of arkworks whose configurations are our types: arkworks' own tests of a prime field, and
//! the same results as the types themselves.
#![cfg(feature = "ark-ff")]

mod common;

use ark_ff::{FftField, Field, Fp, MontBackend, MontConfig, PrimeField, Zero};
use common::{on_every_path, values};

type Ark<F, const N: usize> = Fp<MontBackend<F, N>, N>;

/// The suite that arkworks runs on its own prime fields.
mod suite {
    use super::*;
    use ark_algebra_test_templates::test_field;

    type Bls12381Fp = Ark<fieldc::bls12_381::Fp, 6>;
    type Bls12381Fr = Ark<fieldc::bls12_381::Fr, 4>;
    type Bn254Fp = Ark<fieldc::bn254::Fp, 4>;
    type Secp256k1Fp = Ark<fieldc::secp256k1::Fp, 4>;

    test_field!(bls12_381_fp; Bls12381Fp; mont_prime_field);
    test_field!(bls12_381_fr; Bls12381Fr; mont_prime_field);
    test_field!(bn254_fp; Bn254Fp; mont_prime_field);
    test_field!(secp256k1_fp; Secp256k1Fp; mont_prime_field);
}

macro_rules! field_tests {
    ($module:ident, $Ours:ty) => {
        mod $module {
            use super::*;

            type Ours = $Ours;
            type Theirs = Ark<Ours, { Ours::LIMBS }>;

            fn elements() -> Vec<Ours> {
                let numbers = values(&Ours::MODULUS, 4);
                numbers
                    .iter()
                    .map(|number| Ours::from_limbs(*number).unwrap())
                    .collect()
            }

            #[test]
            fn conversions_keep_the_number() {
                for x in elements() {
                    let theirs = Theirs::from(x);
                    assert_eq!(theirs.into_bigint().0, x.to_limbs());
                    assert_eq!(theirs.0.0, x.to_montgomery_limbs());
                    assert_eq!(Ours::from(theirs), x);
                    assert_eq!(Theirs::from_bigint(theirs.into_bigint()), Some(theirs));
                }
                let modulus = <Ours as MontConfig<{ Ours::LIMBS }>>::MODULUS;
                assert_eq!(modulus.0, Ours::MODULUS);
                assert_eq!(Theirs::from_bigint(modulus), None);
            }

            #[test]
            fn operations_are_the_types_own() {
                on_every_path(|kernels| {
                    for x in elements() {
                        let theirs = Theirs::from(x);
                        assert_eq!(Ours::from(-theirs), -x, "{kernels:?}");
                        assert_eq!(Ours::from(theirs + theirs), x.double(), "{kernels:?}");
                        assert_eq!(Ours::from(theirs.square()), x.square(), "{kernels:?}");
                        let inverse = theirs.inverse().unwrap_or(Theirs::zero());
                        assert_eq!(Ours::from(inverse), x.invert_ct().0, "{kernels:?}");
                        assert_eq!(theirs.inverse().is_some(), x.invert_ct().1, "{kernels:?}");
                        assert_eq!(theirs.sqrt().is_some(), x.is_square(), "{kernels:?}");
                        for y in elements() {
                            let other = Theirs::from(y);
                            assert_eq!(Ours::from(theirs + other), x + y, "{kernels:?}");
                            assert_eq!(Ours::from(theirs - other), x - y, "{kernels:?}");
                            assert_eq!(Ours::from(theirs * other), x * y, "{kernels:?}");
                            let sum = Theirs::sum_of_products(
                                &[theirs, other, theirs],
                                &[other, other, theirs],
                            );
                            let ours = x * y + y * y + x * x;
                            assert_eq!(Ours::from(sum), ours, "{kernels:?}");
                        }
                    }
                });
            }

            #[test]
            fn roots_of_unity_have_their_orders() {
                let root = Theirs::TWO_ADIC_ROOT_OF_UNITY;
                let s = Theirs::TWO_ADICITY;
                assert_eq!((1..s).fold(root, |x, _| x.square()), -Theirs::ONE);
                let Some(large) = Theirs::LARGE_SUBGROUP_ROOT_OF_UNITY else {
                    let p_mod_3 = Theirs::MODULUS.0.iter().fold(0, |sum, limb| sum + limb % 3) % 3;
                    assert_eq!(p_mod_3, 2, "2^64 is 1 modulo 3");
                    return;
                };
                let adicity = Theirs::SMALL_SUBGROUP_BASE_ADICITY.unwrap();
                assert_eq!(Theirs::SMALL_SUBGROUP_BASE, Some(3));
                let cubed = |times| (0..times).fold(large, |x, _| x.pow([3u64]));
                assert_eq!(cubed(adicity), root);
                let order_three = (0..s).fold(cubed(adicity - 1), |x, _| x.square());
                assert!(order_three != Theirs::ONE && order_three.pow([3u64]) == Theirs::ONE);
            }
        }
    };
}

for_some_fields!(field_tests);
field_tests!(bw6_761_fp, fieldc::bw6_761::Fp);

fieldc::field! {
    /// 8 * 3^22 + 1: more threes than are said.
    struct Threes(modulus = "251048476873", generator = 7);
}

#[test]
fn the_small_subgroup_has_at_most_3_to_the_20_elements() {
    type Theirs = Ark<Threes, 1>;
    assert_eq!(Theirs::SMALL_SUBGROUP_BASE_ADICITY, Some(20));
    let large = Theirs::LARGE_SUBGROUP_ROOT_OF_UNITY.unwrap();
    assert_eq!(large.pow([3u64.pow(20)]), Theirs::TWO_ADIC_ROOT_OF_UNITY);
}
