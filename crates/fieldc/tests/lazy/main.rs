//! Values below 2p against num-bigint, on every path: named fields, and for every number of limbs
//! primes at the limits of each class of kernels.

#[path = "../common/mod.rs"]
mod common;
#[cfg(not(clippy))]
mod primes;

use common::{Random, big, minus, on_every_path, plus, small};
use fieldc::Lazy;
use num_bigint::BigUint;

/// The limbs of 2p.
fn twice<const N: usize>(p: &[u64; N]) -> [u64; N] {
    *plus(p, p).first_chunk().expect("N limbs")
}

/// 0, 1, 2, p - 1, p, p + 1, 2p - 2, 2p - 1, limbs of ones, and random numbers below 2p.
fn values<const N: usize>(p: &[u64; N]) -> Vec<[u64; N]> {
    let (one, two, end) = (small(1), small(2), twice(p));
    let next = *plus(p, &one).first_chunk().expect("N limbs");
    let mut found = vec![[0; N], one, two, minus(p, &one), *p, next];
    found.extend([minus(&end, &two), minus(&end, &one)]);
    found.extend((1..=N).map(|n| common::reduce(&vec![u64::MAX; n], &end)));
    let mut source = Random::new(N as u64);
    found.extend((0..6).map(|_| source.below(&end)));
    found
}

macro_rules! tests {
    ($($name:ident: $Fp:ty),+ $(,)?) => {$(
        mod $name {
            use super::*;

            type Fp = $Fp;
            const P: [u64; Fp::LIMBS] = Fp::MODULUS;

            fn lazy(limbs: &[u64; Fp::LIMBS]) -> Lazy<Fp> {
                Lazy::from_montgomery_limbs(*limbs).expect("below 2p")
            }

            /// The form as it stands, which must be below 2p, modulo p.
            fn residue(x: &Lazy<Fp>) -> BigUint {
                let form = big(&x.to_montgomery_limbs());
                assert!(form < big(&twice(&P)));
                form % big(&P)
            }

            #[test]
            #[cfg_attr(miri, ignore = "slow")]
            fn operations_of_two_operands_close() {
                let (numbers, p) = (values(&P), big(&P));
                let r = BigUint::from(1_u8) << (64 * Fp::LIMBS);
                on_every_path(|kernels| {
                    for (a, b) in numbers.iter().flat_map(|a| numbers.iter().map(move |b| (a, b))) {
                        let (x, y, a, b) = (lazy(a), lazy(b), big(a), big(b));
                        assert_eq!(residue(&(x + y)), (&a + &b) % &p, "{kernels:?} {a} + {b}");
                        assert_eq!(residue(&(x - y)), (&a + &p * 2_u8 - &b) % &p, "{kernels:?} {a} - {b}");
                        let product = residue(&(x * y)) * &r % &p;
                        assert_eq!(product, &a * &b % &p, "{kernels:?} {a} * {b}");
                        let mut z = x;
                        z *= y;
                        assert_eq!(z.to_montgomery_limbs(), (x * y).to_montgomery_limbs());
                        assert_eq!(x == y, a % &p == b % &p, "{kernels:?}");
                    }
                });
            }

            #[test]
            #[cfg_attr(miri, ignore = "slow")]
            fn operations_of_one_operand_close() {
                let (numbers, p) = (values(&P), big(&P));
                let r = BigUint::from(1_u8) << (64 * Fp::LIMBS);
                on_every_path(|kernels| {
                    for limbs in &numbers {
                        let (x, a) = (lazy(limbs), big(limbs));
                        assert_eq!(residue(&x.square()) * &r % &p, &a * &a % &p, "{kernels:?} {a}");
                        let mut z = x;
                        z.square_in_place();
                        assert_eq!(z.to_montgomery_limbs(), x.square().to_montgomery_limbs());
                        assert_eq!(residue(&-x), (&p * 2_u8 - &a) % &p, "{kernels:?} {a}");
                        assert_eq!(residue(&x.double()), &a * 2_u8 % &p, "{kernels:?} {a}");
                        let reduced = x.reduce();
                        assert_eq!(big(&reduced.to_montgomery_limbs()), &a % &p, "{kernels:?}");
                        assert_eq!(Lazy::from(reduced), x, "{kernels:?}");
                        assert_eq!(x.is_zero(), a % &p == BigUint::ZERO, "{kernels:?}");
                    }
                });
            }

            #[test]
            fn only_forms_below_2p_are_values() {
                assert!(Lazy::<Fp>::from_montgomery_limbs(minus(&twice(&P), &small(1))).is_some());
                assert!(Lazy::<Fp>::from_montgomery_limbs(twice(&P)).is_none());
                assert!(Lazy::<Fp>::from_montgomery_limbs([u64::MAX; Fp::LIMBS]).is_none());
            }
        }
    )+};
}

