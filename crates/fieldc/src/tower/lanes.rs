//! Products in Fp12 in the lanes of vectors: a coefficient is a sum of products in Fp.
//!
//! Let Fp12 be Fp2[w] with w^6 = ξ. Then the coefficients of z = x*y are
//!
//! ```text
//! z_k = x_0*y_k + x_1*y_(k-1) + ... + x_5*y_(k-5),    y_(j-6) = ξ*y_j
//! ```
//!
//! Four lanes have the first parts of four z_k, the other four have the second parts. The twelve
//! products of a part of z_k with parts of x are added in columns, which are reduced once. For a part
//! of x all lanes have the same first factor. Their second factors lie side by side: they are two
//! windows of rows that have ξ*y before y.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::quads::{QUAD, Quad, Quads};
use super::rows::{
    DIGITS, EXCESS, IN_ORDER, LANES, PAIRS, Pairs, Row, SPLIT, cut, fill_multiples, fill_rows,
    limb_rows,
};
use super::words::{Limbs, limbs_of};
use super::{Fp6, Fp12, HasTower};
use crate::assembly::HasProducts;
use crate::fp2::Fp2;
use crate::modulus::Modulus;
use crate::residues;
use crate::vectors::{MULTIPLE, SumKernels, multiples_on_arrays};

/// The columns of eight sums.
type Columns = [Row<LANES>; COLUMNS];
const COLUMNS: usize = 2 * DIGITS;
const NOTHING: Columns = [Row([0; LANES]); COLUMNS];
/// The most products of a sum.
const TERMS: usize = 2 * PAIRS;
/// What products in squares of the cyclotomic subgroup are multiplied by.
const TIMES: u64 = 3;
/// Lanes with the same part of coefficients: a quad.
const HALF: usize = QUAD;
/// For both parts of a first factor: which multiples of the second factor make both parts.
const TURNED: [[usize; 2]; 2] = [[0, 1], [2, 0]];

/// The coefficients of a square in the cyclotomic subgroup, by how they are computed.
const SQUARED: [[usize; HALF]; 2] = [[0, 2, 4, PAIRS], [3, 5, 1, PAIRS]];

/// A digit of each number of a block, written by halves.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Halves([MaybeUninit<Quad>; 2]);
/// A block, of which all digits are written one after the other.
type Block = [Halves; DIGITS];
/// A block of which nothing is written.
const EMPTY: Block = [Halves([MaybeUninit::uninit(); 2]); DIGITS];

