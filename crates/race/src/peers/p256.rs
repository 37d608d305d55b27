//! p256: Montgomery form in four limbs, in Rust. It shows its elements by their encoding alone.

use ::p256::{FieldBytes, FieldElement};

use crate::chain::Element;
use crate::entry::Range::Canonical;
use crate::entry::{Entry, Peer, Rows};
use crate::fields::P256_P;
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
        let limb = |chunk: &[u8]| u64::from_be_bytes(chunk.try_into().expect("8 bytes"));
        self.to_bytes().rchunks_exact(8).map(limb).collect()
    }
}

pub(super) fn enter(entries: &mut Vec<Entry>) {
    let version = super::version("p256", "0.13");
    let peer = Peer { name: "p256", version, algorithm: "rust" };
    Rows::new(entries, &P256_P, peer)
        .inlined("mul", Canonical, |x: &mut FieldElement, y| *x = FieldElement::multiply(x, y))
        .inlined("square", Canonical, |x: &mut FieldElement, _| *x = x.square())
        .inlined("add", Canonical, |x: &mut FieldElement, y| *x = FieldElement::add(x, y))
        .inlined("sub", Canonical, |x: &mut FieldElement, y| *x = FieldElement::sub(x, y))
        .loops(Canonical, FieldElement::multiply, |x: &FieldElement, y, z| x.multiply(y).add(z))
        .called("inverse", Canonical, |x: &mut FieldElement, y| {
            *x = (*x + y).invert().unwrap_or(FieldElement::ZERO);
        })
        .called("sqrt", Canonical, |x: &mut FieldElement, y| {
            *x = (*x + y).square().sqrt().unwrap_or(FieldElement::ZERO);
        });
}
