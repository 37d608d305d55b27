//! Which products run: assembly where the processor has it, portable Rust otherwise.

use crate::addition;
use crate::modulus::Modulus;

/// N limbs and a class of primes, as a type: it has the kernels for them.
pub struct Shape<const N: usize, const CLASS: u8>;

/// Products of residues; R is that of the modulus, 1 for plain ones. Operands and results are
/// below p.
pub trait Products<const N: usize>: Sized {
    /// x*y/R mod p.
    fn mul<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N];

    /// x*x/R mod p.
    fn square<M: Modulus<N>>(x: &[u64; N]) -> [u64; N];

    /// x becomes x*y/R mod p.
    #[inline(always)]
    fn mul_in_place<M: Modulus<N>>(x: &mut [u64; N], y: &[u64; N]) {
        *x = Self::mul::<M>(x, y);
    }

    /// x becomes x*x/R mod p.
    #[inline(always)]
    fn square_in_place<M: Modulus<N>>(x: &mut [u64; N]) {
        *x = Self::square::<M>(x);
    }

    /// (x0*y0 + x1*y1)/R mod p.
    fn sum_of_products<M: Modulus<N>>(x: &[[u64; N]; 2], y: &[[u64; N]; 2]) -> [u64; N];

    /// The product of x0 + x1*u and y0 + y1*u, divided by R, both parts mod p; u^2 = -1.
    #[inline(always)]
    fn fp2_mul<M: Modulus<N>>(x: &[[u64; N]; 2], y: &[[u64; N]; 2]) -> [[u64; N]; 2] {
        fp2_by_sums::<N, M, Self>(x, y)
    }

    /// The square of x0 + x1*u, divided by R, both parts mod p.
    #[inline(always)]
    fn fp2_square<M: Modulus<N>>(x: &[[u64; N]; 2]) -> [[u64; N]; 2] {
        fp2_by_products::<N, M, Self>(x)
    }

    /// x + y mod p.
    #[inline(always)]
    fn add<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        addition::add(x, y, &M::P)
    }

    /// x - y mod p.
    #[inline(always)]
    fn sub<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        addition::sub(x, y, &M::P)
    }
}

/// A modulus and what computes its products.
///
/// # Safety
/// The type is transparent: nothing but its N limbs.
pub unsafe trait HasProducts<const N: usize>: Modulus<N> {
    /// N limbs and the class of p.
    type Kernels: Products<N>;
}

/// A product in Fp2 as two sums of two products, each of them reduced once.
#[inline(always)]
pub(crate) fn fp2_by_sums<const N: usize, M: Modulus<N>, K: Products<N>>(
    x: &[[u64; N]; 2],
    y: &[[u64; N]; 2],
) -> [[u64; N]; 2] {
    // By reference: a kernel's loads would wait for a copy of x.
    [
        K::sum_of_products::<M>(x, &[y[0], K::sub::<M>(&[0; N], &y[1])]),
        K::sum_of_products::<M>(x, &[y[1], y[0]]),
    ]
}

/// A square in Fp2 as two products: `(x[0] + x[1])*(x[0] - x[1])` and `2*x[0]*x[1]`.
#[inline(always)]
pub(crate) fn fp2_by_products<const N: usize, M: Modulus<N>, K: Products<N>>(
    x: &[[u64; N]; 2],
) -> [[u64; N]; 2] {
    let (sum, difference) = (K::add::<M>(&x[0], &x[1]), K::sub::<M>(&x[0], &x[1]));
    [
        K::mul::<M>(&sum, &difference),
        K::mul::<M>(&K::add::<M>(&x[0], &x[0]), &x[1]),
    ]
}
