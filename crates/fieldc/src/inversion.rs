//! Inversion by divsteps, the safegcd method, in the same time for all values.
//!
//! Source: D. J. Bernstein and B.-Y. Yang, "Fast constant-time gcd computation and modular
//! inversion", 2019 (eprint 2019/266), sections 8 to 11; the variant that starts at delta = 1/2 is
//! P. Wuille's, "Bounds on divsteps iterations in safegcd", 2021.
//!
//! A divstep maps (delta, f, g), f odd, to (1 - delta, g, (g - f)/2) if delta > 0 and g is odd, and
//! to (1 + delta, f, (g + (g mod 2)*f)/2) otherwise. From (1/2, p, x) it reaches g = 0, and then f is
//! gcd(p, x) or its negative. What a batch of k divsteps does depends on the k low bits of f and
//! g only; it is collected in a matrix, which then acts on all digits.

use crate::divsteps::{Batches, DIGIT, Matrix, batch};
use crate::limb_inversion;
use crate::limbs::is_zero;
use crate::modulus::{MOST_LIMBS, Modulus};

const DIGIT_MASK: i64 = (1 << DIGIT) - 1;
/// 62 * (N + 1) bits hold a number of N <= 12 limbs, a sign, and one bit more.
const MOST_DIGITS: usize = MOST_LIMBS + 1;

/// A signed number in digits of 62 bits, least significant first: each is in 0..2^62 but the top
/// one, which has the sign. Only the first `Plan::DIGITS` are in use.
type Digits = [i64; MOST_DIGITS];

/// What inversion modulo p needs to know.
struct Plan<const N: usize, M>(core::marker::PhantomData<M>);

impl<const N: usize, M: Modulus<N>> Plan<N, M> {
    /// Digits of a number between -2p and 2p.
    const DIGITS: usize = (M::BITS + 2).div_ceil(DIGIT) as usize;
    const P: Digits = to_digits(&M::P);
    /// 1/p mod 2^62.
    const P_INVERSE: i64 = M::N0.wrapping_neg() as i64 & DIGIT_MASK;
    const R2: Digits = to_digits(&M::R2);
}

/// The residue of 1/x from that of x, and whether there is one; 0 and false for x = 0.
pub fn invert<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> ([u64; N], bool) {
    if let Some(inverse) = limb_inversion::invert::<N, M>(x) {
        return (inverse, !is_zero(x));
    }
    let mut zeta = -1;
    let (mut f, mut g) = (Plan::<N, M>::P, to_digits(x));
    // d*x = f and e*x = g modulo p, but for a power of R: from R^2 the result is 1/x * R.
    let (mut d, mut e) = ([0; MOST_DIGITS], Plan::<N, M>::R2);
    let mut last = batch(&mut zeta, f[0], g[0], Batches::<N, M>::STEPS, || {});
    apply(&last, &mut f, &mut g, Plan::<N, M>::DIGITS);
    let mut done = 1;
    while done < Batches::<N, M>::COUNT {
        // A batch waits for itself only: the last one's matrix acts on d and e beside it.
        let beside = || apply_modulo_p::<N, M>(&last, &mut d, &mut e);
        let next = batch(&mut zeta, f[0], g[0], Batches::<N, M>::STEPS, beside);
        apply(&next, &mut f, &mut g, Plan::<N, M>::DIGITS);
        last = next;
        done += 1;
    }
    apply_modulo_p::<N, M>(&last, &mut d, &mut e);
    // Now f = 1 or f = -1; f = p and d = 0 for x = 0.
    let is_negative = sign(f[Plan::<N, M>::DIGITS - 1]);
    (canonical::<N, M>(&d, is_negative), !is_zero(x))
}

/// (f, g) <- matrix * (f, g) / 2^62, which is exact.
#[inline(always)]
fn apply(matrix: &Matrix, f: &mut Digits, g: &mut Digits, digits: usize) {
    let (f, g) = (opaque(f), opaque(g));
    let (mut first, mut second) = (0_i128, 0_i128);
    let mut i = 0;
    while i < digits {
        first += product(matrix.u, f[i]) + product(matrix.v, g[i]);
        second += product(matrix.q, f[i]) + product(matrix.r, g[i]);
        if i > 0 {
            f[i - 1] = first as i64 & DIGIT_MASK;
            g[i - 1] = second as i64 & DIGIT_MASK;
        }
        first >>= DIGIT;
        second >>= DIGIT;
        i += 1;
    }
    f[digits - 1] = first as i64;
    g[digits - 1] = second as i64;
}

