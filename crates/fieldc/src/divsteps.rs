//! A batch of divsteps: the inner loop of an inversion. `inversion.rs` says what a divstep is.

use crate::machine::{self, HAS_DIVSTEP_BATCH};
use crate::modulus::Modulus;

/// Bits of a digit of the numbers that a batch's matrix acts on.
pub(crate) const DIGIT: u32 = 62;
/// The most divsteps of a batch, whose matrix depends on as many low bits of f and g.
const MOST_STEPS: u32 = 60;
/// The divsteps of the kernel.
pub(crate) const KERNEL_STEPS: u32 = 59;

/// The batches of an inversion modulo p.
pub(super) struct Batches<const N: usize, M>(core::marker::PhantomData<M>);

impl<const N: usize, M: Modulus<N>> Batches<N, M> {
    /// Enough divsteps: if f is odd, 0 <= g <= f <= 2^b and 9437*b + 1 <= 4096*n, then g = 0 after
    /// n divsteps from delta = 1/2. Proved in HOL Light: DIVSTEP_ENDTOEND_BITS_SIMPLE in its
    /// directory Divstep (J. Harrison's library; s2n-bignum's proofs of inversion use it).
    const ENOUGH: u32 = (9437 * M::BITS + 1).div_ceil(4096);
    /// Batches of the longest kind.
    const FEWEST: u32 = Self::ENOUGH.div_ceil(MOST_STEPS);
    /// Divsteps of a batch: as many as the kernel's where that is at most 2 % more in all, and else
    /// as few as can be.
    pub(super) const STEPS: u32 = {
        let fewest = Self::ENOUGH.div_ceil(Self::FEWEST);
        let by_kernel = KERNEL_STEPS * Self::ENOUGH.div_ceil(KERNEL_STEPS);
        if HAS_DIVSTEP_BATCH && 100 * by_kernel <= 102 * fewest * Self::FEWEST {
            KERNEL_STEPS
        } else {
            fewest
        }
    };
    pub(super) const COUNT: u32 = Self::ENOUGH.div_ceil(Self::STEPS);
}

/// Divsteps as a linear map of (f, g); that of a batch is times 2^62, so it has integers with
/// |u| + |v| <= 2^62 and |q| + |r| <= 2^62.
pub(crate) struct Matrix {
    pub(crate) u: i64,
    pub(crate) v: i64,
    pub(crate) q: i64,
    pub(crate) r: i64,
}

/// A batch of divsteps on the low bits of f and g; `beside` waits for nothing of it.
///
/// The kernel for 59 of them is proved. Other batches are three blocks.
#[inline(always)]
pub(crate) fn batch(
    zeta: &mut i64,
    mut f: i64,
    mut g: i64,
    steps: u32,
    beside: impl FnOnce(),
) -> Matrix {
    if steps == KERNEL_STEPS {
        if let Some([next, u, v, q, r]) = machine::divstep_batch(*zeta, f, g) {
            *zeta = next;
            beside();
            return Matrix { u, v, q, r }.times(DIGIT - steps);
        }
    }
    let [first, others @ ..] = [steps / 3, (steps + 1) / 3, steps.div_ceil(3)];
    let next = block(zeta, f, g, first);
    (f, g) = next.low_bits(f, g, first);
    beside();
    let mut matrix = next;
    for part in others {
        let next = block(zeta, f, g, part);
        (f, g) = next.low_bits(f, g, part);
        matrix = next.after(&matrix);
    }
    matrix.times(DIGIT - steps)
}

impl Matrix {
    /// The low bits of f and g after it: fewer than before, by one for each step.
    #[inline(always)]
    fn low_bits(&self, f: i64, g: i64, steps: u32) -> (i64, i64) {
        let sum = |a: i64, b: i64| a.wrapping_mul(f).wrapping_add(b.wrapping_mul(g)) >> steps;
        (sum(self.u, self.v), sum(self.q, self.r))
    }

    /// This matrix after another.
    #[inline(always)]
    fn after(&self, first: &Self) -> Self {
        Self {
            u: self.u * first.u + self.v * first.q,
            v: self.u * first.v + self.v * first.r,
            q: self.q * first.u + self.r * first.q,
            r: self.q * first.v + self.r * first.r,
        }
    }

