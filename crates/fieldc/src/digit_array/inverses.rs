//! Inverses and transforms of arrays in digits.

use alloc::vec;
use alloc::vec::Vec;

use super::{DigitArray, Elements, InDigits};
use crate::array_operation::Operation;
use crate::chains::{CHAINS, by_halves};
use crate::digit_calls::rows_of;
use crate::digit_rows::{BLOCK, Row};
use crate::digits::Digits;
use crate::portable::runtime_mask;
use crate::{Field, Ntt, PrimeField, slices};

/// Elements from which on chains in digits are faster: their ends must be inverted too.
const LEAST: usize = 4 * CHAINS;
/// Elements that share an inversion, and room that stays in the second cache: 240 kB for 6 limbs.
const MOST: usize = 4096;

impl<F: Field> DigitArray<F> {
    /// Inverts every element; zeros stay zeros. Returns the position of the first zero.
    ///
    /// Each 4096 elements share an inversion.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fr};
    ///
    /// let mut x = DigitArray::new(&[2, 0, 3].map(Fr::from_u64));
    /// assert_eq!(x.batch_invert(), Some(1));
    /// let inverses = x.to_vec();
    /// assert_eq!(inverses[0].double(), Fr::ONE);
    /// assert_eq!(inverses[1], Fr::ZERO);
    /// ```
    pub fn batch_invert(&mut self) -> Option<usize> {
        match &mut self.form {
            Elements(x) => slices::batch_invert(x),
            InDigits(digits, x) if self.count >= LEAST => {
                let (kept, zero) = digits.without_zeros(x, self.count);
                let mut room = vec![Row::default(); digits.rows(MOST.min(self.count))];
                let parts = x.chunks_mut(room.len()).zip(kept.chunks(MOST / BLOCK));
                parts.for_each(|(x, kept)| digits.invert(x, kept, &mut room));
                zero
            }
            InDigits(digits, x) => {
                let mut elements = vec![F::ZERO; self.count];
                digits.leave(x, &mut elements);
                let zero = slices::batch_invert(&mut elements);
                digits.enter(&elements, x);
                zero
            }
        }
    }

    /// Calls a linear function of the elements: in digits of the elements times one number.
    fn by_numbers(&mut self, run: impl FnOnce(&mut [F])) {
        let (digits, x) = match &mut self.form {
            Elements(x) => return run(x),
            InDigits(digits, x) => (digits, x),
        };
        let mut numbers = vec![F::ZERO; self.count];
        digits.read(x, &mut numbers);
        run(&mut numbers);
        match digits.moves {
            Some(moves) => digits.cut(moves, &numbers, x),
            None => digits.enter(&numbers, x),
        }
    }
}

impl<F: PrimeField> Ntt<'_, F> {
    /// Coefficients become values, as in [`forward`](Self::forward).
    ///
    /// ```
    /// use fieldc::{DigitArray, Ntt, bls12_381::Fr};
    ///
    /// let mut table = [Fr::ZERO; 2];
    /// let mut x = DigitArray::new(&[5, 1].map(Fr::from_u64)); // 5 + X
    /// Ntt::new(&mut table).unwrap().forward_digits(&mut x);
    /// assert_eq!(x.to_vec(), [6, 4].map(Fr::from_u64)); // at 1 and -1
    /// ```
    ///
    /// # Panics
    /// If there are not as many elements as the table has; nothing has changed then.
    pub fn forward_digits(&self, x: &mut DigitArray<F>) {
        x.by_numbers(|x| self.forward(x));
    }

    /// Values become coefficients: undoes [`forward_digits`](Self::forward_digits).
    ///
    /// ```
    /// use fieldc::{DigitArray, Ntt, bls12_381::Fr};
    ///
    /// let mut table = [Fr::ZERO; 4];
    /// let ntt = Ntt::new(&mut table).unwrap();
    /// let mut x = DigitArray::new(&[2, 1, 0, 0].map(Fr::from_u64)); // 2 + X
    /// ntt.forward_digits(&mut x);
    /// x.square();
    /// ntt.inverse_digits(&mut x);
    /// assert_eq!(x.to_vec(), [4, 4, 1, 0].map(Fr::from_u64)); // 4 + 4*X + X^2
    /// ```
    ///
    /// # Panics
    /// If there are not as many elements as the table has; nothing has changed then.
    pub fn inverse_digits(&self, x: &mut DigitArray<F>) {
        x.by_numbers(|x| self.inverse(x));
    }
}