// Clippy finds the same in the modules of all fields.
#[cfg(clippy)]
tests! { bls12_381_fp: fieldc::bls12_381::Fp }
#[cfg(not(clippy))]
tests! {
    bls12_381_fp: fieldc::bls12_381::Fp,
    bls12_377_fp: fieldc::bls12_377::Fp,
    bls12_377_fr: fieldc::bls12_377::Fr,
    bn254_fp: fieldc::bn254::Fp,
    bn254_fr: fieldc::bn254::Fr,
    fp254bnb_fp: fieldc::fp254bnb::Fp,
    fp254bnb_fr: fieldc::fp254bnb::Fr,
    bw6_761_fp: fieldc::bw6_761::Fp,
    p521_fp: fieldc::p521::Fp,
    rows01: primes::Rows01,
    room01: primes::Room01,
    ample02: primes::Ample02,
    rows02: primes::Rows02,
    room02: primes::Room02,
    ample03: primes::Ample03,
    rows03: primes::Rows03,
    room03: primes::Room03,
    ample04: primes::Ample04,
    rows04: primes::Rows04,
    room04: primes::Room04,
    ample05: primes::Ample05,
    rows05: primes::Rows05,
    room05: primes::Room05,
    ample06: primes::Ample06,
    rows06: primes::Rows06,
    room06: primes::Room06,
    ample07: primes::Ample07,
    rows07: primes::Rows07,
    room07: primes::Room07,
    ample08: primes::Ample08,
    rows08: primes::Rows08,
    room08: primes::Room08,
    ample09: primes::Ample09,
    rows09: primes::Rows09,
    room09: primes::Room09,
    ample10: primes::Ample10,
    rows10: primes::Rows10,
    room10: primes::Room10,
    ample11: primes::Ample11,
    rows11: primes::Rows11,
    room11: primes::Room11,
    ample12: primes::Ample12,
    rows12: primes::Rows12,
    room12: primes::Room12,
}

type Fp = fieldc::bn254::Fp;

#[test]
#[allow(clippy::op_ref, reason = "every form of an operator")]
fn every_form_of_an_operator_is_the_same() {
    on_every_path(|_| {
        let [x, y] = [7, 9].map(|k| Lazy::from(-Fp::from_u64(k)));
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
fn a_long_chain_reduces_to_the_canonical_one() {
    on_every_path(|kernels| {
        let start = -Fp::from_u64(5);
        let canonical = (0..2_000).fold(start, |x, _| x.square() * (x - start) + x.double());
        let start = Lazy::from(start);
        let lazy = (0..2_000).fold(start, |x, _| x.square() * (x - start) + x.double());
        assert_eq!(lazy.reduce(), canonical, "{kernels:?}");
    });
}

#[test]
fn sums_products_and_constants() {
    let elements = || (1..=20).map(|k| Lazy::from(Fp::from_u64(k)));
    assert_eq!(elements().sum::<Lazy<Fp>>().reduce(), Fp::from_u64(210));
    let factorial = Fp::from_u64(2_432_902_008_176_640_000);
    assert_eq!(elements().product::<Lazy<Fp>>().reduce(), factorial);
    assert_eq!(Lazy::<Fp>::default(), Lazy::ZERO);
    assert_eq!(Lazy::<Fp>::ONE.reduce(), Fp::ONE);
    let p = Lazy::<Fp>::from_montgomery_limbs(Fp::MODULUS).expect("below 2p");
    assert!(p.is_zero() && p == Lazy::ZERO && p != Lazy::ONE);
    let says = format!("Lazy({:?})", Fp::ZERO);
    assert_eq!(format!("{p:?}"), says);
}
