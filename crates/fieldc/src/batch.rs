//! Many inverses for the price of one.

use core::fmt;

use crate::Field;

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
#[inline]
pub fn batch_invert<F: Field>(elements: &mut [F], scratch: &mut [F]) -> Result<(), ShortScratch> {
    if scratch.len() < elements.len() {
        return Err(ShortScratch {
            expected: elements.len(),
            found: scratch.len(),
        });
    }
    // The product of all elements so far, 1 instead of each 0.
    let mut product = F::ONE;
    for (x, before) in elements.iter().zip(scratch.iter_mut()) {
        *before = product;
        product *= F::select(x.is_zero(), &F::ONE, x);
    }
    let (mut inverse, _) = product.invert_ct();
    for (x, before) in elements.iter_mut().zip(scratch.iter()).rev() {
        let (value, is_zero) = (*x, x.is_zero());
        *x = F::select(is_zero, &value, &(inverse * before));
        inverse *= F::select(is_zero, &F::ONE, &value);
    }
    Ok(())
}
