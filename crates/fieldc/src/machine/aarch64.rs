//! Which kernels run on AArch64, and calls of them.

use crate::kernels::PORTABLE;
use crate::running::code;

/// Whether assembly runs: unless portable kernels were selected.
#[inline(always)]
pub(crate) fn runs_assembly() -> bool {
    code() != PORTABLE
}

/// One load and one comparison beside a call: every processor runs the kernels.
macro_rules! run {
    (($kernel:ident) ($($x:ident),+) ($($portable:tt)+)) => {
        if $crate::machine::runs_assembly() {
            // SAFETY: the class is p's.
            unsafe { $kernel::<M>($($x),+) }
        } else {
            $crate::machine::$($portable)+($($x),+)
        }
    };
}
pub(crate) use run;
