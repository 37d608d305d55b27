//! Squares in the cyclotomic subgroup of Fp12, whose order is p^4 - p^2 + 1.

use super::{Fp6, Fp12, HasTower};
use crate::fp2::Fp2;

/// The coefficients of (x + y*s)^2 for s^2 = ξ.
#[inline]
pub(super) fn squared_pair<F: HasTower>(x: &Fp2<F>, y: &Fp2<F>) -> (Fp2<F>, Fp2<F>) {
    let [xx, yy] = &[x.square(), y.square()];
    let both = (x + y).square() - xx - yy;
    (xx + &F::mul_by_xi(yy), both)
}

/// 3*x + 2*y.
#[inline]
pub(super) fn triple_plus<F: HasTower>(x: &Fp2<F>, y: &Fp2<F>) -> Fp2<F> {
    (x + y).double() + x
}

/// 3*x - 2*y.
#[inline]
pub(super) fn triple_minus<F: HasTower>(x: &Fp2<F>, y: &Fp2<F>) -> Fp2<F> {
    (x - y).double() + x
}

impl<F: HasTower> Fp12<F> {
    /// The square of an element of the cyclotomic subgroup, whose powers p^6 + 1 and p^4 - p^2 + 1
    /// are 1. Of another element it is nothing.
    ///
    /// Source: R. Granger, M. Scott, "Faster squaring in the cyclotomic subgroup of sixth degree
    /// extensions" (2010), 3.2.
    ///
    /// ```
    /// use fieldc::{Fp12, bn254::Fp};
    ///
    /// let x = Fp12::<Fp>::W + Fp12::ONE;
    /// let y = x.conjugate() / x;
    /// let y = y.frobenius(2) * y; // the power (p^6 - 1)*(p^2 + 1) of x
    /// assert_eq!(y.cyclotomic_square(), y * y);
    /// ```
    pub fn cyclotomic_square(&self) -> Self {
        let mut z = Self::ZERO;
        if !F::wide_cyclotomic_square(&mut z, self) {
            let (c0, c1) = (&self.c0, &self.c1);
            let (a, d) = squared_pair(&c0.c0, &c1.c1);
            let (b, e) = squared_pair(&c1.c0, &c0.c2);
            let (c, f) = squared_pair(&c0.c1, &c1.c2);
            z = Self::new(
                Fp6::new(
                    triple_minus(&a, &c0.c0),
                    triple_minus(&b, &c0.c1),
                    triple_minus(&c, &c0.c2),
                ),
                Fp6::new(
                    triple_plus(&F::mul_by_xi(&f), &c1.c0),
                    triple_plus(&d, &c1.c1),
                    triple_plus(&e, &c1.c2),
                ),
            );
        }
        z
    }
}
