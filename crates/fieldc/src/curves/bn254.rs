//! BN254, the alt_bn128 of Ethereum: G1 is y^2 = x^3 + 3 over Fp, G2 is in y^2 = x^3 + 3/(9 + u)
//! over Fp2.
//!
//! Source: EIP-196 and EIP-197.

use super::curve::{Curve, element};
use super::{Affine, Jacobian};
use crate::bn254::{Fp, Fr};
use crate::{Fp2, HasTower};

/// The group G1 of BN254.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum G1 {}
/// The group G2 of BN254.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum G2 {}

/// A point of G1 by its coordinates.
pub type G1Affine = Affine<G1>;
/// A point of G1 in Jacobian coordinates.
pub type G1Jacobian = Jacobian<G1>;
/// A point of the curve of G2 by its coordinates.
pub type G2Affine = Affine<G2>;
/// A point of the curve of G2 in Jacobian coordinates.
pub type G2Jacobian = Jacobian<G2>;

/// The parameter x of the curve.
pub(crate) const X: u64 = 4_965_661_367_192_848_881;

impl Curve for G1 {
    type Base = Fp;
    type Scalar = Fr;

    const NAME: &'static str = "G1";
    const A_IS_MINUS_3: bool = false;
    const B: Fp = Fp::from_u64(3);
    const GENERATOR: (Fp, Fp) = (Fp::ONE, Fp::from_u64(2));
}

impl Curve for G2 {
    type Base = Fp2<Fp>;
    type Scalar = Fr;

    const NAME: &'static str = "G2";
    const A_IS_MINUS_3: bool = false;
    const B: Fp2<Fp> = Fp2::new(
        element!(
            Fp,
            "2b149d40ceb8aaae81be18991be06ac3b5b4c5e559dbefa33267e6dc24a138e5"
        ),
        element!(
            Fp,
            "009713b03af0fed4cd2cafadeed8fdf4a74fa084e52d1852e4a2bd0685c315d2"
        ),
    );
    const GENERATOR: (Fp2<Fp>, Fp2<Fp>) = (
        Fp2::new(
            element!(
                Fp,
                "1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed"
            ),
            element!(
                Fp,
                "198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2"
            ),
        ),
        Fp2::new(
            element!(
                Fp,
                "12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa"
            ),
            element!(
                Fp,
                "090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b"
            ),
        ),
    );

    /// The endomorphism ψ, the power p between the twist's maps, has ψ^2 - tψ + p = 0. Where it
    /// multiplies a point by t - 1 = 6x^2, the point times p + 1 - t, the order of the group, is
    /// infinity.
    fn is_in_subgroup(x: &Fp2<Fp>, y: &Fp2<Fp>) -> bool {
        let six = 6 * u128::from(X) * u128::from(X);
        let multiple = Jacobian::<Self>::from(Affine::new_unchecked(*x, *y))
            .mul_public(&[six as u64, (six >> 64) as u64]);
        let (x, y) = power_of_p(x, y);
        multiple == Jacobian::from(Affine::new_unchecked(x, y))
    }
}

/// The endomorphism ψ: divided by w^2 and w^3, the power p, and times them again.
pub(crate) fn power_of_p(x: &Fp2<Fp>, y: &Fp2<Fp>) -> (Fp2<Fp>, Fp2<Fp>) {
    let [_, _, two, three, _, _] = Fp::FROBENIUS;
    (x.conjugate() * two, y.conjugate() * three)
}
