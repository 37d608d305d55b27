//! k256: five limbs of 52 bits. A sum or a difference has a magnitude and must be reduced weakly
//! before it grows further; nothing but an encoding is canonical.

use ::k256::{FieldBytes, FieldElement};

use crate::chain::Element;
use crate::entry::Range::Lazy;
use crate::entry::{Entry, Peer, Rows};
use crate::fields::SECP256K1_P;
use crate::operand::Form;

impl Element for FieldElement {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        let mut bytes = FieldBytes::default();
        for (chunk, limb) in bytes.rchunks_exact_mut(8).zip(limbs) {
            chunk.copy_from_slice(&limb.to_be_bytes());
        }
        Self::from_bytes(&bytes).expect("a canonical operand")
    }

    fn store(&self) -> Vec<u64> {
        let bytes = self.normalize().to_bytes();
        let limb = |chunk: &[u8]| u64::from_be_bytes(chunk.try_into().expect("8 bytes"));
        bytes.rchunks_exact(8).map(limb).collect()
    }
}

pub(super) fn enter(entries: &mut Vec<Entry>) {
    let version = super::version("k256", "");
    let peer = Peer { name: "k256", version, algorithm: "rust, 5 x 52" };
    Rows::new(entries, &SECP256K1_P, peer)
        .inlined("mul", Lazy, |x: &mut FieldElement, y| *x = FieldElement::mul(x, y))
        .inlined("square", Lazy, |x: &mut FieldElement, _| *x = x.square())
        .inlined("add", Lazy, |x: &mut FieldElement, y| *x = (*x + y).normalize_weak())
        .inlined("sub", Lazy, |x: &mut FieldElement, y| {
            *x = (*x + y.negate(1)).normalize_weak();
        })
        .products(Lazy, FieldElement::mul, |x: &FieldElement, y, z| (x.mul(y) + z).normalize_weak())
        // A product takes a sum of two elements as it is.
        .horner(Lazy, |x: &FieldElement, y, z| x.mul(y) + z)
        .called("inverse", Lazy, |x: &mut FieldElement, y| {
            *x = (*x + y).invert().unwrap_or(FieldElement::ZERO);
        })
        .called("sqrt", Lazy, |x: &mut FieldElement, y| {
            *x = (*x + y).square().sqrt().unwrap_or(FieldElement::ZERO);
        });
}
