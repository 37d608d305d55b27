//! Numbers of double width, for products in towers: kernels whose results are not reduced.
//!
//! A wide number is an integer modulo R^2, in two's complement where it is negative. Sums of them
//! need no correction: what they mean is exact while it stays far from R^2, of which p^2 is less
//! than a 90th part.

use core::marker::PhantomData;
use core::mem::MaybeUninit;

use crate::assembly::HasProducts;
use crate::extension::has_kernels;
use crate::fp2::Fp2;
use crate::limbs::adc;
use crate::modulus::Modulus;

/// Limbs of an element: of the class EXTENSION.
const N: usize = 6;
/// Limbs of a wide number.
const W: usize = 2 * N;

/// A number below R.
pub(super) type Limbs = [u64; N];
/// A number modulo R^2.
pub(super) type Wide = [u64; W];
/// A value of Fp2 whose parts are not reduced: below 4p as an operand.
pub(super) type Pair = [Limbs; 2];
/// A value of Fp2 in double width.
pub(super) type WidePair = [Wide; 2];

/// Kernels with one carry chain.
pub(crate) struct Mulx;
/// Kernels with two carry chains.
pub(crate) struct Adx;

/// The kernels of double width for primes of the class EXTENSION.
///
/// # Safety
/// Each function is only for processors that have its instructions, and for primes of the class.
pub(crate) trait WideKernels<const N: usize, const W: usize> {
    /// x*y with u^2 = -1, modulo R^2, of values below 4p.
    unsafe fn fp2_mul_wide<M: Modulus<N>>(
        z: &mut MaybeUninit<[[u64; W]; 2]>,
        x: &[[u64; N]; 2],
        y: &[[u64; N]; 2],
    );
    /// x/R mod p for x below 2p*R.
    unsafe fn redc<M: Modulus<N>>(x: &[u64; W]) -> [u64; N];
    /// x + y modulo R^2.
    unsafe fn wide_sum_2_0<M: Modulus<N>>(x: &[u64; W], y: &[u64; W]) -> [u64; W];
    /// x - y modulo R^2.
    unsafe fn wide_sum_1_1<M: Modulus<N>>(x: &[u64; W], y: &[u64; W]) -> [u64; W];
    /// x + y + a modulo R^2.
    unsafe fn wide_sum_3_0<M: Modulus<N>>(x: &[u64; W], y: &[u64; W], a: &[u64; W]) -> [u64; W];
    /// x + y - a modulo R^2.
    unsafe fn wide_sum_2_1<M: Modulus<N>>(x: &[u64; W], y: &[u64; W], a: &[u64; W]) -> [u64; W];
    /// x - y - a modulo R^2.
    unsafe fn wide_sum_1_2<M: Modulus<N>>(x: &[u64; W], y: &[u64; W], a: &[u64; W]) -> [u64; W];
    /// x + y - a - b modulo R^2.
    unsafe fn wide_sum_2_2<M: Modulus<N>>(
        x: &[u64; W],
        y: &[u64; W],
        a: &[u64; W],
        b: &[u64; W],
    ) -> [u64; W];
}

/// Makes the kernels of a variant methods of its type.
macro_rules! tower {
    (
        $n:literal, $w:literal, $Chains:ident:
        fp2_mul_wide: $mul:ident;
        redc: $redc:ident;
        $($sum:ident: $kernel:ident;)+
    ) => {
        impl $crate::tower::WideKernels<$n, $w> for $crate::tower::$Chains {
            #[inline(always)]
            unsafe fn fp2_mul_wide<M: Modulus<$n>>(
                z: &mut core::mem::MaybeUninit<[[u64; $w]; 2]>,
                x: &[[u64; $n]; 2],
                y: &[[u64; $n]; 2],
            ) {
                // SAFETY: the caller's.
                unsafe { $mul::<M>(z, x, y) }
            }

            #[inline(always)]
            unsafe fn redc<M: Modulus<$n>>(x: &[u64; $w]) -> [u64; $n] {
                // SAFETY: the caller's.
                unsafe { $redc::<M>(x) }
            }

            $($crate::tower::wide_sum! { $sum, $kernel, $n, $w })+
        }
    };
}
pub(crate) use tower;

/// A method that calls a sum, by how many numbers there are.
macro_rules! wide_sum {
    (wide_sum_2_0, $($rest:tt)+) => { $crate::tower::wide_sum! { @ wide_sum_2_0, (x, y), $($rest)+ } };
    (wide_sum_1_1, $($rest:tt)+) => { $crate::tower::wide_sum! { @ wide_sum_1_1, (x, y), $($rest)+ } };
    (wide_sum_3_0, $($rest:tt)+) => { $crate::tower::wide_sum! { @ wide_sum_3_0, (x, y, a), $($rest)+ } };
    (wide_sum_2_1, $($rest:tt)+) => { $crate::tower::wide_sum! { @ wide_sum_2_1, (x, y, a), $($rest)+ } };
    (wide_sum_1_2, $($rest:tt)+) => { $crate::tower::wide_sum! { @ wide_sum_1_2, (x, y, a), $($rest)+ } };
    (@ $name:ident, ($($x:ident),+), $kernel:ident, $n:literal, $w:literal) => {
        #[inline(always)]
        unsafe fn $name<M: Modulus<$n>>($($x: &[u64; $w]),+) -> [u64; $w] {
            // SAFETY: the caller's.
            unsafe { $kernel::<M>($($x),+) }
        }
    };
    ($name:ident, $($rest:tt)+) => { $crate::tower::wide_sum! { @ $name, (x, y, a, b), $($rest)+ } };
}
pub(crate) use wide_sum;

