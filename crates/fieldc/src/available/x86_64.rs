//! What an x86-64 processor has.

use core::arch::asm;
use core::arch::x86_64::{__cpuid, __cpuid_count};

use super::HAS_VECTORS;
use super::processor::processor;
use crate::kernels::Kernels;

/// Whether the processor has what kernels need.
pub(crate) fn is_available(kernels: Kernels) -> bool {
    let processor = processor();
    match kernels {
        Kernels::Portable => true,
        Kernels::Mulx => processor.bmi2,
        Kernels::Adx => processor.adx,
        Kernels::Avx512f => processor.adx && HAS_VECTORS && has_vectors_of(kernels),
        Kernels::Avx512Ifma => processor.bmi2 && HAS_VECTORS && has_vectors_of(kernels),
        Kernels::AdxAvx512Ifma => processor.adx && HAS_VECTORS && has_vectors_of(kernels),
        Kernels::Aarch64 => false,
    }
}

/// The fastest kernels that the processor has.
pub(crate) fn found() -> Kernels {
    use Kernels::{Adx, AdxAvx512Ifma, Avx512Ifma, Avx512f, Mulx};
    let fastest = if processor().prefers_two_chains {
        [AdxAvx512Ifma, Avx512f, Adx]
    } else {
        [Avx512Ifma, Avx512f, Mulx]
    };
    let found = fastest.into_iter().find(|kernels| is_available(*kernels));
    found.unwrap_or(Kernels::Portable)
}

/// Whether the processor has the vectors of some kernels, and the system keeps their registers.
#[allow(
    unused_unsafe,
    reason = "CPUID is a safe function in newer versions of Rust"
)]
fn has_vectors_of(kernels: Kernels) -> bool {
    const F_AND_DQ: u32 = 1 << 16 | 1 << 17;
    const IFMA: u32 = 1 << 21;
    const VBMI2: u32 = 1 << 6;
    let (ebx, ecx) = match kernels {
        Kernels::Avx512f => (F_AND_DQ, 0),
        Kernels::Avx512Ifma | Kernels::AdxAvx512Ifma => (F_AND_DQ | IFMA, VBMI2),
        _ => return false,
    };
    // SAFETY: every x86-64 processor has CPUID and its leaf 0.
    let most = unsafe { __cpuid(0) }.eax;
    if most < 7 || !keeps_vectors() {
        return false;
    }
    // SAFETY: leaf 7 exists, as it is not above the largest one.
    let found = unsafe { __cpuid_count(7, 0) };
    found.ebx & ebx == ebx && found.ecx & ecx == ecx
}

/// Whether the system saves the registers of vectors.
#[allow(
    unused_unsafe,
    reason = "CPUID is a safe function in newer versions of Rust"
)]
fn keeps_vectors() -> bool {
    const OSXSAVE: u32 = 1 << 27;
    /// Registers xmm, ymm, masks, both halves of zmm.
    const STATE: u32 = 0xe6;
    // SAFETY: every x86-64 processor has CPUID and its leaf 1.
    if unsafe { __cpuid(1) }.ecx & OSXSAVE == 0 {
        return false;
    }
    let state: u32;
    // SAFETY: OSXSAVE says that the instruction is there. It changes the two registers only.
    unsafe {
        asm!(
            "xgetbv",
            in("ecx") 0,
            out("eax") state,
            out("edx") _,
            options(nomem, nostack, preserves_flags),
        );
    }
    state & STATE == STATE
}
