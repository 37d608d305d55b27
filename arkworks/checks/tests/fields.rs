//! Fields that macros of the patch make, against integers of any size.

use ark_ff::{BigInteger, FftField, PrimeField};
use num_bigint::BigUint;

#[cfg(not(feature = "sabotage"))]
mod right {
    use super::*;

    macro_rules! fields {
        ($($name:ident: $modulus:literal, $generator:literal;)*) => {
            $(checks::field!($name, $modulus, $generator);)*

            #[test]
            fn made_by_macros() {
                $(check::<checks::element!($name, $modulus)>(stringify!($name));)*
            }
        };
    }

    // Limbs of all numbers of bits, with kernels of all classes; 13 limbs have none.
    fields! {
        P8: "251", "6";
        P16: "65521", "17";
        P31: "2147483647", "7";
        P32: "4294967291", "2";
        P64: "18446744069414584321", "7";
        P64Full: "18446744073709551557", "2";
        P61: "2305843009213693951", "37";
        P127: "170141183460469231731687303715884105727", "43";
        P128: "340282366920938463463374607431768211297", "5";
        P255: "57896044618658097711785492504343953926634992332820282019728792003956564819949", "2";
        P256: "115792089237316195423570985008687907853269984665640564039457584007908834671663", "3";
        P521: "6864797660130609714981900799081393217269435300143305409394463459185543183397656052122559640661454554977296311391480858037121987999716643812574028291115057151", "3";
    }

    #[test]
    fn of_curves() {
        check::<ark_bls12_381::Fq>("BLS12-381 p");
        check::<ark_bls12_381::Fr>("BLS12-381 r");
        check::<ark_bn254::Fq>("BN254 p");
        check::<ark_bn254::Fr>("BN254 r");
        check::<ark_secp256k1::Fq>("secp256k1 p");
        check::<ark_secp256k1::Fr>("secp256k1 n");
    }
}

/// Small numbers, numbers close to p, and random ones.
fn operands<F: PrimeField>() -> Vec<F> {
    let mut random = ark_std::test_rng();
    let small = (0..4).map(F::from);
    let edges: Vec<F> = small.flat_map(|x: F| [x, -x]).collect();
    edges.into_iter().chain((0..60).map(|_| F::rand(&mut random))).collect()
}

fn integer<F: PrimeField>(element: F) -> BigUint {
    BigUint::from_bytes_le(&element.into_bigint().to_bytes_le())
}

/// Every operation on every pair of operands.
#[cfg_attr(feature = "sabotage", allow(dead_code))]
fn check<F: PrimeField>(field: &str) {
    let p = BigUint::from_bytes_le(&F::MODULUS.to_bytes_le());
    let operands = operands::<F>();
    for &a in &operands {
        let x = integer(a);
        assert_eq!(integer(a.square()), &x * &x % &p, "{field}: square of {a}");
        assert_eq!(a.square().sqrt().map(|root| root.square()), Some(a.square()), "{field}");
        assert_eq!(
            a.inverse().map(|inverse| inverse * a),
            (!x.eq(&BigUint::ZERO)).then_some(F::ONE)
        );
        assert_eq!(integer(-a), (&p - &x) % &p, "{field}: negative of {a}");
        assert_eq!(integer(a.double()), (&x + &x) % &p, "{field}: double of {a}");
        for &b in &operands {
            let y = integer(b);
            assert_eq!(integer(a * b), &x * &y % &p, "{field}: {a} * {b}");
            assert_eq!(integer(a + b), (&x + &y) % &p, "{field}: {a} + {b}");
            assert_eq!(integer(a - b), (&x + &p - &y) % &p, "{field}: {a} - {b}");
            assert_eq!(F::sum_of_products(&[], &[]), F::ZERO, "{field}");
            assert_eq!(F::sum_of_products(&[a], &[b]), a * b, "{field}");
            let two = F::sum_of_products(&[a, b], &[b, -F::ONE]);
            assert_eq!(integer(two), (&x * &y + &p - &y) % &p, "{field}: {a}*{b} - {b}");
            let three = F::sum_of_products(&[a, b, a], &[a, b, b]);
            assert_eq!(integer(three), (&x * &x + &y * &y + &x * &y) % &p, "{field}");
        }
    }
    roots_of_unity::<F>(field);
}

#[cfg_attr(feature = "sabotage", allow(dead_code))]
fn roots_of_unity<F: FftField>(field: &str) {
    let root = F::TWO_ADIC_ROOT_OF_UNITY;
    assert_eq!(root.pow([1 << (F::TWO_ADICITY - 1).min(63)]), -F::ONE, "{field}");
    if let (Some(base), Some(power)) = (F::SMALL_SUBGROUP_BASE, F::SMALL_SUBGROUP_BASE_ADICITY) {
        let large = F::LARGE_SUBGROUP_ROOT_OF_UNITY.expect("it comes with the base");
        let small = large.pow([1 << F::TWO_ADICITY]);
        let order = u64::from(base).pow(power);
        assert_eq!(small.pow([order]), F::ONE, "{field}");
        assert_ne!(small.pow([order / u64::from(base)]), F::ONE, "{field}");
    }
}

/// With kernels that are wrong by one bit the fields of curves are wrong.
#[cfg(feature = "sabotage")]
#[test]
fn kernels_run() {
    fn wrong<F: PrimeField>(field: &str) {
        let operands = operands::<F>();
        let pairs = || operands.iter().flat_map(|&a| operands.iter().map(move |&b| (a, b)));
        let p = BigUint::from_bytes_le(&F::MODULUS.to_bytes_le());
        let is_wrong = |(a, b): (F, F)| integer(a * b) != integer(a) * integer(b) % &p;
        assert!(pairs().any(is_wrong), "{field}: products are right");
        assert!(pairs().any(|(a, _)| is_wrong_square(a)), "{field}: squares are right");
        let is_wrong = |(a, b): (F, F)| {
            let (x, y) = (integer(a), integer(b));
            integer(F::sum_of_products(&[a, b], &[b, a])) != (&x * &y + &x * &y) % &p
        };
        assert!(pairs().any(is_wrong), "{field}: sums of products are right");
    }
    fn is_wrong_square<F: PrimeField>(a: F) -> bool {
        let p = BigUint::from_bytes_le(&F::MODULUS.to_bytes_le());
        integer(a.square()) != integer(a) * integer(a) % p
    }
    wrong::<ark_bls12_381::Fq>("BLS12-381 p");
    wrong::<ark_bls12_381::Fr>("BLS12-381 r");
    wrong::<ark_bn254::Fq>("BN254 p");
    wrong::<ark_bn254::Fr>("BN254 r");
}