impl Halves {
    /// Writes both halves.
    #[inline(always)]
    fn write(&mut self, a: Quad, b: Quad) {
        self.0[0].write(a);
        self.0[1].write(b);
    }
}

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
        let fits = kernels.columns == COLUMNS && kernels.most >= LANES * TERMS;
        let of = PhantomData;
        fits.then_some(Self { kernels, of })
    }

    /// The product in Fp12.
    pub(super) fn mul(&self, result: &mut Fp12<F>, x: &Fp12<F>, y: &Fp12<F>) {
        // SAFETY: a processor that has AVX-512 has AVX2.
        unsafe { self.product(result, powers(x), IN_ORDER, y) };
    }

    /// The square in Fp12.
    pub(super) fn square(&self, result: &mut Fp12<F>, x: &Fp12<F>) {
        // SAFETY: as above.
        unsafe { self.squared_by_halves(result, x) };
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

    /// The square in the cyclotomic subgroup: see [`Fp12::cyclotomic_square`].
    pub(super) fn cyclotomic_square(&self, result: &mut Fp12<F>, x: &Fp12<F>) {
        // SAFETY: as above.
        unsafe { self.squared(result, x) };
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
        // SAFETY: the caller's.
        self.product_in_rows(unsafe { Quads::new() }, result, x, degrees, y);
    }

    /// The same, which is compiled for AVX2 as a part of it.
    #[inline(always)]
    fn product_in_rows<const I: usize>(
        &self,
        quads: Quads,
        result: &mut Fp12<F>,
        x: [&[Limbs; 2]; I],
        degrees: [usize; I],
        y: &Fp12<F>,
    ) {
        let mut tables = MaybeUninit::uninit();
        let y = limb_rows(powers(y), IN_ORDER);
        let tables = fill_multiples::<6, F, 1, false>(quads, &mut tables, &y);
        let mut up = MaybeUninit::uninit();
        let mut padded = [x[0]; PAIRS];
        padded[..I].copy_from_slice(&x);
        let up = fill_rows::<EXCESS>(quads, &mut up, &limb_rows(padded, IN_ORDER));
        let (mut first, mut second) = ([[EMPTY; 2]; I], [[EMPTY; 2]; I]);
        for (i, blocks) in first.iter_mut().enumerate() {
            for (block, up) in blocks.iter_mut().zip(up) {
                for (place, digits) in block.iter_mut().zip(up) {
                    let digit = quads.all(digits.0[i]);
                    place.write(digit, digit);
                }
            }
        }
        let mut columns = [NOTHING; 2];
        for (columns, start) in columns.iter_mut().zip([0, HALF]) {
            for (blocks, degree) in second.iter_mut().zip(degrees) {
                let from = PAIRS + start - degree;
                for (block, turned) in blocks.iter_mut().zip(TURNED) {
                    let [a, b] = turned.map(|t| &tables.all[t]);
                    for ((place, a), b) in block.iter_mut().zip(a).zip(b) {
                        place.write(quads.load(&a.0, from), quads.load(&b.0, from));
                    }
                }
            }
            // SAFETY: all rows are written.
            unsafe { self.add(columns, first.as_flattened(), second.as_flattened()) };
        }
        self.finish(result, &columns, [[0, 1, 2, 3], [4, 5, 6, 7]]);
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

    /// The same, which is compiled for AVX2 as a part of it: c0^2 + v*c1^2 and 2*c0*c1, where Fp6 is
    /// Fp2[v] with v^3 = ξ. Three lanes have the coefficients of 1, v and v^2.
    #[inline(always)]
    fn squared_by_halves_in_rows(&self, quads: Quads, result: &mut Fp12<F>, x: &Fp12<F>) {
        let x = limb_rows(powers(x), SPLIT);
        let mut tables = MaybeUninit::uninit();
        let tables = fill_multiples::<6, F, 1, true>(quads, &mut tables, &x);
        let mut up = MaybeUninit::uninit();
        let up = fill_rows::<EXCESS>(quads, &mut up, &x);
        let (mut first, mut even, mut odd) = ([EMPTY; TERMS], [EMPTY; TERMS], [EMPTY; PAIRS]);
        for i in 0..3 {
            for part in 0..2 {
                let (term, [a, b]) = (2 * i + part, TURNED[part]);
                for d in 0..DIGITS {
                    let [x, y] = [0, QUAD].map(|half| quads.all(up[part][d].0[half + i]));
                    let [a, b] = [&tables.all[a][d].0, &tables.all[b][d].0];
                    let window = |from| (quads.load(a, from), quads.load(b, from));
                    first[term][d].write(x, x);
                    first[PAIRS + term][d].write(y, y);
                    let (c, e) = window(3 - i);
                    even[term][d].write(c, e);
                    let (c, e) = window(LANES + 2 - i);
                    even[PAIRS + term][d].write(c, e);
                    let (c, e) = window(LANES + 3 - i);
                    odd[term][d].write(c, e);
                }
            }
        }
        let mut columns = [NOTHING; 2];
        // SAFETY: all rows are written.
        unsafe {
            self.add(&mut columns[0], &first, &even);
            self.add(&mut columns[1], &first[..PAIRS], &odd);
        }
        for row in &mut columns[1] {
            for word in &mut row.0 {
                *word *= 2;
            }
        }
        self.finish(result, &columns, [[0, 2, 4, PAIRS], [1, 3, 5, PAIRS]]);
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

    /// The same, which is compiled for AVX2 as a part of it: for j = 0, 1 and 2
    ///
    /// ```text
    /// z_2j     = 3*(x_j*x_j + x_(j+3)*ξ*x_(j+3)) - 2*x_2j
    /// z_(2j+3) = 3*(x_j*x_(j+3) + x_(j+3)*x_j) + 2*x_(2j+3)
    /// ```
    ///
    /// where z_7 stands for z_1, and the products have the factor ξ. The last terms are products with
    /// 2 or -2. Three lanes have j = 0, 1 and 2, another one has nothing.
    #[inline(always)]
    fn squared_in_rows(&self, quads: Quads, result: &mut Fp12<F>, x: &Fp12<F>) {
        let x = limb_rows(powers(x), IN_ORDER);
        let mut tables = MaybeUninit::uninit();
        let tables = fill_multiples::<6, F, TIMES, false>(quads, &mut tables, &x);
        let mut up = MaybeUninit::uninit();
        let up = fill_rows::<EXCESS>(quads, &mut up, &x);
        let (two, minus_two) = const { (two::<F>(true), two::<F>(false)) };
        let (mut first, mut second) = ([[EMPTY; 5]; 2], [[EMPTY; 5]; 2]);
        for (n, from) in [0, 3].into_iter().enumerate() {
            for part in 0..2 {
                let (term, [a, b]) = (2 * n + part, TURNED[part]);
                for d in 0..DIGITS {
                    let x = quads.load(&up[part][d].0, from);
                    first[0][term][d].write(x, x);
                    first[1][term][d].write(x, x);
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
        for d in 0..DIGITS {
            let [a, b] = [&up[0][d].0, &up[1][d].0];
            let at = |row: &[u64; LANES], [i, j, k, _]: [usize; HALF]| {
                quads.load(&[row[i], row[j], row[k], 0], 0)
            };
            first[0][4][d].write(at(a, SQUARED[0]), at(b, SQUARED[0]));
            first[1][4][d].write(at(a, SQUARED[1]), at(b, SQUARED[1]));
            let (two, minus_two) = (quads.all(two[d]), quads.all(minus_two[d]));
            second[0][4][d].write(minus_two, minus_two);
            second[1][4][d].write(two, two);
        }
        let mut columns = [NOTHING; 2];
        for ((columns, first), second) in columns.iter_mut().zip(&first).zip(&second) {
            // SAFETY: all rows are written.
            unsafe { self.add(columns, first, second) };
        }
        self.finish(result, &columns, SQUARED);
    }

    /// Adds x*y of corresponding blocks to columns of 0, for each lane.
    ///
    /// # Safety
    /// All rows are written.
    #[inline(always)]
    unsafe fn add(&self, columns: &mut Columns, x: &[Block], y: &[Block]) {
        assert!(x.len() == y.len() && x.len() <= TERMS);
        let (count, t) = (LANES * x.len(), columns.as_mut_ptr().cast());
        // SAFETY: `new` found that the processor has what the kernel needs, and that columns take
        // so many products. The blocks are whole.
        unsafe { (self.kernels.accumulate)(count, t, x.as_ptr().cast(), y.as_ptr().cast()) };
    }

    /// Writes coefficients, whose parts times R are in columns.
    #[inline(always)]
    fn finish(&self, result: &mut Fp12<F>, columns: &[Columns; 2], degrees: [[usize; HALF]; 2]) {
        let mut z = [[[0; 6]; LANES]; 2];
        let (count, t) = (2 * LANES, columns.as_ptr().cast());
        // SAFETY: as above; z has room for an element of each lane.
        unsafe { (self.kernels.collect)(count, z.as_mut_ptr().cast(), t) };
        for (z, degrees) in z.iter().zip(degrees) {
            for (lane, k) in degrees.into_iter().enumerate() {
                if k < PAIRS {
                    put(result, k, &z[lane], &z[lane + HALF]);
                }
            }
        }
    }
}

/// The coefficients of the powers of w.
#[inline(always)]
fn powers<F: HasProducts<6>>(x: &Fp12<F>) -> Pairs<'_> {
    let Fp12 { c0, c1 } = x;
    [&c0.c0, &c1.c0, &c0.c1, &c1.c1, &c0.c2, &c1.c2].map(limbs_of)
}

/// Writes the coefficient of w^k; its parts are below p.
#[inline(always)]
fn put<F: HasProducts<6>>(result: &mut Fp12<F>, k: usize, c0: &Limbs, c1: &Limbs) {
    let half = if k % 2 == 0 {
        &mut result.c0
    } else {
        &mut result.c1
    };
    let place = match k / 2 {
        0 => &mut half.c0,
        1 => &mut half.c1,
        _ => &mut half.c2,
    };
    // SAFETY: an element is nothing but its limbs, and these are below p.
    let part = |x| unsafe { core::mem::transmute_copy::<Limbs, F>(x) };
    (place.c0, place.c1) = (part(c0), part(c1));
}

/// The digits of 2 or -2 in Montgomery form.
const fn two<F: Modulus<6>>(is_positive: bool) -> [u64; DIGITS] {
    let two = residues::add(&F::R, &F::R, &F::P);
    let minus_two = residues::neg(&two, &F::P);
    cut(if is_positive { &two } else { &minus_two })
}
