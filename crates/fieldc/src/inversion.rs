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

use crate::limbs::is_zero;
use crate::modulus::{MOST_LIMBS, Modulus};

/// Bits of a digit.
const DIGIT: u32 = 62;
/// The most divsteps of a batch, whose matrix depends on as many low bits of f and g.
const MOST_STEPS: u32 = 60;
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
    /// Enough divsteps: if f is odd, 0 <= g <= f <= 2^b and 9437*b + 1 <= 4096*n, then g = 0 after
    /// n divsteps from delta = 1/2. Proved in HOL Light: DIVSTEP_ENDTOEND_BITS_SIMPLE in its
    /// directory Divstep (J. Harrison's library; s2n-bignum's proofs of inversion use it).
    const STEPS: u32 = (9437 * M::BITS + 1).div_ceil(4096);
    const BATCHES: u32 = Self::STEPS.div_ceil(MOST_STEPS);
    /// Divsteps of a batch.
    const BATCH: u32 = Self::STEPS.div_ceil(Self::BATCHES);
}

/// Divsteps as a linear map of (f, g); that of a batch is times 2^62, so it has integers with
/// |u| + |v| <= 2^62 and |q| + |r| <= 2^62.
struct Matrix {
    u: i64,
    v: i64,
    q: i64,
    r: i64,
}

/// The residue of 1/x from that of x, and whether there is one; 0 and false for x = 0.
pub fn invert<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> ([u64; N], bool) {
    let mut zeta = -1;
    let (mut f, mut g) = (Plan::<N, M>::P, to_digits(x));
    // d*x = f and e*x = g modulo p, but for a power of R: from R^2 the result is 1/x * R.
    let (mut d, mut e) = ([0; MOST_DIGITS], Plan::<N, M>::R2);
    let mut last = divsteps(&mut zeta, f[0], g[0], Plan::<N, M>::BATCH, || {});
    apply(&last, &mut f, &mut g, Plan::<N, M>::DIGITS);
    let mut batch = 1;
    while batch < Plan::<N, M>::BATCHES {
        // A batch waits for itself only: the last one's matrix acts on d and e beside it.
        let beside = || apply_modulo_p::<N, M>(&last, &mut d, &mut e);
        let next = divsteps(&mut zeta, f[0], g[0], Plan::<N, M>::BATCH, beside);
        apply(&next, &mut f, &mut g, Plan::<N, M>::DIGITS);
        last = next;
        batch += 1;
    }
    apply_modulo_p::<N, M>(&last, &mut d, &mut e);
    // Now f = 1 or f = -1; f = p and d = 0 for x = 0.
    let is_negative = sign(f[Plan::<N, M>::DIGITS - 1]);
    (canonical::<N, M>(&d, is_negative), !is_zero(x))
}

/// A batch of divsteps on the low bits of f and g, in three blocks.
#[inline(always)]
fn divsteps(zeta: &mut i64, mut f: i64, mut g: i64, steps: u32, beside: impl FnOnce()) -> Matrix {
    let [first, others @ ..] = [steps / 3, (steps + 1) / 3, steps.div_ceil(3)];
    let next = block(zeta, f, g, first);
    (f, g) = next.low_bits(f, g, first);
    beside();
    let mut matrix = next;
    for part in others {
        let next = block(zeta, f, g, part);
        (f, g) = next.low_bits(f, g, part);
        matrix = next.after(&matrix);
    }
    matrix.times(DIGIT - steps)
}

impl Matrix {
    /// The low bits of f and g after it: fewer than before, by one for each step.
    #[inline(always)]
    fn low_bits(&self, f: i64, g: i64, steps: u32) -> (i64, i64) {
        let sum = |a: i64, b: i64| a.wrapping_mul(f).wrapping_add(b.wrapping_mul(g)) >> steps;
        (sum(self.u, self.v), sum(self.q, self.r))
    }

    /// This matrix after another.
    #[inline(always)]
    fn after(&self, first: &Self) -> Self {
        Self {
            u: self.u * first.u + self.v * first.q,
            v: self.u * first.v + self.v * first.r,
            q: self.q * first.u + self.r * first.q,
            r: self.q * first.v + self.r * first.r,
        }
    }

