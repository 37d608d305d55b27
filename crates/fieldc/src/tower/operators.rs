//! Operators of Fp6 and Fp12, and the traits that follow from them.

use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Neg;

use super::{Fp6, Fp12, HasTower};
use crate::fp2::Fp2;

macro_rules! common {
    ($Type:ident: $($part:ident),+) => {
        impl<F: HasTower> $Type<F> {
            #[inline]
            fn sum(&self, y: &Self) -> Self {
                Self::new($(&self.$part + &y.$part),+)
            }

            #[inline]
            fn difference(&self, y: &Self) -> Self {
                Self::new($(&self.$part - &y.$part),+)
            }

            #[track_caller]
            fn quotient(&self, y: &Self) -> Self {
                self.product(&y.invert().expect("the divisor is 0"))
            }
        }

        crate::__operators! { [F: HasTower] $Type<F>, sum, Add::add, AddAssign::add_assign }
        crate::__operators! { [F: HasTower] $Type<F>, difference, Sub::sub, SubAssign::sub_assign }
        crate::__operators! { [F: HasTower] $Type<F>, product, Mul::mul, MulAssign::mul_assign }
        crate::__operators! { [F: HasTower] $Type<F>, quotient, Div::div, DivAssign::div_assign }
        crate::__sums! { [F: HasTower] $Type<F> }

        impl<F: HasTower> Neg for $Type<F> {
            type Output = Self;

            #[inline]
            fn neg(self) -> Self {
                Self::new($(-self.$part),+)
            }
        }

        impl<F: HasTower> Neg for &$Type<F> {
            type Output = $Type<F>;

            #[inline]
            fn neg(self) -> $Type<F> {
                -*self
            }
        }

        /// Compares in the same time for all values.
        impl<F: PartialEq> PartialEq for $Type<F> {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                true $(& (self.$part == other.$part))+
            }
        }

        impl<F: Eq> Eq for $Type<F> {}

        impl<F: Hash> Hash for $Type<F> {
            #[inline]
            fn hash<H: Hasher>(&self, state: &mut H) {
                $(self.$part.hash(state);)+
            }
        }

        impl<F: fmt::Display> fmt::Debug for $Type<F> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($Type), "{}"), self)
            }
        }
    };
}

common! { Fp6: c0, c1, c2 }
common! { Fp12: c0, c1 }

/// `(c0 + c1*v + c2*v^2)`.
impl<F: fmt::Display> fmt::Display for Fp6<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} + {}*v + {}*v^2)", self.c0, self.c1, self.c2)
    }
}

/// `(c0 + c1*w)`.
impl<F: fmt::Display> fmt::Display for Fp12<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} + {}*w)", self.c0, self.c1)
    }
}

/// An element of Fp2.
impl<F: HasTower> From<Fp2<F>> for Fp6<F> {
    #[inline]
    fn from(c0: Fp2<F>) -> Self {
        Self::new(c0, Fp2::ZERO, Fp2::ZERO)
    }
}

/// An element of Fp6.
impl<F: HasTower> From<Fp6<F>> for Fp12<F> {
    #[inline]
    fn from(c0: Fp6<F>) -> Self {
        Self::new(c0, Fp6::ZERO)
    }
}

/// An element of Fp2.
impl<F: HasTower> From<Fp2<F>> for Fp12<F> {
    #[inline]
    fn from(c0: Fp2<F>) -> Self {
        Self::from(Fp6::from(c0))
    }
}
