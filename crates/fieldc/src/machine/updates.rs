//! Inversion by kernels that update (f, g) and (d, e) after each batch of divsteps.
//!
//! f and g are kept as f + R/2 and g + R/2, between 0 and R; d and e are below 2p. So no value has a
//! sign, and none is cut into digits. `inversion.rs` says what a batch is.

use core::mem::MaybeUninit;

use crate::addition::choose;
use crate::divsteps::{Batches, KERNEL_STEPS, Matrix};
use crate::generated::divsteps::divstep_matrix_sign_first;
use crate::modulus::Modulus;
use crate::residues;

/// The kernels of N limbs; W = N + 2.
pub(crate) trait Updates<const N: usize, const W: usize> {
    /// f + R/2 and g + R/2 after a batch in the low limbs of z. m has 2^63 - 16*u for an entry u.
    ///
    /// # Safety
    /// The processor has ADX and BMI2.
    unsafe fn fg<M: Modulus<N>>(z: &mut Uninit<W>, f: &[u64; N], g: &[u64; N], m: &Entries);

    /// d and e after a batch, divided by 2^5 modulo p, in z. m has u + 2^59 for an entry u.
    ///
    /// # Safety
    /// The processor has ADX and BMI2, p has a spare bit.
    unsafe fn de<M: Modulus<N>>(z: &mut Uninit<N>, x: &[[u64; N]; 2], m: &Entries);
}

/// Two values that a kernel writes.
pub(crate) type Uninit<const N: usize> = MaybeUninit<[[u64; N]; 2]>;
/// The entries of a matrix, one after the other.
pub(crate) type Entries = [[u64; 1]; 4];

/// What has the kernels.
pub(crate) struct Kernels;

/// The kernels of some numbers of limbs, and what inverts by them.
macro_rules! updates {
    ($($n:literal, $w:literal: $fg:ident, $de:ident;)*) => {
        $(
            impl $crate::machine::updates::Updates<$n, $w> for $crate::machine::updates::Kernels {
                #[inline(always)]
                unsafe fn fg<M: $crate::modulus::Modulus<$n>>(
                    z: &mut $crate::machine::updates::Uninit<$w>,
                    f: &[u64; $n],
                    g: &[u64; $n],
                    m: &$crate::machine::updates::Entries,
                ) {
                    // SAFETY: the caller's.
                    unsafe { $fg::<M>(z, f, g, m) }
                }

                #[inline(always)]
                unsafe fn de<M: $crate::modulus::Modulus<$n>>(
                    z: &mut $crate::machine::updates::Uninit<$n>,
                    x: &[[u64; $n]; 2],
                    m: &$crate::machine::updates::Entries,
                ) {
                    // SAFETY: the caller's.
                    unsafe { $de::<M>(z, x, m) }
                }
            }
        )*

        /// Numbers of limbs that have kernels.
        pub(crate) const UPDATED: &[usize] = &[$($n),*];

        /// The residue of 1/x, 0 for x = 0, for a number of limbs that has kernels.
        #[inline(always)]
        pub(crate) fn inverse<const N: usize, M: $crate::modulus::Modulus<N>>(
            x: &[u64; N],
        ) -> Option<[u64; N]> {
            match N {
                $($n => Some($crate::machine::updates::of_limbs::<N, $n, $w, M>(x)),)*
                _ => {
                    let _ = x; // where no number of limbs has any
                    None
                }
            }
        }
    };
}
pub(crate) use updates;

/// The inverse by the kernels of B = N limbs.
#[inline(always)]
pub(crate) fn of_limbs<const N: usize, const B: usize, const W: usize, M: Modulus<N>>(
    x: &[u64; N],
) -> [u64; N]
where
    Kernels: Updates<B, W>,
{
    resized(&inverse::<B, W, Resized<N, M>>(&resized(x)))
}

/// The modulus as one of B limbs, which it has.
struct Resized<const N: usize, M>(core::marker::PhantomData<M>);

impl<const N: usize, const B: usize, M: Modulus<N>> Modulus<B> for Resized<N, M> {
    const P: [u64; B] = if N == B {
        resized(&M::P)
    } else {
        // Nothing is inverted modulo this, but a compiler that removes no code asks what follows.
        let mut p = [0; B];
        (p[0], p[B - 1]) = (1, 1);
        p
    };
    const PLAIN: bool = M::PLAIN;
}

/// The same limbs for B = N; this the compiler does not know.
#[inline(always)]
const fn resized<const N: usize, const B: usize>(x: &[u64; N]) -> [u64; B] {
    let (mut z, mut i) = ([0; B], 0);
    while i < N && i < B {
        z[i] = x[i];
        i += 1;
    }
    z
}

