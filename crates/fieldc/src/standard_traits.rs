//! The traits of the standard library for field types: operators, sums, comparison, printing.

/// One operator of two operands, by value and by reference, and its assignment, from a method. What
/// stands after the method makes a copy of an operand that comes by value; what stands after the
/// assignment does it in place.
#[doc(hidden)]
#[macro_export]
macro_rules! __operators {
    (
        [$($generics:tt)*] $Type:ty, $of:ident $(($copy:ident))?,
        $Operator:ident :: $operation:ident, $Assign:ident :: $assign:ident $(($in_place:ident))?
    ) => {
        $crate::__operators! {
            @ [$($generics)*] $Type, $of, $Operator::$operation, [$Type $(, $copy)?], [$Type $(, $copy)?]
        }
        $crate::__operators! {
            @ [$($generics)*] $Type, $of, $Operator::$operation, [$Type $(, $copy)?], [&$Type]
        }
        $crate::__operators! {
            @ [$($generics)*] $Type, $of, $Operator::$operation, [&$Type], [$Type $(, $copy)?]
        }
        $crate::__operators! {
            @ [$($generics)*] $Type, $of, $Operator::$operation, [&$Type], [&$Type]
        }

        impl<$($generics)*> ::core::ops::$Assign for $Type {
            #[inline(always)]
            fn $assign(&mut self, other: Self) {
                $crate::__assign! { self, $of, (&other $(.$copy())?) $(, $in_place)? }
            }
        }

        impl<$($generics)*> ::core::ops::$Assign<&$Type> for $Type {
            #[inline(always)]
            fn $assign(&mut self, other: &Self) {
                $crate::__assign! { self, $of, (other) $(, $in_place)? }
            }
        }
    };
    (
        @ [$($generics:tt)*] $Type:ty, $of:ident, $Operator:ident :: $operation:ident,
        [$Left:ty $(, $left:ident)?], [$Right:ty $(, $right:ident)?]
    ) => {
        impl<$($generics)*> ::core::ops::$Operator<$Right> for $Left {
            type Output = $Type;

            #[inline(always)]
            #[allow(clippy::needless_borrow, reason = "some operands are references")]
            fn $operation(self, other: $Right) -> $Type {
                (&self $(.$left())?).$of(&other $(.$right())?)
            }
        }
    };
}

/// The body of an assignment.
#[doc(hidden)]
#[macro_export]
macro_rules! __assign {
    ($this:ident, $of:ident, ($other:expr)) => {
        *$this = $this.$of($other)
    };
    ($this:ident, $of:ident, ($other:expr), $in_place:ident) => {
        $this.$in_place($other)
    };
}

/// Sums and products of values and of references, from the operators.
#[doc(hidden)]
#[macro_export]
macro_rules! __sums {
    ([$($generics:tt)*] $Type:ty) => {
        impl<$($generics)*> ::core::iter::Sum for $Type {
            #[inline]
            fn sum<I: ::core::iter::Iterator<Item = Self>>(terms: I) -> Self {
                terms.fold(Self::ZERO, |total, term| total + term)
            }
        }

        impl<'a, $($generics)*> ::core::iter::Sum<&'a $Type> for $Type {
            #[inline]
            fn sum<I: ::core::iter::Iterator<Item = &'a Self>>(terms: I) -> Self {
                terms.fold(Self::ZERO, |total, term| total + term)
            }
        }

        impl<$($generics)*> ::core::iter::Product for $Type {
            #[inline]
            fn product<I: ::core::iter::Iterator<Item = Self>>(factors: I) -> Self {
                factors.fold(Self::ONE, |total, factor| total * factor)
            }
        }

        impl<'a, $($generics)*> ::core::iter::Product<&'a $Type> for $Type {
            #[inline]
            fn product<I: ::core::iter::Iterator<Item = &'a Self>>(factors: I) -> Self {
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
        impl ::core::ops::Neg for $Fp {
            type Output = Self;

            #[inline]
            fn neg(self) -> Self {
                Self::ZERO.difference(&self)
            }
        }

        impl ::core::ops::Neg for &$Fp {
            type Output = $Fp;

            #[inline]
            fn neg(self) -> $Fp {
                -*self
            }
        }

        $crate::__sums! { [] $Fp }

        /// Compares in the same time for all values.
        impl ::core::cmp::PartialEq for $Fp {
            #[inline]
            fn eq(&self, other: &Self) -> bool {
                $crate::__private::is_equal(&self.0, &other.0)
            }
        }

        impl ::core::cmp::Eq for $Fp {}

        impl ::core::default::Default for $Fp {
            #[inline]
            fn default() -> Self {
                Self::ZERO
            }
        }

        /// The number below p in hexadecimal, all its digits.
        impl ::core::fmt::Display for $Fp {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                $crate::__private::write_hex(&self.to_limbs(), true, false, f)
            }
        }

        impl ::core::fmt::Debug for $Fp {
            #[inline]
            fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
                write!(f, concat!(stringify!($Fp), "({})"), self)
            }
        }
    };
}
