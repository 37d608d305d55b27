//! Chains of products, of which one inversion gives many.

use crate::{Field, slices};

/// Chains of products that vectors compute side by side.
pub(crate) const CHAINS: usize = 32;
/// Ends that are inverted one by one.
const FEW: usize = 8;

/// One chain of products. The scratch space has as many elements.
#[inline]
pub(crate) fn one_by_one<F: Field>(elements: &mut [F], scratch: &mut [F]) {
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

/// Inverts elements that are not 0: first the products of both halves, and so on.
pub(crate) fn by_halves<F: Field>(x: &mut [F]) {
    if x.len() <= FEW {
        return one_by_one(x, &mut [F::ZERO; FEW][..x.len()]);
    }
    let (low, high) = x.split_at_mut(x.len() / 2);
    let mut room = [F::ZERO; CHAINS / 2];
    let products = &mut room[..low.len()];
    slices::mul_into(low, high, products);
    by_halves(products);
    low.swap_with_slice(high);
    slices::mul(low, products);
    slices::mul(high, products);
}

/// Writes 1 instead of 0, and then 0 instead of the product before it: so the inverse becomes 0.
#[inline(always)]
pub(crate) fn replace_zero<F: Field>(x: &mut F, before: &mut F) {
    let is_zero = x.is_zero();
    *before = F::select(is_zero, &F::ZERO, before);
    *x = F::select(is_zero, &F::ONE, x);
}
