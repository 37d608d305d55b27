//! Which kernels on arrays run for a modulus.

use crate::array_operation::Operation;
use crate::kernels::{ADX_AVX2, ADX_AVX512IFMA, AVX2, AVX512F, AVX512IFMA, Kernels, UNKNOWN};
use crate::modulus::{Modulus, is_same_number};
use crate::running::code;
use crate::vector_kernels::{ArrayKernel, ArrayKernels, Entry};

pub(crate) use crate::vector_kernels::{
    DigitKernels, MoveKernels, PowerKernels, RunAccumulate, RunButterfly, RunMove, SumKernels,
    TransformKernels,
};

/// The entry of a modulus in the generated list.
const fn entry(p: &[u64]) -> Option<&'static Entry> {
    let entries = crate::generated::arrays::ENTRIES;
    let mut i = 0;
    while i < entries.len() {
        if is_same_number(entries[i].0, p) {
            return Some(&entries[i]);
        }
        i += 1;
    }
    None
}

/// The kernels that run for a modulus, if there are any.
#[inline]
fn running<const N: usize, M: Modulus<N>>() -> Option<&'static ArrayKernels> {
    let (_, in_four_lanes, by_doubles, by_digits) = const { entry(&M::P) }?;
    if code() == UNKNOWN {
        Kernels::current();
    }
    match code() {
        AVX2 | ADX_AVX2 => Some(in_four_lanes),
        AVX512F => Some(by_doubles),
        AVX512IFMA | ADX_AVX512IFMA => Some(by_digits),
        _ => None,
    }
}

/// The kernel of butterflies that runs for a modulus, if there is one.
#[inline]
pub(crate) fn butterfly_on_arrays<const N: usize, M: Modulus<N>>()
-> Option<&'static ArrayKernel<RunButterfly>> {
    running::<N, M>()?.butterfly.as_ref()
}

/// The kernels of inner products that run for a modulus, if there are any.
#[inline]
pub(crate) fn sums_on_arrays<const N: usize, M: Modulus<N>>() -> Option<&'static SumKernels> {
    running::<N, M>()?.sum.as_ref()
}

/// The kernels of products in a tower that run for a modulus, if there are any.
#[inline]
pub(crate) fn multiples_on_arrays<const N: usize, M: Modulus<N>>() -> Option<&'static SumKernels> {
    running::<N, M>()?.multiples.as_ref()
}

/// The kernels of transforms in digits that run for a modulus, if there are any.
#[inline]
pub(crate) fn transforms_on_arrays<const N: usize, M: Modulus<N>>()
-> Option<&'static TransformKernels> {
    running::<N, M>()?.transform.as_ref()
}

/// The kernels that move numbers to digits and back for a modulus, if there are any.
#[inline]
pub(crate) fn moves_on_arrays<const N: usize, M: Modulus<N>>() -> Option<&'static MoveKernels> {
    running::<N, M>()?.moves.as_ref()
}

/// The kernels of arrays in digits that run for a modulus, and those of their sums.
#[inline]
pub(crate) fn digits_on_arrays<const N: usize, M: Modulus<N>>()
-> Option<(&'static DigitKernels, &'static SumKernels)> {
    let found = running::<N, M>()?;
    found.digits.as_ref().zip(found.sum.as_ref())
}

/// The kernel of an operation that runs for a modulus, if there is one.
#[inline]
pub(crate) fn kernels_on_arrays<const N: usize, M: Modulus<N>>(
    operation: Operation,
) -> Option<&'static ArrayKernel> {
    let found = running::<N, M>()?;
    match operation {
        Operation::Add => &found.add,
        Operation::Sub => &found.sub,
        Operation::Mul => &found.mul,
        Operation::Square => &found.square,
        Operation::MulAdd => &found.mul_add,
    }
    .as_ref()
}
