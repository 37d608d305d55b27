//! Which products run: assembly where the processor has it, portable Rust otherwise.

use core::mem::MaybeUninit;

use crate::addition;
use crate::modulus::Modulus;

/// N limbs and a class of primes, as a type: it has the kernels for them.
pub struct Shape<const N: usize, const CLASS: u8>;

/// Products in Montgomery form. Operands and results are below p.
pub trait Products<const N: usize> {
    /// z = x*y/R mod p.
    ///
    /// # Safety
    /// The operands can be read and z written; z may be x or y.
    unsafe fn mul_into<M: Modulus<N>>(z: *mut [u64; N], x: *const [u64; N], y: *const [u64; N]);

    /// z = x*x/R mod p.
    ///
    /// # Safety
    /// The operand can be read and z written; z may be x.
    unsafe fn square_into<M: Modulus<N>>(z: *mut [u64; N], x: *const [u64; N]);

    /// z = (x0*y0 + x1*y1)/R mod p.
    ///
    /// # Safety
    /// The operands can be read and z written; z may be one of them.
    unsafe fn sum_into<M: Modulus<N>>(
        z: *mut [u64; N],
        x: *const [[u64; N]; 2],
        y: *const [[u64; N]; 2],
    );

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

    /// x*y/R mod p.
    #[inline(always)]
    fn mul<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        // SAFETY: references can be read, and z is written.
        result(|z| unsafe { Self::mul_into::<M>(z, x, y) })
    }

    /// x*x/R mod p.
    #[inline(always)]
    fn square<M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
        // SAFETY: a reference can be read, and z is written.
        result(|z| unsafe { Self::square_into::<M>(z, x) })
    }

    /// (x0*y0 + x1*y1)/R mod p.
    #[inline(always)]
    fn sum_of_products<M: Modulus<N>>(x: &[[u64; N]; 2], y: &[[u64; N]; 2]) -> [u64; N] {
        // SAFETY: references can be read, and z is written.
        result(|z| unsafe { Self::sum_into::<M>(z, x, y) })
    }

    /// x = x*y/R mod p, without a copy.
    #[inline(always)]
    fn mul_assign<M: Modulus<N>>(x: &mut [u64; N], y: &[u64; N]) {
        let x: *mut _ = x;
        // SAFETY: references can be read and written; z may be x.
        unsafe { Self::mul_into::<M>(x, x, y) }
    }

    /// x = x*x/R mod p, without a copy.
    #[inline(always)]
    fn square_assign<M: Modulus<N>>(x: &mut [u64; N]) {
        let x: *mut _ = x;
        // SAFETY: a reference can be read and written; z may be x.
        unsafe { Self::square_into::<M>(x, x) }
    }
}

