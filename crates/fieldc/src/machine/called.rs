//! How inline assembly calls the code of a kernel, and brings it along.
//!
//! Code that is not inlined needs a symbol. Naked functions have one, but only from Rust 1.88 on.
//! So the assembly that calls a kernel also defines it: in a section of its own, and once in an
//! object. Many objects may define it. The linker keeps one of them, and none if nothing calls it.
//!
//! Equal names must therefore mean equal code. A name has a digest of the kernel's text, which may
//! stand for constants of the modulus, and then the limbs of the modulus too. Two versions of the
//! crate in one program share what is the same in both.

/// The text of inline assembly that calls code by its name, and defines it.
#[cfg(not(any(target_vendor = "apple", windows, target_os = "uefi")))]
macro_rules! called {
    ($call:literal, $name:literal, $code:literal) => {
        concat!(
            $call, " ", $name, "\n",
            ".pushsection .text.", $name, ",\"axG\",%progbits,", $name, ",comdat\n",
            ".ifndef ", $name, "\n",
            ".weak ", $name, "\n",
            ".hidden ", $name, "\n",
            ".type ", $name, ",%function\n",
            ".p2align 6\n",
            $name, ":",
            $code,
            ".size ", $name, ", . - ", $name, "\n",
            ".endif\n",
            ".popsection"
        )
    };
}

/// The same for Mach-O, where each symbol begins what a linker keeps or drops.
#[cfg(target_vendor = "apple")]
macro_rules! called {
    ($call:literal, $name:literal, $code:literal) => {
        concat!(
            $call, " _", $name, "\n",
            ".pushsection __TEXT,__fieldc,regular,pure_instructions\n",
            ".ifndef _", $name, "\n",
            ".weak_definition _", $name, "\n",
            ".private_extern _", $name, "\n",
            ".p2align 6\n",
            "_", $name, ":",
            $code,
            ".endif\n",
            ".popsection"
        )
    };
}

/// The same for COFF.
#[cfg(any(windows, target_os = "uefi"))]
macro_rules! called {
    ($call:literal, $name:literal, $code:literal) => {
        concat!(
            $call, " ", $name, "\n",
            ".pushsection .text,\"xr\",discard,", $name, "\n",
            ".ifndef ", $name, "\n",
            ".globl ", $name, "\n",
            ".p2align 6\n",
            $name, ":",
            $code,
            ".endif\n",
            ".popsection"
        )
    };
}

pub(crate) use called;
