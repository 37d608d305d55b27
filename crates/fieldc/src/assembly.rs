//! Which products run: assembly where the processor has it, portable Rust otherwise.

use crate::addition;
use crate::modulus::Modulus;

/// N limbs and a class of primes, as a type: it has the kernels for them.
pub struct Shape<const N: usize, const CLASS: u8>;

/// Products of residues; R is that of the modulus, 1 for plain ones. Operands and results are
/// below p.
pub trait Products<const N: usize> {
    /// x*y/R mod p.
    fn mul<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N];

    /// x*x/R mod p.
    fn square<M: Modulus<N>>(x: &[u64; N]) -> [u64; N];

    /// (x0*y0 + x1*y1)/R mod p.
    fn sum_of_products<M: Modulus<N>>(x: &[[u64; N]; 2], y: &[[u64; N]; 2]) -> [u64; N];

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
