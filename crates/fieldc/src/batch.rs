//! Many inverses for the price of one.

use core::fmt;

use crate::assembly::{HasProducts, Products};
use crate::inversion::invert;
use crate::limbs::is_zero;
use crate::portable::{mask, select};

/// The scratch space of [`field!`](crate::field) types' `batch_invert` is too short.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShortScratch {
    /// Elements that it must have: as many as there are to invert.
    pub expected: usize,
    /// Elements that it has.
    pub found: usize,
}

impl fmt::Display for ShortScratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expected, found } = self;
        write!(f, "the scratch space has {found} elements, not {expected}")
    }
}

impl core::error::Error for ShortScratch {}

/// Inverts elements by Montgomery's trick: three products each, and one inversion. Zeros stay.
///
/// Source: P. L. Montgomery, "Speeding the Pollard and elliptic curve methods of factorization",
/// 1987, section 10.3.1.
pub fn batch_invert<const N: usize, M: HasProducts<N>>(
    elements: &mut [M],
    scratch: &mut [M],
    limbs: impl Fn(&M) -> [u64; N],
    element: impl Fn([u64; N]) -> M,
) -> Result<(), ShortScratch> {
    if scratch.len() < elements.len() {
        return Err(ShortScratch {
            expected: elements.len(),
            found: scratch.len(),
        });
    }
    // The product of all elements so far, 1 instead of each 0.
    let mut product = M::R;
    for (x, before) in elements.iter().zip(scratch.iter_mut()) {
        let x = limbs(x);
        *before = element(product);
        let factor = select(mask(is_zero(&x)), &M::R, &x);
        product = M::Kernels::mul::<M>(&product, &factor);
    }
    let (mut inverse, _) = invert::<N, M>(&product);
    for (x, before) in elements.iter_mut().zip(scratch.iter()).rev() {
        let value = limbs(x);
        let is_zero = mask(is_zero(&value));
        let inverted = M::Kernels::mul::<M>(&inverse, &limbs(before));
        *x = element(select(is_zero, &value, &inverted));
        let factor = select(is_zero, &M::R, &value);
        inverse = M::Kernels::mul::<M>(&inverse, &factor);
    }
    Ok(())
}
