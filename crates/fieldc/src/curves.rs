//! Points of the named curves y^2 = x^3 + ax + b, where a is 0 or -3.
//!
//! ```
//! use fieldc::bls12_381::Fr;
//! use fieldc::curves::bls12_381::{G1Affine, G1Jacobian};
//!
//! let g = G1Jacobian::GENERATOR;
//! let point = g * Fr::from_u64(5) - g.double();
//! assert_eq!(point, g + g + G1Affine::GENERATOR);
//! assert!(point.to_affine().is_in_subgroup());
//! ```
//!
//! Sums are complete: the same code serves points that are equal, opposite or at infinity. No branch
//! and no address depends on a point or a scalar, except where the documentation of a method says so.

mod affine;
pub mod bls12_381;
pub mod bn254;
mod curve;
#[cfg(any(feature = "group", feature = "group-0-13"))]
mod encoded;
#[cfg(any(feature = "group", feature = "group-0-13"))]
mod group;
mod jacobian;
mod multiple;
mod operators;
pub mod p256;
pub mod pallas;
mod sec1;
pub mod secp256k1;
mod spare_bits;
mod traits;
pub mod vesta;

pub use affine::Affine;
pub use curve::Curve;
pub use jacobian::Jacobian;
