//! `proptest`: elements for tests of properties.

/// `Arbitrary` of `proptest`.
#[cfg(feature = "proptest")]
#[doc(hidden)]
#[macro_export]
macro_rules! __proptest {
    ($Fp:ident) => {
        /// All elements alike, and now and then small ones and those close to p.
        impl $crate::__private::proptest::arbitrary::Arbitrary for $Fp {
            type Parameters = ();
            type Strategy = $crate::__private::proptest::strategy::BoxedStrategy<Self>;

            #[inline]
            fn arbitrary_with((): ()) -> Self::Strategy {
                use $crate::__private::proptest::strategy::Strategy as _;

                let all = $crate::__private::proptest::arbitrary::any::<[u8; $Fp::BYTES]>();
                let all = all.prop_map(|bytes| Self::from_bytes_wide_le(&bytes));
                let edges = $crate::__private::proptest::arbitrary::any::<i8>();
                let edges = edges.prop_map(Self::from);
                $crate::__private::proptest::prop_oneof![3 => all, 1 => edges].boxed()
            }
        }
    };
}

/// Both parts.
#[cfg(feature = "proptest")]
impl<F> proptest::arbitrary::Arbitrary for crate::Fp2<F>
where
    F: proptest::arbitrary::Arbitrary<Parameters = (), Strategy: 'static> + crate::fp2::HasFp2,
{
    type Parameters = ();
    type Strategy = proptest::strategy::BoxedStrategy<Self>;

    #[inline]
    fn arbitrary_with((): ()) -> Self::Strategy {
        use proptest::strategy::Strategy;

        proptest::arbitrary::any::<[F; 2]>()
            .prop_map(Self::from)
            .boxed()
    }
}

/// Nothing: the feature is off.
#[cfg(not(feature = "proptest"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __proptest {
    ($Fp:ident) => {};
}
