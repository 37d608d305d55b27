//! Transforms in vectors: values stay in digits for several levels, in tiles that fit the cache.

use crate::Field;
use crate::assembly::HasProducts;
use crate::ntt::{put_in_order, reversed};
use crate::vectors::{TransformKernels, transforms_on_arrays};

/// Elements that vectors take at a time.
const BLOCK: usize = 8;
/// The most levels that a tile takes.
const LEVELS: u32 = 4;
/// The shortest transform of which every row of a tile is whole blocks.
const LEAST: usize = 128;
/// Words of a tile, 20 kB, and of an element in digits at most.
const WORDS: usize = 2560;
const MOST_DIGITS: usize = 15;

/// Values in digits, and the roots of a block of elements, each eight times.
#[repr(C, align(64))]
struct Space {
    tile: [u64; WORDS],
    roots: [u64; (BLOCK << LEVELS) * MOST_DIGITS],
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
            Transform { kernels, roots }.run(x);
            true
        }
        _ => false,
    }
}

/// How many of some levels the next tiles take, so that all take about as many.
fn together(levels: u32) -> u32 {
    levels.div_ceil(levels.div_ceil(LEVELS))
}

impl<M: Field> Transform<'_, M> {
    fn run(&self, x: &mut [M]) {
        let mut space = Space {
            tile: [0; WORDS],
            roots: [0; (BLOCK << LEVELS) * MOST_DIGITS],
        };
        let levels = x.len().trailing_zeros();
        let (mut blocks, mut left) = (1, levels.div_ceil(2));
        while left > 0 {
            let here = together(left);
            self.far_levels(&mut space, x, blocks, here);
            blocks <<= here;
            left -= here;
        }
        put_in_order(x);
        left = levels / 2;
        while left > 0 {
            let here = together(left);
            self.near_levels(&mut space, x, blocks, here);
            blocks <<= here;
            left -= here;
        }
    }

    /// Rows of a tile that lie so many elements apart.
    fn rows(&self, levels: u32, stride: usize) -> Rows {
        let most = 1 << (WORDS / self.kernels.digits).ilog2();
        let count = 1 << levels;
        Rows {
            count,
            width: stride.min(most / count),
            stride,
        }
    }

    /// Some levels that join the halves of blocks, with one root for all elements of a block.
    fn far_levels(&self, space: &mut Space, x: &mut [M], blocks: usize, levels: u32) {
        let size = x.len() / blocks;
        let rows = self.rows(levels, size >> levels);
        for (number, block) in x.chunks_exact_mut(size).enumerate() {
            self.block_roots(space, blocks, reversed(number, blocks), levels);
            for first in (0..rows.stride).step_by(rows.width) {
                self.enter(space, &block[first..], rows);
                self.far_tile(space, rows);
                self.leave(&mut block[first..], space, rows);
            }
        }
    }

    /// Some levels with a root for each place.
    fn near_levels(&self, space: &mut Space, x: &mut [M], half: usize, levels: u32) {
        let rows = self.rows(levels, half);
        for block in x.chunks_exact_mut(half << levels) {
            for first in (0..half).step_by(rows.width) {
                self.enter(space, &block[first..], rows);
                self.near_tile(space, &self.roots[half + first..], rows);
                self.leave(&mut block[first..], space, rows);
            }
        }
    }

    /// The roots of far levels of a block, in digits: the 2^l roots of level l from place 2^l on.
    fn block_roots(&self, space: &mut Space, blocks: usize, power: usize, levels: u32) {
        let words = BLOCK * self.kernels.digits;
        for level in 0..levels {
            let here = 1 << level;
            for i in 0..here {
                let place = blocks * here + reversed(i, here) * blocks + power;
                let copies = [self.roots[place]; BLOCK];
                let z = &mut space.roots[(here + i) * words..][..words];
                // SAFETY: the processor was found to have what the kernel needs, and an element is
                // nothing but its limbs. A block of elements has so many words in digits.
                unsafe { (self.kernels.root)(BLOCK, z.as_mut_ptr(), copies.as_ptr().cast()) };
            }
        }
    }

    /// Elements of x to digits.
    fn enter(&self, space: &mut Space, x: &[M], rows: Rows) {
        let words = rows.width * self.kernels.digits;
        for (i, z) in space
            .tile
            .chunks_exact_mut(words)
            .take(rows.count)
            .enumerate()
        {
            let x = &x[i * rows.stride..][..rows.width];
            // SAFETY: as above; rows are whole blocks.
            unsafe { (self.kernels.enter)(rows.width, z.as_mut_ptr(), x.as_ptr().cast()) };
        }
    }

    /// Elements in digits back to x.
    fn leave(&self, x: &mut [M], space: &Space, rows: Rows) {
        let words = rows.width * self.kernels.digits;
        for (i, z) in space.tile.chunks_exact(words).take(rows.count).enumerate() {
            let x = &mut x[i * rows.stride..][..rows.width];
            // SAFETY: as above. Values are below the bound of `leave`: all kernels of a transform
            // were made for one another.
            unsafe { (self.kernels.leave)(rows.width, x.as_mut_ptr().cast(), z.as_ptr()) };
        }
    }

    fn far_tile(&self, space: &mut Space, rows: Rows) {
        let digits = self.kernels.digits;
        let tile = &mut space.tile[..rows.count * rows.width * digits];
        let mut here = 1;
        while here < rows.count {
            let half = rows.count * rows.width / (2 * here);
            for (i, block) in tile.chunks_exact_mut(2 * half * digits).enumerate() {
                let (low, high) = block.split_at_mut(half * digits);
                let (x, y) = (low.as_mut_ptr(), high.as_mut_ptr());
                let w = &space.roots[(here + i) * BLOCK * digits..][..BLOCK * digits];
                // SAFETY: as above; results are x and y, and w is apart from them.
                unsafe { (self.kernels.step_by)(half, x, y, x, y, w.as_ptr()) };
            }
            here *= 2;
        }
    }

    /// Near levels. Those roots of level l that a row needs are `stride` apart, from
    /// (2^l - 1)*`stride` on.
    fn near_tile(&self, space: &mut Space, roots: &[M], rows: Rows) {
        let words = rows.width * self.kernels.digits;
        let mut here = 1;
        while here < rows.count {
            for i in (0..rows.count).filter(|i| i & here == 0) {
                let (before, high) = space.tile.split_at_mut((i + here) * words);
                let low = &mut before[i * words..][..words];
                let high = &mut high[..words];
                let (x, y) = (low.as_mut_ptr(), high.as_mut_ptr());
                let place = (here - 1 + (i & (here - 1))) * rows.stride;
                let w = &roots[place..][..rows.width];
                // SAFETY: as above; results are x and y.
                unsafe { (self.kernels.step)(rows.width, x, y, x, y, w.as_ptr().cast()) };
            }
            here *= 2;
        }
    }
}
