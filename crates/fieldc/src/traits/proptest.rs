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
                use $crate::__private::proptest::arbitrary::any;
                use $crate::__private::proptest::strategy::Strategy;

                let all = any::<[u8; $Fp::BYTES]>();
                let all = all.prop_map(|bytes| Self::from_bytes_wide_le(&bytes));
                let edges = any::<i8>().prop_map(Self::from);
                $crate::__private::proptest::prop_oneof![3 => all, 1 => edges].boxed()
            }
        }
    };
}

/// Nothing: the feature is off.
#[cfg(not(feature = "proptest"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __proptest {
    ($Fp:ident) => {};
}
