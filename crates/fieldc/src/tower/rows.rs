//! Numbers in digits of 52 bits, in rows as vectors hold them: a row has one digit of each number.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::HasTower;
use super::limb_rows::{BITS, LimbRows, MASK, Pair};
use super::quads::{QUAD, Quad, Quads};
use crate::modulus::Modulus;

/// Coefficients of an element of Fp12, each a pair.
pub(super) const PAIRS: usize = 6;
/// Words of a vector: more than there are coefficients, and the rest is 0.
pub(super) const LANES: usize = 8;
/// Words of a row of multiples: ξ*y, then y, then what no result needs.
pub(super) const ROOM: usize = 2 * LANES;

/// Words that lie side by side.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(super) struct Row<const W: usize>(pub(super) [u64; W]);

/// Some numbers: a row for each digit.
pub(super) type Rows<const W: usize, const D: usize> = [Row<W>; D];

/// All six.
pub(super) type Pairs<'a, const N: usize> = [Pair<'a, N>; PAIRS];

/// The digits of x.
pub(super) const fn cut<const N: usize, const D: usize>(x: &[u64; N]) -> [u64; D] {
    let (mut z, mut d) = ([0; D], 0);
    while d < D {
        let (limb, bit) = (BITS * d as u32 / 64, BITS * d as u32 % 64);
        z[d] = x[limb as usize] >> bit;
        if bit > 64 - BITS && (limb as usize) + 1 < N {
            z[d] |= x[limb as usize + 1] << (64 - bit);
        }
        z[d] &= MASK;
        d += 1;
    }
    z
}

/// Two parts of numbers in digits.
pub(super) type Parts<const D: usize> = [Rows<LANES, D>; 2];

/// Writes the digits of first factors: numbers of N limbs, moved up by what D digits exceed these.
#[inline(always)]
pub(super) fn fill_moved_up<'a, const N: usize, const D: usize>(
    quads: Quads,
    rows: &'a mut MaybeUninit<Parts<D>>,
    limbs: &LimbRows<N, 2>,
) -> &'a Parts<D> {
    fill_rows(quads, rows, limbs, const { moved_up::<N, D>() })
}

/// What D digits exceed N limbs, in bits.
pub(super) const fn moved_up<const N: usize, const D: usize>() -> u32 {
    BITS * D as u32 - 64 * N as u32
}

/// Writes the digits of numbers times 2^up for up below 64.
#[inline(always)]
fn fill_rows<'a, const N: usize, const D: usize>(
    quads: Quads,
    rows: &'a mut MaybeUninit<Parts<D>>,
    limbs: &LimbRows<N, 2>,
    up: u32,
) -> &'a Parts<D> {
    let row: *mut Row<LANES> = rows.as_mut_ptr().cast();
    for part in 0..2 {
        for d in 0..D {
            for (quad, digit) in limbs.digits(quads, part, d, up).into_iter().enumerate() {
                // SAFETY: there are so many rows of so many words.
                unsafe { quads.store(row.add(D * part + d).cast(), QUAD * quad, digit) };
            }
        }
    }
    // SAFETY: both quads of every row are written.
    unsafe { rows.assume_init_ref() }
}

/// The digits of k*p, from each of which k*2^52 may be taken: the next one has lent as much.
const fn offset<const N: usize, const D: usize, M: Modulus<N>>(k: u64) -> [u64; D] {
    let mut z = cut::<N, D>(&M::P);
    let (mut carry, mut d) = (0, 0);
    while d < D {
        let t = k * z[d] + carry;
        let is_top = d + 1 == D;
        carry = t >> BITS;
        z[d] = if is_top { t } else { (t & MASK) + (k << BITS) };
        z[d] -= if d == 0 { 0 } else { k };
        d += 1;
    }
    z
}

/// One place after the other.
pub(super) const IN_ORDER: [usize; PAIRS] = [0, 1, 2, 3, 4, 5];
/// Coefficients without w in one quad, those with w in the other one.
pub(super) const SPLIT: [usize; PAIRS] = [0, 4, 1, 5, 2, 6];

/// Multiples of y, elements of Fp2 for i = 0 to 5; the real part, the other one, and its negative.
pub(super) struct Multiples<const D: usize> {
    /// ξ*y, from word 0 on, and y, from word 6 on. Where y is split, so is this: the words of the
    /// first quad times ξ from word 0 on, and themselves from word 3 on; those of the other one from
    /// word 8 and from word 11 on.
    pub(super) all: [Rows<ROOM, D>; 3],
    /// y, but ξ*y for i = 2 and i = 5.
    pub(super) mixed: [Rows<LANES, D>; 3],
}

/// Writes ξ*y and y, from 0 to (XI + 1)*p where ξ = XI + u.
#[inline(always)]
pub(super) fn fill_multiples<
    'a,
    const N: usize,
    const D: usize,
    F: Modulus<N> + HasTower,
    const IS_SPLIT: bool,
