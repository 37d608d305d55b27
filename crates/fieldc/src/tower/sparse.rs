//! Products of two lines, and products with them: 23 products in Fp2 where two products with a line
//! have 26.
//!
//! Source: D. F. Aranha, K. Karabina, P. Longa, C. H. Gebotys, J. López, "Faster explicit formulas for
//! computing pairings over ordinary curves" (2011), 5.

use super::{Fp6, Fp12, HasTower};
use crate::fp2::Fp2;

/// The coefficients of a line that are not 0.
pub(crate) type Coefficients<F> = [Fp2<F>; 3];

/// The six coefficients of (a + b + c)*(a' + b' + c'): those of the squares, and ab, ac, bc.
#[inline]
fn products<F: HasTower>(
    [a, b, c]: &Coefficients<F>,
    [d, e, f]: &Coefficients<F>,
) -> (Coefficients<F>, Coefficients<F>) {
    let squares = [a * d, b * e, c * f];
    let [aa, bb, cc] = &squares;
    let ab = &(a + b) * &(d + e) - aa - bb;
    let ac = &(a + c) * &(d + f) - aa - cc;
    let bc = &(b + c) * &(e + f) - bb - cc;
    (squares, [ab, ac, bc])
}

impl<F: HasTower> Fp12<F> {
    /// `self` times two lines a + b*v + c*v*w.
    pub(crate) fn mul_by_014_twice(&self, x: &Coefficients<F>, y: &Coefficients<F>) -> Self {
        let ([aa, bb, cc], [ab, ac, bc]) = products(x, y);
        let c0 = Fp6::new(aa + &F::mul_by_xi(&cc), ab, bb);
        let mut z = Self::ZERO;
        if !F::wide_mul_by_01245(&mut z, self, &c0, [&ac, &bc]) {
            let [low, high] = &[&self.c0 * &c0, self.c1.mul_by_01(&ac, &bc).mul_by_v()];
            let both = &(&self.c0 + &self.c1) * &Fp6::new(c0.c0, c0.c1 + &ac, c0.c2 + &bc);
            z = Self::new(low + &high.mul_by_v(), both - low - high);
        }
        z
    }

    /// `self` times two lines a + b*w + c*v*w.
    pub(crate) fn mul_by_034_twice(&self, x: &Coefficients<F>, y: &Coefficients<F>) -> Self {
        let ([aa, bb, cc], [ab, ac, bc]) = products(x, y);
        let c0 = Fp6::new(aa + &F::mul_by_xi(&cc), bb, bc);
        let mut z = Self::ZERO;
        if !F::wide_mul_by_01234(&mut z, self, &c0, [&ab, &ac]) {
            let [low, high] = &[&self.c0 * &c0, self.c1.mul_by_01(&ab, &ac)];
            let both = &(&self.c0 + &self.c1) * &Fp6::new(c0.c0 + &ab, c0.c1 + &ac, c0.c2);
            z = Self::new(low + &high.mul_by_v(), both - low - high);
        }
        z
    }
}
