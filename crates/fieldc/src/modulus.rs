//! A modulus and everything derived from it, when the program is compiled.

use crate::generated::ONLY;
use crate::limbs;
use crate::residues;

/// An odd prime of N limbs, as a type.
///
/// [`field!`](crate::field!) implements it; nothing else should.
pub trait Modulus<const N: usize>: Sized + 'static {
    /// The modulus p, least significant limb first.
    const P: [u64; N];
    /// -1/p mod 2^64.
    const N0: u64 = n0(Self::P[0]);
    /// 1/p mod 2^64.
    const P_INVERSE: u64 = Self::N0.wrapping_neg();
    /// k, where p is 2^64 - 2^k + 1.
    const QUOTIENT_SHIFT: u32 = Self::COMPLEMENT[0].trailing_ones();
    /// 2^-64 mod p, which is (n0*p + 1) / 2^64.
    const MU: [u64; N] = mu(&Self::P, Self::N0);
    /// -2^-64 mod p.
    const MINUS_MU: [u64; N] = residues::neg(&Self::MU, &Self::P);
    /// 1 - 2^(-64(N-1)) mod p.
    const FOLD_REST: [u64; N] = fold_rest::<N, Self>();
    /// Whether residues are plain: x stands as x, so that R is 1. Otherwise R is 2^(64N).
    const PLAIN: bool = is_of_plain(class::<N, Self>());
    /// 2^(64N) mod p.
    const RADIX: [u64; N] = radix(&Self::P);
    /// R mod p, the residue that stands for 1.
    const R: [u64; N] = if Self::PLAIN { one() } else { Self::RADIX };
    /// R^2 mod p: a product with it makes a number a residue.
    const R2: [u64; N] = if Self::PLAIN {
        one()
    } else {
        radix_squared::<N, Self>()
    };
    /// 2^(64N)*R mod p: a product with it is one with 2^(64N).
    const SHIFT: [u64; N] = if Self::PLAIN { Self::RADIX } else { Self::R2 };
    /// 2^(64N) - p.
    const COMPLEMENT: [u64; N] = complement(&Self::P);
    /// 2^61 * p, of N + 1 limbs.
    const RAISED_P: [u64; MOST_LIMBS + 1] = raised(&Self::P);
    /// Bits of p.
    const BITS: u32 = limbs::bits(&Self::P);
}

/// Whether the kernels are for p too: those of a package are for its own modulus alone.
pub const fn is_served<const N: usize>(p: &[u64; N]) -> bool {
    let Some(own) = ONLY else { return true };
    let mut i = 0;
    while i < N && i < own.len() && p[i] == own[i] {
        i += 1;
    }
    i == N && N == own.len()
}

/// The class of the kernels of a modulus: one of its own for the primes that have such kernels.
pub const fn class<const N: usize, M: Modulus<N>>() -> u8 {
    match place_of(&M::P, &crate::generated::PLAIN) {
        Some(place) => FIRST_PLAIN + place,
        None => montgomery_class::<N, M>(),
    }
}

/// Whether a class is one of the primes with plain residues.
const fn is_of_plain(class: u8) -> bool {
    class >= FIRST_PLAIN && ((class - FIRST_PLAIN) as usize) < crate::generated::PLAIN.len()
}

/// Where a number is in a list.
const fn place_of(p: &[u64], list: &[&[u64]]) -> Option<u8> {
    let mut i = 0;
    while i < list.len() {
        if is_same_number(list[i], p) {
            return Some(i as u8);
        }
        i += 1;
    }
    None
}

/// The class of the kernels in Montgomery form.
pub const fn montgomery_class<const N: usize, M: Modulus<N>>() -> u8 {
    match place_of(&M::P, &crate::generated::SHAPED) {
        Some(place) => FIRST_SHAPED + place,
        None => class_of(&M::P),
    }
}

/// The same modulus with residues in Montgomery form.
pub struct Montgomery<M>(core::marker::PhantomData<M>);

impl<const N: usize, M: Modulus<N>> Modulus<N> for Montgomery<M> {
    const P: [u64; N] = M::P;
    const PLAIN: bool = false;
}

