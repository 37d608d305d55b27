//! Which kernels run: found out once, kept in one byte.

use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering::Relaxed};

#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
use crate::processor::has_adx_and_bmi2;

/// The kernels that a processor can run.
///
/// The choice is made once, when it is first needed, for the whole program. All kernels compute
/// the same, so a change while other threads compute is harmless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Kernels {
    /// Rust, for every processor.
    Portable,
    /// x86-64 assembly for processors with ADX and BMI2.
    Adx,
}

/// This processor, or this build of the crate, does not have the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable(Kernels);

const UNKNOWN: u8 = 0;
const PORTABLE: u8 = 1;
const ADX: u8 = 2;

/// ADX only where `has_adx_and_bmi2` held.
static CURRENT: AtomicU8 = AtomicU8::new(UNKNOWN);

/// Whether assembly is what runs: one load and one comparison.
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
#[inline(always)]
pub(crate) fn is_adx() -> bool {
    CURRENT.load(Relaxed) == ADX
}

impl Kernels {
    /// The fastest kernels that this processor and this build have.
    pub fn detect() -> Self {
        if has_adx_and_bmi2() {
            Self::Adx
        } else {
            Self::Portable
        }
    }

    /// The kernels that run.
    pub fn current() -> Self {
        match CURRENT.load(Relaxed) {
            ADX => Self::Adx,
            PORTABLE => Self::Portable,
            _ => {
                let found = Self::detect();
                found.store();
                found
            }
        }
    }

    /// Makes these kernels the ones that run, for tests and measurements.
    ///
    /// ```
    /// use fieldc::Kernels;
    ///
    /// assert_eq!(Kernels::Portable.select(), Ok(()));
    /// assert_eq!(Kernels::current(), Kernels::Portable);
    /// ```
    pub fn select(self) -> Result<(), Unavailable> {
        if self == Self::Adx && !has_adx_and_bmi2() {
            return Err(Unavailable(self));
        }
        self.store();
        Ok(())
    }

    fn store(self) {
        let code = match self {
            Self::Portable => PORTABLE,
            Self::Adx => ADX,
        };
        CURRENT.store(code, Relaxed);
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

/// Finds out what the processor has, if nobody asked yet. Portable code calls this, so that code
/// on its way to assembly need not.
#[inline(always)]
pub(crate) fn find_out() {
    let assembly = cfg!(all(
        target_arch = "x86_64",
        not(feature = "portable"),
        not(miri)
    ));
    if assembly && CURRENT.load(Relaxed) == UNKNOWN {
        Kernels::current();
    }
}

#[cfg(not(all(target_arch = "x86_64", not(feature = "portable"), not(miri))))]
fn has_adx_and_bmi2() -> bool {
    false
}
