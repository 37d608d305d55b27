//! Montgomery's reduction in portable Rust, for any number of limbs: a row at a time.
//!
//! P. L. Montgomery, Modular multiplication without trial division, 1985.

use crate::limbs::{adc, mac};
use crate::modulus::Modulus;

/// x*y/R modulo p: N limbs and a bit, below xy/R + p.
///
/// A row of the product, a row of the reduction, drop a limb.
#[inline(always)]
pub(crate) const fn product<const N: usize, M: Modulus<N>>(
    x: &[u64; N],
    y: &[u64; N],
) -> ([u64; N], bool) {
    let (mut t, mut over, mut i) = ([0; N], false, 0);
    while i < N {
        let (mut carry, mut j) = (0, 0);
        while j < N {
            (t[j], carry) = mac(t[j], x[j], y[i], carry);
            j += 1;
        }
        // t < x + p before the row, one bit more than N limbs; after it, one bit more than N + 1.
        let (top, above) = adc(carry, over as u64, false);
        (t, over) = drop_limb::<N, M>(&t, top, above);
        i += 1;
    }
    (t, over)
}

/// x/R modulo p, at most p.
#[inline(always)]
pub(crate) const fn reduction<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
    let (mut t, mut i) = (*x, 0);
    while i < N {
        (t, _) = drop_limb::<N, M>(&t, 0, false);
        i += 1;
    }
    t
}

/// (t + 2^(64N)*top + 2^(64N+64)*above) / 2^64 mod p.
#[inline(always)]
const fn drop_limb<const N: usize, M: Modulus<N>>(
    t: &[u64; N],
    top: u64,
    above: bool,
) -> ([u64; N], bool) {
    let q = t[0].wrapping_mul(M::N0);
    let (mut result, mut j) = ([0; N], 1);
    let (_, mut carry) = mac(t[0], q, M::P[0], 0);
    while j < N {
        (result[j - 1], carry) = mac(t[j], q, M::P[j], carry);
        j += 1;
    }
    let (last, over) = adc(top, carry, false);
    result[N - 1] = last;
    (result, over | above)
}
