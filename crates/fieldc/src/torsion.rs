//! Square roots among the elements of order 2^s, s the 2-adicity of p - 1, by tables.
//!
//! Source: P. Sarkar, "Computing square roots faster than the Tonelli-Shanks/Bernstein algorithm",
//! 2020 (eprint 2020/1407), with digits of four bits, and in the same time for all values. For
//! s = 32 it takes 28 squares and 36 products where the loop of RFC 9380 takes 496 and 62.

use core::marker::PhantomData;

use crate::assembly::{HasProducts, Products};
use crate::constant::product;
use crate::generator::{LeastRoot, inverse};
use crate::limbs;
use crate::modulus::Modulus;
use crate::portable::runtime_mask;
use crate::power::repeated_square;

/// Bits of a digit, and its values.
const BITS: usize = 4;
const VALUES: usize = 1 << BITS;
/// The most digits of a table.
const MOST_DIGITS: usize = 12;
/// The largest 2-adicity that has a table.
pub(crate) const MOST_TWOS: usize = BITS * MOST_DIGITS;

type Powers<const N: usize> = [[u64; N]; VALUES];

/// The elements of order 2^s, by a generator g of theirs.
///
/// They are g^e, and e * 2^PAD has DIGITS digits.
struct Torsion<const N: usize, M>(PhantomData<M>);

impl<const N: usize, M: Modulus<N>> Torsion<N, M> {
    const TWOS: usize = crate::generator::two_adicity::<N, M>() as usize;
    const DIGITS: usize = Self::TWOS.div_ceil(BITS);
    const PAD: usize = BITS * Self::DIGITS - Self::TWOS;
    const POWERS: &'static [Powers<N>; MOST_DIGITS] = &powers::<N, M>();
}

/// Entry d of row i is g^(-d * 2^(s - 4(i + 1))); of the last row those d that 2^PAD divides, and
/// the others are 0, which no power is.
const fn powers<const N: usize, M: Modulus<N>>() -> [Powers<N>; MOST_DIGITS] {
    let mut rows = [[[0; N]; VALUES]; MOST_DIGITS];
    if !has_table::<N, M>() {
        return rows;
    }
    let mut base = inverse::<N, M>(&LeastRoot::<N, M>::ROOT);
    let (mut i, mut step) = (Torsion::<N, M>::DIGITS, 1 << Torsion::<N, M>::PAD);
    while i > 0 {
        i -= 1;
        rows[i][0] = M::R;
        let mut d = step;
        while d < VALUES {
            rows[i][d] = product::<N, M>(&rows[i][d - step], &base);
            d += step;
        }
        // g^(-step * 2^(s - 4(i + 1))) becomes that of the row before, whose step is 1.
        while step < VALUES {
            base = product::<N, M>(&base, &base);
            step *= 2;
        }
        step = 1;
    }
    rows
}

/// 1/y for the y with y^2 = x; x is the square of an element of order 2^s. Any other number
/// gives some number, in the same time.
pub(crate) fn inverse_root<const N: usize, M: HasProducts<N>>(x: &[u64; N]) -> [u64; N] {
    let (rows, count) = (Torsion::<N, M>::POWERS, Torsion::<N, M>::DIGITS);
    // Entry j is x^(2^(4(count - 1 - j))): of its logarithm the digits up to j are left.
    let mut shifted = [*x; MOST_DIGITS];
    for j in (0..count - 1).rev() {
        shifted[j] = repeated_square::<N, M>(&shifted[j + 1], BITS);
    }
    let mut digits = [0; MOST_DIGITS + 1];
    for j in 0..count {
        let mut rest = shifted[j];
        for k in 0..j {
            rest = M::Kernels::mul::<M>(&rest, &entry(&rows[j - k], digits[k]));
        }
        digits[j] = logarithm(&rows[0], &rest);
    }
    // Half of e is what its digits say one bit lower.
    let mut root = M::R;
    for k in 0..count {
        let half = digits[k] >> 1 | (digits[k + 1] & 1) << (BITS - 1);
        let factor = entry(&rows[count - 1 - k], half);
        root = match k {
            0 => factor,
            _ => M::Kernels::mul::<M>(&root, &factor),
        };
    }
    root
}

/// An entry of a row; every one is read.
///
/// Each mask is opaque. A compiler that knew how it follows from the digit would see that no more
/// than one is set, and look the entry up at an address.
fn entry<const N: usize>(row: &Powers<N>, digit: u64) -> [u64; N] {
    let mut found = [0; N];
    for (d, power) in (0..).zip(row) {
        let is_it = runtime_mask(digit == d);
        for (limb, part) in found.iter_mut().zip(power) {
            *limb |= part & is_it;
        }
    }
    found
}

/// The d for which x is the inverse of entry d of the first row, which has all 16 roots of unity.
fn logarithm<const N: usize>(row: &Powers<N>, x: &[u64; N]) -> u64 {
    let mut digit = 0;
    for (d, power) in row.iter().enumerate() {
        digit |= ((VALUES - d) % VALUES) as u64 & runtime_mask(limbs::is_equal(power, x));
    }
    digit
}

/// Whether the numbers of a modulus have a table.
pub(crate) const fn has_table<const N: usize, M: Modulus<N>>() -> bool {
    let twos = Torsion::<N, M>::TWOS;
    limbs::bits(&M::P) > 8 && twos > 2 && twos <= MOST_TWOS
}
