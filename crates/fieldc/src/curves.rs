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
//!
//! # Programs for any group
//!
//! With the feature `group` (0.14) or `group-0-13` points have the traits of the crate `group`.
//! [`Jacobian`] has `Group`, `GroupEncoding`, `Curve`, `PrimeCurve` and `PrimeGroup`; [`Affine`] has
//! `CurveAffine` (0.13: `PrimeCurveAffine`), `GroupEncoding` and `UncompressedEncoding`.
//!
//! ```
//! # #[cfg(feature = "group")] {
//! use fieldc::{bls12_381::Fr, curves::bls12_381::G1Jacobian};
//! use group::{Group, GroupEncoding};
//!
//! /// A Pedersen commitment.
//! fn commit<G: Group + GroupEncoding>(h: G, message: G::Scalar, blind: G::Scalar) -> G::Repr {
//!     (G::generator() * message + h * blind).to_bytes()
//! }
//!
//! let h = G1Jacobian::GENERATOR * Fr::from_u64(7);
//! let bytes = commit(h, Fr::from_u64(3), Fr::from_u64(5));
//! assert_eq!(G1Jacobian::from_bytes(&bytes).unwrap(), G1Jacobian::GENERATOR * Fr::from_u64(38));
//! # }
//! ```
//!
//! Encodings are those of Zcash for BLS12-381, of SEC 1 for secp256k1 and P-256 (bytes of 0 for
//! infinity), of halo2curves for BN254, and of pasta_curves for Pallas and Vesta. `from_bytes` and
//! `from_uncompressed` check that a point is in the group of prime order. A point from
//! [`Affine::new`] or from an unchecked function may be outside. `PrimeGroup` is not meant for such.
//!
//! With `alloc` there is `WnafGroup` too, but not for secp256k1 and P-256: `group` drops the last
//! carry of scalars without a spare bit, so its `WnafScalar` is wrong for some of theirs.

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
