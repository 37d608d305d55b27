//! Products in Fp12 in the lanes of vectors: a coefficient is a sum of products in Fp.
//!
//! Let Fp12 be Fp2[w] with w^6 = ξ. Then the coefficients of z = x*y are
//!
//!     z_k = x_0*y_k + x_1*y_(k-1) + ... + x_5*y_(k-5),    y_(j-6) = ξ*y_j
//!
//! A lane has a part of one z_k. Its twelve products with parts of x are added in columns, which are
//! reduced once. For a part of x all lanes have the same first factor. Their second factors lie side
//! by side: they are a window of a row that has ξ*y before y.

use core::marker::PhantomData;

use super::rows::{
    DIGITS, EXCESS, PAIRS, ROOM, Row, Rows, WORDS, Y, cut, multiples, rows_of, zeros,
};
use super::words::{Limbs, limbs_of};
use super::{Fp6, Fp12, HasTower};
use crate::assembly::HasProducts;
use crate::fp2::Fp2;
use crate::modulus::Modulus;
use crate::residues;
use crate::vectors::{MULTIPLE, SumKernels, multiples_on_arrays};

/// Elements of a block, one for each lane.
const LANES: usize = 8;
/// Columns of a sum.
const COLUMNS: usize = 2 * DIGITS;

/// What products in squares of the cyclotomic subgroup are multiplied by.
const TIMES: u64 = 3;
/// Of a pair of lanes: which coefficient is the first factor, and which one is the second.
type Term = (usize, isize);
/// What the pairs of lanes compute in such a square, and their two terms; some coefficients twice.
const SQUARED: [([usize; 4], [[Term; 4]; 2]); 2] = [
    (
        [0, 3, 2, 5],
        [
            [(0, 0), (0, 3), (1, 1), (1, 4)],
            [(3, -3), (3, 0), (4, -2), (4, 1)],
        ],
    ),
    (
        [1, 4, 1, 4],
        [
            [(2, -1), (2, 2), (2, -1), (2, 2)],
            [(5, -4), (5, -1), (5, -4), (5, -1)],
        ],
    ),
];

/// Second factors for a part of x, and for the part with u.
type Tables = [Rows<ROOM>; 2];
/// The coefficients of 1, w, ..., w^5.
type Powers<'a> = [&'a [Limbs; 2]; PAIRS];

/// The kernels of sums for a field whose elements are their limbs: who has it may call them.
pub(super) struct Lanes<F> {
    kernels: &'static SumKernels,
    of: PhantomData<F>,
}

impl<F: HasProducts<6> + HasTower> Lanes<F> {
    /// What computes in lanes, if this processor does.
    #[inline]
    pub(super) fn new() -> Option<Self> {
        const { assert!(F::XI == 1 && 2 * TIMES < MULTIPLE) }
        let kernels = multiples_on_arrays::<6, F>()?;
        let fits = kernels.columns == COLUMNS && kernels.most >= LANES * WORDS;
        let of = PhantomData;
        fits.then_some(Self { kernels, of })
    }

    /// The product in Fp12.
    pub(super) fn mul(&self, result: &mut Fp12<F>, x: &Fp12<F>, y: &Fp12<F>) {
        // SAFETY: a processor that has AVX-512 has AVX2.
        unsafe { self.product(result, powers(x), [0, 1, 2, 3, 4, 5], y) };
    }

    /// The product with a + b*v + c*v*w.
    pub(super) fn mul_014(&self, result: &mut Fp12<F>, x: &Fp12<F>, line: [&Fp2<F>; 3]) {
        // SAFETY: as above.
        unsafe { self.product(result, line.map(limbs_of), [0, 2, 3], x) };
    }

    /// The product with c0 + (a*v + b*v^2)*w.
    pub(super) fn mul_01245(
        &self,
        result: &mut Fp12<F>,
        x: &Fp12<F>,
        c0: &Fp6<F>,
        [a, b]: [&Fp2<F>; 2],
    ) {
        let line = [&c0.c0, &c0.c1, &c0.c2, a, b].map(limbs_of);
        // SAFETY: as above.
        unsafe { self.product(result, line, [0, 2, 4, 3, 5], x) };
    }

