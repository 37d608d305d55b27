//! Powers, squares and roots, and sums of products, against num-bigint.

use num_bigint::BigUint;

use crate::common::{Random, big, on_every_path, small, values};
use crate::{for_every_field, for_every_width};

/// Exponents around the borders of the windows' widths and of limbs, 0, and ones with zero limbs.
fn exponents(p: &[u64]) -> Vec<Vec<u64>> {
    let mut found = vec![vec![], vec![0], vec![1, 0], vec![0, 0, 1], p.to_vec()];
    for bits in [2, 3, 15, 16, 17, 63, 64] {
        found.push(vec![u64::MAX >> (64 - bits)]);
        found.push(vec![1 << (bits - 1)]);
    }
    found.push(vec![0, 0, 1 << 15]);
    found.push(vec![0, 0, 1 << 16]);
    found.push(vec![u64::MAX; 3]);
    let mut source = Random(7);
    for limbs in 1..=p.len() + 1 {
        found.push((0..limbs).map(|_| source.next()).collect());
    }
    found
}

macro_rules! field_tests {
    ($module:ident, $Fp:ty) => {
        mod $module {
            use super::*;

            type Fp = $Fp;
            const P: [u64; Fp::LIMBS] = Fp::MODULUS;

            fn elements(random: usize) -> Vec<Fp> {
                let mut numbers = values(&P, random);
                let half: BigUint = (big(&P) - 1_u8) / 2_u8;
                let mut limbs = half.to_u64_digits();
                limbs.resize(P.len(), 0);
                numbers.push(limbs.try_into().unwrap());
                numbers
                    .iter()
                    .map(|x| Fp::from_limbs(*x).unwrap())
                    .collect()
            }

            #[test]
            fn powers_are_those_of_num_bigint() {
                let p = big(&P);
                let numbers: Vec<Fp> = elements(4).into_iter().rev().step_by(4).collect();
                let mut expected = Vec::new();
                for exponent in exponents(&P) {
                    for x in &numbers {
                        let power = big(&x.to_limbs()).modpow(&big(&exponent), &p);
                        expected.push((*x, exponent.clone(), power));
                    }
                }
                on_every_path(|kernels| {
                    for (x, exponent, expected) in &expected {
                        let power = big(&x.pow(exponent).to_limbs());
                        assert_eq!(power, *expected, "{kernels:?} {x}^{exponent:x?}");
                    }
                });
            }

            #[test]
            fn every_form_of_a_power_is_the_same() {
                const CUBE: Fp = Fp::from_u64(5).const_pow(&[3]);
                assert_eq!(CUBE, Fp::from_u64(125));
                for x in elements(2) {
                    for exponent in [0, 1, 2, 3, 0xffff, u64::MAX] {
                        assert_eq!(x.pow_u64(exponent), x.pow(&[exponent]));
                        assert_eq!(x.const_pow(&[exponent, 0]), x.pow(&[exponent]));
                    }
                }
                assert_eq!(Fp::ZERO.pow_u64(0), Fp::ONE);
                assert_eq!(Fp::ZERO.pow(&P), Fp::ZERO);
            }

            #[test]
            fn a_square_has_the_even_root() {
                let numbers = elements(12);
                on_every_path(|kernels| {
                    for x in &numbers {
                        let (root, exists) = x.square().sqrt_ct();
                        assert!(exists && x.square().is_square(), "{kernels:?} {x}");
                        assert!(root == *x || root == -x, "{kernels:?} {x}");
                        assert_eq!(root.to_limbs()[0] % 2, 0, "{kernels:?} {x}");
                    }
                });
            }

            #[test]
            fn squares_are_those_of_euler() {
                let p = big(&P);
                let half: BigUint = (&p - 1_u8) / 2_u8;
                let mut seen = [0; 2];
                let numbers = elements(12);
                let is_square = |x: &Fp| {
                    let symbol = big(&x.to_limbs()).modpow(&half, &p);
                    symbol <= BigUint::from(1_u8)
                };
                let expected: Vec<bool> = numbers.iter().map(is_square).collect();
                on_every_path(|kernels| {
                    for (x, &expected) in numbers.iter().zip(&expected) {
                        assert_eq!(x.is_square(), expected, "{kernels:?} {x}");
                        let (root, exists) = x.sqrt_ct();
                        assert_eq!(exists, expected, "{kernels:?} {x}");
                        let square = if exists { *x } else { Fp::ZERO };
                        assert_eq!(root.square(), square, "{kernels:?} {x}");
                    }
                });
                for x in &numbers {
                    seen[usize::from(x.is_square())] += 1;
                }
                assert!(seen.iter().all(|count| *count > 2), "{seen:?}");
                assert_eq!(Fp::ZERO.sqrt_ct(), (Fp::ZERO, true));
            }

            #[test]
            fn roots_of_unity_of_every_order_have_the_right_roots() {
                // The hard elements for p - 1 = odd * 2^twos: those of order 2^k.
                let less: BigUint = big(&P) - 1_u8;
                let twos = less.trailing_zeros().unwrap();
                let odd = (less >> twos).to_u64_digits();
                let mut base = 2;
                while Fp::from_u64(base).is_square() {
                    base += 1;
                }
                let mut x = Fp::from_u64(base).pow(&odd);
                assert_eq!(x.sqrt_ct(), (Fp::ZERO, false));
                for _ in 0..twos {
                    let square = x.square();
                    let (root, exists) = square.sqrt_ct();
                    assert!(exists && (root == x || root == -x));
                    x = square;
                }
                assert_eq!(x, Fp::ONE);
            }

            #[test]
            fn sums_of_products_are_those_of_num_bigint() {
                let p = big(&P);
                let numbers = elements(20);
                on_every_path(|_| {
                    for pair in numbers.chunks_exact(8) {
                        let (x, y) = pair.split_at(4);
                        let (x, y): ([Fp; 4], [Fp; 4]) =
                            (x.try_into().unwrap(), y.try_into().unwrap());
                        let terms = x.iter().zip(&y);
                        let expected: BigUint = terms
                            .map(|(x, y)| big(&x.to_limbs()) * big(&y.to_limbs()))
                            .sum();
                        let sum = Fp::sum_of_products(&x, &y);
                        assert_eq!(big(&sum.to_limbs()), expected % &p);
                    }
                });
                assert_eq!(Fp::sum_of_products(&[], &[]), Fp::ZERO);
                let one = Fp::from_limbs(small(1)).unwrap();
                assert_eq!(Fp::sum_of_products(&[one], &[-one]), -one);
            }
        }
    };
}

for_every_field!(field_tests);
for_every_width!(field_tests);
