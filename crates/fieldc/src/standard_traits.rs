//! The traits of the standard library for field types: operators, sums, comparison, printing.

/// One operator of two operands, by value and by reference, and its assignment.
#[doc(hidden)]
#[macro_export]
macro_rules! __operators {
    ($Fp:ident, $of:ident, $Operator:ident :: $operation:ident, $Assign:ident :: $assign:ident) => {
        $crate::__operators! { @ $Fp, $of, $Operator::$operation, $Fp, $Fp }
        $crate::__operators! { @ $Fp, $of, $Operator::$operation, $Fp, &$Fp }
        $crate::__operators! { @ $Fp, $of, $Operator::$operation, &$Fp, $Fp }
        $crate::__operators! { @ $Fp, $of, $Operator::$operation, &$Fp, &$Fp }

        impl core::ops::$Assign for $Fp {
            #[inline]
            fn $assign(&mut self, other: Self) {
                *self = $crate::__operators!(@call $of, self, &other);
            }
        }

        impl core::ops::$Assign<&$Fp> for $Fp {
            #[inline]
            fn $assign(&mut self, other: &Self) {
                *self = $crate::__operators!(@call $of, self, other);
            }
        }
    };
    (@ $Fp:ident, $of:ident, $Operator:ident :: $operation:ident, $Left:ty, $Right:ty) => {
        impl core::ops::$Operator<$Right> for $Left {
            type Output = $Fp;

            #[inline]
            #[allow(clippy::needless_borrow, reason = "some operands are references")]
            fn $operation(self, other: $Right) -> $Fp {
                $crate::__operators!(@call $of, (&self), (&other))
            }
        }
    };
    (@call add, $left:expr, $right:expr) => { $left.sum($right) };
    (@call sub, $left:expr, $right:expr) => { $left.difference($right) };
    (@call mul, $left:expr, $right:expr) => { $left.product($right) };
    (@call div, $left:expr, $right:expr) => { $left.quotient($right) };
}

/// Sums and products of values and of references, from the operators.
#[doc(hidden)]
#[macro_export]
macro_rules! __sums {
    ([$($generics:tt)*] $Type:ty) => {
        impl<$($generics)*> core::iter::Sum for $Type {
            #[inline]
            fn sum<I: Iterator<Item = Self>>(terms: I) -> Self {
                terms.fold(Self::ZERO, |total, term| total + term)
            }
        }

        impl<'a, $($generics)*> core::iter::Sum<&'a $Type> for $Type {
            #[inline]
            fn sum<I: Iterator<Item = &'a Self>>(terms: I) -> Self {
                terms.fold(Self::ZERO, |total, term| total + term)
            }
        }

        impl<$($generics)*> core::iter::Product for $Type {
            #[inline]
            fn product<I: Iterator<Item = Self>>(factors: I) -> Self {
                factors.fold(Self::ONE, |total, factor| total * factor)
            }
        }

        impl<'a, $($generics)*> core::iter::Product<&'a $Type> for $Type {
            #[inline]
            fn product<I: Iterator<Item = &'a Self>>(factors: I) -> Self {
                factors.fold(Self::ONE, |total, factor| total * factor)
            }
        }
    };
}

/// Negation, sums and products, comparison, and printing.
#[doc(hidden)]
#[macro_export]
macro_rules! __standard_traits {
    ($Fp:ident) => {
        impl core::ops::Neg for $Fp {
            type Output = Self;

            #[inline]
            fn neg(self) -> Self {
                Self::ZERO.difference(&self)
            }
        }

        impl core::ops::Neg for &$Fp {
            type Output = $Fp;

            #[inline]
            fn neg(self) -> $Fp {
                -*self
            }
        }

        $crate::__sums! { [] $Fp }

        /// Compares in the same time for all values.
        impl PartialEq for $Fp {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                $crate::__private::is_equal(&self.0, &other.0)
            }
        }

        impl Eq for $Fp {}

        impl Default for $Fp {
            #[inline]
            fn default() -> Self {
                Self::ZERO
            }
        }

        /// The number below p in hexadecimal, all its digits.
        impl core::fmt::Display for $Fp {
            #[inline]
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                $crate::__private::write_hex(&self.to_limbs(), true, f)
            }
        }

        impl core::fmt::Debug for $Fp {
            #[inline]
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, concat!(stringify!($Fp), "({})"), self)
            }
        }
    };
}
