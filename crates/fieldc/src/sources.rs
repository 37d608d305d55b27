//! The crate's own texts and constants, for macros that put kernels into other crates. Not for use.

use crate::modulus;

/// The kernels for x86-64: for 1 limb, for 2 limbs and so on.
pub const KERNELS: [&str; modulus::MOST_LIMBS] = [
    include_str!("generated/n01.rs"),
    include_str!("generated/n02.rs"),
    include_str!("generated/n03.rs"),
    include_str!("generated/n04.rs"),
    include_str!("generated/n05.rs"),
    include_str!("generated/n06.rs"),
    include_str!("generated/n07.rs"),
    include_str!("generated/n08.rs"),
    include_str!("generated/n09.rs"),
    include_str!("generated/n10.rs"),
    include_str!("generated/n11.rs"),
    include_str!("generated/n12.rs"),
];

/// The same for AArch64.
pub const AARCH64_KERNELS: [&str; modulus::MOST_LIMBS] = [
    include_str!("generated/aarch64_n01.rs"),
    include_str!("generated/aarch64_n02.rs"),
    include_str!("generated/aarch64_n03.rs"),
    include_str!("generated/aarch64_n04.rs"),
    include_str!("generated/aarch64_n05.rs"),
    include_str!("generated/aarch64_n06.rs"),
    include_str!("generated/aarch64_n07.rs"),
    include_str!("generated/aarch64_n08.rs"),
    include_str!("generated/aarch64_n09.rs"),
    include_str!("generated/aarch64_n10.rs"),
    include_str!("generated/aarch64_n11.rs"),
    include_str!("generated/aarch64_n12.rs"),
];

/// How inline assembly calls their code.
pub const CALLED: &str = include_str!("machine/called.rs");

/// Additions, and what they are made of.
pub const ADDITION: [&str; 2] = [include_str!("limbs.rs"), include_str!("addition.rs")];

/// How portable Rust chooses between numbers.
pub const CHOICE: [&str; 2] = [include_str!("residues.rs"), include_str!("portable.rs")];

/// Products in portable Rust, and what they are made of.
pub const PRODUCT: [&str; 2] = [include_str!("limbs.rs"), include_str!("montgomery.rs")];

/// Inverses, and batches of divsteps.
pub const INVERSION: [&str; 2] = [include_str!("divsteps.rs"), include_str!("inversion.rs")];

/// What the processor offers.
pub const PROCESSOR: &str = include_str!("available/processor.rs");

/// The class of the kernels for a modulus of at least one limb, as their names have it.
pub const fn class(p: &[u64]) -> &'static str {
    match modulus::class_of(p) {
        modulus::FOLD => "fold",
        modulus::COMPLEMENT => "complement",
        modulus::SPARE => "spare",
        modulus::NEAR => "near",
        modulus::SHIFTED => "shifted",
        _ => "full",
    }
}

/// -1/p mod 2^64.
pub const fn n0(p: &[u64]) -> u64 {
    modulus::n0(p[0])
}
