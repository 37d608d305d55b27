//! arkworks: ark-ff with its assembly, which needs a target with ADX and BMI2.

use ark_ff::{AdditiveGroup, BigInt, Field, Fp, MontBackend, MontConfig};

use crate::chain::Element;
use crate::entry::Range::Canonical;
use crate::entry::{Entry, Form, Peer, Rows};
use crate::fields::{self, BLS12_381_P, BLS12_381_R, BN254_P, SECP256K1_P};

impl<M: MontConfig<N>, const N: usize> Element for Fp<MontBackend<M, N>, N> {
    const FORM: Form = Form::Montgomery;

    fn load(limbs: &[u64]) -> Self {
        let limbs = limbs.try_into().expect("limbs of the field");
        Self::new_unchecked(BigInt::new(limbs))
    }

    fn store(&self) -> Vec<u64> {
        self.0.0.to_vec()
    }
}

fn rows<M: MontConfig<N>, const N: usize>(
    entries: &mut Vec<Entry>,
    field: &'static fields::Field,
    // The config's own: what it says about itself.
    _: std::marker::PhantomData<M>,
) {
    let has = cfg!(all(target_feature = "adx", target_feature = "bmi2"));
    // Its assembly leaves out the word of overflow, so it is for primes with a spare bit.
    let assembly = has && (2..=6).contains(&N) && M::CAN_USE_NO_CARRY_MUL_OPT;
    let algorithm = if assembly { "assembly, adx" } else { "rust" };
    let peer = Peer { name: "arkworks", version: super::version("ark-ff", ""), algorithm };
    Rows::new(entries, field, peer)
        .inlined("mul", Canonical, |x: &mut Fp<MontBackend<M, N>, N>, y| *x *= y)
        .inlined("square", Canonical, |x: &mut Fp<MontBackend<M, N>, N>, _| {
            x.square_in_place();
        })
        .called("sqrt", Canonical, |x: &mut Fp<MontBackend<M, N>, N>, y| {
            *x = (*x + y).square().sqrt().unwrap_or(Fp::ZERO);
        })
        .code("rust")
        .inlined("add", Canonical, |x: &mut Fp<MontBackend<M, N>, N>, y| *x += y)
        .inlined("sub", Canonical, |x: &mut Fp<MontBackend<M, N>, N>, y| *x -= y)
        .called("inverse", Canonical, |x: &mut Fp<MontBackend<M, N>, N>, y| {
            *x = (*x + y).inverse().unwrap_or(Fp::ZERO);
        });
}

pub(super) fn enter(entries: &mut Vec<Entry>) {
    use std::marker::PhantomData;
    rows(entries, &BLS12_381_P, PhantomData::<ark_bls12_381::FqConfig>);
    rows(entries, &BLS12_381_R, PhantomData::<ark_bls12_381::FrConfig>);
    rows(entries, &BN254_P, PhantomData::<ark_bn254::FqConfig>);
    rows(entries, &SECP256K1_P, PhantomData::<ark_secp256k1::FqConfig>);
}
