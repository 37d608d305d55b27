//! Plonky3's Goldilocks: one at a time, and arrays in packed fields, whose width follows from what
//! the compiler may use. An element is a number of 64 bits, below p or not.

use p3_field::{Field, PackedValue, PrimeCharacteristicRing, PrimeField64};
use p3_goldilocks::Goldilocks;

use crate::chain::Element;
use crate::entry::Range::Lazy;
use crate::entry::{Entry, Peer, Rows};
use crate::fields::GOLDILOCKS;
use crate::operand::Form;

type Packed = <Goldilocks as Field>::Packing;

impl Element for Goldilocks {
    const FORM: Form = Form::Plain;

    fn load(limbs: &[u64]) -> Self {
        Self::new(limbs[0])
    }

    fn store(&self) -> Vec<u64> {
        vec![self.as_canonical_u64()]
    }
}

/// All products, in packs and then one by one.
fn array_mul(x: &mut [Goldilocks], y: &[Goldilocks]) -> Goldilocks {
    let (packs, rest) = Packed::pack_slice_with_suffix_mut(x);
    let (others, last) = Packed::pack_slice_with_suffix(y);
    packs.iter_mut().zip(others).for_each(|(x, y)| *x *= *y);
    rest.iter_mut().zip(last).for_each(|(x, y)| *x *= *y);
    x[x.len() - 1]
}

/// The sum of all products: one for each lane, and then of these.
fn inner_product(x: &[Goldilocks], y: &[Goldilocks]) -> Goldilocks {
    let (packs, rest) = Packed::pack_slice_with_suffix(x);
    let (others, last) = Packed::pack_slice_with_suffix(y);
    let lanes = packs.iter().zip(others).fold(Packed::ZERO, |sum, (x, y)| sum + *x * *y);
    let sum = lanes.as_slice().iter().copied().sum::<Goldilocks>();
    rest.iter().zip(last).fold(sum, |sum, (x, y)| sum + *x * *y)
}

pub(super) fn enter(entries: &mut Vec<Entry>) {
    let version = super::version("p3-goldilocks", "");
    let peer = Peer { name: "Plonky3", version, algorithm: "rust" };
    Rows::new(entries, &GOLDILOCKS, peer)
        .inlined("mul", Lazy, |x: &mut Goldilocks, y| *x *= *y)
        .inlined("square", Lazy, |x: &mut Goldilocks, _| *x = x.square())
        .inlined("add", Lazy, |x: &mut Goldilocks, y| *x += *y)
        .inlined("sub", Lazy, |x: &mut Goldilocks, y| *x -= *y)
        .horner(Lazy, |x: &Goldilocks, y, z| *x * *y + *z)
        .called("inverse", Lazy, |x: &mut Goldilocks, y| {
            *x = (*x + *y).try_inverse().unwrap_or(Goldilocks::ZERO);
        })
        .code("rust, packed")
        .array("array_mul", Lazy, |x: &mut [Goldilocks], y| array_mul(x, y))
        .array("inner_product", Lazy, |x: &mut [Goldilocks], y| inner_product(x, y));
}
