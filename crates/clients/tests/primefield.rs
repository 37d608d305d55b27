//! The tests of RustCrypto's `primefield` on our types.
//!
//! Its macros call some methods by the names of RustCrypto's own types. A trait gives those names to
//! ours here, and a module stands where the macros want a type: the constants are `ff`'s, not the
//! type's own of the same name. What is tested are the types themselves.
#![cfg(target_pointer_width = "64")]

use primefield::bigint::Uint;

/// Names of RustCrypto's field elements.
trait Names<const N: usize> {
    fn retrieve(&self) -> Uint<N>;
    fn multiply(&self, other: &Self) -> Self;
    fn sqn_vartime(&self, times: usize) -> Self;
    fn pow_vartime(&self, exponent: &Uint<N>) -> Self;
}

macro_rules! suite {
    ($module:ident, $Fp:ty, $Uint:ident) => {
        mod $module {
            use super::*;
            use core::ops::Add;
            use primefield::bigint::$Uint;

            type Fp = $Fp;

            impl Names<{ Fp::LIMBS }> for Fp {
                fn retrieve(&self) -> $Uint {
                    $Uint::from_words(self.to_limbs())
                }

                fn multiply(&self, other: &Self) -> Self {
                    self * other
                }

                fn sqn_vartime(&self, times: usize) -> Self {
                    (0..times).fold(*self, |x, _| x.square())
                }

                fn pow_vartime(&self, exponent: &$Uint) -> Self {
                    self.pow(exponent.as_words())
                }
            }

            #[allow(non_snake_case, reason = "in a type's place")]
            mod Element {
                use super::Fp;
                use ff::{Field, PrimeField};

                pub(super) const MODULUS: &str = <Fp as PrimeField>::MODULUS.split_at(2).1;
                pub(super) const ZERO: Fp = <Fp as Field>::ZERO;
                pub(super) const ONE: Fp = <Fp as Field>::ONE;
                pub(super) const TWO_INV: Fp = Fp::TWO_INV;
                pub(super) const MULTIPLICATIVE_GENERATOR: Fp = Fp::MULTIPLICATIVE_GENERATOR;
                pub(super) const S: u32 = Fp::S;
                pub(super) const ROOT_OF_UNITY: Fp = Fp::ROOT_OF_UNITY;
                pub(super) const ROOT_OF_UNITY_INV: Fp = Fp::ROOT_OF_UNITY_INV;
                pub(super) const DELTA: Fp = Fp::DELTA;

                pub(super) fn from(number: impl Into<u64>) -> Fp {
                    <Fp as From<u64>>::from(number.into())
                }
            }

            primefield::test_primefield!(Element, $Uint);
        }
    };
}

suite!(bls12_381_fp, fieldc::bls12_381::Fp, U384);
suite!(bls12_381_fr, fieldc::bls12_381::Fr, U256);
suite!(bls12_377_fp, fieldc::bls12_377::Fp, U384);
suite!(bls12_377_fr, fieldc::bls12_377::Fr, U256);
suite!(bn254_fp, fieldc::bn254::Fp, U256);
suite!(bn254_fr, fieldc::bn254::Fr, U256);
suite!(bw6_761_fp, fieldc::bw6_761::Fp, U768);
suite!(secp256k1_fp, fieldc::secp256k1::Fp, U256);
suite!(secp256k1_fr, fieldc::secp256k1::Fr, U256);
suite!(p256_fp, fieldc::p256::Fp, U256);
suite!(p384_fp, fieldc::p384::Fp, U384);
suite!(curve25519_fp, fieldc::curve25519::Fp, U256);
suite!(pallas_fp, fieldc::pallas::Fp, U256);
suite!(goldilocks_fp, fieldc::goldilocks::Fp, U64);
suite!(m_511_fp, fieldc::m_511::Fp, U512);
