//! Sums of products that are reduced once, at their end.

use core::fmt;

use crate::prime_field::PrimeField;
use crate::small::absolute;
use crate::unreduced::Sum;

/// A sum of products of elements of F, which is reduced once.
///
/// It has room for 2^64 products. All its methods take the same time for all values.
///
/// ```
/// use fieldc::{Accumulator, PrimeField, bn254};
///
/// /// The product of a sparse row, as pairs of a column and a value, with a vector.
/// fn times<F: PrimeField>(row: &[(usize, F)], vector: &[F]) -> F {
///     let mut sum = Accumulator::ZERO;
///     for (column, value) in row {
///         sum.add_product(value, &vector[*column]);
///     }
///     sum.reduce()
/// }
///
/// let [x, y, z] = [3, 5, 7].map(bn254::Fr::from_u64);
/// assert_eq!(times(&[(0, y), (2, z)], &[x, x, y]), y * x + z * y);
/// ```
pub struct Accumulator<F: PrimeField>(F::Products);

/// A sum of products of elements of F with integers of 64 bits, which is reduced once.
///
/// It has room for 2^64 products. All its methods take the same time for all values.
///
/// ```
/// use fieldc::IntegerAccumulator;
/// use fieldc::bn254::Fr;
///
/// let [x, y] = [3, 5].map(Fr::from_u64);
/// let mut sum = IntegerAccumulator::ZERO;
/// sum.add_u64(&x, u64::MAX);
/// sum.add_i64(&y, -4);
/// assert_eq!(sum.reduce(), x * Fr::from(u64::MAX) - y * Fr::from(4_u64));
/// ```
pub struct IntegerAccumulator<F: PrimeField>(F::Multiples);

impl<F: PrimeField> Accumulator<F> {
    /// The empty sum.
    pub const ZERO: Self = Self(F::Products::ZERO);

    /// Adds `x * y`.
    ///
    /// ```
    /// use fieldc::{Accumulator, bn254::Fp};
    ///
    /// let (mut sum, x) = (Accumulator::ZERO, Fp::from_u64(3));
    /// sum.add_product(&x, &x);
    /// assert_eq!(sum.reduce(), Fp::from_u64(9));
    /// ```
    #[inline(always)]
    pub fn add_product(&mut self, x: &F, y: &F) {
        self.0.add(x, y);
    }

    /// Subtracts `x * y`.
    ///
    /// ```
    /// use fieldc::{Accumulator, bn254::Fp};
    ///
    /// let (mut sum, x) = (Accumulator::ZERO, Fp::from_u64(3));
    /// sum.sub_product(&x, &x);
    /// assert_eq!(sum.reduce(), -Fp::from_u64(9));
    /// ```
    #[inline(always)]
    pub fn sub_product(&mut self, x: &F, y: &F) {
        self.0.add(&-*x, y);
    }

    /// The sum as an element.
    ///
    /// ```
    /// use fieldc::{Accumulator, bn254::Fp};
    ///
    /// assert_eq!(Accumulator::<Fp>::ZERO.reduce(), Fp::ZERO);
    /// ```
    #[inline]
    pub fn reduce(&self) -> F {
        self.0.reduced()
    }
}

impl<F: PrimeField> IntegerAccumulator<F> {
    /// The empty sum.
    pub const ZERO: Self = Self(F::Multiples::ZERO);

    /// Adds `x * k`.
    ///
    /// ```
    /// use fieldc::{IntegerAccumulator, bn254::Fp};
    ///
    /// let mut sum = IntegerAccumulator::ZERO;
    /// sum.add_u64(&Fp::from_u64(3), 4);
    /// assert_eq!(sum.reduce(), Fp::from_u64(12));
    /// ```
    #[inline(always)]
    pub fn add_u64(&mut self, x: &F, k: u64) {
        self.0.add(x, &k);
    }

    /// Adds `x * k`.
    ///
    /// ```
    /// use fieldc::{IntegerAccumulator, bn254::Fp};
    ///
    /// let mut sum = IntegerAccumulator::ZERO;
    /// sum.add_i64(&Fp::from_u64(3), -4);
    /// assert_eq!(sum.reduce(), -Fp::from_u64(12));
    /// ```
    #[inline(always)]
    pub fn add_i64(&mut self, x: &F, k: i64) {
        let (size, is_negative) = absolute(k);
        self.0.add(&F::select(is_negative, &-*x, x), &size);
    }

    /// The sum as an element.
    ///
    /// ```
    /// use fieldc::{IntegerAccumulator, bn254::Fp};
    ///
    /// assert_eq!(IntegerAccumulator::<Fp>::ZERO.reduce(), Fp::ZERO);
    /// ```
    #[inline]
    pub fn reduce(&self) -> F {
        self.0.reduced()
    }
}

macro_rules! common {
    ($Accumulator:ident) => {
        impl<F: PrimeField> Clone for $Accumulator<F> {
            #[inline(always)]
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<F: PrimeField> Copy for $Accumulator<F> {}

        impl<F: PrimeField> Default for $Accumulator<F> {
            fn default() -> Self {
                Self::ZERO
            }
        }

        /// The sum as an element.
        impl<F: PrimeField> fmt::Debug for $Accumulator<F> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_tuple(stringify!($Accumulator))
                    .field(&self.reduce())
                    .finish()
            }
        }
    };
}

common! { Accumulator }
common! { IntegerAccumulator }
