//! Builds without assembly: portable Rust computes all products.
//!
//! Products of many limbs are called. What they return is copied limb by limb, as they stored it; in
//! place there is nothing to copy.

use core::array;

use crate::assembly::{Products, Shape};
use crate::lazy_kernels::{LazyProducts, LazyShape};
use crate::limbs::by_limbs;
use crate::modulus::{FOLD, Modulus};
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
/// So many limbs are passed in registers: as many as are left beside two places.
const PASSED: usize = 4;

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
        if N <= SHORT {
            return portable::mul::<N, M>(x, y);
        }
        if const { returns_lower::<N, M>() } {
            return mul_values::<N, M, u128>(x, y);
        }
        if const { N == PASSED } {
            return mul_values::<N, M, ()>(x, y);
        }
        // SAFETY: the references are valid.
        written(|z| unsafe { mul_at::<N, M>(z, x, y) })
    }

    #[inline]
    fn square<M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
        if N <= SHORT {
            return portable::square::<N, M>(x);
        }
        // SAFETY: the reference is valid.
        written(|z| unsafe { square_at::<N, M>(z, x) })
    }

    #[inline]
    fn mul_in_place<M: Modulus<N>>(x: &mut [u64; N], y: &[u64; N]) {
        if N <= SHORT {
            *x = portable::mul::<N, M>(x, y);
        } else {
            let x: *mut _ = x;
            // SAFETY: the references are valid.
            unsafe { mul_at::<N, M>(x, x, y) }
        }
    }

    #[inline]
    fn square_in_place<M: Modulus<N>>(x: &mut [u64; N]) {
        if N <= SHORT {
            *x = portable::square::<N, M>(x);
        } else {
            let x: *mut _ = x;
            // SAFETY: the reference is valid.
            unsafe { square_at::<N, M>(x, x) }
        }
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

/// What a product writes, copied limb by limb.
#[inline(always)]
fn written<const N: usize>(write: impl FnOnce(*mut [u64; N])) -> [u64; N] {
    let mut z = [0; N];
    write(&mut z);
    by_limbs(&z)
}

/// z becomes x*y/R mod p; it may be where x or y is.
///
/// # Safety
/// Each is valid, x and y for reads and z for writes.
#[inline(never)]
unsafe fn mul_at<const N: usize, M: Modulus<N>>(
    z: *mut [u64; N],
    x: *const [u64; N],
    y: *const [u64; N],
) {
    // SAFETY: they are valid, and the product is whole before it is written.
    unsafe { *z = portable::mul::<N, M>(&*x, &*y) }
}

/// Whether products of values return their lower limbs in registers. Modulo primes of one class that
/// is faster, alone and in chains; of others only one of the two is.
const fn returns_lower<const N: usize, M: Modulus<N>>() -> bool {
    cfg!(target_pointer_width = "64") && portable::served(&M::P) == FOLD
}

/// The limbs that a function returns; it stores the others.
trait Lower: Sized {
    /// Stores the others.
    fn apart<const N: usize>(number: [u64; N], others: &mut [u64; N]) -> Self;
    /// The number, whose other limbs are copied limb by limb.
    fn joined<const N: usize>(self, others: &[u64; N]) -> [u64; N];
}

/// None.
impl Lower for () {
    #[inline(always)]
    fn apart<const N: usize>(number: [u64; N], others: &mut [u64; N]) {
        *others = number;
    }

    #[inline(always)]
    fn joined<const N: usize>(self, others: &[u64; N]) -> [u64; N] {
        by_limbs(others)
    }
}

/// The lowest two, with which the next product begins.
impl Lower for u128 {
    #[inline(always)]
    fn apart<const N: usize>(number: [u64; N], others: &mut [u64; N]) -> Self {
        others[2..].copy_from_slice(&number[2..]);
        Self::from(number[1]) << 64 | Self::from(number[0])
    }

    #[inline(always)]
    fn joined<const N: usize>(self, others: &[u64; N]) -> [u64; N] {
        let mut number = by_limbs(others);
        (number[0], number[1]) = (self as u64, (self >> 64) as u64);
        number
    }
}

/// x*y/R mod p; a factor x of four limbs is passed in registers.
///
/// A factor by value is there already, and need not be stored to be loaded again. In place that
/// would gain nothing: products modulo bn254-p take 7 % longer with these registers.
#[inline(always)]
fn mul_values<const N: usize, M: Modulus<N>, L: Lower>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    let mut z = [0; N];
    let lower = if const { N == PASSED } {
        let [a, b, c, d] = array::from_fn(|i| x[i]);
        mul_limbs::<N, M, L>(&mut z, y, a, b, c, d)
    } else {
        mul_apart::<N, M, L>(&mut z, x, y)
    };
    lower.joined(&z)
}

#[inline(never)]
fn mul_limbs<const N: usize, M: Modulus<N>, L: Lower>(
    z: &mut [u64; N],
    y: &[u64; N],
    a: u64,
    b: u64,
    c: u64,
    d: u64,
) -> L {
    let x = array::from_fn(|i| [a, b, c, d][i]);
    L::apart(portable::mul::<N, M>(&x, y), z)
}

#[inline(never)]
fn mul_apart<const N: usize, M: Modulus<N>, L: Lower>(
    z: &mut [u64; N],
    x: &[u64; N],
    y: &[u64; N],
) -> L {
    L::apart(portable::mul::<N, M>(x, y), z)
}

/// z becomes x*x/R mod p; it may be where x is.
///
/// # Safety
/// Each is valid, x for reads and z for writes.
#[inline(never)]
unsafe fn square_at<const N: usize, M: Modulus<N>>(z: *mut [u64; N], x: *const [u64; N]) {
    // SAFETY: they are valid, and the square is whole before it is written.
    unsafe { *z = portable::square::<N, M>(&*x) }
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
