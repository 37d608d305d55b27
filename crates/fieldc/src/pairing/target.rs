//! The group that pairings are in.

use core::fmt;
use core::ops::{Div, DivAssign, Mul, MulAssign};

use super::curve::Pairing;
use crate::prime_field::PrimeField;
use crate::tower::{Fp12, HasTower};

/// An element of the group of prime order in Fp12: what a pairing is.
///
/// ```
/// use fieldc::bls12_381::Fr;
/// use fieldc::curves::bls12_381::{G1Affine, G2Affine};
/// use fieldc::pairing::bls12_381::{Gt, pairing};
///
/// let value = pairing(&G1Affine::GENERATOR, &G2Affine::GENERATOR);
/// assert_eq!(value.pow(Fr::from_u64(2)), value * value);
/// assert_eq!(value.pow(-Fr::ONE), value.invert());
/// assert_eq!(value / value, Gt::ONE);
/// ```
pub struct Gt<E: Pairing>(Fp12<E::Base>);

/// Bits of a window of an exponent.
const WIDTH: usize = 4;

impl<E: Pairing> Gt<E> {
    /// The neutral element.
    pub const ONE: Self = Self(Fp12::ONE);

    pub(super) fn new(value: Fp12<E::Base>) -> Self {
        Self(value)
    }

    /// The element of Fp12.
    ///
    /// ```
    /// use fieldc::{Fp12, pairing::bls12_381::Gt};
    ///
    /// assert_eq!(*Gt::ONE.as_fp12(), Fp12::ONE);
    /// ```
    #[inline]
    pub fn as_fp12(&self) -> &Fp12<E::Base> {
        &self.0
    }

    /// `self * self`.
    ///
    /// ```
    /// use fieldc::curves::bn254::{G1Affine, G2Affine};
    /// use fieldc::pairing::bn254::pairing;
    ///
    /// let value = pairing(&G1Affine::GENERATOR, &G2Affine::GENERATOR);
    /// assert_eq!(value.square(), value * value);
    /// ```
    #[inline]
    pub fn square(&self) -> Self {
        Self(self.0.cyclotomic_square())
    }

    /// The inverse, which is the conjugate.
    ///
    /// ```
    /// use fieldc::curves::bn254::{G1Affine, G2Affine};
    /// use fieldc::pairing::bn254::{Gt, pairing};
    ///
    /// let value = pairing(&G1Affine::GENERATOR, &G2Affine::GENERATOR);
    /// assert_eq!(value.invert() * value, Gt::ONE);
    /// ```
    #[inline]
    pub fn invert(&self) -> Self {
        Self(self.0.conjugate())
    }

    /// The power, in the same time for all elements and exponents.
    ///
    /// ```
    /// use fieldc::bn254::Fr;
    /// use fieldc::curves::bn254::{G1Affine, G2Affine};
    /// use fieldc::pairing::bn254::pairing;
    ///
    /// let value = pairing(&G1Affine::GENERATOR, &G2Affine::GENERATOR);
    /// assert_eq!(value.pow(Fr::from_u64(3)), value.square() * value);
    /// ```
    pub fn pow(&self, exponent: E::Scalar) -> Self {
        let mut table = [Self::ONE; 1 << WIDTH];
        for i in 1..table.len() {
            table[i] = table[i - 1] * *self;
        }
        let limbs = exponent.to_limbs();
        let windows = (limbs.as_ref().iter().rev())
            .flat_map(|limb| (0..64 / WIDTH).rev().map(move |i| limb >> (WIDTH * i)));
        windows.fold(Self::ONE, |power, window| {
            let power = (0..WIDTH).fold(power, |power, _| power.square());
            let window = window & ((1 << WIDTH) - 1);
            let entry = (0..).zip(&table).fold(Self::ONE, |found, (j, entry)| {
                Self(Fp12::select(j == window, &entry.0, &found.0))
            });
            power * entry
        })
    }
}

/// The power (p^6 - 1)*(p^2 + 1): an element of the cyclotomic subgroup.
pub(super) fn easy_part<F: HasTower>(x: &Fp12<F>) -> Fp12<F> {
    let x = x.conjugate() * x.invert_ct().0;
    x.frobenius(2) * x
}

impl<E: Pairing> Clone for Gt<E> {
    #[inline]
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Pairing> Copy for Gt<E> {}

/// The neutral element.
impl<E: Pairing> Default for Gt<E> {
    fn default() -> Self {
        Self::ONE
    }
}

/// Compares in the same time for all values.
impl<E: Pairing> PartialEq for Gt<E> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl<E: Pairing> Eq for Gt<E> {}

/// The element of Fp12.
impl<E: Pairing> fmt::Debug for Gt<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gt").field(&self.0).finish()
    }
}

impl<E: Pairing> Mul for Gt<E> {
    type Output = Self;

    #[inline]
    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl<E: Pairing> MulAssign for Gt<E> {
    #[inline]
    fn mul_assign(&mut self, other: Self) {
        *self = *self * other;
    }
}

/// The product with the inverse.
impl<E: Pairing> Div for Gt<E> {
    type Output = Self;

    #[inline]
    #[allow(
        clippy::suspicious_arithmetic_impl,
        reason = "the inverse is a conjugate"
    )]
    fn div(self, other: Self) -> Self {
        self * other.invert()
    }
}

impl<E: Pairing> DivAssign for Gt<E> {
    #[inline]
    fn div_assign(&mut self, other: Self) {
        *self = *self / other;
    }
}
