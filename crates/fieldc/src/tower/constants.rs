//! What a tower is made of, and its constants.

use super::{Fp6, Fp12};
use crate::fp2::{Fp2, HasFp2};

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

    /// Whether `wide_cyclotomic_square` writes: then no square is faster in a compressed form.
    #[doc(hidden)]
    #[inline(always)]
    fn cyclotomic_in_lanes() -> bool {
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
pub(super) const fn quotient<const N: usize>(x: &[u64; N], k: u64) -> ([u64; N], u64) {
    let (mut result, mut rest, mut i) = ([0; N], 0, N);
    while i > 0 {
        i -= 1;
        let limb = (rest as u128) << 64 | x[i] as u128;
        (result[i], rest) = ((limb / k as u128) as u64, (limb % k as u128) as u64);
    }
    (result, rest)
}

/// (p - 1)/6 for p = 1 modulo 6.
pub(crate) const fn sixth<const N: usize>(p: &[u64; N]) -> [u64; N] {
    let (result, rest) = quotient(p, 6);
    assert!(rest == 1, "p is not 1 modulo 6");
    result
}

/// The constants of a tower, from its prime and ξ - u. What makes no field is an error of the
/// compiler.
macro_rules! tower_constants {
    ($Fp:ty, $xi:literal) => {
        const XI: u32 = $xi;
        const FROBENIUS: [Fp2<Self>; 6] = {
            const fn product(x: &Fp2<$Fp>, y: &Fp2<$Fp>) -> Fp2<$Fp> {
                let low = x.c0.const_mul(&y.c0).const_sub(&x.c1.const_mul(&y.c1));
                let high = x.c0.const_mul(&y.c1).const_add(&x.c1.const_mul(&y.c0));
                Fp2::new(low, high)
            }

            let xi = Fp2::new(<$Fp>::from_u64($xi), <$Fp>::ONE);
            let (exponent, one) = (
                $crate::tower::sixth(&<$Fp>::MODULUS),
                Fp2::new(<$Fp>::ONE, <$Fp>::ZERO),
            );
            let (mut root, mut i) = (one, 64 * exponent.len());
            while i > 0 {
                i -= 1;
                root = product(&root, &root);
                if exponent[i / 64] >> (i % 64) & 1 == 1 {
                    root = product(&root, &xi);
                }
            }
            let (mut powers, mut i) = ([one; 6], 1);
            while i < 6 {
                powers[i] = product(&powers[i - 1], &root);
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