pub(crate) const fn is_same_number(a: &[u64], b: &[u64]) -> bool {
    let mut i = 0;
    while i < a.len() && i < b.len() && a[i] == b[i] {
        i += 1;
    }
    i == a.len() && i == b.len()
}

/// The class of limbs, at least one; `fieldc/packages/rust/classes.py` defines them.
pub(crate) const fn class_of(p: &[u64]) -> u8 {
    let top = p[p.len() - 1];
    let is_small = top < crate::generated::FOLD_TOP && n0(p[0]) <= crate::generated::FOLD_N0;
    if p.len() > 1 && is_small {
        FOLD
    } else if is_complement(p) {
        COMPLEMENT
    } else if top < crate::generated::SPARE_TOP {
        SPARE
    } else if is_near(p) {
        NEAR
    } else if is_shifted(p) {
        SHIFTED
    } else {
        FULL
    }
}

const fn is_complement(p: &[u64]) -> bool {
    let is_long = p.len() > 1 && p.len() <= crate::generated::COMPLEMENT_LIMBS;
    let has_spare_bit = p[p.len() - 1] < crate::generated::SPARE_TOP;
    is_long && has_spare_bit && n0(p[0]) >= crate::generated::COMPLEMENT_N0
}

/// Whether R - p has one limb: the others of p are all ones.
const fn is_near(p: &[u64]) -> bool {
    let mut i = 1;
    while i < p.len() && p[i] == u64::MAX {
        i += 1;
    }
    p.len() > 1 && p.len() <= crate::generated::NEAR_LIMBS && i == p.len()
}

/// Whether p is 2^64 - 2^k + 1 with k at least 32.
const fn is_shifted(p: &[u64]) -> bool {
    let complement = p[0].wrapping_neg();
    p.len() == 1 && complement & complement.wrapping_add(1) == 0 && complement.count_ones() >= 32
}

/// mu/p + p/R < 0.993: constant rows of mu, one quotient at the end.
pub(crate) const FOLD: u8 = 0;
/// A spare bit and mu/p > 0.508: constant rows of -mu for complements.
pub(crate) const COMPLEMENT: u8 = 1;
/// At least one spare bit.
pub(crate) const SPARE: u8 = 2;
/// R - p has one limb.
pub(crate) const NEAR: u8 = 3;
/// 2^64 - 2^k + 1 with k at least 32.
pub(crate) const SHIFTED: u8 = 4;
/// Every odd prime.
pub(crate) const FULL: u8 = 5;
/// The primes of `generated::PLAIN`, a class each.
pub(crate) const FIRST_PLAIN: u8 = 6;
/// The primes of `generated::SHAPED`, a class each.
const FIRST_SHAPED: u8 = FIRST_PLAIN + crate::generated::PLAIN.len() as u8;

/// The most limbs that a modulus may have.
pub(crate) const MOST_LIMBS: usize = 12;

/// -1/p mod 2^64, by Newton's iteration: each step doubles the bits that are right.
pub(crate) const fn n0(p: u64) -> u64 {
    let (mut inverse, mut bits) = (1u64, 1);
    while bits < 64 {
        inverse = inverse.wrapping_mul(2u64.wrapping_sub(p.wrapping_mul(inverse)));
        bits *= 2;
    }
    inverse.wrapping_neg()
}

/// (n0*p + 1) / 2^64.
const fn mu<const N: usize>(p: &[u64; N], n0: u64) -> [u64; N] {
    let (mut result, mut i) = ([0; N], 1);
    let (_, mut carry) = limbs::mac(1, n0, p[0], 0);
    while i < N {
        (result[i - 1], carry) = limbs::mac(0, n0, p[i], carry);
        i += 1;
    }
    result[N - 1] = carry;
    result
}

/// 1 - 2^(-64(N-1)) mod p, for a p of N > 1 limbs; 0 for one limb.
const fn fold_rest<const N: usize, M: Modulus<N>>() -> [u64; N] {
    let (mut one, mut radix) = ([0; N], [0; N]);
    one[0] = 1;
    if N == 1 {
        return radix;
    }
    radix[1] = 1;
    residues::sub(&one, &residues::product(&radix, &one, &M::P, M::N0), &M::P)
}

