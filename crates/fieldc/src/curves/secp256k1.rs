//! secp256k1: y^2 = x^3 + 7.
//!
//! Source: SEC 2, version 2.0 (2010), 2.4.1.

use super::curve::{Curve, element};
use crate::secp256k1::{Fp, Fr};

/// The curve secp256k1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Secp256k1 {}

/// A point of secp256k1 by its coordinates.
pub type Affine = super::Affine<Secp256k1>;
/// A point of secp256k1 in Jacobian coordinates.
pub type Jacobian = super::Jacobian<Secp256k1>;

impl Curve for Secp256k1 {
    type Base = Fp;
    type Scalar = Fr;

    const NAME: &'static str = "secp256k1";
    const A_IS_MINUS_3: bool = false;
    const B: Fp = Fp::from_u64(7);
    const GENERATOR: (Fp, Fp) = (
        element!(
            Fp,
            "79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
        ),
        element!(
            Fp,
            "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8"
        ),
    );
}
