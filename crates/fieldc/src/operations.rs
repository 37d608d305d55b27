//! The operations of a field type that are made of products: inverses, powers, roots, sums, and
//! more encodings.

/// Inherent methods of a type that `field!` makes.
#[doc(hidden)]
#[macro_export]
macro_rules! __operations {
    ($Fp:ident) => {
        // SAFETY: it is transparent, and holds limbs only.
        unsafe impl $crate::__private::HasProducts<{ $Fp::LIMBS }> for $Fp {
            type Kernels = $crate::__private::Shape<
                { $Fp::LIMBS },
                { $crate::__private::class::<{ $Fp::LIMBS }, $Fp>() },
            >;
        }

        impl $crate::__private::HasLazy for $Fp {
            type Ring = $crate::__private::LazyRing<
                { $Fp::LIMBS },
                { $crate::__private::lazy_class::<{ $Fp::LIMBS }, $Fp>() },
                $Fp,
            >;
        }

        impl $Fp {
            /// The inverse and true; for 0, which has none, 0 and false.
            ///
            /// It takes the same time for all values.
            #[inline]
            pub fn invert(&self) -> (Self, bool) {
                let (inverse, exists) = $crate::__private::invert::<{ $Fp::LIMBS }, Self>(&self.0);
                (Self(inverse), exists)
            }

            /// Inverts every element, three products for each and one inversion in all. Zeros stay
            /// zeros.
            ///
            /// The scratch space needs as many elements as there are to invert, and what it holds
            /// afterwards follows from them; a shorter one is an error, and nothing has changed.
            /// Time depends on the number of elements only.
            #[inline]
            pub fn batch_invert(
                elements: &mut [Self],
                scratch: &mut [Self],
            ) -> Result<(), $crate::ShortScratch> {
                $crate::__private::batch_invert::<{ $Fp::LIMBS }, Self>(
                    elements,
                    scratch,
                    |element| element.0,
                    Self,
                )
            }

            /// The power with an exponent in limbs, least significant first; x^0 is 1, 0^0 too.
            ///
            /// Time depends on the exponent, which must be no secret, and not on `self`.
            #[inline]
            pub fn pow(&self, exponent: &[u64]) -> Self {
                Self($crate::__private::power::<{ $Fp::LIMBS }, Self>(
                    &self.0, exponent,
                ))
            }

            /// The power with a small exponent, as [`Self::pow`].
            #[inline]
            pub fn pow_u64(&self, exponent: u64) -> Self {
                self.pow(&[exponent])
            }

            /// The power for constants: as [`Self::pow`], but slower, in portable Rust.
            #[inline]
            pub const fn const_pow(&self, exponent: &[u64]) -> Self {
                Self($crate::__private::const_power::<{ $Fp::LIMBS }, Self>(
                    &self.0, exponent,
                ))
            }

            /// Whether this is the square of an element; 0 is.
            ///
            /// It takes the same time for all values.
            #[inline]
            pub fn is_square(&self) -> bool {
                $crate::__private::is_square::<{ $Fp::LIMBS }, Self>(&self.0)
            }

            /// A square root and true; 0 and false if there is none.
            ///
            /// Of the two roots it is the one whose number below p is even. It takes the same time
            /// for all values.
            #[inline]
            pub fn sqrt(&self) -> (Self, bool) {
                let (root, exists) = $crate::__private::sqrt::<{ $Fp::LIMBS }, Self>(&self.0);
                (Self(root), exists)
            }

            /// The sum of products of corresponding elements; every two of them are reduced as one.
            #[inline(always)]
            pub fn sum_of_products<const K: usize>(x: &[Self; K], y: &[Self; K]) -> Self {
                Self($crate::__private::sum_of_products::<{ $Fp::LIMBS }, K, Self>(x, y))
            }

            /// A number of any length modulo p, least significant byte first.
            ///
            /// Time depends on the length only.
            #[inline]
            pub fn from_bytes_wide_le(bytes: &[u8]) -> Self {
                Self($crate::__private::from_bytes_wide_le::<{ $Fp::LIMBS }, Self>(bytes))
            }

            /// A number of any length modulo p, most significant byte first.
            ///
            /// Time depends on the length only.
            #[inline]
            pub fn from_bytes_wide_be(bytes: &[u8]) -> Self {
                Self($crate::__private::from_bytes_wide_be::<{ $Fp::LIMBS }, Self>(bytes))
            }

            /// A random element from a source that fills a slice with random bytes, once.
            ///
            /// If they are uniform, the statistical distance from a uniform element is below
            /// 2^-128.
            #[inline]
            pub fn random_from(fill: impl FnMut(&mut [u8])) -> Self {
                Self($crate::__private::random::<{ $Fp::LIMBS }, Self>(fill))
            }

            /// Decodes hexadecimal digits, which `0x` may precede; refuses a number that is not
            /// below p.
            ///
            /// Time depends on the text.
            #[inline]
            pub const fn from_hex(text: &str) -> Result<Self, $crate::DecodeError> {
                match $crate::__private::from_hex(text, &Self::MODULUS) {
                    Ok(limbs) => Ok(Self(
                        $crate::__private::to_montgomery::<{ $Fp::LIMBS }, Self>(&limbs),
                    )),
                    Err(error) => Err(error),
                }
            }
        }

        /// Decodes decimal digits, or hexadecimal ones after `0x`, as they are printed; refuses a
        /// number that is not below p. Time depends on the text.
        impl core::str::FromStr for $Fp {
            type Err = $crate::DecodeError;

            #[inline]
            fn from_str(text: &str) -> Result<Self, $crate::DecodeError> {
                let limbs = $crate::__private::from_text(text, &Self::MODULUS)?;
                Ok(Self(
                    $crate::__private::to_montgomery::<{ $Fp::LIMBS }, Self>(&limbs),
                ))
            }
        }

        /// The number below p in hexadecimal, all its digits; after `0x` with `#`.
        impl core::fmt::LowerHex for $Fp {
            #[inline]
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::__private::write_hex(&self.to_limbs(), f.alternate(), f)
            }
        }
    };
}
