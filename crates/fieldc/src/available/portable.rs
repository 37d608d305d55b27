//! What every processor has.

use crate::kernels::Kernels;

/// Whether there are such kernels here.
pub(crate) fn is_available(kernels: Kernels) -> bool {
    kernels == Kernels::Portable
}

/// The only kernels that there are.
pub(crate) fn found() -> Kernels {
    Kernels::Portable
}
