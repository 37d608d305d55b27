//! Arithmetic for constants: what `portable` has, and inverses. No time is promised here.

use crate::limbs::{is_same, minus, shifted};
use crate::modulus::Modulus;
use crate::{plain, portable, residues};

/// x + y mod p.
pub const fn const_add<const N: usize, M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    residues::add(x, y, &M::P)
}

/// x - y mod p.
pub const fn const_sub<const N: usize, M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    residues::sub(x, y, &M::P)
}

/// x*y/R mod p.
pub const fn const_mul<const N: usize, M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    portable::mul::<N, M>(x, y)
}

/// x*y/R mod p in few statements. Time depends on the values.
pub(crate) const fn product<const N: usize, M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    if M::PLAIN {
        return portable::mul::<N, M>(x, y);
    }
    residues::product(x, y, &M::P, M::N0)
}

/// The residue of 1/x from that of x; `None` for 0. Time depends on x.
///
/// The binary form of Euclid's algorithm: u = a*x and v = b*x modulo p, but for a factor R^2.
/// Source: D. Hankerson, A. Menezes, S. Vanstone, "Guide to Elliptic Curve Cryptography", 2004,
/// algorithm 2.22.
pub const fn const_invert<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> Option<[u64; N]> {
    let (mut u, mut v) = (*x, M::P);
    let (mut a, mut b) = (M::R2, [0; N]);
    if is_same(x, &[0; N]) {
        return None;
    }
    let mut one = [0; N];
    one[0] = 1;
    while !is_same(&u, &one) && !is_same(&v, &one) {
        (u, a) = odd_part::<N, M>(u, a);
        (v, b) = odd_part::<N, M>(v, b);
        let (difference, is_less) = minus(&u, &v);
        if is_less {
            (v, _) = minus(&v, &u);
            b = residues::sub(&b, &a, &M::P);
        } else {
            u = difference;
            a = residues::sub(&a, &b, &M::P);
        }
    }
    Some(if is_same(&u, &one) { a } else { b })
}

/// u and a halved, a modulo p, until u is odd.
const fn odd_part<const N: usize, M: Modulus<N>>(
    mut u: [u64; N],
    mut a: [u64; N],
) -> ([u64; N], [u64; N]) {
    while u[0] & 1 == 0 {
        u = shifted(&u, 1);
        a = halved(&a, &M::P);
    }
    (u, a)
}

/// a/2 mod p.
const fn halved<const N: usize>(a: &[u64; N], p: &[u64; N]) -> [u64; N] {
    if a[0] & 1 == 0 {
        return shifted(a, 1);
    }
    let (sum, carry) = crate::limbs::plus(a, p);
    let mut half = shifted(&sum, 1);
    half[N - 1] |= (carry as u64) << 63;
    half
}

/// The residue of a number of two limbs; it may be above p.
#[inline]
pub const fn from_u128<const N: usize, M: Modulus<N>>(number: u128) -> [u64; N] {
    let (low, high) = (number as u64, (number >> 64) as u64);
    let mut limbs = [0; N];
    limbs[0] = low;
    if N > 1 {
        limbs[1] = high;
        if M::PLAIN {
            return portable::from_montgomery::<N, M>(&limbs);
        }
        return portable::to_montgomery::<N, M>(&limbs);
    }
    if M::PLAIN {
        let (t, over) = plain::fold::<N, M>(&limbs, &[high; N]);
        return residues::subtract_once(&t, over, &M::P);
    }
    // One limb: high*R + low, and R^2 takes a Montgomery form to that of R times its number.
    let low = portable::to_montgomery::<N, M>(&limbs);
    limbs[0] = high;
    let high = portable::to_montgomery::<N, M>(&portable::to_montgomery::<N, M>(&limbs));
    residues::add(&low, &high, &M::P)
}
