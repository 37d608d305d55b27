//! Arithmetic on slices, element by element, without allocation.
//!
//! The first slice takes the results. For secret elements all of it takes the same time for all
//! values; the lengths are public.
//!
//! ```
//! use fieldc::bls12_381::Fr;
//! use fieldc::{inner_product, slices};
//!
//! let y = [5, 6, 7].map(Fr::from_u64);
//! let mut x = [1, 2, 3].map(Fr::from_u64);
//! slices::add(&mut x, &y);
//! assert_eq!(x, [6, 8, 10].map(Fr::from_u64));
//! slices::scale(&mut x, &Fr::from_u64(2));
//! assert_eq!(inner_product(&x, &y), Fr::from_u64(12 * 5 + 16 * 6 + 20 * 7));
//! ```
//!
//! # Panics
//! Where two slices have different lengths, every function of this module does.

use crate::Field;

/// Elements that share an inversion in [`batch_invert`].
const BATCH: usize = 128;

/// The sum of products of corresponding elements; every two of them are reduced as one.
///
/// ```
/// use fieldc::bn254::Fr;
///
/// let (x, y) = ([1, 2, 3].map(Fr::from_u64), [4, 5, 6].map(Fr::from_u64));
/// assert_eq!(fieldc::inner_product(&x, &y), Fr::from_u64(32));
/// assert_eq!(fieldc::inner_product::<Fr>(&[], &[]), Fr::ZERO);
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn inner_product<F: Field>(x: &[F], y: &[F]) -> F {
    F::inner_product(x, y)
}

/// Adds to each element the one of the other slice.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut x = [Fr::ONE; 2];
/// slices::add(&mut x, &[Fr::ONE, -Fr::ONE]);
/// assert_eq!(x, [Fr::from_u64(2), Fr::ZERO]);
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn add<F: Field>(x: &mut [F], y: &[F]) {
    pairs(x, y, |x, y| *x += y);
}

/// Subtracts from each element the one of the other slice.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut x = [Fr::ONE; 2];
/// slices::sub(&mut x, &[Fr::ONE, -Fr::ONE]);
/// assert_eq!(x, [Fr::ZERO, Fr::from_u64(2)]);
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn sub<F: Field>(x: &mut [F], y: &[F]) {
    pairs(x, y, |x, y| *x -= y);
}

/// Multiplies each element by the one of the other slice.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut x = [2, 3].map(Fr::from_u64);
/// slices::mul(&mut x, &[5, 7].map(Fr::from_u64));
/// assert_eq!(x, [10, 21].map(Fr::from_u64));
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn mul<F: Field>(x: &mut [F], y: &[F]) {
    pairs(x, y, |x, y| *x *= y);
}

/// Multiplies each element by one factor.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut x = [2, 3].map(Fr::from_u64);
/// slices::scale(&mut x, &Fr::from_u64(10));
/// assert_eq!(x, [20, 30].map(Fr::from_u64));
/// ```
#[inline]
pub fn scale<F: Field>(x: &mut [F], factor: &F) {
    x.iter_mut().for_each(|x| *x *= factor);
}

/// Inverts every element in place; zeros stay zeros.
///
/// Each 128 elements share an inversion, so the room that it needs is on the stack. With scratch
/// space for all of them, [`Field::batch_invert`] makes one inversion in all.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut x = [2, 0, 3].map(Fr::from_u64);
/// slices::batch_invert(&mut x);
/// assert_eq!(x[0].double(), Fr::ONE);
/// assert_eq!(x[1], Fr::ZERO);
/// ```
#[inline]
pub fn batch_invert<F: Field>(elements: &mut [F]) {
    let mut scratch = [F::ZERO; BATCH];
    for elements in elements.chunks_mut(BATCH) {
        let result = F::batch_invert(elements, &mut scratch);
        debug_assert!(result.is_ok(), "the scratch space is as long as a chunk");
    }
}

/// Runs an operation on every pair of corresponding elements.
#[inline(always)]
fn pairs<F: Field>(x: &mut [F], y: &[F], operation: impl Fn(&mut F, &F)) {
    assert_eq!(x.len(), y.len(), "the slices have different lengths");
    x.iter_mut().zip(y).for_each(|(x, y)| operation(x, y));
}
