//! Products in portable Rust where the program runs; `portable` has those for constants.
//!
//! For some numbers of limbs they are straight-line code that the compiler `fieldc` printed; for
//! others, loops. Which code serves a modulus is decided when the program is compiled.

use crate::addition;
use crate::generated::portable::{self as flat, mul_plain, square_plain};
use crate::generated::{LAZY_FOLD_N0, LAZY_FOLD_TOP, LAZY_SPARE_TOP, SPARE_TOP};
use crate::modulus::{
    COMPLEMENT, FIRST_PLAIN, FOLD, FULL, Modulus, NEAR, SPARE, class, class_of, n0,
};
use crate::portable::{hidden, product};

/// The same array: A and B are equal wherever this runs.
#[inline(always)]
fn same<T: Copy, const A: usize, const B: usize>(x: &[T; A]) -> &[T; B] {
    x.first_chunk().expect("arrays of one length")
}

/// The limbs of two numbers as one array.
#[inline(always)]
fn both<const N: usize, const B: usize>(x: &[[u64; N]; 2]) -> &[u64; B] {
    x.as_flattened().first_chunk().expect("two numbers")
}

/// p, hidden unless products with a limb of it are easier than others.
#[inline(always)]
fn modulus<const N: usize, M: Modulus<N>>() -> &'static [u64; N] {
    if const { class_of(&M::P) != NEAR && has_easy_limb(&M::P) } {
        return &M::P;
    }
    hidden(&M::P)
}

/// Whether a limb is all zeros or all ones.
const fn has_easy_limb(p: &[u64]) -> bool {
    let mut i = 0;
    while i < p.len() && p[i].wrapping_add(1) > 1 {
        i += 1;
    }
    i < p.len()
}

/// The class whose code is the fastest: rows of mu have no easy limb.
pub(crate) const fn served(p: &[u64]) -> u8 {
    match class_of(p) {
        FOLD | COMPLEMENT if has_easy_limb(p) => SPARE,
        class => class,
    }
}

/// Whether rows of mu leave values below 2p, and no limb of p is easier.
const fn folds_lazily(p: &[u64]) -> bool {
    let is_small = p[p.len() - 1] < LAZY_FOLD_TOP && n0(p[0]) <= LAZY_FOLD_N0;
    is_small && !has_easy_limb(p)
}

/// The place in `PLAIN` of a modulus with plain residues.
const fn place<const N: usize, M: Modulus<N>>() -> u8 {
    class::<N, M>().wrapping_sub(FIRST_PLAIN)
}

/// What one function of `flat` makes of N limbs. Some read more constants than p.
macro_rules! call {
    ($M:ident, $function:ident($($x:expr),+) $(, $constant:ident)*) => {
        *same(&flat::$function(
            $($x,)+
            same(modulus::<N, $M>()),
            $(same(hidden(&$M::$constant)),)*
            $M::N0,
        ))
    };
}

/// x*y/R mod p.
#[inline(always)]
pub(crate) fn mul<const N: usize, M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    if M::PLAIN {
        if let Some(z) = mul_plain!(const { place::<N, M>() }, x, y) {
            return z;
        }
        let (t, over) = product::<N, M>(x, y);
        return addition::subtract_once(&t, over, &M::P);
    }
    match (N, const { served(&M::P) }) {
        (4, NEAR) => call!(M, mul_near_4(same(x), same(y))),
        (4, FULL) => call!(M, mul_full_4(same(x), same(y))),
        (4, _) => call!(M, mul_spare_4(same(x), same(y))),
        (6, FOLD) => call!(M, mul_fold_6(same(x), same(y)), MU),
        (6, NEAR) => call!(M, mul_near_6(same(x), same(y))),
        (6, FULL) => call!(M, mul_full_6(same(x), same(y))),
        (6, _) => call!(M, mul_spare_6(same(x), same(y))),
        _ => {
            let (t, over) = product::<N, M>(x, y);
            addition::subtract_once(&t, over, &M::P)
        }
    }
}

/// x*x/R mod p.
#[inline]
pub(crate) fn square<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
    if M::PLAIN {
        return square_plain!(const { place::<N, M>() }, x).unwrap_or_else(|| mul::<N, M>(x, x));
    }
    match (N, const { served(&M::P) }) {
        (4, FOLD) => call!(M, square_fold_4(same(x)), MU),
        (4, COMPLEMENT) => call!(M, square_complement_4(same(x)), MINUS_MU, FOLD_REST),
        (4, NEAR) => call!(M, square_near_4(same(x))),
        (4, FULL) => call!(M, square_full_4(same(x))),
        (4, _) => call!(M, square_spare_4(same(x))),
        (6, FOLD) => call!(M, square_fold_6(same(x)), MU),
        (6, COMPLEMENT) => call!(M, square_complement_6(same(x)), MINUS_MU, FOLD_REST),
        (6, NEAR) => call!(M, square_near_6(same(x))),
        (6, FULL) => call!(M, square_full_6(same(x))),
        (6, _) => call!(M, square_spare_6(same(x))),
        _ => mul::<N, M>(x, x),
    }
}

/// x*y/R modulo p, below 2p as x and y are, for 4p < R.
#[inline]
pub(crate) fn mul_lazy<const N: usize, M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    if M::PLAIN {
        return product::<N, M>(x, y).0;
    }
    match (N, const { folds_lazily(&M::P) }) {
        (4, _) => call!(M, mul_lazy_full_4(same(x), same(y))),
        (6, true) => call!(M, mul_lazy_fold_6(same(x), same(y)), MU),
        (6, false) => call!(M, mul_lazy_full_6(same(x), same(y))),
        _ => product::<N, M>(x, y).0,
    }
}

/// x*x/R modulo p, below 2p as x is, for 4p < R.
#[inline]
pub(crate) fn square_lazy<const N: usize, M: Modulus<N>>(x: &[u64; N]) -> [u64; N] {
    if M::PLAIN {
        return mul_lazy::<N, M>(x, x);
    }
    let has_room = const { M::P[N - 1] < LAZY_SPARE_TOP };
    match (N, const { folds_lazily(&M::P) }) {
        (4, true) => call!(M, square_lazy_fold_4(same(x)), MU),
        (4, false) if has_room => call!(M, square_lazy_spare_4(same(x))),
        (6, true) => call!(M, square_lazy_fold_6(same(x)), MU),
        (6, false) if has_room => call!(M, square_lazy_spare_6(same(x))),
        _ => mul_lazy::<N, M>(x, x),
    }
}

/// (x0*y0 + x1*y1)/R mod p.
pub(crate) fn sum_of_products<const N: usize, M: Modulus<N>>(
    x: &[[u64; N]; 2],
    y: &[[u64; N]; 2],
) -> [u64; N] {
    if M::PLAIN {
        let [first, second] = core::array::from_fn(|i| mul::<N, M>(&x[i], &y[i]));
        return addition::add(&first, &second, &M::P);
    }
    match (N, const { M::P[N - 1] < SPARE_TOP }) {
        (4, true) => call!(M, sum_of_products_spare_4(both(x), both(y))),
        (4, false) => call!(M, sum_of_products_full_4(both(x), both(y))),
        (6, true) => call!(M, sum_of_products_spare_6(both(x), both(y))),
        (6, false) => call!(M, sum_of_products_full_6(both(x), both(y))),
        _ => {
            let [first, second] = core::array::from_fn(|i| mul::<N, M>(&x[i], &y[i]));
            addition::add(&first, &second, &M::P)
        }
    }
}