    /// The product of y with a sum of coefficients, each times a power of w.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn product<const I: usize>(
        &self,
        result: &mut Fp12<F>,
        x: [&[Limbs; 2]; I],
        degrees: [usize; I],
        y: &Fp12<F>,
    ) {
        let tables: Tables = multiples::<6, F, 1>(powers(y));
        let (mut first, mut second) = ([[zeros(); 2]; I], [[zeros(); 2]; I]);
        for (pair, x) in first.iter_mut().zip(x) {
            *pair = [0, 1].map(|part| cut(&x[part], EXCESS).map(|digit| Row([digit; LANES])));
        }
        for half in 0..2 {
            for (pair, degree) in second.iter_mut().zip(degrees) {
                let start = Y + LANES * half - 2 * degree;
                for (block, table) in pair.iter_mut().zip(&tables) {
                    for (row, words) in block.iter_mut().zip(table) {
                        row.0.copy_from_slice(&words.0[start..start + LANES]);
                    }
                }
            }
            let z = self.summed(first.as_flattened(), second.as_flattened());
            let most = LANES / 2;
            for (k, z) in (most * half..PAIRS).zip(z.chunks_exact(2)) {
                put(result, k, z);
            }
        }
    }

    /// The square in the cyclotomic subgroup: see [`Fp12::cyclotomic_square`].
    pub(super) fn cyclotomic_square(&self, result: &mut Fp12<F>, x: &Fp12<F>) {
        // SAFETY: as above.
        unsafe { self.squared_pairs(result, x) };
    }

    /// The same: z_0 = 3*(x_0^2 + ξ*x_3^2) - 2*x_0, z_3 = 3*(x_0*x_3 + x_3*x_0) + 2*x_3, and so on.
    ///
    /// The last terms are products with 2 or -2.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn squared_pairs(&self, result: &mut Fp12<F>, x: &Fp12<F>) {
        let x = powers(x);
        let tables: Tables = multiples::<6, F, TIMES>(x);
        let up = rows_of(x, EXCESS);
        let twos = const { [twos::<F>(false), twos::<F>(true)] };
        for (degrees, terms) in SQUARED {
            let (mut first, mut second) = ([zeros(); 5], [zeros(); 5]);
            for (n, term) in terms.iter().enumerate() {
                for part in 0..2 {
                    let (first, second) = (&mut first[2 * n + part], &mut second[2 * n + part]);
                    for d in 0..DIGITS {
                        for (lane, (i, j)) in term.iter().enumerate() {
                            first[d].0[2 * lane..][..2].fill(up[d].0[2 * i + part]);
                            let start = Y.wrapping_add_signed(2 * j);
                            second[d].0[2 * lane..][..2]
                                .copy_from_slice(&tables[part][d].0[start..start + 2]);
                        }
                    }
                }
            }
            for d in 0..DIGITS {
                for (lane, k) in degrees.iter().enumerate() {
                    first[4][d].0[2 * lane..][..2].copy_from_slice(&up[d].0[2 * k..2 * k + 2]);
                    second[4][d].0[2 * lane..][..2].fill(twos[usize::from(k % 2 == 1)][d]);
                }
            }
            let z = self.summed(&first, &second);
            for (k, z) in degrees.iter().zip(z.chunks_exact(2)) {
                put(result, *k, z);
            }
        }
    }

    /// The sums of x*y/R mod p over corresponding blocks, for each lane.
    #[inline(always)]
    fn summed(&self, x: &[Rows<LANES>], y: &[Rows<LANES>]) -> [Limbs; LANES] {
        assert!(x.len() == y.len() && x.len() <= WORDS);
        let mut columns = [Row([0; LANES]); COLUMNS];
        let mut z = [[0; 6]; LANES];
        let t: *mut u64 = columns.as_mut_ptr().cast();
        // SAFETY: `new` found that the processor has what the kernels need, and that columns take
        // so many products. The blocks are whole, and z has room for an element of each lane.
        unsafe {
            let count = LANES * x.len();
            (self.kernels.accumulate)(count, t, x.as_ptr().cast(), y.as_ptr().cast());
            (self.kernels.collect)(LANES, z.as_mut_ptr().cast(), t);
        }
        z
    }
}

/// The coefficients of the powers of w.
#[inline(always)]
fn powers<F: HasProducts<6>>(x: &Fp12<F>) -> Powers<'_> {
    let Fp12 { c0, c1 } = x;
    [&c0.c0, &c1.c0, &c0.c1, &c1.c1, &c0.c2, &c1.c2].map(limbs_of)
}

/// Writes the coefficient of w^k; its parts are below p.
#[inline(always)]
fn put<F: HasProducts<6>>(result: &mut Fp12<F>, k: usize, z: &[Limbs]) {
    let Fp12 { c0, c1 } = result;
    let places = [
        &mut c0.c0, &mut c1.c0, &mut c0.c1, &mut c1.c1, &mut c0.c2, &mut c1.c2,
    ];
    // SAFETY: an element is nothing but its limbs, and these are below p.
    let part = |x| unsafe { core::mem::transmute_copy::<Limbs, F>(x) };
    if let Some(place) = places.into_iter().nth(k) {
        *place = Fp2 {
            c0: part(&z[0]),
            c1: part(&z[1]),
        };
    }
}

/// The digits of 2 or -2 in Montgomery form.
const fn twos<F: Modulus<6>>(is_positive: bool) -> [u64; DIGITS] {
    let two = residues::add(&F::R, &F::R, &F::P);
    let minus_two = residues::neg(&two, &F::P);
    cut(if is_positive { &two } else { &minus_two }, 0)
}
