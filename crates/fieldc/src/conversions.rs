//! Numbers of other types as elements, order, hashes and division.

/// Conversions, comparison and division of a type that `field!` makes.
#[doc(hidden)]
#[macro_export]
macro_rules! __conversions {
    ($Fp:ident) => {
        $crate::__from_unsigned! { $Fp, bool u8 u16 u32 u64 u128 usize }
        $crate::__from_signed! { $Fp, i8 i16 i32 i64 i128 isize }

        /// Decodes a number below p, least significant byte first, as
        #[doc = concat!("[`from_bytes_le`](", stringify!($Fp), "::from_bytes_le).")]
        impl ::core::convert::TryFrom<[u8; $Fp::BYTES]> for $Fp {
            type Error = $crate::DecodeError;

            #[inline]
            fn try_from(
                bytes: [u8; $Fp::BYTES],
            ) -> ::core::result::Result<Self, $crate::DecodeError> {
                Self::from_byte_array_le(&bytes)
            }
        }

        /// Decodes a number below p, least significant byte first, as
        #[doc = concat!("[`from_bytes_le`](", stringify!($Fp), "::from_bytes_le).")]
        impl ::core::convert::TryFrom<&[u8; $Fp::BYTES]> for $Fp {
            type Error = $crate::DecodeError;

            #[inline]
            fn try_from(
                bytes: &[u8; $Fp::BYTES],
            ) -> ::core::result::Result<Self, $crate::DecodeError> {
                Self::from_byte_array_le(bytes)
            }
        }

        /// Decodes a number below p, least significant byte first, as
        #[doc = concat!("[`from_bytes_le`](", stringify!($Fp), "::from_bytes_le).")]
        impl ::core::convert::TryFrom<&[u8]> for $Fp {
            type Error = $crate::DecodeError;

            #[inline]
            fn try_from(bytes: &[u8]) -> ::core::result::Result<Self, $crate::DecodeError> {
                Self::from_bytes_le(bytes)
            }
        }

        /// Encodes the number below p, least significant byte first.
        impl ::core::convert::From<$Fp> for [u8; $Fp::BYTES] {
            #[inline]
            fn from(element: $Fp) -> Self {
                element.to_bytes_le()
            }
        }

        /// The order of the numbers below p. It is compared in the same time for all values; what
        /// the program does with the result is its own matter.
        impl ::core::cmp::Ord for $Fp {
            #[inline]
            fn cmp(&self, other: &Self) -> ::core::cmp::Ordering {
                let (x, y) = (self.to_limbs(), other.to_limbs());
                let greater = $crate::__private::is_less(&y, &x);
                let less = $crate::__private::is_less(&x, &y);
                (greater as i8 - less as i8).cmp(&0)
            }
        }

        impl ::core::cmp::PartialOrd for $Fp {
            #[inline]
            fn partial_cmp(&self, other: &Self) -> ::core::option::Option<::core::cmp::Ordering> {
                Some(self.cmp(other))
            }
        }

        /// An element has one form, so equal elements have equal hashes.
        impl ::core::hash::Hash for $Fp {
            #[inline]
            fn hash<H: ::core::hash::Hasher>(&self, state: &mut H) {
                self.0.hash(state);
            }
        }
    };
}

/// Numbers that are not negative.
#[doc(hidden)]
#[macro_export]
macro_rules! __from_unsigned {
    ($Fp:ident, $($Number:ident)+) => {
        $(
            impl ::core::convert::From<$Number> for $Fp {
                #[inline]
                fn from(number: $Number) -> Self {
                    $crate::__from_unsigned!(@ $Number, number)
                }
            }
        )+
    };
    (@ u128, $number:ident) => { Self::from_u128($number) };
    (@ $Number:ident, $number:ident) => { Self::from_u64($number as u64) };
}

/// Numbers that may be negative: -1 is p - 1.
#[doc(hidden)]
#[macro_export]
macro_rules! __from_signed {
    ($Fp:ident, $($Number:ident)+) => {
        $(
            impl ::core::convert::From<$Number> for $Fp {
                #[inline]
                fn from(number: $Number) -> Self {
                    let magnitude = Self::from(number.unsigned_abs());
                    Self::select(number < 0, &-magnitude, &magnitude)
                }
            }
        )+
    };
}
