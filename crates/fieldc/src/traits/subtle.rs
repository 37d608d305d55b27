//! `subtle`: comparison and selection whose results stay secret.

/// The traits of `subtle`.
#[cfg(feature = "subtle")]
#[doc(hidden)]
#[macro_export]
macro_rules! __subtle {
    ($Fp:ident) => {
        impl $crate::__private::subtle::ConstantTimeEq for $Fp {
            #[inline]
            fn ct_eq(&self, other: &Self) -> $crate::__private::subtle::Choice {
                $crate::__private::subtle::ConstantTimeEq::ct_eq(&self.0[..], &other.0[..])
            }
        }

        impl $crate::__private::subtle::ConditionallySelectable for $Fp {
            #[inline]
            fn conditional_select(
                a: &Self,
                b: &Self,
                choice: $crate::__private::subtle::Choice,
            ) -> Self {
                let mut chosen = *a;
                for (limb, other) in chosen.0.iter_mut().zip(&b.0) {
                    $crate::__private::subtle::ConditionallySelectable::conditional_assign(
                        limb, other, choice,
                    );
                }
                chosen
            }
        }

        /// Compares the numbers below p.
        impl $crate::__private::subtle::ConstantTimeGreater for $Fp {
            #[inline]
            fn ct_gt(&self, other: &Self) -> $crate::__private::subtle::Choice {
                $crate::__private::subtle::ConstantTimeLess::ct_lt(other, self)
            }
        }

        /// Compares the numbers below p.
        impl $crate::__private::subtle::ConstantTimeLess for $Fp {
            #[inline]
            fn ct_lt(&self, other: &Self) -> $crate::__private::subtle::Choice {
                let less = $crate::__private::is_less(&self.to_limbs(), &other.to_limbs());
                $crate::__private::subtle::Choice::from(u8::from(less))
            }
        }
    };
}

#[cfg(feature = "subtle")]
mod generic {
    use crate::lazy_kernels::HasLazy;
    use crate::{Fp2, Lazy};
    use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

    impl<F: ConstantTimeEq> ConstantTimeEq for Fp2<F> {
        #[inline]
        fn ct_eq(&self, other: &Self) -> Choice {
            self.c0.ct_eq(&other.c0) & self.c1.ct_eq(&other.c1)
        }
    }

    impl<F: ConditionallySelectable> ConditionallySelectable for Fp2<F> {
        #[inline]
        fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
            Self {
                c0: F::conditional_select(&a.c0, &b.c0, choice),
                c1: F::conditional_select(&a.c1, &b.c1, choice),
            }
        }
    }

    /// Reduces both.
    impl<F: HasLazy> ConstantTimeEq for Lazy<F> {
        #[inline]
        fn ct_eq(&self, other: &Self) -> Choice {
            Choice::from(u8::from(self == other))
        }
    }

    impl<F: HasLazy> ConditionallySelectable for Lazy<F> {
        #[inline]
        fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
            let mut chosen = *a;
            for (limb, other) in chosen.limbs_mut().iter_mut().zip(b.limbs()) {
                limb.conditional_assign(other, choice);
            }
            chosen
        }
    }
}

/// Nothing: the feature is off.
#[cfg(not(feature = "subtle"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __subtle {
    ($Fp:ident) => {};
}
