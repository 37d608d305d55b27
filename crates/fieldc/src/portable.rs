//! Every operation in portable Rust, for any number of limbs. Operands and results are below p.
//!
//! With p a constant and N known the compiler unrolls these loops.

use crate::modulus::Modulus;
use crate::residues::{select, subtract_once};
use crate::{montgomery, plain};

/// a if the flag is set, else b, where the program runs.
#[cfg_attr(
    all(target_arch = "x86_64", not(feature = "portable"), not(miri)),
    expect(dead_code)
)]
#[inline(always)]
pub(crate) fn choose<const N: usize>(flag: bool, a: &[u64; N], b: &[u64; N]) -> [u64; N] {
    select(runtime_mask(flag), a, b)
}

/// All ones if the flag is set, else 0, where the program runs.
#[inline(always)]
pub(crate) fn runtime_mask(flag: bool) -> u64 {
    opaque((flag as u64).wrapping_neg())
}

/// All ones if the uppermost bit is set, else 0, where the program runs.
#[inline(always)]
pub(crate) fn runtime_sign(word: u64) -> u64 {
    opaque((word as i64 >> 63) as u64)
}

/// The same mask, of which the compiler knows nothing: an empty instruction names its register.
/// `black_box` puts it into memory, which the limbs then wait for.
#[cfg(all(
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64",
        target_arch = "s390x"
    ),
    not(miri)
))]
#[inline(always)]
fn opaque(mut mask: u64) -> u64 {
    // SAFETY: it has no instruction.
    unsafe {
        core::arch::asm!(
            "/* {0} */",
            inout(reg) mask,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    mask
}

/// The same mask, of which the compiler knows nothing.
#[cfg(not(all(
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64",
        target_arch = "s390x"
    ),
    not(miri)
)))]
#[inline(always)]
fn opaque(mask: u64) -> u64 {
    core::hint::black_box(mask)
}

/// The same number, loaded and stored limb by limb.
///
/// An operand that is given by value is a copy. The compiler makes it by two limbs at once, and such a
/// load waits until both limbs are stored, when a product just stored them one by one.
#[inline(always)]
pub fn one_by_one<const N: usize>(x: [u64; N]) -> [u64; N] {
    if N > 1 && cfg!(target_arch = "x86_64") {
        return x.map(opaque);
    }
    x
}

/// The same constant, of which the compiler knows nothing but where it lies: products then load its
/// limbs. Known limbs are put into registers anew for each product, by an instruction of ten bytes.
#[cfg(all(
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64",
        target_arch = "s390x"
    ),
    not(miri)
))]
#[inline(always)]
#[allow(
    clippy::pointers_in_nomem_asm_block,
    reason = "without an instruction it reads no memory"
)]
pub(crate) fn hidden<T>(constant: &'static T) -> &'static T {
    let mut place: *const T = constant;
    // SAFETY: it has no instruction, so the place is the constant's still.
    unsafe {
        core::arch::asm!(
            "/* {0} */",
            inout(reg) place,
            options(pure, nomem, nostack, preserves_flags),
        );
        &*place
    }
}

/// The same constant.
#[cfg(not(all(
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64",
        target_arch = "s390x"
    ),
    not(miri)
)))]
#[inline(always)]
pub(crate) fn hidden<T>(constant: &'static T) -> &'static T {
    constant
}

/// The same place, of which the compiler knows nothing before it has the word: what is read there
/// is not read ahead of the word, nor kept from an earlier time.
#[cfg(all(
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64",
        target_arch = "s390x"
    ),
    not(miri)
))]
#[inline(always)]
#[allow(
    clippy::pointers_in_nomem_asm_block,
    reason = "without an instruction it reads no memory"
)]
pub(crate) fn after<T>(word: u64, place: &T) -> &T {
    let mut same: *const T = place;
    // SAFETY: it has no instruction, so the place is the same still.
    unsafe {
        core::arch::asm!(
            "/* {0} {1} */",
            inout(reg) same,
            in(reg) word,
            options(pure, nomem, nostack, preserves_flags),
        );
        &*same
    }
}

/// The same place.
#[cfg(not(all(
    any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        target_arch = "riscv64",
        target_arch = "s390x"
    ),
    not(miri)
)))]
#[inline(always)]
pub(crate) fn after<T>(_: u64, place: &T) -> &T {
    place
}

/// x*y/R mod p.
#[inline]
pub(crate) const fn mul<const N: usize, M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    let (t, over) = product::<N, M>(x, y);
    subtract_once(&t, over, &M::P)
}

/// x*y/R modulo p: N limbs and a bit, below 2p.
#[inline(always)]
pub(crate) const fn product<const N: usize, M: Modulus<N>>(
    x: &[u64; N],
    y: &[u64; N],
) -> ([u64; N], bool) {
    if M::PLAIN {
        return plain::product::<N, M>(x, y);
    }
    montgomery::product::<N, M>(x, y)
}

/// x*R mod p, for x below p, or of one limb.
pub const fn to_montgomery<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
    if M::PLAIN {
        // A limb may be above a p of one limb; longer ones come below p.
        return if N == 1 {
            from_montgomery::<N, M>(x)
        } else {
            *x
        };
    }
    mul::<N, M>(x, &M::R2)
}

/// x/R mod p, the number below p that a residue stands for.
#[inline]
pub const fn number<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
    if M::PLAIN {
        return *x;
    }
    from_montgomery::<N, M>(x)
}

/// x/R mod p, for any x of N limbs.
pub const fn from_montgomery<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
    if M::PLAIN {
        let (t, over) = plain::fold::<N, M>(x, &[0; N]);
        return subtract_once(&t, over, &M::P);
    }
    subtract_once(&montgomery::reduction::<N, M>(x), false, &M::P)
}
