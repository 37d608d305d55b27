//! Inverses, powers, roots, sums and more encodings: of every named field, of fields of every other
//! number of limbs, and of all elements of small ones; on every path.

mod accumulator;
#[path = "../common/mod.rs"]
mod common;
mod inversion;
mod numbers;
mod powers;
mod primes;
mod small;
mod text;
