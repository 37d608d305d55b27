//! `rand_core`: elements chosen at random.

/// A number below p, chosen uniformly: bytes are drawn until they hold one, at most twice on
/// average. How often depends on the rejected bytes alone.
#[cfg(any(feature = "rand_core", feature = "ff-0-13"))]
pub fn try_random<const N: usize, const B: usize, M: crate::Modulus<N>, E>(
    mut fill: impl FnMut(&mut [u8]) -> Result<(), E>,
) -> Result<[u64; N], E> {
    loop {
        let mut bytes = [0; B];
        fill(&mut bytes)?;
        bytes[B - 1] &= 0xff >> (8 * B as u32 - M::BITS);
        let limbs = crate::limbs::from_bytes_le(&bytes);
        if crate::limbs::is_less(&limbs, &M::P) {
            return Ok(limbs);
        }
    }
}

/// Random elements from generators of `rand_core`.
#[cfg(feature = "rand_core")]
#[doc(hidden)]
#[macro_export]
macro_rules! __rand_core {
    ($Fp:ident, $fence:literal) => {
        impl $Fp {
            /// An element chosen uniformly at random.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            /// use rand_core::Rng;
            ///
            /// fn pair<R: Rng>(rng: &mut R) -> [Fp; 2] {
            ///     [Fp::from_rng(rng), Fp::from_rng(rng)]
            /// }
            /// ```
            #[inline]
            pub fn from_rng<R: $crate::__private::rand_core::Rng + ?Sized>(rng: &mut R) -> Self {
                let Ok(element) = Self::try_from_rng(rng);
                element
            }

            /// An element chosen uniformly at random, or the generator's error.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            /// use rand_core::TryRng;
            ///
            /// fn pair<R: TryRng>(rng: &mut R) -> Result<[Fp; 2], R::Error> {
            ///     Ok([Fp::try_from_rng(rng)?, Fp::try_from_rng(rng)?])
            /// }
            /// ```
            ///
            /// # Errors
            /// If the generator fails.
            #[inline]
            pub fn try_from_rng<R: $crate::__private::rand_core::TryRng + ?Sized>(
                rng: &mut R,
            ) -> ::core::result::Result<Self, R::Error> {
                $crate::__private::try_random::<{ Self::LIMBS }, { Self::BYTES }, Self, _>(
                    |bytes| rng.try_fill_bytes(bytes),
                )
                .map(|limbs| {
                    Self($crate::__private::to_montgomery::<{ Self::LIMBS }, Self>(
                        &limbs,
                    ))
                })
            }
        }
    };
}

/// Nothing: the feature is off.
#[cfg(not(feature = "rand_core"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __rand_core {
    ($Fp:ident, $fence:literal) => {};
}
