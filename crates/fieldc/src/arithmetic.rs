//! The ring operations of a field type: what its operators call.

/// Sums, products and squares.
#[doc(hidden)]
#[macro_export]
macro_rules! __arithmetic {
    ($Fp:ident, $fence:literal) => {
        impl $Fp {
            /// `self + self`.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_u64(3).double(), Fp::from_u64(6));
            /// ```
            #[inline]
            pub fn double(&self) -> Self {
                self.sum(self)
            }

            /// `self * self`.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// assert_eq!(Fp::from_u64(3).square(), Fp::from_u64(9));
            /// ```
            #[inline]
            pub fn square(&self) -> Self {
                Self($crate::__private::square::<
                    { $Fp::LIMBS },
                    { $crate::__private::class::<{ $Fp::LIMBS }, $Fp>() },
                    Self,
                >(&self.0))
            }

            /// `*self *= *self`.
            ///
            #[doc = $fence]
            /// use fieldc::bn254::Fp;
            ///
            /// let mut x = Fp::from_u64(3);
            /// x.square_in_place();
            /// assert_eq!(x, Fp::from_u64(9));
            /// ```
            #[inline]
            pub fn square_in_place(&mut self) {
                $crate::__private::square_in_place::<
                    { $Fp::LIMBS },
                    { $crate::__private::class::<{ $Fp::LIMBS }, $Fp>() },
                    Self,
                >(&mut self.0);
            }

            #[inline]
            fn sum(&self, other: &Self) -> Self {
                Self($crate::__private::add::<
                    { $Fp::LIMBS },
                    { $crate::__private::class::<{ $Fp::LIMBS }, $Fp>() },
                    Self,
                >(&self.0, &other.0))
            }

            #[inline]
            fn difference(&self, other: &Self) -> Self {
                Self($crate::__private::sub::<
                    { $Fp::LIMBS },
                    { $crate::__private::class::<{ $Fp::LIMBS }, $Fp>() },
                    Self,
                >(&self.0, &other.0))
            }

            #[inline]
            fn product(&self, other: &Self) -> Self {
                Self($crate::__private::mul::<
                    { $Fp::LIMBS },
                    { $crate::__private::class::<{ $Fp::LIMBS }, $Fp>() },
                    Self,
                >(&self.0, &other.0))
            }

            /// `*self *= other`.
            #[inline]
            fn multiply_by(&mut self, other: &Self) {
                $crate::__private::mul_in_place::<
                    { $Fp::LIMBS },
                    { $crate::__private::class::<{ $Fp::LIMBS }, $Fp>() },
                    Self,
                >(&mut self.0, &other.0);
            }

            /// The same, loaded and stored limb by limb, as products store their results.
            #[inline(always)]
            fn by_limbs(self) -> Self {
                Self($crate::__private::one_by_one(self.0))
            }

            #[inline]
            #[track_caller]
            fn quotient(&self, other: &Self) -> Self {
                let inverse = other.invert().expect("the divisor is 0");
                self.product(&inverse)
            }
        }
    };
}
