//! Inversion by kernels that update (f, g) and (d, e) after each batch of divsteps.
//!
//! f and g are kept as f + R/2 and g + R/2, between 0 and R; d and e are below 2p. So no value has
//! a sign, and none is cut into digits. `inversion.rs` says what a batch is.

use core::mem::MaybeUninit;

use crate::addition::{choose, reduce};
use crate::divsteps::{Batches, KERNEL_STEPS};
use crate::machine::batch_of_divsteps;
use crate::modulus::Modulus;
use crate::residues;

/// The kernel for f and g of N limbs; W = N + 2.
pub(crate) trait Quotients<const N: usize, const W: usize> {
    /// f + R/2 and g + R/2 after a batch in the low limbs of z. m has 2^63 - 16*u for an entry u.
    ///
    /// # Safety
    /// The processor has ADX and BMI2.
    unsafe fn fg<M: Modulus<N>>(z: &mut Uninit<W>, f: &[u64; N], g: &[u64; N], m: &Entries);
}

/// The kernels for a modulus of N limbs; W = N + 2.
pub(crate) trait Updates<const N: usize, const W: usize>: Quotients<N, W> + Sized {
    /// The last updates that need fewer limbs of f and g: each one less.
    const NARROW: u32;

    /// d and e after a batch, divided by 2^5 modulo p, in z. m has u + 2^59 for an entry u.
    ///
    /// # Safety
    /// The processor has ADX and BMI2, p has a spare bit.
    unsafe fn de<M: Modulus<N>>(z: &mut Uninit<N>, x: &[[u64; N]; 2], m: &Entries);

    /// Does these updates; the inverse.
    fn end<M: Modulus<N>>(now: &mut State<N, W>, next: &mut State<N, W>) -> [u64; N];
}

/// Two values that a kernel writes.
pub(crate) type Uninit<const N: usize> = MaybeUninit<[[u64; N]; 2]>;
/// The entries of a matrix, one after the other.
pub(crate) type Entries = [[u64; 1]; 4];

/// What has the kernels.
pub(crate) struct Kernels;

