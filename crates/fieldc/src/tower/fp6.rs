//! The cubic extension Fp6 = Fp2(v) with v^3 = ξ.

use super::HasTower;
use crate::fp2::Fp2;

/// An element `c0 + c1*v + c2*v^2` of Fp6, v^3 = ξ.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Fp6<F> {
    /// The part without v.
    pub c0: Fp2<F>,
    /// The factor of v.
    pub c1: Fp2<F>,
    /// The factor of v^2.
    pub c2: Fp2<F>,
}

impl<F: HasTower> Fp6<F> {
    /// The element 0.
    pub const ZERO: Self = Self::new(Fp2::ZERO, Fp2::ZERO, Fp2::ZERO);
    /// The element 1.
    pub const ONE: Self = Self::new(Fp2::ONE, Fp2::ZERO, Fp2::ZERO);
    /// The element v, a cube root of ξ.
    pub const V: Self = Self::new(Fp2::ZERO, Fp2::ONE, Fp2::ZERO);

    /// The element `c0 + c1*v + c2*v^2`.
    ///
    /// ```
    /// use fieldc::{Fp2, Fp6, bn254::Fp};
    ///
    /// let x = Fp6::<Fp>::new(Fp2::ONE, Fp2::ONE, Fp2::ZERO);
    /// assert_eq!(x, Fp6::ONE + Fp6::V);
    /// ```
    #[inline]
    pub const fn new(c0: Fp2<F>, c1: Fp2<F>, c2: Fp2<F>) -> Self {
        Self { c0, c1, c2 }
    }

