//! curve25519-dalek: scalars alone, since it does not show its field. Between operations they are
//! numbers; a product goes through Montgomery form and back.

use ::curve25519_dalek::scalar::Scalar;

use crate::chain::Element;
use crate::entry::Range::Canonical;
use crate::entry::{Entry, Peer, Rows};
use crate::fields::ED25519_L;
use crate::operand::Form;

impl Element for Scalar {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        let mut bytes = [0; 32];
        for (chunk, limb) in bytes.chunks_exact_mut(8).zip(limbs) {
            chunk.copy_from_slice(&limb.to_le_bytes());
        }
        Option::from(Self::from_canonical_bytes(bytes)).expect("a canonical operand")
    }

    fn store(&self) -> Vec<u64> {
        let limb = |chunk: &[u8]| u64::from_le_bytes(chunk.try_into().expect("8 bytes"));
        self.as_bytes().chunks_exact(8).map(limb).collect()
    }
}

pub(super) fn enter(entries: &mut Vec<Entry>) {
    let version = super::version("curve25519-dalek", "");
    let peer = Peer { name: "curve25519-dalek", version, algorithm: "rust, 5 x 52" };
    Rows::new(entries, &ED25519_L, peer)
        .inlined("mul", Canonical, |x: &mut Scalar, y| *x *= y)
        .inlined("square", Canonical, |x: &mut Scalar, _| *x *= *x)
        .inlined("add", Canonical, |x: &mut Scalar, y| *x += y)
        .inlined("sub", Canonical, |x: &mut Scalar, y| *x -= y)
        .loops(Canonical, |x: &Scalar, y| x * y, |x: &Scalar, y, z| x * y + z)
        .called("inverse", Canonical, |x: &mut Scalar, y| *x = (*x + y).invert());
}
