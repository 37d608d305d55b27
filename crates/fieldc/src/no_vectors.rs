//! Builds without kernels on arrays.

use crate::array_operation::Operation;
use crate::modulus::Modulus;

/// What a kernel of butterflies would be.
pub(crate) type RunButterfly =
    unsafe fn(usize, *mut u64, *mut u64, *const u64, *const u64, *const u64);

/// What a kernel of up to three operands would be.
type Run = unsafe fn(usize, *mut u64, *const u64, *const u64, *const u64);

/// A kernel on arrays, of which there are none.
pub(crate) struct ArrayKernel<R = Run> {
    pub(crate) run: R,
    pub(crate) least: usize,
}

impl<R> ArrayKernel<R> {
    /// How many of some elements vectors take.
    pub(crate) fn takes(&self, _: usize) -> usize {
        0
    }
}

/// The kernel of butterflies that runs for a modulus: none.
#[inline(always)]
pub(crate) fn butterfly_on_arrays<const N: usize, M: Modulus<N>>()
-> Option<&'static ArrayKernel<RunButterfly>> {
    None
}

/// The kernels of inner products, of which there are none.
pub(crate) struct SumKernels {
    pub(crate) accumulate: unsafe fn(usize, *mut u64, *const u64, *const u64),
    pub(crate) collect: unsafe fn(usize, *mut u64, *const u64),
    pub(crate) columns: usize,
    pub(crate) most: usize,
    pub(crate) multiple: u32,
}

/// The kernels of inner products that run for a modulus: none.
#[inline(always)]
pub(crate) fn sums_on_arrays<const N: usize, M: Modulus<N>>() -> Option<&'static SumKernels> {
    None
}

/// The kernels of products in a tower that run for a modulus: none.
#[inline(always)]
pub(crate) fn multiples_on_arrays<const N: usize, M: Modulus<N>>() -> Option<&'static SumKernels> {
    None
}

/// What moves elements to digits and back would be.
pub(crate) type RunMove = unsafe fn(usize, *mut u64, *const u64);

/// What multiplies on the way to digits would be.
pub(crate) type RunAccumulate = unsafe fn(usize, *mut u64, *const u64, *const u64);

/// How values would get their powers of roots.
#[allow(dead_code, reason = "there are no vectors")]
pub(crate) enum PowerKernels {
    Chained(RunAccumulate),
    LookedUp(RunMove),
}

/// The kernels of transforms in digits, of which there are none.
pub(crate) struct TransformKernels {
    pub(crate) enter: RunMove,
    pub(crate) times: RunAccumulate,
    pub(crate) powers: PowerKernels,
    pub(crate) leave: RunMove,
    pub(crate) root: RunMove,
    pub(crate) next_row: RunMove,
    pub(crate) step_one: RunButterfly,
    pub(crate) step_by: RunButterfly,
    pub(crate) step_loose: RunButterfly,
    pub(crate) digits: usize,
}

/// The kernels of transforms in digits that run for a modulus: none.
#[inline(always)]
pub(crate) fn transforms_on_arrays<const N: usize, M: Modulus<N>>()
-> Option<&'static TransformKernels> {
    None
}

/// The kernels of arrays in digits, of which there are none.
pub(crate) struct DigitKernels {
    pub(crate) to: RunMove,
    pub(crate) from: RunMove,
    pub(crate) add: Run,
    pub(crate) sub: Run,
    pub(crate) mul: Run,
    pub(crate) mul_add: Run,
    pub(crate) square: Run,
    pub(crate) accumulate: unsafe fn(usize, *mut u64, *const u64, *const u64),
    pub(crate) digits: usize,
    pub(crate) factor: &'static [u64],
}

/// The kernels that move numbers to digits and back, of which there are none.
pub(crate) struct MoveKernels {
    pub(crate) cut: RunMove,
    pub(crate) join: RunMove,
}

/// The kernels that move numbers to digits and back for a modulus: none.
#[inline(always)]
pub(crate) fn moves_on_arrays<const N: usize, M: Modulus<N>>() -> Option<&'static MoveKernels> {
    None
}

/// The kernels of arrays in digits that run for a modulus: none.
#[inline(always)]
pub(crate) fn digits_on_arrays<const N: usize, M: Modulus<N>>()
-> Option<(&'static DigitKernels, &'static SumKernels)> {
    None
}

/// The kernel of an operation that runs for a modulus: none.
#[inline(always)]
pub(crate) fn kernels_on_arrays<const N: usize, M: Modulus<N>>(
    _: Operation,
) -> Option<&'static ArrayKernel> {
    None
}
