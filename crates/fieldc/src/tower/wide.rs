//! Products in Fp12 by numbers of double width: one reduction for each part of a result.
//!
//! D. F. Aranha, K. Karabina, P. Longa, C. H. Gebotys, J. López, "Faster explicit formulas for
//! computing pairings over ordinary curves" (2011), 3. Sums stay unreduced below 4p, and wide numbers
//! are integers: Karatsuba's differences are exact. In units of p^2, a product of elements of Fp2
//! is from -1 to 1 and from 0 to 2, times ξ from -2 to 1 and from -1 to 2. A part of a product of
//! elements of Fp12 is a sum of six of these, at most five of them times ξ: from -11 to 6, and
//! from -5 to 12. So 11*p^2 makes the first part positive and 5*p^2 the second, and none is above
//! 17*p^2. Those of a square are from -10 to 8 and from -5 to 13. A reduction takes numbers below
//! 2p*R, and 19*p is below 2R.

use core::mem::MaybeUninit;

use super::words::{Pair, WideKernels, WidePair, Words, filled, limbs_of, loose};
use super::{Fp6, Fp12, HasTower};
use crate::assembly::HasProducts;
use crate::fp2::Fp2;

/// A value of Fp6 whose parts are not reduced.
type Triple<'a> = [&'a Pair; 3];
/// A value of Fp6 in double width.
type WideTriple<'a> = [&'a WidePair; 3];
/// Places for such values. Kernels fill them: a copy would wait for each limb's store.
type Place = MaybeUninit<WidePair>;
type Places = [Place; 3];

/// No value yet.
macro_rules! empty {
    () => {
        MaybeUninit::uninit()
    };
    (3) => {
        [MaybeUninit::uninit(); 3]
    };
}

impl<K: WideKernels<6, 12>, F: HasProducts<6> + HasTower> Words<K, F> {
    /// The product in Fp12.
    pub(super) fn mul(&self, result: &mut Fp12<F>, x: &Fp12<F>, y: &Fp12<F>) {
        let ([x0, x1], [y0, y1]) = (halves(x), halves(y));
        let (mut z, mut low, mut high, mut both) = (empty!(), empty!(3), empty!(3), empty!(3));
        let low = self.mul_6(&mut low, &x0, &y0);
        let high = self.mul_6(&mut high, &x1, &y1);
        let (x, y) = (sum_6(&x0, &x1), sum_6(&y0, &y1));
        let both = self.mul_6(&mut both, &x.each_ref(), &y.each_ref());
        self.joined(result, &low, &self.by_v(&mut z, &high), &high, &both);
    }

    /// The square in Fp12: two products in Fp6.
    ///
    /// (c0 + c1)*(c0 + c1*v) - c0*c1 - c0*c1*v. In the second factor the two parts of ξ times the last
    /// coefficient e are reduced: by 0 or p more in the first, by 0 or p less in the second. So the
    /// coefficient of v^k is as if c0*c1*v had been subtracted from a product in which e is another
    /// number: the k-th coefficient of c0 times what e has more. That is from 0 to 2p^2, and from
    /// -p^2 to p^2. The rest of it is six products of elements, of which at most four are times ξ:
    /// from -10 to 6, and from -4 to 12.
    pub(super) fn square_12(&self, result: &mut Fp12<F>, x: &Fp12<F>) {
        let [x0, x1] = halves(x);
        let by_xi = F::mul_by_xi(&x.c1.c2);
        let sum = sum_6(&x0, &x1);
        let other = sum_6(&x0, &[limbs_of(&by_xi), x1[0], x1[1]]);
        let (mut both, mut all) = (empty!(3), empty!(3));
        let both = self.mul_6(&mut both, &x0, &x1);
        let all = self.mul_6(&mut all, &sum.each_ref(), &other.each_ref());
        let mut z = empty!();
        let by_v = self.by_v(&mut z, &both);
        let offset = &Self::OFFSETS;
        let low = |k: usize| {
            let part =
                |i: usize| self.two_minus_two(&all[k][i], &offset[i], &both[k][i], &by_v[k][i]);
            self.reduced(&part(0), &part(1))
        };
        let high = |k: usize| {
            let part = |i: usize| self.plus_plus(&both[k][i], &both[k][i], &offset[i]);
            self.reduced(&part(0), &part(1))
        };
        put(result, low, high);
    }

