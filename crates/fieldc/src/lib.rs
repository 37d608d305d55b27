//! Arithmetic modulo the primes of BLS12-381 and BN254, on kernels that the compiler `fieldc`
//! generated.
//!
//! ```
//! use fieldc::bls12_381::Fp;
//!
//! let x = Fp::from_u64(3);
//! let y = x.square() + Fp::ONE;
//! assert_eq!(y, Fp::from_u64(10));
//! assert_eq!(y - y, Fp::ZERO);
//!
//! // Decoding takes canonical encodings only.
//! assert_eq!(Fp::from_bytes_be(&y.to_bytes_be()), Ok(y));
//! assert!(Fp::from_bytes_be(&[0xff; Fp::BYTES]).is_err());
//! ```
//!
//! The crate is `no_std`, allocates nothing, has no dependencies and no build script. On x86-64 it
//! finds out once whether the processor has ADX and BMI2 and runs assembly if so; everywhere else,
//! and with the feature `portable`, it runs portable Rust (see [`Kernels`]). Arithmetic and
//! comparison are straight-line: no branch and no address depends on a value.

#![no_std]
#![deny(missing_docs, unsafe_op_in_unsafe_fn)]

#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
mod assembly;
mod decode;
#[macro_use]
mod field;
// The generator prints it; `cargo fmt` would only make its own check fail.
#[rustfmt::skip]
mod generated;
mod kernels;
mod limbs;
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
mod processor;

pub mod bls12_381;
pub mod bn254;

pub use decode::DecodeError;
pub use kernels::{Kernels, Unavailable};
