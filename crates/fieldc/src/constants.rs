//! What a type that `field!` makes has for constants: arithmetic, and the roots of unity.

/// Arithmetic in `const`, and constants that follow from the modulus.
#[doc(hidden)]
#[macro_export]
macro_rules! __constants {
    ($Fp:ident, $fence:literal $(, $generator:literal)?) => {
        impl $Fp {
            $(
                /// A generator of the multiplicative group.
                pub const GENERATOR: Self = Self::from_u64($generator);
            )?
            /// The largest s for which 2^s divides p - 1.
            pub const TWO_ADICITY: u32 =
                $crate::__private::two_adicity::<{ $Fp::LIMBS }, Self>();
            /// 3 where it divides p - 1, else 2.
            #[doc(hidden)]
            pub const SMALL_ORDER: u8 =
                $crate::__private::small_order::<{ $Fp::LIMBS }, Self>();
            /// An element of order 2^s, where s is [`TWO_ADICITY`](Self::TWO_ADICITY): the power
            /// (p - 1)/2^s of the generator that the field was given, else of its least
            /// non-residue.
            pub const ROOT_OF_UNITY: Self = Self::root_of_unity();
            /// The inverse of [`ROOT_OF_UNITY`](Self::ROOT_OF_UNITY).
            pub const ROOT_OF_UNITY_INV: Self = Self::root_of_unity_inverse();
            /// The inverse of 2.
            pub const TWO_INV: Self =
                Self($crate::__private::two_inverse::<{ $Fp::LIMBS }, Self>());

            /// An element of order 2^k; `None` for k above [`TWO_ADICITY`](Self::TWO_ADICITY).
            ///
            #[doc = $fence]
            /// use fieldc::bls12_381::Fr;
            ///
            /// let root = Fr::primitive_root_of_unity(3).unwrap();
            /// assert_eq!(root.pow_u64(4), -Fr::ONE);
            /// assert_eq!(Fr::primitive_root_of_unity(33), None);
            /// ```
            #[inline]
            pub fn primitive_root_of_unity(k: u32) -> ::core::option::Option<Self> {
                let squares = Self::TWO_ADICITY.checked_sub(k)?;
                Some((0..squares).fold(Self::root_of_unity(), |root, _| root.square()))
            }

            /// [`ROOT_OF_UNITY`](Self::ROOT_OF_UNITY). The compiler evaluates every constant that a
            /// body names at once, and one that a called function names where a program needs it.
            #[doc(hidden)]
            #[inline]
            pub const fn root_of_unity() -> Self {
                Self(<$crate::__root!($Fp $(, $generator)?)>::root())
            }

            /// [`ROOT_OF_UNITY_INV`](Self::ROOT_OF_UNITY_INV) likewise.
            #[doc(hidden)]
            #[inline]
            pub const fn root_of_unity_inverse() -> Self {
                Self(<$crate::__root!($Fp $(, $generator)?)>::root_inverse())
            }

            /// `self + other` for constants: slower than the operator, in portable Rust.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// const FIVE: Fp = Fp::from_u64(2).const_add(&Fp::from_u64(3));
            /// assert_eq!(FIVE, Fp::from_u64(5));
            /// ```
            #[inline]
            pub const fn const_add(&self, other: &Self) -> Self {
                Self($crate::__private::const_add::<{ $Fp::LIMBS }, Self>(
                    &self.0, &other.0,
                ))
            }

            /// `self - other` for constants: slower than the operator, in portable Rust.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// const MINUS_ONE: Fp = Fp::from_u64(2).const_sub(&Fp::from_u64(3));
            /// assert_eq!(MINUS_ONE, -Fp::ONE);
            /// ```
            #[inline]
            pub const fn const_sub(&self, other: &Self) -> Self {
                Self($crate::__private::const_sub::<{ $Fp::LIMBS }, Self>(
                    &self.0, &other.0,
                ))
            }

            /// `-self` for constants: slower than the operator, in portable Rust.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// const MINUS_ONE: Fp = Fp::ONE.const_neg();
            /// assert_eq!(MINUS_ONE, -Fp::ONE);
            /// ```
            #[inline]
            pub const fn const_neg(&self) -> Self {
                Self::ZERO.const_sub(self)
            }

            /// `self * other` for constants: slower than the operator, in portable Rust.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// const SIX: Fp = Fp::from_u64(2).const_mul(&Fp::from_u64(3));
            /// assert_eq!(SIX, Fp::from_u64(6));
            /// ```
            #[inline]
            pub const fn const_mul(&self, other: &Self) -> Self {
                Self($crate::__private::const_mul::<{ $Fp::LIMBS }, Self>(
                    &self.0, &other.0,
                ))
            }

            /// `self * self` for constants: slower than [`square`](Self::square), in portable Rust.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// const NINE: Fp = Fp::from_u64(3).const_square();
            /// assert_eq!(NINE, Fp::from_u64(9));
            /// ```
            #[inline]
            pub const fn const_square(&self) -> Self {
                self.const_mul(self)
            }

            /// The inverse for constants; `None` for 0. **Time depends on the value.**
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// const THIRD: Fp = Fp::from_u64(3).const_invert().unwrap();
            /// assert_eq!(THIRD * Fp::from_u64(3), Fp::ONE);
            /// ```
            #[inline]
            pub const fn const_invert(&self) -> ::core::option::Option<Self> {
                match $crate::__private::const_invert::<{ $Fp::LIMBS }, Self>(&self.0) {
                    Some(inverse) => Some(Self(inverse)),
                    None => None,
                }
            }

            /// The power for constants: as [`pow`](Self::pow), but slower, in portable Rust.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// const EIGHT: Fp = Fp::from_u64(2).const_pow(&[3]);
            /// assert_eq!(EIGHT, Fp::from_u64(8));
            /// ```
            #[inline]
            pub const fn const_pow(&self, exponent: &[u64]) -> Self {
                Self($crate::__private::const_power::<{ $Fp::LIMBS }, Self>(
                    &self.0, exponent,
                ))
            }

            /// Decodes decimal digits, or hexadecimal ones after `0x`, as `parse` does: for
            /// constants.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// const X: Fp = match Fp::const_from_str("0xff") {
            ///     Ok(x) => x,
            ///     Err(_) => panic!("no number below p"),
            /// };
            /// assert_eq!(X, Fp::from_u64(255));
            /// ```
            ///
            /// # Errors
            /// If the text has no digits, or something that is no digit, or if the number is not
            /// below p.
            #[inline]
            pub const fn const_from_str(
                text: &str,
            ) -> ::core::result::Result<Self, $crate::DecodeError> {
                match $crate::__private::from_text(text, &Self::MODULUS) {
                    Ok(limbs) => Ok(Self(
                        $crate::__private::to_montgomery::<{ $Fp::LIMBS }, Self>(&limbs),
                    )),
                    Err(error) => Err(error),
                }
            }
        }
    };
}

/// What has the root of unity that follows from the generator, or from the least non-residue.
#[doc(hidden)]
#[macro_export]
macro_rules! __root {
    ($Fp:ident) => {
        $crate::__private::LeastRoot<{ $Fp::LIMBS }, Self>
    };
    ($Fp:ident, $generator:literal) => {
        $crate::__private::Generated<{ $Fp::LIMBS }, $generator, Self>
    };
}
