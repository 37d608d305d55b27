//! Squares in Fp12 in lanes: c0^2 + v*c1^2 and 2*c0*c1, where Fp6 is `Fp2[v]` with v^3 = ξ.
//!
//! Three lanes have the coefficients of 1, v and v^2. With c0 = a_0 + a_1*v + a_2*v^2 and so for b,
//! the first sum is
//!
//! ```text
//! a_0*a_0   + b_1*ξ*b_1 + 2*(a_1*ξ*a_2 + b_0*ξ*b_2)
//! a_2*ξ*a_2 + b_0*b_0   + 2*(a_0*a_1   + b_1*ξ*b_2)
//! a_1*a_1   + b_2*ξ*b_2 + 2*(a_0*a_2   + b_0*b_1)
//! ```

use core::mem::MaybeUninit;

use super::{Columns, Lanes, PAIRS, TURNED, empty, nothing, powers};
use crate::assembly::HasProducts;
use crate::tower::limb_rows::LimbRows;
use crate::tower::quads::{QUAD, Quad, Quads, order};
use crate::tower::rows::{LANES, SPLIT, fill_moved_up, fill_multiples};
use crate::tower::{Fp12, HasTower};

/// Products of parts in a sum that are added once, and as many that are added twice: together they
/// are as many as those of a product, which columns take.
const TERMS: usize = 4;

impl<const N: usize, const D: usize, F: HasProducts<N> + HasTower> Lanes<N, D, F> {
    /// The square in Fp12.
    pub(in crate::tower) fn square(&self, result: &mut Fp12<F>, x: &Fp12<F>) {
        // SAFETY: a processor that has AVX-512 has AVX2.
        unsafe { self.squared_by_halves(result, x) };
    }

    /// The square in Fp12.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn squared_by_halves(&self, result: &mut Fp12<F>, x: &Fp12<F>) {
        // SAFETY: the caller's.
        self.squared_by_halves_in_rows(unsafe { Quads::new() }, result, x);
    }

    /// The same, which is compiled for AVX2 as a part of it.
    #[inline(always)]
    fn squared_by_halves_in_rows(&self, quads: Quads, result: &mut Fp12<F>, x: &Fp12<F>) {
        let x = LimbRows::new(quads, powers(x), SPLIT);
        let mut tables = MaybeUninit::uninit();
        let tables = fill_multiples::<N, D, F, true>(quads, &mut tables, &x);
        let mut up = MaybeUninit::uninit();
        let up = fill_moved_up::<N, D>(quads, &mut up, &x);
        let (mut once, mut twice) = ([[empty(); TERMS]; 2], [[empty(); TERMS]; 2]);
        let mut product = [[empty(); PAIRS]; 2];
        for (part, turned) in TURNED.into_iter().enumerate() {
            for d in 0..D {
                let up = &up[part][d].0;
                let factors = first(quads, up);
                once[0][part][d].write(factors[0], factors[0]);
                once[0][2 + part][d].write(factors[1], factors[1]);
                twice[0][part][d].write(factors[2], factors[2]);
                twice[0][2 + part][d].write(factors[3], factors[3]);
                let rows = turned.map(|t| &tables.all[t][d].0);
                let (c, e) = (second(quads, rows[0]), second(quads, rows[1]));
                once[1][part][d].write(c[0], e[0]);
                once[1][2 + part][d].write(c[1], e[1]);
                twice[1][part][d].write(c[2], e[2]);
                twice[1][2 + part][d].write(c[3], e[3]);
                for i in 0..3 {
                    let a = quads.all(up[i]);
                    product[0][2 * i + part][d].write(a, a);
                    let from = LANES + 3 - i;
                    let (c, e) = (quads.load(rows[0], from), quads.load(rows[1], from));
                    product[1][2 * i + part][d].write(c, e);
                }
            }
        }
        let mut columns = [nothing(); 2];
        // SAFETY: all rows are written.
        unsafe {
            self.add(&mut columns[0], &twice[0], &twice[1]);
            self.add(&mut columns[1], &product[0], &product[1]);
        }
        columns.iter_mut().for_each(double);
        // SAFETY: as above.
        unsafe { self.add(&mut columns[0], &once[0], &once[1]) };
        self.finish(result, &columns, [[0, 2, 4, PAIRS], [1, 3, 5, PAIRS]]);
    }
}

/// The first factors in the lanes, from a row of a and b: those that are added once, then twice.
#[inline(always)]
fn first(quads: Quads, row: &[u64]) -> [Quad; 4] {
    let (a, b) = (quads.load(row, 0), quads.load(row, QUAD));
    [
        quads.permuted::<{ order([0, 2, 1, 3]) }>(a),
        quads.permuted::<{ order([1, 0, 2, 3]) }>(b),
        quads.permuted::<{ order([1, 0, 0, 3]) }>(a),
        quads.permuted::<{ order([0, 1, 0, 3]) }>(b),
    ]
}

/// The second factors, from a row that has ξ*a, a, ξ*b and b.
#[inline(always)]
fn second(quads: Quads, row: &[u64]) -> [Quad; 4] {
    // From ξ*a_1, from ξ*a_2 and from ξ*b_1 on.
    let (a, more_a, b) = (
        quads.load(row, 1),
        quads.load(row, 2),
        quads.load(row, LANES + 1),
    );
    [
        quads.permuted::<{ order([2, 1, 3, 3]) }>(a),
        quads.permuted::<{ order([0, 2, 1, 3]) }>(b),
        quads.permuted::<{ order([0, 2, 3, 3]) }>(more_a),
        quads.permuted::<{ order([1, 1, 3, 3]) }>(b),
    ]
}

/// Twice the sums in columns.
#[inline(always)]
fn double<const D: usize>(columns: &mut Columns<D>) {
    for row in columns.as_flattened_mut() {
        for word in &mut row.0 {
            *word *= 2;
        }
    }
}
