//! Squares and square roots, in the same time for all values.
//!
//! Source: A. Tonelli and D. Shanks' algorithm without branches as in RFC 9380, appendix I.4. For
//! p = 3 mod 4 it is one power, and for p = 5 mod 8 one power and one choice, as in A. O. L. Atkin's.

use core::marker::PhantomData;

use crate::addition::neg;
use crate::assembly::{HasProducts, Products};
use crate::limbs;
use crate::modulus::Modulus;
use crate::portable::{self, mask, select};
use crate::power::{const_power, power, repeated_square};

/// p - 1 = odd * 2^twos, and what follows from it.
struct Order<const N: usize, M>(PhantomData<M>);

impl<const N: usize, M: Modulus<N>> Order<N, M> {
    const TWOS: usize = limbs::trailing_zeros(&less_one(&M::P)) as usize;
    const ODD: [u64; N] = limbs::shifted(&M::P, Self::TWOS as u32);
    /// (odd - 1)/2.
    const HALF_ODD: [u64; N] = limbs::shifted(&M::P, Self::TWOS as u32 + 1);
    const MINUS_ONE: [u64; N] = portable::neg(&M::R, &M::P);
    /// An element of order 2^twos: a non-residue to the power odd.
    const GENERATOR: [u64; N] = if Self::TWOS == 1 {
        Self::MINUS_ONE
    } else {
        let mut base = [0; N];
        base[0] = non_residue(&M::P);
        const_power::<N, M>(&portable::to_montgomery::<N, M>(&base), &Self::ODD)
    };
}

/// x^((odd - 1)/2) * x and x^odd.
#[inline]
fn candidates<const N: usize, M: HasProducts<N>>(x: &[u64; N]) -> ([u64; N], [u64; N]) {
    let power = power::<N, M>(x, &Order::<N, M>::HALF_ODD);
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
    let mut factor = Order::<N, M>::GENERATOR;
    for i in (2..=Order::<N, M>::TWOS).rev() {
        let symbol = repeated_square::<N, M>(&rest, i - 2);
        let is_right = mask(limbs::is_equal(&symbol, &M::R));
        root = select(is_right, &root, &M::Kernels::mul::<M>(&root, &factor));
        factor = M::Kernels::square::<M>(&factor);
        rest = select(is_right, &rest, &M::Kernels::mul::<M>(&rest, &factor));
    }
    let is_square = limbs::is_equal(&M::Kernels::square::<M>(&root), x);
    let is_odd = portable::from_montgomery::<N, M>(&root)[0] & 1 == 1;
    let root = select(mask(is_odd), &neg(&root, &M::P), &root);
    (select(mask(is_square), &root, &[0; N]), is_square)
}

const fn less_one<const N: usize>(p: &[u64; N]) -> [u64; N] {
    let mut less = *p;
    less[0] -= 1;
    less
}

/// The smallest non-residue of a prime.
const fn non_residue<const N: usize>(p: &[u64; N]) -> u64 {
    let mut k = 2;
    while jacobi(k, p) != -1 {
        k += 1;
        assert!(k < 1 << 16, "every small number is a square: no prime");
    }
    k
}

/// The Jacobi symbol (k/p) of a small k > 0, by reciprocity.
const fn jacobi<const N: usize>(k: u64, p: &[u64; N]) -> i8 {
    let (odd, symbol) = odd_part(k, p[0]);
    let (mut rest, mut i) = (0_u128, N);
    while i > 0 {
        i -= 1;
        rest = (rest << 64 | p[i] as u128) % odd as u128;
    }
    small_jacobi(rest as u64, odd, symbol * reciprocity(odd, p[0]))
}

/// symbol * (a/n) for an odd n.
const fn small_jacobi(mut a: u64, mut n: u64, mut symbol: i8) -> i8 {
    while a != 0 {
        let (odd, sign) = odd_part(a, n);
        symbol *= sign * reciprocity(odd, n);
        (a, n) = (n % odd, odd);
    }
    if n == 1 { symbol } else { 0 }
}

/// The odd part of a, and the symbol of the rest: (2/n) = -1 for n = 3 or 5 mod 8.
const fn odd_part(a: u64, n: u64) -> (u64, i8) {
    let twos = a.trailing_zeros();
    let flips = twos % 2 == 1 && (n % 8 == 3 || n % 8 == 5);
    (a >> twos, if flips { -1 } else { 1 })
}

/// (a/n)(n/a) for odd a and n.
const fn reciprocity(a: u64, n: u64) -> i8 {
    if a % 4 == 3 && n % 4 == 3 { -1 } else { 1 }
}
