//! The type of a field's elements, written once for every field.

/// Defines a field type on the constants and kernels of a generated module.
macro_rules! prime_field {
    (
        $(#[$doc:meta])*
        pub struct $Fp:ident([u64; $n:literal], $bytes:literal bytes, $kernels:ident);
    ) => {
        $(#[$doc])*
        ///
        /// An element is kept in Montgomery form and below the modulus, so it has one form only.
        #[derive(Clone, Copy)]
        pub struct $Fp([u64; $n]);

        // A u64 is below the modulus.
        const _: () = assert!($n > 1 && $kernels::MODULUS[$n - 1] != 0 && $bytes == 8 * $n);

        impl $Fp {
            /// Bytes of an encoding.
            pub const BYTES: usize = $bytes;
            /// The modulus p as limbs, least significant first.
            pub const MODULUS: [u64; $n] = $kernels::MODULUS;
            /// The element 0.
            pub const ZERO: Self = Self([0; $n]);
            /// The element 1.
            pub const ONE: Self = Self($kernels::ONE);

            /// A small number as an element.
            pub const fn from_u64(value: u64) -> Self {
                let mut limbs = [0; $n];
                limbs[0] = value;
                Self($kernels::portable::to_montgomery(&limbs))
            }

            /// The number with these limbs, least significant first; `None` unless it is below p.
            pub const fn from_limbs(limbs: [u64; $n]) -> Option<Self> {
                if $crate::limbs::is_less(&limbs, &Self::MODULUS) {
                    Some(Self($kernels::portable::to_montgomery(&limbs)))
                } else {
                    None
                }
            }

            /// The limbs of the number below p, least significant first.
            pub const fn to_limbs(&self) -> [u64; $n] {
                $kernels::portable::from_montgomery(&self.0)
            }

            /// Decodes a number below p, least significant byte first; refuses every other one.
            pub const fn from_bytes_le(bytes: &[u8]) -> Result<Self, $crate::DecodeError> {
                match $crate::limbs::exactly(bytes) {
                    Ok(bytes) => Self::from_byte_array_le(bytes),
                    Err(error) => Err(error),
                }
            }

            /// Decodes a number below p, most significant byte first; refuses every other one.
            pub const fn from_bytes_be(bytes: &[u8]) -> Result<Self, $crate::DecodeError> {
                match $crate::limbs::exactly(bytes) {
                    Ok(bytes) => Self::from_byte_array_le(&$crate::limbs::reversed(bytes)),
                    Err(error) => Err(error),
                }
            }

            const fn from_byte_array_le(bytes: &[u8; $bytes]) -> Result<Self, $crate::DecodeError> {
                match Self::from_limbs($crate::limbs::from_bytes_le(bytes)) {
                    Some(element) => Ok(element),
                    None => Err($crate::DecodeError::NotCanonical),
                }
            }

            /// Encodes the number below p, least significant byte first.
            pub const fn to_bytes_le(&self) -> [u8; $bytes] {
                $crate::limbs::to_bytes_le(&self.to_limbs())
            }

            /// Encodes the number below p, most significant byte first.
            pub const fn to_bytes_be(&self) -> [u8; $bytes] {
                $crate::limbs::reversed(&self.to_bytes_le())
            }

            /// Whether this is 0.
            #[inline]
            pub fn is_zero(&self) -> bool {
                *self == Self::ZERO
            }

            /// `self + self`.
            #[inline]
            pub fn double(&self) -> Self {
                Self($kernels::double(&self.0))
            }

            /// `self * self`.
            #[inline]
            pub fn square(&self) -> Self {
                Self($kernels::square(&self.0))
            }
        }

        operators! { $Fp, $kernels, Add::add, AddAssign::add_assign }
        operators! { $Fp, $kernels, Sub::sub, SubAssign::sub_assign }
        operators! { $Fp, $kernels, Mul::mul, MulAssign::mul_assign }
        standard_traits! { $Fp, $kernels }
    };
}

/// One operator of two operands, by value and by reference, and its assignment.
macro_rules! operators {
    (
        $Fp:ident, $kernels:ident,
        $Operator:ident :: $operation:ident, $Assign:ident :: $assign:ident
    ) => {
        operators! { @ $Fp, $kernels, $Operator::$operation, $Fp, $Fp }
        operators! { @ $Fp, $kernels, $Operator::$operation, $Fp, &$Fp }
        operators! { @ $Fp, $kernels, $Operator::$operation, &$Fp, $Fp }
        operators! { @ $Fp, $kernels, $Operator::$operation, &$Fp, &$Fp }

        impl core::ops::$Assign for $Fp {
            #[inline]
            fn $assign(&mut self, other: Self) {
                self.0 = $kernels::$operation(&self.0, &other.0);
            }
        }

        impl core::ops::$Assign<&$Fp> for $Fp {
            #[inline]
            fn $assign(&mut self, other: &Self) {
                self.0 = $kernels::$operation(&self.0, &other.0);
            }
        }
    };
    (
        @ $Fp:ident, $kernels:ident, $Operator:ident :: $operation:ident, $Left:ty, $Right:ty
    ) => {
        impl core::ops::$Operator<$Right> for $Left {
            type Output = $Fp;

            #[inline]
            fn $operation(self, other: $Right) -> $Fp {
                $Fp($kernels::$operation(&self.0, &other.0))
            }
        }
    };
}

/// Negation, sums and products, comparison, and printing.
macro_rules! standard_traits {
    ($Fp:ident, $kernels:ident) => {
        impl core::ops::Neg for $Fp {
            type Output = Self;

            #[inline]
            fn neg(self) -> Self {
                Self($kernels::neg(&self.0))
            }
        }

        impl core::ops::Neg for &$Fp {
            type Output = $Fp;

            #[inline]
            fn neg(self) -> $Fp {
                $Fp($kernels::neg(&self.0))
            }
        }

        impl core::iter::Sum for $Fp {
            fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
                terms.fold(Self::ZERO, |total, term| total + term)
            }
        }

        impl core::iter::Product for $Fp {
            fn product<I: Iterator<Item = Self>>(factors: I) -> Self {
                factors.fold(Self::ONE, |total, factor| total * factor)
            }
        }

        /// Compares in the same time for all values.
        impl PartialEq for $Fp {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                $crate::limbs::is_equal(&self.0, &other.0)
            }
        }

        impl Eq for $Fp {}

        impl Default for $Fp {
            fn default() -> Self {
                Self::ZERO
            }
        }

        impl From<u64> for $Fp {
            fn from(value: u64) -> Self {
                Self::from_u64(value)
            }
        }

        /// The number below p in hexadecimal, all its digits.
        impl core::fmt::Display for $Fp {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::limbs::write_hex(&self.to_limbs(), f)
            }
        }

        impl core::fmt::Debug for $Fp {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!(stringify!($Fp), "({})"), self)
            }
        }
    };
}
