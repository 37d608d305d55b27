//! What operations on arrays are called, and what they return.

use std::ops::{Add, Mul, Sub};

/// What is raced on arrays x and y: all products `x[i] *= y[i]`, the sum of them, the value at
/// `y[0]` of the polynomial whose coefficients are x, the leading one first, by Horner's rule, and
/// the number-theoretic transform of as many of the first elements of x as are a power of two.
///
/// With [`CACHED`] in its name, an operation is on so many elements, which fit the first cache.
pub const OPERATIONS: [&str; 6] =
    ["array_mul", "inner_product", "horner", "transform", "array_mul_1024", "inner_product_1024"];

/// The elements of arrays in the first cache, and what ends the names of operations on them.
pub const CACHED: (usize, &str) = (1024, "_1024");

/// Checks are of arrays of all lengths up to this one.
pub const SHORT: usize = 7;

/// Whether an operand of a check is the second one, at each place of x and of y.
pub(crate) fn is_second(i: usize) -> [bool; 2] {
    [i % 2 == 1, i.is_multiple_of(3)]
}

/// What a pass over arrays of this length returns, for the operands x and y of a check.
pub fn expected<T>(op: &str, x: T, y: T, length: usize) -> Option<T>
where
    T: Copy + Add<Output = T> + Mul<Output = T> + Sub<Output = T>,
{
    let at = |i| is_second(i).map(|second| if second { y } else { x });
    let product = |i| at(i)[0] * at(i)[1];
    match op.trim_end_matches(CACHED.1) {
        "array_mul" => Some(product(length - 1)),
        "inner_product" => (0..length).map(product).reduce(|sum, next| sum + next),
        "horner" => (0..length).map(|i| at(i)[0]).reduce(|sum, next| sum * at(0)[1] + next),
        // The value at -1, which every root of unity gives at this place.
        "transform" => (0..1 << length.ilog2()).map(|i| at(i)[0]).rev().reduce(|sum, x| x - sum),
        _ => None,
    }
}
