//! Operators on points.

use core::borrow::Borrow;
use core::iter::Sum;
use core::ops::{Mul, MulAssign, Neg};

use super::{Affine, Curve, Jacobian};

impl<C: Curve> Neg for Affine<C> {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { y: -self.y, ..self }
    }
}

impl<C: Curve> Neg for Jacobian<C> {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self { y: -self.y, ..self }
    }
}

impl<C: Curve> Jacobian<C> {
    #[inline]
    fn difference(&self, other: &Self) -> Self {
        self.sum(&-*other)
    }

    #[inline]
    fn difference_mixed(&self, other: &Affine<C>) -> Self {
        self.sum_mixed(&-*other)
    }
}

impl<C: Curve> Affine<C> {
    #[inline]
    fn sum(&self, other: &Self) -> Jacobian<C> {
        Jacobian::from(*self).sum_mixed(other)
    }

    #[inline]
    fn difference(&self, other: &Self) -> Jacobian<C> {
        Jacobian::from(*self).sum_mixed(&-*other)
    }

    #[inline]
    fn multiple(&self, scalar: &C::Scalar) -> Jacobian<C> {
        Jacobian::from(*self).multiple(scalar)
    }
}

crate::__operators! { [C: Curve] Jacobian<C>, sum, Add::add, AddAssign::add_assign }
crate::__operators! { [C: Curve] Jacobian<C>, difference, Sub::sub, SubAssign::sub_assign }

/// An operator for a left and a right operand, by value and by reference; the result is Jacobian.
macro_rules! operator {
    ($Operator:ident :: $operation:ident, $of:ident, $Left:ty, $Right:ty) => {
        crate::__operators! {
            @ [C: Curve] Jacobian<C>, $of, $Operator::$operation, [$Left], [$Right]
        }
        crate::__operators! {
            @ [C: Curve] Jacobian<C>, $of, $Operator::$operation, [$Left], [&$Right]
        }
        crate::__operators! {
            @ [C: Curve] Jacobian<C>, $of, $Operator::$operation, [&$Left], [$Right]
        }
        crate::__operators! {
            @ [C: Curve] Jacobian<C>, $of, $Operator::$operation, [&$Left], [&$Right]
        }
    };
}

operator! { Add::add, sum_mixed, Jacobian<C>, Affine<C> }
operator! { Sub::sub, difference_mixed, Jacobian<C>, Affine<C> }
operator! { Add::add, sum, Affine<C>, Affine<C> }
operator! { Sub::sub, difference, Affine<C>, Affine<C> }

/// An assignment with an operand that is not Jacobian, by value and by reference.
macro_rules! assign {
    ($($Operator:ident :: $operation:ident, $of:ident, $Right:ty, $Reference:ty;)+) => {
        $(
            impl<C: Curve> core::ops::$Operator<$Right> for Jacobian<C> {
                #[inline]
                fn $operation(&mut self, other: $Right) {
                    *self = self.$of(&other);
                }
            }

            impl<C: Curve> core::ops::$Operator<$Reference> for Jacobian<C> {
                #[inline]
                fn $operation(&mut self, other: $Reference) {
                    *self = self.$of(other);
                }
            }
        )+
    };
}

assign! {
    AddAssign::add_assign, sum_mixed, Affine<C>, &Affine<C>;
    SubAssign::sub_assign, difference_mixed, Affine<C>, &Affine<C>;
}

/// Multiples, in the same time for all points and scalars: a scalar stands to the right, by value or by
/// reference.
macro_rules! multiples {
    ($($Left:ty),+) => {
        $(
            impl<C: Curve, S: Borrow<C::Scalar>> Mul<S> for $Left {
                type Output = Jacobian<C>;

                #[inline]
                fn mul(self, scalar: S) -> Jacobian<C> {
                    self.multiple(scalar.borrow())
                }
            }
        )+
    };
}

multiples! { Jacobian<C>, &Jacobian<C>, Affine<C>, &Affine<C> }

impl<C: Curve, S: Borrow<C::Scalar>> MulAssign<S> for Jacobian<C> {
    #[inline]
    fn mul_assign(&mut self, scalar: S) {
        *self = self.multiple(scalar.borrow());
    }
}

impl<C: Curve> Sum for Jacobian<C> {
    #[inline]
    fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
        terms.fold(Self::INFINITY, |total, term| total + term)
    }
}

impl<'a, C: Curve> Sum<&'a Jacobian<C>> for Jacobian<C> {
    #[inline]
    fn sum<I: Iterator<Item = &'a Self>>(terms: I) -> Self {
        terms.fold(Self::INFINITY, |total, term| total + term)
    }
}

impl<'a, C: Curve> Sum<&'a Affine<C>> for Jacobian<C> {
    #[inline]
    fn sum<I: Iterator<Item = &'a Affine<C>>>(terms: I) -> Self {
        terms.fold(Self::INFINITY, |total, term| total + term)
    }
}
