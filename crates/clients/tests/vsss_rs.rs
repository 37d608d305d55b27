//! `ff` and `group` 0.14 and `rand_core` 0.10: Shamir's and Feldman's shares of vsss-rs.

use std::convert::Infallible;

use ff::PrimeField;
use fieldc::curves::{self, Jacobian};
use fieldc::{bls12_381, p256, secp256k1};
use group::{Group, GroupEncoding};
use rand_core::{TryCryptoRng, TryRng};
use vsss_rs::{
    FeldmanVerifierSet, IdentifierPrimeField, PrimeFieldShare, ReadableShareSet, ValueGroup,
    feldman, shamir,
};

/// SplitMix64, which is no generator for secrets.
struct Source(u64);

impl TryRng for Source {
    type Error = Infallible;

    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        self.try_next_u64().map(|x| x as u32)
    }

    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        Ok(z ^ (z >> 31))
    }

    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for byte in bytes {
            *byte = self.try_next_u64()? as u8;
        }
        Ok(())
    }
}

impl TryCryptoRng for Source {}

/// As many shares as the threshold bring the secret back, and fewer do not.
fn check<F: PrimeField>() {
    let mut source = Source(1);
    for (threshold, limit) in [(2, 3), (3, 5), (5, 5)] {
        let secret = IdentifierPrimeField(F::from(0x1234_5678).invert().unwrap());
        let shares =
            shamir::split_secret::<PrimeFieldShare<F>>(threshold, limit, &secret, &mut source)
                .expect("a threshold and a limit that fit");
        assert_eq!(shares.len(), limit);
        for first in 0..=limit - threshold {
            let enough = shares[first..first + threshold].to_vec();
            assert_eq!(enough.combine().expect("shares that differ").0, secret.0);
        }
        if threshold > 2 {
            let few = shares[..threshold - 1].to_vec();
            assert_ne!(few.combine().map(|found| found.0).ok(), Some(secret.0));
        }
    }
}

#[test]
fn shares() {
    check::<bls12_381::Fr>();
    check::<secp256k1::Fr>();
    check::<p256::Fp>();
}

/// Whoever has a share can see that it belongs to the others; a changed one does not.
fn check_verified<G: Group<Scalar = F> + GroupEncoding + Default, F: PrimeField>() {
    let mut source = Source(2);
    let secret = IdentifierPrimeField(F::from(0x1234_5678).invert().unwrap());
    let (shares, verifiers) = feldman::split_secret::<PrimeFieldShare<F>, ValueGroup<G>>(
        2,
        3,
        &secret,
        Some(ValueGroup(G::generator())),
        &mut source,
    )
    .expect("a threshold and a limit that fit");
    assert_eq!(shares[1..].to_vec().combine().expect("shares that differ").0, secret.0);
    for share in &shares {
        assert!(verifiers.verify_share(share).is_ok());
        let mut changed = *share;
        changed.value.0 += F::ONE;
        assert!(verifiers.verify_share(&changed).is_err());
    }
}

#[test]
fn verified_shares() {
    check_verified::<Jacobian<curves::bls12_381::G1>, _>();
    check_verified::<curves::secp256k1::Jacobian, _>();
    check_verified::<curves::p256::Jacobian, _>();
}
