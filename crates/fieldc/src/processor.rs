//! What the processor offers.

use core::arch::x86_64::{__cpuid, __cpuid_count};

/// Whether the processor has both ADX and BMI2.
#[allow(
    unused_unsafe,
    reason = "CPUID is a safe function in newer versions of Rust"
)]
pub(crate) fn has_adx_and_bmi2() -> bool {
    const BMI2: u32 = 1 << 8;
    const ADX: u32 = 1 << 19;
    // SAFETY: every x86-64 processor has CPUID.
    let leaves = unsafe { __cpuid(0) }.eax;
    // SAFETY: as above; leaf 7 exists if it is not above the largest one.
    leaves >= 7 && unsafe { __cpuid_count(7, 0) }.ebx & (BMI2 | ADX) == BMI2 | ADX
}
