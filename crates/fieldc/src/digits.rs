//! Which kernels compute with a field's elements in digits.

use core::marker::PhantomData;

use crate::Field;
use crate::assembly::HasProducts;
use crate::vectors::{DigitKernels, MoveKernels, SumKernels, digits_on_arrays, moves_on_arrays};

/// What computes with elements of F in digits: values below 2p, eight of them in a block.
///
/// Made by [`digits`] alone, for fields whose elements are nothing but their limbs, and where the
/// processor has what the kernels need.
#[cfg_attr(
    not(feature = "alloc"),
    allow(dead_code, reason = "arrays in digits own memory")
)]
pub struct Digits<F> {
    pub(crate) kernels: &'static DigitKernels,
    pub(crate) sums: &'static SumKernels,
    pub(crate) moves: Option<&'static MoveKernels>,
    of: PhantomData<fn() -> F>,
}

/// The kernels that run for a field now.
#[inline]
pub fn digits<const N: usize, M: HasProducts<N> + Field>() -> Option<Digits<M>> {
    let (kernels, sums) = digits_on_arrays::<N, M>()?;
    Some(Digits {
        kernels,
        sums,
        moves: moves_on_arrays::<N, M>(),
        of: PhantomData,
    })
}
