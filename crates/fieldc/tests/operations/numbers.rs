//! Numbers of any length modulo p, and random elements, against num-bigint.

use num_bigint::BigUint;

use crate::common::{Random, big, on_every_path};
use crate::{for_every_field, for_every_width};

fn bytes(source: &mut Random, length: usize) -> Vec<u8> {
    (0..length).map(|_| source.next() as u8).collect()
}

macro_rules! field_tests {
    ($module:ident, $Fp:ty) => {
        mod $module {
            use super::*;

            type Fp = $Fp;

            fn check(bytes: &[u8]) {
                let p = big(&Fp::MODULUS);
                let le = Fp::from_bytes_wide_le(bytes);
                assert_eq!(big(&le.to_limbs()), BigUint::from_bytes_le(bytes) % &p);
                let be = Fp::from_bytes_wide_be(bytes);
                assert_eq!(big(&be.to_limbs()), BigUint::from_bytes_be(bytes) % &p);
            }

            #[test]
            fn numbers_of_every_length_are_reduced() {
                let mut source = Random(5);
                on_every_path(|_| {
                    for length in 0..=24 * Fp::LIMBS + 9 {
                        check(&vec![0xff; length]);
                    }
                });
                for length in 0..=24 * Fp::LIMBS + 9 {
                    check(&bytes(&mut source, length));
                }
            }

            #[test]
            fn multiples_of_p_are_0() {
                for factor in [1_u64, 2, 3, u64::MAX] {
                    let number: BigUint = big(&Fp::MODULUS) * factor;
                    check(&number.to_bytes_le());
                    let zero = Fp::from_bytes_wide_be(&number.to_bytes_be());
                    assert_eq!(zero, Fp::ZERO);
                }
            }

            #[test]
            fn a_random_element_is_all_of_the_bytes_modulo_p() {
                let mut source = Random(3);
                for _ in 0..20 {
                    let mut drawn = Vec::new();
                    let x = Fp::random_from(|slice| {
                        slice
                            .iter_mut()
                            .for_each(|byte| *byte = source.next() as u8);
                        drawn.extend_from_slice(slice);
                    });
                    assert!(8 * drawn.len() >= Fp::BITS as usize + 128);
                    assert_eq!(x, Fp::from_bytes_wide_le(&drawn));
                }
            }
        }
    };
}

for_every_field!(field_tests);
for_every_width!(field_tests);
