//! Transforms in vectors: values stay in digits for several levels, in tiles that fit the cache.
//!
//! In four steps (D. H. Bailey, "FFTs in external or hierarchical memory", 1990): transforms of the
//! columns of a square, a product with a root for each element, rows and columns exchanged, the
//! other transforms. So all elements of a row have one root in each level.

use crate::Field;
use crate::assembly::HasProducts;
use crate::ntt::{put_in_order, reversed};
use crate::vectors::{PowerKernels, RunMove, TransformKernels, transforms_on_arrays};
use core::mem::MaybeUninit;
use core::ops::Range;
use levels::Values;
use powers::{Factors, Powers, multiply_by};

mod levels;
mod powers;

/// Elements that vectors take at a time.
pub(crate) const BLOCK: usize = 8;
/// The shortest transform of which every row of a tile is whole blocks.
const LEAST: usize = 128;
/// Words of a tile, 80 kB: it stays in the second cache, and a quarter of it in the first.
const WORDS: usize = 10240;
/// Words of a tile of short transforms, which need less of the stack.
const FEW: usize = 2560;
/// The levels that values in digits take at most before they are reduced.
const LEVELS: u32 = 8;
/// Words of an element in digits at most.
pub(crate) const MOST_DIGITS: usize = 15;
/// Roots that are taken to rows together: kernels wait less for one another.
const ROOTS: usize = 4 * BLOCK;
/// What elements multiplied by roots are below, in p.
const ENTERED: usize = 2;

/// Values and roots in digits.
#[repr(C, align(64))]
struct Space<const SIZE: usize> {
    tile: [Word; SIZE],
    roots: Roots<SIZE>,
}

/// The roots of some levels, in rows: those of level l from place 2^l on, as in a heap.
#[repr(C, align(64))]
struct Roots<const SIZE: usize> {
    rows: [Word; SIZE],
    /// Roots at powers of two below this one are 1, and their values are small enough for sums.
    ones: usize,
}

/// A word in digits, which kernels write before they read it: to clear all of them takes long.
pub(crate) type Word = MaybeUninit<u64>;

/// Words of vectors.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
pub(crate) struct Aligned<const WORDS: usize>(pub(crate) [Word; WORDS]);

impl<const WORDS: usize> Aligned<WORDS> {
    /// Words that are not written yet.
    pub(crate) const NEW: Self = Self([Word::uninit(); WORDS]);
}

/// A transform, by the table of roots of `Ntt`.
struct Transform<'a, M> {
    kernels: &'static TransformKernels,
    roots: &'a [M],
}

/// Where values of a tile come from: rows of `width` elements, `stride` apart.
#[derive(Clone, Copy)]
struct Rows {
    count: usize,
    width: usize,
    stride: usize,
    /// Whether their numbers have bits in the other order.
    are_reversed: bool,
}

impl Rows {
    /// Which row a row of a tile is.
    fn place(self, number: usize) -> usize {
        if self.are_reversed {
            reversed(number, self.count)
        } else {
            number
        }
    }

    /// Its elements.
    fn row(self, number: usize) -> Range<usize> {
        let first = self.stride * self.place(number);
        first..first + self.width
    }
}

/// Transforms elements in vectors, by as many roots; whether it did, else nothing has changed.
#[inline]
pub fn transform_in_vectors<const N: usize, M: HasProducts<N> + Field>(
    x: &mut [M],
    roots: &[M],
) -> bool {
    let fits = x.len() >= LEAST && x.len().is_power_of_two() && x.len() == roots.len();
    match transforms_on_arrays::<N, M>() {
        Some(kernels) if fits => {
            let transform = Transform { kernels, roots };
            if x.len() * kernels.digits <= FEW {
                transform.run::<FEW>(x);
            } else {
                transform.run::<WORDS>(x);
            }
            true
        }
        _ => false,
    }
}