    /// The product with a + b*v + c*v*w.
    pub(super) fn mul_014(&self, result: &mut Fp12<F>, x: &Fp12<F>, line: [&Fp2<F>; 3]) {
        let ([x0, x1], [a, b, c]) = (halves(x), line.map(limbs_of));
        let (mut low, mut high, mut both) = (empty!(3), empty!(3), empty!(3));
        let low = self.mul_6_by_01(&mut low, &x0, a, b);
        let [h0, h1, h2] = &mut high;
        let h0 = self.product(h0, x1[0], c);
        let h1 = self.product(h1, x1[1], c);
        let h2 = self.product(h2, x1[2], c);
        let sum = sum_6(&x0, &x1);
        let both = self.mul_6_by_01(&mut both, &sum.each_ref(), a, &loose(b, c));
        let (mut z, mut t) = (empty!(), empty!());
        let high = self.by_v(&mut z, &[h0, h1, h2]);
        self.joined(result, &low, &self.by_v(&mut t, &high), &high, &both);
    }

    /// The product with c0 + (a*v + b*v^2)*w.
    pub(super) fn mul_01245(
        &self,
        result: &mut Fp12<F>,
        x: &Fp12<F>,
        c0: &Fp6<F>,
        [a, b]: [&Fp2<F>; 2],
    ) {
        let ([x0, x1], [y0, y1, y2]) = (halves(x), thirds(c0));
        let (a, b) = (limbs_of(a), limbs_of(b));
        let (mut low, mut high, mut both) = (empty!(3), empty!(3), empty!(3));
        let low = self.mul_6(&mut low, &x0, &[y0, y1, y2]);
        let high = self.mul_6_by_01(&mut high, &x1, a, b);
        let sum = sum_6(&x0, &x1);
        let other = [y0, &loose(y1, a), &loose(y2, b)];
        let both = self.mul_6(&mut both, &sum.each_ref(), &other);
        let (mut z, mut t) = (empty!(), empty!());
        let high = self.by_v(&mut z, &high);
        self.joined(result, &low, &self.by_v(&mut t, &high), &high, &both);
    }

