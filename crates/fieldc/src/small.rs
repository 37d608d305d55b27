//! Products with integers of one limb, by Barrett's reduction.
//!
//! P. Barrett, Implementing the Rivest Shamir and Adleman public key encryption algorithm, 1986.

use core::marker::PhantomData;

use crate::addition;
use crate::assembly::{HasProducts, Products};
use crate::limbs::{mac, minus, plus, sbb};
use crate::modulus::Modulus;
use crate::portable::{runtime_mask, to_montgomery};

/// What the estimate of a quotient needs of P = p * 2^SPARE, whose top bit is set.
struct Reciprocal<const N: usize, M>(PhantomData<M>);

impl<const N: usize, M: Modulus<N>> Reciprocal<N, M> {
    const SPARE: u32 = 64 * N as u32 - M::BITS;
    /// 2^(64(N+1))/P - 2^64, rounded down.
    const VALUE: u64 = reciprocal(&M::P, Self::SPARE);
    /// Whether the estimate is at most one less than the quotient. Of such long primes whose top
    /// limb is ones, and whose next one is small, it may be two less.
    const IS_CLOSE: bool = N < 3
        || limb(&M::P, 0, N - 1, Self::SPARE) != u64::MAX
        || limb(&M::P, 0, N - 2, Self::SPARE) >> 63 == 1;
}

/// Limb i of (t + 2^(64N)*top) * 2^shift, for shift < 64.
#[inline(always)]
const fn limb<const N: usize>(t: &[u64; N], top: u64, i: usize, shift: u32) -> u64 {
    let high = if i == N { top } else { t[i] };
    let low = if i == 0 { 0 } else { t[i - 1] };
    high << shift | (low >> 1) >> (63 - shift)
}

/// 2^(64(N+1))/P - 2^64 for P = p * 2^spare, by long division from 2^(64N) - P on.
const fn reciprocal<const N: usize>(p: &[u64; N], spare: u32) -> u64 {
    let (mut normal, mut i) = ([0; N], 0);
    while i < N {
        normal[i] = limb(p, 0, i, spare);
        i += 1;
    }
    let (mut rest, mut quotient, mut i) = (minus(&[0; N], &normal).0, 0, 0);
    while i < 64 {
        let (doubled, carry) = plus(&rest, &rest);
        let (less, borrow) = minus(&doubled, &normal);
        let fits = carry | !borrow;
        rest = if fits { less } else { doubled };
        quotient = quotient << 1 | fits as u64;
        i += 1;
    }
    quotient
}

/// x*k mod p, in the same time for all values of x and k.
#[inline]
pub fn mul_u64<const N: usize, M: HasProducts<N>>(x: &[u64; N], k: u64) -> [u64; N] {
    if !Reciprocal::<N, M>::IS_CLOSE {
        let mut limbs = [0; N];
        limbs[0] = k;
        return M::Kernels::mul::<M>(x, &to_montgomery::<N, M>(&limbs));
    }
    // t = x*k < 2^64 * p.
    let (mut t, mut top) = ([0; N], 0);
    for i in 0..N {
        (t[i], top) = mac(0, x[i], k, top);
    }
    let q = quotient::<N, M>(&t, top);
    // t - q*p < 2p: N limbs and a bit.
    let (mut carry, mut borrow) = (0, false);
    for (limb, p) in t.iter_mut().zip(M::P) {
        let product;
        (product, carry) = mac(0, q, p, carry);
        (*limb, borrow) = sbb(*limb, product, borrow);
    }
    let over = top.wrapping_sub(carry).wrapping_sub(u64::from(borrow)) != 0;
    addition::subtract_once(&t, over, &M::P)
}

/// (t + 2^(64N)*top)/p rounded down, or one less.
///
/// Of T = (t + 2^(64N)*top) * 2^SPARE it takes the two upper limbs. What they and the reciprocal
/// leave out makes the quotient less by below 1, before it is rounded down.
#[inline(always)]
fn quotient<const N: usize, M: Modulus<N>>(t: &[u64; N], top: u64) -> u64 {
    let [low, high] = [N - 1, N].map(|i| limb(t, top, i, Reciprocal::<N, M>::SPARE));
    let reciprocal = Reciprocal::<N, M>::VALUE;
    let (_, carry) = mac(0, low, reciprocal, 0);
    let (_, above) = mac(low, high, reciprocal, carry);
    high.wrapping_add(above)
}

/// x*k mod p, in the same time for all values of x and k.
#[inline]
pub fn mul_i64<const N: usize, M: HasProducts<N>>(x: &[u64; N], k: i64) -> [u64; N] {
    let (size, is_negative) = absolute(k);
    let product = mul_u64::<N, M>(x, size);
    addition::choose(is_negative, &addition::neg(&product, &M::P), &product)
}

/// |k|, and whether k is negative, without a branch.
#[inline(always)]
pub(crate) fn absolute(k: i64) -> (u64, bool) {
    let mask = runtime_mask(k < 0);
    ((k as u64 ^ mask).wrapping_sub(mask), k < 0)
}