/// The kernels of some numbers of limbs, and what inverts by them.
macro_rules! updates {
    (
        $(fg $l:literal, $v:literal: $fg:ident;)*
        $(de $n:literal, $w:literal: $de:ident $(, $narrow:literal $wide:literal)*;)*
    ) => {
        $(
            impl $crate::machine::updates::Quotients<$l, $v> for $crate::machine::updates::Kernels {
                #[inline(always)]
                unsafe fn fg<M: $crate::modulus::Modulus<$l>>(
                    z: &mut $crate::machine::updates::Uninit<$v>,
                    f: &[u64; $l],
                    g: &[u64; $l],
                    m: &$crate::machine::updates::Entries,
                ) {
                    // SAFETY: the caller's.
                    unsafe { $fg::<M>(z, f, g, m) }
                }
            }
        )*

        $(
            impl $crate::machine::updates::Updates<$n, $w> for $crate::machine::updates::Kernels {
                const NARROW: u32 = <[u32]>::len(&[$($narrow),*]) as u32;

                #[inline(always)]
                unsafe fn de<M: $crate::modulus::Modulus<$n>>(
                    z: &mut $crate::machine::updates::Uninit<$n>,
                    x: &[[u64; $n]; 2],
                    m: &$crate::machine::updates::Entries,
                ) {
                    // SAFETY: the caller's.
                    unsafe { $de::<M>(z, x, m) }
                }

                #[inline(always)]
                fn end<M: $crate::modulus::Modulus<$n>>(
                    now: &mut $crate::machine::updates::State<$n, $w>,
                    next: &mut $crate::machine::updates::State<$n, $w>,
                ) -> [u64; $n] {
                    let place = $w;
                    $(
                        now.step::<$narrow, $wide, M>(place, next);
                        let (place, now, next) = ($wide, next, now);
                    )*
                    now.last::<M>(place, next)
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
    // No copy of x: by vectors it would wait for words that were just stored.
    let x = x.first_chunk().expect("B = N");
    *inverse::<B, W, Resized<N, M>>(x)
        .first_chunk()
        .expect("B = N")
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
    /// The first e: R^2, and 2^5 for each batch, after which d and e are divided by 2^64, not 2^59.
    const E: [u64; N] = {
        let (mut e, mut i) = (M::R2, 0);
        while i < (64 - KERNEL_STEPS) * Batches::<N, M>::COUNT {
            e = residues::add(&e, &e, &M::P);
            i += 1;
        }
        e
    };
}

/// The top limb of R/2.
const HALF: u64 = 1 << 63;
/// What is added to an entry for d and e.
const RAISED: u64 = 1 << KERNEL_STEPS;

fn inverse<const N: usize, const W: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N]
where
    Kernels: Updates<N, W>,
{
    let mut state = State::zero();
    state.zeta = -1;
    state.fg = [resized(&M::P), resized(x)];
    state.fg[0][N - 1] ^= HALF;
    state.fg[1][N - 1] ^= HALF;
    state.de[1] = Scale::<N, M>::E;
    // From x itself, which is there before its copy.
    state.batch(M::P[0], x[0]);
    let mut other = State::zero();
    let mut left = Batches::<N, M>::COUNT - 1 - Kernels::NARROW;
    // Two at a time: so each has its place, and the loop keeps no addresses.
    while left >= 2 {
        state.step::<N, W, M>(W, &mut other);
        other.step::<N, W, M>(W, &mut state);
        left -= 2;
    }
    if left == 0 {
        return Kernels::end::<M>(&mut state, &mut other);
    }
    state.step::<N, W, M>(W, &mut other);
    Kernels::end::<M>(&mut other, &mut state)
}

/// An inversion after some batches. It is copied nowhere, because a copy by vectors waits for words
/// that a kernel just stored one by one.
pub(crate) struct State<const N: usize, const W: usize> {
    zeta: i64,
    /// f + R/2 and g + R/2, which the last matrix has not reached, one after the other, as the last
    /// kernel wrote them. Where limbs are left out, R is less.
    fg: [[u64; W]; 2],
    /// d and e, which the last matrix has not reached.
    de: [[u64; N]; 2],
    /// The last matrix: 2^63 - 16*u for an entry u.
    for_fg: Entries,
    /// The same: u + 2^59.
    for_de: Entries,
}

impl<const N: usize, const W: usize> State<N, W>
where
    Kernels: Updates<N, W>,
{
    #[inline(always)]
    const fn zero() -> Self {
        Self {
            zeta: 0,
            fg: [[0; W]; 2],
            de: [[0; N]; 2],
            for_fg: [[0]; 4],
            for_de: [[0]; 4],
        }
    }

    /// A batch on the lowest limbs of f and g.
    #[inline(always)]
    fn batch(&mut self, f: u64, g: u64) {
        let [zeta, matrix @ ..] = batch_of_divsteps(self.zeta, f as i64, g as i64);
        self.zeta = zeta;
        self.for_fg = matrix.map(|u| [HALF.wrapping_sub((u as u64) << 4)]);
        self.for_de = matrix.map(|u| [RAISED.wrapping_add(u as u64)]);
    }

    /// Brings the last matrix to all four, and does the batch after it, which waits for f and g.
    ///
    /// The L low limbs of f and g are read, and g begins at a place. Without those above them both
    /// are known modulo 2^(64L - 1), and what follows modulo 2^(64L - 60). V = L + 2.
    #[inline(always)]
    pub(crate) fn step<const L: usize, const V: usize, M: Modulus<N>>(
        &self,
        place: usize,
        next: &mut Self,
    ) where
        Kernels: Quotients<L, V>,
    {
        let (f, g) = self.fg.as_flattened().split_at(place);
        let (f, g) = (f.first_chunk().unwrap(), g.first_chunk().unwrap());
        let both = next.fg.as_flattened_mut();
        // SAFETY: `limb_inversion.rs` asked for ADX and BMI2.
        unsafe { Kernels::fg::<Resized<N, M>>(as_uninit::<V>(both), f, g, &self.for_fg) };
        let (f, g) = (both[0], both[V]);
        next.zeta = self.zeta;
        next.batch(f, g);
        self.rows::<M>(next);
    }

    /// Brings the last matrix to d and e, which are divided by 2^5 modulo p besides.
    #[inline(always)]
    fn rows<M: Modulus<N>>(&self, next: &mut Self) {
        // SAFETY: as above, and `limb_inversion.rs` asked for a spare bit.
        unsafe {
            Kernels::de::<M>(
                as_uninit(next.de.as_flattened_mut()),
                &self.de,
                &self.for_de,
            )
        };
    }

    /// d after the last matrix, or -d where f is -1 then: the inverse.
    ///
    /// f is 1 or -1, so u*f + v*g is 2^59 or -2^59, and its lowest limb has the sign. The lowest
    /// limbs of f + R/2 and g + R/2 are those of f and g; g begins at a place. For x = 0, d is 0
    /// modulo p.
    #[inline(always)]
    pub(crate) fn last<M: Modulus<N>>(&mut self, place: usize, next: &mut Self) -> [u64; N] {
        let ([[u], [v], ..], both) = (self.for_de, self.fg.as_flattened());
        let product = |u: u64, f: u64| u.wrapping_sub(RAISED).wrapping_mul(f);
        let sum = product(u, both[0]).wrapping_add(product(v, both[place]));
        let negative = [u, v].map(|u| (2 * RAISED).wrapping_sub(u));
        let [u, v] = choose(sum >= HALF, &negative, &[u, v]);
        (self.for_de[0], self.for_de[1]) = ([u], [v]);
        self.rows::<M>(next);
        reduce(&next.de[0], &M::P)
    }
}

/// The first words as a place for what a kernel writes.
#[inline(always)]
fn as_uninit<const W: usize>(words: &mut [u64]) -> &mut Uninit<W> {
    let words = &mut words[..2 * W];
    // SAFETY: so many words are there, and kernels write words.
    unsafe { &mut *words.as_mut_ptr().cast() }
}
