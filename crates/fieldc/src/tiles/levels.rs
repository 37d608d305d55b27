//! The levels of a tile: each joins the halves of blocks of rows, by one root for a block.
//!
//! A butterfly adds to x and multiplies y. So carries of what the next level only adds to can wait.

use crate::tiles::{Roots, Word};
use crate::vectors::{RunButterfly, TransformKernels};

/// Values of some rows, and the roots of their levels.
pub(super) struct Values<'a, const SIZE: usize> {
    pub(super) tile: &'a mut [Word],
    pub(super) roots: &'a Roots<SIZE>,
    /// Of a row.
    pub(super) words: usize,
}

impl<const SIZE: usize> Values<'_, SIZE> {
    /// All levels of a block of rows; the first has the root of that number.
    pub(super) fn compute(self, kernels: &TransformKernels, number: usize) {
        let Self { tile, roots, words } = self;
        let half = tile.len() / 2;
        let (low, high) = tile.split_at_mut(half);
        if half == words {
            join(kernels, low, high, roots, number, 0);
            return;
        }
        join(kernels, low, high, roots, number, half / 2);
        for (number, tile) in [(2 * number, low), (2 * number + 1, high)] {
            Values { tile, roots, words }.compute(kernels, number);
        }
    }
}

/// x + w*y and x - w*y instead of x and y, for the root of a number.
///
/// To so many of their first words the next level only adds.
fn join<const SIZE: usize>(
    kernels: &TransformKernels,
    x: &mut [Word],
    y: &mut [Word],
    roots: &Roots<SIZE>,
    number: usize,
    added: usize,
) {
    let digits = kernels.digits;
    let w = &roots.rows[number * digits * digits..][..digits * digits];
    let run = |step: RunButterfly, x: &mut [Word], y: &mut [Word]| {
        let count = x.len() / digits;
        let (x, y): (*mut u64, *mut u64) = (x.as_mut_ptr().cast(), y.as_mut_ptr().cast());
        // SAFETY: the processor was found to have what the kernel needs; results are x and y, which
        // are whole blocks, and w is apart from them. For 1 it is not read. Values are below the
        // bounds of the steps: all kernels of a transform were made for one another.
        unsafe { step(count, x, y, x, y, w.as_ptr().cast()) };
    };
    if number < roots.ones && number.is_power_of_two() {
        return run(kernels.step_one, x, y);
    }
    let ((added_x, x), (added_y, y)) = (x.split_at_mut(added), y.split_at_mut(added));
    if added > 0 {
        run(kernels.step_loose, added_x, added_y);
    }
    run(kernels.step_by, x, y);
}
