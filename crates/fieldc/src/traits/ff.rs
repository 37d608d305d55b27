//! `ff`, versions 0.14 and 0.13, which differ in how they choose at random.
//!
//! Some methods of these traits have the names of the elements' own, and a call on a known type
//! takes the own one: `x.invert()` is an `Option` there and a `CtOption` in generic code. What the
//! two have in common, such as `unwrap`, reads the same.

/// The traits of `ff` 0.14.
#[cfg(feature = "ff")]
#[doc(hidden)]
#[macro_export]
macro_rules! __ff {
    ($Fp:ident $(, $generator:literal)?) => {
        $crate::__ff_field! { $Fp, ff_0_14,
            #[inline]
            fn try_random<R: $crate::__private::rand_core::TryRng + ?Sized>(
                rng: &mut R,
            ) -> ::core::result::Result<Self, R::Error> {
                Self::try_from_rng(rng)
            }
        }
        $($crate::__ff_prime_field! { $Fp, ff_0_14, $generator })?
    };
}

/// Nothing: the feature is off.
#[cfg(not(feature = "ff"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __ff {
    ($($ignored:tt)*) => {};
}

/// The traits of `ff` 0.13.
#[cfg(feature = "ff-0-13")]
#[doc(hidden)]
#[macro_export]
macro_rules! __ff_0_13 {
    ($Fp:ident $(, $generator:literal)?) => {
        $crate::__ff_field! { $Fp, ff_0_13,
            #[inline]
            fn random(mut rng: impl $crate::__private::rand_core_0_6::RngCore) -> Self {
                let Ok(limbs) = $crate::__private::try_random::<
                    { $Fp::LIMBS },
                    { $Fp::BYTES },
                    Self,
                    ::core::convert::Infallible,
                >(|bytes| Ok(rng.fill_bytes(bytes)));
                Self($crate::__private::to_montgomery::<{ $Fp::LIMBS }, Self>(&limbs))
            }
        }
        $($crate::__ff_prime_field! { $Fp, ff_0_13, $generator })?
    };
}

/// Nothing: the feature is off.
#[cfg(not(feature = "ff-0-13"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __ff_0_13 {
    ($($ignored:tt)*) => {};
}

/// `Field` of one version, with its form of the random choice.
#[doc(hidden)]
#[macro_export]
macro_rules! __ff_field {
    ($Fp:ident, $ff:ident, $($random:tt)+) => {
        impl $crate::__private::$ff::Field for $Fp {
            const ZERO: Self = Self::ZERO;
            const ONE: Self = Self::ONE;

            $($random)+

            #[inline]
            fn square(&self) -> Self {
                self.square()
            }

            #[inline]
            fn double(&self) -> Self {
                self.double()
            }

            #[inline]
            fn invert(&self) -> $crate::__private::subtle::CtOption<Self> {
                let (inverse, exists) = self.invert_ct();
                $crate::__private::subtle::CtOption::new(inverse, u8::from(exists).into())
            }

            #[inline]
            fn sqrt(&self) -> $crate::__private::subtle::CtOption<Self> {
                let (root, exists) = self.sqrt_ct();
                $crate::__private::subtle::CtOption::new(root, u8::from(exists).into())
            }

            #[inline]
            fn sqrt_ratio(num: &Self, div: &Self) -> ($crate::__private::subtle::Choice, Self) {
                use $crate::__private::subtle::ConditionallySelectable as _;

                if Self::MODULUS[0] % 4 == 3 {
                    // (p - 3)/4: the square of w, times div, is num or -num.
                    const POWER: [u64; $Fp::LIMBS] = $crate::__private::shifted(&$Fp::MODULUS, 2);
                    let product = *num * div;
                    let w = product * (product * div.square()).pow(&POWER);
                    return (u8::from(w.square() * div == *num).into(), w);
                }
                const NON_RESIDUE: $Fp = $Fp::from_u64(
                    $crate::__private::least_non_residue::<{ $Fp::LIMBS }, $Fp>(),
                );
                let (inverse, has_inverse) = div.invert_ct();
                let ratio = *num * inverse;
                let is_square = $crate::__private::subtle::Choice::from(u8::from(ratio.is_square() | ratio.is_zero()));
                let square = Self::conditional_select(&(ratio * NON_RESIDUE), &ratio, is_square);
                let is_ratio = $crate::__private::subtle::Choice::from(u8::from(has_inverse | num.is_zero()));
                (is_square & is_ratio, square.sqrt_ct().0)
            }

            #[inline]
            fn pow_vartime<S: ::core::convert::AsRef<[u64]>>(&self, exponent: S) -> Self {
                self.pow(exponent.as_ref())
            }
        }
    };
}

