//! Kernels that are inline assembly themselves: nothing is asked before they run.

/// The products and sums of a shape from its inlined kernels.
macro_rules! inlined {
    (
        $n:literal, $class:literal:
        mul: $mul:ident;
        sum_of_products: $sum:ident;
        square: $square:ident;
        add: $add:ident;
        sub: $sub:ident;
    ) => {
        impl $crate::assembly::Products<$n> for $crate::assembly::Shape<$n, $class> {
            #[inline(always)]
            fn mul<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n], y: &[u64; $n]) -> [u64; $n] {
                $mul::<M>(x, y)
            }

            #[inline(always)]
            fn square<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n]) -> [u64; $n] {
                $square::<M>(x)
            }

            #[inline(always)]
            fn sum_of_products<M: $crate::modulus::Modulus<$n>>(
                x: &[[u64; $n]; 2],
                y: &[[u64; $n]; 2],
            ) -> [u64; $n] {
                $sum::<M>(x, y)
            }

            #[inline(always)]
            fn add<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n], y: &[u64; $n]) -> [u64; $n] {
                $add::<M>(x, y)
            }

            #[inline(always)]
            fn sub<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n], y: &[u64; $n]) -> [u64; $n] {
                $sub::<M>(x, y)
            }
        }
    };
}
pub(crate) use inlined;

/// The same for values below 2p. A class without a kernel for squares multiplies.
macro_rules! lazy_inlined {
    (
        $n:literal, $class:literal:
        mul: $mul:ident;
        $(square: $square:ident;)?
        add: $add:ident;
        sub: $sub:ident;
        reduce: $reduce:ident;
    ) => {
        impl $crate::lazy_kernels::LazyProducts<$n>
            for $crate::lazy_kernels::LazyShape<$n, $class>
        {
            #[inline(always)]
            fn mul<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n], y: &[u64; $n]) -> [u64; $n] {
                $mul::<M>(x, y)
            }

            #[inline(always)]
            fn square<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n]) -> [u64; $n] {
                lazy_inlined!(@square ($($square)?) $mul x)
            }

            #[inline(always)]
            fn add<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n], y: &[u64; $n]) -> [u64; $n] {
                $add::<$crate::lazy_kernels::Twice<M>>(x, y)
            }

            #[inline(always)]
            fn sub<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n], y: &[u64; $n]) -> [u64; $n] {
                $sub::<$crate::lazy_kernels::Twice<M>>(x, y)
            }

            #[inline(always)]
            fn reduce<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n]) -> [u64; $n] {
                $reduce::<M>(x)
            }
        }
    };
    (@square () $mul:ident $x:ident) => {
        $mul::<M>($x, $x)
    };
    (@square ($square:ident) $mul:ident $x:ident) => {
        $square::<M>($x)
    };
}
pub(crate) use lazy_inlined;
