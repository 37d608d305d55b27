//! Pallas: y^2 = x^3 + 5. Its order is the prime of Vesta.
//!
//! Source: S. Bowe, J. Grigg, D. Hopwood, "The Pasta curves" (2020).

use super::curve::Curve;
use crate::pallas::Fp;
use crate::vesta;

/// The curve Pallas.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pallas {}

/// A point of Pallas by its coordinates.
pub type Affine = super::Affine<Pallas>;
/// A point of Pallas in Jacobian coordinates.
pub type Jacobian = super::Jacobian<Pallas>;

impl Curve for Pallas {
    type Base = Fp;
    type Scalar = vesta::Fp;

    const NAME: &'static str = "Pallas";
    const A_IS_MINUS_3: bool = false;
    const B: Fp = Fp::from_u64(5);
    const GENERATOR: (Fp, Fp) = (Fp::ONE.const_neg(), Fp::from_u64(2));
}
