//! Sums of products that are reduced once, at their end.

use core::fmt;
use core::marker::PhantomData;
use core::mem::transmute_copy;

use crate::assembly::{HasProducts, Products};
use crate::generic::PrimeField;
use crate::limbs::{adc, mac, wide_product};
use crate::small::absolute;
use crate::wide;

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

/// What the sums of a field type are kept in.
pub trait HasSums: Sized {
    /// Sums of products of elements.
    type Products: Sum<Element = Self, Factor = Self>;
    /// Sums of products with integers of a limb.
    type Multiples: Sum<Element = Self, Factor = u64>;
}

/// A sum of products that is not reduced.
pub trait Sum: Copy {
    /// The field type.
    type Element;
    /// What elements are multiplied by.
    type Factor;
    /// The empty sum.
    const ZERO: Self;

    /// One product more.
    fn add(&mut self, x: &Self::Element, y: &Self::Factor);
    /// The sum as an element.
    fn reduced(&self) -> Self::Element;
}

/// low + 2^(64N)*high + 2^(128N)*top, the sum of at most 2^64 products.
#[derive(Clone, Copy)]
pub struct ProductSum<const N: usize, F> {
    low: [u64; N],
    high: [u64; N],
    top: u64,
    field: PhantomData<F>,
}

impl<const N: usize, F: HasProducts<N> + Copy> Sum for ProductSum<N, F> {
    type Element = F;
    type Factor = F;
    const ZERO: Self = Self {
        low: [0; N],
        high: [0; N],
        top: 0,
        field: PhantomData,
    };

    #[inline(always)]
    fn add(&mut self, x: &F, y: &F) {
        let (low, high) = wide_product(limbs_of(x), limbs_of(y));
        let mut carry = false;
        for (sum, limb) in self
            .low
            .iter_mut()
            .chain(&mut self.high)
            .zip(low.iter().chain(&high))
        {
            (*sum, carry) = adc(*sum, *limb, carry);
        }
        self.top = self.top.wrapping_add(u64::from(carry));
    }

    #[inline]
    fn reduced(&self) -> F {
        let chunks = [padded(&[self.top]), self.high, self.low];
        element(&wide::folded::<N, F>(chunks.into_iter()))
    }
}

/// low + 2^(64N)*high, the sum of at most 2^64 products with integers of a limb.
#[derive(Clone, Copy)]
pub struct MultipleSum<const N: usize, F> {
    low: [u64; N],
    high: [u64; 2],
    field: PhantomData<F>,
}

impl<const N: usize, F: HasProducts<N> + Copy> Sum for MultipleSum<N, F> {
    type Element = F;
    type Factor = u64;
    const ZERO: Self = Self {
        low: [0; N],
        high: [0; 2],
        field: PhantomData,
    };

    #[inline(always)]
    fn add(&mut self, x: &F, k: &u64) {
        let mut carry = 0;
        for (sum, limb) in self.low.iter_mut().zip(limbs_of(x)) {
            (*sum, carry) = mac(*sum, *limb, *k, carry);
        }
        let (sum, above) = adc(self.high[0], carry, false);
        self.high = [sum, self.high[1].wrapping_add(u64::from(above))];
    }

    #[inline]
    fn reduced(&self) -> F {
        let high = self.high.chunks(N).rev().map(padded);
        let total = wide::folded::<N, F>(high.chain([self.low]));
        if F::PLAIN {
            return element(&total);
        }
        element(&F::Kernels::mul::<F>(&total, &F::R2))
    }
}

/// At most N limbs, and zeros above them.
fn padded<const N: usize>(limbs: &[u64]) -> [u64; N] {
    core::array::from_fn(|i| limbs.get(i).copied().unwrap_or(0))
}

/// The limbs of an element.
#[inline(always)]
fn limbs_of<const N: usize, F: HasProducts<N>>(x: &F) -> &[u64; N] {
    // SAFETY: an element is nothing but its limbs, as its implementation promises.
    unsafe { &*core::ptr::from_ref(x).cast() }
}

/// The element of limbs that are below p.
#[inline(always)]
fn element<const N: usize, F: HasProducts<N>>(limbs: &[u64; N]) -> F {
    // SAFETY: an element is nothing but its limbs, and these are below p.
    unsafe { transmute_copy(limbs) }
}