/// The kernels of one variant for a field whose elements are their limbs: who has it may call them.
pub(super) struct Words<K, F>(PhantomData<(K, F)>);

impl<K: WideKernels<N, W>, F: HasProducts<N>> Words<K, F> {
    /// 11*p^2 and 5*p^2: what makes both parts of a product in the tower positive.
    pub(super) const OFFSETS: WidePair =
        [multiple_of_square(&F::P, 11), multiple_of_square(&F::P, 5)];

    /// # Safety
    /// The processor has the instructions of K.
    #[inline(always)]
    pub(super) unsafe fn new() -> Self {
        const {
            assert!(has_kernels::<N, F>(), "p is not of the class EXTENSION");
            // 19*p^2 is below 2p*R, as `wide` needs.
            assert!(19 * (F::P[N - 1] as u128 + 1) <= 2 << 64);
        }
        Self(PhantomData)
    }

    /// x*y, nothing reduced; parts are below 4p.
    #[inline(always)]
    pub(super) fn product<'a>(
        &self,
        z: &'a mut MaybeUninit<WidePair>,
        x: &Pair,
        y: &Pair,
    ) -> &'a WidePair {
        // SAFETY: by `new`; the kernel writes all of z.
        unsafe {
            K::fp2_mul_wide::<F>(z, x, y);
            z.assume_init_ref()
        }
    }

    /// The element of Fp2 with these parts, each from 0 to below 2p*R, divided by R.
    #[inline(always)]
    pub(super) fn reduced(&self, c0: &Wide, c1: &Wide) -> Fp2<F> {
        // SAFETY: by `new`; an element is nothing but its limbs, and these are below p.
        let part = |x| unsafe { core::mem::transmute_copy::<Limbs, F>(&K::redc::<F>(x)) };
        Fp2 {
            c0: part(c0),
            c1: part(c1),
        }
    }
}

macro_rules! sums {
    ($($name:ident ($($x:ident),+) $kernel:ident $says:literal;)+) => {
        impl<K: WideKernels<N, W>, F: HasProducts<N>> Words<K, F> {
            $(
                #[doc = $says]
                #[inline(always)]
                pub(super) fn $name(&self, $($x: &Wide),+) -> Wide {
                    // SAFETY: by `new`.
                    unsafe { K::$kernel::<F>($($x),+) }
                }
            )+
        }
    };
}

sums! {
    plus (x, y) wide_sum_2_0 "x + y.";
    minus (x, y) wide_sum_1_1 "x - y.";
    plus_plus (x, y, a) wide_sum_3_0 "x + y + a.";
    plus_minus (x, y, a) wide_sum_2_1 "x + y - a.";
    minus_both (x, y, a) wide_sum_1_2 "x - y - a.";
    two_minus_two (x, y, a, b) wide_sum_2_2 "x + y - a - b.";
}

/// A place with the two values that a function gives.
#[inline(always)]
pub(super) fn filled(z: &mut MaybeUninit<WidePair>, value: impl Fn(usize) -> Wide) -> &WidePair {
    let first = z.as_mut_ptr().cast::<Wide>();
    // SAFETY: a pair is two values, and both are written.
    unsafe {
        first.write(value(0));
        first.add(1).write(value(1));
        z.assume_init_ref()
    }
}

/// x + y, not reduced: the parts are below R together.
#[inline(always)]
pub(super) fn loose(x: &Pair, y: &Pair) -> Pair {
    let part = |x: &Limbs, y: &Limbs| {
        let (mut z, mut carry) = ([0; N], false);
        for ((z, x), y) in z.iter_mut().zip(x).zip(y) {
            (*z, carry) = adc(*x, *y, carry);
        }
        z
    };
    [part(&x[0], &y[0]), part(&x[1], &y[1])]
}

/// The parts of an element as limbs.
#[inline(always)]
pub(super) fn limbs_of<const N: usize, F: HasProducts<N>>(x: &Fp2<F>) -> &[[u64; N]; 2] {
    // SAFETY: two fields of one type in the order of C lie as in an array, and an element is
    // nothing but its limbs.
    unsafe { &*core::ptr::from_ref(x).cast() }
}

/// k*p^2 modulo R^2.
const fn multiple_of_square(p: &Limbs, k: u64) -> Wide {
    let (mut z, mut times) = ([0; W], 0);
    while times < k {
        let mut i = 0;
        while i < N {
            let (mut carry, mut j) = (0u128, 0);
            while i + j < W {
                let product = if j < N {
                    p[i] as u128 * p[j] as u128
                } else {
                    0
                };
                let sum = z[i + j] as u128 + carry + (product & u64::MAX as u128);
                z[i + j] = sum as u64;
                carry = (sum >> 64) + (product >> 64);
                j += 1;
            }
            i += 1;
        }
        times += 1;
    }
    z
}
