//! BLS12-381: G1 is in y^2 = x^3 + 4 over Fp, G2 in y^2 = x^3 + 4*(1 + u) over Fp2.
//!
//! ```
//! use fieldc::curves::bls12_381::{G1Affine, G2Affine};
//!
//! let bytes = G2Affine::GENERATOR.to_compressed();
//! assert_eq!(G2Affine::from_compressed(&bytes), Some(G2Affine::GENERATOR));
//! assert_eq!(G1Affine::from_compressed(&[0xff; 48]), None);
//! ```
//!
//! Source: draft-irtf-cfrg-pairing-friendly-curves-11, 4.2.1.

use super::curve::{Curve, element};
use super::{Affine, Jacobian};
use crate::bls12_381::{Fp, Fr};
use crate::generator::Generated;
use crate::{Fp2, HasTower};

mod encoding;

/// The group G1 of BLS12-381.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum G1 {}
/// The group G2 of BLS12-381.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum G2 {}

/// A point of the curve of G1 by its coordinates.
pub type G1Affine = Affine<G1>;
/// A point of the curve of G1 in Jacobian coordinates.
pub type G1Jacobian = Jacobian<G1>;
/// A point of the curve of G2 by its coordinates.
pub type G2Affine = Affine<G2>;
/// A point of the curve of G2 in Jacobian coordinates.
pub type G2Jacobian = Jacobian<G2>;

/// -x for the parameter x of the curve.
pub(crate) const MINUS_X: u64 = 0xd201_0000_0001_0000;

impl Curve for G1 {
    type Base = Fp;
    type Scalar = Fr;

    const NAME: &'static str = "G1";
    const A_IS_MINUS_3: bool = false;
    const B: Fp = Fp::from_u64(4);
    const GENERATOR: (Fp, Fp) = (
        element!(
            Fp,
            "17f1d3a73197d7942695638c4fa9ac0fc3688c4f9774b905a14e3a3f171bac58\
             6c55e83ff97a1aeffb3af00adb22c6bb"
        ),
        element!(
            Fp,
            "08b3f481e3aaa0f1a09e30ed741d8ae4fcf5e095d5d00af600db18cb2c04b3ed\
             d03cc744a2888ae40caa232946c5e7e1"
        ),
    );

    /// The endomorphism (x, y) -> (βx, y) has φ^2 + φ + 1 = 0. Where it multiplies a point by -x^2,
    /// the point times x^4 - x^2 + 1, the order of the group, is infinity.
    ///
    /// Source: M. Scott, "A note on group membership tests for G1, G2 and GT on BLS
    /// pairing-friendly curves" (2021), 6.
    fn is_in_subgroup(x: &Fp, y: &Fp) -> bool {
        let multiple = Jacobian::<Self>::from(Affine::new_unchecked(*x, *y))
            .mul_public(&[MINUS_X])
            .mul_public(&[MINUS_X]);
        -multiple == Jacobian::from(Affine::new_unchecked(*x * BETA, *y))
    }
}

/// The cube root 2^((p - 1)/3) of 1, by which the endomorphism multiplies as -x^2 does in G1.
const BETA: Fp =
    Fp::from_montgomery_limbs(Generated::<{ Fp::LIMBS }, 2, Fp>::ZETA).expect("below p");

impl Curve for G2 {
    type Base = Fp2<Fp>;
    type Scalar = Fr;

    const NAME: &'static str = "G2";
    const A_IS_MINUS_3: bool = false;
    const B: Fp2<Fp> = Fp2::new(Fp::from_u64(4), Fp::from_u64(4));
    const GENERATOR: (Fp2<Fp>, Fp2<Fp>) = (
        Fp2::new(
            element!(
                Fp,
                "024aa2b2f08f0a91260805272dc51051c6e47ad4fa403b02b4510b647ae3d177\
                 0bac0326a805bbefd48056c8c121bdb8"
            ),
            element!(
                Fp,
                "13e02b6052719f607dacd3a088274f65596bd0d09920b61ab5da61bbdc7f5049\
                 334cf11213945d57e5ac7d055d042b7e"
            ),
        ),
        Fp2::new(
            element!(
                Fp,
                "0ce5d527727d6e118cc9cdc6da2e351aadfd9baa8cbdd3a76d429a695160d12c\
                 923ac9cc3baca289e193548608b82801"
            ),
            element!(
                Fp,
                "0606c4a02ea734cc32acd2b02bc28b99cb3e287e85a763af267492ab572e99ab\
                 3f370d275cec1da1aaa9075ff05f79be"
            ),
        ),
    );

    /// The endomorphism ψ, the power p between the twist's maps, has ψ^2 - tψ + p = 0. Where it
    /// multiplies a point by t - 1 = x, the point times p + 1 - t is infinity. That is the order of
    /// G1's curve, which has no factor but the group's order with that of G2's curve in common.
    ///
    /// Source: the same, 4.
    fn is_in_subgroup(x: &Fp2<Fp>, y: &Fp2<Fp>) -> bool {
        let multiple = Jacobian::<Self>::from(Affine::new_unchecked(*x, *y)).mul_public(&[MINUS_X]);
        // Times w^2 and w^3, the power p, and divided by them again.
        let [_, _, two, three, _, _] = Fp::FROBENIUS;
        let (x, y) = (x.conjugate() / two, y.conjugate() / three);
        -multiple == Jacobian::from(Affine::new_unchecked(x, y))
    }
}
