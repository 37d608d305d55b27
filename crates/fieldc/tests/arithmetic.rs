//! Every operation of every field on every path, against schoolbook products and num-bigint.

mod common;

use common::{minus, on_every_path, plus, reduce, small, times, values};

macro_rules! field_tests {
    ($module:ident, $Fp:ty) => {
        mod $module {
            use super::*;

            type Fp = $Fp;
            const P: [u64; Fp::MODULUS.len()] = Fp::MODULUS;

            fn element(limbs: &[u64; Fp::MODULUS.len()]) -> Fp {
                Fp::from_limbs(*limbs).expect("below p")
            }

            #[test]
            fn operations_of_two_operands() {
                let numbers = values(&P, 8);
                on_every_path(|kernels| {
                    for a in &numbers {
                        for b in &numbers {
                            let (x, y) = (element(a), element(b));
                            let difference = reduce(&plus(a, &minus(&P, b)), &P);
                            let product = reduce(&times(a, b), &P);
                            assert_eq!((x + y).to_limbs(), reduce(&plus(a, b), &P), "{kernels:?}");
                            assert_eq!((x - y).to_limbs(), difference, "{kernels:?}");
                            assert_eq!((x * y).to_limbs(), product, "{kernels:?} {x} * {y}");
                        }
                    }
                });
            }

            #[test]
            fn operations_of_one_operand() {
                let numbers = values(&P, 100);
                on_every_path(|kernels| {
                    for a in &numbers {
                        let x = element(a);
                        let square = reduce(&times(a, a), &P);
                        assert_eq!(x.to_limbs(), *a, "{kernels:?}");
                        assert_eq!((-x).to_limbs(), reduce(&minus(&P, a), &P), "{kernels:?}");
                        assert_eq!(
                            x.double().to_limbs(),
                            reduce(&plus(a, a), &P),
                            "{kernels:?}"
                        );
                        assert_eq!(x.square().to_limbs(), square, "{kernels:?} {x} squared");
                    }
                });
            }

            #[test]
            #[cfg_attr(miri, ignore = "slow")]
            fn a_long_chain_is_the_same_on_every_path() {
                let start = element(&values(&P, 1)[7]);
                let chain = || {
                    (0..2_000).fold(start, |x, i| {
                        x.square() * (x - start) + x.double() + Fp::from_u64(i)
                    })
                };
                let results = std::sync::Mutex::new(Vec::new());
                on_every_path(|_| results.lock().unwrap().push(chain()));
                let results = results.into_inner().unwrap();
                assert!(results.iter().all(|result| *result == results[0]));
            }

            #[test]
            fn every_form_of_an_operator_is_the_same() {
                on_every_path(|_| {
                    let (x, y) = (Fp::from_u64(7), -Fp::from(9));
                    assert!([x + &y, &x + y, &x + &y].iter().all(|z| *z == x + y));
                    assert!([x - &y, &x - y, &x - &y].iter().all(|z| *z == x - y));
                    assert!([x * &y, &x * y, &x * &y].iter().all(|z| *z == x * y));
                    assert_eq!(-&x, -x);
                    let mut z = x;
                    z += y;
                    z += &y;
                    z -= y;
                    z -= &x;
                    z *= y;
                    z *= &x;
                    assert_eq!(z, y * y * x);
                });
            }

            #[test]
            fn sums_and_products() {
                let elements = || (1..=20).map(Fp::from_u64);
                assert_eq!(elements().sum::<Fp>(), Fp::from_u64(210));
                let factorial = Fp::from_u64(2_432_902_008_176_640_000);
                assert_eq!(elements().product::<Fp>(), factorial);
                assert_eq!(std::iter::empty::<Fp>().sum::<Fp>(), Fp::ZERO);
                assert_eq!(std::iter::empty::<Fp>().product::<Fp>(), Fp::ONE);
            }

            #[test]
            fn zero_and_one() {
                assert_eq!(Fp::ZERO.to_limbs(), small(0));
                assert_eq!(Fp::ONE.to_limbs(), small(1));
                assert_eq!(Fp::default(), Fp::ZERO);
                assert!(Fp::ZERO.is_zero() && !Fp::ONE.is_zero());
                // The negative of 0 is 0, never p.
                assert_eq!(-Fp::ZERO, Fp::ZERO);
                assert_ne!(Fp::ONE, Fp::ZERO);
            }

            #[test]
            fn comparison_sees_every_limb() {
                for i in 0..P.len() {
                    let mut limbs = [0; P.len()];
                    limbs[i] = 1;
                    assert_ne!(element(&limbs), Fp::ZERO);
                    assert_eq!(element(&limbs), element(&limbs));
                }
            }
        }
    };
}

for_every_field!(field_tests);
