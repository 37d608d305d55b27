//! Builds with kernels in assembly: what calls them. `portable.rs` is for all other builds.

#[cfg(target_arch = "aarch64")]
mod aarch64;
// A line of assembly stands on a line.
#[rustfmt::skip]
mod called;
mod inlined;
#[cfg(target_arch = "x86_64")]
pub(crate) mod updates;
#[cfg(target_arch = "x86_64")]
mod x86_64;

#[cfg(target_arch = "aarch64")]
pub(crate) use aarch64::{run, runs_assembly};
pub(crate) use called::called;
pub(crate) use inlined::{inlined, lazy_inlined};
#[cfg(target_arch = "x86_64")]
pub(crate) use x86_64::{has_adx, has_bmi2, prefers_one_chain, prefers_two_chains, run};

use crate::addition;
use crate::generated::divsteps::divstep_matrix;
#[cfg(target_arch = "x86_64")]
use crate::generated::divsteps::sign_first_divstep_matrix;
use crate::kernels::{Kernels, UNKNOWN};
use crate::modulus::Modulus;
use crate::portable_products as portable;
use crate::running::code;

/// Finds out what the processor has, if nobody asked yet. Portable code calls this, so that code
/// on its way to assembly need not.
#[inline(always)]
pub(crate) fn find_out() {
    if code() == UNKNOWN {
        Kernels::current();
    }
}

/// Whether `divstep_batch` does something.
pub(crate) const HAS_DIVSTEP_BATCH: bool = true;

/// zeta after 59 divsteps and their matrix.
#[inline(always)]
pub(crate) fn divstep_batch(zeta: i64, f: i64, g: i64) -> Option<[i64; 5]> {
    Some(batch_of_divsteps(zeta, f, g))
}

/// The same by a kernel that needs no extension, in the order that the processor is faster with.
#[inline(always)]
pub(crate) fn batch_of_divsteps(zeta: i64, f: i64, g: i64) -> [i64; 5] {
    #[cfg(target_arch = "x86_64")]
    if prefers_two_chains() {
        return sign_first_divstep_matrix(zeta, f, g);
    }
    divstep_matrix(zeta, f, g)
}

/// x*y/R mod p where no assembly runs, or where nobody asked the processor yet.
#[inline(never)]
pub(crate) fn mul_portable<const N: usize, M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    let z = portable::mul::<N, M>(x, y);
    find_out();
    z
}

/// x*x/R mod p, likewise.
#[inline(never)]
pub(crate) fn square_portable<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
    let z = portable::square::<N, M>(x);
    find_out();
    z
}

/// x*y/R modulo p, below 2p, likewise.
#[inline(never)]
pub(crate) fn mul_lazy_portable<const N: usize, M: Modulus<N>>(
    x: &[u64; N],
    y: &[u64; N],
) -> [u64; N] {
    let z = portable::mul_lazy::<N, M>(x, y);
    find_out();
    z
}

/// x*x/R modulo p, below 2p, likewise.
#[inline(never)]
pub(crate) fn square_lazy_portable<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
    let z = portable::square_lazy::<N, M>(x);
    find_out();
    z
}

/// (x0*y0 + x1*y1)/R mod p, likewise.
#[inline(never)]
pub(crate) fn sum_portable<const N: usize, M: Modulus<N>>(
    x: &[[u64; N]; 2],
    y: &[[u64; N]; 2],
) -> [u64; N] {
    let z = portable::sum_of_products::<N, M>(x, y);
    find_out();
    z
}

/// The product of x0 + x1*u and y0 + y1*u, u^2 = -1, likewise: both parts side by side.
#[allow(dead_code, reason = "not every build has kernels for Fp2")]
#[inline(never)]
pub(crate) fn fp2_mul_portable<const N: usize, const W: usize, M: Modulus<N>>(
    x: &[[u64; N]; 2],
    y: &[[u64; N]; 2],
) -> [u64; W] {
    let negative = addition::neg(&y[1], &M::P);
    let z = [
        portable::sum_of_products::<N, M>(x, &[y[0], negative]),
        portable::sum_of_products::<N, M>(x, &[y[1], y[0]]),
    ];
    find_out();
    core::array::from_fn(|i| z[i / N][i % N])
}

/// The square of x0 + x1*u, likewise.
#[allow(dead_code, reason = "not every build has kernels for Fp2")]
#[inline(never)]
pub(crate) fn fp2_square_portable<const N: usize, const W: usize, M: Modulus<N>>(
    x: &[[u64; N]; 2],
) -> [u64; W] {
    fp2_mul_portable::<N, W, M>(x, x)
}

