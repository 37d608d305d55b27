//! P-256: y^2 = x^3 - 3x + b.
//!
//! Source: NIST SP 800-186 (2023), 3.2.1.3.

use super::curve::{Curve, element};
use crate::__field;
use crate::p256::Fp;

__field! {
    "```"
    /// Scalar field of P-256, the integers modulo its order; 256 bits.
    pub struct Fr(modulus = "0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551", generator = 7);
}

/// The curve P-256.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum P256 {}

/// A point of P-256 by its coordinates.
pub type Affine = super::Affine<P256>;
/// A point of P-256 in Jacobian coordinates.
pub type Jacobian = super::Jacobian<P256>;

impl Curve for P256 {
    type Base = Fp;
    type Scalar = Fr;

    const NAME: &'static str = "P-256";
    const A_IS_MINUS_3: bool = true;
    const B: Fp = element!(
        Fp,
        "5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604b"
    );
    const GENERATOR: (Fp, Fp) = (
        element!(
            Fp,
            "6b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296"
        ),
        element!(
            Fp,
            "4fe342e2fe1a7f9b8ee7eb4a7c0f9e162bce33576b315ececbb6406837bf51f5"
        ),
    );
}
