//! Butterflies of arrays in digits.

use crate::{DigitArray, Field};

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
