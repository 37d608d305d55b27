//! Arrays in digits: their sums and butterflies, and functions of their parts.

use alloc::vec;
use alloc::vec::Vec;

use crate::digit_rows::{BLOCK, Row};
use crate::digits::Digits;
use crate::slices::{self, folded};
use crate::{DigitArray, Field};

/// Rows that are computed together, and stay in the first cache: 15 kB.
pub(crate) const PART: usize = 240;
/// The most columns of a lane: of 768 bits.
const MOST_COLUMNS: usize = 30;

impl<F: Field> Digits<F> {
    /// The rows of as many whole blocks as fit some rows.
    pub(crate) fn whole(self, rows: usize) -> usize {
        rows - rows % self.kernels.digits
    }

    /// Writes elements in digits, and zeros where the last block has more.
    ///
    /// # Panics
    /// Unless z has the rows of so many elements.
    pub(crate) fn enter(self, x: &[F], z: &mut [Row]) {
        assert_eq!(
            z.len(),
            self.rows(x.len()),
            "the rows are of another length"
        );
        // SAFETY: the processor has what the kernel needs. An element of F is nothing but its
        // limbs, and z has as many blocks as hold the elements. They are apart.
        unsafe { (self.kernels.to)(x.len(), z.as_mut_ptr().cast(), x.as_ptr().cast()) };
    }

    /// Writes elements from digits.
    ///
    /// # Panics
    /// Unless x has the rows of as many elements as z.
    pub(crate) fn leave(self, x: &[Row], z: &mut [F]) {
        assert_eq!(
            x.len(),
            self.rows(z.len()),
            "the rows are of another length"
        );
        // SAFETY: as above. Values in digits are below 2p: kernels wrote all of them, or 0.
        unsafe { (self.kernels.from)(z.len(), z.as_mut_ptr().cast(), x.as_ptr().cast()) };
    }

    /// z = z + x * y.
    ///
    /// # Panics
    /// If the arrays have different lengths.
    pub(crate) fn add_products(self, z: &mut [Row], x: &[Row], y: &[Row]) {
        let lengths = (x.len(), y.len());
        assert_eq!(
            lengths,
            (z.len(), z.len()),
            "the arrays have different lengths"
        );
        let count = self.elements(z.len());
        let (z, x): (*mut u64, *const u64) = (z.as_mut_ptr().cast(), x.as_ptr().cast());
        // SAFETY: as above; all three have as many whole blocks. z is an operand, x and y are apart
        // from it.
        unsafe { (self.kernels.mul_add)(count, z, x, y.as_ptr().cast(), z) };
    }

    /// Squares every value.
    pub(crate) fn square(self, z: &mut [Row]) {
        let count = self.elements(z.len());
        let z: *mut u64 = z.as_mut_ptr().cast();
        // SAFETY: as above; z is its own operand.
        unsafe { (self.kernels.square)(count, z, z, z, z) };
    }
}

/// A sum of products, in columns as long as these take more of them.
pub(crate) struct SumInDigits<F> {
    digits: Digits<F>,
    columns: [u64; BLOCK * MOST_COLUMNS],
    /// Elements that were added to the columns.
    taken: usize,
    totals: [F; BLOCK],
}

impl<F: Field> SumInDigits<F> {
    /// The empty sum.
    pub(crate) fn new(digits: Digits<F>) -> Self {
        Self {
            digits,
            columns: [0; BLOCK * MOST_COLUMNS],
            taken: 0,
            totals: [F::ZERO; BLOCK],
        }
    }

    /// Adds the products of corresponding values.
    ///
    /// # Panics
    /// If the arrays have different lengths.
    pub(crate) fn add(&mut self, x: &[Row], y: &[Row]) {
        assert_eq!(x.len(), y.len(), "the arrays have different lengths");
        let sums = self.digits.sums;
        let most = sums.most / BLOCK * self.digits.kernels.digits;
        for (x, y) in x.chunks(most).zip(y.chunks(most)) {
            let count = self.digits.elements(x.len());
            if self.taken + count > sums.most {
                self.collect();
            }
            self.taken += count;
            let t = self.columns[..BLOCK * sums.columns].as_mut_ptr();
            let (x, y) = (x.as_ptr().cast(), y.as_ptr().cast());
            // SAFETY: the processor has what the kernel needs. Both arrays are as many whole
            // blocks of values below 2p, and the columns take so many more products.
            unsafe { (self.digits.kernels.accumulate)(count, t, x, y) };
        }
    }

    /// Reduces the columns, which are 0 again.
    fn collect(&mut self) {
        let mut more = [F::ZERO; BLOCK];
        let columns = &mut self.columns[..BLOCK * self.digits.sums.columns];
        let (t, z) = (columns.as_ptr(), more.as_mut_ptr().cast());
        // SAFETY: as above. `collect` writes as many elements as a block has.
        unsafe { (self.digits.sums.collect)(BLOCK, z, t) };
        columns.fill(0);
        self.taken = 0;
        slices::add(&mut self.totals, &more);
    }

    /// The sum.
    pub(crate) fn finish(mut self) -> F {
        self.collect();
        let factor = self.digits.kernels.factor;
        assert_eq!(
            size_of_val(factor),
            size_of::<F>(),
            "an element is its limbs"
        );
        // SAFETY: the limbs are those of an element, which is nothing but its limbs.
        let factor = unsafe { factor.as_ptr().cast::<F>().read() };
        folded(&mut self.totals) * factor
    }
}

/// Elements in digits.
pub(crate) fn rows_of<F: Field>(digits: Digits<F>, elements: &[F]) -> Vec<Row> {
    let mut rows = vec![Row::default(); digits.rows(elements.len())];
    digits.enter(elements, &mut rows);
    rows
}

/// A part of an array that has one element in all places.
pub(crate) fn copies_of<F: Field>(digits: Digits<F>, element: &F) -> [Row; PART] {
    let block = rows_of(digits, &[*element; BLOCK]);
    core::array::from_fn(|row| block[row % block.len()])
}

/// Calls a function with each part of an array, and as much room.
pub(crate) fn in_parts<F: Field>(
    digits: Digits<F>,
    x: &mut [Row],
    mut run: impl FnMut(&mut [Row], &mut [Row]),
) {
    let mut room = [Row::default(); PART];
    for x in x.chunks_mut(digits.whole(PART)) {
        let count = x.len();
        run(x, &mut room[..count]);
    }
}

impl<F: Field> DigitArray<F> {
    /// Replaces x and y by x + w\*y and x - w\*y, where x is this array.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fr};
    ///
    /// let [mut x, mut y, w] = [2, 3, 5].map(|x| DigitArray::new(&[Fr::from_u64(x)]));
    /// x.butterfly(&mut y, &w);
    /// assert_eq!(x.to_vec(), [Fr::from_u64(17)]);
    /// assert_eq!(y.to_vec(), [-Fr::from_u64(13)]);
    /// ```
    ///
    /// # Panics
    /// If the arrays have different lengths.
    pub fn butterfly(&mut self, y: &mut Self, w: &Self) {
        self.check(y);
        y.mul(w);
        let product = y.clone();
        y.clone_from(self);
        y.sub(&product);
        self.add(&product);
    }
}
