//! Which kernels run: found out once, kept in one byte.

use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

use crate::available::{HAS_ASSEMBLY, HAS_VECTORS, found, is_available};
use crate::kernels::{
    AARCH64, ADX, ADX_AVX2, ADX_AVX512IFMA, AVX2, AVX512F, AVX512IFMA, Kernels, MULX, PORTABLE,
    UNKNOWN,
};

/// This processor, or this build of the crate, does not have the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable(Kernels);

/// Each only where the processor has what it needs: BMI2 from ADX on, AARCH64 only there.
static CURRENT: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Whether the compiler's target has what kernels on arrays need.
const IS_AVX512: bool = cfg!(target_feature = "avx512f") && cfg!(target_feature = "avx512dq");
const IS_IFMA: bool =
    IS_AVX512 && cfg!(target_feature = "avx512ifma") && cfg!(target_feature = "avx512vbmi2");
const IS_ADX: bool = cfg!(target_feature = "adx");

const IS_AVX2: bool = cfg!(target_feature = "avx2") && cfg!(target_feature = "fma");

/// Whether the compiler's target is Zen 3 or 4: others lack SSE4a or VAES, or have AVX-VNNI.
const IS_ZEN: bool = cfg!(target_feature = "sse4a")
    && cfg!(target_feature = "vaes")
    && !cfg!(target_feature = "avxvnni");
const PREFERS_TWO_CHAINS: bool = IS_ADX && IS_ZEN;

/// With the feature `static-cpu` the choice is the compiler's target.
const FIXED: Option<Kernels> = if !cfg!(feature = "static-cpu") {
    None
} else if HAS_ASSEMBLY && cfg!(target_arch = "aarch64") {
    Some(Kernels::Aarch64)
} else if !HAS_ASSEMBLY || !cfg!(target_feature = "bmi2") {
    Some(Kernels::Portable)
} else if HAS_VECTORS && IS_IFMA && PREFERS_TWO_CHAINS {
    Some(Kernels::AdxAvx512Ifma)
} else if HAS_VECTORS && IS_ADX && IS_IFMA {
    Some(Kernels::Avx512Ifma)
} else if HAS_VECTORS && IS_ADX && IS_AVX512 {
    Some(Kernels::Avx512f)
} else if HAS_VECTORS && IS_AVX2 && PREFERS_TWO_CHAINS {
    Some(Kernels::AdxAvx2)
} else if HAS_VECTORS && IS_AVX2 {
    Some(Kernels::Avx2)
} else if PREFERS_TWO_CHAINS {
    Some(Kernels::Adx)
} else {
    Some(Kernels::Mulx)
};

/// The kernels that run, in a byte; UNKNOWN before anybody asked.
#[inline(always)]
pub(crate) fn code() -> u8 {
    match FIXED {
        Some(kernels) => kernels.code(),
        None => CURRENT.load(Relaxed),
    }
}

impl Kernels {
    /// The fastest kernels that this processor and this build have.
    ///
    /// ```
    /// use fieldc::Kernels;
    ///
    /// println!("{:?} would run", Kernels::detect());
    /// ```
    pub fn detect() -> Self {
        FIXED.unwrap_or_else(found)
    }

    /// The kernels that run.
    ///
    /// ```
    /// use fieldc::Kernels;
    ///
    /// assert_eq!(Kernels::current(), Kernels::detect()); // unless the program selected others
    /// ```
    pub fn current() -> Self {
        match code() {
            AARCH64 => Self::Aarch64,
            ADX => Self::Adx,
            AVX2 => Self::Avx2,
            ADX_AVX2 => Self::AdxAvx2,
            AVX512F => Self::Avx512f,
            MULX => Self::Mulx,
            AVX512IFMA => Self::Avx512Ifma,
            ADX_AVX512IFMA => Self::AdxAvx512Ifma,
            PORTABLE => Self::Portable,
            _ => {
                let found = Self::detect();
                CURRENT.store(found.code(), Relaxed);
                found
            }
        }
    }

    /// Makes these kernels the ones that run, for tests and measurements.
    ///
    /// ```
    /// use fieldc::Kernels;
    ///
    /// let fastest = Kernels::detect();
    /// assert_eq!(fastest.select(), Ok(()));
    /// assert_eq!(Kernels::current(), fastest);
    /// ```
    ///
    /// # Errors
    /// If this processor or this build of the crate does not have them; the others run on then.
    pub fn select(self) -> Result<(), Unavailable> {
        if FIXED.is_some_and(|fixed| fixed != self) || !is_available(self) {
            return Err(Unavailable(self));
        }
        CURRENT.store(self.code(), Relaxed);
        Ok(())
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{:?} kernels: not on this processor or not in this build",
            self.0
        )
    }
}

impl core::error::Error for Unavailable {}
