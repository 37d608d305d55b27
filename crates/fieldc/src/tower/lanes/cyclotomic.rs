//! Squares in the cyclotomic subgroup in lanes: see [`Fp12::cyclotomic_square`].
//!
//! The square of x = x_0 + x_1*w + ... + x_5*w^5 has for j = 0, 1 and 2
//!
//! ```text
//! z_2j     = 3*(x_j*x_j + x_(j+3)*ξ*x_(j+3)) - 2*x_2j
//! z_(2j+3) = 3*(x_j*x_(j+3) + x_(j+3)*x_j) + 2*x_(2j+3)
//! ```
//!
//! where z_7 stands for z_1, and its products have the factor ξ. None of z_1, z_2, z_4 and z_5 needs
//! x_0 or x_3: these four have a square of their own, and fill a vector.

use super::{Columns, Lanes, PAIRS, TURNED, element, empty, nothing, powers};
use crate::assembly::HasProducts;
use crate::fp2::Fp2;
use crate::tower::limb_rows::LimbRows;
use crate::tower::quads::{QUAD, Quad, Quads};
use crate::tower::rows::{
    IN_ORDER, LANES, QuadMultiples, QuadNegative, ROOM, Row, fill_moved_up, fill_multiples,
    moved_up,
};
use crate::tower::words::limbs_of;
use crate::tower::{Fp12, HasTower};
use crate::vectors::SumKernels;
use core::mem::MaybeUninit;

/// The products of a sum.
const TERMS: usize = 4;
/// What the sums of products are multiplied by.
const TIMES: usize = 3;
/// The coefficients of a square, by how they are computed.
const SQUARED: [[usize; QUAD]; 2] = [[0, 2, 4, PAIRS], [3, 5, 1, PAIRS]];
/// The lanes of z_1, z_2, z_4 and z_5 where only these are computed.
const PLACES: [usize; QUAD] = [3, 0, 1, 2];

/// For each digit those of both parts of four numbers, which are added beside products.
type Alone<const D: usize> = [[Quad; 2]; D];

impl<const N: usize, const D: usize, F: HasProducts<N> + HasTower> Lanes<N, D, F> {
    /// Whether columns take what squares add.
    ///
    /// Kernels take `turns` products below multiple*p*p, times 2^(52*D) / R. Squares have TERMS*TIMES
    /// below (XI + 1)*p*p, and less than 2*p times 2^(52*D). Of the latter a column gets twice a
    /// digit, which is less than two products may add.
    #[inline(always)]
    pub(super) fn squares_fit(kernels: &SumKernels) -> bool {
        let (turns, products) = (kernels.most / LANES, TERMS * TIMES);
        let left =
            (turns * kernels.multiple as usize).saturating_sub(products * (F::XI as usize + 1));
        turns >= products + 2 && (left as u128 * u128::from(F::P[N - 1])) >> 65 > 0
    }

    /// The square in the cyclotomic subgroup.
    pub(in crate::tower) fn cyclotomic_square(&self, result: &mut Fp12<F>, x: &Fp12<F>) {
        // SAFETY: a processor that has AVX-512 has AVX2.
        unsafe { self.squared(result, x) };
    }

    /// Squares x_1, x_2, x_4 and x_5 so many times.
    pub(in crate::tower) fn compressed_squares(&self, x: &mut [Fp2<F>; QUAD], count: u32) {
        // SAFETY: as above.
        unsafe { self.compressed(x, count) };
    }