impl<F: Field> Digits<F> {
    /// The numbers that elements are in digits, or the elements: one is 0 where the other is.
    fn read(self, x: &[Row], z: &mut [F]) {
        match self.moves {
            Some(moves) => self.join(moves, x, z),
            None => self.leave(x, z),
        }
    }

    /// Inverts elements by chains of products, those that a mask marks to 0; with as much room.
    fn invert(self, x: &mut [Row], kept: &[Row], before: &mut [Row]) {
        let (rows, blocks) = (self.rows(CHAINS), CHAINS / BLOCK);
        let before = &mut before[..x.len()];
        let mut products = rows_of(self, &[F::ONE; CHAINS]);
        let parts = x.chunks(rows).zip(before.chunks_mut(rows));
        for ((x, before), kept) in parts.zip(kept.chunks(blocks)) {
            let products = &mut products[..x.len()];
            self.copy(products, kept, before);
            self.run(Operation::Mul, products, x);
        }
        let mut ends = [F::ZERO; CHAINS];
        self.leave(&products, &mut ends);
        by_halves(&mut ends);
        self.enter(&ends, &mut products);
        let parts = x.chunks_mut(rows).zip(before.chunks_mut(rows));
        for (x, before) in parts.rev() {
            let inverses = &mut products[..x.len()];
            self.run(Operation::Mul, before, inverses);
            self.run(Operation::Mul, inverses, x);
            x.copy_from_slice(before);
        }
    }

    /// Masks of the elements that are not 0, and where the first 0 is. Zeros become another number.
    fn without_zeros(self, x: &mut [Row], count: usize) -> (Vec<Row>, Option<usize>) {
        let mut kept = vec![Row([0; BLOCK]); count.div_ceil(BLOCK)];
        let (mut first, mut numbers) = (count, [F::ZERO; BLOCK]);
        let blocks = x.chunks_mut(self.kernels.digits).zip(&mut kept);
        for (number, (block, kept)) in blocks.enumerate().rev() {
            self.read(block, &mut numbers);
            for (lane, (kept, x)) in kept.0.iter_mut().zip(&numbers).enumerate().rev() {
                let (is_zero, place) = (runtime_mask(x.is_zero()), BLOCK * number + lane);
                *kept = !is_zero;
                if place < count {
                    first ^= is_zero as usize & (first ^ place);
                }
            }
            block.iter_mut().for_each(|row| *row = row.kept_by(kept));
            let lowest = block[0].0.iter_mut().zip(&kept.0);
            lowest.for_each(|(digit, kept)| *digit |= !kept & 1);
        }
        (kept, (first != count).then_some(first))
    }

    /// Copies blocks, with 0 where a mask is.
    fn copy(self, x: &[Row], kept: &[Row], z: &mut [Row]) {
        let digits = self.kernels.digits;
        let blocks = x.chunks(digits).zip(z.chunks_mut(digits));
        for ((x, z), kept) in blocks.zip(kept) {
            x.iter().zip(z).for_each(|(x, z)| *z = x.kept_by(kept));
        }
    }
}

impl Row {
    /// The digits where a mask has ones, else 0.
    fn kept_by(self, mask: &Self) -> Self {
        Self(core::array::from_fn(|lane| self.0[lane] & mask.0[lane]))
    }
}
