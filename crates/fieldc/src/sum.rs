//! Sums of products: two products share a reduction.

use crate::assembly::{HasProducts, Products};

/// The sum of products of corresponding elements.
///
/// It is compiled where it is used, so that the loop over a constant number of pairs goes away.
#[inline(always)]
pub fn sum_of_products<const N: usize, const K: usize, M: HasProducts<N>>(
    x: &[M; K],
    y: &[M; K],
) -> [u64; N] {
    total::<N, M>(x, y)
}

/// The same for slices. Panics if their lengths differ.
#[inline]
pub fn inner_product<const N: usize, M: HasProducts<N>>(x: &[M], y: &[M]) -> [u64; N] {
    assert_eq!(x.len(), y.len(), "the slices have different lengths");
    total::<N, M>(x, y)
}

/// The sum over slices of the same length.
#[inline(always)]
fn total<const N: usize, M: HasProducts<N>>(x: &[M], y: &[M]) -> [u64; N] {
    let (x_pairs, x_last) = pairs(x);
    let (y_pairs, y_last) = pairs(y);
    let last = match (x_last, y_last) {
        ([x], [y]) => Some(M::Kernels::mul::<M>(x, y)),
        _ => None,
    };
    // The first pair stands alone: there is no total to add to.
    let ([x, x_pairs @ ..], [y, y_pairs @ ..]) = (x_pairs, y_pairs) else {
        return last.unwrap_or([0; N]);
    };
    let mut total = M::Kernels::sum_of_products::<M>(x, y);
    for (x, y) in x_pairs.iter().zip(y_pairs) {
        total = M::Kernels::add::<M>(&total, &M::Kernels::sum_of_products::<M>(x, y));
    }
    match last {
        Some(last) => M::Kernels::add::<M>(&total, &last),
        None => total,
    }
}

/// The limbs of elements by twos, and those of the last one if their number is odd.
#[inline(always)]
fn pairs<const N: usize, M: HasProducts<N>>(elements: &[M]) -> (&[[[u64; N]; 2]], &[[u64; N]]) {
    let (first, count) = (elements.as_ptr().cast::<[u64; N]>(), elements.len());
    // SAFETY: an element is nothing but its limbs, as its implementation promises. The pairs and
    // the rest are parts of the slice.
    unsafe {
        let rest = core::slice::from_raw_parts(first.add(count / 2 * 2), count % 2);
        (core::slice::from_raw_parts(first.cast(), count / 2), rest)
    }
}
