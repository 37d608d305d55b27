//! Encodings: numbers below p come back, everything else is refused with the right error.

mod common;

use common::{minus, small, values};
use fieldc::DecodeError;

macro_rules! field_tests {
    ($module:ident, $Fp:ty, $name:literal, $modulus:literal) => {
        mod $module {
            use super::*;

            type Fp = $Fp;
            const P: [u64; Fp::MODULUS.len()] = Fp::MODULUS;
            const SEVEN: Fp = Fp::from_u64(7);
            const SEVENTY_SEVEN: Option<Fp> = Fp::from_limbs({
                let mut limbs = [0; P.len()];
                limbs[0] = 77;
                limbs
            });
            const ENCODED: [u8; Fp::BYTES] = SEVEN.to_bytes_be();

            fn bytes_be(limbs: &[u64]) -> Vec<u8> {
                limbs
                    .iter()
                    .rev()
                    .flat_map(|limb| limb.to_be_bytes())
                    .collect()
            }

            #[test]
            fn the_modulus_is_the_published_one() {
                let digits: String = bytes_be(&P).iter().map(|b| format!("{b:02x}")).collect();
                assert_eq!(digits.trim_start_matches('0'), $modulus);
            }

            #[test]
            fn numbers_below_p_come_back() {
                for limbs in values(&P, 500) {
                    let x = Fp::from_limbs(limbs).unwrap();
                    let mut bytes = bytes_be(&limbs);
                    assert_eq!(x.to_limbs(), limbs);
                    assert_eq!(x.to_bytes_be(), *bytes);
                    assert_eq!(Fp::from_bytes_be(&bytes), Ok(x));
                    bytes.reverse();
                    assert_eq!(x.to_bytes_le(), *bytes);
                    assert_eq!(Fp::from_bytes_le(&bytes), Ok(x));
                }
            }

            #[test]
            fn numbers_not_below_p_are_refused() {
                let mut above = P;
                above[0] += 1;
                let mut top = P;
                top[P.len() - 1] += 1;
                for limbs in [P, above, top, [u64::MAX; P.len()]] {
                    let mut bytes = bytes_be(&limbs);
                    assert_eq!(Fp::from_limbs(limbs), None);
                    assert_eq!(Fp::from_bytes_be(&bytes), Err(DecodeError::NotCanonical));
                    bytes.reverse();
                    assert_eq!(Fp::from_bytes_le(&bytes), Err(DecodeError::NotCanonical));
                }
                assert!(Fp::from_limbs(minus(&P, &small(1))).is_some());
            }

            #[test]
            fn other_lengths_are_refused() {
                for found in [0, 1, Fp::BYTES - 1, Fp::BYTES + 1, 2 * Fp::BYTES] {
                    let error = DecodeError::Length {
                        expected: Fp::BYTES,
                        found,
                    };
                    assert_eq!(Fp::from_bytes_le(&vec![0; found]), Err(error));
                    assert_eq!(Fp::from_bytes_be(&vec![0; found]), Err(error));
                }
            }

            #[test]
            fn constants_are_made_when_compiling() {
                assert_eq!(SEVEN.to_limbs(), small(7));
                assert_eq!(SEVENTY_SEVEN, Some(Fp::from(77)));
                assert_eq!(ENCODED[Fp::BYTES - 1], 7);
                assert_eq!(Fp::from_u64(u64::MAX).to_limbs(), small(u64::MAX));
            }

            #[test]
            fn printed_in_hexadecimal() {
                let digits = format!("0x{:0width$x}", 255, width = 2 * Fp::BYTES);
                assert_eq!(Fp::from_u64(255).to_string(), digits);
                assert_eq!(
                    format!("{:?}", Fp::from_u64(255)),
                    format!("{}({digits})", $name)
                );
            }
        }
    };
}

field_tests!(
    bls12_381_fp,
    fieldc::bls12_381::Fp,
    "Fp",
    "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab"
);
field_tests!(
    bls12_381_fr,
    fieldc::bls12_381::Fr,
    "Fr",
    "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001"
);
field_tests!(
    bn254_fp,
    fieldc::bn254::Fp,
    "Fp",
    "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47"
);

#[test]
fn errors_say_what_was_wrong() {
    let length = DecodeError::Length {
        expected: 48,
        found: 2,
    };
    assert_eq!(length.to_string(), "an encoding has 48 bytes, not 2");
    assert_eq!(
        DecodeError::NotCanonical.to_string(),
        "the number is not below the modulus"
    );
}
