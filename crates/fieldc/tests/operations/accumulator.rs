//! Sums that are reduced once, and products with integers, against arithmetic on numbers of any size.

use fieldc::{Accumulator, IntegerAccumulator, PrimeField};
use num_bigint::{BigInt, BigUint};

use crate::common::{Random, on_every_path};

const INTEGERS: [i64; 8] = [0, 1, -1, 5, -7, i64::MAX, i64::MIN, i64::MIN + 1];

fn value<F: PrimeField>(x: F) -> BigInt {
    BigUint::from_bytes_le(x.to_bytes_le().as_ref()).into()
}

/// Whether a number is an element modulo p.
fn check<F: PrimeField>(found: F, expected: &BigInt) {
    let p = value(-F::ONE) + 1;
    assert_eq!(value(found), ((expected % &p) + &p) % p);
}

fn elements<F: PrimeField>() -> Vec<F> {
    let mut random = Random::new(7);
    let mut found = vec![F::ZERO, F::ONE, -F::ONE, -F::ONE.double()];
    found.extend((0..20).map(|_| F::random_from(|bytes| random.fill(bytes))));
    found
}

fn sums<F: PrimeField>() {
    let all = elements::<F>();
    on_every_path(|_| {
        let (mut sum, mut expected) = (Accumulator::ZERO, BigInt::ZERO);
        for (i, x) in all.iter().enumerate() {
            for y in &all {
                if i % 3 == 1 {
                    sum.sub_product(x, y);
                    expected -= value(*x) * value(*y);
                } else {
                    sum.add_product(x, y);
                    expected += value(*x) * value(*y);
                }
            }
            check(sum.reduce(), &expected);
        }
        let (mut sum, mut expected) = (IntegerAccumulator::ZERO, BigInt::ZERO);
        for x in &all {
            for k in INTEGERS {
                sum.add_i64(x, k);
                sum.add_u64(x, k as u64);
                expected += value(*x) * k + value(*x) * (k as u64);
                check(x.mul_i64(k), &(value(*x) * k));
                check(x.mul_u64(k as u64), &(value(*x) * (k as u64)));
            }
            check(sum.reduce(), &expected);
        }
    });
}

/// The largest summands, so often that the topmost limb is used.
fn largest<F: PrimeField>() {
    let (x, mut sum, mut scaled) = (-F::ONE, Accumulator::ZERO, IntegerAccumulator::ZERO);
    for _ in 0..1000 {
        sum.add_product(&x, &x);
        scaled.add_u64(&x, u64::MAX);
    }
    check(sum.reduce(), &BigInt::from(1000));
    check(scaled.reduce(), &(BigInt::from(u64::MAX) * -1000));
    assert_eq!(
        format!("{sum:?}"),
        format!("Accumulator({:?})", F::from(1000_u64))
    );
}

macro_rules! fields {
    ($($module:ident $text:literal),+ $(,)?) => {$(
        mod $module {
            fieldc::field! {
                /// A field.
                pub(crate) struct Fp(modulus = $text);
            }

            #[test]
            fn sums() {
                super::sums::<Fp>();
                super::largest::<Fp>();
            }
        }
    )+};
}

fields! {
    three "3",
    of_251 "251",
    of_33_bits "0x1fffffff7",
    of_61_bits "0x1fffffffffffffff",
    of_64_bits "0xffffffffffffffc5",
    of_65_bits "0x1000000000000000d",
    of_128_bits "0xffffffffffffffffffffffffffffff61",
    // The estimate of the quotient would be two less than the quotient: see `small.rs`.
    of_three_limbs_near_the_end "0xffffffffffffffff0000000000000000000000000000000d",
}

#[test]
fn sums_of_named_fields() {
    sums::<fieldc::bn254::Fr>();
    sums::<fieldc::bls12_381::Fp>();
    sums::<fieldc::secp256k1::Fp>();
    sums::<fieldc::p256::Fp>();
    sums::<fieldc::curve25519::Fp>();
    largest::<fieldc::bls12_381::Fr>();
    largest::<fieldc::secp256k1::Fp>();
}
