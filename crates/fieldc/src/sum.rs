//! Sums of products: two products share a reduction.

use crate::assembly::{HasProducts, Products};

/// The sum of products of corresponding elements.
#[inline]
pub fn sum_of_products<const N: usize, const K: usize, M: HasProducts<N>>(
    x: &[M; K],
    y: &[M; K],
) -> [u64; N] {
    let (x_pairs, x_last) = limbs(x).as_chunks();
    let (y_pairs, y_last) = limbs(y).as_chunks();
    let pairs = x_pairs.iter().zip(y_pairs);
    let last = x_last.iter().zip(y_last);
    pairs
        .map(|(x, y)| M::Kernels::sum_of_products::<M>(x, y))
        .chain(last.map(|(x, y)| M::Kernels::mul::<M>(x, y)))
        .reduce(|total, term| M::Kernels::add::<M>(&total, &term))
        .unwrap_or([0; N])
}

/// The limbs of elements side by side.
#[inline]
fn limbs<const N: usize, M: HasProducts<N>>(elements: &[M]) -> &[[u64; N]] {
    // SAFETY: an element is nothing but its limbs, as its implementation promises.
    unsafe { core::slice::from_raw_parts(elements.as_ptr().cast(), elements.len()) }
}
