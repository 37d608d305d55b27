//! The kinds of kernels, and the byte that stands for each.

/// The kernels that a processor can run.
///
/// The choice is made once, when it is first needed, for the whole program. All kernels compute
/// the same, so a change while other threads compute is harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kernels {
    /// Rust, for every processor. Sums of up to six limbs, and all operations of one limb, are
    /// inlined assembly on x86-64 and AArch64, whichever kernels run.
    Portable,
    /// x86-64 assembly with one carry chain, for processors with BMI2.
    Mulx,
    /// x86-64 assembly with two carry chains where there is any, for processors with ADX and BMI2.
    Adx,
    /// As `Mulx`, and vectors of 256 bits on slices, for processors with AVX2 and FMA too.
    Avx2,
    /// As `Adx`, and the vectors of `Avx2`.
    AdxAvx2,
    /// As `Adx`, and vectors on slices, for processors with AVX-512 F and DQ too.
    Avx512f,
    /// As `Mulx`, and vectors on slices, for processors with ADX and AVX-512 F, DQ, IFMA and VBMI2
    /// too.
    Avx512Ifma,
    /// As `Adx`, and the vectors of `Avx512Ifma`.
    AdxAvx512Ifma,
    /// AArch64 assembly, for every AArch64 processor.
    Aarch64,
}

pub(crate) const UNKNOWN: u8 = 0;
pub(crate) const PORTABLE: u8 = 1;
pub(crate) const ADX: u8 = 2;
pub(crate) const ADX_AVX2: u8 = 3;
pub(crate) const AVX512F: u8 = 4;
pub(crate) const ADX_AVX512IFMA: u8 = 5;
pub(crate) const MULX: u8 = 6;
pub(crate) const AVX2: u8 = 7;
pub(crate) const AVX512IFMA: u8 = 8;
pub(crate) const AARCH64: u8 = 9;

impl Kernels {
    /// Its byte.
    pub(crate) const fn code(self) -> u8 {
        match self {
            Self::Portable => PORTABLE,
            Self::Mulx => MULX,
            Self::Adx => ADX,
            Self::Avx2 => AVX2,
            Self::AdxAvx2 => ADX_AVX2,
            Self::Avx512f => AVX512F,
            Self::Avx512Ifma => AVX512IFMA,
            Self::AdxAvx512Ifma => ADX_AVX512IFMA,
            Self::Aarch64 => AARCH64,
        }
    }
}
