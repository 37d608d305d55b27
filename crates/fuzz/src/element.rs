//! What the checks ask of a field type, so that each is written once for all of them.

use std::fmt::{Debug, Display, LowerHex};
use std::iter::{Product, Sum};
use std::ops::{Add, AddAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use std::str::FromStr;

use fieldc::{DecodeError, ShortScratch};
use num_bigint::BigUint;
use serde::{Serialize, de::DeserializeOwned};

/// The operators of an element.
pub(crate) trait Operators:
    Add<Output = Self>
    + AddAssign
    + Mul<Output = Self>
    + MulAssign
    + Neg<Output = Self>
    + Product
    + Sub<Output = Self>
    + SubAssign
    + Sum
{
}

/// An element: its own methods, under their own names.
pub(crate) trait Element:
    Copy
    + Debug
    + DeserializeOwned
    + Display
    + Eq
    + FromStr<Err = DecodeError>
    + LowerHex
    + Operators
    + Serialize
{
    const BYTES: usize;
    const LIMBS: usize;
    const ZERO: Self;

    fn modulus() -> BigUint;
    fn from_u64(number: u64) -> Self;
    fn from_limbs(limbs: &[u64]) -> Option<Self>;
    fn to_limbs(&self) -> Vec<u64>;
    fn from_montgomery_limbs(limbs: &[u64]) -> Option<Self>;
    fn to_montgomery_limbs(&self) -> Vec<u64>;
    fn from_bytes_le(bytes: &[u8]) -> Result<Self, DecodeError>;
    fn from_bytes_be(bytes: &[u8]) -> Result<Self, DecodeError>;
    fn to_bytes_le(&self) -> Vec<u8>;
    fn to_bytes_be(&self) -> Vec<u8>;
    fn from_bytes_wide_le(bytes: &[u8]) -> Self;
    fn from_bytes_wide_be(bytes: &[u8]) -> Self;
    fn random_from(fill: impl FnMut(&mut [u8])) -> Self;
    fn from_hex(text: &str) -> Result<Self, DecodeError>;
    fn is_zero(&self) -> bool;
    fn double(&self) -> Self;
    fn square(&self) -> Self;
    fn pow(&self, exponent: &[u64]) -> Self;
    fn pow_u64(&self, exponent: u64) -> Self;
    fn const_pow(&self, exponent: &[u64]) -> Self;
    fn invert_ct(&self) -> (Self, bool);
    fn batch_invert(elements: &mut [Self], scratch: &mut [Self]) -> Result<(), ShortScratch>;
    fn is_square(&self) -> bool;
    fn sqrt_ct(&self) -> (Self, bool);
    fn sum_of_products<const K: usize>(x: &[Self; K], y: &[Self; K]) -> Self;

    /// The number below p.
    fn number(&self) -> BigUint {
        BigUint::from_bytes_le(&self.to_bytes_le())
    }

    /// A number modulo p.
    fn reduced(number: &BigUint) -> Self {
        let mut bytes = (number % Self::modulus()).to_bytes_le();
        bytes.resize(Self::BYTES, 0);
        Self::from_bytes_le(&bytes).expect("below p")
    }
}

/// A number as limbs.
pub(crate) fn big(limbs: &[u64]) -> BigUint {
    let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
    BigUint::from_bytes_le(&bytes)
}

/// Implements both traits for a type that `field!` made.
macro_rules! element {
    ($Fp:ty) => {
        impl $crate::element::Operators for $Fp {}

        impl $crate::element::Element for $Fp {
            const BYTES: usize = <$Fp>::BYTES;
            const LIMBS: usize = <$Fp>::LIMBS;
            const ZERO: Self = <$Fp>::ZERO;

            fn modulus() -> num_bigint::BigUint {
                $crate::element::big(&<$Fp>::MODULUS)
            }
            fn from_u64(number: u64) -> Self {
                <$Fp>::from_u64(number)
            }
            fn from_limbs(limbs: &[u64]) -> Option<Self> {
                <$Fp>::from_limbs(limbs.try_into().expect("the type's limbs"))
            }
            fn to_limbs(&self) -> Vec<u64> {
                <$Fp>::to_limbs(self).to_vec()
            }
            fn from_montgomery_limbs(limbs: &[u64]) -> Option<Self> {
                <$Fp>::from_montgomery_limbs(limbs.try_into().expect("the type's limbs"))
            }
            fn to_montgomery_limbs(&self) -> Vec<u64> {
                <$Fp>::to_montgomery_limbs(self).to_vec()
            }
            fn from_bytes_le(bytes: &[u8]) -> Result<Self, fieldc::DecodeError> {
                <$Fp>::from_bytes_le(bytes)
            }
            fn from_bytes_be(bytes: &[u8]) -> Result<Self, fieldc::DecodeError> {
                <$Fp>::from_bytes_be(bytes)
            }
            fn to_bytes_le(&self) -> Vec<u8> {
                <$Fp>::to_bytes_le(self).to_vec()
            }
            fn to_bytes_be(&self) -> Vec<u8> {
                <$Fp>::to_bytes_be(self).to_vec()
            }
            fn from_bytes_wide_le(bytes: &[u8]) -> Self {
                <$Fp>::from_bytes_wide_le(bytes)
            }
            fn from_bytes_wide_be(bytes: &[u8]) -> Self {
                <$Fp>::from_bytes_wide_be(bytes)
            }
            fn random_from(fill: impl FnMut(&mut [u8])) -> Self {
                <$Fp>::random_from(fill)
            }
            fn from_hex(text: &str) -> Result<Self, fieldc::DecodeError> {
                <$Fp>::from_hex(text)
            }
            fn is_zero(&self) -> bool {
                <$Fp>::is_zero(self)
            }
            fn double(&self) -> Self {
                <$Fp>::double(self)
            }
            fn square(&self) -> Self {
                <$Fp>::square(self)
            }
            fn pow(&self, exponent: &[u64]) -> Self {
                <$Fp>::pow(self, exponent)
            }
            fn pow_u64(&self, exponent: u64) -> Self {
                <$Fp>::pow_u64(self, exponent)
            }
            fn const_pow(&self, exponent: &[u64]) -> Self {
                <$Fp>::const_pow(self, exponent)
            }
            fn invert_ct(&self) -> (Self, bool) {
                <$Fp>::invert_ct(self)
            }
            fn batch_invert(
                elements: &mut [Self],
                scratch: &mut [Self],
            ) -> Result<(), fieldc::ShortScratch> {
                <$Fp>::batch_invert(elements, scratch)
            }
            fn is_square(&self) -> bool {
                <$Fp>::is_square(self)
            }
            fn sqrt_ct(&self) -> (Self, bool) {
                <$Fp>::sqrt_ct(self)
            }
            fn sum_of_products<const K: usize>(x: &[Self; K], y: &[Self; K]) -> Self {
                <$Fp>::sum_of_products(x, y)
            }
        }
    };
}
pub(crate) use element;
