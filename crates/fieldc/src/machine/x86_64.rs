//! Which kernels run on x86-64, and calls of them.

use crate::kernels::{ADX, ADX_AVX2, ADX_AVX512IFMA, AVX512F, AVX512IFMA, MULX};
use crate::running::code;

/// Whether assembly runs that needs BMI2 only.
#[inline(always)]
pub(crate) fn has_bmi2() -> bool {
    code() >= ADX
}

/// Whether the kernels with one carry chain run.
#[inline(always)]
pub(crate) fn prefers_one_chain() -> bool {
    code() >= MULX
}

/// Whether the kernels with two carry chains run.
#[inline(always)]
pub(crate) fn prefers_two_chains() -> bool {
    matches!(code(), ADX | ADX_AVX2 | AVX512F | ADX_AVX512IFMA)
}

/// Whether assembly may run that needs ADX and BMI2: only processors with both have AVX-512 kernels.
#[inline(always)]
pub(crate) fn has_adx() -> bool {
    prefers_two_chains() || code() == AVX512IFMA
}

/// One load and one or two comparisons beside a call.
macro_rules! run {
    (($mulx:ident) $operands:tt $portable:tt) => {
        if $crate::machine::has_bmi2() {
            $crate::machine::run!(@call $mulx $operands)
        } else {
            $crate::machine::run!(@portable $portable $operands)
        }
    };
    (($mulx:ident, $adx:ident) $operands:tt $portable:tt) => {
        if $crate::machine::prefers_one_chain() {
            $crate::machine::run!(@call $mulx $operands)
        } else if $crate::machine::prefers_two_chains() {
            $crate::machine::run!(@call $adx $operands)
        } else {
            $crate::machine::run!(@portable $portable $operands)
        }
    };
    (@call $kernel:ident $operands:tt) => {
        // SAFETY: the processor was found to have what the kernel needs, and the class is p's.
        unsafe { $kernel::<M> $operands }
    };
    (@portable ($($portable:tt)+) $operands:tt) => {
        $crate::limbs::by_limbs(&$crate::machine::$($portable)+ $operands)
    };
}
pub(crate) use run;