/// (d, e) <- matrix * (d, e) / 2^62 modulo p; both stay above -2p and below p.
///
/// A negative number first gets p, so both are at least -p and below p; their combination is then
/// at least -2^62*p and below 2^62*p, and a multiple of p from 0 to (2^62 - 1)*p is subtracted that
/// makes it divisible.
#[inline(always)]
fn apply_modulo_p<const N: usize, M: Modulus<N>>(matrix: &Matrix, d: &mut Digits, e: &mut Digits) {
    let (d, e) = (opaque(d), opaque(e));
    let Matrix { u, v, q, r } = *matrix;
    let top = Plan::<N, M>::DIGITS - 1;
    let (d_sign, e_sign) = (sign(d[top]), sign(e[top]));
    // The multiples of p that the signs ask for, less those that make the low digits 0.
    let mut first_p = (u & d_sign) + (v & e_sign);
    let mut second_p = (q & d_sign) + (r & e_sign);
    let mut first = product(u, d[0]) + product(v, e[0]);
    let mut second = product(q, d[0]) + product(r, e[0]);
    first_p -= quotient::<N, M>(first as i64, first_p);
    second_p -= quotient::<N, M>(second as i64, second_p);
    first = (first + product(first_p, Plan::<N, M>::P[0])) >> DIGIT;
    second = (second + product(second_p, Plan::<N, M>::P[0])) >> DIGIT;
    let mut i = 1;
    while i <= top {
        let p = Plan::<N, M>::P[i];
        first += product(u, d[i]) + product(v, e[i]) + product(first_p, p);
        second += product(q, d[i]) + product(r, e[i]) + product(second_p, p);
        d[i - 1] = first as i64 & DIGIT_MASK;
        e[i - 1] = second as i64 & DIGIT_MASK;
        first >>= DIGIT;
        second >>= DIGIT;
        i += 1;
    }
    d[top] = first as i64;
    e[top] = second as i64;
}

/// (low/p + multiple) mod 2^62: so often p must go, for low + multiple*p to end in 62 zero bits.
#[inline(always)]
fn quotient<const N: usize, M: Modulus<N>>(low: i64, multiple: i64) -> i64 {
    let quotient = Plan::<N, M>::P_INVERSE.wrapping_mul(low);
    quotient.wrapping_add(multiple) & DIGIT_MASK
}

/// Digits of which the compiler does not know that they are positive: signed products of what it
/// knows nothing about are one instruction, and of numbers it takes for unsigned they are four.
#[inline(always)]
fn opaque(digits: &mut Digits) -> &mut Digits {
    core::hint::black_box(digits)
}

#[inline(always)]
fn product(a: i64, b: i64) -> i128 {
    a as i128 * b as i128
}

/// Ones for a negative number, else 0; opaque, so that nothing masked becomes a branch.
#[inline(always)]
fn sign(top: i64) -> i64 {
    core::hint::black_box(top >> 63)
}

/// d or, where the mask is ones, -d, modulo p; d is above -2p and below p.
fn canonical<const N: usize, M: Modulus<N>>(d: &Digits, negated: i64) -> [u64; N] {
    let top = Plan::<N, M>::DIGITS - 1;
    let mut d = *d;
    let (is_negative, mut i) = (sign(d[top]), 0);
    while i <= top {
        d[i] += Plan::<N, M>::P[i] & is_negative;
        d[i] = (d[i] ^ negated) - negated;
        i += 1;
    }
    carried(&mut d, top);
    let (is_negative, mut i) = (sign(d[top]), 0);
    while i <= top {
        d[i] += Plan::<N, M>::P[i] & is_negative;
        i += 1;
    }
    carried(&mut d, top);
    from_digits(&d)
}

/// Brings every digit but the top one into 0..2^62.
fn carried(digits: &mut Digits, top: usize) {
    let mut i = 0;
    while i < top {
        digits[i + 1] += digits[i] >> DIGIT;
        digits[i] &= DIGIT_MASK;
        i += 1;
    }
}

const fn to_digits<const N: usize>(limbs: &[u64; N]) -> Digits {
    let (mut digits, mut i) = ([0; MOST_DIGITS], 0);
    while i < MOST_DIGITS {
        let (limb, shift) = (i * DIGIT as usize / 64, i as u32 * DIGIT % 64);
        let low = if limb < N { limbs[limb] >> shift } else { 0 };
        let high = if limb + 1 < N && shift > 64 - DIGIT {
            limbs[limb + 1] << (64 - shift)
        } else {
            0
        };
        digits[i] = (low | high) as i64 & DIGIT_MASK;
        i += 1;
    }
    digits
}

/// The limbs of a number that is not negative and has no more than N.
fn from_digits<const N: usize>(digits: &Digits) -> [u64; N] {
    let (mut limbs, mut i) = ([0; N], 0);
    while i < N {
        let (digit, shift) = (64 * i / DIGIT as usize, 64 * i as u32 % DIGIT);
        // Its other bits are in the next digit: shift = 2i <= 22.
        limbs[i] = digits[digit] as u64 >> shift | (digits[digit + 1] as u64) << (DIGIT - shift);
        i += 1;
    }
    limbs
}
