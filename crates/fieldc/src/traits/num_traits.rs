//! `num-traits`: 0, 1, inverses, powers and `mul_add`.

/// The traits of `num-traits`.
#[cfg(feature = "num-traits")]
#[doc(hidden)]
#[macro_export]
macro_rules! __num_traits {
    ($Fp:ident) => {
        impl $crate::__private::num_traits::Zero for $Fp {
            #[inline]
            fn zero() -> Self {
                Self::ZERO
            }

            #[inline]
            fn is_zero(&self) -> bool {
                self.is_zero()
            }
        }

        impl $crate::__private::num_traits::ConstZero for $Fp {
            const ZERO: Self = Self::ZERO;
        }

        impl $crate::__private::num_traits::One for $Fp {
            #[inline]
            fn one() -> Self {
                Self::ONE
            }
        }

        impl $crate::__private::num_traits::ConstOne for $Fp {
            const ONE: Self = Self::ONE;
        }

        /// `None` for 0.
        impl $crate::__private::num_traits::Inv for $Fp {
            type Output = ::core::option::Option<Self>;

            #[inline]
            fn inv(self) -> ::core::option::Option<Self> {
                self.invert()
            }
        }

        /// A public exponent.
        impl $crate::__private::num_traits::Pow<u64> for $Fp {
            type Output = Self;

            #[inline]
            fn pow(self, exponent: u64) -> Self {
                self.pow_u64(exponent)
            }
        }

        /// As the type's own `pow`, which `Pow` hides where it is in scope.
        impl $crate::__private::num_traits::Pow<&[u64]> for $Fp {
            type Output = Self;

            #[inline]
            fn pow(self, exponent: &[u64]) -> Self {
                Self::pow(&self, exponent)
            }
        }

        /// The same.
        impl<const K: usize> $crate::__private::num_traits::Pow<&[u64; K]> for $Fp {
            type Output = Self;

            #[inline]
            fn pow(self, exponent: &[u64; K]) -> Self {
                Self::pow(&self, exponent)
            }
        }

        /// As the type's own `mul_add`, which `MulAdd` hides where it is in scope.
        impl $crate::__private::num_traits::MulAdd<&Self, &Self> for $Fp {
            type Output = Self;

            #[inline]
            fn mul_add(self, y: &Self, z: &Self) -> Self {
                Self::mul_add(&self, y, z)
            }
        }

        impl $crate::__private::num_traits::MulAdd for $Fp {
            type Output = Self;

            #[inline]
            fn mul_add(self, y: Self, z: Self) -> Self {
                Self::mul_add(&self, &y, &z)
            }
        }

        impl $crate::__private::num_traits::MulAddAssign for $Fp {
            #[inline]
            fn mul_add_assign(&mut self, y: Self, z: Self) {
                *self = Self::mul_add(self, &y, &z);
            }
        }
    };
}

#[cfg(feature = "num-traits")]
mod extension {
    use crate::Fp2;
    use crate::fp2::HasFp2;
    use num_traits::{ConstOne, ConstZero, Inv, One, Zero};

    impl<F: HasFp2> Zero for Fp2<F> {
        #[inline]
        fn zero() -> Self {
            Self::ZERO
        }

        #[inline]
        fn is_zero(&self) -> bool {
            self.is_zero()
        }
    }

    impl<F: HasFp2> ConstZero for Fp2<F> {
        const ZERO: Self = Self::ZERO;
    }

    impl<F: HasFp2> One for Fp2<F> {
        #[inline]
        fn one() -> Self {
            Self::ONE
        }
    }

    impl<F: HasFp2> ConstOne for Fp2<F> {
        const ONE: Self = Self::ONE;
    }

    /// `None` for 0.
    impl<F: HasFp2> Inv for Fp2<F> {
        type Output = Option<Self>;

        #[inline]
        fn inv(self) -> Option<Self> {
            self.invert()
        }
    }
}

/// Nothing: the feature is off.
#[cfg(not(feature = "num-traits"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __num_traits {
    ($Fp:ident) => {};
}
