//! Products in portable Rust where the program runs; `portable` has those for constants.
//!
//! They differ in the last subtraction of p, whose choice waits for no memory here.

use crate::addition;
use crate::modulus::Modulus;
use crate::portable::product;

/// x*y/R mod p.
#[inline]
pub(crate) fn mul<const N: usize, M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    let (t, over) = product::<N, M>(x, y);
    addition::subtract_once(&t, over, &M::P)
}

/// x*x/R mod p.
#[inline]
pub(crate) fn square<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
    mul::<N, M>(x, x)
}

/// x*y/R modulo p, below 2p as x and y are, for 4p < R.
#[inline]
pub(crate) fn mul_lazy<const N: usize, M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    product::<N, M>(x, y).0
}

/// x*x/R modulo p, below 2p as x is, for 4p < R.
#[inline]
pub(crate) fn square_lazy<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
    mul_lazy::<N, M>(x, x)
}

/// (x0*y0 + x1*y1)/R mod p, as two products.
pub(crate) fn sum_of_products<const N: usize, M: Modulus<N>>(
    x: &[[u64; N]; 2],
    y: &[[u64; N]; 2],
) -> [u64; N] {
    let [first, second] = core::array::from_fn(|i| mul::<N, M>(&x[i], &y[i]));
    addition::add(&first, &second, &M::P)
}
