//! Products in Fp12 in the lanes of vectors: a coefficient is a sum of products in Fp.
//!
//! Let Fp12 be `Fp2[w]` with w^6 = ξ. Then the coefficients of z = x*y are
//!
//! ```text
//! z_k = x_0*y_k + x_1*y_(k-1) + ... + x_5*y_(k-5),    y_(j-6) = ξ*y_j
//! ```
//!
//! Four lanes have the first parts of four z_k, the other four have the second parts. The twelve
//! products of a part of z_k with parts of x are added in columns, which are reduced once. For a part
//! of x all lanes have the same first factor. Their second factors lie side by side: they are two
//! windows of rows that have ξ*y before y.

mod cyclotomic;
mod square;

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use super::limb_rows::{LimbRows, Pair};
use super::quads::{QUAD, Quad, Quads};
use super::rows::{IN_ORDER, LANES, PAIRS, Pairs, Row, Rows, fill_moved_up, fill_multiples};
use super::words::limbs_of;
use super::{Fp12, HasTower};
use crate::assembly::HasProducts;
use crate::fp2::Fp2;
use crate::vectors::{SumKernels, multiples_on_arrays};

/// The columns of eight sums, twice as many as there are digits.
type Columns<const D: usize> = [Rows<LANES, D>; 2];
/// The products of a sum.
const TERMS: usize = 2 * PAIRS;
/// Lanes with the same part of coefficients: a quad.
const HALF: usize = QUAD;
/// For both parts of a first factor: which multiples of the second factor make both parts.
const TURNED: [[usize; 2]; 2] = [[0, 1], [2, 0]];

/// A digit of each number of a block, written by halves.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Halves([MaybeUninit<Quad>; 2]);
/// A block, of which all digits are written one after the other.
type Block<const D: usize> = [Halves; D];

/// A block of which nothing is written.
const fn empty<const D: usize>() -> Block<D> {
    [Halves([MaybeUninit::uninit(); 2]); D]
}

/// Sums of nothing.
const fn nothing<const D: usize>() -> Columns<D> {
    [[Row([0; LANES]); D]; 2]
}

impl Halves {
    /// Writes both halves.
    #[inline(always)]
    fn write(&mut self, a: Quad, b: Quad) {
        self.0[0].write(a);
        self.0[1].write(b);
    }
}

/// The kernels of sums for a field of N limbs, which are an element, with D digits: who has it may
/// call them.
pub(super) struct Lanes<const N: usize, const D: usize, F> {
    kernels: &'static SumKernels,
    of: PhantomData<F>,
}

impl<const N: usize, const D: usize, F: HasProducts<N> + HasTower> Lanes<N, D, F> {
    /// What computes in lanes, if this processor does.
    #[inline]
    pub(super) fn new() -> Option<Self> {
        let kernels = multiples_on_arrays::<N, F>()?;
        // A part of ξ*y is at most (XI + 1)*p.
        let fits = kernels.columns == 2 * D
            && kernels.most >= LANES * TERMS
            && kernels.multiple > F::XI + 1
            && Self::squares_fit(kernels);
        let of = PhantomData;
        fits.then_some(Self { kernels, of })
    }

    /// The product in Fp12.
    pub(super) fn mul(&self, result: &mut Fp12<F>, x: &Fp12<F>, y: &Fp12<F>) {
        // SAFETY: a processor that has AVX-512 has AVX2.
        unsafe { self.product(result, powers(x), IN_ORDER, y) };
    }

    /// The product with a sum of coefficients, each times a power of w.
    pub(super) fn mul_sparse<const I: usize>(
        &self,
        result: &mut Fp12<F>,
        x: &Fp12<F>,
        line: [&Fp2<F>; I],
        degrees: [usize; I],
    ) {
        // SAFETY: as above.
        unsafe { self.product(result, line.map(limbs_of), degrees, x) };
    }

    /// The product of y with a sum of coefficients, each times a power of w.
    ///
    /// # Safety
    /// The processor has AVX2.
    #[target_feature(enable = "avx2")]
    unsafe fn product<const I: usize>(
        &self,
        result: &mut Fp12<F>,
        x: [Pair<'_, N>; I],
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
        x: [Pair<'_, N>; I],
        degrees: [usize; I],
        y: &Fp12<F>,
    ) {
        let mut tables = MaybeUninit::uninit();
        let y = LimbRows::new(quads, powers(y), IN_ORDER);
        let tables = fill_multiples::<N, D, F, false>(quads, &mut tables, &y);
        let mut up = MaybeUninit::uninit();
        let mut padded = [x[0]; PAIRS];
        padded[..I].copy_from_slice(&x);
        let up = fill_moved_up::<N, D>(quads, &mut up, &LimbRows::new(quads, padded, IN_ORDER));
        let (mut first, mut second) = ([[empty(); 2]; I], [[empty(); 2]; I]);
        for (i, blocks) in first.iter_mut().enumerate() {
            for (block, up) in blocks.iter_mut().zip(up) {
                for (place, digits) in block.iter_mut().zip(up) {
                    let digit = quads.all(digits.0[i]);
                    place.write(digit, digit);
                }
            }
        }
        let mut columns = [nothing(); 2];
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

    /// Adds x*y of corresponding blocks to columns, for each lane.
    ///
    /// # Safety
    /// All rows are written.
    #[inline(always)]
    unsafe fn add(&self, columns: &mut Columns<D>, x: &[Block<D>], y: &[Block<D>]) {
        assert!(x.len() == y.len() && x.len() <= TERMS);
        let (count, t) = (LANES * x.len(), columns.as_mut_ptr().cast());
        // SAFETY: `new` found that the processor has what the kernel needs, and that columns take
        // so many products. The blocks are whole.
        unsafe { (self.kernels.accumulate)(count, t, x.as_ptr().cast(), y.as_ptr().cast()) };
    }

    /// Writes what columns have, divided by R: an element of each lane.
    #[inline(always)]
    fn collect(&self, z: &mut [[u64; N]], columns: &[Columns<D>]) {
        assert!(z.len() == LANES * columns.len());
        let (count, t) = (z.len(), columns.as_ptr().cast());
        // SAFETY: as above; z has room for an element of each lane.
        unsafe { (self.kernels.collect)(count, z.as_mut_ptr().cast(), t) };
    }

    /// Writes coefficients, whose parts times R are in columns.
    #[inline(always)]
    fn finish(&self, result: &mut Fp12<F>, columns: &[Columns<D>; 2], degrees: [[usize; HALF]; 2]) {
        let mut z = [[[0; N]; LANES]; 2];
        self.collect(z.as_flattened_mut(), columns);
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
fn powers<const N: usize, F: HasProducts<N>>(x: &Fp12<F>) -> Pairs<'_, N> {
    let Fp12 { c0, c1 } = x;
    [&c0.c0, &c1.c0, &c0.c1, &c1.c1, &c0.c2, &c1.c2].map(limbs_of)
}

/// Writes the coefficient of w^k; its parts are below p.
#[inline(always)]
fn put<const N: usize, F: HasProducts<N>>(
    result: &mut Fp12<F>,
    k: usize,
    c0: &[u64; N],
    c1: &[u64; N],
) {
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
    (place.c0, place.c1) = (element(c0), element(c1));
}

/// The element of limbs that are below p.
#[inline(always)]
fn element<const N: usize, F: HasProducts<N>>(limbs: &[u64; N]) -> F {
    // SAFETY: an element is nothing but its limbs.
    unsafe { core::mem::transmute_copy::<[u64; N], F>(limbs) }
}
