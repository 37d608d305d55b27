//! Numbers of a few limbs in rows as vectors hold them: a row has one limb of each number.

use core::mem::MaybeUninit;

use super::quads::{QUAD, Quad, Quads};

/// Bits of a digit.
pub(super) const BITS: u32 = 52;
/// The largest digit.
pub(super) const MASK: u64 = (1 << BITS) - 1;
/// The limbs that rows have room for.
const MOST: usize = 6;

/// A coefficient in Fp2 of N limbs, by reference.
pub(super) type Pair<'a, const N: usize> = &'a [[u64; N]; 2];
/// Both parts of numbers of N limbs, Q quads of them: a row of 0, then those of limbs, and one of 0.
pub(super) struct LimbRows<const N: usize, const Q: usize>([[[MaybeUninit<Quad>; Q]; MOST + 2]; 2]);

impl<const N: usize> LimbRows<N, 1> {
    /// The limbs of four coefficients. Both parts of them lie at `places`.
    #[inline(always)]
    pub(super) fn of_parts(quads: Quads, x: &[[[u64; N]; QUAD]; 2], places: [usize; QUAD]) -> Self {
        let mut rows = Self::unwritten();
        for (part, x) in x.iter().enumerate() {
            let [a, b, c, d] = places;
            rows.write(quads, part, 0, [&x[a], &x[b], &x[c], &x[d]]);
        }
        rows
    }
}

impl<const N: usize, const Q: usize> LimbRows<N, Q> {
    /// The limbs of coefficients, each at its place; elsewhere are zeros.
    #[inline(always)]
    pub(super) fn new<const I: usize>(
        quads: Quads,
        x: [Pair<'_, N>; I],
        places: [usize; I],
    ) -> Self {
        let nothing = [[0; N]; 2];
        let mut at = [[&nothing; QUAD]; Q];
        for (place, pair) in places.into_iter().zip(x) {
            at[place / QUAD][place % QUAD] = pair;
        }
        let mut rows = Self::unwritten();
        for part in 0..2 {
            for (quad, [a, b, c, d]) in at.into_iter().enumerate() {
                rows.write(quads, part, quad, [&a[part], &b[part], &c[part], &d[part]]);
            }
        }
        rows
    }

    /// Rows of which every quad is to be written.
    const fn unwritten() -> Self {
        const { assert!(QUAD <= N && N <= MOST) }
        Self([[[MaybeUninit::uninit(); Q]; MOST + 2]; 2])
    }

    /// Writes a quad of a part.
    #[inline(always)]
    fn write(&mut self, quads: Quads, part: usize, quad: usize, [a, b, c, d]: [&[u64; N]; QUAD]) {
        let rows = &mut self.0[part];
        rows[0][quad].write(quads.all(0));
        rows[N + 1][quad].write(quads.all(0));
        for from in [0, N - QUAD] {
            let limbs = quads.transposed([
                quads.load(a, from),
                quads.load(b, from),
                quads.load(c, from),
                quads.load(d, from),
            ]);
            for (row, limbs) in rows[1 + from..].iter_mut().zip(limbs) {
                row[quad].write(limbs);
            }
        }
    }

    /// Digit d of a part of the numbers times 2^up, for up below 64.
    #[inline(always)]
    pub(super) fn digits(&self, quads: Quads, part: usize, d: usize, up: u32) -> [Quad; Q] {
        let place = BITS * d as u32 + 64 - up;
        let (limb, bit) = (place as usize / 64, place % 64);
        assert!(limb <= N);
        let [low, high] = [&self.0[part][limb], &self.0[part][limb + 1]];
        let mut digits = [quads.all(0); Q];
        for (digit, (low, high)) in digits.iter_mut().zip(low.iter().zip(high)) {
            // SAFETY: `new` and `of_parts` write every quad of N + 2 rows.
            let (low, high) = unsafe { (low.assume_init(), high.assume_init()) };
            *digit = quads.and(quads.funnel(high, low, bit), quads.all(MASK));
        }
        digits
    }
}