    /// The product in Fp6: six products in Fp2.
    #[inline(never)]
    fn mul_6<'a>(&self, z: &'a mut Places, x: &Triple<'_>, y: &Triple<'_>) -> WideTriple<'a> {
        let ([x0, x1, x2], [y0, y1, y2]) = (x, y);
        let (mut v0, mut v1, mut v2) = (empty!(), empty!(), empty!());
        let v0 = self.product(&mut v0, x0, y0);
        let v1 = self.product(&mut v1, x1, y1);
        let v2 = self.product(&mut v2, x2, y2);
        let (mut t01, mut t02, mut t12) = (empty!(), empty!(), empty!());
        let t12 = self.product(&mut t12, &loose(x1, x2), &loose(y1, y2));
        let t01 = self.product(&mut t01, &loose(x0, x1), &loose(y0, y1));
        let t02 = self.product(&mut t02, &loose(x0, x2), &loose(y0, y2));
        let (mut s, mut by_xi) = (empty!(), empty!());
        let s = filled(&mut s, |i| self.minus_both(&t12[i], &v1[i], &v2[i]));
        let by_xi = self.by_xi(&mut by_xi, v2);
        let [z0, z1, z2] = z;
        [
            self.plus_by_xi(z0, v0, s),
            filled(z1, |i| {
                self.two_minus_two(&t01[i], &by_xi[i], &v0[i], &v1[i])
            }),
            filled(z2, |i| self.two_minus_two(&t02[i], &v1[i], &v0[i], &v2[i])),
        ]
    }

    /// The product in Fp6 with b0 + b1*v: five products in Fp2.
    #[inline(never)]
    fn mul_6_by_01<'a>(
        &self,
        z: &'a mut Places,
        [x0, x1, x2]: &Triple<'_>,
        b0: &Pair,
        b1: &Pair,
    ) -> WideTriple<'a> {
        let (mut v0, mut v1) = (empty!(), empty!());
        let v0 = self.product(&mut v0, x0, b0);
        let v1 = self.product(&mut v1, x1, b1);
        let (mut t01, mut t02, mut t12) = (empty!(), empty!(), empty!());
        let t12 = self.product(&mut t12, &loose(x1, x2), b1);
        let t01 = self.product(&mut t01, &loose(x0, x1), &loose(b0, b1));
        let t02 = self.product(&mut t02, &loose(x0, x2), b0);
        let mut s = empty!();
        let s = filled(&mut s, |i| self.minus(&t12[i], &v1[i]));
        let [z0, z1, z2] = z;
        [
            self.plus_by_xi(z0, v0, s),
            filled(z1, |i| self.minus_both(&t01[i], &v0[i], &v1[i])),
            filled(z2, |i| self.plus_minus(&t02[i], &v1[i], &v0[i])),
        ]
    }

    /// (low + high*v) + (both - low - high)*w, reduced; `by_v` is high*v.
    fn joined(
        &self,
        result: &mut Fp12<F>,
        low: &WideTriple<'_>,
        by_v: &WideTriple<'_>,
        high: &WideTriple<'_>,
        both: &WideTriple<'_>,
    ) {
        let offset = &Self::OFFSETS;
        let first = |k: usize| {
            let part = |i: usize| self.plus_plus(&low[k][i], &by_v[k][i], &offset[i]);
            self.reduced(&part(0), &part(1))
        };
        let second = |k: usize| {
            let part =
                |i: usize| self.two_minus_two(&both[k][i], &offset[i], &low[k][i], &high[k][i]);
            self.reduced(&part(0), &part(1))
        };
        put(result, first, second);
    }

    /// x*v.
    #[inline(always)]
    fn by_v<'a>(&self, z: &'a mut Place, [x0, x1, x2]: &WideTriple<'a>) -> WideTriple<'a> {
        [self.by_xi(z, x2), x0, x1]
    }

    /// x*ξ for ξ = 1 + u.
    #[inline(always)]
    fn by_xi<'a>(&self, z: &'a mut Place, [x0, x1]: &WidePair) -> &'a WidePair {
        const { assert!(F::XI == 1) }
        filled(z, |i| {
            if i == 0 {
                self.minus(x0, x1)
            } else {
                self.plus(x0, x1)
            }
        })
    }

    /// x + y*ξ for ξ = 1 + u.
    #[inline(always)]
    fn plus_by_xi<'a>(&self, z: &'a mut Place, x: &WidePair, [y0, y1]: &WidePair) -> &'a WidePair {
        const { assert!(F::XI == 1) }
        filled(z, |i| {
            if i == 0 {
                self.plus_minus(&x[0], y0, y1)
            } else {
                self.plus_plus(&x[1], y0, y1)
            }
        })
    }
}

/// Write the coefficients of v^0, v^1 and v^2, without w and with it, where they are to stay.
#[inline(always)]
fn put<F>(result: &mut Fp12<F>, without: impl Fn(usize) -> Fp2<F>, with: impl Fn(usize) -> Fp2<F>) {
    let Fp12 { c0, c1 } = result;
    c0.c0 = without(0);
    c0.c1 = without(1);
    c0.c2 = without(2);
    c1.c0 = with(0);
    c1.c1 = with(1);
    c1.c2 = with(2);
}

/// The two values of Fp6, by reference.
#[inline(always)]
fn halves<F: HasProducts<6>>(x: &Fp12<F>) -> [Triple<'_>; 2] {
    [thirds(&x.c0), thirds(&x.c1)]
}

/// The three values of Fp2, by reference.
#[inline(always)]
fn thirds<F: HasProducts<6>>(x: &Fp6<F>) -> Triple<'_> {
    [&x.c0, &x.c1, &x.c2].map(limbs_of)
}

/// x + y, not reduced.
#[inline(always)]
fn sum_6(x: &Triple<'_>, y: &Triple<'_>) -> [Pair; 3] {
    [loose(x[0], y[0]), loose(x[1], y[1]), loose(x[2], y[2])]
}