/// 2^(64N) - p, for an odd p.
const fn complement<const N: usize>(p: &[u64; N]) -> [u64; N] {
    let (mut result, mut i) = (*p, 0);
    while i < N {
        result[i] = !p[i];
        i += 1;
    }
    result[0] += 1;
    result
}

/// 2^61 * p.
const fn raised<const N: usize>(p: &[u64; N]) -> [u64; MOST_LIMBS + 1] {
    let (mut result, mut i) = ([0; MOST_LIMBS + 1], 0);
    while i < N {
        result[i] |= p[i] << 61;
        result[i + 1] = p[i] >> 3;
        i += 1;
    }
    result
}

/// 2^(64N) mod p, from 2^b - p for the b bits of p.
const fn radix<const N: usize>(p: &[u64; N]) -> [u64; N] {
    let spare = 64 * N as u32 - limbs::bits(p);
    let mut result = complement(p);
    result[N - 1] &= u64::MAX >> spare;
    doubled(result, spare as usize, p)
}

/// The number 1.
const fn one<const N: usize>() -> [u64; N] {
    let mut one = [0; N];
    one[0] = 1;
    one
}

/// R^2 mod p, which is 2^(64N)*R, from 2^N*R: a square doubles the exponent, six do so 64 times.
const fn radix_squared<const N: usize, M: Modulus<N>>() -> [u64; N] {
    let (mut result, mut exponent) = (doubled(M::R, N, &M::P), N);
    while exponent < 64 * N {
        result = residues::product(&result, &result, &M::P, M::N0);
        exponent *= 2;
    }
    result
}

/// 2^times * x mod p.
const fn doubled<const N: usize>(mut x: [u64; N], times: usize, p: &[u64; N]) -> [u64; N] {
    let mut i = 0;
    while i < times {
        x = residues::add(&x, &x, p);
        i += 1;
    }
    x
}

/// Limbs of the number that a text says, for `field!`. Panics, when the program is compiled, for
/// what is no modulus.
pub const fn limbs_of(text: &str) -> usize {
    let all: [u64; MOST_LIMBS + 1] = parse(text);
    let mut n = MOST_LIMBS + 1;
    while n > 0 && all[n - 1] == 0 {
        n -= 1;
    }
    assert!(n > 0, "the modulus is 0");
    assert!(n <= MOST_LIMBS, "the modulus has more than 768 bits");
    assert!(all[0] % 2 == 1, "the modulus is even");
    assert!(n > 1 || all[0] > 1, "the modulus is 1");
    n
}

/// The number that a text says: decimal, or hexadecimal after `0x`; `_` separates digits.
pub const fn parse<const N: usize>(text: &str) -> [u64; N] {
    let bytes = text.as_bytes();
    let is_hex = bytes.len() > 2 && bytes[0] == b'0' && bytes[1] == b'x';
    let (mut result, mut i) = ([0; N], if is_hex { 2 } else { 0 });
    assert!(i < bytes.len(), "the modulus is empty");
    let base = if is_hex { 16 } else { 10 };
    // Digits are gathered in a limb, value below scale, as long as they fit.
    let (mut value, mut scale) = (0, 1u64);
    while i < bytes.len() {
        if bytes[i] != b'_' {
            let digit = match bytes[i] {
                d @ b'0'..=b'9' => d - b'0',
                d @ b'a'..=b'f' if is_hex => d - b'a' + 10,
                d @ b'A'..=b'F' if is_hex => d - b'A' + 10,
                _ => panic!("the modulus is no number: decimal digits, or 0x and hexadecimal ones"),
            };
            if scale > u64::MAX / base {
                result = appended(result, scale, value);
                (value, scale) = (0, 1);
            }
            (value, scale) = (value * base + digit as u64, scale * base);
        }
        i += 1;
    }
    appended(result, scale, value)
}

/// a*scale + value.
const fn appended<const N: usize>(mut a: [u64; N], scale: u64, value: u64) -> [u64; N] {
    let (mut carry, mut i) = (value, 0);
    while i < N {
        (a[i], carry) = limbs::mac(0, a[i], scale, carry);
        i += 1;
    }
    assert!(carry == 0, "the modulus has more than 768 bits");
    a
}
