//! Many inverses for the price of one.

use core::fmt;

use crate::array_operation::Operation;
use crate::digit_inversion::invert_in_digits;
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
    } else if !invert_in_digits(elements, scratch) {
        side_by_side(elements, scratch);
    }
    Ok(())
}

/// Chains of products that vectors compute side by side.
const WIDTH: usize = 32;
/// Elements from which on that is faster: the chains' ends must be inverted too.
const LEAST: usize = 4 * WIDTH;
/// Ends that are inverted one by one.
const FEW: usize = 8;

/// One chain of products. The scratch space has as many elements.
#[inline]
fn one_by_one<F: Field>(elements: &mut [F], scratch: &mut [F]) {
    // The product of all elements so far, 1 instead of each 0.
    let mut product = F::ONE;
    for (x, before) in elements.iter_mut().zip(scratch.iter_mut()) {
        *before = product;
        replace_zero(x, before);
        product *= *x;
    }
    let (mut inverse, _) = product.invert_ct();
    for (x, before) in elements.iter_mut().zip(scratch.iter()).rev() {
        let value = *x;
        *x = inverse * before;
        inverse *= value;
    }
}

/// The same with a chain for every `WIDTH`th element: each product is one of arrays.
#[inline]
fn side_by_side<F: Field>(elements: &mut [F], scratch: &mut [F]) {
    let mut products = [F::ONE; WIDTH];
    for (x, before) in elements.chunks_mut(WIDTH).zip(scratch.chunks_mut(WIDTH)) {
        let products = &mut products[..x.len()];
        before.copy_from_slice(products);
        for (x, before) in x.iter_mut().zip(before) {
            replace_zero(x, before);
        }
        slices::mul(products, x);
    }
    by_halves(&mut products);
    for (x, before) in elements
        .chunks_mut(WIDTH)
        .zip(scratch.chunks_mut(WIDTH))
        .rev()
    {
        let inverses = &mut products[..x.len()];
        slices::mul(before, inverses);
        slices::mul(inverses, x);
        x.copy_from_slice(before);
    }
}

/// Inverts elements that are not 0: first the products of both halves, and so on.
pub(crate) fn by_halves<F: Field>(x: &mut [F]) {
    if x.len() <= FEW {
        return one_by_one(x, &mut [F::ZERO; FEW][..x.len()]);
    }
    let (low, high) = x.split_at_mut(x.len() / 2);
    let mut room = [F::ZERO; WIDTH / 2];
    let products = &mut room[..low.len()];
    slices::mul_into(low, high, products);
    by_halves(products);
    low.swap_with_slice(high);
    slices::mul(low, products);
    slices::mul(high, products);
}

/// Writes 1 instead of 0, and then 0 instead of the product before it: so the inverse becomes 0.
#[inline(always)]
fn replace_zero<F: Field>(x: &mut F, before: &mut F) {
    let is_zero = x.is_zero();
    *before = F::select(is_zero, &F::ZERO, before);
    *x = F::select(is_zero, &F::ONE, x);
}
