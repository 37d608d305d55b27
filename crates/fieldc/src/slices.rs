//! Arithmetic on slices, element by element, without allocation.
//!
//! The first slice takes the results; in functions that end in `_into`, and in conversions, the last
//! one. Where the processor has AVX-512 or AVX2 and there are kernels on arrays for the modulus, they
//! compute eight elements at once ([`Kernels`](crate::Kernels)): for the primes of BLS12-381, BN254,
//! Pallas and Vesta, and Goldilocks, whether the type is named or made by [`field!`](crate::field!).
//! Types of other primes compute one element at a time. It takes the same time for all values.
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
//! Where two slices have different lengths, every function of this module does, before it writes; but
//! for other bytes [`from_bytes_le`] and [`from_bytes_be`] return an error.

mod encodings;
pub(crate) mod numbers;

use crate::Field;
use crate::array_operation::Operation;
pub use encodings::*;

/// Elements that share an inversion in [`batch_invert`].
const BATCH: usize = 256;
/// Copies of the factor in [`scale`], for vectors, and sums that they compute side by side.
pub(crate) const WIDTH: usize = 32;
/// Elements from which on sums side by side are faster, though they must be added in the end.
pub(crate) const LEAST_SUMMANDS: usize = 2 * WIDTH;

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
    in_place(Operation::Add, x, y, |x, y| *x += y);
}

/// z = x + y, element by element.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut z = [Fr::ZERO; 2];
/// slices::add_into(&[Fr::ONE; 2], &[Fr::ONE, -Fr::ONE], &mut z);
/// assert_eq!(z, [Fr::from_u64(2), Fr::ZERO]);
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn add_into<F: Field>(x: &[F], y: &[F], z: &mut [F]) {
    into(Operation::Add, x, y, z, |x, y| *x + y);
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
    in_place(Operation::Sub, x, y, |x, y| *x -= y);
}

/// z = x - y, element by element.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut z = [Fr::ONE; 2];
/// slices::sub_into(&[Fr::ONE; 2], &[Fr::ONE, -Fr::ONE], &mut z);
/// assert_eq!(z, [Fr::ZERO, Fr::from_u64(2)]);
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn sub_into<F: Field>(x: &[F], y: &[F], z: &mut [F]) {
    into(Operation::Sub, x, y, z, |x, y| *x - y);
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
    in_place(Operation::Mul, x, y, |x, y| *x *= y);
}

/// z = x * y, element by element.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut z = [Fr::ZERO; 2];
/// slices::mul_into(&[2, 3].map(Fr::from_u64), &[5, 7].map(Fr::from_u64), &mut z);
/// assert_eq!(z, [10, 21].map(Fr::from_u64));
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn mul_into<F: Field>(x: &[F], y: &[F], z: &mut [F]) {
    into(Operation::Mul, x, y, z, |x, y| *x * y);
}

/// Squares every element.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut x = [2, 3].map(Fr::from_u64);
/// slices::square(&mut x);
/// assert_eq!(x, [4, 9].map(Fr::from_u64));
/// ```
#[inline]
pub fn square<F: Field>(x: &mut [F]) {
    let done = F::in_vectors(Operation::Square, x, &[None]);
    x[done..].iter_mut().for_each(|x| *x = x.square());
}

/// The negative of every element.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut x = [Fr::ONE, Fr::ZERO];
/// slices::neg(&mut x);
/// assert_eq!(x, [-Fr::ONE, Fr::ZERO]);
/// ```
#[inline]
pub fn neg<F: Field>(x: &mut [F]) {
    x.iter_mut().for_each(|x| *x = -*x);
}

/// Doubles every element.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut x = [2, 3].map(Fr::from_u64);
/// slices::double(&mut x);
/// assert_eq!(x, [4, 6].map(Fr::from_u64));
/// ```
#[inline]
pub fn double<F: Field>(x: &mut [F]) {
    let mut copy = [F::ZERO; WIDTH];
    for x in x.chunks_mut(WIDTH) {
        let copy = &mut copy[..x.len()];
        copy.copy_from_slice(x);
        add(x, copy);
    }
}

/// Raises every element to one power; the exponent is public, in limbs, the lowest first.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut x = [2, 3].map(Fr::from_u64);
/// slices::pow(&mut x, &[5]);
/// assert_eq!(x, [32, 243].map(Fr::from_u64));
/// slices::pow(&mut x, &[]);
/// assert_eq!(x, [Fr::ONE; 2]);
/// ```
pub fn pow<F: Field>(x: &mut [F], exponent: &[u64]) {
    let bits = exponent.len() as u32 * 64;
    let is_set = |bit: u32| exponent[bit as usize / 64] >> (bit % 64) & 1 == 1;
    let Some(top) = (0..bits).rev().find(|bit| is_set(*bit)) else {
        return x.fill(F::ONE);
    };
    let mut base = [F::ZERO; BATCH];
    for x in x.chunks_mut(BATCH) {
        let base = &mut base[..x.len()];
        base.copy_from_slice(x);
        for bit in (0..top).rev() {
            square(x);
            if is_set(bit) {
                mul(x, base);
            }
        }
    }
}