    #[inline(always)]
    fn times(self, twos: u32) -> Self {
        let Self { u, v, q, r } = self;
        Self {
            u: u << twos,
            v: v << twos,
            q: q << twos,
            r: r << twos,
        }
    }
}

/// The matrix of at most 20 divsteps, times 2^steps.
///
/// One word has f in its low bits and u and v above, another g, q and r: f + 2^20*u + 2^42*v, where
/// -2^19 <= f < 2^19 and |u| + |v| <= 2^20. They start as (2^steps, 0) and (0, 2^steps), so halving
/// the second word is exact, and f and g go the way that their low bits decide. The matrix never
/// has the determinant 0, so |v| + |r| < 2^21 and a sum of both words is below 2^63.
///
/// Source: the packed words of the divsteps in s2n-bignum (J. Harrison), in another arrangement.
#[inline(always)]
fn block(zeta: &mut i64, f: i64, g: i64, steps: u32) -> Matrix {
    let low = |x: i64| x << (64 - LOW) >> (64 - LOW);
    let mut f = low(f) + (1 << (LOW + steps));
    let mut g = low(g) + (1 << (LOW + MIDDLE + steps));
    for _ in 0..steps {
        (f, g, *zeta) = divstep(f, g, *zeta);
    }
    let ((u, v), (q, r)) = (unpacked(f), unpacked(g));
    Matrix { u, v, q, r }
}

/// Bits of f and g in their words.
const LOW: u32 = 20;
/// Bits of u and q, with a sign.
const MIDDLE: u32 = 22;

/// u and v, or q and r. Each is rounded by itself, so that neither waits for the other.
#[inline(always)]
fn unpacked(word: i64) -> (i64, i64) {
    let rounded = |bits: u32| word + (1 << (bits - 1));
    let lower = rounded(LOW) << (64 - LOW - MIDDLE) >> (64 - MIDDLE);
    (lower, rounded(LOW + MIDDLE) >> (LOW + MIDDLE))
}

/// One divstep; zeta is -(delta + 1/2), below 0 if delta > 0.
///
/// The 1 is opaque: the compiler cannot know that the masks made with it are flags, and makes no
/// branch of them.
#[cfg(not(all(target_arch = "x86_64", not(feature = "portable"), not(miri))))]
#[inline(always)]
fn divstep(f: i64, g: i64, zeta: i64) -> (i64, i64, i64) {
    let is_odd = (g & core::hint::black_box(1)).wrapping_neg();
    let swap = (zeta >> 63) & is_odd;
    // What is added to g: f or -f or 0.
    let added = ((f & is_odd) ^ swap) - swap;
    (f ^ ((f ^ g) & swap), (g + added) >> 1, (zeta ^ swap) - 1)
}

/// One divstep; zeta is -(delta + 1/2), below 0 if delta > 0.
///
/// By conditional moves: each step waits for the one before, and twice as long for masks. Cores
/// execute two moves or shifts a cycle, so f and zeta have one move each: both change where g is
/// odd and zeta is below 0, which one flag says.
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
#[inline(always)]
fn divstep(mut f: i64, mut g: i64, zeta: i64) -> (i64, i64, i64) {
    let (sum, swapped, mut last) = (f.wrapping_neg(), -2 - zeta, zeta - 1);
    // SAFETY: it changes the named registers and flags only.
    unsafe {
        core::arch::asm!(
            // Flags of `cmp`: those of `test` reach a move about a cycle later on Golden Cove.
            "cmp {zeta}, 0",
            "cmovns {sum}, {f}",
            "add {sum}, {g}",
            "shr {zeta}, 63",
            "test {zeta:e}, {g:e}",
            "cmovnz {last}, {swapped}",
            "cmovnz {f}, {g}",
            "test {g:e}, 1",
            "cmovnz {g}, {sum}",
            f = inout(reg) f, g = inout(reg) g, sum = inout(reg) sum => _,
            last = inout(reg) last, swapped = in(reg) swapped, zeta = inout(reg) zeta => _,
            options(pure, nomem, nostack),
        );
    }
    (f, g >> 1, last)
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
