//! Many inverses for the price of one.

use core::fmt;

use crate::array_operation::Operation;
use crate::{Field, slices};

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
    let scratch = &mut scratch[..elements.len()];
    if elements.len() < LEAST || F::least(Operation::Mul) == 0 {
        one_by_one(elements, scratch);
    } else {
        side_by_side(elements, scratch);
    }
    Ok(())
}

/// Chains of products that vectors compute side by side.
const WIDTH: usize = 32;
/// Elements from which on that is faster: the chains' ends are inverted one by one.
const LEAST: usize = 4 * WIDTH;

/// One chain of products. The scratch space has as many elements.
#[inline]
fn one_by_one<F: Field>(elements: &mut [F], scratch: &mut [F]) {
    // The product of all elements so far, 1 instead of each 0.
    let mut product = F::ONE;
    for (x, before) in elements.iter().zip(scratch.iter_mut()) {
        *before = product;
        product *= without_zero(x);
    }
    let (mut inverse, _) = product.invert_ct();
    for (x, before) in elements.iter_mut().zip(scratch.iter()).rev() {
        let (value, is_zero) = (*x, x.is_zero());
        *x = F::select(is_zero, &value, &(inverse * before));
        inverse *= without_zero(&value);
    }
}

/// The same with a chain for every `WIDTH`th element: each product is one of arrays.
#[inline]
fn side_by_side<F: Field>(elements: &mut [F], scratch: &mut [F]) {
    let mut products = [F::ONE; WIDTH];
    let mut factors = [F::ONE; WIDTH];
    for (x, before) in elements.chunks(WIDTH).zip(scratch.chunks_mut(WIDTH)) {
        let (products, factors) = (&mut products[..x.len()], &mut factors[..x.len()]);
        before.copy_from_slice(products);
        factors
            .iter_mut()
            .zip(x)
            .for_each(|(factor, x)| *factor = without_zero(x));
        slices::mul(products, factors);
    }
    let (mut inverses, mut results) = (products, [F::ZERO; WIDTH]);
    one_by_one(&mut inverses, &mut results);
    for (x, before) in elements.chunks_mut(WIDTH).zip(scratch.chunks(WIDTH)).rev() {
        let (inverses, results) = (&mut inverses[..x.len()], &mut results[..x.len()]);
        slices::mul_into(inverses, before, results);
        for (x, result) in x.iter_mut().zip(results.iter_mut()) {
            let factor = without_zero(x);
            *x = F::select(x.is_zero(), x, result);
            *result = factor;
        }
        slices::mul(inverses, results);
    }
}

/// x, or 1 instead of 0.
#[inline(always)]
fn without_zero<F: Field>(x: &F) -> F {
    F::select(x.is_zero(), &F::ONE, x)
}
