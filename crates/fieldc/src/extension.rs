//! Products in the quadratic extension with u^2 = -1, for elements kept as two parts.

use crate::assembly::{HasProducts, Products};
use crate::generated::{EXTENSION_MU, LAZY_FOLD_N0, LAZY_FOLD_TOP};
use crate::modulus::Modulus;

/// Whether a modulus is of the class EXTENSION, with kernels for both parts of a product at once;
/// `fieldc/packages/rust/classes.py` defines it. Its limits are those of LAZY_FOLD, and one more.
#[allow(dead_code, reason = "not every build has kernels for Fp2")]
pub(crate) const fn has_kernels<const N: usize, M: Modulus<N>>() -> bool {
    let is_lazy_fold = M::P[N - 1] < LAZY_FOLD_TOP && M::N0 <= LAZY_FOLD_N0;
    is_lazy_fold && M::P[0] % 4 == 3 && M::MU[N - 2] <= EXTENSION_MU
}

/// The product of `x[0] + x[1]*u` and `y[0] + y[1]*u` in Montgomery form.
#[inline(always)]
pub fn fp2_mul<const N: usize, M: HasProducts<N>>(x: &[M; 2], y: &[M; 2]) -> [[u64; N]; 2] {
    M::Kernels::fp2_mul::<M>(limbs_of(x), limbs_of(y))
}

/// The square of `x[0] + x[1]*u`.
#[inline(always)]
pub fn fp2_square<const N: usize, M: HasProducts<N>>(x: &[M; 2]) -> [[u64; N]; 2] {
    M::Kernels::fp2_square::<M>(limbs_of(x))
}

/// The two parts of a result of 2N words.
#[allow(dead_code, reason = "not every build has kernels for Fp2")]
#[inline(always)]
pub(crate) fn halves<const N: usize, const W: usize>(z: &[u64; W]) -> [[u64; N]; 2] {
    [
        core::array::from_fn(|i| z[i]),
        core::array::from_fn(|i| z[N + i]),
    ]
}

/// The limbs of both parts.
#[inline(always)]
fn limbs_of<const N: usize, M: HasProducts<N>>(x: &[M; 2]) -> &[[u64; N]; 2] {
    // SAFETY: an element is nothing but its limbs, as its implementation promises.
    unsafe { &*core::ptr::from_ref(x).cast() }
}
