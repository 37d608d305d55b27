//! The towers of the named pairing curves.

use super::HasTower;
use super::constants::tower_constants;
use crate::fp2::Fp2;
use crate::{bls12_381, bn254};
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
use {
    super::lanes::Lanes,
    super::words::{Adx, Mulx, Words},
    super::{Fp6, Fp12},
    crate::machine,
};

/// Products in the lanes of vectors. The number of limbs comes first, then that of digits.
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
macro_rules! products_in_lanes {
    ($n:literal, $d:literal) => {
        #[inline(always)]
        fn wide_compressed_squares(x: &mut [Fp2<Self>; 4], count: u32) -> bool {
            let lanes = Lanes::<$n, $d, Self>::new();
            if let Some(lanes) = &lanes {
                lanes.compressed_squares(x, count);
            }
            lanes.is_some()
        }

        #[inline(always)]
        fn wide_cyclotomic_square(z: &mut Fp12<Self>, x: &Fp12<Self>) -> bool {
            let lanes = Lanes::<$n, $d, Self>::new();
            if let Some(lanes) = &lanes {
                lanes.cyclotomic_square(z, x);
            }
            lanes.is_some()
        }
    };
    (
        $n:literal, $d:literal:
        $name:ident($($x:ident: $X:ty),+) $call:ident($($operand:expr),+)
        $(, $words:ident($($wide:ident),+))?
    ) => {
        #[inline(always)]
        fn $name(z: &mut Fp12<Self>, $($x: $X),+) -> bool {
            if let Some(lanes) = Lanes::<$n, $d, Self>::new() {
                lanes.$call(z, $($operand),+);
                return true;
            }
            $(
                if machine::prefers_one_chain() {
                    // SAFETY: the processor was found to have BMI2.
                    unsafe { Words::<Mulx, Self>::new() }.$words(z, $($wide),+);
                    return true;
                }
                if machine::prefers_two_chains() {
                    // SAFETY: the processor was found to have ADX and BMI2.
                    unsafe { Words::<Adx, Self>::new() }.$words(z, $($wide),+);
                    return true;
                }
            )?
            false
        }
    };
}

/// Elsewhere there are none.
#[cfg(not(all(target_arch = "x86_64", not(feature = "portable"), not(miri))))]
macro_rules! products_in_lanes {
    ($($_:tt)+) => {};
}

/// ξ = 1 + u. Without lanes products are by kernels of double width, of one carry chain or two, as
/// the processor likes.
impl HasTower for bls12_381::Fp {
    tower_constants! { bls12_381::Fp, 1 }
    products_in_lanes! { 6, 8 }
    products_in_lanes! { 6, 8: wide_mul(x: &Fp12<Self>, y: &Fp12<Self>) mul(x, y), mul(x, y) }
    products_in_lanes! { 6, 8: wide_square(x: &Fp12<Self>) square(x), square_12(x) }
    products_in_lanes! {
        6, 8: wide_mul_by_014(x: &Fp12<Self>, line: [&Fp2<Self>; 3])
            mul_sparse(x, line, [0, 2, 3]), mul_014(x, line)
    }
    products_in_lanes! {
        6, 8: wide_mul_by_01245(x: &Fp12<Self>, c0: &Fp6<Self>, c1: [&Fp2<Self>; 2])
            mul_sparse(x, [&c0.c0, &c0.c1, &c0.c2, c1[0], c1[1]], [0, 2, 4, 3, 5]),
            mul_01245(x, c0, c1)
    }
}

/// ξ = 9 + u.
impl HasTower for bn254::Fp {
    tower_constants! { bn254::Fp, 9 }
    products_in_lanes! { 4, 5 }
    products_in_lanes! { 4, 5: wide_mul(x: &Fp12<Self>, y: &Fp12<Self>) mul(x, y) }
    products_in_lanes! { 4, 5: wide_square(x: &Fp12<Self>) square(x) }
    products_in_lanes! {
        4, 5: wide_mul_by_034(x: &Fp12<Self>, line: [&Fp2<Self>; 3])
            mul_sparse(x, line, [0, 1, 3])
    }
    products_in_lanes! {
        4, 5: wide_mul_by_01234(x: &Fp12<Self>, c0: &Fp6<Self>, c1: [&Fp2<Self>; 2])
            mul_sparse(x, [&c0.c0, &c0.c1, &c0.c2, c1[0], c1[1]], [0, 2, 4, 1, 3])
    }
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
