//! Operators of Fp2, and the traits that follow from them.

use core::cmp::Ordering;
use core::hash::{Hash, Hasher};
use core::ops::{Mul, MulAssign, Neg};

use super::{Fp2, HasFp2};
use crate::generic::Field;

impl<F: HasFp2> Fp2<F> {
    #[inline(always)]
    fn sum(&self, y: &Self) -> Self {
        Self::new(self.c0 + &y.c0, self.c1 + &y.c1)
    }

    #[inline(always)]
    fn difference(&self, y: &Self) -> Self {
        Self::new(self.c0 - &y.c0, self.c1 - &y.c1)
    }

    #[inline]
    #[track_caller]
    fn quotient(&self, y: &Self) -> Self {
        self.product(&y.invert().expect("the divisor is 0"))
    }
}

crate::__operators! { [F: HasFp2] Fp2<F>, sum, Add::add, AddAssign::add_assign }
crate::__operators! { [F: HasFp2] Fp2<F>, difference, Sub::sub, SubAssign::sub_assign }
crate::__operators! { [F: HasFp2] Fp2<F>, product, Mul::mul, MulAssign::mul_assign }
crate::__operators! { [F: HasFp2] Fp2<F>, quotient, Div::div, DivAssign::div_assign }

impl<F: HasFp2> Neg for Fp2<F> {
    type Output = Self;

    #[inline]
    fn neg(self) -> Self {
        Self::new(-self.c0, -self.c1)
    }
}

impl<F: HasFp2> Neg for &Fp2<F> {
    type Output = Fp2<F>;

    #[inline]
    fn neg(self) -> Fp2<F> {
        -*self
    }
}

/// Products with an element of the prime field: [`Fp2::scale`].
macro_rules! scaled {
    ($($Element:ty, $Factor:ty;)+) => {
        $(
            impl<F: HasFp2> Mul<$Factor> for $Element {
                type Output = Fp2<F>;

                #[inline]
                #[allow(clippy::needless_borrow, reason = "some factors are references")]
                fn mul(self, factor: $Factor) -> Fp2<F> {
                    self.scale(&factor)
                }
            }
        )+
    };
}

scaled! {
    Fp2<F>, F;
    Fp2<F>, &F;
    &Fp2<F>, F;
    &Fp2<F>, &F;
}

impl<F: HasFp2> MulAssign<F> for Fp2<F> {
    #[inline]
    fn mul_assign(&mut self, factor: F) {
        *self = self.scale(&factor);
    }
}

impl<F: HasFp2> MulAssign<&F> for Fp2<F> {
    #[inline]
    fn mul_assign(&mut self, factor: &F) {
        *self = self.scale(factor);
    }
}

crate::__sums! { [F: HasFp2] Fp2<F> }

/// Compares in the same time for all values.
impl<F: PartialEq> PartialEq for Fp2<F> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        (self.c0 == other.c0) & (self.c1 == other.c1)
    }
}

impl<F: Eq> Eq for Fp2<F> {}

impl<F: Hash> Hash for Fp2<F> {
    #[inline]
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.c0.hash(state);
        self.c1.hash(state);
    }
}

impl<F: Ord> Ord for Fp2<F> {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        (self.c1.cmp(&other.c1)).then(self.c0.cmp(&other.c0))
    }
}

impl<F: Ord> PartialOrd for Fp2<F> {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// An element of the prime field.
impl<F: HasFp2> From<F> for Fp2<F> {
    #[inline]
    fn from(c0: F) -> Self {
        Self::new(c0, F::ZERO)
    }
}

/// A number as an element of the prime field.
macro_rules! from {
    ($($Number:ty)+) => {
        $(
            impl<F: HasFp2> From<$Number> for Fp2<F> {
                #[inline]
                fn from(number: $Number) -> Self {
                    Self::new(number.into(), F::ZERO)
                }
            }
        )+
    };
}

from! { bool u32 u64 u128 i32 i64 }

impl<F: HasFp2> Field for Fp2<F> {
    const ZERO: Self = Self::ZERO;
    const ONE: Self = Self::ONE;

    crate::__forward! {
        fn is_zero(&self) -> bool;
        fn double(&self) -> Self;
        fn square(&self) -> Self;
        fn mul_add(&self, y: &Self, z: &Self) -> Self;
        fn invert(&self) -> Option<Self>;
        fn invert_ct(&self) -> (Self, bool);
        fn is_square(&self) -> bool;
        fn sqrt(&self) -> Option<Self>;
        fn sqrt_ct(&self) -> (Self, bool);
        fn pow(&self, exponent: &[u64]) -> Self;
    }

    #[inline]
    fn select(flag: bool, a: &Self, b: &Self) -> Self {
        Self::select(flag, a, b)
    }

    #[inline(always)]
    fn sum_of_products<const K: usize>(x: &[Self; K], y: &[Self; K]) -> Self {
        Self::sum_of_products(x, y)
    }

    #[inline]
    fn inner_product(x: &[Self], y: &[Self]) -> Self {
        Self::inner_product(x, y)
    }
}
