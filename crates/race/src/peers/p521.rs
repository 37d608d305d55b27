//! p521: nine limbs of 58 bits, by fiat-crypto. It shows its field through a trait of its curve, and
//! its elements by their encoding alone.

use ::p521::elliptic_curve::hazmat::FieldArithmetic;
use ::p521::{FieldBytes, NistP521};

use crate::chain::Element;
use crate::entry::Range::Lazy;
use crate::entry::{Entry, Peer, Rows};
use crate::fields::P521_P;
use crate::operand::Form;

type FieldElement = <NistP521 as FieldArithmetic>::FieldElement;

/// A type of this crate, as an associated type may not have the trait.
#[derive(Clone)]
struct Fp(FieldElement);

impl Element for Fp {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        let mut bytes = FieldBytes::default();
        for (chunk, limb) in bytes.rchunks_mut(8).zip(limbs) {
            let start = 8 - chunk.len();
            chunk.copy_from_slice(&limb.to_be_bytes()[start..]);
        }
        Self(FieldElement::from_bytes(&bytes).expect("a canonical operand"))
    }

    fn store(&self) -> Vec<u64> {
        let limb = |chunk: &[u8]| chunk.iter().fold(0, |limb, byte| limb << 8 | u64::from(*byte));
        self.0.to_bytes().rchunks(8).map(limb).collect()
    }
}

pub(super) fn enter(entries: &mut Vec<Entry>) {
    let version = super::version("p521", "");
    let peer = Peer { name: "p521", version, algorithm: "rust, 9 x 58" };
    let or_zero = |x| Option::from(x).unwrap_or(FieldElement::ZERO);
    Rows::new(entries, &P521_P, peer)
        .inlined("mul", Lazy, |x: &mut Fp, y| x.0 = x.0.multiply(&y.0))
        .inlined("square", Lazy, |x: &mut Fp, _| x.0 = x.0.square())
        .inlined("add", Lazy, |x: &mut Fp, y| x.0 = FieldElement::add(&x.0, &y.0))
        .inlined("sub", Lazy, |x: &mut Fp, y| x.0 = FieldElement::sub(&x.0, &y.0))
        .loops(
            Lazy,
            |x: &Fp, y| Fp(x.0.multiply(&y.0)),
            |x: &Fp, y, z| Fp(FieldElement::add(&x.0.multiply(&y.0), &z.0)),
        )
        .called("inverse", Lazy, move |x: &mut Fp, y| {
            x.0 = or_zero(FieldElement::add(&x.0, &y.0).invert());
        })
        .called("sqrt", Lazy, move |x: &mut Fp, y| {
            x.0 = or_zero(FieldElement::add(&x.0, &y.0).square().sqrt());
        });
}
