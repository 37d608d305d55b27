//! Kernels on arrays, in vectors of 512 bits: their tables, and what they need of the processor.

use core::arch::asm;
use core::arch::x86_64::{__cpuid, __cpuid_count};

use crate::arrays::Operation;
use crate::kernels::{AVX512F, AVX512IFMA, Kernels, UNKNOWN, code};
use crate::modulus::{Modulus, is_same_number};

/// Whether this build has kernels on arrays.
pub(crate) const HAS_VECTORS: bool = true;

/// A kernel on arrays: a count, the results, and up to three operands, whose limbs lie side by side.
///
/// Results may be any operand. A kernel of fewer operands ignores the last ones.
pub(crate) type Run =
    unsafe extern "sysv64" fn(usize, *mut u64, *const u64, *const u64, *const u64);

/// The kernel of `x + w*y, x - w*y`: a count, both results, and x, y, w.
pub(crate) type RunButterfly =
    unsafe extern "sysv64" fn(usize, *mut u64, *mut u64, *const u64, *const u64, *const u64);

/// A kernel on arrays, and from how many elements on it is faster than one by one.
pub(crate) struct ArrayKernel<R = Run> {
    pub(crate) run: R,
    /// From 1 to `BLOCK`.
    pub(crate) least: usize,
}

/// Elements that vectors take at a time.
const BLOCK: usize = 8;

impl<R> ArrayKernel<R> {
    /// How many of some elements vectors take: whole blocks, and the rest if it is worth a block.
    #[inline]
    pub(crate) fn takes(&self, count: usize) -> usize {
        let rest = count % BLOCK;
        if rest < self.least {
            count - rest
        } else {
            count
        }
    }
}

/// The kernels of a modulus for a kind of processor; those that are not proved are missing.
pub(crate) struct ArrayKernels {
    pub(crate) add: Option<ArrayKernel>,
    pub(crate) sub: Option<ArrayKernel>,
    pub(crate) mul: Option<ArrayKernel>,
    pub(crate) square: Option<ArrayKernel>,
    pub(crate) mul_add: Option<ArrayKernel>,
    pub(crate) butterfly: Option<ArrayKernel<RunButterfly>>,
}

/// A modulus and its kernels, for AVX-512 F and for AVX-512 IFMA.
pub(crate) type Entry = (&'static [u64], &'static ArrayKernels, &'static ArrayKernels);

/// The entry of a modulus in the generated list.
const fn entry(p: &[u64]) -> Option<&'static Entry> {
    let entries = crate::generated::arrays::ENTRIES;
    let mut i = 0;
    while i < entries.len() {
        if is_same_number(entries[i].0, p) {
            return Some(&entries[i]);
        }
        i += 1;
    }
    None
}

/// The kernels that run for a modulus, if there are any.
#[inline]
fn running<const N: usize, M: Modulus<N>>() -> Option<&'static ArrayKernels> {
    let (_, by_doubles, by_digits) = const { entry(&M::P) }?;
    if code() == UNKNOWN {
        Kernels::current();
    }
    match code() {
        AVX512F => Some(by_doubles),
        AVX512IFMA => Some(by_digits),
        _ => None,
    }
}

/// The kernel of butterflies that runs for a modulus, if there is one.
#[inline]
pub(crate) fn butterfly_on_arrays<const N: usize, M: Modulus<N>>()
-> Option<&'static ArrayKernel<RunButterfly>> {
    running::<N, M>()?.butterfly.as_ref()
}

/// The kernel of an operation that runs for a modulus, if there is one.
#[inline]
pub(crate) fn kernels_on_arrays<const N: usize, M: Modulus<N>>(
    operation: Operation,
) -> Option<&'static ArrayKernel> {
    let found = running::<N, M>()?;
    match operation {
        Operation::Add => &found.add,
        Operation::Sub => &found.sub,
        Operation::Mul => &found.mul,
        Operation::Square => &found.square,
        Operation::MulAdd => &found.mul_add,
    }
    .as_ref()
}

