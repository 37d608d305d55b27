//! halo2curves: assembly for primes of 4 limbs with a spare bit, Rust for the others.

use halo2curves::ff::{Field, PrimeField};
use halo2curves::fft::best_fft;
use halo2curves::{bls12381, bn256, secp256k1};

use crate::chain::Element;
use crate::entry::Range::Canonical;
use crate::entry::{Entry, Peer, Rows};
use crate::fields::{BLS12_381_P, BLS12_381_R, BN254_P, SECP256K1_P};
use crate::operand::Form;

const ASSEMBLY: &str = if cfg!(target_arch = "x86_64") { "assembly" } else { "rust" };

macro_rules! fields {
    ($($FIELD:ident = $Fp:ty, $algorithm:expr;)+) => {
        $(
            impl Element for $Fp {
                const FORM: Form = Form::Montgomery;

                fn load(limbs: &[u64]) -> Self {
                    Self(limbs.try_into().expect("limbs of the field"))
                }

                fn store(&self) -> Vec<u64> {
                    self.0.to_vec()
                }
            }
        )+

        pub(super) fn enter(entries: &mut Vec<Entry>) {
            let version = super::version("halo2curves", "");
            let peer = |algorithm| Peer { name: "halo2curves", version, algorithm };
            $(
                Rows::new(entries, &$FIELD, peer($algorithm))
                    .inlined("mul", Canonical, |x: &mut $Fp, y| *x = <$Fp>::mul(x, y))
                    .inlined("square", Canonical, |x: &mut $Fp, _| *x = <$Fp>::square(x))
                    .inlined("add", Canonical, |x: &mut $Fp, y| *x = <$Fp>::add(x, y))
                    .inlined("sub", Canonical, |x: &mut $Fp, y| *x = <$Fp>::sub(x, y))
                    .loops(Canonical, <$Fp>::mul, |x: &$Fp, y, z| x.mul(y).add(z))
                    .called("inverse", Canonical, |x: &mut $Fp, y| {
                        *x = (*x + y).invert().unwrap_or(<$Fp>::ZERO);
                    })
                    .called("sqrt", Canonical, |x: &mut $Fp, y| {
                        *x = (*x + y).square().sqrt().unwrap_or(<$Fp>::ZERO);
                    });
            )+
            // It computes the powers of the root in each transform.
            Rows::new(entries, &BLS12_381_R, peer(ASSEMBLY)).transform(
                Canonical,
                |count| {
                    let levels = count.ilog2();
                    let squarings = bls12381::Fr::S - levels;
                    let root = bls12381::Fr::ROOT_OF_UNITY;
                    ((0..squarings).fold(root, |root, _| root.square()), levels)
                },
                |(root, levels), x: &mut [bls12381::Fr]| best_fft(x, *root, *levels),
            );
        }
    };
}

fields! {
    BLS12_381_P = bls12381::Fq, "rust";
    BLS12_381_R = bls12381::Fr, ASSEMBLY;
    BN254_P = bn256::Fq, ASSEMBLY;
    SECP256K1_P = secp256k1::Fp, "rust";
}
