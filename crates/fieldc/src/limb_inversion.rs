//! Inversion on whole limbs, by kernels that update f, g, d and e after a batch of divsteps.

use crate::modulus::Modulus;

/// The residue of 1/x from that of x, 0 for x = 0, where kernels for p run that were measured to be
/// faster than digits of 62 bits: on processors that are known to have ADX.
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
#[inline(always)]
pub(crate) fn invert<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> Option<[u64; N]> {
    use crate::divsteps::{Batches, KERNEL_STEPS};
    use crate::generated::{SPARE_TOP, updates};
    use crate::machine::{find_out, has_adx};

    let has_spare_bit = M::P[N - 1] < SPARE_TOP;
    let is_served = updates::UPDATED.contains(&N) && has_spare_bit;
    if !is_served || Batches::<N, M>::STEPS != KERNEL_STEPS {
        return None;
    }
    find_out();
    if has_adx() {
        updates::inverse::<N, M>(x)
    } else {
        None
    }
}

/// There are no such kernels.
#[allow(
    clippy::extra_unused_type_parameters,
    reason = "it is called as the one that runs them"
)]
#[cfg(not(all(target_arch = "x86_64", not(feature = "portable"), not(miri))))]
#[inline(always)]
pub(crate) fn invert<const N: usize, M: Modulus<N>>(_: &[u64; N]) -> Option<[u64; N]> {
    None
}
