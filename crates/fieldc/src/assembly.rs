//! Which products run: assembly where the processor has it, portable Rust otherwise.

use crate::modulus::Modulus;

/// N limbs and a class of primes, as a type: it has the kernels for them.
pub struct Shape<const N: usize, const CLASS: u8>;

/// Products in Montgomery form. Operands and results are below p.
pub trait Products<const N: usize> {
    /// x*y/R mod p.
    fn mul<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N];
    /// x*x/R mod p.
    fn square<M: Modulus<N>>(x: &[u64; N]) -> [u64; N];
}

/// A modulus and what computes its products.
pub trait HasProducts<const N: usize>: Modulus<N> {
    /// N limbs and the class of p.
    type Kernels: Products<N>;
}

#[cfg(not(all(target_arch = "x86_64", not(feature = "portable"), not(miri))))]
impl<const N: usize, const CLASS: u8> Products<N> for Shape<N, CLASS> {
    #[inline]
    fn mul<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        crate::portable::mul::<N, M>(x, y)
    }

    #[inline]
    fn square<M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
        crate::portable::mul::<N, M>(x, x)
    }
}

#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
pub(crate) use x86_64::{assembly, by_limbs, mul_portable, square_portable};

#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
mod x86_64 {
    use crate::modulus::Modulus;

    /// x*y/R mod p where no assembly runs, or where nobody asked the processor yet.
    #[inline(never)]
    pub(crate) fn mul_portable<const N: usize, M: Modulus<N>>(
        x: &[u64; N],
        y: &[u64; N],
    ) -> [u64; N] {
        let product = crate::portable::mul::<N, M>(x, y);
        crate::kernels::find_out();
        product
    }

    /// x*x/R mod p, likewise.
    #[inline(never)]
    pub(crate) fn square_portable<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
        mul_portable::<N, M>(x, x)
    }

    /// A copy of a kernel's result, limb by limb.
    ///
    /// A plain copy loads two limbs at once, and a processor makes such a load wait for both
    /// stores: multiplication modulo BLS12-381 p then has a latency of 124 cycles instead of 111,
    /// and 77 instead of 59 for BN254.
    #[inline(always)]
    pub(crate) fn by_limbs<const N: usize>(z: &[u64; N]) -> [u64; N] {
        // SAFETY: a reference is valid for reads.
        z.each_ref()
            .map(|limb| unsafe { core::ptr::read_volatile(limb) })
    }

    /// The products of a shape from its kernels: one load and one or two comparisons beside a call.
    macro_rules! assembly {
        ($n:literal, $class:literal: mul: $($mul:ident),+; $(square: $($square:ident),+;)?) => {
            impl $crate::assembly::Products<$n> for $crate::assembly::Shape<$n, $class> {
                #[inline]
                fn mul<M: $crate::modulus::Modulus<$n>>(
                    x: &[u64; $n],
                    y: &[u64; $n],
                ) -> [u64; $n] {
                    assembly!(@ ($($mul),+) (x, y) mul_portable)
                }

                #[inline]
                fn square<M: $crate::modulus::Modulus<$n>>(x: &[u64; $n]) -> [u64; $n] {
                    assembly!(@square ($($($square),+)?) ($($mul),+) x)
                }
            }
        };
        // A class without kernels for squares multiplies.
        (@square () $mul:tt $x:ident) => {
            assembly!(@ $mul ($x, $x) mul_portable)
        };
        (@square $square:tt $mul:tt $x:ident) => {
            assembly!(@ $square ($x) square_portable)
        };
        (@ ($mulx:ident) $operands:tt $portable:ident) => {
            if $crate::kernels::has_bmi2() {
                assembly!(@call $mulx $operands)
            } else {
                $crate::assembly::$portable::<_, M> $operands
            }
        };
        (@ ($mulx:ident, $adx:ident) $operands:tt $portable:ident) => {
            if $crate::kernels::prefers_one_chain() {
                assembly!(@call $mulx $operands)
            } else if $crate::kernels::prefers_two_chains() {
                assembly!(@call $adx $operands)
            } else {
                $crate::assembly::$portable::<_, M> $operands
            }
        };
        (@call $kernel:ident ($($operand:ident),+)) => {{
            let mut z = core::mem::MaybeUninit::uninit();
            // SAFETY: the processor was found to have what the kernel needs; it reads the operands,
            // writes every limb of z and keeps what its convention says. The class is p's.
            unsafe {
                $kernel::<M>(&mut z, $($operand),+);
                $crate::assembly::by_limbs(z.assume_init_ref())
            }
        }};
    }
    pub(crate) use assembly;
}
