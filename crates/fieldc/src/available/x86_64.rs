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
        Kernels::Avx2 => processor.bmi2 && HAS_VECTORS && has_vectors_of(kernels),
        Kernels::AdxAvx2 => processor.adx && HAS_VECTORS && has_vectors_of(kernels),
        Kernels::Avx512f => processor.adx && HAS_VECTORS && has_vectors_of(kernels),
        Kernels::Avx512Ifma => processor.adx && HAS_VECTORS && has_vectors_of(kernels),
        Kernels::AdxAvx512Ifma => processor.adx && HAS_VECTORS && has_vectors_of(kernels),
        Kernels::Aarch64 => false,
    }
}

/// The fastest kernels that the processor has.
pub(crate) fn found() -> Kernels {
    use Kernels::{Adx, AdxAvx2, AdxAvx512Ifma, Avx2, Avx512Ifma, Avx512f, Mulx};
    let fastest = if processor().prefers_two_chains {
        [AdxAvx512Ifma, Avx512f, AdxAvx2, Adx]
    } else {
        [Avx512Ifma, Avx512f, Avx2, Mulx]
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
    const AVX2: u32 = 1 << 5;
    const FMA: u32 = 1 << 12;
    /// Registers xmm and ymm; masks and both halves of zmm.
    const YMM: u32 = 0x6;
    const ZMM: u32 = YMM | 0xe0;
    let (first, ebx, ecx, state) = match kernels {
        Kernels::Avx2 | Kernels::AdxAvx2 => (FMA, AVX2, 0, YMM),
        Kernels::Avx512f => (0, F_AND_DQ, 0, ZMM),
        Kernels::Avx512Ifma | Kernels::AdxAvx512Ifma => (0, F_AND_DQ | IFMA, VBMI2, ZMM),
        _ => return false,
    };
    // SAFETY: every x86-64 processor has CPUID and its leaf 0.
    let most = unsafe { __cpuid(0) }.eax;
    if most < 7 || !keeps_vectors(state) {
        return false;
    }
    // SAFETY: leaf 1 exists everywhere, and leaf 7, as it is not above the largest one.
    let (one, seven) = unsafe { (__cpuid(1), __cpuid_count(7, 0)) };
    let has = one.ecx & first == first && seven.ebx & ebx == ebx && seven.ecx & ecx == ecx;
    // SAFETY: AVX and FMA are there, and the system keeps their registers.
    has && (state != YMM || unsafe { rounds_as_told() })
}

/// Whether products of doubles are rounded as MXCSR says. In valgrind they are not.
///
/// # Safety
/// The processor has AVX and FMA.
unsafe fn rounds_as_told() -> bool {
    /// All exceptions masked, results rounded to zero.
    const TO_ZERO: u32 = 0x7f80;
    /// 2^53 + 1.5*1 is 2^53 to zero, and 2^53 + 2 to the nearest double.
    const SUM: f64 = 9_007_199_254_740_992.0;
    let (mut sum, x, y) = ([SUM; 4], [1.5_f64; 4], [1.0_f64; 4]);
    let (mut before, to_zero) = (0_u32, TO_ZERO);
    // SAFETY: the caller says that the instructions are there. Each pointer is that of a value of
    // the size that is read or written there. MXCSR is put back.
    unsafe {
        asm!(
            "vstmxcsr [{before}]",
            "vldmxcsr [{to_zero}]",
            "vmovupd ymm0, [{sum}]",
            "vmovupd ymm1, [{x}]",
            "vfmadd231pd ymm0, ymm1, [{y}]",
            "vmovupd [{sum}], ymm0",
            "vldmxcsr [{before}]",
            "vzeroupper",
            before = in(reg) &raw mut before,
            to_zero = in(reg) &raw const to_zero,
            sum = in(reg) sum.as_mut_ptr(),
            x = in(reg) x.as_ptr(),
            y = in(reg) y.as_ptr(),
            clobber_abi("sysv64"),
            options(nostack),
        );
    }
    sum == [SUM; 4]
}

/// Whether the system saves registers, given as xgetbv names them.
#[allow(
    unused_unsafe,
    reason = "CPUID is a safe function in newer versions of Rust"
)]
fn keeps_vectors(registers: u32) -> bool {
    const OSXSAVE: u32 = 1 << 27;
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
    // macOS keeps registers of 512 bits too, and turns them on when a thread first uses them.
    let on_demand = if cfg!(target_vendor = "apple") && state & 6 == 6 {
        0xe0
    } else {
        0
    };
    (state | on_demand) & registers == registers
}