    #[inline(always)]
    fn times(self, twos: u32) -> Self {
        let Self { u, v, q, r } = self;
        Self {
            u: u << twos,
            v: v << twos,
            q: q << twos,
            r: r << twos,
        }
    }
}

/// The matrix of at most 20 divsteps, times 2^steps.
///
/// One word has f in its low bits and u and v above, another g, q and r: f + 2^20*u + 2^42*v, where
/// -2^19 <= f < 2^19 and |u| + |v| <= 2^20. They start as (2^steps, 0) and (0, 2^steps), so halving
/// the second word is exact, and f and g go the way that their low bits decide. The matrix never
/// has the determinant 0, so |v| + |r| < 2^21 and a sum of both words is below 2^63.
///
/// Source: the packed words of the divsteps in s2n-bignum (J. Harrison), in another arrangement.
#[inline(always)]
fn block(zeta: &mut i64, f: i64, g: i64, steps: u32) -> Matrix {
    let low = |x: i64| x << (64 - LOW) >> (64 - LOW);
    let mut f = low(f) + (1 << (LOW + steps));
    let mut g = low(g) + (1 << (LOW + MIDDLE + steps));
    for _ in 0..steps {
        (f, g, *zeta) = divstep(f, g, *zeta);
    }
    let ((u, v), (q, r)) = (unpacked(f), unpacked(g));
    Matrix { u, v, q, r }
}

/// Bits of f and g in their words.
const LOW: u32 = 20;
/// Bits of u and q, with a sign.
const MIDDLE: u32 = 22;

/// u and v, or q and r. Each is rounded by itself, so that neither waits for the other.
#[inline(always)]
fn unpacked(word: i64) -> (i64, i64) {
    let rounded = |bits: u32| word + (1 << (bits - 1));
    let lower = rounded(LOW) << (64 - LOW - MIDDLE) >> (64 - MIDDLE);
    (lower, rounded(LOW + MIDDLE) >> (LOW + MIDDLE))
}

/// One divstep; zeta is -(delta + 1/2), below 0 if delta > 0.
///
/// The 1 is opaque: the compiler cannot know that the masks made with it are flags, and makes no
/// branch of them.
#[cfg(not(all(target_arch = "x86_64", not(feature = "portable"), not(miri))))]
#[inline(always)]
fn divstep(f: i64, g: i64, zeta: i64) -> (i64, i64, i64) {
    let is_odd = (g & core::hint::black_box(1)).wrapping_neg();
    let swap = (zeta >> 63) & is_odd;
    // What is added to g: f or -f or 0.
    let added = ((f & is_odd) ^ swap) - swap;
    (f ^ ((f ^ g) & swap), (g + added) >> 1, (zeta ^ swap) - 1)
}

/// One divstep; zeta is -(delta + 1/2), below 0 if delta > 0.
///
/// By conditional moves: each step waits for the one before, and twice as long for masks. Cores
/// execute two moves or shifts a cycle, so f and zeta have one move each: both change where g is
/// odd and zeta is below 0, which one flag says.
#[cfg(all(target_arch = "x86_64", not(feature = "portable"), not(miri)))]
#[inline(always)]
fn divstep(mut f: i64, mut g: i64, zeta: i64) -> (i64, i64, i64) {
    let (sum, swapped, mut last) = (f.wrapping_neg(), -2 - zeta, zeta - 1);
    // SAFETY: it changes the named registers and flags only.
    unsafe {
        core::arch::asm!(
            // Its flags say whether zeta is below 0; on Golden Cove they reach a move about a cycle
            // sooner than those of `test`.
            "shr {zeta}, 63",
            "cmovz {sum}, {f}",
            "add {sum}, {g}",
            "test {zeta:e}, {g:e}",
            "cmovnz {last}, {swapped}",
            "cmovnz {f}, {g}",
            "test {g:e}, 1",
            "cmovnz {g}, {sum}",
            f = inout(reg) f, g = inout(reg) g, sum = inout(reg) sum => _,
            last = inout(reg) last, swapped = in(reg) swapped, zeta = inout(reg) zeta => _,
            options(pure, nomem, nostack),
        );
    }
    (f, g >> 1, last)
}
