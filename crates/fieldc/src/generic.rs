//! The crate's own traits, for code that is generic over its fields.

use core::fmt::{Debug, Display, LowerHex};
use core::hash::Hash;
use core::iter::{Product, Sum};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};
use core::str::FromStr;

use crate::array_operation::Operation;
use crate::unreduced::HasSums;
use crate::{DecodeError, ShortScratch};

/// A field of this crate: a prime field, or an extension such as [`Fp2`](crate::Fp2).
///
/// The methods have the names of the types' own, do the same and cost the same; the types have them
/// too, so a program that names its field does not need the trait.
///
/// ```
/// use fieldc::{Field, bls12_381, bn254};
///
/// /// The distance of two points, squared.
/// fn distance<F: Field>(a: [F; 2], b: [F; 2]) -> F {
///     (a[0] - b[0]).square() + (a[1] - b[1]).square()
/// }
///
/// let x = [3, 5].map(bn254::Fp::from_u64);
/// assert_eq!(distance(x, [bn254::Fp::ZERO; 2]), bn254::Fp::from_u64(34));
/// let x = [3, 5].map(bls12_381::Fr::from_u64);
/// assert_eq!(distance(x, [bls12_381::Fr::ONE; 2]), bls12_381::Fr::from_u64(20));
/// ```
pub trait Field:
    Copy
    + Default
    + Ord
    + Hash
    + Debug
    + Display
    + Send
    + Sync
    + 'static
    + From<bool>
    + From<u32>
    + From<u64>
    + From<u128>
    + From<i32>
    + From<i64>
    + Neg<Output = Self>
    + Operators<Self>
    + for<'a> Operators<&'a Self>
    + Sum
    + for<'a> Sum<&'a Self>
    + Product
    + for<'a> Product<&'a Self>
{
    /// The element 0.
    const ZERO: Self;
    /// The element 1.
    const ONE: Self;

    /// Whether this is 0, in the same time for all values.
    fn is_zero(&self) -> bool;
    /// `self + self`.
    fn double(&self) -> Self;
    /// `self * self`.
    fn square(&self) -> Self;
    /// `self * y + z`.
    fn mul_add(&self, y: &Self, z: &Self) -> Self;
    /// `a` if the flag is set, else `b`, in the same time for both.
    fn select(flag: bool, a: &Self, b: &Self) -> Self;
    /// The inverse; `None` for 0. What it computes takes the same time for all values.
    fn invert(&self) -> Option<Self>;
    /// The inverse and true; for 0, which has none, 0 and false. No branch depends on the value.
    fn invert_ct(&self) -> (Self, bool);
    /// Whether this is the square of an element; 0 is.
    fn is_square(&self) -> bool;
    /// A square root; `None` if there is none. What it computes takes the same time for all values.
    fn sqrt(&self) -> Option<Self>;
    /// A square root and true; 0 and false if there is none. No branch depends on the value.
    fn sqrt_ct(&self) -> (Self, bool);
    /// The power with a public exponent in limbs, least significant first.
    fn pow(&self, exponent: &[u64]) -> Self;
    /// The sum of products of corresponding elements.
    fn sum_of_products<const K: usize>(x: &[Self; K], y: &[Self; K]) -> Self;

    /// The sum of products of corresponding elements.
    ///
    /// # Panics
    /// If the slices have different lengths.
    fn inner_product(x: &[Self], y: &[Self]) -> Self;

    /// Inverts every element; zeros stay zeros.
    ///
    /// # Errors
    /// If the scratch space has fewer elements than there are to invert; nothing has changed then.
    fn batch_invert(elements: &mut [Self], scratch: &mut [Self]) -> Result<(), ShortScratch> {
        crate::batch::batch_invert(elements, scratch)
    }

    /// The fewest elements that vectors take; 0 without a kernel.
    #[doc(hidden)]
    #[inline(always)]
    fn least(_: Operation) -> usize {
        0
    }

    /// Computes the first elements of z in vectors; how many those are.
    ///
    /// An operand is a slice as long as z, or `None` for z itself.
    #[doc(hidden)]
    #[inline(always)]
    fn in_vectors(_: Operation, _z: &mut [Self], _operands: &[Option<&[Self]>]) -> usize {
        0
    }

    /// Computes the first of `x + w*y` and `x - w*y` in vectors; how many those are.
    #[doc(hidden)]
    #[inline(always)]
    fn butterfly_in_vectors(_x: &mut [Self], _y: &mut [Self], _w: &[Self]) -> usize {
        0
    }

    /// Transforms elements in vectors, by the roots of `Ntt`; whether it did.
    #[doc(hidden)]
    #[inline(always)]
    fn transform_in_vectors(_x: &mut [Self], _roots: &[Self]) -> bool {
        false
    }
}

