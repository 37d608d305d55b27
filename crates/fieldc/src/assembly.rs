//! Which products run: assembly where the processor has it, portable Rust otherwise.

use crate::addition;
use crate::modulus::Modulus;

/// N limbs and a class of primes, as a type: it has the kernels for them.
pub struct Shape<const N: usize, const CLASS: u8>;

/// Products of residues; R is that of the modulus, 1 for plain ones. Operands and results are
/// below p.
pub trait Products<const N: usize> {
    /// x*y/R mod p.
    fn mul<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N];

    /// x*x/R mod p.
    fn square<M: Modulus<N>>(x: &[u64; N]) -> [u64; N];

    /// (x0*y0 + x1*y1)/R mod p.
    fn sum_of_products<M: Modulus<N>>(x: &[[u64; N]; 2], y: &[[u64; N]; 2]) -> [u64; N];

    /// x + y mod p.
    #[inline(always)]
    fn add<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        addition::add(x, y, &M::P)
    }

    /// x - y mod p.
    #[inline(always)]
    fn sub<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        addition::sub(x, y, &M::P)
    }
}

/// A modulus and what computes its products.
///
/// # Safety
/// The type is transparent: nothing but its N limbs.
pub unsafe trait HasProducts<const N: usize>: Modulus<N> {
    /// N limbs and the class of p.
    type Kernels: Products<N>;
}

#[cfg(not(all(
    any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little")
    ),
    not(feature = "portable"),
    not(miri)
)))]
impl<const N: usize, const CLASS: u8> Products<N> for Shape<N, CLASS> {
    #[inline]
    fn mul<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        crate::portable_products::mul::<N, M>(x, y)
    }

    #[inline]
    fn square<M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
        crate::portable_products::square::<N, M>(x)
    }

    #[inline]
    fn sum_of_products<M: Modulus<N>>(x: &[[u64; N]; 2], y: &[[u64; N]; 2]) -> [u64; N] {
        crate::portable_products::sum_of_products::<N, M>(x, y)
    }
}

#[cfg(all(
    any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little")
    ),
    not(feature = "portable"),
    not(miri)
))]
pub(crate) use machine::{
    assembly, mul_lazy_portable, mul_portable, run, square_lazy_portable, square_portable,
    sum_portable,
};

#[cfg(all(
    any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little")
    ),
    not(feature = "portable"),
    not(miri)
))]
mod machine {
    use crate::kernels::find_out;
    use crate::modulus::Modulus;
    use crate::portable_products as portable;

    /// x*y/R mod p where no assembly runs, or where nobody asked the processor yet.
    #[inline(never)]
    pub(crate) fn mul_portable<const N: usize, M: Modulus<N>>(
        x: &[u64; N],
        y: &[u64; N],
    ) -> [u64; N] {
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

    /// The products of a shape from its kernels: one load and one or two comparisons beside a call.
    macro_rules! assembly {
        (
            $n:literal, $class:literal:
            mul: $($mul:ident),+;
            sum_of_products: $($sum:ident),+;
            $(square: $($square:ident),+;)?
            $(add: $add:ident; sub: $sub:ident;)?
        ) => {
            impl $crate::assembly::Products<$n> for $crate::assembly::Shape<$n, $class> {
                #[inline(always)]
                fn mul<M: $crate::modulus::Modulus<$n>>(
                    x: &[u64; $n],
                    y: &[u64; $n],
                ) -> [u64; $n] {
                    $crate::assembly::run!(($($mul),+) (x, y) (mul_portable::<$n, M>))
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
                    $crate::assembly::run!(($($sum),+) (x, y) (sum_portable::<$n, M>))
                }

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
            $crate::assembly::run!($mul ($x, $x) (mul_portable::<$n, M>))
        };
        (@square $n:literal, $square:tt $mul:tt $x:ident) => {
            $crate::assembly::run!($square ($x) (square_portable::<$n, M>))
        };
    }
    pub(crate) use assembly;

    #[cfg(target_arch = "aarch64")]
    pub(crate) use super::aarch64::run;
    #[cfg(target_arch = "x86_64")]
    pub(crate) use super::x86_64::run;
}

#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
pub(crate) use x86_64::by_limbs;

#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
mod x86_64 {
    /// A copy, limb by limb.
    ///
    /// A plain copy loads two limbs at once, and a processor makes such a load wait for both
    /// stores of limbs; where one branch copies so, the compiler does it for all.
    #[inline(always)]
    pub(crate) fn by_limbs<const N: usize>(z: &[u64; N]) -> [u64; N] {
        // SAFETY: a reference is valid for reads.
        z.each_ref()
            .map(|limb| unsafe { core::ptr::read_volatile(limb) })
    }

    /// One load and one or two comparisons beside a call.
    macro_rules! run {
        (($mulx:ident) $operands:tt $portable:tt) => {
            if $crate::kernels::has_bmi2() {
                $crate::assembly::run!(@call $mulx $operands)
            } else {
                $crate::assembly::run!(@portable $portable $operands)
            }
        };
        (($mulx:ident, $adx:ident) $operands:tt $portable:tt) => {
            if $crate::kernels::prefers_one_chain() {
                $crate::assembly::run!(@call $mulx $operands)
            } else if $crate::kernels::prefers_two_chains() {
                $crate::assembly::run!(@call $adx $operands)
            } else {
                $crate::assembly::run!(@portable $portable $operands)
            }
        };
        (@call $kernel:ident $operands:tt) => {
            // SAFETY: the processor was found to have what the kernel needs, and the class is p's.
            unsafe { $kernel::<M> $operands }
        };
        (@portable ($($portable:tt)+) $operands:tt) => {
            $crate::assembly::by_limbs(&$crate::assembly::$($portable)+ $operands)
        };
    }
    pub(crate) use run;
}

#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    not(feature = "portable"),
    not(miri)
))]
mod aarch64 {
    /// One load and one comparison beside a call: every processor runs the kernels.
    macro_rules! run {
        (($kernel:ident) ($($x:ident),+) ($($portable:tt)+)) => {
            if $crate::kernels::runs_assembly() {
                // SAFETY: the class is p's.
                unsafe { $kernel::<M>($($x),+) }
            } else {
                $crate::assembly::$($portable)+($($x),+)
            }
        };
    }
    pub(crate) use run;
}