/// Whether the processor has the vectors of some kernels, and the system keeps their registers.
#[allow(
    unused_unsafe,
    reason = "CPUID is a safe function in newer versions of Rust"
)]
pub(crate) fn has_vectors_of(kernels: Kernels) -> bool {
    const F_AND_DQ: u32 = 1 << 16 | 1 << 17;
    const IFMA: u32 = 1 << 21;
    const VBMI2: u32 = 1 << 6;
    let (ebx, ecx) = match kernels {
        Kernels::Avx512f => (F_AND_DQ, 0),
        Kernels::Avx512Ifma => (F_AND_DQ | IFMA, VBMI2),
        _ => return false,
    };
    // SAFETY: every x86-64 processor has CPUID and its leaf 0.
    let most = unsafe { __cpuid(0) }.eax;
    if most < 7 || !keeps_vectors() {
        return false;
    }
    // SAFETY: leaf 7 exists, as it is not above the largest one.
    let found = unsafe { __cpuid_count(7, 0) };
    found.ebx & ebx == ebx && found.ecx & ecx == ecx
}

/// Whether the system saves the registers of vectors.
#[allow(
    unused_unsafe,
    reason = "CPUID is a safe function in newer versions of Rust"
)]
fn keeps_vectors() -> bool {
    const OSXSAVE: u32 = 1 << 27;
    /// Registers xmm, ymm, masks, both halves of zmm.
    const STATE: u32 = 0xe6;
    // SAFETY: every x86-64 processor has CPUID and its leaf 1.
    if unsafe { __cpuid(1) }.ecx & OSXSAVE == 0 {
        return false;
    }
    let state: u32;
    // SAFETY: OSXSAVE says that the instruction is there. It changes the two registers only.
    unsafe {
        asm!(
            "xgetbv",
            in("ecx") 0,
            out("eax") state,
            out("edx") _,
            options(nomem, nostack, preserves_flags),
        );
    }
    state & STATE == STATE
}

/// The text of assembly that defines code by its name, once in an object and once in a program.
///
/// As `called!` of `called.rs`, whose pages say what the name must be.
macro_rules! defined {
    ($name:literal, $code:literal) => {
        concat!(
            ".ifndef ",
            $name,
            "\n",
            ".pushsection .text.",
            $name,
            ",\"axG\",%progbits,",
            $name,
            ",comdat\n",
            ".weak ",
            $name,
            "\n",
            ".hidden ",
            $name,
            "\n",
            ".type ",
            $name,
            ",%function\n",
            ".p2align 6\n",
            $name,
            ":",
            $code,
            ".size ",
            $name,
            ", . - ",
            $name,
            "\n",
            ".popsection\n",
            ".endif\n"
        )
    };
}
pub(crate) use defined;

/// Declares and defines a kernel on arrays: its name in Rust, its symbol, its text.
macro_rules! array_kernel {
    ($run:ident, $name:literal, $code:literal) => {
        $crate::vectors::array_kernel! {
            fn $run(z: *mut u64, x: *const u64, y: *const u64, a: *const u64), $name, $code
        }
    };
    (fn $run:ident($($pointer:ident: $Pointer:ty),*), $name:literal, $code:literal) => {
        unsafe extern "sysv64" {
            #[link_name = $name]
            fn $run(count: usize $(, $pointer: $Pointer)*);
        }
        core::arch::global_asm!($crate::vectors::defined!($name, $code), options(raw));
    };
}
pub(crate) use array_kernel;

/// The same of a kernel of butterflies.
macro_rules! butterfly_kernel {
    ($run:ident, $name:literal, $code:literal) => {
        $crate::vectors::array_kernel! {
            fn $run(z0: *mut u64, z1: *mut u64, x: *const u64, y: *const u64, w: *const u64),
            $name, $code
        }
    };
}
pub(crate) use butterfly_kernel;