    /// The square in the cyclotomic subgroup.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn squared(&self, result: &mut Fp12<F>, x: &Fp12<F>) {
        // SAFETY: the caller's.
        self.squared_in_rows(unsafe { Quads::new() }, result, x);
    }

    /// The same, which is compiled for AVX2 as a part of it. Three lanes have j = 0, 1 and 2,
    /// another one has nothing.
    #[inline(always)]
    fn squared_in_rows(&self, quads: Quads, result: &mut Fp12<F>, x: &Fp12<F>) {
        let x = LimbRows::new(quads, powers(x), IN_ORDER);
        let mut tables = MaybeUninit::uninit();
        let tables = fill_multiples::<N, D, F, false>(quads, &mut tables, &x);
        let mut up = MaybeUninit::uninit();
        let up = fill_moved_up::<N, D>(quads, &mut up, &x);
        let (mut first, mut second) = ([empty(); TERMS], [[empty(); TERMS]; 2]);
        for (n, from) in [0, 3].into_iter().enumerate() {
            for part in 0..2 {
                let (term, [a, b]) = (2 * n + part, TURNED[part]);
                for d in 0..D {
                    let x = quads.load(&up[part][d].0, from);
                    first[term][d].write(x, x);
                    // y_0 to y_2, then ξ*y_3 to ξ*y_5.
                    let [c, e] = [&tables.all[a][d].0, &tables.all[b][d].0];
                    let start = PAIRS - from;
                    second[0][term][d].write(quads.load(c, start), quads.load(e, start));
                    let [c, e] = [&tables.mixed[a][d].0, &tables.mixed[b][d].0];
                    let start = 3 - from;
                    second[1][term][d].write(quads.load(c, start), quads.load(e, start));
                }
            }
        }
        let mut alone = [[[quads.all(0); 2]; D]; 2];
        let mut negative = QuadNegative::<N, D, F>::new(quads);
        for d in 0..D {
            let [real, other, minus_other] = &tables.all;
            let [even, odd] = split(quads, &real[d]);
            let [_, odd_other] = split(quads, &other[d]);
            let [even_minus_other, _] = split(quads, &minus_other[d]);
            alone[0][d] = [negative.next(d, even), even_minus_other];
            alone[1][d] = [odd, odd_other];
        }
        let mut columns = [nothing(); 2];
        for ((columns, second), alone) in columns.iter_mut().zip(&second).zip(&alone) {
            // SAFETY: all rows are written.
            unsafe { self.add(columns, &first, second) };
            triple(quads, columns, alone);
        }
        self.finish(result, &columns, SQUARED);
    }

    /// So many compressed squares.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn compressed(&self, x: &mut [Fp2<F>; QUAD], count: u32) {
        // SAFETY: the caller's.
        let quads = unsafe { Quads::new() };
        let mut z = [[[0; N]; QUAD]; 2];
        for (x, place) in x.iter().zip(PLACES) {
            [z[0][place], z[1][place]] = *limbs_of(x);
        }
        for _ in 0..count {
            self.compressed_in_rows(quads, &mut z);
        }
        for (x, place) in x.iter_mut().zip(PLACES) {
            (x.c0, x.c1) = (element(&z[0][place]), element(&z[1][place]));
        }
    }

    /// One of them, which is compiled for AVX2 as a part of it: both parts are by lanes.
    #[inline(always)]
    fn compressed_in_rows(&self, quads: Quads, z: &mut [[[u64; N]; QUAD]; 2]) {
        let limbs = LimbRows::<N, 1>::of_parts(quads, z, PLACES);
        let (mut first, mut second) = ([empty(); TERMS], [empty(); TERMS]);
        let mut multiples = QuadMultiples::<N, D, F>::new(quads);
        let mut negative = QuadNegative::<N, D, F>::new(quads);
        let mut alone: Alone<D> = [[quads.all(0); 2]; D];
        for d in 0..D {
            for part in 0..2 {
                let [up] = limbs.digits(quads, part, d, const { moved_up::<N, D>() });
                let [low, high] = [quads.low_twice(up), quads.high_twice(up)];
                first[part][d].write(low, low);
                first[2 + part][d].write(high, high);
            }
            let ([real], [other]) = (limbs.digits(quads, 0, d, 0), limbs.digits(quads, 1, d, 0));
            let multiples = multiples.next(d, [real, other]);
            for (part, turned) in TURNED.into_iter().enumerate() {
                for (half, t) in turned.into_iter().enumerate() {
                    let [low, high] = factors(quads, multiples[t]);
                    second[part][d].0[half].write(low);
                    second[2 + part][d].0[half].write(high);
                }
            }
            let [[_, real], [_, other], [_, minus_other]] = multiples;
            let minus_real = negative.next(d, real);
            alone[d] = [
                signed(quads, real, minus_real),
                signed(quads, other, minus_other),
            ];
        }
        let mut columns = nothing();
        // SAFETY: all rows are written.
        unsafe { self.add(&mut columns, &first, &second) };
        triple(quads, &mut columns, &alone);
        self.collect(z.as_flattened_mut(), &[columns]);
    }
}

/// y_0, y_2 and y_4, and y_3, y_5 and y_1: a row of multiples has y after ξ*y.
#[inline(always)]
fn split(quads: Quads, Row(row): &Row<ROOM>) -> [Quad; 2] {
    let (y, end) = (quads.load(row, PAIRS), quads.load(row, PAIRS + QUAD));
    [quads.even(y, end), quads.odd(y, end)]
}

/// The second factors: y_1, y_2, y_4 and ξ*y_5; ξ*y_4, ξ*y_5, y_1 and ξ*y_2.
#[inline(always)]
fn factors(quads: Quads, [xi_y, y]: [Quad; 2]) -> [Quad; 2] {
    let high = quads.with_word::<0>(xi_y, y);
    [quads.with_word::<3>(y, xi_y), quads.exchanged(high)]
}

/// The four of x_2, x_4, x_5 and x_1 that are added, two of them negative.
#[inline(always)]
fn signed(quads: Quads, x: Quad, minus: Quad) -> Quad {
    let both = quads.with_word::<1>(x, minus);
    quads.turned(quads.with_word::<2>(both, minus))
}

/// Three times the columns, and twice the digits of numbers times 2^(52*D).
#[inline(always)]
fn triple<const D: usize>(quads: Quads, columns: &mut Columns<D>, alone: &Alone<D>) {
    let [low, high] = columns;
    for (low, (high, alone)) in low.iter_mut().zip(high.iter_mut().zip(alone)) {
        let nothing = [quads.all(0); 2];
        for (Row(row), added) in [(low, &nothing), (high, alone)] {
            for (from, added) in [0, QUAD].into_iter().zip(added) {
                let t = quads.load(row, from);
                let sum = quads.add(t, *added);
                // SAFETY: a row has two quads.
                unsafe { quads.store(row.as_mut_ptr(), from, quads.add(quads.add(sum, sum), t)) };
            }
        }
    }
}
