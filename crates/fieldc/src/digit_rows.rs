//! Elements in digits of 52 bits, as vectors multiply them: kernels as safe calls.

use crate::Field;
use crate::array_operation::Operation;
use crate::digits::Digits;
use crate::vectors::MoveKernels;

/// Elements of a block.
pub(crate) const BLOCK: usize = 8;
/// The most digits of an element, of 768 bits.
pub(crate) const MOST_DIGITS: usize = 15;

/// A digit of each element of a block.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(crate) struct Row(pub(crate) [u64; BLOCK]);

impl<F> Clone for Digits<F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F> Copy for Digits<F> {}

impl<F: Field> Digits<F> {
    /// The rows of some elements; the last block may have more of them, which are 0.
    pub(crate) fn rows(self, count: usize) -> usize {
        count.div_ceil(BLOCK) * self.kernels.digits
    }

    /// The elements of some rows, which are whole blocks.
    pub(crate) fn elements(self, rows: usize) -> usize {
        assert_eq!(rows % self.kernels.digits, 0, "blocks are whole");
        rows / self.kernels.digits * BLOCK
    }

    /// Writes numbers in digits, whatever R is, and zeros where the last block has more.
    ///
    /// # Panics
    /// Unless z has the rows of so many numbers.
    pub(crate) fn cut(self, moves: &MoveKernels, x: &[F], z: &mut [Row]) {
        assert_eq!(
            z.len(),
            self.rows(x.len()),
            "the rows are of another length"
        );
        // SAFETY: the processor has what the kernel needs. An element of F is nothing but its
        // limbs, and z has as many blocks as hold the elements. They are apart.
        unsafe { (moves.cut)(x.len(), z.as_mut_ptr().cast(), x.as_ptr().cast()) };
    }

    /// Writes residues of numbers in digits, whatever R is.
    ///
    /// # Panics
    /// Unless x has the rows of as many numbers as z.
    pub(crate) fn join(self, moves: &MoveKernels, x: &[Row], z: &mut [F]) {
        assert_eq!(
            x.len(),
            self.rows(z.len()),
            "the rows are of another length"
        );
        // SAFETY: as above. Values in digits are below 2p: kernels wrote all of them.
        unsafe { (moves.join)(z.len(), z.as_mut_ptr().cast(), x.as_ptr().cast()) };
    }

    /// z = z + y, z - y or z * y, or z * z whatever y is.
    ///
    /// # Panics
    /// If the arrays have different lengths, or for another operation.
    pub(crate) fn run(self, operation: Operation, z: &mut [Row], y: &[Row]) {
        let kernel = match operation {
            Operation::Add => self.kernels.add,
            Operation::Sub => self.kernels.sub,
            Operation::Mul => self.kernels.mul,
            Operation::Square => self.kernels.square,
            Operation::MulAdd => unreachable!("add_products has its three operands"),
        };
        assert_eq!(z.len(), y.len(), "the arrays have different lengths");
        let count = self.elements(z.len());
        let (z, y): (*mut u64, *const u64) = (z.as_mut_ptr().cast(), y.as_ptr().cast());
        // SAFETY: as above; both have as many whole blocks. z is an operand, and y is apart.
        unsafe { kernel(count, z, z, y, y) };
    }
}
