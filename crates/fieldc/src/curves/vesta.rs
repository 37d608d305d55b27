//! Vesta: y^2 = x^3 + 5. Its order is the prime of Pallas.
//!
//! Source: S. Bowe, J. Grigg, D. Hopwood, "The Pasta curves" (2020).

use super::curve::Curve;
use crate::pallas;
use crate::vesta::Fp;

/// The curve Vesta.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vesta {}

/// A point of Vesta by its coordinates.
pub type Affine = super::Affine<Vesta>;
/// A point of Vesta in Jacobian coordinates.
pub type Jacobian = super::Jacobian<Vesta>;

impl Curve for Vesta {
    type Base = Fp;
    type Scalar = pallas::Fp;

    const NAME: &'static str = "Vesta";
    const A_IS_MINUS_3: bool = false;
    const B: Fp = Fp::from_u64(5);
    const GENERATOR: (Fp, Fp) = (Fp::ONE.const_neg(), Fp::from_u64(2));
}
