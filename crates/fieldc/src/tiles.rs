//! Transforms in vectors: values stay in digits for several levels, in tiles that fit the cache.

use crate::Field;
use crate::assembly::HasProducts;
use crate::ntt::{put_in_order, reversed};
use crate::vectors::{TransformKernels, transforms_on_arrays};

/// Elements that vectors take at a time.
const BLOCK: usize = 8;
/// The shortest transform of which every row of a tile is whole blocks.
const LEAST: usize = 128;
/// Words of a tile, 80 kB: it stays in the second cache, and a quarter of it in the first.
const WORDS: usize = 10240;
/// Words of a tile of short transforms, which need less of the stack.
const FEW: usize = 2560;
/// Words of an element in digits at most.
const MOST_DIGITS: usize = 15;
/// The most levels that a tile takes: its elements have two digits or more.
const LEVELS: usize = (WORDS / BLOCK / 2).ilog2() as usize;

/// A root in digits, eight times.
#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct Copies([u64; BLOCK * MOST_DIGITS]);

/// Values and roots in digits.
#[repr(C, align(64))]
struct Space<const SIZE: usize> {
    tile: [u64; SIZE],
    /// The roots of far levels of a block: a number for each as in a heap, eight side by side.
    roots: [u64; WORDS / BLOCK],
    /// For each level those of the next two blocks.
    copies: [[Copies; 2]; LEVELS],
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
        let mut space = Space {
            tile: [0; SIZE],
            roots: [0; WORDS / BLOCK],
            copies: [[Copies([0; BLOCK * MOST_DIGITS]); 2]; LEVELS],
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
        left = levels / 2;
        while left > 0 {
            let here = self.together::<SIZE>(left);
            self.near_levels(&mut space, x, blocks, here);
            blocks <<= here;
            left -= here;
        }
    }

    /// How many of some levels the next tiles take, so that all take about as many.
    fn together<const SIZE: usize>(&self, levels: u32) -> u32 {
        let most = (SIZE / BLOCK / self.kernels.digits).ilog2();
        levels.div_ceil(levels.div_ceil(most))
    }

    /// Rows of a tile that lie so many elements apart.
    fn rows<const SIZE: usize>(&self, levels: u32, stride: usize) -> Rows {
        let most = 1 << (SIZE / self.kernels.digits).ilog2();
        let count = 1 << levels;
        Rows {
            count,
            width: stride.min(most / count),
            stride,
        }
    }