/// The products of a shape from its kernels: one load and one or two comparisons beside a call.
macro_rules! assembly {
    (
        $n:literal, $class:literal:
        mul: $($mul:ident),+;
        sum_of_products: $($sum:ident),+;
        $(square: $($square:ident),+;)?
        $(fp2_mul: $($fp2_mul:ident),+; fp2_square: $($fp2_square:ident),+;)?
        $(add: $add:ident; sub: $sub:ident;)?
    ) => {
        impl $crate::assembly::Products<$n> for $crate::assembly::Shape<$n, $class> {
            #[inline(always)]
            fn mul<M: $crate::modulus::Modulus<$n>>(
                x: &[u64; $n],
                y: &[u64; $n],
            ) -> [u64; $n] {
                $crate::machine::run!(($($mul),+) (x, y) (mul_portable::<$n, M>))
            }

            #[inline(always)]
            fn square<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n]) -> [u64; $n] {
                assembly!(@square $n, ($($($square),+)?) ($($mul),+) x)
            }

            #[inline(always)]
            fn sum_of_products<M: $crate::modulus::Modulus<$n>>(
                x: &[[u64; $n]; 2],
                y: &[[u64; $n]; 2],
            ) -> [u64; $n] {
                $crate::machine::run!(($($sum),+) (x, y) (sum_portable::<$n, M>))
            }

            $(
                // Of the class these kernels are for some primes only.
                #[inline(always)]
                fn fp2_mul<M: $crate::modulus::Modulus<$n>>(
                    x: &[[u64; $n]; 2],
                    y: &[[u64; $n]; 2],
                ) -> [[u64; $n]; 2] {
                    if const { $crate::extension::has_kernels::<$n, M>() } {
                        $crate::extension::halves(&$crate::machine::run!(
                            ($($fp2_mul),+) (x, y) (fp2_mul_portable::<$n, { 2 * $n }, M>)
                        ))
                    } else {
                        $crate::assembly::fp2_by_sums::<$n, M, Self>(x, y)
                    }
                }

                #[inline(always)]
                fn fp2_square<M: $crate::modulus::Modulus<$n>>(
                    x: &[[u64; $n]; 2],
                ) -> [[u64; $n]; 2] {
                    if const { $crate::extension::has_kernels::<$n, M>() } {
                        $crate::extension::halves(&$crate::machine::run!(
                            ($($fp2_square),+) (x) (fp2_square_portable::<$n, { 2 * $n }, M>)
                        ))
                    } else {
                        $crate::assembly::fp2_by_products::<$n, M, Self>(x)
                    }
                }
            )?

            $(
                #[inline(always)]
                fn add<M: $crate::modulus::Modulus<$n>>(
                    x: &[u64; $n],
                    y: &[u64; $n],
                ) -> [u64; $n] {
                    $add::<M>(x, y)
                }

                #[inline(always)]
                fn sub<M: $crate::modulus::Modulus<$n>>(
                    x: &[u64; $n],
                    y: &[u64; $n],
                ) -> [u64; $n] {
                    $sub::<M>(x, y)
                }
            )?
        }
    };
    // A class without kernels for squares multiplies.
    (@square $n:literal, () $mul:tt $x:ident) => {
        $crate::machine::run!($mul ($x, $x) (mul_portable::<$n, M>))
    };
    (@square $n:literal, $square:tt $mul:tt $x:ident) => {
        $crate::machine::run!($square ($x) (square_portable::<$n, M>))
    };
}
pub(crate) use assembly;

/// The products of a shape from its kernels, chosen as those of canonical values are.
macro_rules! lazy_assembly {
    (
        $n:literal, $class:literal:
        mul: $($mul:ident),+;
        $(square: $($square:ident),+;)?
        $(add: $add:ident; sub: $sub:ident; reduce: $reduce:ident;)?
    ) => {
        impl $crate::lazy_kernels::LazyProducts<$n>
            for $crate::lazy_kernels::LazyShape<$n, $class>
        {
            #[inline(always)]
            fn mul<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n], y: &[u64; $n]) -> [u64; $n] {
                $crate::machine::run!(($($mul),+) (x, y) (mul_lazy_portable::<$n, M>))
            }

            #[inline(always)]
            fn square<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n]) -> [u64; $n] {
                lazy_assembly!(@square $n, ($($($square),+)?) ($($mul),+) x)
            }

            $(
                #[inline(always)]
                fn add<M: $crate::modulus::Modulus<$n>>(
                    x: &[u64; $n],
                    y: &[u64; $n],
                ) -> [u64; $n] {
                    $add::<$crate::lazy_kernels::Twice<M>>(x, y)
                }

                #[inline(always)]
                fn sub<M: $crate::modulus::Modulus<$n>>(
                    x: &[u64; $n],
                    y: &[u64; $n],
                ) -> [u64; $n] {
                    $sub::<$crate::lazy_kernels::Twice<M>>(x, y)
                }

                #[inline(always)]
                fn reduce<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n]) -> [u64; $n] {
                    $reduce::<M>(x)
                }
            )?
        }
    };
    // A class without kernels for squares multiplies.
    (@square $n:literal, () $mul:tt $x:ident) => {
        $crate::machine::run!($mul ($x, $x) (mul_lazy_portable::<$n, M>))
    };
    (@square $n:literal, $square:tt $mul:tt $x:ident) => {
        $crate::machine::run!($square ($x) (square_lazy_portable::<$n, M>))
    };
}
pub(crate) use lazy_assembly;
