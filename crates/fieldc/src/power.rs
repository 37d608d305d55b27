//! Powers. The exponent is public: time depends on it, and on nothing else.

use crate::assembly::{HasProducts, Products};
use crate::modulus::Modulus;
use crate::portable;

/// The most bits of a window.
const MOST_BITS: usize = 5;

/// x^exponent by sliding windows: odd powers of x up to 2^width are made first, and every window
/// ends in a one.
pub fn power<const N: usize, M: HasProducts<N>>(x: &[u64; N], exponent: &[u64]) -> [u64; N] {
    let mut i = bits(exponent);
    // Where the odd powers pay.
    let width = match i {
        0..16 => 1,
        16..144 => 3,
        _ => MOST_BITS,
    };
    let mut odd_powers = [*x; 1 << (MOST_BITS - 1)];
    if width > 1 {
        let square = M::Kernels::square::<M>(x);
        for k in 1..1 << (width - 1) {
            odd_powers[k] = M::Kernels::mul::<M>(&odd_powers[k - 1], &square);
        }
    }
    let (mut result, mut is_one) = (M::R, true);
    while i > 0 {
        let mut low = i - 1;
        if bit(exponent, low) == 1 {
            low = i.saturating_sub(width);
            while bit(exponent, low) == 0 {
                low += 1;
            }
        }
        let window = (low..i).fold(0, |all, k| all | bit(exponent, k) << (k - low));
        let factor = &odd_powers[window / 2];
        if is_one {
            (result, is_one) = (*factor, false);
        } else {
            for _ in low..i {
                result = M::Kernels::square::<M>(&result);
            }
            if window > 0 {
                result = M::Kernels::mul::<M>(&result, factor);
            }
        }
        i = low;
    }
    result
}

/// x^(2^times).
#[inline]
pub(crate) fn repeated_square<const N: usize, M: HasProducts<N>>(
    x: &[u64; N],
    times: usize,
) -> [u64; N] {
    let mut result = *x;
    for _ in 0..times {
        result = M::Kernels::square::<M>(&result);
    }
    result
}

/// x^exponent bit by bit, in portable Rust: for constants.
pub const fn const_power<const N: usize, M: Modulus<N>>(
    x: &[u64; N],
    exponent: &[u64],
) -> [u64; N] {
    let (mut result, mut i) = (M::R, bits(exponent));
    while i > 0 {
        i -= 1;
        result = portable::mul::<N, M>(&result, &result);
        if bit(exponent, i) == 1 {
            result = portable::mul::<N, M>(&result, x);
        }
    }
    result
}

const fn bit(exponent: &[u64], i: usize) -> usize {
    (exponent[i / 64] >> (i % 64) & 1) as usize
}

/// Bits of a number.
const fn bits(exponent: &[u64]) -> usize {
    let mut n = exponent.len();
    while n > 0 && exponent[n - 1] == 0 {
        n -= 1;
    }
    if n == 0 {
        0
    } else {
        64 * n - exponent[n - 1].leading_zeros() as usize
    }
}