>(
    quads: Quads,
    multiples: &'a mut MaybeUninit<Multiples<D>>,
    y: &LimbRows<N, 2>,
) -> &'a Multiples<D> {
    let mut parts = MaybeUninit::uninit();
    let parts = fill_rows(quads, &mut parts, y, 0);
    // What the second half writes of ξ*y after its end, the first half of y writes again.
    fill_half::<N, D, F, 1, IS_SPLIT>(quads, multiples, parts, QUAD);
    fill_half::<N, D, F, 2, IS_SPLIT>(quads, multiples, parts, 0);
    // SAFETY: both halves wrote every word: the last ones of a row as words that no result needs.
    unsafe { multiples.assume_init_ref() }
}

/// Writes the multiples of four coefficients, from one on; number W of them is mixed.
#[inline(always)]
fn fill_half<
    const N: usize,
    const D: usize,
    F: Modulus<N> + HasTower,
    const W: usize,
    const IS_SPLIT: bool,
>(
    quads: Quads,
    multiples: &mut MaybeUninit<Multiples<D>>,
    [real, other]: &Parts<D>,
    from: usize,
) {
    let place = multiples.as_mut_ptr();
    // SAFETY: the fields are inside the place.
    let (all, mixed) = unsafe { (&raw mut (*place).all, &raw mut (*place).mixed) };
    let (all, mixed): (*mut Row<ROOM>, *mut Row<LANES>) = (all.cast(), mixed.cast());
    let mut multiples = QuadMultiples::<N, D, F>::new(quads);
    for d in 0..D {
        let digits = [real, other].map(|part| &part[d].0);
        let digits = [quads.load(digits[0], from), quads.load(digits[1], from)];
        for (part, [xi_y, y]) in multiples.next(d, digits).into_iter().enumerate() {
            // SAFETY: there are so many rows of so many words.
            unsafe {
                let (all, mixed) = (all.add(D * part + d), mixed.add(D * part + d));
                let (start, step, end) = if IS_SPLIT {
                    (2 * from, 3, 2 * from + QUAD)
                } else {
                    (from, PAIRS, ROOM - QUAD)
                };
                // The last words, which no result needs; what follows writes some of them again.
                quads.store(all.cast(), end, y);
                quads.store(all.cast(), start, xi_y);
                quads.store(all.cast(), start + step, y);
                quads.store(mixed.cast(), from, quads.with_word::<W>(y, xi_y));
            }
        }
    }
}

/// Multiples of four elements of Fp2, from 0 to (XI + 1)*p, digit by digit.
pub(super) struct QuadMultiples<const N: usize, const D: usize, F> {
    quads: Quads,
    carries: [[Quad; 2]; 3],
    of: PhantomData<F>,
}

impl<const N: usize, const D: usize, F: Modulus<N> + HasTower> QuadMultiples<N, D, F> {
    const OFFSETS: [[u64; D]; 2] = [offset::<N, D, F>(1), offset::<N, D, F>(F::XI as u64 + 1)];

    #[inline(always)]
    pub(super) fn new(quads: Quads) -> Self {
        Self {
            quads,
            carries: [[quads.all(0); 2]; 3],
            of: PhantomData,
        }
    }

    /// Digit d of ξ*y and of y, from both parts of y: of the real part, the other one, and its
    /// negative.
    #[inline(always)]
    pub(super) fn next(&mut self, d: usize, [r, i]: [Quad; 2]) -> [[Quad; 2]; 3] {
        let (quads, is_top) = (self.quads, d + 1 == D);
        let (once, largest) = const { (Self::OFFSETS[0], Self::OFFSETS[1]) };
        let (once, largest) = (quads.all(once[d]), quads.all(largest[d]));
        let (imaginary, minus_i) = (quads.add(quads.times(i, F::XI), r), quads.sub(once, i));
        // The top digit of a difference may be below 0, until it gets its carry.
        let mut sums = [
            [quads.add(quads.times(r, F::XI), minus_i), r],
            [imaginary, i],
            [quads.sub(largest, imaginary), minus_i],
        ];
        let carries = self.carries.as_flattened_mut();
        for (sum, carry) in sums.as_flattened_mut().iter_mut().zip(carries) {
            *sum = carried(quads, *sum, carry, is_top);
        }
        sums
    }
}

/// p - x for four numbers x below p, digit by digit.
pub(super) struct QuadNegative<const N: usize, const D: usize, F> {
    quads: Quads,
    carry: Quad,
    of: PhantomData<F>,
}

impl<const N: usize, const D: usize, F: Modulus<N>> QuadNegative<N, D, F> {
    #[inline(always)]
    pub(super) fn new(quads: Quads) -> Self {
        Self {
            quads,
            carry: quads.all(0),
            of: PhantomData,
        }
    }

    /// Digit d, from that of x.
    #[inline(always)]
    pub(super) fn next(&mut self, d: usize, x: Quad) -> Quad {
        let once = const { offset::<N, D, F>(1) }[d];
        let difference = self.quads.sub(self.quads.all(once), x);
        carried(self.quads, difference, &mut self.carry, d + 1 == D)
    }
}

/// A digit of the sums, whose carries go to the next one.
#[inline(always)]
fn carried(quads: Quads, sum: Quad, carry: &mut Quad, is_top: bool) -> Quad {
    let whole = quads.add(sum, *carry);
    *carry = quads.shr(whole, BITS);
    if is_top {
        whole
    } else {
        quads.and(whole, quads.all(MASK))
    }
}