    /// Some levels that join the halves of blocks, with one root for all elements of a block.
    fn far_levels<const SIZE: usize>(
        &self,
        space: &mut Space<SIZE>,
        x: &mut [M],
        blocks: usize,
        levels: u32,
    ) {
        let size = x.len() / blocks;
        let rows = self.rows::<SIZE>(levels, size >> levels);
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
    fn near_levels<const SIZE: usize>(
        &self,
        space: &mut Space<SIZE>,
        x: &mut [M],
        half: usize,
        levels: u32,
    ) {
        let rows = self.rows::<SIZE>(levels, half);
        for block in x.chunks_exact_mut(half << levels) {
            for first in (0..half).step_by(rows.width) {
                self.enter(space, &block[first..], rows);
                self.near_tile(space, &self.roots[half + first..], rows);
                self.leave(&mut block[first..], space, rows);
            }
        }
    }

    /// The roots of far levels of a block, in digits: the 2^l roots of level l from place 2^l on.
    fn block_roots<const SIZE: usize>(
        &self,
        space: &mut Space<SIZE>,
        blocks: usize,
        power: usize,
        levels: u32,
    ) {
        let words = BLOCK * self.kernels.digits;
        let mut some = [M::ONE; BLOCK];
        for first in (0..1_usize << levels).step_by(BLOCK) {
            for (node, root) in (first..).zip(&mut some).skip(usize::from(first == 0)) {
                let here = 1 << node.ilog2();
                let place = blocks * here + reversed(node - here, here) * blocks + power;
                *root = self.roots[place];
            }
            let z = &mut space.roots[first * self.kernels.digits..][..words];
            // SAFETY: the processor was found to have what the kernel needs, and an element is
            // nothing but its limbs. A block of elements has so many words in digits.
            unsafe { (self.kernels.root)(BLOCK, z.as_mut_ptr(), some.as_ptr().cast()) };
        }
    }

    /// Elements of x to digits.
    fn enter<const SIZE: usize>(&self, space: &mut Space<SIZE>, x: &[M], rows: Rows) {
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
    fn leave<const SIZE: usize>(&self, x: &mut [M], space: &Space<SIZE>, rows: Rows) {
        let words = rows.width * self.kernels.digits;
        for (i, z) in space.tile.chunks_exact(words).take(rows.count).enumerate() {
            let x = &mut x[i * rows.stride..][..rows.width];
            // SAFETY: as above. Values are below the bound of `leave`: all kernels of a transform
            // were made for one another.
            unsafe { (self.kernels.leave)(rows.width, x.as_mut_ptr().cast(), z.as_ptr()) };
        }
    }

    fn far_tile<const SIZE: usize>(&self, space: &mut Space<SIZE>, rows: Rows) {
        let words = rows.width * self.kernels.digits;
        let Space {
            tile,
            roots,
            copies,
        } = space;
        self.copy_root(&mut copies[0][1], roots, 1); // 1 is odd
        self.far_block(&mut tile[..rows.count * words], roots, copies, 1, words);
    }

    /// The levels of a block of rows of so many words; the first has the root of that number.
    fn far_block(
        &self,
        tile: &mut [u64],
        roots: &[u64],
        copies: &mut [[Copies; 2]],
        number: usize,
        words: usize,
    ) {
        let Some((here, below)) = copies.split_first_mut() else {
            return;
        };
        if tile.len() > 2 * words {
            // What was just written in small parts is not ready to be read as a vector.
            self.copy_root(&mut below[0][0], roots, 2 * number);
            self.copy_root(&mut below[0][1], roots, 2 * number + 1);
        }
        let half = tile.len() / 2;
        let (low, high) = tile.split_at_mut(half);
        let (x, y) = (low.as_mut_ptr(), high.as_mut_ptr());
        let w = here[number & 1].0.as_ptr();
        // SAFETY: as above; results are x and y, and w is apart from them.
        unsafe { (self.kernels.step_by)(half / self.kernels.digits, x, y, x, y, w) };
        if half > words {
            self.far_block(low, roots, below, 2 * number, words);
            self.far_block(high, roots, below, 2 * number + 1, words);
        }
    }

    /// Eight copies of the root of a number.
    fn copy_root(&self, z: &mut Copies, roots: &[u64], number: usize) {
        let digits = self.kernels.digits;
        let block = &roots[number / BLOCK * BLOCK * digits..][..BLOCK * digits];
        let each = block.iter().skip(number % BLOCK).step_by(BLOCK);
        for (z, digit) in z.0.chunks_exact_mut(BLOCK).zip(each) {
            z.fill(*digit);
        }
    }

    /// Near levels. Those roots of level l that a row needs are `stride` apart, from
    /// (2^l - 1)*`stride` on.
    fn near_tile<const SIZE: usize>(&self, space: &mut Space<SIZE>, roots: &[M], rows: Rows) {
        let words = rows.width * self.kernels.digits;
        self.near_block(&mut space.tile[..rows.count * words], roots, rows);
    }

    /// The levels of a block of rows: those of both halves, and then their last one.
    fn near_block(&self, tile: &mut [u64], roots: &[M], rows: Rows) {
        let words = rows.width * self.kernels.digits;
        let half = tile.len() / 2;
        let (low, high) = tile.split_at_mut(half);
        if half > words {
            self.near_block(low, roots, rows);
            self.near_block(high, roots, rows);
        }
        let here = half / words;
        let pairs = low
            .chunks_exact_mut(words)
            .zip(high.chunks_exact_mut(words));
        for (i, (low, high)) in pairs.enumerate() {
            let (x, y) = (low.as_mut_ptr(), high.as_mut_ptr());
            let w = &roots[(here - 1 + i) * rows.stride..][..rows.width];
            // SAFETY: as above; results are x and y.
            unsafe { (self.kernels.step)(rows.width, x, y, x, y, w.as_ptr().cast()) };
        }
    }
}
