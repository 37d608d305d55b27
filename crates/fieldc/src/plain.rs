//! Portable products of plain residues, for p = 2^b - c with at most one spare bit and a small c.
//!
//! 2^(64N) mod p is C = c * 2^spare, one limb. The upper half of a product is folded by a row with
//! C, and what is then above bit b by one product with c. R. E. Crandall, US patent 5159632 (1992).

use crate::limbs::{mac, plus, wide_product};
use crate::modulus::Modulus;

/// What folds modulo p.
struct Fold<const N: usize, M>(core::marker::PhantomData<M>);

impl<const N: usize, M: Modulus<N>> Fold<N, M> {
    const SPARE: u32 = 64 * N as u32 - M::BITS;
    /// 2^(64N) mod p.
    const C: u64 = M::RADIX[0];
}

/// x*y modulo p: N limbs and a bit, below 2p.
#[inline(always)]
pub(crate) const fn product<const N: usize, M: Modulus<N>>(
    x: &[u64; N],
    y: &[u64; N],
) -> ([u64; N], bool) {
    let (low, high) = wide_product(x, y);
    fold::<N, M>(&low, &high)
}

/// low + 2^(64N)*high modulo p: N limbs and a bit, below 2p.
#[inline(always)]
pub(crate) const fn fold<const N: usize, M: Modulus<N>>(
    low: &[u64; N],
    high: &[u64; N],
) -> ([u64; N], bool) {
    let (mut t, mut above, mut i) = ([0; N], 0, 0);
    while i < N {
        (t[i], above) = mac(low[i], high[i], Fold::<N, M>::C, above);
        i += 1;
    }
    // above <= C, and C * 2^spare is below 2^64: what is above bit b has one limb.
    let spare = Fold::<N, M>::SPARE;
    if spare > 0 {
        above = above << spare | t[N - 1] >> (64 - spare);
        t[N - 1] &= u64::MAX >> spare;
    }
    let mut folded = [0; N];
    (folded[0], folded[1]) = mac(0, above, Fold::<N, M>::C >> spare, 0);
    plus(&t, &folded)
}