/// Adds to each element of the first slice the product of those of the others: `z += x * y`.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut z = [Fr::ONE; 2];
/// slices::add_products(&mut z, &[2, 3].map(Fr::from_u64), &[5, 7].map(Fr::from_u64));
/// assert_eq!(z, [11, 22].map(Fr::from_u64));
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn add_products<F: Field>(z: &mut [F], x: &[F], y: &[F]) {
    check_lengths(z, x);
    check_lengths(z, y);
    let done = F::in_vectors(Operation::MulAdd, z, &[Some(x), Some(y), None]);
    for (z, (x, y)) in z[done..].iter_mut().zip(x[done..].iter().zip(&y[done..])) {
        *z = x.mul_add(y, z);
    }
}

/// x + w*y and x - w*y instead of x and y, element by element: the step of a transform.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let (mut x, mut y) = ([10, 20].map(Fr::from_u64), [1, 2].map(Fr::from_u64));
/// slices::butterfly(&mut x, &mut y, &[3, 4].map(Fr::from_u64));
/// assert_eq!(x, [13, 28].map(Fr::from_u64));
/// assert_eq!(y, [7, 12].map(Fr::from_u64));
/// ```
///
/// # Panics
/// If the slices have different lengths.
#[inline]
pub fn butterfly<F: Field>(x: &mut [F], y: &mut [F], w: &[F]) {
    check_lengths(x, y);
    check_lengths(x, w);
    let done = F::butterfly_in_vectors(x, y, w);
    let pairs = x[done..].iter_mut().zip(&mut y[done..]);
    for ((x, y), w) in pairs.zip(&w[done..]) {
        let product = *y * w;
        *y = *x - product;
        *x += product;
    }
}

/// The sum of all elements.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// assert_eq!(slices::sum(&[1, 2, 3].map(Fr::from_u64)), Fr::from_u64(6));
/// assert_eq!(slices::sum::<Fr>(&[]), Fr::ZERO);
/// ```
#[inline]
pub fn sum<F: Field>(x: &[F]) -> F {
    if x.len() < LEAST_SUMMANDS || F::least(Operation::Add) == 0 {
        return x.iter().sum();
    }
    let mut sums = [F::ZERO; WIDTH];
    x.chunks(WIDTH).for_each(|x| add(&mut sums[..x.len()], x));
    folded(&mut sums)
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
    if !is_for_vectors::<F>(x.len()) {
        x.iter_mut().for_each(|x| *x *= factor);
        return;
    }
    let factors = [*factor; WIDTH];
    x.chunks_mut(WIDTH)
        .for_each(|x| mul(x, &factors[..x.len()]));
}

/// Whether vectors multiply so many elements by one.
fn is_for_vectors<F: Field>(count: usize) -> bool {
    count >= WIDTH && F::least(Operation::Mul) != 0
}

/// Inverts every element in place; zeros stay zeros. Returns the position of the first zero.
///
/// Each 256 elements share an inversion, so the room that it needs is on the stack. With scratch
/// space for all of them, [`Field::batch_invert`] makes one inversion in all.
///
/// ```
/// use fieldc::{bn254::Fr, slices};
///
/// let mut x = [2, 0, 3].map(Fr::from_u64);
/// assert_eq!(slices::batch_invert(&mut x), Some(1));
/// assert_eq!(x[0].double(), Fr::ONE);
/// assert_eq!(x[1], Fr::ZERO);
/// assert_eq!(slices::batch_invert(&mut x[..1]), None);
/// ```
#[inline]
pub fn batch_invert<F: Field>(elements: &mut [F]) -> Option<usize> {
    let zero = first_zero(elements);
    let mut scratch = [F::ZERO; BATCH];
    for elements in elements.chunks_mut(BATCH) {
        let result = F::batch_invert(elements, &mut scratch);
        debug_assert!(result.is_ok(), "the scratch space is as long as a chunk");
    }
    zero
}

/// The position of the first zero, in the same time for all values.
fn first_zero<F: Field>(elements: &[F]) -> Option<usize> {
    let none = elements.len();
    let places = elements.iter().enumerate().rev();
    let first = places.fold(none, |found, (place, x)| {
        let is_zero = core::hint::black_box(usize::from(x.is_zero()).wrapping_neg());
        found ^ (is_zero & (found ^ place))
    });
    (first != none).then_some(first)
}

/// Runs an operation on every pair of corresponding elements.
#[inline(always)]
fn in_place<F: Field>(operation: Operation, x: &mut [F], y: &[F], one: impl Fn(&mut F, &F)) {
    check_lengths(x, y);
    let done = F::in_vectors(operation, x, &[None, Some(y)]);
    let pairs = x[done..].iter_mut().zip(&y[done..]);
    pairs.for_each(|(x, y)| one(x, y));
}

/// The same with results in another slice.
#[inline(always)]
fn into<F: Field>(operation: Operation, x: &[F], y: &[F], z: &mut [F], one: impl Fn(&F, &F) -> F) {
    check_lengths(z, x);
    check_lengths(z, y);
    let done = F::in_vectors(operation, z, &[Some(x), Some(y)]);
    for (z, (x, y)) in z[done..].iter_mut().zip(x[done..].iter().zip(&y[done..])) {
        *z = one(x, y);
    }
}

/// Panics if two slices have different lengths.
#[inline(always)]
fn check_lengths<F, G>(x: &[F], y: &[G]) {
    assert_eq!(x.len(), y.len(), "the slices have different lengths");
}

/// The sum of a few elements, a power of two: the upper half is added to the lower one, and so on.
#[inline]
pub(crate) fn folded<F: Field>(sums: &mut [F]) -> F {
    let mut count = sums.len();
    while count > 1 {
        count /= 2;
        let (low, high) = sums.split_at_mut(count);
        add(low, &high[..count]);
    }
    sums[0]
}