/// The four operators and their assignments, with an operand of one type.
pub trait Operators<Right>:
    Sized
    + Add<Right, Output = Self>
    + Sub<Right, Output = Self>
    + Mul<Right, Output = Self>
    + Div<Right, Output = Self>
    + AddAssign<Right>
    + SubAssign<Right>
    + MulAssign<Right>
    + DivAssign<Right>
{
}

impl<T, Right> Operators<Right> for T where
    T: Sized
        + Add<Right, Output = T>
        + Sub<Right, Output = T>
        + Mul<Right, Output = T>
        + Div<Right, Output = T>
        + AddAssign<Right>
        + SubAssign<Right>
        + MulAssign<Right>
        + DivAssign<Right>
{
}

/// The integers modulo a prime: what every type of [`field!`](crate::field) is.
///
/// ```
/// use fieldc::PrimeField;
///
/// /// The number below p, as hexadecimal digits.
/// fn digits<F: PrimeField>(text: &str) -> Result<String, fieldc::DecodeError> {
///     Ok(format!("{:x}", text.parse::<F>()?))
/// }
///
/// fieldc::field! { struct Byte(modulus = "251"); }
/// assert!(digits::<Byte>("250")?.ends_with("fa"));
/// assert!(digits::<Byte>("251").is_err());
/// # Ok::<(), fieldc::DecodeError>(())
/// ```
pub trait PrimeField: Field + FromStr<Err = DecodeError> + LowerHex + HasSums {
    /// An array of limbs, least significant first.
    type Limbs: Copy + Debug + Eq + AsRef<[u64]> + AsMut<[u64]>;
    /// An array of bytes.
    type Bytes: Copy + Debug + Eq + AsRef<[u8]> + AsMut<[u8]>;

    /// The modulus p, least significant limb first.
    const MODULUS: Self::Limbs;
    /// Bits of the modulus.
    const BITS: u32;
    /// Limbs of 64 bits.
    const LIMBS: usize;
    /// Bytes of an encoding.
    const BYTES: usize;
    /// The largest s for which 2^s divides p - 1.
    const TWO_ADICITY: u32;
    /// An element of order 2^s.
    const ROOT_OF_UNITY: Self;

    /// The number with these limbs; `None` unless it is below p.
    fn from_limbs(limbs: Self::Limbs) -> Option<Self>;
    /// The limbs of the number below p.
    fn to_limbs(&self) -> Self::Limbs;
    /// Decodes a number below p, least significant byte first.
    ///
    /// # Errors
    /// If there are not [`BYTES`](Self::BYTES) bytes, or the number is not below p.
    fn from_bytes_le(bytes: &[u8]) -> Result<Self, DecodeError>;
    /// Decodes a number below p, most significant byte first.
    ///
    /// # Errors
    /// If there are not [`BYTES`](Self::BYTES) bytes, or the number is not below p.
    fn from_bytes_be(bytes: &[u8]) -> Result<Self, DecodeError>;
    /// Encodes the number below p, least significant byte first.
    fn to_bytes_le(&self) -> Self::Bytes;
    /// Encodes the number below p, most significant byte first.
    fn to_bytes_be(&self) -> Self::Bytes;
    /// A number of any length modulo p, least significant byte first.
    fn from_bytes_wide_le(bytes: &[u8]) -> Self;
    /// A number of any length modulo p, most significant byte first.
    fn from_bytes_wide_be(bytes: &[u8]) -> Self;
    /// An element from a source that fills a slice with random bytes, once.
    fn random_from(fill: impl FnMut(&mut [u8])) -> Self;
    /// `self * k`.
    fn mul_small(&self, k: u32) -> Self;
    /// `self * k`.
    fn mul_u64(&self, k: u64) -> Self;
    /// `self * k`.
    fn mul_i64(&self, k: i64) -> Self;
    /// An element of order 2^k; `None` for k above [`TWO_ADICITY`](Self::TWO_ADICITY).
    fn primitive_root_of_unity(k: u32) -> Option<Self>;
}

