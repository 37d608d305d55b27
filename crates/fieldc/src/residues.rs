//! Sums, differences and products of residues modulo a number that is an argument.
//!
//! A modulus finds its constants with them, so they know nothing of a modulus as a type.

use crate::limbs::{adc, hidden, minus, plus};

/// All ones if the flag is set, else 0; hidden, so that no select becomes a branch. The word is any
/// that the compiler knows nothing about. Where only programs call, `portable` has a better mask.
#[inline(always)]
const fn mask(flag: bool, word: u64) -> u64 {
    hidden((flag as u64).wrapping_neg(), word)
}

/// a where the mask is ones, b where it is 0.
#[inline(always)]
pub(crate) const fn select<const N: usize>(mask: u64, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    let (mut result, mut i) = ([0; N], 0);
    while i < N {
        result[i] = b[i] ^ (mask & (a[i] ^ b[i]));
        i += 1;
    }
    result
}

/// t mod p for t + 2^(64N)*top < 2p.
#[inline(always)]
pub(crate) const fn subtract_once<const N: usize>(
    t: &[u64; N],
    top: bool,
    p: &[u64; N],
) -> [u64; N] {
    let (less, borrow) = minus(t, p);
    select(mask(borrow & !top, t[0]), t, &less)
}

/// x + y mod p.
#[inline]
pub(crate) const fn add<const N: usize>(x: &[u64; N], y: &[u64; N], p: &[u64; N]) -> [u64; N] {
    let (sum, carry) = plus(x, y);
    subtract_once(&sum, carry, p)
}

/// x - y mod p.
#[inline]
pub(crate) const fn sub<const N: usize>(x: &[u64; N], y: &[u64; N], p: &[u64; N]) -> [u64; N] {
    let (mut result, borrow) = minus(x, y);
    let (added, mut carry, mut i) = (mask(borrow, result[0]), false, 0);
    while i < N {
        (result[i], carry) = adc(result[i], p[i] & added, carry);
        i += 1;
    }
    result
}

/// -x mod p; the negative of 0 is 0, never p.
#[inline]
pub(crate) const fn neg<const N: usize>(x: &[u64; N], p: &[u64; N]) -> [u64; N] {
    sub(&[0; N], x, p)
}

/// x*y/2^(64N) mod p in few statements, for long computations by the compiler, which interprets
/// them one by one; n0 is -1/p mod 2^64. Time depends on the values.
pub(crate) const fn product<const N: usize>(
    x: &[u64; N],
    y: &[u64; N],
    p: &[u64; N],
    n0: u64,
) -> [u64; N] {
    let (mut t, mut over, mut i) = ([0; N], 0, 0);
    while i < N {
        let y = y[i] as u128;
        let mut sum = t[0] as u128 + x[0] as u128 * y;
        let q = (sum as u64).wrapping_mul(n0) as u128;
        let mut rest = (sum as u64 as u128 + q * p[0] as u128) >> 64;
        sum >>= 64;
        let mut j = 1;
        while j < N {
            sum += t[j] as u128 + x[j] as u128 * y;
            rest += sum as u64 as u128 + q * p[j] as u128;
            t[j - 1] = rest as u64;
            sum >>= 64;
            rest >>= 64;
            j += 1;
        }
        let top = sum + rest + over;
        t[N - 1] = top as u64;
        over = top >> 64;
        i += 1;
    }
    if over == 0 && t[N - 1] < p[N - 1] {
        return t;
    }
    let (less, borrow) = minus(&t, p);
    if over == 0 && borrow { t } else { less }
}
