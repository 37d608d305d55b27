//! Squares and square roots, in the same time for all values.
//!
//! Source: A. Tonelli and D. Shanks' algorithm without branches as in RFC 9380, appendix I.4. For
//! p = 3 mod 4 it is one power, and for p = 5 mod 8 one power and one choice, as in A. O. L. Atkin's.
//! Where 2^3 to 2^48 divides p - 1, tables take the place of the loop: `torsion`.

use core::marker::PhantomData;

use crate::addition::neg;
use crate::assembly::{HasProducts, Products};
use crate::generator::LeastRoot;
use crate::limbs;
use crate::modulus::Modulus;
use crate::portable::{self, runtime_mask};
use crate::power::{FixedExponent, fixed_power, repeated_square};
use crate::residues::{self, select};
use crate::torsion::{has_table, inverse_root};

/// p - 1 = odd * 2^twos, and what follows from it.
struct Order<const N: usize, M>(PhantomData<M>);

impl<const N: usize, M: Modulus<N>> Order<N, M> {
    const TWOS: usize = limbs::trailing_zeros(&less_one(&M::P)) as usize;
    /// (odd - 1)/2.
    const HALF_ODD: FixedExponent =
        FixedExponent::of(&limbs::shifted(&M::P, Self::TWOS as u32 + 1));
    const MINUS_ONE: [u64; N] = residues::neg(&M::R, &M::P);
    /// An element of order 2^twos: a non-residue to the power odd.
    const GENERATOR: [u64; N] = LeastRoot::<N, M>::ROOT;
}

/// x^((odd - 1)/2) * x and x^odd.
#[inline]
fn candidates<const N: usize, M: HasProducts<N>>(x: &[u64; N]) -> ([u64; N], [u64; N]) {
    let power = fixed_power::<N, M>(x, const { &Order::<N, M>::HALF_ODD });
    let root = M::Kernels::mul::<M>(&power, x);
    (root, M::Kernels::mul::<M>(&root, &power))
}

/// Whether x is a square; 0 is one. Euler: x^((p - 1)/2) is -1 for the others.
pub fn is_square<const N: usize, M: HasProducts<N>>(x: &[u64; N]) -> bool {
    let (_, power) = candidates::<N, M>(x);
    let symbol = repeated_square::<N, M>(&power, Order::<N, M>::TWOS - 1);
    !limbs::is_equal(&symbol, &Order::<N, M>::MINUS_ONE)
}

/// The root of x whose number below p is even, and whether there is one; 0 and false otherwise.
pub fn sqrt<const N: usize, M: HasProducts<N>>(x: &[u64; N]) -> ([u64; N], bool) {
    // root^2 = x * rest, and the order of rest, if x is a square, is below 2^i.
    let (mut root, mut rest) = candidates::<N, M>(x);
    if has_table::<N, M>() {
        root = M::Kernels::mul::<M>(&root, &inverse_root::<N, M>(&rest));
        return checked::<N, M>(&root, x);
    }
    let mut factor = Order::<N, M>::GENERATOR;
    for i in (2..=Order::<N, M>::TWOS).rev() {
        let symbol = repeated_square::<N, M>(&rest, i - 2);
        let is_right = runtime_mask(limbs::is_equal(&symbol, &M::R));
        root = select(is_right, &root, &M::Kernels::mul::<M>(&root, &factor));
        factor = M::Kernels::square::<M>(&factor);
        rest = select(is_right, &rest, &M::Kernels::mul::<M>(&rest, &factor));
    }
    checked::<N, M>(&root, x)
}

/// The root whose number is even, if it is one of x; 0 and false otherwise.
fn checked<const N: usize, M: HasProducts<N>>(root: &[u64; N], x: &[u64; N]) -> ([u64; N], bool) {
    let is_square = limbs::is_equal(&M::Kernels::square::<M>(root), x);
    let is_odd = portable::number::<N, M>(root)[0] & 1 == 1;
    let root = select(runtime_mask(is_odd), &neg(root, &M::P), root);
    (select(runtime_mask(is_square), &root, &[0; N]), is_square)
}

const fn less_one<const N: usize>(p: &[u64; N]) -> [u64; N] {
    let mut less = *p;
    less[0] -= 1;
    less
}
