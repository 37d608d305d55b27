//! Portable products of plain residues, for p = 2^b - c with a small c.
//!
//! 2^(64N) mod p is C = c * 2^spare, one limb, with C(C + 1) + c <= 2^b. The upper half of a product
//! is folded by a row with C, and what is then above bit b by c. R. E. Crandall, US patent 5159632
//! (1992).

use crate::limbs::{mac, plus, wide_product};
use crate::modulus::Modulus;

/// What folds modulo p.
struct Fold<const N: usize, M>(core::marker::PhantomData<M>);

impl<const N: usize, M: Modulus<N>> Fold<N, M> {
    const SPARE: u32 = 64 * N as u32 - M::BITS;
    /// 2^(64N) mod p.
    const C: u64 = M::RADIX[0];
    /// The limbs of what the first fold leaves above bit b.
    const LIMBS_ABOVE: usize = if Self::C < u64::MAX >> Self::SPARE {
        1
    } else {
        2
    };
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
    // above <= C, so what is above bit b is below (C + 1) * 2^spare. Times c it is at most
    // C(C + 1), so that the sum is below 2p.
    let (spare, c) = (Fold::<N, M>::SPARE, Fold::<N, M>::C >> Fold::<N, M>::SPARE);
    let mut rest = above as u128;
    if spare > 0 {
        rest = rest << spare | (t[N - 1] >> (64 - spare)) as u128;
        t[N - 1] &= u64::MAX >> spare;
    }
    let (mut folded, mut carry, mut i) = ([0; N], 0, 0);
    while i < N && i < Fold::<N, M>::LIMBS_ABOVE {
        (folded[i], carry) = mac(0, (rest >> (64 * i)) as u64, c, carry);
        i += 1;
    }
    if i < N {
        folded[i] = carry;
    }
    plus(&t, &folded)
}
