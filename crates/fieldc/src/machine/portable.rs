//! Builds without assembly: portable Rust computes all products.

use crate::assembly::{Products, Shape};
use crate::lazy_kernels::{LazyProducts, LazyShape};
use crate::modulus::Modulus;

impl<const N: usize, const CLASS: u8> Products<N> for Shape<N, CLASS> {
    #[inline]
    fn mul<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        crate::portable_products::mul::<N, M>(x, y)
    }

    #[inline]
    fn square<M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
        crate::portable_products::square::<N, M>(x)
    }

    #[inline]
    fn sum_of_products<M: Modulus<N>>(x: &[[u64; N]; 2], y: &[[u64; N]; 2]) -> [u64; N] {
        crate::portable_products::sum_of_products::<N, M>(x, y)
    }
}

impl<const N: usize, const CLASS: u8> LazyProducts<N> for LazyShape<N, CLASS> {
    #[inline]
    fn mul<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        crate::portable_products::mul_lazy::<N, M>(x, y)
    }

    #[inline]
    fn square<M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
        crate::portable_products::square_lazy::<N, M>(x)
    }
}
