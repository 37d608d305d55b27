//! The pairings of BLS12-381 and BN254: the optimal ate pairing of G1 and G2 into a group of Fp12.
//!
//! ```
//! use fieldc::bls12_381::Fr;
//! use fieldc::curves::bls12_381::{G1Affine, G2Affine};
//! use fieldc::pairing::{Gt, bls12_381::{multi_pairing, pairing}};
//!
//! let (p, q) = (G1Affine::GENERATOR, G2Affine::GENERATOR);
//! let (a, b) = (Fr::from_u64(5), Fr::from_u64(7));
//! let value = pairing(&(p * a).to_affine(), &(q * b).to_affine());
//! assert_eq!(value, pairing(&p, &q).pow(a * b));
//!
//! // e(aP, Q) * e(-P, aQ) is 1.
//! let pairs = [((p * a).to_affine(), q), (-p, (q * a).to_affine())];
//! assert_eq!(multi_pairing(&pairs), Gt::ONE);
//! ```
//!
//! A pairing is a Miller loop and a final exponentiation; a product of pairings has one of the
//! latter. Whoever pairs with the same point of G2 often prepares it once, see [`Prepared`].
//!
//! Points must be in the groups of prime order, see
//! [`is_in_subgroup`](crate::curves::Affine::is_in_subgroup). Of others the results mean nothing. No
//! branch and no address depends on a point.
//!
//! For BLS12-381 a pairing is the third power of the reduced ate pairing, as in blst and arkworks. For
//! BN254 it is the power 2x(6x^2 + 3x + 1), as in arkworks; halo2curves computes the reduced pairing.

mod bls12;
mod bn;
mod curve;
mod lines;
mod miller;
mod target;

pub use curve::Pairing;
pub use miller::{Prepared, Value};
pub use target::Gt;

macro_rules! named {
    ($(#[$doc:meta])* $curve:ident, $module:ident::$Curve:ident) => {
        $(#[$doc])*
        pub mod $curve {
            use crate::curves::$curve::{G1Affine, G2Affine};

            pub use super::$module::$Curve;

            /// What pairings are: elements of the group of Fp12.
            pub type Gt = super::Gt<$Curve>;
            /// A point of G2 with its lines.
            pub type G2Prepared = super::Prepared<$Curve>;
            /// What a Miller loop gives.
            pub type Value = super::Value<$Curve>;

            /// The pairing of two points.
            ///
            /// ```
            #[doc = concat!("use fieldc::curves::", stringify!($curve), "::{G1Affine, G2Affine};")]
            #[doc = concat!("use fieldc::pairing::", stringify!($curve), "::{Gt, pairing};")]
            ///
            /// let value = pairing(&G1Affine::GENERATOR, &G2Affine::GENERATOR);
            /// assert_ne!(value, Gt::ONE);
            /// assert_eq!(pairing(&G1Affine::INFINITY, &G2Affine::GENERATOR), Gt::ONE);
            /// ```
            pub fn pairing(p: &G1Affine, q: &G2Affine) -> Gt {
                multi_pairing(&[(*p, *q)])
            }

            /// The product of the pairings of some pairs, with one final exponentiation.
            ///
            /// ```
            #[doc = concat!("use fieldc::curves::", stringify!($curve), "::{G1Affine, G2Affine};")]
            #[doc = concat!("use fieldc::pairing::", stringify!($curve), "::{Gt, multi_pairing};")]
            ///
            /// let (p, q) = (G1Affine::GENERATOR, G2Affine::GENERATOR);
            /// assert_eq!(multi_pairing(&[(p, q), (-p, q)]), Gt::ONE);
            /// ```
            pub fn multi_pairing(pairs: &[(G1Affine, G2Affine)]) -> Gt {
                Value::of(pairs).final_exponentiation()
            }

            /// The same with prepared points of G2.
            ///
            /// ```
            #[doc = concat!("use fieldc::curves::", stringify!($curve), "::{G1Affine, G2Affine};")]
            #[doc = concat!("use fieldc::pairing::", stringify!($curve), "::{")]
            ///     G2Prepared, multi_pairing_prepared, pairing,
            /// };
            ///
            /// let (p, q) = (G1Affine::GENERATOR, G2Affine::GENERATOR);
            /// let prepared = G2Prepared::from(q);
            /// assert_eq!(multi_pairing_prepared(&[(&p, &prepared)]), pairing(&p, &q));
            /// ```
            pub fn multi_pairing_prepared(pairs: &[(&G1Affine, &G2Prepared)]) -> Gt {
                Value::of_prepared(pairs).final_exponentiation()
            }
        }
    };
}

named! {
    /// The pairing of BLS12-381.
    bls12_381, bls12::Bls12381
}
named! {
    /// The pairing of BN254.
    bn254, bn::Bn254
}
