//! Products with small numbers, by Barrett's reduction of one limb.

use core::marker::PhantomData;

use crate::addition;
use crate::limbs::{bits, mac, minus};
use crate::modulus::Modulus;
use crate::portable;

/// The least bits of a modulus for which a quotient is estimated.
const LEAST_BITS: u32 = 33;

/// What the estimate of a quotient needs of p, which has b bits.
struct Reciprocal<const N: usize, M>(PhantomData<M>);

impl<const N: usize, M: Modulus<N>> Reciprocal<N, M> {
    /// 2^(b + 62)/p, rounded down; it has 63 bits.
    const VALUE: u64 = reciprocal(&M::P);
}

/// 2^(b + 62)/p by long division, from 2^(b - 1).
const fn reciprocal<const N: usize>(p: &[u64; N]) -> u64 {
    let top = bits(p) - 1;
    let (mut rest, mut quotient, mut i) = ([0; N], 0, 0);
    rest[top as usize / 64] = 1 << (top % 64);
    while i < 63 {
        let (doubled, carry) = crate::limbs::plus(&rest, &rest);
        let (less, borrow) = minus(&doubled, p);
        let fits = carry | !borrow;
        rest = if fits { less } else { doubled };
        quotient = quotient << 1 | fits as u64;
        i += 1;
    }
    quotient
}

/// x*k mod p, in the same time for all values of x and k.
#[inline]
pub fn mul_small<const N: usize, M: Modulus<N>>(x: &[u64; N], k: u32) -> [u64; N] {
    if M::BITS < LEAST_BITS {
        let mut limbs = [0; N];
        limbs[0] = u64::from(k);
        return portable::mul::<N, M>(x, &portable::to_montgomery::<N, M>(&limbs));
    }
    // t = x*k < 2^32 * p.
    let (mut t, mut top) = ([0; N], 0);
    for i in 0..N {
        (t[i], top) = mac(0, x[i], u64::from(k), top);
    }
    // t/2^(b - 32), rounded down, has 64 bits; so q is t/p rounded down, or one less.
    let shift = M::BITS - 32;
    let limb = |i: usize| if i < N { t[i] } else { top };
    let (low, bit) = (shift as usize / 64, shift % 64);
    let leading = limb(low) >> bit | (limb(low + 1) << 1) << (63 - bit);
    let estimate = u128::from(leading) * u128::from(Reciprocal::<N, M>::VALUE);
    let q = (estimate >> 94) as u64;
    // t - q*p < 2p: N limbs and a bit.
    let (mut carry, mut borrow) = (0, false);
    for (limb, p) in t.iter_mut().zip(M::P) {
        let product;
        (product, carry) = mac(0, q, p, carry);
        (*limb, borrow) = crate::limbs::sbb(*limb, product, borrow);
    }
    let over = top.wrapping_sub(carry).wrapping_sub(u64::from(borrow)) != 0;
    addition::subtract_once(&t, over, &M::P)
}
