//! Which kernels this build and this processor have.

#[cfg(all(
    target_arch = "aarch64",
    target_endian = "little",
    not(feature = "portable"),
    not(miri)
))]
#[path = "aarch64.rs"]
mod here;
#[cfg(not(all(
    any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little")
    ),
    not(feature = "portable"),
    not(miri)
)))]
#[path = "portable.rs"]
mod here;
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
#[path = "x86_64.rs"]
mod here;
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
mod processor;

pub(crate) use here::{found, is_available};

/// Whether this build has assembly.
pub(crate) const HAS_ASSEMBLY: bool = cfg!(all(
    any(
        target_arch = "x86_64",
        all(target_arch = "aarch64", target_endian = "little")
    ),
    not(feature = "portable"),
    not(miri)
));

/// Whether this build has kernels on arrays.
pub(crate) const HAS_VECTORS: bool = cfg!(all(
    feature = "vectors",
    target_arch = "x86_64",
    target_pointer_width = "64",
    not(target_os = "uefi"),
    not(feature = "portable"),
    not(miri)
));