    /// Whether this is 0, in the same time for all values.
    ///
    /// ```
    /// use fieldc::{Fp6, bn254::Fp};
    ///
    /// assert!(Fp6::<Fp>::ZERO.is_zero() && !Fp6::<Fp>::V.is_zero());
    /// ```
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.c0.is_zero() & self.c1.is_zero() & self.c2.is_zero()
    }

    /// `self + self`.
    ///
    /// ```
    /// use fieldc::{Fp6, bn254::Fp};
    ///
    /// assert_eq!(Fp6::<Fp>::V.double(), Fp6::V + Fp6::V);
    /// ```
    #[inline]
    pub fn double(&self) -> Self {
        Self::new(self.c0.double(), self.c1.double(), self.c2.double())
    }

    /// The product with an element of Fp2.
    ///
    /// ```
    /// use fieldc::{Fp2, Fp6, bn254::Fp};
    ///
    /// assert_eq!(Fp6::<Fp>::V.scale(&Fp2::U), Fp6::V * Fp6::from(Fp2::U));
    /// ```
    #[inline]
    pub fn scale(&self, factor: &Fp2<F>) -> Self {
        Self::new(&self.c0 * factor, &self.c1 * factor, &self.c2 * factor)
    }

    /// `self * v`, by additions.
    ///
    /// ```
    /// use fieldc::{Fp6, bn254::Fp};
    ///
    /// assert_eq!(Fp6::<Fp>::V.mul_by_v(), Fp6::V.square());
    /// ```
    #[inline]
    pub fn mul_by_v(&self) -> Self {
        Self::new(F::mul_by_xi(&self.c2), self.c0, self.c1)
    }

    /// `self * (b0 + b1*v)`, five products in Fp2.
    ///
    /// ```
    /// use fieldc::{Fp2, Fp6, bn254::Fp};
    ///
    /// let x = Fp6::<Fp>::V.mul_by_01(&Fp2::U, &Fp2::ONE);
    /// assert_eq!(x, Fp6::V * Fp6::new(Fp2::U, Fp2::ONE, Fp2::ZERO));
    /// ```
    pub fn mul_by_01(&self, b0: &Fp2<F>, b1: &Fp2<F>) -> Self {
        let Self { c0, c1, c2 } = self;
        let [low, high] = &[c0 * b0, c1 * b1];
        Self::new(
            F::mul_by_xi(&(&(c1 + c2) * b1 - high)) + low,
            &(c0 + c1) * &(b0 + b1) - low - high,
            &(c0 + c2) * b0 - low + high,
        )
    }

    /// `self * b1 * v`, three products in Fp2.
    ///
    /// ```
    /// use fieldc::{Fp2, Fp6, bn254::Fp};
    ///
    /// let x = Fp6::<Fp>::V.mul_by_1(&Fp2::U);
    /// assert_eq!(x, Fp6::V * Fp6::new(Fp2::ZERO, Fp2::U, Fp2::ZERO));
    /// ```
    pub fn mul_by_1(&self, b1: &Fp2<F>) -> Self {
        self.scale(b1).mul_by_v()
    }

    /// The product, by six products in Fp2.
    ///
    /// Source: A. J. Devegili, C. Ó hÉigeartaigh, M. Scott, R. Dahab, "Multiplication and squaring on
    /// pairing-friendly fields" (2006), 4, Karatsuba's method.
    pub(super) fn product(&self, y: &Self) -> Self {
        let ([x0, x1, x2], [y0, y1, y2]) = (self.parts(), y.parts());
        let [a, b, c] = &[x0 * y0, x1 * y1, x2 * y2];
        let bc = &(x1 + x2) * &(y1 + y2) - b - c;
        let ab = &(x0 + x1) * &(y0 + y1) - a - b;
        let ac = &(x0 + x2) * &(y0 + y2) - a - c;
        Self::new(a + &F::mul_by_xi(&bc), ab + &F::mul_by_xi(c), ac + b)
    }

    /// `self * self`, by three squares and two products in Fp2.
    ///
    /// Source: J. Chung, M. A. Hasan, "Asymmetric squaring formulae" (2007), SQR2.
    ///
    /// ```
    /// use fieldc::{Fp6, bn254::Fp};
    ///
    /// let x = Fp6::<Fp>::V + Fp6::ONE;
    /// assert_eq!(x.square(), x * x);
    /// ```
    pub fn square(&self) -> Self {
        let Self { c0, c1, c2 } = self;
        let [low, high] = &[c0.square(), c2.square()];
        let [c01, c12] = &[(c0 * c1).double(), (c1 * c2).double()];
        let all = (c0 - c1 + c2).square();
        Self::new(
            low + &F::mul_by_xi(c12),
            c01 + &F::mul_by_xi(high),
            all + c01 + c12 - low - high,
        )
    }

    /// The power p^k, by constants.
    ///
    /// ```
    /// use fieldc::{Fp6, bn254::Fp};
    ///
    /// let x = Fp6::<Fp>::V + Fp6::ONE;
    /// assert_eq!(x.frobenius(1), x.pow(&Fp::MODULUS));
    /// assert_eq!(x.frobenius(6), x);
    /// ```
    pub fn frobenius(&self, k: usize) -> Self {
        let twice = (0..k % 6 / 2).fold(*self, |x, _| {
            let [_, _, one, _, two, _] = F::FROBENIUS_2;
            Self::new(x.c0, x.c1.scale(&one), x.c2.scale(&two))
        });
        if k % 2 == 0 {
            return twice;
        }
        let [_, _, one, _, two, _] = F::FROBENIUS;
        Self::new(
            twice.c0.conjugate(),
            &twice.c1.conjugate() * &one,
            &twice.c2.conjugate() * &two,
        )
    }

    /// The three parts, by reference: what is computed with copies waits for them.
    #[inline(always)]
    fn parts(&self) -> [&Fp2<F>; 3] {
        [&self.c0, &self.c1, &self.c2]
    }

    /// The inverse; `None` for 0. What it computes takes the same time for all values.
    ///
    /// ```
    /// use fieldc::{Fp6, bn254::Fp};
    ///
    /// let x = Fp6::<Fp>::V + Fp6::ONE;
    /// assert_eq!(x.invert().map(|inverse| inverse * x), Some(Fp6::ONE));
    /// assert_eq!(Fp6::<Fp>::ZERO.invert(), None);
    /// ```
    pub fn invert(&self) -> Option<Self> {
        let (inverse, exists) = self.invert_ct();
        exists.then_some(inverse)
    }

    /// The inverse and true; for 0, which has none, 0 and false. No branch depends on the value.
    ///
    /// ```
    /// use fieldc::{Fp6, bn254::Fp};
    ///
    /// assert_eq!(Fp6::<Fp>::ZERO.invert_ct(), (Fp6::ZERO, false));
    /// ```
    pub fn invert_ct(&self) -> (Self, bool) {
        let Self { c0, c1, c2 } = self;
        // The product of the two other conjugates over Fp2; times this element it is in Fp2.
        let others = Self::new(
            c0.square() - F::mul_by_xi(&(c1 * c2)),
            F::mul_by_xi(&c2.square()) - c0 * c1,
            c1.square() - c0 * c2,
        );
        let norm = c0 * others.c0 + F::mul_by_xi(&(c2 * others.c1 + c1 * others.c2));
        let (inverse, exists) = norm.invert_ct();
        (others.scale(&inverse), exists)
    }

    /// The power with a public exponent in limbs, least significant first; x^0 is 1, 0^0 too.
    ///
    /// ```
    /// use fieldc::{Fp6, bn254::Fp};
    ///
    /// let x = Fp6::<Fp>::V + Fp6::ONE;
    /// assert_eq!(x.pow(&[3]), x * x * x);
    /// ```
    pub fn pow(&self, exponent: &[u64]) -> Self {
        super::fp12::power(exponent, Self::ONE, Self::square, |power| power * self)
    }

    /// `a` if the flag is set, else `b`, in the same time for both.
    ///
    /// ```
    /// use fieldc::{Fp6, bn254::Fp};
    ///
    /// assert_eq!(Fp6::<Fp>::select(true, &Fp6::V, &Fp6::ONE), Fp6::V);
    /// ```
    #[inline]
    pub fn select(flag: bool, a: &Self, b: &Self) -> Self {
        Self::new(
            Fp2::select(flag, &a.c0, &b.c0),
            Fp2::select(flag, &a.c1, &b.c1),
            Fp2::select(flag, &a.c2, &b.c2),
        )
    }
}
