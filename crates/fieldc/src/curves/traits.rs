//! Traits of `subtle` and `zeroize` for points, each behind its feature.

#[cfg(feature = "subtle")]
mod of_subtle {
    use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};

    use crate::curves::{Affine, Curve, Jacobian};

    impl<C: Curve> ConstantTimeEq for Affine<C> {
        #[inline]
        fn ct_eq(&self, other: &Self) -> Choice {
            Choice::from(u8::from(self == other))
        }
    }

    impl<C: Curve> ConditionallySelectable for Affine<C> {
        #[inline]
        fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
            Self::select(choice.into(), b, a)
        }
    }

    /// Compares the points.
    impl<C: Curve> ConstantTimeEq for Jacobian<C> {
        #[inline]
        fn ct_eq(&self, other: &Self) -> Choice {
            Choice::from(u8::from(self == other))
        }
    }

    impl<C: Curve> ConditionallySelectable for Jacobian<C> {
        #[inline]
        fn conditional_select(a: &Self, b: &Self, choice: Choice) -> Self {
            Self::select(choice.into(), b, a)
        }
    }
}

#[cfg(feature = "zeroize")]
mod of_zeroize {
    use zeroize::Zeroize;

    use crate::curves::{Affine, Curve, Jacobian};

    /// Makes it (0, 0), which is no point.
    impl<C: Curve<Base: Zeroize>> Zeroize for Affine<C> {
        #[inline]
        fn zeroize(&mut self) {
            self.x.zeroize();
            self.y.zeroize();
            self.is_infinity.zeroize();
        }
    }

    /// Makes it infinity.
    impl<C: Curve<Base: Zeroize>> Zeroize for Jacobian<C> {
        #[inline]
        fn zeroize(&mut self) {
            self.x.zeroize();
            self.y.zeroize();
            self.z.zeroize();
        }
    }
}