/// `PrimeField` of one version and what belongs to it.
#[doc(hidden)]
#[macro_export]
macro_rules! __ff_prime_field {
    ($Fp:ident, $ff:ident, $generator:literal) => {
        /// Encodings have the least significant byte first.
        impl $crate::__private::$ff::PrimeField for $Fp {
            type Repr =
                <$crate::__private::Encodings<{ $Fp::BYTES }> as $crate::__private::Encoding<
                    { $Fp::BYTES },
                >>::Repr;

            #[inline]
            fn from_repr(encoding: Self::Repr) -> $crate::__private::subtle::CtOption<Self> {
                use $crate::__private::subtle::ConditionallySelectable as _;

                let bytes =
                    <$crate::__private::Encodings<{ $Fp::BYTES }> as $crate::__private::Encoding<
                        { $Fp::BYTES },
                    >>::unpack(&encoding);
                let mut limbs = $crate::__private::from_bytes_le(bytes);
                let less = $crate::__private::is_less(&limbs, &Self::MODULUS);
                let less = $crate::__private::subtle::Choice::from(u8::from(less));
                for limb in &mut limbs {
                    limb.conditional_assign(&0, !less);
                }
                $crate::__private::subtle::CtOption::new(
                    Self($crate::__private::to_montgomery::<{ $Fp::LIMBS }, Self>(
                        &limbs,
                    )),
                    less,
                )
            }

            #[inline]
            fn to_repr(&self) -> Self::Repr {
                <$crate::__private::Encodings<{ $Fp::BYTES }> as $crate::__private::Encoding<
                    { $Fp::BYTES },
                >>::pack(self.to_bytes_le())
            }

            #[inline]
            fn is_odd(&self) -> $crate::__private::subtle::Choice {
                ((self.to_limbs()[0] & 1) as u8).into()
            }

            const MODULUS: &'static str = {
                const DIGITS: [u8; 2 + 2 * $Fp::BYTES] = $crate::__private::hex(&$Fp::MODULUS);
                $crate::__private::text(&DIGITS)
            };
            const NUM_BITS: u32 = Self::BITS;
            const CAPACITY: u32 = Self::BITS - 1;
            const TWO_INV: Self = Self::TWO_INV;
            const MULTIPLICATIVE_GENERATOR: Self = Self::GENERATOR;
            const S: u32 = Self::TWO_ADICITY;
            const ROOT_OF_UNITY: Self = Self::root_of_unity();
            const ROOT_OF_UNITY_INV: Self = Self::root_of_unity_inverse();
            const DELTA: Self =
                Self($crate::__private::Generated::<{ $Fp::LIMBS }, $generator, Self>::DELTA);
        }

        /// The order is 3 where it divides p - 1, else 2.
        impl $crate::__private::$ff::WithSmallOrderMulGroup<{ $Fp::SMALL_ORDER }> for $Fp {
            const ZETA: Self =
                Self($crate::__private::Generated::<{ $Fp::LIMBS }, $generator, Self>::ZETA);
        }

        /// For every number of bytes that is large enough: at least 128 bits more than p has. Fewer
        /// are an error of the compiler.
        impl<const N: usize> $crate::__private::$ff::FromUniformBytes<{ N }> for $Fp {
            #[inline]
            fn from_uniform_bytes(bytes: &[u8; N]) -> Self {
                const { assert!(8 * N >= $Fp::BITS as usize + 128, "too few bytes") };
                Self::from_bytes_wide_le(bytes)
            }
        }

        $crate::__ff_bits! { $Fp, $ff }
    };
}

/// `PrimeFieldBits` of one version.
#[cfg(feature = "bits")]
#[doc(hidden)]
#[macro_export]
macro_rules! __ff_bits {
    ($Fp:ident, $ff:ident) => {
        impl $crate::__private::$ff::PrimeFieldBits for $Fp {
            type ReprBits = [u8; $Fp::BYTES];

            #[inline]
            fn to_le_bits(&self) -> $crate::__private::$ff::FieldBits<Self::ReprBits> {
                $crate::__private::$ff::FieldBits::new(self.to_bytes_le())
            }

            #[inline]
            fn char_le_bits() -> $crate::__private::$ff::FieldBits<Self::ReprBits> {
                $crate::__private::$ff::FieldBits::new($crate::__private::to_bytes_le(
                    &Self::MODULUS,
                ))
            }
        }
    };
}

/// Nothing: the feature is off.
#[cfg(not(feature = "bits"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __ff_bits {
    ($($ignored:tt)*) => {};
}
