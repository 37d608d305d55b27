//! The tower Fp2 = Fp(u), Fp6 = Fp2(v), Fp12 = Fp6(w) of a pairing: u^2 = -1, v^3 = ξ, w^2 = v.
//!
//! BLS12-381 has ξ = 1 + u, BN254 has ξ = 9 + u.
//!
//! ```
//! use fieldc::bls12_381::Fp;
//! use fieldc::{Fp2, Fp6, Fp12};
//!
//! let v = Fp6::<Fp>::V;
//! assert_eq!(v * v * v, Fp6::from(Fp2::new(Fp::ONE, Fp::ONE)));
//! let w = Fp12::<Fp>::W;
//! assert_eq!(w.square(), Fp12::from(v));
//! assert_eq!(w * w.invert().expect("w is not 0"), Fp12::ONE);
//! assert_eq!(w.frobenius(1), w.pow(&Fp::MODULUS));
//! ```
//!
//! Where no tower is named, nothing is compiled:
//!
//! ```compile_fail,E0277
//! use fieldc::{Fp6, secp256k1::Fp};
//!
//! let _ = Fp6::<Fp>::ONE;
//! ```

mod compressed;
mod constants;
mod cyclotomic;
mod fp12;
mod fp6;
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
mod lanes;
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
mod limb_rows;
mod named;
mod operators;
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
mod quads;
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
mod rows;
#[cfg(feature = "pairing")]
mod sparse;
mod traits;
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
mod wide;
mod windows;
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
mod words;

pub use constants::HasTower;
#[allow(unused_imports, reason = "curves has a constant of it")]
pub(crate) use constants::frobenius;
pub use fp6::Fp6;
pub use fp12::Fp12;
#[cfg(feature = "pairing")]
pub(crate) use sparse::Coefficients;
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
pub(crate) use words::{Adx, Mulx, WideKernels, tower, wide_sum};