impl<M: Field> Transform<'_, M> {
    /// All levels, by tiles of so many words.
    #[inline(never)]
    fn run<const SIZE: usize>(&self, x: &mut [M]) {
        let (rows, ones) = ([Word::uninit(); SIZE], 0);
        let mut space = Space {
            tile: rows,
            roots: Roots { rows, ones },
        };
        let levels = x.len().trailing_zeros();
        let (mut blocks, mut left) = (1, levels.div_ceil(2));
        while left > 0 {
            let here = self.together::<SIZE>(left);
            self.far_levels(&mut space, x, blocks, here);
            blocks <<= here;
            left -= here;
        }
        put_in_order(x);
        (blocks, left) = (1, levels / 2);
        while left > 0 {
            let here = self.together::<SIZE>(left);
            self.near_levels(&mut space, x, blocks, here);
            blocks <<= here;
            left -= here;
        }
    }

    /// How many of some levels the next tiles take, so that all take about as many.
    fn together<const SIZE: usize>(&self, levels: u32) -> u32 {
        let digits = self.kernels.digits;
        let most = (SIZE / digits / digits.max(BLOCK)).ilog2().min(LEVELS);
        levels.div_ceil(levels.div_ceil(most))
    }

    /// Rows of a tile that lie so many elements apart, and are no longer than some.
    fn rows<const SIZE: usize>(&self, levels: u32, stride: usize, length: usize) -> Rows {
        let most = 1 << (SIZE / self.kernels.digits).ilog2();
        let count = 1 << levels;
        Rows {
            count,
            width: length.min(most / count),
            stride,
            are_reversed: false,
        }
    }

    /// Some levels of the transforms of columns, which join the halves of blocks of rows.
    fn far_levels<const SIZE: usize>(
        &self,
        space: &mut Space<SIZE>,
        x: &mut [M],
        blocks: usize,
        levels: u32,
    ) {
        let size = x.len() / blocks;
        let rows = self.rows::<SIZE>(levels, size >> levels, size >> levels);
        for (number, block) in x.chunks_exact_mut(size).enumerate() {
            let power = reversed(number, blocks);
            self.find_roots(&mut space.roots, levels, blocks, power, 1);
            for first in (0..rows.stride).step_by(rows.width) {
                self.enter(space, &block[first..], rows);
                space.values(rows, self.kernels).compute(self.kernels, 1);
                self.leave(&mut block[first..], space, rows);
            }
        }
    }

    /// The same of the other transforms: rows are in the order of reversed bits.
    fn near_levels<const SIZE: usize>(
        &self,
        space: &mut Space<SIZE>,
        x: &mut [M],
        blocks: usize,
        levels: u32,
    ) {
        let height = 1 << (x.len().trailing_zeros() / 2);
        let length = x.len() / height;
        let rows = Rows {
            are_reversed: true,
            ..self.rows::<SIZE>(levels, blocks * length, length)
        };
        let entered = if blocks == 1 { ENTERED } else { 1 };
        for power in 0..blocks {
            self.find_roots(&mut space.roots, levels, blocks, power, entered);
            for (number, block) in x.chunks_exact_mut(rows.stride << levels).enumerate() {
                for first in (0..length).step_by(rows.width) {
                    let block = &mut block[power * length + first..];
                    if blocks == 1 {
                        let factors = Factors {
                            first_row: reversed(number << levels, height),
                            step: height >> levels,
                            first,
                        };
                        self.enter_by(space, block, rows, factors);
                    } else {
                        self.enter(space, block, rows);
                    }
                    space.values(rows, self.kernels).compute(self.kernels, 1);
                    self.leave(block, space, rows);
                }
            }
        }
    }

    /// The power of two below which roots 1 need no product, for values below so many p: the sums
    /// of level l are of values 2^l times as large, and may be of those below (digits + 1)*p.
    fn ones(&self, below: usize) -> usize {
        2 << ((self.kernels.digits + 1) / below).ilog2()
    }

    /// The roots of some levels of the block whose first one has a power of that of level 0, for
    /// values that enter below so many p.
    fn find_roots<const SIZE: usize>(
        &self,
        roots: &mut Roots<SIZE>,
        levels: u32,
        blocks: usize,
        power: usize,
        below: usize,
    ) {
        roots.ones = if power == 0 { self.ones(below) } else { 0 };
        let words = self.kernels.digits * self.kernels.digits;
        let count = 1_usize << levels;
        let mut some = [M::ONE; ROOTS];
        for first in (0..count).step_by(ROOTS) {
            for (node, root) in (first..count).zip(&mut some).skip(usize::from(first == 0)) {
                let here = 1 << node.ilog2();
                let place = here + reversed(node - here, here);
                *root = self.roots[place * blocks + power];
            }
            let last = (first + ROOTS).min(count);
            self.put_in_rows(&mut roots.rows[first * words..last * words], &some);
        }
    }

    /// The rows of some roots.
    fn put_in_rows(&self, z: &mut [Word], roots: &[M; ROOTS]) {
        let TransformKernels {
            root,
            next_row,
            digits,
            ..
        } = *self.kernels;
        let mut space = [Aligned::<{ ROOTS * MOST_DIGITS }>::NEW; 2];
        let [this, before] = &mut space;
        let (mut this, mut before) = (&mut this.0, &mut before.0);
        let count = z.len() / (digits * digits);
        // SAFETY: the processor was found to have what the kernel needs, and an element is nothing
        // but its limbs. There is room for whole blocks, of at most so many words in digits.
        unsafe { root(count, this.as_mut_ptr().cast(), roots.as_ptr().cast()) };
        for row in (0..digits).rev() {
            for (number, z) in z.chunks_exact_mut(digits * digits).enumerate() {
                let block = &this[number / BLOCK * BLOCK * digits..][..BLOCK * digits];
                let z = &mut z[row * digits..][..digits];
                for (digit, z) in block.chunks_exact(BLOCK).zip(z) {
                    *z = digit[number % BLOCK];
                }
            }
            if row > 0 {
                // SAFETY: as above; both are apart.
                unsafe { next_row(count, before.as_mut_ptr().cast(), this.as_ptr().cast()) };
                (this, before) = (before, this);
            }
        }
    }

    /// Elements of x to digits.
    fn enter<const SIZE: usize>(&self, space: &mut Space<SIZE>, x: &[M], rows: Rows) {
        self.enter_with(self.kernels.enter, space, x, rows);
    }

    /// The same, by a kernel.
    fn enter_with<const SIZE: usize>(
        &self,
        kernel: RunMove,
        space: &mut Space<SIZE>,
        x: &[M],
        rows: Rows,
    ) {
        let words = rows.width * self.kernels.digits;
        let tile = space.tile.chunks_exact_mut(words);
        for (i, z) in tile.take(rows.count).enumerate() {
            let x = &x[rows.row(i)];
            // SAFETY: as above; rows are whole blocks.
            unsafe { kernel(rows.width, z.as_mut_ptr().cast(), x.as_ptr().cast()) };
        }
    }

    /// The same, multiplied by powers of roots.
    fn enter_by<const SIZE: usize>(
        &self,
        space: &mut Space<SIZE>,
        x: &[M],
        rows: Rows,
        factors: Factors,
    ) {
        let words = BLOCK * self.kernels.digits;
        let blocks = rows.width / BLOCK;
        let mut powers = match self.kernels.powers {
            PowerKernels::Chained(next) => Powers::new(self.kernels, next, rows.count),
            PowerKernels::LookedUp(move_up) => {
                self.enter_with(move_up, space, x, rows);
                let values = &mut space.tile[..rows.count * blocks * words];
                multiply_by(self.kernels, self.roots, factors, blocks, values);
                return;
            }
        };
        self.enter(space, x, rows);
        for column in 0..blocks {
            powers.start(self.roots, factors, BLOCK * column);
            for row in 0..rows.count {
                let z = &mut space.tile[(row * blocks + column) * words..][..words];
                powers.multiply(row, z);
            }
        }
    }

    /// Elements in digits back to x.
    fn leave<const SIZE: usize>(&self, x: &mut [M], space: &Space<SIZE>, rows: Rows) {
        let words = rows.width * self.kernels.digits;
        for (i, z) in space.tile.chunks_exact(words).take(rows.count).enumerate() {
            let x = &mut x[rows.row(i)];
            // SAFETY: as above. Values are below the bound of `leave`: all kernels of a transform
            // were made for one another.
            unsafe { (self.kernels.leave)(rows.width, x.as_mut_ptr().cast(), z.as_ptr().cast()) };
        }
    }
}

impl<const SIZE: usize> Space<SIZE> {
    /// The values of some rows.
    fn values(&mut self, rows: Rows, kernels: &TransformKernels) -> Values<'_, SIZE> {
        let words = rows.width * kernels.digits;
        Values {
            tile: &mut self.tile[..rows.count * words],
            roots: &self.roots,
            words,
        }
    }
}
