//! Numbers in digits of 52 bits, in rows as vectors hold them: a row has one digit of each number.

use super::words::Limbs;
use crate::modulus::Modulus;

/// Digits of a number of six limbs, and of what it is moved up.
pub(super) const DIGITS: usize = 8;
/// Coefficients of an element of Fp12, each a pair.
pub(super) const PAIRS: usize = 6;
/// Words of these coefficients.
pub(super) const WORDS: usize = 2 * PAIRS;

const BITS: u32 = 52;
const MASK: u64 = (1 << BITS) - 1;
/// By how many bits digits exceed limbs. First factors are moved up by so many.
pub(super) const EXCESS: u32 = BITS * DIGITS as u32 - 384;

/// Words that lie side by side.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Row<const W: usize>(pub(super) [u64; W]);

/// Some numbers: a row for each digit.
pub(super) type Rows<const W: usize> = [Row<W>; DIGITS];

/// Some numbers, all 0.
pub(super) const fn zeros<const W: usize>() -> Rows<W> {
    [Row([0; W]); DIGITS]
}

/// The digits of `x*2^up`.
#[inline(always)]
pub(super) const fn cut(x: &Limbs, up: u32) -> [u64; DIGITS] {
    let (mut z, mut d) = ([0; DIGITS], 0);
    while d < DIGITS {
        let place = BITS * d as u32;
        z[d] = MASK
            & if place < up {
                x[0] << (up - place)
            } else {
                let (limb, bit) = ((place - up) as usize / 64, (place - up) % 64);
                let above = if bit > 64 - BITS && limb + 1 < x.len() {
                    x[limb + 1] << (64 - bit)
                } else {
                    0
                };
                x[limb] >> bit | above
            };
        d += 1;
    }
    z
}

/// The digits of some numbers.
#[inline(always)]
pub(super) fn rows_of(x: [&[Limbs; 2]; PAIRS], up: u32) -> Rows<WORDS> {
    let mut rows = zeros();
    for (k, part) in x.into_iter().flatten().enumerate() {
        for (row, digit) in rows.iter_mut().zip(cut(part, up)) {
            row.0[k] = digit;
        }
    }
    rows
}

/// The digits of k*p, from each of which k*2^52 may be taken: the next one has lent as much.
const fn offset<const N: usize, M: Modulus<N>>(k: u64) -> [u64; DIGITS] {
    let mut p = [0; 6];
    let mut i = 0;
    while i < N {
        p[i] = M::P[i];
        i += 1;
    }
    let mut z = cut(&p, 0);
    let (mut carry, mut d) = (0, 0);
    while d < DIGITS {
        let t = k * z[d] + carry;
        let is_top = d + 1 == DIGITS;
        carry = t >> BITS;
        z[d] = if is_top { t } else { (t & MASK) + (k << BITS) };
        z[d] -= if d == 0 { 0 } else { k };
        d += 1;
    }
    z
}

/// Takes the carries from sums of digits, and moves them to the next ones.
#[inline(always)]
fn carried(sums: &mut [u64; WORDS], carries: &mut [u64; WORDS], is_top: bool) {
    for (sum, carry) in sums.iter_mut().zip(carries) {
        let whole = sum.wrapping_add(*carry);
        *sum = if is_top { whole } else { whole & MASK };
        *carry = whole >> BITS;
    }
}

/// Words of a row of multiples: ξ*y, y, and room for windows that begin in y.
pub(super) const ROOM: usize = 4 * PAIRS + 8;
/// Where y begins in such a row.
pub(super) const Y: usize = WORDS;

/// Multiples of y_0 to y_5, pairs that stand for elements of Fp2, for ξ = 1 + u.
///
/// T times ξ*y and y, then the same times u. All are from 0 to 2T*p.
#[inline(always)]
pub(super) fn multiples<const N: usize, M: Modulus<N>, const T: u64>(
    y: [&[Limbs; 2]; PAIRS],
) -> [Rows<ROOM>; 2] {
    let (once, twice) = const { (offset::<N, M>(1), offset::<N, M>(2)) };
    let rows = rows_of(y, 0);
    let mut tables = [zeros(); 2];
    let mut carries = [[0; WORDS]; 4];
    for (d, y) in rows.iter().enumerate() {
        let mut found = [[0; WORDS]; 4];
        let [xi_y, plain, turned_xi_y, turned] = &mut found;
        for w in 0..WORDS {
            // Of a pair (r, i): ξ*y is (r - i, i + r), and times u it is (-r - i, r - i). The top
            // digit of a difference may be below 0, until it gets its carry.
            let (a, b) = (y.0[w], y.0[w ^ 1]);
            let (minus_a, minus_b) = (once[d].wrapping_sub(a), once[d].wrapping_sub(b));
            let (xi, turned_xi, by_u) = if w % 2 == 0 {
                let minus_both = twice[d].wrapping_sub(a + b);
                (a.wrapping_add(minus_b), minus_both, minus_b)
            } else {
                (a + b, b.wrapping_add(minus_a), b)
            };
            (xi_y[w], plain[w]) = (xi.wrapping_mul(T), T * a);
            (turned_xi_y[w], turned[w]) = (turned_xi.wrapping_mul(T), by_u.wrapping_mul(T));
        }
        for (sums, carries) in found.iter_mut().zip(&mut carries) {
            carried(sums, carries, d + 1 == DIGITS);
        }
        let [xi_y, plain, turned_xi_y, turned] = found;
        for (table, (first, second)) in tables
            .iter_mut()
            .zip([(xi_y, plain), (turned_xi_y, turned)])
        {
            table[d].0[..Y].copy_from_slice(&first);
            table[d].0[Y..2 * Y].copy_from_slice(&second);
        }
    }
    tables
}
