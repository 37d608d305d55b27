//! Kernels on arrays, in vectors of 512 or 256 bits: their tables, and how each is defined.

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

/// Adds products to columns: a count, the columns, and both operands.
pub(crate) type RunAccumulate = unsafe extern "sysv64" fn(usize, *mut u64, *const u64, *const u64);

/// Reduces columns: a count, the results, and the columns.
pub(crate) type RunCollect = unsafe extern "sysv64" fn(usize, *mut u64, *const u64);

/// The two kernels of inner products. Element i is added to lane i mod `BLOCK` of the columns.
pub(crate) struct SumKernels {
    pub(crate) accumulate: RunAccumulate,
    /// Takes columns to one element for each lane.
    pub(crate) collect: RunCollect,
    /// Columns of a lane, words of 64 bits: column 0 of all lanes lies first.
    pub(crate) columns: usize,
    /// How many terms the columns take.
    pub(crate) most: usize,
    /// What second factors are below, in p.
    pub(crate) multiple: u32,
}

/// Moves elements from limbs to digits or back: a count, the results, and the elements.
pub(crate) type RunMove = RunCollect;

/// How values get their powers of roots.
#[allow(dead_code, reason = "a target does it in one of two ways")]
pub(crate) enum PowerKernels {
    /// Powers in digits, each multiplied by its root in rows.
    Chained(RunAccumulate),
    /// Moves values to digits, which the product with a power from a table moves back.
    LookedUp(RunMove),
}

/// The kernels of transforms in digits, for values and roots as they come from one another.
pub(crate) struct TransformKernels {
    pub(crate) enter: RunMove,
    /// Products of residues with powers of roots, both in digits.
    pub(crate) times: RunAccumulate,
    pub(crate) powers: PowerKernels,
    pub(crate) leave: RunMove,
    /// Takes roots to digits: the last of their rows.
    pub(crate) root: RunMove,
    /// The row before one.
    pub(crate) next_row: RunMove,
    /// A butterfly with the root 1, which ignores w.
    pub(crate) step_one: RunButterfly,
    /// One with the rows of one root in digits, for all elements.
    pub(crate) step_by: RunButterfly,
    /// The same, for results that the next step only adds to: their carries wait.
    pub(crate) step_loose: RunButterfly,
    /// Words of an element in digits.
    pub(crate) digits: usize,
}

/// The kernels of arrays that stay in digits: of values below 2p, where R is 2^52 to the number of
/// digits. Digit 0 of eight elements lies first, then digit 1; whole blocks are read and written.
#[cfg_attr(
    not(feature = "alloc"),
    allow(dead_code, reason = "arrays in digits own memory")
)]
pub(crate) struct DigitKernels {
    /// Moves elements from limbs to digits.
    pub(crate) to: RunMove,
    /// Moves values below 2p back to elements in limbs.
    pub(crate) from: RunMove,
    pub(crate) add: Run,
    pub(crate) sub: Run,
    pub(crate) mul: Run,
    pub(crate) square: Run,
    pub(crate) mul_add: Run,
    /// Adds products to columns as `SumKernels` has them.
    pub(crate) accumulate: RunAccumulate,
    /// Words of an element in digits.
    pub(crate) digits: usize,
    /// What sums of these columns are multiplied by, as the limbs of an element.
    pub(crate) factor: &'static [u64],
}

/// The kernels that move numbers between limbs and digits, whatever R is.
pub(crate) struct MoveKernels {
    /// To digits, of numbers below p.
    pub(crate) cut: RunMove,
    /// From digits of values below 2p to residues in limbs.
    pub(crate) join: RunMove,
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
    pub(crate) sum: Option<SumKernels>,
    pub(crate) transform: Option<TransformKernels>,
    /// Where there are sums.
    pub(crate) digits: Option<DigitKernels>,
    pub(crate) moves: Option<MoveKernels>,
    /// Sums of x*y/R in digits of 52 bits, for residues x moved up by what these digits exceed R,
    /// and y below a multiple of p.
    pub(crate) multiples: Option<SumKernels>,
}

/// A modulus and its kernels: for AVX2, for AVX-512 F, and for AVX-512 IFMA.
pub(crate) type Entry = (
    &'static [u64],
    &'static ArrayKernels,
    &'static ArrayKernels,
    &'static ArrayKernels,
);

/// The text of assembly that defines code by its name, once in an object and once in a program.
///
/// As `called!` of `called.rs`, whose pages say what the name must be.
#[cfg(not(any(target_vendor = "apple", windows)))]
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

/// The same for Mach-O.
#[cfg(target_vendor = "apple")]
macro_rules! defined {
    ($name:literal, $code:literal) => {
        concat!(
            ".ifndef _",
            $name,
            "\n",
            ".pushsection __TEXT,__fieldc,regular,pure_instructions\n",
            ".weak_definition _",
            $name,
            "\n",
            ".private_extern _",
            $name,
            "\n",
            ".p2align 6\n",
            "_",
            $name,
            ":",
            $code,
            ".popsection\n",
            ".endif\n"
        )
    };
}

/// The same for COFF. The convention is that of System V there too.
#[cfg(windows)]
macro_rules! defined {
    ($name:literal, $code:literal) => {
        concat!(
            ".ifndef ",
            $name,
            "\n",
            ".pushsection .text,\"xr\",discard,",
            $name,
            "\n",
            ".globl ",
            $name,
            "\n",
            ".p2align 6\n",
            $name,
            ":",
            $code,
            ".popsection\n",
            ".endif\n"
        )
    };
}
pub(crate) use defined;

/// Declares and defines a kernel on arrays: its name in Rust, its symbol, its text.
macro_rules! array_kernel {
    ($run:ident, $name:literal, $code:literal) => {
        $crate::vector_kernels::array_kernel! {
            fn $run(z: *mut u64, x: *const u64, y: *const u64, a: *const u64), $name, $code
        }
    };
    (fn $run:ident($($pointer:ident: $Pointer:ty),*), $name:literal, $code:literal) => {
        unsafe extern "sysv64" {
            #[link_name = $name]
            fn $run(count: usize $(, $pointer: $Pointer)*);
        }
        core::arch::global_asm!($crate::vector_kernels::defined!($name, $code), options(raw));
    };
}
pub(crate) use array_kernel;

/// The same of a kernel of butterflies.
macro_rules! butterfly_kernel {
    ($run:ident, $name:literal, $code:literal) => {
        $crate::vector_kernels::array_kernel! {
            fn $run(z0: *mut u64, z1: *mut u64, x: *const u64, y: *const u64, w: *const u64),
            $name, $code
        }
    };
}
pub(crate) use butterfly_kernel;

/// The same of the first kernel of inner products, and of what multiplies on the way to digits.
macro_rules! accumulate_kernel {
    ($run:ident, $name:literal, $code:literal) => {
        $crate::vector_kernels::array_kernel! {
            fn $run(t: *mut u64, x: *const u64, y: *const u64), $name, $code
        }
    };
}
pub(crate) use accumulate_kernel;

/// The same of the second one, and of what moves elements to digits and back.
macro_rules! collect_kernel {
    ($run:ident, $name:literal, $code:literal) => {
        $crate::vector_kernels::array_kernel! {
            fn $run(z: *mut u64, t: *const u64), $name, $code
        }
    };
}
pub(crate) use collect_kernel;
