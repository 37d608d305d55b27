//! `zeroize`: elements that are erased.

/// The traits of `zeroize`.
#[cfg(feature = "zeroize")]
#[doc(hidden)]
#[macro_export]
macro_rules! __zeroize {
    ($Fp:ident) => {
        impl $crate::__private::zeroize::DefaultIsZeroes for $Fp {}
    };
}

/// Nothing: the feature is off.
#[cfg(not(feature = "zeroize"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __zeroize {
    ($Fp:ident) => {};
}
