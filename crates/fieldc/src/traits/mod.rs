//! Traits of other crates for every field, each behind a feature.
//!
//! A `cfg` in what a macro expands to is the user's, not ours. So each feature has a macro of its
//! own in two forms, and `cfg` chooses here which of them there is: the one that implements, or the
//! one that expands to nothing.

mod arbitrary;
mod ark_ff;
mod bytemuck;
mod ff;
mod num_traits;
mod proptest;
mod rand_core;
mod repr;
mod serde;
mod subtle;
mod zeroize;

#[cfg(any(feature = "ff", feature = "ff-0-13"))]
pub use repr::Repr;

/// What the macros of this module name.
pub(crate) mod private {
    #[cfg(feature = "ark-ff")]
    pub use super::ark_ff::{Ark, from_arks};
    #[cfg(any(feature = "rand_core", feature = "ff-0-13"))]
    pub use super::rand_core::try_random;
    #[cfg(any(feature = "ff", feature = "ff-0-13"))]
    pub use super::repr::{Encoding, Encodings};
    #[cfg(feature = "serde")]
    pub use super::serde::{deserialize, serialize};

    #[cfg(feature = "arbitrary")]
    pub use arbitrary;
    #[cfg(feature = "ark-ff")]
    pub use ark_ff;
    #[cfg(feature = "bytemuck")]
    pub use bytemuck;
    #[cfg(feature = "ff")]
    pub use ff as ff_0_14;
    #[cfg(feature = "ff-0-13")]
    pub use ff_0_13;
    #[cfg(feature = "num-traits")]
    pub use num_traits;
    #[cfg(feature = "proptest")]
    pub use proptest;
    #[cfg(feature = "rand_core")]
    pub use rand_core;
    #[cfg(feature = "ff-0-13")]
    pub use rand_core_0_6;
    #[cfg(feature = "serde")]
    pub use serde;
    #[cfg(feature = "subtle")]
    pub use subtle;
    #[cfg(feature = "zeroize")]
    pub use zeroize;
}

/// The traits of every feature that is on.
#[doc(hidden)]
#[macro_export]
macro_rules! __traits {
    ($Fp:ident, $fence:literal $(, $generator:literal)?) => {
        $(const _: () = assert!(
            $crate::__private::is_non_residue::<{ $Fp::LIMBS }, $Fp>($generator),
            "the generator is a square"
        );)?

        $crate::__subtle! { $Fp }
        $crate::__zeroize! { $Fp }
        $crate::__serde! { $Fp }
        $crate::__rand_core! { $Fp, $fence }
        $crate::__num_traits! { $Fp }
        $crate::__bytemuck! { $Fp }
        $crate::__arbitrary! { $Fp }
        $crate::__proptest! { $Fp }
        $crate::__ff! { $Fp $(, $generator)? }
        $crate::__ff_0_13! { $Fp $(, $generator)? }
        $crate::__ark_ff! { $Fp $(, $generator)? }
    };
}
