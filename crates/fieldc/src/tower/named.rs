//! The towers of the named pairing curves.

use super::HasTower;
use super::constants::tower_constants;
use crate::fp2::Fp2;
use crate::{bls12_381, bn254};

/// ξ = 1 + u.
impl HasTower for bls12_381::Fp {
    tower_constants! { bls12_381::Fp, 1 }
}

/// ξ = 9 + u.
impl HasTower for bn254::Fp {
    tower_constants! { bn254::Fp, 9 }
}

/// Whether Fp6 and Fp12 are fields: ξ has neither a cube root nor a square root in Fp2.
const fn is_field<const N: usize>(third: [u64; N], half: [u64; N], one: [u64; N]) -> bool {
    !crate::limbs::is_same(&third, &one) && !crate::limbs::is_same(&half, &one)
}

macro_rules! check {
    ($($Fp:ty),+) => {
        $(const _: () = assert!(
            is_field(
                <$Fp>::FROBENIUS_2[2].to_limbs(),
                <$Fp>::FROBENIUS_2[3].to_limbs(),
                <$Fp>::ONE.to_limbs(),
            ),
            "v^3 = ξ or w^2 = v makes no field"
        );)+
    };
}

check! { bls12_381::Fp, bn254::Fp }
