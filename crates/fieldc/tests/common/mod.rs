//! A reference that shares no code with the crate, edge values, and both paths of kernels.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::sync::{Mutex, PoisonError};

use fieldc::Kernels;
use num_bigint::BigUint;

/// A number as limbs, least significant first.
pub(crate) type Number = Vec<u64>;

/// The kernels that a check runs on are the whole program's, so one check runs at a time.
static SELECTED: Mutex<()> = Mutex::new(());

/// Runs a check on every path that this processor and this build have.
pub(crate) fn on_every_path(mut check: impl FnMut(Kernels)) {
    let _guard = SELECTED.lock().unwrap_or_else(PoisonError::into_inner);
    use Kernels::{Adx, AdxAvx2, AdxAvx512Ifma, Avx2, Avx512Ifma, Avx512f, Mulx, Portable};
    for kernels in [
        Portable,
        Mulx,
        Adx,
        Avx2,
        AdxAvx2,
        Avx512f,
        Avx512Ifma,
        AdxAvx512Ifma,
    ] {
        match kernels.select() {
            Ok(()) => check(kernels),
            Err(error) => println!("skipped: {error}"),
        }
    }
    Kernels::detect().select().unwrap();
}

/// SplitMix64.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn fill(&mut self, bytes: &mut [u8]) {
        bytes.fill_with(|| self.next() as u8);
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub(crate) fn below<const N: usize>(&mut self, p: &[u64; N]) -> [u64; N] {
        let limbs: Number = (0..N).map(|_| self.next()).collect();
        reduce(&limbs, p)
    }
}

/// 0, 1, 2, p - 1, p - 2, limbs of ones, single bits around the limbs' borders, and random numbers.
///
/// Miri takes thousands of times as long, and sees no more with more values: it gets four.
pub(crate) fn values<const N: usize>(p: &[u64; N], random: usize) -> Vec<[u64; N]> {
    let one = small::<N>(1);
    if cfg!(miri) {
        return vec![[0; N], one, minus(p, &one), Random(N as u64).below(p)];
    }
    let mut found = vec![[0; N], one, small(2), minus(p, &one), minus(p, &small(2))];
    found.extend((1..=N).map(|n| reduce(&vec![u64::MAX; n], p)));
    for i in 0..N {
        for bit in [1, 1 << 32, 1 << 63] {
            let mut limbs = [0; N];
            limbs[i] = bit;
            found.push(reduce(&limbs, p));
        }
    }
    let mut source = Random(N as u64);
    found.extend((0..random).map(|_| source.below(p)));
    found
}

pub(crate) fn small<const N: usize>(value: u64) -> [u64; N] {
    let mut limbs = [0; N];
    limbs[0] = value;
    limbs
}

/// a - b for a >= b.
pub(crate) fn minus<const N: usize>(a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    let mut borrow = 0;
    std::array::from_fn(|i| {
        let total = a[i] as i128 - b[i] as i128 + borrow;
        borrow = total >> 64;
        total as u64
    })
}

/// a + b, one limb longer.
pub(crate) fn plus<const N: usize>(a: &[u64; N], b: &[u64; N]) -> Number {
    let mut carry = 0;
    let mut sum: Number = (0..N)
        .map(|i| {
            carry += a[i] as u128 + b[i] as u128;
            let limb = carry as u64;
            carry >>= 64;
            limb
        })
        .collect();
    sum.push(carry as u64);
    sum
}

/// a * b, row by row.
pub(crate) fn times<const N: usize>(a: &[u64; N], b: &[u64; N]) -> Number {
    let mut product = vec![0; 2 * N];
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0;
        for (j, y) in b.iter().enumerate() {
            carry += product[i + j] as u128 + *x as u128 * *y as u128;
            product[i + j] = carry as u64;
            carry >>= 64;
        }
        product[i + N] = carry as u64;
    }
    product
}

/// t mod p, by num-bigint.
pub(crate) fn reduce<const N: usize>(t: &[u64], p: &[u64; N]) -> [u64; N] {
    let rest = big(t) % big(p);
    let mut limbs = rest.iter_u64_digits();
    std::array::from_fn(|_| limbs.next().unwrap_or(0))
}

/// A number as num-bigint's.
pub(crate) fn big(limbs: &[u64]) -> BigUint {
    let halves = limbs.iter().flat_map(|x| [*x as u32, (x >> 32) as u32]);
    BigUint::new(halves.collect())
}

/// One test module for one field: clippy finds the same in those of the others.
#[cfg(clippy)]
#[macro_export]
macro_rules! for_every_field {
    ($tests:ident) => {
        $tests!(bls12_381_fp, fieldc::bls12_381::Fp);
    };
}

/// One test module for each named field.
#[cfg(not(clippy))]
#[macro_export]
macro_rules! for_every_field {
    ($tests:ident) => {
        $tests!(bls12_381_fp, fieldc::bls12_381::Fp);
        $tests!(bls12_381_fr, fieldc::bls12_381::Fr);
        $tests!(bls12_377_fp, fieldc::bls12_377::Fp);
        $tests!(bls12_377_fr, fieldc::bls12_377::Fr);
        $tests!(bn254_fp, fieldc::bn254::Fp);
        $tests!(bn254_fr, fieldc::bn254::Fr);
        $tests!(fp254bnb_fp, fieldc::fp254bnb::Fp);
        $tests!(fp254bnb_fr, fieldc::fp254bnb::Fr);
        $tests!(bw6_761_fp, fieldc::bw6_761::Fp);
        $tests!(secp256k1_fp, fieldc::secp256k1::Fp);
        $tests!(secp256k1_fr, fieldc::secp256k1::Fr);
        $tests!(p256_fp, fieldc::p256::Fp);
        $tests!(p384_fp, fieldc::p384::Fp);
        $tests!(p521_fp, fieldc::p521::Fp);
        $tests!(curve25519_fp, fieldc::curve25519::Fp);
        $tests!(pallas_fp, fieldc::pallas::Fp);
        $tests!(vesta_fp, fieldc::vesta::Fp);
        $tests!(goldilocks_fp, fieldc::goldilocks::Fp);
        $tests!(csidh_512_fp, fieldc::csidh_512::Fp);
        $tests!(m_511_fp, fieldc::m_511::Fp);
    };
}

/// One test module for each of some fields of every kind, and for one that the tests make.
#[macro_export]
macro_rules! for_some_fields {
    ($tests:ident) => {
        fieldc::field! {
            struct Mersenne61(modulus = "0x1fff_ffff_ffff_ffff", generator = 37);
        }

        $tests!(bls12_381_fp, fieldc::bls12_381::Fp);
        $tests!(bls12_381_fr, fieldc::bls12_381::Fr);
        $tests!(bn254_fr, fieldc::bn254::Fr);
        $tests!(secp256k1_fp, fieldc::secp256k1::Fp);
        $tests!(p521_fp, fieldc::p521::Fp);
        $tests!(goldilocks_fp, fieldc::goldilocks::Fp);
        $tests!(mersenne61, $crate::Mersenne61);
    };
}
