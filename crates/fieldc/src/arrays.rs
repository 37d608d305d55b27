//! Operations on arrays, by vectors: as far as there are kernels for the modulus and the processor.

use crate::Field;
use crate::array_operation::Operation;
use crate::assembly::HasProducts;
use crate::slices::{self, LEAST_SUMMANDS, WIDTH, folded};
use crate::vectors::{SumKernels, butterfly_on_arrays, kernels_on_arrays, sums_on_arrays};

/// Lanes of columns, and the most columns of a lane: of 768 bits.
const LANES: usize = 8;
const MOST_COLUMNS: usize = 30;
/// Products from which on columns are faster, though they must be reduced in the end.
const LEAST_TERMS: usize = 32;

/// Computes the first elements of z in vectors; how many those are, 0 without a kernel.
///
/// An operand is a slice as long as z, or `None` for z itself.
///
/// # Panics
/// If there is a kernel, and an operand is missing or has another length.
#[inline]
pub fn in_vectors<const N: usize, M: HasProducts<N>>(
    operation: Operation,
    z: &mut [M],
    operands: &[Option<&[M]>],
) -> usize {
    let Some(kernel) = kernels_on_arrays::<N, M>(operation) else {
        return 0;
    };
    let count = kernel.takes(z.len());
    assert_eq!(operands.len(), operation.operands());
    assert!(operands.iter().flatten().all(|x| x.len() == z.len()));
    let z: *mut u64 = z.as_mut_ptr().cast();
    let mut places = [z.cast_const(); 3];
    for (place, x) in places.iter_mut().zip(operands) {
        *place = x.map_or(z.cast_const(), |x| x.as_ptr().cast());
    }
    // SAFETY: the processor was found to have what the kernel needs. An element is nothing but its
    // N limbs, and all arrays have at least `count` elements. An operand is z, or apart from it.
    unsafe { (kernel.run)(count, z, places[0], places[1], places[2]) };
    count
}

/// Computes the first of `x + w*y` and `x - w*y` in vectors, instead of x and y; how many those are.
///
/// # Panics
/// If there is a kernel, and the slices have different lengths.
#[inline]
pub fn butterfly_in_vectors<const N: usize, M: HasProducts<N>>(
    x: &mut [M],
    y: &mut [M],
    w: &[M],
) -> usize {
    let Some(kernel) = butterfly_on_arrays::<N, M>() else {
        return 0;
    };
    let count = kernel.takes(x.len());
    assert!(x.len() == y.len() && x.len() == w.len());
    let (x, y): (*mut u64, *mut u64) = (x.as_mut_ptr().cast(), y.as_mut_ptr().cast());
    // SAFETY: the processor was found to have what the kernel needs. An element is nothing but its
    // N limbs, and all arrays have at least `count` elements. They are apart, and results are x and y.
    unsafe { (kernel.run)(count, x, y, x, y, w.as_ptr().cast()) };
    count
}

/// The fewest elements that vectors take; 0 without a kernel.
#[inline]
pub fn least<const N: usize, M: HasProducts<N>>(operation: Operation) -> usize {
    kernels_on_arrays::<N, M>(operation).map_or(0, |kernel| kernel.least)
}

/// The sum of products of corresponding elements, where vectors are faster.
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn inner_product_in_vectors<const N: usize, M: HasProducts<N> + Field>(
    x: &[M],
    y: &[M],
) -> Option<M> {
    assert_eq!(x.len(), y.len(), "the slices have different lengths");
    if x.len() < LEAST_TERMS {
        return None;
    }
    if let Some(kernels) = sums_on_arrays::<N, M>() {
        return Some(sum_in_columns(kernels, x, y));
    }
    if x.len() < LEAST_SUMMANDS || M::least(Operation::MulAdd) == 0 {
        return None;
    }
    let mut sums = [M::ZERO; WIDTH];
    for (x, y) in x.chunks(WIDTH).zip(y.chunks(WIDTH)) {
        slices::add_products(&mut sums[..x.len()], x, y);
    }
    Some(folded(&mut sums))
}

/// The sum of products in columns: as many terms as these take share a reduction.
fn sum_in_columns<const N: usize, M: HasProducts<N> + Field>(
    kernels: &SumKernels,
    x: &[M],
    y: &[M],
) -> M {
    let mut sums = [M::ZERO; LANES];
    for (x, y) in x.chunks(kernels.most).zip(y.chunks(kernels.most)) {
        let (mut columns, mut more) = ([0_u64; LANES * MOST_COLUMNS], [M::ZERO; LANES]);
        let columns = &mut columns[..LANES * kernels.columns];
        let (t, z) = (columns.as_mut_ptr(), more.as_mut_ptr().cast());
        // SAFETY: the processor was found to have what the kernels need. An element is nothing but
        // its N limbs. Both slices have as many elements, and the columns, which are 0, take these.
        // `collect` reads the columns and writes as many elements as there are lanes.
        unsafe {
            (kernels.accumulate)(x.len(), t, x.as_ptr().cast(), y.as_ptr().cast());
            (kernels.collect)(LANES, z, t);
        }
        slices::add(&mut sums, &more);
    }
    folded(&mut sums)
}
