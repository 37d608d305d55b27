//! Many inverses for the price of one.

use core::fmt;

use crate::array_operation::Operation;
use crate::chains::{CHAINS, by_halves, one_by_one, replace_zero};
use crate::digit_inversion::invert_in_digits;
use crate::{Field, slices};

/// The scratch space of [`field!`](crate::field!) types' `batch_invert` is too short.
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
    let scratch = &mut scratch[..elements.len()];
    if elements.len() < LEAST || F::least(Operation::Mul) == 0 {
        one_by_one(elements, scratch);
    } else if !invert_in_digits(elements, scratch) {
        side_by_side(elements, scratch);
    }
    Ok(())
}

/// Elements from which on chains side by side are faster: their ends must be inverted too.
const LEAST: usize = 4 * CHAINS;

/// Inverts with a chain for every `CHAINS`th element: each product is one of arrays.
#[inline]
fn side_by_side<F: Field>(elements: &mut [F], scratch: &mut [F]) {
    let mut products = [F::ONE; CHAINS];
    for (x, before) in elements.chunks_mut(CHAINS).zip(scratch.chunks_mut(CHAINS)) {
        let products = &mut products[..x.len()];
        before.copy_from_slice(products);
        for (x, before) in x.iter_mut().zip(before) {
            replace_zero(x, before);
        }
        slices::mul(products, x);
    }
    by_halves(&mut products);
    for (x, before) in elements
        .chunks_mut(CHAINS)
        .zip(scratch.chunks_mut(CHAINS))
        .rev()
    {
        let inverses = &mut products[..x.len()];
        slices::mul(before, inverses);
        slices::mul(inverses, x);
        x.copy_from_slice(before);
    }
}