/// What `write` writes, copied limb by limb where a kernel writes it.
///
/// A plain copy loads two limbs at once, and a processor makes such a load wait for both stores:
/// multiplication modulo BLS12-381 p then has a latency of 124 cycles instead of 111, and 77 instead
/// of 59 for BN254.
#[inline(always)]
fn result<const N: usize>(write: impl FnOnce(*mut [u64; N])) -> [u64; N] {
    let mut z = MaybeUninit::uninit();
    write(z.as_mut_ptr());
    // SAFETY: all of z was written.
    let z: &[u64; N] = unsafe { z.assume_init_ref() };
    if crate::kernels::HAS_ASSEMBLY {
        // SAFETY: a reference is valid for reads.
        z.each_ref()
            .map(|limb| unsafe { core::ptr::read_volatile(limb) })
    } else {
        *z
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

#[cfg(not(all(target_arch = "x86_64", not(feature = "portable"), not(miri))))]
impl<const N: usize, const CLASS: u8> Products<N> for Shape<N, CLASS> {
    #[inline]
    unsafe fn mul_into<M: Modulus<N>>(z: *mut [u64; N], x: *const [u64; N], y: *const [u64; N]) {
        // SAFETY: as the caller promises.
        unsafe { *z = crate::portable::mul::<N, M>(&*x, &*y) }
    }

    #[inline]
    unsafe fn square_into<M: Modulus<N>>(z: *mut [u64; N], x: *const [u64; N]) {
        // SAFETY: as the caller promises.
        unsafe { *z = crate::portable::mul::<N, M>(&*x, &*x) }
    }

    #[inline]
    unsafe fn sum_into<M: Modulus<N>>(
        z: *mut [u64; N],
        x: *const [[u64; N]; 2],
        y: *const [[u64; N]; 2],
    ) {
        // SAFETY: as the caller promises.
        unsafe { *z = crate::portable::sum_of_products::<N, M>(&*x, &*y) }
    }
}

#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
pub(crate) use x86_64::{assembly, mul_portable, square_portable, sum_portable};

#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
mod x86_64 {
    use crate::kernels::find_out;
    use crate::modulus::Modulus;
    use crate::portable;

    /// z = x*y/R mod p where no assembly runs, or where nobody asked the processor yet.
    #[inline(never)]
    pub(crate) unsafe fn mul_portable<const N: usize, M: Modulus<N>>(
        z: *mut [u64; N],
        x: *const [u64; N],
        y: *const [u64; N],
    ) {
        // SAFETY: the caller's operands can be read and written.
        unsafe { *z = portable::mul::<N, M>(&*x, &*y) }
        find_out();
    }

    /// z = x*x/R mod p, likewise.
    #[inline(never)]
    pub(crate) unsafe fn square_portable<const N: usize, M: Modulus<N>>(
        z: *mut [u64; N],
        x: *const [u64; N],
    ) {
        // SAFETY: the caller's operands can be read and written.
        unsafe { *z = portable::mul::<N, M>(&*x, &*x) }
        find_out();
    }

    /// z = (x0*y0 + x1*y1)/R mod p, likewise.
    #[inline(never)]
    pub(crate) unsafe fn sum_portable<const N: usize, M: Modulus<N>>(
        z: *mut [u64; N],
        x: *const [[u64; N]; 2],
        y: *const [[u64; N]; 2],
    ) {
        // SAFETY: the caller's operands can be read and written.
        unsafe { *z = portable::sum_of_products::<N, M>(&*x, &*y) }
        find_out();
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
                #[inline]
                unsafe fn mul_into<M: $crate::modulus::Modulus<$n>>(
                    z: *mut [u64; $n],
                    x: *const [u64; $n],
                    y: *const [u64; $n],
                ) {
                    assembly!(@ ($($mul),+) (z, x, y) mul_portable)
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

                #[inline]
                unsafe fn square_into<M: $crate::modulus::Modulus<$n>>(
                    z: *mut [u64; $n],
                    x: *const [u64; $n],
                ) {
                    assembly!(@square ($($($square),+)?) ($($mul),+) z, x)
                }

                #[inline]
                unsafe fn sum_into<M: $crate::modulus::Modulus<$n>>(
                    z: *mut [u64; $n],
                    x: *const [[u64; $n]; 2],
                    y: *const [[u64; $n]; 2],
                ) {
                    assembly!(@ ($($sum),+) (z, x, y) sum_portable)
                }
            }
        };
        // A class without kernels for squares multiplies.
        (@square () $mul:tt $z:ident, $x:ident) => {
            assembly!(@ $mul ($z, $x, $x) mul_portable)
        };
        (@square $square:tt $mul:tt $z:ident, $x:ident) => {
            assembly!(@ $square ($z, $x) square_portable)
        };
        (@ ($mulx:ident) $operands:tt $portable:ident) => {
            if $crate::kernels::has_bmi2() {
                assembly!(@call $mulx $operands)
            } else {
                assembly!(@portable $portable $operands)
            }
        };
        (@ ($mulx:ident, $adx:ident) $operands:tt $portable:ident) => {
            if $crate::kernels::prefers_one_chain() {
                assembly!(@call $mulx $operands)
            } else if $crate::kernels::prefers_two_chains() {
                assembly!(@call $adx $operands)
            } else {
                assembly!(@portable $portable $operands)
            }
        };
        (@call $kernel:ident $operands:tt) => {
            // SAFETY: the processor was found to have what the kernel needs, and the class is p's.
            // The kernel reads the operands, writes z and keeps what its convention says.
            unsafe { $kernel::<M> $operands }
        };
        (@portable $portable:ident $operands:tt) => {
            // SAFETY: the operands are the caller's.
            unsafe { $crate::assembly::$portable::<_, M> $operands }
        };
    }
    pub(crate) use assembly;
}
