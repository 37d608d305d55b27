//! Inverses, powers, roots, sums and more encodings: of every named field, of fields of every other
//! number of limbs, and of all elements of small ones; on every path.

mod accumulator;
#[path = "../common/mod.rs"]
mod common;
mod inversion;
mod numbers;
mod powers;
#[cfg(not(clippy))]
mod primes;
mod small;
mod text;

/// No field: clippy finds the same in the modules of all fields.
#[cfg(clippy)]
#[macro_export]
macro_rules! for_every_width {
    ($tests:ident) => {};
}
