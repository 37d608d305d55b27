//! Powers by sliding windows: odd powers of x up to 2^width are made first, and every window ends in
//! a one. The exponent is public: time depends on it, and on nothing else.

use crate::assembly::{HasProducts, Products};
use crate::modulus::{MOST_LIMBS, Modulus};
use crate::portable;

/// The most bits of a window.
const MOST_BITS: usize = 5;
/// The most windows of a constant exponent: each but the last begins as many bits after another.
const MOST_WINDOWS: usize = (64 * MOST_LIMBS).div_ceil(MOST_BITS);

/// A window of an exponent, which ends in a one: squarings up to its end, and then a product with
/// the odd power 2 * half + 1.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    squares: usize,
    half: usize,
}

/// The windows below bit `top` of an exponent, from its highest one on.
struct Windows<'a> {
    exponent: &'a [u64],
    top: usize,
    width: usize,
}

impl<'a> Windows<'a> {
    const fn of(exponent: &'a [u64]) -> Self {
        let top = bits(exponent);
        // Where the odd powers pay.
        let width = match top {
            0..16 => 1,
            16..144 => 3,
            _ => MOST_BITS,
        };
        Self {
            exponent,
            top,
            width,
        }
    }

    /// The next one; `None` where only zeros are left.
    const fn following(&mut self) -> Option<Window> {
        let from = self.top;
        while self.top > 0 && bit(self.exponent, self.top - 1) == 0 {
            self.top -= 1;
        }
        if self.top == 0 {
            self.top = from;
            return None;
        }
        let (top, mut low) = (self.top, self.top.saturating_sub(self.width));
        while bit(self.exponent, low) == 0 {
            low += 1;
        }
        let (mut window, mut i) = (0, top);
        while i > low {
            i -= 1;
            window = window << 1 | bit(self.exponent, i);
        }
        self.top = low;
        Some(Window {
            squares: from - low,
            half: window / 2,
        })
    }
}

/// The windows of a constant exponent of at most MOST_LIMBS limbs, found by the compiler.
pub(crate) struct FixedExponent {
    windows: [Window; MOST_WINDOWS],
    count: usize,
    width: usize,
    /// Zeros below the last window.
    zeros: usize,
}

impl FixedExponent {
    pub(crate) const fn of(exponent: &[u64]) -> Self {
        let mut left = Windows::of(exponent);
        let nothing = Window {
            squares: 0,
            half: 0,
        };
        let (mut windows, mut count) = ([nothing; MOST_WINDOWS], 0);
        while let Some(window) = left.following() {
            windows[count] = window;
            count += 1;
        }
        Self {
            windows,
            count,
            width: left.width,
            zeros: left.top,
        }
    }
}

/// x^exponent.
pub fn power<const N: usize, M: HasProducts<N>>(x: &[u64; N], exponent: &[u64]) -> [u64; N] {
    let mut left = Windows::of(exponent);
    let Some(first) = left.following() else {
        return M::R;
    };
    let powers = odd_powers::<N, M>(x, left.width);
    let mut result = powers[first.half];
    while let Some(window) = left.following() {
        advance::<N, M>(&mut result, window.squares, &powers[window.half]);
    }
    square_in_place::<N, M>(&mut result, left.top);
    result
}

/// x^exponent, for a constant exponent.
pub(crate) fn fixed_power<const N: usize, M: HasProducts<N>>(
    x: &[u64; N],
    exponent: &FixedExponent,
) -> [u64; N] {
    let [first, others @ ..] = &exponent.windows[..exponent.count] else {
        return M::R;
    };
    let powers = odd_powers::<N, M>(x, exponent.width);
    let mut result = powers[first.half];
    for window in others {
        advance::<N, M>(&mut result, window.squares, &powers[window.half]);
    }
    square_in_place::<N, M>(&mut result, exponent.zeros);
    result
}

/// x, x^3, x^5 and so on, as far as windows of a width need them.
#[inline]
fn odd_powers<const N: usize, M: HasProducts<N>>(
    x: &[u64; N],
    width: usize,
) -> [[u64; N]; 1 << (MOST_BITS - 1)] {
    let mut powers = [*x; 1 << (MOST_BITS - 1)];
    if width > 1 {
        let square = M::Kernels::square::<M>(x);
        for k in 1..1 << (width - 1) {
            powers[k] = M::Kernels::mul::<M>(&powers[k - 1], &square);
        }
    }
    powers
}

/// x^(2^times) * factor, in the place of x.
///
/// The loop stands alone, so that no result is copied by wide loads, which would wait for the stores
/// of its limbs. Squares and the product have the same stores: a processor foresees from where a
/// load gets its word, and a load that follows other stores than the last time waits.
#[inline(never)]
fn advance<const N: usize, M: HasProducts<N>>(x: &mut [u64; N], times: usize, factor: &[u64; N]) {
    for i in 0..=times {
        let z = if i < times {
            M::Kernels::square::<M>(x)
        } else {
            M::Kernels::mul::<M>(x, factor)
        };
        for (limb, z) in x.iter_mut().zip(z) {
            // SAFETY: a reference is valid for writes.
            unsafe { core::ptr::write_volatile(limb, z) };
        }
    }
}

/// x^(2^times), in the place of x.
#[inline(never)]
fn square_in_place<const N: usize, M: HasProducts<N>>(x: &mut [u64; N], times: usize) {
    for _ in 0..times {
        *x = M::Kernels::square::<M>(x);
    }
}

/// x^(2^times).
#[inline]
pub(crate) fn repeated_square<const N: usize, M: HasProducts<N>>(
    x: &[u64; N],
    times: usize,
) -> [u64; N] {
    let mut result = *x;
    square_in_place::<N, M>(&mut result, times);
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
