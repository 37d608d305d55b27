//! Powers in the cyclotomic subgroup of Fp12, with compressed squares for sparse exponents.
//!
//! Source: K. Karabina, "Squaring in cyclotomic subgroups" (2013), 3.2. Of the coefficients
//! c0 + c1*w + .. + c5*w^5 four are enough. Without c0 and c3 a square is two squares of pairs, where
//! that of the whole value is three.

use super::cyclotomic::{squared_pair, triple_minus, triple_plus};
use super::windows::power_by_windows;
use super::{Fp6, Fp12, HasTower};
use crate::Field;
use crate::fp2::Fp2;

/// What is kept of a value: the coefficients c1, c2, c4 and c5.
#[derive(Clone, Copy)]
struct Compressed<F>([Fp2<F>; 4]);

impl<F: HasTower> Compressed<F> {
    const ONE: Self = Self([Fp2::ZERO; 4]);

    fn new(x: &Fp12<F>) -> Self {
        Self([x.c1.c0, x.c0.c1, x.c0.c2, x.c1.c2])
    }

    /// The power 2^count.
    fn squared(mut self, count: u32) -> Self {
        if !F::wide_compressed_squares(&mut self.0, count) {
            for _ in 0..count {
                self = self.square();
            }
        }
        self
    }

    fn square(&self) -> Self {
        let Self([c1, c2, c4, c5]) = self;
        let (low_14, high_14) = squared_pair(c1, c4);
        let (low_25, high_25) = squared_pair(c2, c5);
        Self([
            triple_plus(&F::mul_by_xi(&high_25), c1),
            triple_minus(&low_14, c2),
            triple_minus(&low_25, c4),
            triple_plus(&high_14, c5),
        ])
    }

    /// What c3 is a fraction of: its numerator and denominator. Where c1 is 0 it is another
    /// fraction, and where both denominators are 0 the value is 1.
    fn fraction(&self) -> (Fp2<F>, Fp2<F>) {
        let Self([c1, c2, c4, c5]) = self;
        let numerator = F::mul_by_xi(&c5.square()) + triple_minus(&c2.square(), c4);
        let (other, is_other) = ((c2 * c5).double(), c1.is_zero());
        (
            Fp2::select(is_other, &other, &numerator),
            Fp2::select(is_other, c4, &c1.double().double()),
        )
    }

    /// The whole value, from c3.
    fn whole(&self, c3: Fp2<F>) -> Fp12<F> {
        let Self([c1, c2, c4, c5]) = *self;
        let both = c2 * c4;
        let sum = c3.square().double() + c1 * c5 - both.double() - both;
        let c0 = F::mul_by_xi(&sum) + Fp2::ONE;
        Fp12::new(Fp6::new(c0, c2, c4), Fp6::new(c1, c3, c5))
    }
}

/// An exponent with at most so many ones may count as sparse.
const MOST_ONES: usize = 8;

/// The places of the ones of a public exponent, lowest first, if a chain of compressed squares is
/// the faster way to its power: it saves a third of each square, and costs an inversion and ten
/// products for each one.
fn sparse_ones(exponent: &[u64]) -> Option<([u32; MOST_ONES], usize)> {
    let (mut ones, mut count) = ([0; MOST_ONES], 0);
    for (limb, base) in exponent.iter().zip((0..).step_by(64)) {
        let mut rest = *limb;
        while rest != 0 {
            *ones.get_mut(count)? = base + rest.trailing_zeros();
            (rest, count) = (rest & (rest - 1), count + 1);
        }
    }
    let squares = ones[..count].last()?;
    (*squares as usize >= 16 + 4 * count).then_some((ones, count))
}

impl<F: HasTower> Fp12<F> {
    /// The power of an element of the cyclotomic subgroup, with a public exponent in limbs, least
    /// significant first.
    ///
    /// ```
    /// use fieldc::{Fp12, bn254::Fp};
    ///
    /// let x = Fp12::<Fp>::W + Fp12::ONE;
    /// let y = x.conjugate() / x;
    /// let y = y.frobenius(2) * y;
    /// assert_eq!(y.cyclotomic_pow(&[5]), y.pow(&[5]));
    /// ```
    pub fn cyclotomic_pow(&self, exponent: &[u64]) -> Self {
        match sparse_ones(exponent) {
            Some((ones, count)) => power_of_sparse(self, &ones[..count]),
            None => power_by_windows(self, exponent),
        }
    }
}

/// The power of an element of the cyclotomic subgroup whose public exponent is the sum of 2^k for
/// at most [`MOST_ONES`] increasing k, with one inversion for all of them.
fn power_of_sparse<F: HasTower>(x: &Fp12<F>, exponents: &[u32]) -> Fp12<F> {
    let (mut powers, mut square, mut last) = ([Compressed::ONE; MOST_ONES], Compressed::new(x), 0);
    let powers = &mut powers[..exponents.len()];
    for (power, k) in powers.iter_mut().zip(exponents) {
        square = square.squared(*k - last);
        (*power, last) = (square, *k);
    }
    let mut fractions = [(Fp2::ZERO, Fp2::ZERO); MOST_ONES];
    let mut inverses = [Fp2::ZERO; MOST_ONES];
    let inverses = &mut inverses[..exponents.len()];
    for ((power, fraction), inverse) in powers.iter().zip(&mut fractions).zip(&mut *inverses) {
        *fraction = power.fraction();
        *inverse = fraction.1;
    }
    // As many elements as there are: it cannot fail. Zeros stay zeros.
    let _ = Field::batch_invert(
        inverses,
        &mut [Fp2::<F>::ZERO; MOST_ONES][..exponents.len()],
    );
    let mut wholes = (powers.iter().zip(&fractions).zip(&*inverses))
        .map(|((power, (numerator, _)), inverse)| power.whole(numerator * inverse));
    let first = wholes.next().unwrap_or(Fp12::ONE);
    wholes.fold(first, |product, factor| product * factor)
}