/// The crate's own traits for a type that `field!` makes.
#[doc(hidden)]
#[macro_export]
macro_rules! __generic {
    ($Fp:ident) => {
        impl $crate::Field for $Fp {
            const ZERO: Self = Self::ZERO;
            const ONE: Self = Self::ONE;

            $crate::__forward! {
                fn is_zero(&self) -> bool;
                fn double(&self) -> Self;
                fn square(&self) -> Self;
                fn mul_add(&self, y: &Self, z: &Self) -> Self;
                fn invert(&self) -> Option<Self>;
                fn invert_ct(&self) -> (Self, bool);
                fn is_square(&self) -> bool;
                fn sqrt(&self) -> Option<Self>;
                fn sqrt_ct(&self) -> (Self, bool);
                fn pow(&self, exponent: &[u64]) -> Self;
            }

            #[inline(always)]
            fn select(flag: bool, a: &Self, b: &Self) -> Self {
                Self::select(flag, a, b)
            }

            #[inline(always)]
            fn sum_of_products<const K: usize>(x: &[Self; K], y: &[Self; K]) -> Self {
                Self::sum_of_products(x, y)
            }

            #[inline]
            fn inner_product(x: &[Self], y: &[Self]) -> Self {
                Self::inner_product(x, y)
            }

            #[inline]
            fn least(operation: $crate::__private::Operation) -> usize {
                $crate::__private::least::<{ $Fp::LIMBS }, Self>(operation)
            }

            #[inline]
            fn in_vectors(
                operation: $crate::__private::Operation,
                z: &mut [Self],
                operands: &[Option<&[Self]>],
            ) -> usize {
                $crate::__private::in_vectors::<{ $Fp::LIMBS }, Self>(operation, z, operands)
            }

            #[inline]
            fn butterfly_in_vectors(x: &mut [Self], y: &mut [Self], w: &[Self]) -> usize {
                $crate::__private::butterfly_in_vectors::<{ $Fp::LIMBS }, Self>(x, y, w)
            }

            #[inline]
            fn transform_in_vectors(x: &mut [Self], roots: &[Self]) -> bool {
                $crate::__private::transform_in_vectors::<{ $Fp::LIMBS }, Self>(x, roots)
            }
        }

        impl $crate::PrimeField for $Fp {
            type Limbs = [u64; $Fp::LIMBS];
            type Bytes = [u8; $Fp::BYTES];

            const MODULUS: Self::Limbs = Self::MODULUS;
            const BITS: u32 = Self::BITS;
            const LIMBS: usize = Self::LIMBS;
            const BYTES: usize = Self::BYTES;
            const TWO_ADICITY: u32 = Self::TWO_ADICITY;
            const ROOT_OF_UNITY: Self = Self::ROOT_OF_UNITY;

            $crate::__forward! {
                fn to_limbs(&self) -> Self::Limbs;
                fn to_bytes_le(&self) -> Self::Bytes;
                fn to_bytes_be(&self) -> Self::Bytes;
                fn mul_small(&self, k: u32) -> Self;
                fn mul_u64(&self, k: u64) -> Self;
                fn mul_i64(&self, k: i64) -> Self;
            }

            #[inline]
            fn from_limbs(limbs: Self::Limbs) -> Option<Self> {
                Self::from_limbs(limbs)
            }

            #[inline]
            fn from_bytes_le(bytes: &[u8]) -> Result<Self, $crate::DecodeError> {
                Self::from_bytes_le(bytes)
            }

            #[inline]
            fn from_bytes_be(bytes: &[u8]) -> Result<Self, $crate::DecodeError> {
                Self::from_bytes_be(bytes)
            }

            #[inline]
            fn from_bytes_wide_le(bytes: &[u8]) -> Self {
                Self::from_bytes_wide_le(bytes)
            }

            #[inline]
            fn from_bytes_wide_be(bytes: &[u8]) -> Self {
                Self::from_bytes_wide_be(bytes)
            }

            #[inline]
            fn random_from(fill: impl FnMut(&mut [u8])) -> Self {
                Self::random_from(fill)
            }

            #[inline]
            fn primitive_root_of_unity(k: u32) -> Option<Self> {
                Self::primitive_root_of_unity(k)
            }
        }
    };
}

/// Methods that call the type's own of the same name.
#[doc(hidden)]
#[macro_export]
macro_rules! __forward {
    ($(fn $name:ident(&self $(, $operand:ident: $Operand:ty)*) -> $Result:ty;)+) => {
        $(
            #[inline(always)]
            fn $name(&self $(, $operand: $Operand)*) -> $Result {
                Self::$name(self $(, $operand)*)
            }
        )+
    };
}
