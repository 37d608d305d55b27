//! blst: assembly through its C functions, which are called.

use blst::{
    blst_fp, blst_fp_add, blst_fp_inverse, blst_fp_mul, blst_fp_sqr, blst_fp_sqrt, blst_fp_sub,
    blst_fr, blst_fr_add, blst_fr_inverse, blst_fr_mul, blst_fr_sqr, blst_fr_sub,
};

use crate::chain::Element;
use crate::entry::Range::Canonical;
use crate::entry::{Entry, Peer, Rows};
use crate::fields::{BLS12_381_P, BLS12_381_R};
use crate::operand::Form;

macro_rules! element {
    ($Fp:ty) => {
        impl Element for $Fp {
            const FORM: Form = Form::Montgomery;

            fn load(limbs: &[u64]) -> Self {
                Self { l: limbs.try_into().expect("limbs of the field") }
            }

            fn store(&self) -> Vec<u64> {
                self.l.to_vec()
            }
        }
    };
}

element! { blst_fp }
element! { blst_fr }

/// A step by a function of two operands, its result over the first.
macro_rules! binary {
    ($function:ident) => {
        // SAFETY: both pointers come from references; the function allows its result over x.
        |x, y| unsafe { $function(x, x, y) }
    };
}

/// A step by a function of one operand, in place.
macro_rules! unary {
    ($function:ident) => {
        // SAFETY: both pointers come from a reference; the function works in place.
        |x, _| unsafe {
            $function(x, x);
        }
    };
}

/// A step by a function of one operand on the sum of both.
macro_rules! of_sum {
    ($add:ident, $function:ident) => {
        // SAFETY: all pointers come from references; the functions work in place.
        |x, y| unsafe {
            $add(x, x, y);
            $function(x, x);
        }
    };
}

/// A product, and a product plus another element, by functions of three pointers.
macro_rules! products {
    ($Fp:ty, $mul:ident, $add:ident) => {
        (
            |x: &$Fp, y: &$Fp| {
                let mut z = <$Fp>::default();
                // SAFETY: all pointers come from references.
                unsafe { $mul(&mut z, x, y) };
                z
            },
            |x: &$Fp, y: &$Fp, to: &$Fp| {
                let mut z = <$Fp>::default();
                // SAFETY: all pointers come from references; the sum may lie over z.
                unsafe {
                    $mul(&mut z, x, y);
                    $add(&mut z, &z, to);
                }
                z
            },
        )
    };
}

pub(super) fn enter(entries: &mut Vec<Entry>) {
    let version = super::version("blst", "");
    // Its build takes ADX where the building machine or the target has it.
    let adx = crate::clock::has_adx();
    let algorithm = if adx { "assembly, adx" } else { "assembly" };
    let peer = Peer { name: "blst", version, algorithm };
    let (mul, mul_add) = products!(blst_fp, blst_fp_mul, blst_fp_add);
    Rows::new(entries, &BLS12_381_P, peer)
        .loops(Canonical, mul, mul_add)
        .called::<blst_fp, _>("mul", Canonical, binary!(blst_fp_mul))
        .called::<blst_fp, _>("square", Canonical, unary!(blst_fp_sqr))
        .called::<blst_fp, _>("add", Canonical, binary!(blst_fp_add))
        .called::<blst_fp, _>("sub", Canonical, binary!(blst_fp_sub))
        .called::<blst_fp, _>("inverse", Canonical, of_sum!(blst_fp_add, blst_fp_inverse))
        .called::<blst_fp, _>("sqrt", Canonical, |x, y| {
            // SAFETY: all pointers come from references; the functions work in place.
            unsafe {
                blst_fp_add(x, x, y);
                blst_fp_sqr(x, x);
                blst_fp_sqrt(x, x);
            }
        });
    let (mul, mul_add) = products!(blst_fr, blst_fr_mul, blst_fr_add);
    Rows::new(entries, &BLS12_381_R, peer)
        .loops(Canonical, mul, mul_add)
        .called::<blst_fr, _>("mul", Canonical, binary!(blst_fr_mul))
        .called::<blst_fr, _>("square", Canonical, unary!(blst_fr_sqr))
        .called::<blst_fr, _>("add", Canonical, binary!(blst_fr_add))
        .called::<blst_fr, _>("sub", Canonical, binary!(blst_fr_sub))
        .called::<blst_fr, _>("inverse", Canonical, of_sum!(blst_fr_add, blst_fr_inverse));
}
