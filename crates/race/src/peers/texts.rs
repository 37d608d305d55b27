//! Ours again: what rustc and LLVM make of the same algorithms (see [`texts`](crate::texts)).

use crate::chain::{Element, called};
use crate::entry::Range::Canonical;
use crate::entry::{Entry, Peer, Rows};
use crate::fields::{BLS12_381_P, BLS12_381_R, BN254_P, SECP256K1_P};
use crate::operand::Form;
#[cfg(target_arch = "x86_64")]
use crate::texts::intrinsics;
use crate::texts::{flat, looped};
#[cfg(all(target_arch = "x86_64", not(windows)))]
use crate::texts::{llvm_bmi2, llvm_wide};

impl<const N: usize> Element for [u64; N] {
    const FORM: Form = Form::Montgomery;

    fn load(limbs: &[u64]) -> Self {
        limbs.try_into().expect("limbs of the field")
    }

    fn store(&self) -> Vec<u64> {
        self.to_vec()
    }
}

/// Who prints it; the versions are those of this repository.
fn peer(name: &'static str) -> Peer {
    Peer { name, version: "", algorithm: "" }
}

/// A table of the fields for one text. `rows` adds the rows of one field.
macro_rules! each_field {
    ($rows:ident, $entries:expr, $peer:expr, $text:ident) => {
        $rows!($entries, BLS12_381_P, $peer, $text::bls12_381_p, [u64; 6]);
        $rows!($entries, BLS12_381_R, $peer, $text::bls12_381_r, [u64; 4]);
        $rows!($entries, BN254_P, $peer, $text::bn254_p, [u64; 4]);
        $rows!($entries, SECP256K1_P, $peer, $text::secp256k1_p, [u64; 4]);
    };
}

/// Rust: sums are inlined; products are too long for that.
macro_rules! rust {
    ($entries:expr, $FIELD:ident, $peer:expr, $($text:ident)::+, $Limbs:ty) => {
        Rows::new($entries, &$FIELD, $peer)
            .code("rust")
            .inlined("add", Canonical, |x: &mut $Limbs, y| *x = $($text)::+::add(x, y))
            .inlined("sub", Canonical, |x: &mut $Limbs, y| *x = $($text)::+::sub(x, y))
            .code($($text)::+::MUL)
            .called("mul", Canonical, called(|x: &mut $Limbs, y| *x = $($text)::+::mul(x, y)))
            .code($($text)::+::SQUARE)
            .called("square", Canonical, called(|x: &mut $Limbs, _| *x = $($text)::+::square(x)));
    };
}

/// The same, where products may be called once the processor is known to have BMI2.
#[cfg(target_arch = "x86_64")]
macro_rules! intrinsics {
    ($entries:expr, $FIELD:ident, $peer:expr, $($text:ident)::+, $Limbs:ty) => {
        Rows::new($entries, &$FIELD, $peer)
            .code("rust")
            .inlined("add", Canonical, |x: &mut $Limbs, y| *x = $($text)::+::add(x, y))
            .inlined("sub", Canonical, |x: &mut $Limbs, y| *x = $($text)::+::sub(x, y))
            .code($($text)::+::MUL)
            .called("mul", Canonical, called(|x: &mut $Limbs, y| {
                // SAFETY: the processor has BMI2.
                *x = unsafe { $($text)::+::mul(x, y) };
            }))
            .code($($text)::+::SQUARE)
            .called("square", Canonical, called(|x: &mut $Limbs, _| {
                // SAFETY: the processor has BMI2.
                *x = unsafe { $($text)::+::square(x) };
            }));
    };
}

/// A step by LLVM's code for two operands, its result over the first.
#[cfg(all(target_arch = "x86_64", not(windows)))]
macro_rules! binary {
    ($($function:ident)::+) => {
        // SAFETY: the pointers come from references, and the result may be an operand; no row of
        // LLVM's code is entered on a processor without BMI2.
        |x, y| unsafe { $($function)::+(x, x, y) }
    };
}

/// A step by LLVM's code for one operand, in place.
#[cfg(all(target_arch = "x86_64", not(windows)))]
macro_rules! unary {
    ($($function:ident)::+) => {
        // SAFETY: as for two operands.
        |x, _| unsafe { $($function)::+(x, x) }
    };
}

/// LLVM's code, which is called.
#[cfg(all(target_arch = "x86_64", not(windows)))]
macro_rules! llvm {
    ($entries:expr, $FIELD:ident, $peer:expr, $($text:ident)::+, $Limbs:ty) => {
        Rows::new($entries, &$FIELD, $peer)
            .code("llvm")
            .called::<$Limbs, _>("add", Canonical, binary!($($text)::+::add))
            .called::<$Limbs, _>("sub", Canonical, binary!($($text)::+::sub))
            .code($($text)::+::MUL)
            .called::<$Limbs, _>("mul", Canonical, binary!($($text)::+::mul))
            .code($($text)::+::SQUARE)
            .called::<$Limbs, _>("square", Canonical, unary!($($text)::+::square));
    };
}

pub(super) fn enter(entries: &mut Vec<Entry>) {
    each_field!(rust, entries, peer("rust-looped"), looped);
    each_field!(rust, entries, peer("rust-flat"), flat);
}

/// The rows that need an x86-64 processor with BMI2; the message says why there are none.
#[cfg(target_arch = "x86_64")]
pub(super) fn enter_with_bmi2(entries: &mut Vec<Entry>) -> Result<(), String> {
    if !std::arch::is_x86_feature_detected!("bmi2") {
        return Err("this processor has no BMI2".into());
    }
    each_field!(intrinsics, entries, peer("rust-intrinsics"), intrinsics);
    #[cfg(not(windows))]
    {
        each_field!(llvm, entries, peer("llvm-wide"), llvm_wide);
        each_field!(llvm, entries, peer("llvm-bmi2"), llvm_bmi2);
    }
    Ok(())
}

/// The rows that need an x86-64 processor with BMI2; the message says why there are none.
#[cfg(not(target_arch = "x86_64"))]
pub(super) fn enter_with_bmi2(_: &mut Vec<Entry>) -> Result<(), String> {
    Err("they are for x86-64".into())
}
