//! Numbers in digits of 52 bits, in rows as vectors hold them: a row has one digit of each number.
//!
//! Loops are over whole rows, so that compilers make instructions on vectors of them.

use super::words::Limbs;
use crate::modulus::Modulus;

/// Digits of a number of six limbs, and of what it is moved up.
pub(super) const DIGITS: usize = 8;
/// Coefficients of an element of Fp12, each a pair.
pub(super) const PAIRS: usize = 6;
/// Words of a vector: more than there are coefficients, and the rest is 0.
pub(super) const LANES: usize = 8;
/// Words of a row of multiples: ξ*y, then y, then what no result needs.
pub(super) const ROOM: usize = 2 * LANES;

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

/// Coefficients in Fp2, by reference.
pub(super) type Pairs<'a> = [&'a [Limbs; 2]; PAIRS];

/// The digits of x.
pub(super) const fn cut(x: &Limbs) -> [u64; DIGITS] {
    let (mut z, mut d) = ([0; DIGITS], 0);
    while d < DIGITS {
        let (limb, bit) = (BITS * d as u32 / 64, BITS * d as u32 % 64);
        z[d] = x[limb as usize] >> bit;
        if bit > 64 - BITS && limb < 5 {
            z[d] |= x[limb as usize + 1] << (64 - bit);
        }
        z[d] &= MASK;
        d += 1;
    }
    z
}

/// Writes the digits of first parts and of second ones, times 2^UP for UP below 64.
#[inline(always)]
pub(super) fn fill_rows<const UP: u32>(rows: &mut [Rows<LANES>; 2], x: Pairs<'_>) {
    for (part, rows) in rows.iter_mut().enumerate() {
        // A limb of 0 before the others, and one after them.
        let mut limbs = [[0; LANES]; 8];
        for (k, pair) in x.iter().enumerate() {
            for (limb, row) in pair[part].iter().zip(&mut limbs[1..]) {
                row[k] = *limb;
            }
        }
        for (d, row) in rows.iter_mut().enumerate() {
            let place = BITS * d as u32 + 64 - UP;
            let (limb, bit) = (place as usize / 64, place % 64);
            for k in 0..LANES {
                let above = limbs[limb + 1][k] << 1 << (63 - bit);
                row.0[k] = (limbs[limb][k] >> bit | above) & MASK;
            }
        }
    }
}

/// The digits of k*p, from each of which k*2^52 may be taken: the next one has lent as much.
const fn offset<const N: usize, M: Modulus<N>>(k: u64) -> [u64; DIGITS] {
    let (mut p, mut i) = ([0; 6], 0);
    while i < N {
        p[i] = M::P[i];
        i += 1;
    }
    let mut z = cut(&p);
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

/// Multiples of y, elements of Fp2 for i = 0 to 5; the real part, the other one, and its negative.
pub(super) struct Multiples {
    /// ξ*y, from word 0 on, and y, from word 6 on.
    pub(super) all: [Rows<ROOM>; 3],
    /// y, but ξ*y for i = 2 and i = 5.
    pub(super) mixed: [Rows<LANES>; 3],
}

/// Some numbers, all 0.
pub(super) const fn zeros<const W: usize>() -> Rows<W> {
    [Row([0; W]); DIGITS]
}

impl Multiples {
    /// Multiples of 0.
    pub(super) const fn zeros() -> Self {
        let (all, mixed) = ([zeros(); 3], [zeros(); 3]);
        Self { all, mixed }
    }
}

/// Writes T times ξ*y and y for ξ = 1 + u, from 0 to 2T*p.
#[inline(always)]
pub(super) fn fill_multiples<const N: usize, M: Modulus<N>, const T: u64>(
    Multiples { all, mixed }: &mut Multiples,
    y: Pairs<'_>,
) {
    let (once, twice) = const { (offset::<N, M>(1), offset::<N, M>(2)) };
    let mut parts = [zeros(); 2];
    fill_rows::<0>(&mut parts, y);
    let [real, other] = &parts;
    let mut carries = [[[0; LANES]; 2]; 3];
    for d in 0..DIGITS {
        let (r, i) = (&real[d].0, &other[d].0);
        let mut sums = [[[0; LANES]; 2]; 3];
        for k in 0..LANES {
            let (r, i) = (r[k], i[k]);
            let minus_i = once[d].wrapping_sub(i);
            // The top digit of a difference may be below 0, until it gets its carry.
            sums[0][0][k] = r.wrapping_add(minus_i);
            sums[0][1][k] = r;
            sums[1][0][k] = r + i;
            sums[1][1][k] = i;
            sums[2][0][k] = twice[d].wrapping_sub(r + i);
            sums[2][1][k] = minus_i;
        }
        for part in 0..3 {
            for (sums, carries) in sums[part].iter_mut().zip(&mut carries[part]) {
                carried::<T>(sums, carries, d + 1 == DIGITS);
            }
            let [xi_y, y] = &sums[part];
            all[part][d].0[..LANES].copy_from_slice(xi_y);
            all[part][d].0[PAIRS..PAIRS + LANES].copy_from_slice(y);
            for k in 0..LANES {
                mixed[part][d].0[k] = if k % 3 == 2 { xi_y[k] } else { y[k] };
            }
        }
    }
}

/// Makes digits of T times the sums, and moves their carries to the next ones.
#[inline(always)]
fn carried<const T: u64>(sums: &mut [u64; LANES], carries: &mut [u64; LANES], is_top: bool) {
    const { assert!(T == 1 || T == 3) }
    let mask = if is_top { u64::MAX } else { MASK };
    for (sum, carry) in sums.iter_mut().zip(carries) {
        let whole = if T == 1 {
            sum.wrapping_add(*carry)
        } else {
            sum.wrapping_add(*sum << 1).wrapping_add(*carry)
        };
        *sum = whole & mask;
        *carry = whole >> BITS;
    }
}
