//! Builds without assembly: portable Rust computes all products.
//!
//! Products of many limbs are called. What they return is copied limb by limb, as they stored it.

use crate::assembly::{Products, Shape};
use crate::lazy_kernels::{LazyProducts, LazyShape};
use crate::limbs::by_limbs;
use crate::modulus::Modulus;
use crate::portable_products as portable;

/// Whether `divstep_batch` does something.
pub(crate) const HAS_DIVSTEP_BATCH: bool = false;

/// There is no kernel of divsteps.
#[inline(always)]
pub(crate) fn divstep_batch(_zeta: i64, _f: i64, _g: i64) -> Option<[i64; 5]> {
    None
}

/// Products of so many limbs and fewer are inlined where the compiler finds that this pays.
const SHORT: usize = 3;

/// A call of a product, but for short ones.
macro_rules! call {
    ($function:ident($($x:ident),+)) => {
        if N <= SHORT {
            portable::$function::<N, M>($($x),+)
        } else {
            by_limbs(&$function::<N, M>($($x),+))
        }
    };
}

impl<const N: usize, const CLASS: u8> Products<N> for Shape<N, CLASS> {
    #[inline]
    fn mul<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        call!(mul(x, y))
    }

    #[inline]
    fn square<M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
        call!(square(x))
    }

    #[inline]
    fn sum_of_products<M: Modulus<N>>(x: &[[u64; N]; 2], y: &[[u64; N]; 2]) -> [u64; N] {
        call!(sum_of_products(x, y))
    }
}

impl<const N: usize, const CLASS: u8> LazyProducts<N> for LazyShape<N, CLASS> {
    #[inline]
    fn mul<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        call!(mul_lazy(x, y))
    }

    #[inline]
    fn square<M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
        call!(square_lazy(x))
    }
}

#[inline(never)]
fn mul<const N: usize, M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    portable::mul::<N, M>(x, y)
}

#[inline(never)]
fn square<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
    portable::square::<N, M>(x)
}

#[inline(never)]
fn mul_lazy<const N: usize, M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    portable::mul_lazy::<N, M>(x, y)
}

#[inline(never)]
fn square_lazy<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
    portable::square_lazy::<N, M>(x)
}

#[inline(never)]
fn sum_of_products<const N: usize, M: Modulus<N>>(
    x: &[[u64; N]; 2],
    y: &[[u64; N]; 2],
) -> [u64; N] {
    portable::sum_of_products::<N, M>(x, y)
}
