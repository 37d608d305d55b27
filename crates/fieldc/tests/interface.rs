//! Conversions, order, constants, slices and roots of unity, and code that is generic over fields.

mod common;

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};

use common::{big, on_every_path, values};
use fieldc::{DecodeError, Field, Fp2, PrimeField, slices};
use num_bigint::{BigInt, BigUint};

macro_rules! field_tests {
    ($module:ident, $Fp:ty) => {
        mod $module {
            use super::*;

            type Fp = $Fp;
            const P: [u64; Fp::LIMBS] = Fp::MODULUS;

            fn elements(random: usize) -> Vec<Fp> {
                let numbers = values(&P, random);
                let elements = numbers.iter().map(|x| Fp::from_limbs(*x).unwrap());
                elements.collect()
            }

            #[test]
            fn integers_are_reduced() {
                let p = BigInt::from(big(&P));
                let check = |x: Fp, number: BigInt| {
                    let expected = ((number % &p) + &p) % &p;
                    assert_eq!(BigInt::from(big(&x.to_limbs())), expected);
                };
                for number in [0, 1, 2, 1 << 63, u64::MAX, P[0], P[0].wrapping_add(1)] {
                    check(Fp::from(number), number.into());
                    check(Fp::from(number as i64), (number as i64).into());
                    check(Fp::from(number as u32), (number as u32).into());
                    check(Fp::from(number as i32), (number as i32).into());
                    check(Fp::from(number as i8), (number as i8).into());
                    check(Fp::from(number as usize), (number as usize).into());
                    check(Fp::from(number as isize), (number as isize).into());
                    for high in [0, 1, u64::MAX, P[0]] {
                        let number = u128::from(high) << 64 | u128::from(number);
                        check(Fp::from(number), number.into());
                        check(Fp::from(number as i128), (number as i128).into());
                    }
                }
                assert_eq!((Fp::from(true), Fp::from(false)), (Fp::ONE, Fp::ZERO));
            }

            #[test]
            fn arrays_are_encodings() {
                for x in elements(4) {
                    let bytes: [u8; Fp::BYTES] = x.into();
                    assert_eq!(Fp::try_from(bytes), Ok(x));
                    assert_eq!(Fp::try_from(&bytes), Ok(x));
                    assert_eq!(Fp::try_from(&bytes[..]), Ok(x));
                    let text = format!("{x}");
                    assert_eq!(Fp::const_from_str(&text), Ok(x));
                    let decimal = big(&x.to_limbs()).to_string();
                    assert_eq!(decimal.parse(), Ok(x));
                }
                let all = [0xff; Fp::BYTES];
                assert_eq!(Fp::try_from(all), Err(DecodeError::NotCanonical));
                let length = DecodeError::Length {
                    expected: Fp::BYTES,
                    found: 0,
                };
                assert_eq!(Fp::try_from(&[][..]), Err(length));
            }

            #[test]
            fn the_order_is_that_of_numbers_and_hashes_are_equal_for_equal_elements() {
                let hash = |x: &Fp| {
                    let mut hasher = DefaultHasher::new();
                    x.hash(&mut hasher);
                    hasher.finish()
                };
                let all = elements(10);
                for x in &all {
                    for y in &all {
                        let expected = big(&x.to_limbs()).cmp(&big(&y.to_limbs()));
                        assert_eq!(x.cmp(y), expected);
                        assert_eq!(x < y, expected.is_lt());
                        assert_eq!(hash(x) == hash(y), x == y);
                    }
                }
                let distinct: HashSet<BigUint> = all.iter().map(|x| big(&x.to_limbs())).collect();
                assert_eq!(
                    all.into_iter().collect::<HashSet<_>>().len(),
                    distinct.len()
                );
            }

            #[test]
            fn constant_arithmetic_is_that_of_operators() {
                let all = elements(3);
                for x in &all {
                    for y in all.iter().step_by(5) {
                        assert_eq!(x.const_add(y), x + y);
                        assert_eq!(x.const_sub(y), x - y);
                        assert_eq!(x.const_mul(y), x * y);
                    }
                    assert_eq!(x.const_neg(), -x);
                    assert_eq!(x.const_square(), x.square());
                    assert_eq!(x.const_invert(), x.invert());
                }
                const TWO: Fp = Fp::from_u64(2);
                const HALF: Fp = TWO.const_invert().unwrap();
                assert_eq!(HALF, Fp::TWO_INV);
            }

            #[test]
            fn products_with_small_numbers() {
                let p = big(&P);
                on_every_path(|_| {
                    for x in elements(50) {
                        let number = big(&x.to_limbs());
                        for k in [0, 1, 2, 3, 255, 1 << 31, u32::MAX - 1, u32::MAX] {
                            let expected = &number * k % &p;
                            assert_eq!(big(&x.mul_small(k).to_limbs()), expected, "{x} * {k}");
                        }
                        for k in [0, 1, 7, 1 << 63, (1 << 63) - 1, u64::MAX - 1, u64::MAX] {
                            let expected = &number * k % &p;
                            assert_eq!(big(&x.mul_u64(k).to_limbs()), expected, "{x} * {k}");
                            let found = x.mul_i64(k as i64) + x.mul_u64((k >> 63) << 63).double();
                            assert_eq!(big(&found.to_limbs()), expected, "{x} * {}", k as i64);
                        }
                    }
                });
            }

            #[test]
            fn division_and_sums() {
                on_every_path(|_| {
                    for x in elements(3) {
                        if !x.is_zero() {
                            assert_eq!(Fp::from(3) * x / x, Fp::from(3));
                            let mut y = x;
                            y /= x;
                            assert_eq!(y, Fp::ONE);
                        }
                        assert_eq!(x.mul_add(&x, &Fp::ONE), x * x + Fp::ONE);
                        assert_eq!(Fp::select(true, &x, &Fp::ONE), x);
                        assert_eq!(Fp::select(false, &Fp::ONE, &x), x);
                    }
                });
            }

            #[test]
            #[should_panic(expected = "the divisor is 0")]
            fn division_by_zero_panics() {
                let _ = Fp::ONE / Fp::ZERO;
            }

            #[test]
            fn slices_are_their_elements() {
                let all = elements(300);
                let (x, y) = all.split_at(all.len() / 2);
                let (x, y) = (&x[..y.len().min(x.len())], &y[..x.len().min(y.len())]);
                let check = |found: Vec<Fp>, of: fn(Fp, Fp) -> Fp| {
                    let expected = x.iter().zip(y).map(|(x, y)| of(*x, *y));
                    assert_eq!(found, expected.collect::<Vec<_>>());
                };
                on_every_path(|_| {
                    let on = |operation: fn(&mut [Fp], &[Fp])| {
                        let mut z = x.to_vec();
                        operation(&mut z, y);
                        z
                    };
                    let apart = |operation: fn(&[Fp], &[Fp], &mut [Fp])| {
                        let mut z = vec![Fp::ZERO; x.len()];
                        operation(x, y, &mut z);
                        z
                    };
                    check(on(slices::add), |x, y| x + y);
                    check(on(slices::sub), |x, y| x - y);
                    check(on(slices::mul), |x, y| x * y);
                    check(on(|z, _| _ = slices::batch_invert(z)), |x, _| {
                        x.invert_ct().0
                    });
                    check(on(|z, _| slices::scale(z, &Fp::from(7))), |x, _| {
                        x.mul_small(7)
                    });
                    check(on(|z, _| slices::square(z)), |x, _| x.square());
                    check(on(|z, y| slices::add_products(z, y, y)), |x, y| x + y * y);
                    check(apart(slices::add_into), |x, y| x + y);
                    check(apart(slices::sub_into), |x, y| x - y);
                    check(apart(slices::mul_into), |x, y| x * y);
                    for n in (0..41).chain([63, 64, 65, x.len()]) {
                        let sum = x[..n].iter().zip(y).map(|(x, y)| x * y).sum::<Fp>();
                        assert_eq!(fieldc::inner_product(&x[..n], &y[..n]), sum);
                        assert_eq!(slices::sum(&x[..n]), x[..n].iter().sum::<Fp>());
                        let mut z = x[..n].to_vec();
                        slices::mul(&mut z, &y[..n]);
                        assert!(z.iter().zip(x.iter().zip(y)).all(|(z, (x, y))| *z == x * y));
                    }
                });
            }

            #[test]
            fn inner_products_longer_than_columns() {
                let all = elements(20);
                let cycled = |step: usize, n: usize| {
                    let places = (0..n).map(|i| all[i * step % all.len()]);
                    places.collect::<Vec<Fp>>()
                };
                on_every_path(|_| {
                    for n in [255, 256, 257, 2047, 2048, 2049, 4101] {
                        let (x, y) = (cycled(1, n), cycled(3, n));
                        let sum = x.iter().zip(&y).map(|(x, y)| x * y).sum::<Fp>();
                        assert_eq!(fieldc::inner_product(&x, &y), sum);
                        let largest = vec![-Fp::ONE; n];
                        let found = fieldc::inner_product(&largest, &largest);
                        assert_eq!(found, Fp::from(n as u64));
                    }
                });
            }

            #[test]
            #[should_panic(expected = "different lengths")]
            fn slices_of_different_lengths_panic() {
                fieldc::inner_product(&[Fp::ONE], &[]);
            }

            #[test]
            fn roots_of_unity_have_their_orders() {
                let less: BigUint = big(&P) - 1_u8;
                assert_eq!(u64::from(Fp::TWO_ADICITY), less.trailing_zeros().unwrap());
                assert_eq!(Fp::ROOT_OF_UNITY * Fp::ROOT_OF_UNITY_INV, Fp::ONE);
                for k in 0..=Fp::TWO_ADICITY {
                    let root = Fp::primitive_root_of_unity(k).unwrap();
                    let half = (0..k.saturating_sub(1)).fold(root, |x, _| x.square());
                    assert_eq!(half, if k == 0 { Fp::ONE } else { -Fp::ONE });
                }
                assert_eq!(Fp::primitive_root_of_unity(Fp::TWO_ADICITY + 1), None);
            }

            #[test]
            fn generic_code_computes_the_same() {
                fn polynomial<F: Field>(coefficients: &[F], x: &F) -> F {
                    let step = |sum: F, a: &F| sum.mul_add(x, a);
                    coefficients.iter().rev().fold(F::ZERO, step)
                }
                fn digits<F: PrimeField>(x: &F) -> Vec<u64> {
                    x.to_limbs().as_ref().to_vec()
                }
                let [a, b, c, x] = [2, 3, 5, 7].map(Fp::from_u64);
                let value = polynomial(&[a, b, c], &x);
                assert_eq!(value, a + b * x + c * x * x);
                assert_eq!(digits(&value), value.to_limbs());
                assert_eq!(
                    <Fp as PrimeField>::from_bytes_le(&value.to_bytes_le()),
                    Ok(value)
                );
            }
        }
    };
}

