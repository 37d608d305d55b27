//! num-bigint: numbers of any length, reduced by division. It allocates.

use ::num_bigint::BigUint;

use crate::chain::Element;
use crate::entry::Range::Canonical;
use crate::entry::{Entry, Peer, Rows};
use crate::fields::FIELDS;
use crate::operand::Form;

/// A number below a modulus. It has as many limbs as it needs; `store` fills up to `LIMBS`.
#[derive(Clone)]
struct Number(BigUint, usize);

fn number(limbs: &[u64]) -> BigUint {
    let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    BigUint::from_bytes_le(&bytes)
}

impl Element for Number {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        Self(number(limbs), limbs.len())
    }

    fn store(&self) -> Vec<u64> {
        let mut limbs = self.0.to_u64_digits();
        limbs.resize(limbs.len().max(self.1), 0);
        limbs
    }
}

pub(super) fn enter(entries: &mut Vec<Entry>) {
    let version = super::version("num-bigint", "0.4");
    let peer = Peer { name: "num-bigint", version, algorithm: "rust, allocates" };
    for field in FIELDS {
        // A race has few fields, and the rows need their moduli to the end.
        let p: &'static BigUint = Box::leak(Box::new(number(field.modulus)));
        Rows::new(entries, field, peer)
            .called("mul", Canonical, move |x: &mut Number, y| x.0 = &x.0 * &y.0 % p)
            .called("square", Canonical, move |x: &mut Number, _| x.0 = &x.0 * &x.0 % p)
            .called("add", Canonical, move |x: &mut Number, y| {
                x.0 += &y.0;
                if x.0 >= *p {
                    x.0 -= p;
                }
            })
            .called("sub", Canonical, move |x: &mut Number, y| {
                if x.0 < y.0 {
                    x.0 += p;
                }
                x.0 -= &y.0;
            })
            .called("inverse", Canonical, move |x: &mut Number, y| {
                let sum = (&x.0 + &y.0) % p;
                x.0 = sum.modinv(p).unwrap_or_default();
            });
    }
}
