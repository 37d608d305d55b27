//! What every AArch64 processor has.

use crate::kernels::Kernels;

/// Whether every processor has what kernels need.
pub(crate) fn is_available(kernels: Kernels) -> bool {
    matches!(kernels, Kernels::Portable | Kernels::Aarch64)
}

/// The fastest kernels of every processor.
pub(crate) fn found() -> Kernels {
    Kernels::Aarch64
}