for_some_fields!(field_tests);

/// Fp2 against its definition.
mod fp2 {
    use super::*;

    fn check<F: fieldc::fp2::HasFp2>(numbers: &[F]) {
        let all: Vec<Fp2<F>> = numbers.windows(2).map(|x| Fp2::new(x[0], x[1])).collect();
        for (i, x) in all.iter().enumerate() {
            let y = &all[(7 * i + 3) % all.len()];
            let product = Fp2::new(x.c0 * y.c0 - x.c1 * y.c1, x.c0 * y.c1 + x.c1 * y.c0);
            assert_eq!(x * y, product);
            assert_eq!(x.square(), x * x);
            assert_eq!(x + y - y, *x);
            assert_eq!(x.mul_add(y, y), product + y);
            assert_eq!(-x + x, Fp2::ZERO);
            assert_eq!(x.double(), x + x);
            assert_eq!(x * x.conjugate(), Fp2::from(x.norm()));
            assert_eq!(x * y.c1, x * Fp2::new(y.c1, F::ZERO));
            let mut scaled = *x;
            scaled *= &y.c1;
            scaled *= y.c0;
            assert_eq!(scaled, std::ops::Mul::mul(x, &y.c0) * y.c1);
            assert_eq!([x.frobenius(3), x.frobenius(4)], [x.conjugate(), *x]);
            assert_eq!(Fp2::inner_product(&[*x, *y], &[*y, *y]), product + y * y);
            assert_eq!(x.pow(&[5]), x * x * x * x * x);
            assert_eq!(x.is_zero(), *x == Fp2::ZERO);
            match x.invert() {
                Some(inverse) => assert_eq!(inverse * x, Fp2::ONE),
                None => assert!(x.is_zero()),
            }
            assert!(x.square().is_square());
            let root = x.square().sqrt().unwrap();
            assert!(root == *x || root == -x);
            assert_eq!(x.sqrt().is_some(), x.is_square());
            assert!(x.sqrt().is_none_or(|root| root.square() == *x));
            assert_eq!(x.sqrt(), x.sqrt().map(|root| (root * root).sqrt().unwrap()));
        }
        // Elements of the prime field, squares or not, have roots in Fp2.
        for x in numbers {
            let x = Fp2::from(*x);
            assert_eq!(x.sqrt().map(|root| root.square()), Some(x));
        }
        assert!(all.iter().any(|x| !x.is_square()));
        let mut inverses = all.clone();
        slices::batch_invert(&mut inverses);
        for (x, inverse) in all.iter().zip(inverses) {
            assert_eq!(inverse, x.invert_ct().0);
        }
        assert_eq!(all.iter().sum::<Fp2<F>>(), all.iter().copied().sum());
        assert_eq!(Fp2::<F>::U.square(), Fp2::from(-1));
    }

    macro_rules! tests {
        ($($name:ident: $Fp:ty),+ $(,)?) => {$(
            #[test]
            fn $name() {
                let numbers = values(&<$Fp>::MODULUS, 10);
                let numbers: Vec<$Fp> =
                    numbers.iter().map(|x| <$Fp>::from_limbs(*x).unwrap()).collect();
                on_every_path(|_| check(&numbers));
            }
        )+};
    }

    tests! {
        bls12_381: fieldc::bls12_381::Fp,
        bn254: fieldc::bn254::Fp,
        secp256k1: fieldc::secp256k1::Fp,
        mersenne61: crate::Mersenne61,
    }
}
