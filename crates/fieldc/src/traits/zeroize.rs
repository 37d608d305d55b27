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

#[cfg(feature = "zeroize")]
impl<F: zeroize::Zeroize> zeroize::Zeroize for crate::Fp2<F> {
    #[inline]
    fn zeroize(&mut self) {
        self.c0.zeroize();
        self.c1.zeroize();
    }
}

/// Nothing: the feature is off.
#[cfg(not(feature = "zeroize"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __zeroize {
    ($Fp:ident) => {};
}
