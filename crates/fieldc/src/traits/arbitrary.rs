//! `arbitrary`: elements from the bytes of a fuzzer.

/// `Arbitrary` of `arbitrary`.
#[cfg(feature = "arbitrary")]
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary {
    ($Fp:ident) => {
        /// The number that as many bytes say as an encoding has, modulo p: so a fuzzer reaches
        /// every element.
        impl<'a> $crate::__private::arbitrary::Arbitrary<'a> for $Fp {
            #[inline]
            fn arbitrary(
                source: &mut $crate::__private::arbitrary::Unstructured<'a>,
            ) -> $crate::__private::arbitrary::Result<Self> {
                Ok(Self::from_bytes_wide_le(&<[u8; $Fp::BYTES]>::arbitrary(
                    source,
                )?))
            }

            #[inline]
            fn size_hint(_: usize) -> (usize, ::core::option::Option<usize>) {
                (Self::BYTES, Some(Self::BYTES))
            }
        }
    };
}

/// Both parts.
#[cfg(feature = "arbitrary")]
impl<'a, F: arbitrary::Arbitrary<'a>> arbitrary::Arbitrary<'a> for crate::Fp2<F> {
    #[inline]
    fn arbitrary(source: &mut arbitrary::Unstructured<'a>) -> arbitrary::Result<Self> {
        <[F; 2]>::arbitrary(source).map(Self::from)
    }

    #[inline]
    fn size_hint(depth: usize) -> (usize, Option<usize>) {
        <[F; 2]>::size_hint(depth)
    }
}

/// Nothing: the feature is off.
#[cfg(not(feature = "arbitrary"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __arbitrary {
    ($Fp:ident) => {};
}
