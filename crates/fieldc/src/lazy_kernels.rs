//! Arithmetic on values below 2p, where 4p < R = 2^(64N).
//!
//! There the bounds close without a last subtraction: (2p)*(2p)/R + p < 2p (Walter, "Montgomery
//! exponentiation needs no final subtractions", 1999). A fold of plain residues gives values below
//! 2p from any limbs (`plain`).

use core::marker::PhantomData;
use core::mem::transmute_copy;

use crate::addition;
use crate::assembly::HasProducts;
use crate::generated::{LAZY_FOLD_N0, LAZY_FOLD_TOP, LAZY_FULL_TOP, LAZY_SPARE_TOP};
use crate::limbs;
use crate::modulus::{FIRST_PLAIN, Modulus, Montgomery, class};
use crate::portable::{from_montgomery, one_by_one, to_montgomery};

/// N limbs and a class of primes, as a type: it has the kernels for values below 2p.
pub struct LazyShape<const N: usize, const CLASS: u8>;

/// Products of residues, and sums; R is 1 for plain ones. Operands and results are below 2p, and 4p < R.
pub trait LazyProducts<const N: usize> {
    /// x*y/R modulo p.
    fn mul<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N];

    /// x*x/R modulo p.
    fn square<M: Modulus<N>>(x: &[u64; N]) -> [u64; N];

    /// x + y modulo p.
    #[inline(always)]
    fn add<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        addition::add(x, y, &Twice::<M>::P)
    }

    /// x - y modulo p.
    #[inline(always)]
    fn sub<M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        addition::sub(x, y, &Twice::<M>::P)
    }

    /// x mod p.
    #[inline(always)]
    fn reduce<M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
        addition::reduce(x, &M::P)
    }
}

/// 2p in the place of p: values below 2p are added and subtracted as others are modulo 2p. Such
/// code reads `P` and `COMPLEMENT` only.
pub(crate) struct Twice<M>(PhantomData<M>);

impl<const N: usize, M: Modulus<N>> Modulus<N> for Twice<M> {
    const P: [u64; N] = limbs::plus(&M::P, &M::P).0;
}

/// The class of the kernels for values below 2p; `fieldc/packages/rust/classes.py` defines them. For a
/// modulus without room it is one that never runs. A plain modulus with room has its own.
pub const fn lazy_class<const N: usize, M: Modulus<N>>() -> u8 {
    let top = M::P[N - 1];
    if M::PLAIN && top < LAZY_FULL_TOP {
        LAZY_PLAIN + (class::<N, M>() - FIRST_PLAIN)
    } else if N > 1 && top < LAZY_FOLD_TOP && M::N0 <= LAZY_FOLD_N0 {
        LAZY_FOLD
    } else if top < LAZY_SPARE_TOP {
        LAZY_SPARE
    } else {
        LAZY_FULL
    }
}

/// mu/p + 4p/R < 0.97: constant rows of mu, one quotient at the end.
const LAZY_FOLD: u8 = 0;
/// 4p < R, by so much that squares can be sums of rows.
const LAZY_SPARE: u8 = 1;
/// 4p < R.
const LAZY_FULL: u8 = 2;
/// The primes of `generated::PLAIN`, a class each.
const LAZY_PLAIN: u8 = 3;

/// A field type with 4p < 2^(64N), and what computes with its values below 2p.
pub trait HasLazy: Copy {
    /// The values below 2p.
    type Ring: Ring<Element = Self>;
}

/// Values below 2p of a field type. They are used only where 4p < R, where the type has
/// [`HasLazy`].
pub trait Ring {
    /// The field type.
    type Element;
    /// A value's limbs, least significant first.
    type Limbs: Copy + AsRef<[u64]> + AsMut<[u64]>;
    /// 0.
    const ZERO: Self::Limbs;
    /// 1.
    const ONE: Self::Limbs;

    /// An element's residue.
    fn enter(x: &Self::Element) -> Self::Limbs;
    /// The element, below p.
    fn reduce(x: &Self::Limbs) -> Self::Element;
    /// A value from a Montgomery form; `None` unless that is below 2p.
    fn from_montgomery(x: &Self::Limbs) -> Option<Self::Limbs>;
    /// A value's Montgomery form, below 2p.
    fn to_montgomery(x: &Self::Limbs) -> Self::Limbs;
    /// Whether x = y modulo p, in the same time for all values.
    fn is_equal(x: &Self::Limbs, y: &Self::Limbs) -> bool;
    /// x + y.
    fn add(x: &Self::Limbs, y: &Self::Limbs) -> Self::Limbs;
    /// x - y.
    fn sub(x: &Self::Limbs, y: &Self::Limbs) -> Self::Limbs;
    /// x * y.
    fn mul(x: &Self::Limbs, y: &Self::Limbs) -> Self::Limbs;
    /// x * x.
    fn square(x: &Self::Limbs) -> Self::Limbs;
    /// x, loaded and stored limb by limb.
    fn by_limbs(x: Self::Limbs) -> Self::Limbs;
}

/// The values below 2p of F, by the kernels of a class.
pub struct LazyRing<const N: usize, const CLASS: u8, F>(PhantomData<F>);

impl<const N: usize, const CLASS: u8, F: HasProducts<N>> Ring for LazyRing<N, CLASS, F>
where
    LazyShape<N, CLASS>: LazyProducts<N>,
{
    type Element = F;
    type Limbs = [u64; N];
    const ZERO: [u64; N] = [0; N];
    const ONE: [u64; N] = F::R;

    #[inline(always)]
    fn enter(x: &F) -> [u64; N] {
        // SAFETY: an element is nothing but its limbs, as its implementation promises.
        unsafe { transmute_copy(x) }
    }

    #[inline(always)]
    fn reduce(x: &[u64; N]) -> F {
        let reduced = LazyShape::<N, CLASS>::reduce::<F>(x);
        // SAFETY: an element is nothing but its limbs, and these are below p.
        unsafe { transmute_copy(&reduced) }
    }

    #[inline]
    fn from_montgomery(x: &[u64; N]) -> Option<[u64; N]> {
        if !limbs::is_less(x, &Twice::<F>::P) {
            None
        } else if F::PLAIN {
            Some(from_montgomery::<N, Montgomery<F>>(x))
        } else {
            Some(*x)
        }
    }

    #[inline]
    fn to_montgomery(x: &[u64; N]) -> [u64; N] {
        if F::PLAIN {
            return to_montgomery::<N, Montgomery<F>>(x);
        }
        *x
    }

    #[inline]
    fn is_equal(x: &[u64; N], y: &[u64; N]) -> bool {
        let x = LazyShape::<N, CLASS>::reduce::<F>(x);
        limbs::is_equal(&x, &LazyShape::<N, CLASS>::reduce::<F>(y))
    }

    #[inline(always)]
    fn add(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        LazyShape::<N, CLASS>::add::<F>(x, y)
    }

    #[inline(always)]
    fn sub(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        LazyShape::<N, CLASS>::sub::<F>(x, y)
    }

    #[inline(always)]
    fn mul(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
        LazyShape::<N, CLASS>::mul::<F>(x, y)
    }

    #[inline(always)]
    fn square(x: &[u64; N]) -> [u64; N] {
        LazyShape::<N, CLASS>::square::<F>(x)
    }

    #[inline(always)]
    fn by_limbs(x: [u64; N]) -> [u64; N] {
        one_by_one(x)
    }
}
