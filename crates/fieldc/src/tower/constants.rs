//! What a tower is made of, and its constants.

use super::{Fp6, Fp12};
use crate::fp2::{Fp2, HasFp2};
use crate::modulus::Modulus;
use crate::{limbs, residues};

/// A prime field with a tower of degree 12: u^2 = -1, v^3 = ξ and w^2 = v, where ξ = XI + u.
///
/// ```
/// use fieldc::{Fp2, HasTower, bn254::Fp};
///
/// assert_eq!(Fp::mul_by_xi(&Fp2::ONE), Fp2::new(Fp::from_u64(9), Fp::ONE));
/// ```
#[diagnostic::on_unimplemented(
    message = "no tower of degree 12 is named for `{Self}`",
    label = "there are those of `fieldc::bls12_381::Fp` and `fieldc::bn254::Fp`"
)]
pub trait HasTower: HasFp2 {
    /// ξ - u.
    const XI: u32;
    /// w^(p - 1) to the powers 0 to 5: what the power p makes of powers of w.
    const FROBENIUS: [Fp2<Self>; 6];
    /// w^(p^2 - 1) to the powers 0 to 5.
    const FROBENIUS_2: [Self; 6];

    /// Write `x * y` in lanes or by numbers of double width; false, and nothing is written, where the prime or the
    /// processor has no kernels for them.
    #[doc(hidden)]
    #[inline(always)]
    fn wide_mul(_: &mut Fp12<Self>, _: &Fp12<Self>, _: &Fp12<Self>) -> bool {
        false
    }

    /// `x * x` likewise.
    #[doc(hidden)]
    #[inline(always)]
    fn wide_square(_: &mut Fp12<Self>, _: &Fp12<Self>) -> bool {
        false
    }

    /// Squares the coefficients of w, w^2, w^4 and w^5 so many times in the cyclotomic subgroup,
    /// likewise.
    #[doc(hidden)]
    #[inline(always)]
    fn wide_compressed_squares(_: &mut [Fp2<Self>; 4], _: u32) -> bool {
        false
    }

    /// The square in the cyclotomic subgroup, in the lanes of vectors, likewise.
    #[doc(hidden)]
    #[inline(always)]
    fn wide_cyclotomic_square(_: &mut Fp12<Self>, _: &Fp12<Self>) -> bool {
        false
    }

    /// `x * (a + b*v + c*v*w)` likewise.
    #[doc(hidden)]
    #[inline(always)]
    fn wide_mul_by_014(_: &mut Fp12<Self>, _: &Fp12<Self>, _: [&Fp2<Self>; 3]) -> bool {
        false
    }

    /// `x * (c0 + (a*v + b*v^2)*w)` likewise.
    #[doc(hidden)]
    #[inline(always)]
    fn wide_mul_by_01245(
        _: &mut Fp12<Self>,
        _: &Fp12<Self>,
        _: &Fp6<Self>,
        _: [&Fp2<Self>; 2],
    ) -> bool {
        false
    }

    /// `x * (a + b*w + c*v*w)` likewise.
    #[doc(hidden)]
    #[inline(always)]
    fn wide_mul_by_034(_: &mut Fp12<Self>, _: &Fp12<Self>, _: [&Fp2<Self>; 3]) -> bool {
        false
    }

    /// `x * (c0 + (a + b*v)*w)` likewise.
    #[doc(hidden)]
    #[inline(always)]
    fn wide_mul_by_01234(
        _: &mut Fp12<Self>,
        _: &Fp12<Self>,
        _: &Fp6<Self>,
        _: [&Fp2<Self>; 2],
    ) -> bool {
        false
    }

    /// `x * ξ`, by additions.
    ///
    /// ```
    /// use fieldc::{Fp2, HasTower, bls12_381::Fp};
    ///
    /// let u = Fp2::new(Fp::ZERO, Fp::ONE);
    /// assert_eq!(Fp::mul_by_xi(&u), u * (u + Fp2::ONE)); // ξ = 1 + u
    /// ```
    #[inline(always)]
    fn mul_by_xi(x: &Fp2<Self>) -> Fp2<Self> {
        let multiple = multiple(x, Self::XI);
        Fp2::new(multiple.c0 - &x.c1, multiple.c1 + &x.c0)
    }
}

/// x*k for a constant k of few bits, not 0, by doubling and adding from its highest bit on.
#[inline(always)]
fn multiple<F: HasFp2>(x: &Fp2<F>, k: u32) -> Fp2<F> {
    let mut result = *x;
    for i in (0..k.ilog2()).rev() {
        result = result.double();
        if k >> i & 1 == 1 {
            result += x;
        }
    }
    result
}

