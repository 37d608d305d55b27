//! Inverses of every field on every path: what they times their elements are, and num-bigint's.

use fieldc::ShortScratch;

use crate::common::{big, on_every_path, values};
use crate::{for_every_field, for_every_width};

macro_rules! field_tests {
    ($module:ident, $Fp:ty) => {
        mod $module {
            use super::*;

            type Fp = $Fp;
            const P: [u64; Fp::LIMBS] = Fp::MODULUS;

            fn elements(random: usize) -> Vec<Fp> {
                let numbers = values(&P, random);
                numbers
                    .iter()
                    .map(|x| Fp::from_limbs(*x).unwrap())
                    .collect()
            }

            #[test]
            fn an_inverse_times_its_element_is_1() {
                let numbers = elements(300);
                on_every_path(|kernels| {
                    for x in &numbers {
                        let (inverse, exists) = x.invert_ct();
                        assert_eq!(exists, !x.is_zero());
                        let expected = if exists { Fp::ONE } else { Fp::ZERO };
                        assert_eq!(inverse * x, expected, "{kernels:?} 1/{x}");
                    }
                });
                assert_eq!(Fp::ZERO.invert_ct(), (Fp::ZERO, false));
                assert_eq!(Fp::ONE.invert_ct(), (Fp::ONE, true));
                assert_eq!((-Fp::ONE).invert_ct(), (-Fp::ONE, true));
            }

            #[test]
            fn inverses_are_those_of_num_bigint() {
                let p = big(&P);
                for x in elements(50).into_iter().filter(|x| !x.is_zero()) {
                    let expected = big(&x.to_limbs()).modinv(&p).unwrap();
                    assert_eq!(big(&x.invert_ct().0.to_limbs()), expected, "1/{x}");
                }
            }

            #[test]
            fn inverses_of_montgomery_forms_near_0_and_p() {
                // The divsteps begin at the Montgomery form.
                for limbs in values(&P, 0) {
                    let x = Fp::from_montgomery_limbs(limbs).unwrap();
                    let (inverse, exists) = x.invert_ct();
                    assert_eq!(exists, !x.is_zero());
                    assert!(!exists || inverse * x == Fp::ONE, "1/{x}");
                }
            }

            #[test]
            fn many_inverses_are_those_of_one_by_one() {
                let mut numbers = elements(10);
                numbers.extend([Fp::ZERO; 3]);
                on_every_path(|kernels| {
                    for n in 0..numbers.len() {
                        let mut found = numbers[n..].to_vec();
                        let mut scratch = vec![Fp::ONE; found.len() + n % 2];
                        assert_eq!(Fp::batch_invert(&mut found, &mut scratch), Ok(()));
                        for (x, inverse) in numbers[n..].iter().zip(found) {
                            assert_eq!(x.invert_ct().0, inverse, "{kernels:?} 1/{x}");
                        }
                    }
                });
            }

            #[test]
            fn vectors_invert_slices_of_every_length() {
                let numbers = elements(700);
                for n in [127, 128, 129, 135, 160, 193, 256, 517] {
                    for first in [0, 3] {
                        let some = &numbers[first..][..n];
                        on_every_path(|kernels| {
                            let mut found = some.to_vec();
                            let mut scratch = vec![Fp::ONE; n];
                            assert_eq!(Fp::batch_invert(&mut found, &mut scratch), Ok(()));
                            for (x, inverse) in some.iter().zip(found) {
                                let one = if x.is_zero() { Fp::ZERO } else { Fp::ONE };
                                assert_eq!(inverse * x, one, "{kernels:?} 1/{x}");
                                assert!(!x.is_zero() || inverse.is_zero(), "{kernels:?}");
                            }
                        });
                    }
                }
            }

            #[test]
            fn a_short_scratch_space_is_an_error_and_changes_nothing() {
                let mut numbers = elements(0);
                let (before, expected) = (numbers.clone(), numbers.len());
                for found in [0, 1, expected - 1] {
                    let mut scratch = vec![Fp::ZERO; found];
                    let error = ShortScratch { expected, found };
                    let result = Fp::batch_invert(&mut numbers, &mut scratch);
                    assert_eq!(result, Err(error));
                    assert_eq!(numbers, before);
                }
            }
        }
    };
}

for_every_field!(field_tests);

for_every_width!(field_tests);

#[test]
fn an_error_says_how_much_scratch_space_is_missing() {
    let error = ShortScratch {
        expected: 3,
        found: 2,
    };
    assert_eq!(error.to_string(), "the scratch space has 2 elements, not 3");
}
