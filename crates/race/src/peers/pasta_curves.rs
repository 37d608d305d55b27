//! pasta_curves: Rust, in Montgomery form that it does not show; operands come as numbers.

use ::pasta_curves::group::ff::{Field, PrimeField};
use ::pasta_curves::{Fp, Fq};

use crate::chain::Element;
use crate::entry::Range::Canonical;
use crate::entry::{Entry, Peer, Rows};
use crate::fields::{PALLAS_P, VESTA_P};
use crate::operand::Form;

macro_rules! fields {
    ($($FIELD:ident = $Fp:ty;)+) => {
        $(
            impl Element for $Fp {
                const FORM: Form = Form::Plain;

                fn load(limbs: &[u64]) -> Self {
                    Self::from_raw(limbs.try_into().expect("limbs of the field"))
                }

                fn store(&self) -> Vec<u64> {
                    let limb = |chunk: &[u8]| u64::from_le_bytes(chunk.try_into().expect("8 bytes"));
                    self.to_repr().chunks_exact(8).map(limb).collect()
                }
            }
        )+

        pub(super) fn enter(entries: &mut Vec<Entry>) {
            let version = super::version("pasta_curves", "");
            let peer = Peer { name: "pasta_curves", version, algorithm: "rust" };
            $(
                Rows::new(entries, &$FIELD, peer)
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
        }
    };
}

fields! {
    PALLAS_P = Fp;
    VESTA_P = Fq;
}