/// x divided by a small k, and the rest.
const fn quotient<const N: usize>(x: &[u64; N], k: u64) -> ([u64; N], u64) {
    let (mut result, mut rest, mut i) = ([0; N], 0, N);
    while i > 0 {
        i -= 1;
        let limb = (rest as u128) << 64 | x[i] as u128;
        (result[i], rest) = ((limb / k as u128) as u64, (limb % k as u128) as u64);
    }
    (result, rest)
}

/// (p - 1)/6 for p = 1 modulo 6.
const fn sixth<const N: usize>(p: &[u64; N]) -> [u64; N] {
    let (result, rest) = quotient(p, 6);
    assert!(rest == 1, "p is not 1 modulo 6");
    result
}

/// An element of Fp2 as two residues. The compiler finds constants with them, in few statements.
type Pair<const N: usize> = [[u64; N]; 2];

/// x*y of residues.
const fn times<const N: usize, M: Modulus<N>>(x: &[u64; N], y: &[u64; N]) -> [u64; N] {
    residues::product(x, y, &M::P, M::N0)
}

/// x*y by four products.
const fn product<const N: usize, M: Modulus<N>>(x: &Pair<N>, y: &Pair<N>) -> Pair<N> {
    let low = residues::sub(
        &times::<N, M>(&x[0], &y[0]),
        &times::<N, M>(&x[1], &y[1]),
        &M::P,
    );
    let high = residues::add(
        &times::<N, M>(&x[0], &y[1]),
        &times::<N, M>(&x[1], &y[0]),
        &M::P,
    );
    [low, high]
}

/// x*x by two products, (x0 + x1)*(x0 - x1) and x0*2x1.
const fn square<const N: usize, M: Modulus<N>>(x: &Pair<N>) -> Pair<N> {
    let sum = residues::add(&x[0], &x[1], &M::P);
    let difference = residues::sub(&x[0], &x[1], &M::P);
    let twice = residues::add(&x[1], &x[1], &M::P);
    [
        times::<N, M>(&sum, &difference),
        times::<N, M>(&x[0], &twice),
    ]
}

/// x*(k + u) by additions, as few as k is small.
const fn times_xi<const N: usize, M: Modulus<N>>(x: &Pair<N>, k: u32) -> Pair<N> {
    let (mut low, mut high, mut i) = (residues::neg(&x[1], &M::P), x[0], 0);
    while i < k {
        low = residues::add(&low, &x[0], &M::P);
        high = residues::add(&high, &x[1], &M::P);
        i += 1;
    }
    [low, high]
}

/// ξ^((p - 1)/6) to the powers 0 to 5, for ξ = k + u.
pub(crate) const fn frobenius<const N: usize, M: Modulus<N>>(k: u32) -> [Pair<N>; 6] {
    let (exponent, one) = (sixth(&M::P), [M::R, [0; N]]);
    let (mut root, mut i) = (one, limbs::bits(&exponent) as usize);
    while i > 0 {
        i -= 1;
        root = square::<N, M>(&root);
        if exponent[i / 64] >> (i % 64) & 1 == 1 {
            root = times_xi::<N, M>(&root, k);
        }
    }
    let (mut powers, mut i) = ([one; 6], 1);
    while i < 6 {
        powers[i] = product::<N, M>(&powers[i - 1], &root);
        i += 1;
    }
    powers
}

/// The constants of a tower, from its prime and ξ - u. What makes no field is an error of the
/// compiler.
macro_rules! tower_constants {
    ($Fp:ty, $xi:literal) => {
        const XI: u32 = $xi;
        const FROBENIUS: [Fp2<Self>; 6] = {
            const LIMBS: [[[u64; <$Fp>::LIMBS]; 2]; 6] =
                $crate::tower::frobenius::<{ <$Fp>::LIMBS }, $crate::modulus::Montgomery<$Fp>>($xi);
            const fn element(limbs: [u64; <$Fp>::LIMBS]) -> $Fp {
                <$Fp>::from_montgomery_limbs(limbs).expect("below p")
            }

            let (mut powers, mut i) = ([Fp2::new(<$Fp>::ZERO, <$Fp>::ZERO); 6], 0);
            while i < 6 {
                powers[i] = Fp2::new(element(LIMBS[i][0]), element(LIMBS[i][1]));
                i += 1;
            }
            powers
        };
        const FROBENIUS_2: [Self; 6] = {
            let (mut powers, mut i) = ([<$Fp>::ONE; 6], 1);
            while i < 6 {
                let Fp2 { c0, c1 } = Self::FROBENIUS[i];
                powers[i] = c0.const_square().const_add(&c1.const_square());
                i += 1;
            }
            powers
        };
    };
}
pub(crate) use tower_constants;
