//! Powers of roots that the values of a tile are multiplied by as they enter it.
//!
//! A column's power in row i is the i-th power of its root. So it is the power some rows before,
//! times a root that stands in rows: only the first powers are read from the table. Targets where a
//! product costs more than a copy read all of them.

use crate::Field;
use crate::tiles::{Aligned, BLOCK, MOST_DIGITS, Word};
use crate::vectors::{RunAccumulate, TransformKernels};

/// Powers that are computed side by side, for a product waits for the one before it.
const CHAINS: usize = 4;
/// Rows of a chain at least: fewer do not pay for its first power.
const LINKS: usize = 8;

/// What power of the root of order `count` an element has: the number of its row times that of its
/// column.
#[derive(Clone, Copy)]
pub(crate) struct Factors {
    /// The number of the first row.
    pub(crate) first_row: usize,
    /// What rows are apart.
    pub(crate) step: usize,
    /// The number of the first column.
    pub(crate) first: usize,
}

/// The powers of some rows, for the columns of a block.
#[repr(C, align(64))]
pub(crate) struct Powers {
    /// What later powers are multiplied by, a row for each digit.
    rows: [Word; BLOCK * MOST_DIGITS * MOST_DIGITS],
    /// How many chains there are.
    chains: usize,
    /// The power of a row, at its number modulo that of the chains.
    now: [Aligned<{ BLOCK * MOST_DIGITS }>; CHAINS],
    kernels: &'static TransformKernels,
    next: RunAccumulate,
}

impl Powers {
    /// For so many rows.
    pub(crate) fn new(
        kernels: &'static TransformKernels,
        next: RunAccumulate,
        rows: usize,
    ) -> Self {
        Self {
            chains: (rows / LINKS).clamp(1, CHAINS),
            next,
            rows: [Word::uninit(); BLOCK * MOST_DIGITS * MOST_DIGITS],
            now: [Aligned::NEW; CHAINS],
            kernels,
        }
    }

    /// Begins at row 0 of some columns, by the table of roots of `Ntt`.
    pub(crate) fn start<M: Field>(&mut self, roots: &[M], factors: Factors, column: usize) {
        let TransformKernels {
            root,
            next_row,
            digits,
            ..
        } = *self.kernels;
        let (words, first) = (digits * BLOCK, factors.first + column);
        let to_digits = |z: &mut [Word], row: usize| {
            let some = powers(roots, row, first);
            // SAFETY: the processor was found to have what the kernel needs, and an element is
            // nothing but its limbs. A block of elements in digits has so many words or fewer.
            unsafe { root(BLOCK, z[..words].as_mut_ptr().cast(), some.as_ptr().cast()) };
        };
        for (row, power) in self.now[..self.chains].iter_mut().enumerate() {
            to_digits(&mut power.0, factors.first_row + row * factors.step);
        }
        to_digits(
            &mut self.rows[(digits - 1) * words..],
            self.chains * factors.step,
        );
        for number in (0..digits - 1).rev() {
            let (before, row) = self.rows[number * words..].split_at_mut(words);
            // SAFETY: as above; both are apart.
            unsafe { next_row(BLOCK, before.as_mut_ptr().cast(), row.as_ptr().cast()) };
        }
    }

    /// Multiplies a row's values, which are residues in digits.
    pub(crate) fn multiply(&mut self, row: usize, z: &mut [Word]) {
        let (z, w) = (
            z.as_mut_ptr().cast(),
            self.now[row % self.chains].0.as_mut_ptr().cast(),
        );
        // SAFETY: as above; results may be operands.
        unsafe {
            (self.kernels.times)(BLOCK, z, z, w);
            (self.next)(BLOCK, w, w, self.rows.as_ptr().cast());
        }
    }
}

/// Multiplies the values of rows by powers from the table, where a row has so many blocks: these
/// values are moved up.
pub(crate) fn multiply_by<M: Field>(
    kernels: &TransformKernels,
    roots: &[M],
    factors: Factors,
    blocks: usize,
    values: &mut [Word],
) {
    let mut power = Aligned::<{ BLOCK * MOST_DIGITS }>::NEW;
    let find = |at| {
        let row = factors.first_row + at / blocks * factors.step;
        powers(roots, row, factors.first + at % blocks * BLOCK)
    };
    // What was just written in small parts is not ready to be read as a vector.
    let mut found = [find(0), [M::ONE; BLOCK]];
    for (at, z) in values.chunks_exact_mut(BLOCK * kernels.digits).enumerate() {
        found[(at + 1) % 2] = find(at + 1);
        let (z, w) = (z.as_mut_ptr().cast(), power.0.as_mut_ptr().cast());
        // SAFETY: as above; results may be operands.
        unsafe {
            (kernels.enter)(BLOCK, w, found[at % 2].as_ptr().cast());
            (kernels.times)(BLOCK, z, w, z);
        }
    }
}

/// Powers of the root whose order is the number of elements: of a row, from a column on.
fn powers<M: Field>(roots: &[M], row: usize, column: usize) -> [M; BLOCK] {
    let half = roots.len() / 2;
    core::array::from_fn(|lane| {
        // The number of roots is a power of two.
        let power = (row * (column + lane)) & (roots.len() - 1);
        match power.checked_sub(half) {
            None => roots[half + power],
            Some(rest) => -roots[half + rest],
        }
    })
}
