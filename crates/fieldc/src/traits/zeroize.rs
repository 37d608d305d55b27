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

#[cfg(feature = "zeroize")]
impl<F: crate::lazy_kernels::HasLazy> zeroize::Zeroize for crate::Lazy<F> {
    #[inline]
    fn zeroize(&mut self) {
        self.limbs_mut().zeroize();
    }
}

/// Nothing: the feature is off.
#[cfg(not(feature = "zeroize"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __zeroize {
    ($Fp:ident) => {};
}