/// What inversion by these kernels needs to know of p.
struct Scale<const N: usize, M>(core::marker::PhantomData<M>);

impl<const N: usize, M: Modulus<N>> Scale<N, M> {
    /// The first e: R^2, and 2^5 for each batch, after which d and e are divided by 2^64 and not 2^59.
    const E: [u64; N] = {
        let (mut e, mut i) = (M::R2, 0);
        while i < (64 - KERNEL_STEPS) * Batches::<N, M>::COUNT {
            e = residues::add(&e, &e, &M::P);
            i += 1;
        }
        e
    };
}

/// A batch on the low limbs of f and g.
#[inline(always)]
fn batch<const W: usize>(zeta: &mut i64, [f, g]: &[[u64; W]; 2]) -> Matrix {
    let [next, u, v, q, r] = divstep_matrix_sign_first(*zeta, f[0] as i64, g[0] as i64);
    *zeta = next;
    Matrix { u, v, q, r }
}

/// The top limb of R/2.
const HALF: u64 = 1 << 63;

fn inverse<const N: usize, const W: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N]
where
    Kernels: Updates<N, W>,
{
    let mut zeta = -1;
    let (first, mut second) = (&mut [resized(&M::P), resized(x)], [[0; W]; 2]);
    first[0][N - 1] ^= HALF;
    first[1][N - 1] ^= HALF;
    let mut fg = Turns {
        now: first,
        next: &mut second,
    };
    let (first, mut second) = (&mut [[0; N], Scale::<N, M>::E], [[0; N]; 2]);
    let mut de = Turns {
        now: first,
        next: &mut second,
    };
    let mut last = batch(&mut zeta, fg.now);
    let mut done = 1;
    while done < Batches::<N, M>::COUNT {
        fg.quotients::<N, M>(&last);
        let next = batch(&mut zeta, fg.now);
        de.rows::<W, M>(&last);
        last = next;
        done += 1;
    }
    fg.quotients::<N, M>(&last);
    de.rows::<W, M>(&last);
    // Now f = 1 or f = -1; f = p and d = 0 modulo p for x = 0.
    let d = residues::subtract_once(&de.now[0], false, &M::P);
    let is_negative = fg.now[0][N - 1] < HALF;
    choose(is_negative, &residues::neg(&d, &M::P), &d)
}

/// Two values, and where those after a batch go: nothing is copied, because a copy by vectors waits
/// for the words that a kernel just stored one by one.
struct Turns<'a, const N: usize> {
    now: &'a mut [[u64; N]; 2],
    next: &'a mut [[u64; N]; 2],
}

impl<const W: usize> Turns<'_, W> {
    /// f + R/2 and g + R/2 after a batch.
    #[inline(always)]
    fn quotients<const N: usize, M: Modulus<N>>(&mut self, matrix: &Matrix)
    where
        Kernels: Updates<N, W>,
    {
        let m = entries(matrix, |u| HALF.wrapping_sub(u << 4));
        let (f, g) = (
            self.now[0].first_chunk().unwrap(),
            self.now[1].first_chunk().unwrap(),
        );
        // SAFETY: only processors with ADX and BMI2 prefer two chains.
        unsafe { Kernels::fg::<M>(as_uninit(self.next), f, g, &m) };
        core::mem::swap(&mut self.now, &mut self.next);
    }

    /// d and e after a batch, divided by 2^5 modulo p.
    #[inline(always)]
    fn rows<const V: usize, M: Modulus<W>>(&mut self, matrix: &Matrix)
    where
        Kernels: Updates<W, V>,
    {
        let m = entries(matrix, |u| u.wrapping_add(1 << KERNEL_STEPS));
        // SAFETY: as above, and `limb_inversion.rs` asked for a spare bit.
        unsafe { Kernels::de::<M>(as_uninit(self.next), self.now, &m) };
        core::mem::swap(&mut self.now, &mut self.next);
    }
}

/// The same place for what a kernel writes.
#[inline(always)]
fn as_uninit<const N: usize>(z: &mut [[u64; N]; 2]) -> &mut Uninit<N> {
    // SAFETY: the types have one layout, and kernels write words.
    unsafe { &mut *core::ptr::from_mut(z).cast() }
}

#[inline(always)]
fn entries(matrix: &Matrix, raised: impl Fn(u64) -> u64) -> Entries {
    let &Matrix { u, v, q, r } = matrix;
    [u, v, q, r].map(|entry| [raised(entry as u64)])
}
