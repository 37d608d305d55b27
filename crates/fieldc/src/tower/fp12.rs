//! The quadratic extension Fp12 = Fp6(w) with w^2 = v.

use super::{Fp6, HasTower};
use crate::fp2::Fp2;

/// An element `c0 + c1*w` of Fp12, w^2 = v.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Fp12<F> {
    /// The part without w.
    pub c0: Fp6<F>,
    /// The factor of w.
    pub c1: Fp6<F>,
}

impl<F: HasTower> Fp12<F> {
    /// The element 0.
    pub const ZERO: Self = Self::new(Fp6::ZERO, Fp6::ZERO);
    /// The element 1.
    pub const ONE: Self = Self::new(Fp6::ONE, Fp6::ZERO);
    /// The element w, a square root of v.
    pub const W: Self = Self::new(Fp6::ZERO, Fp6::ONE);

    /// The element `c0 + c1*w`.
    ///
    /// ```
    /// use fieldc::{Fp6, Fp12, bn254::Fp};
    ///
    /// assert_eq!(Fp12::<Fp>::new(Fp6::ONE, Fp6::ONE), Fp12::ONE + Fp12::W);
    /// ```
    #[inline]
    pub const fn new(c0: Fp6<F>, c1: Fp6<F>) -> Self {
        Self { c0, c1 }
    }

    /// Whether this is 0, in the same time for all values.
    ///
    /// ```
    /// use fieldc::{Fp12, bn254::Fp};
    ///
    /// assert!(Fp12::<Fp>::ZERO.is_zero() && !Fp12::<Fp>::W.is_zero());
    /// ```
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.c0.is_zero() & self.c1.is_zero()
    }

    /// `self + self`.
    ///
    /// ```
    /// use fieldc::{Fp12, bn254::Fp};
    ///
    /// assert_eq!(Fp12::<Fp>::W.double(), Fp12::W + Fp12::W);
    /// ```
    #[inline]
    pub fn double(&self) -> Self {
        Self::new(self.c0.double(), self.c1.double())
    }

    /// `c0 - c1*w`, which is also the power p^6.
    ///
    /// ```
    /// use fieldc::{Fp12, bn254::Fp};
    ///
    /// assert_eq!(Fp12::<Fp>::W.conjugate(), -Fp12::W);
    /// ```
    #[inline]
    pub fn conjugate(&self) -> Self {
        Self::new(self.c0, -self.c1)
    }

    /// The product, by three products in Fp6.
    pub(super) fn product(&self, y: &Self) -> Self {
        let mut z = Self::ZERO;
        if !F::wide_mul(&mut z, self, y) {
            let [low, high] = &[&self.c0 * &y.c0, &self.c1 * &y.c1];
            let both = &(&self.c0 + &self.c1) * &(&y.c0 + &y.c1);
            z = Self::new(low + &high.mul_by_v(), both - low - high);
        }
        z
    }

    /// `self * self`, by two products in Fp6.
    ///
    /// ```
    /// use fieldc::{Fp12, bn254::Fp};
    ///
    /// let x = Fp12::<Fp>::W + Fp12::ONE;
    /// assert_eq!(x.square(), x * x);
    /// ```
    pub fn square(&self) -> Self {
        let mut z = Self::ZERO;
        if !F::wide_square(&mut z, self) {
            let Self { c0, c1 } = self;
            let both = &(c0 * c1);
            let low = &(c0 + c1) * &(c0 + &c1.mul_by_v()) - both - &both.mul_by_v();
            z = Self::new(low, both.double());
        }
        z
    }

    /// `self * (a + b*v + c*v*w)`: the line of a curve whose twist is multiplied by ξ, such as
    /// BLS12-381. Thirteen products in Fp2.
    ///
    /// ```
    /// use fieldc::{Fp2, Fp6, Fp12, bn254::Fp};
    ///
    /// let (x, one) = (Fp12::<Fp>::W + Fp12::ONE, Fp2::ONE);
    /// let line = Fp12::new(Fp6::new(one, Fp2::U, Fp2::ZERO), Fp6::V);
    /// assert_eq!(x.mul_by_014(&one, &Fp2::U, &one), x * line);
    /// ```
    pub fn mul_by_014(&self, a: &Fp2<F>, b: &Fp2<F>, c: &Fp2<F>) -> Self {
        let mut z = Self::ZERO;
        if !F::wide_mul_by_014(&mut z, self, [a, b, c]) {
            let [low, high] = &[self.c0.mul_by_01(a, b), self.c1.mul_by_1(c)];
            let both = (&self.c0 + &self.c1).mul_by_01(a, &(b + c));
            z = Self::new(low + &high.mul_by_v(), both - low - high);
        }
        z
    }

    /// `self * (a + b*w + c*v*w)`: the line of a curve whose twist is divided by ξ, such as BN254.
    /// Thirteen products in Fp2.
    ///
    /// ```
    /// use fieldc::{Fp2, Fp6, Fp12, bn254::Fp};
    ///
    /// let (x, one) = (Fp12::<Fp>::W + Fp12::ONE, Fp2::ONE);
    /// let line = Fp12::new(Fp6::ONE, Fp6::new(Fp2::U, one, Fp2::ZERO));
    /// assert_eq!(x.mul_by_034(&one, &Fp2::U, &one), x * line);
    /// ```
    pub fn mul_by_034(&self, a: &Fp2<F>, b: &Fp2<F>, c: &Fp2<F>) -> Self {
        let mut z = Self::ZERO;
        if !F::wide_mul_by_034(&mut z, self, [a, b, c]) {
            let [low, high] = &[self.c0.scale(a), self.c1.mul_by_01(b, c)];
            let both = (&self.c0 + &self.c1).mul_by_01(&(a + b), c);
            z = Self::new(low + &high.mul_by_v(), both - low - high);
        }
        z
    }

    /// The power p^k, by constants.
    ///
    /// ```
    /// use fieldc::{Fp12, bn254::Fp};
    ///
    /// let x = Fp12::<Fp>::W + Fp12::ONE;
    /// assert_eq!(x.frobenius(1), x.pow(&Fp::MODULUS));
    /// assert_eq!(x.frobenius(6), x.conjugate());
    /// ```
    pub fn frobenius(&self, k: usize) -> Self {
        let c1 = self.c1.frobenius(k);
        // w^(p^k - 1) is 1 or the root to the power of k, of order 6 for squares.
        let c1 = (0..k % 12 / 2).fold(c1, |c1, _| scale_by(&c1, &F::FROBENIUS_2[1]));
        let c1 = if k % 2 == 0 {
            c1
        } else {
            c1.scale(&F::FROBENIUS[1])
        };
        Self::new(self.c0.frobenius(k), c1)
    }

    /// The inverse; `None` for 0. What it computes takes the same time for all values.
    ///
    /// ```
    /// use fieldc::{Fp12, bn254::Fp};
    ///
    /// let x = Fp12::<Fp>::W + Fp12::ONE;
    /// assert_eq!(x.invert().map(|inverse| inverse * x), Some(Fp12::ONE));
    /// assert_eq!(Fp12::<Fp>::ZERO.invert(), None);
    /// ```
    pub fn invert(&self) -> Option<Self> {
        let (inverse, exists) = self.invert_ct();
        exists.then_some(inverse)
    }

    /// The inverse and true; for 0, which has none, 0 and false. No branch depends on the value.
    ///
    /// ```
    /// use fieldc::{Fp12, bn254::Fp};
    ///
    /// assert_eq!(Fp12::<Fp>::ZERO.invert_ct(), (Fp12::ZERO, false));
    /// ```
    pub fn invert_ct(&self) -> (Self, bool) {
        let norm = self.c0.square() - &self.c1.square().mul_by_v();
        let (inverse, exists) = norm.invert_ct();
        (
            Self::new(&self.c0 * &inverse, -(&self.c1 * &inverse)),
            exists,
        )
    }

    /// The power with a public exponent in limbs, least significant first; x^0 is 1, 0^0 too.
    ///
    /// ```
    /// use fieldc::{Fp12, bn254::Fp};
    ///
    /// let x = Fp12::<Fp>::W + Fp12::ONE;
    /// assert_eq!(x.pow(&[3]), x * x * x);
    /// ```
    pub fn pow(&self, exponent: &[u64]) -> Self {
        power(exponent, Self::ONE, Self::square, |power| power * self)
    }

    /// `a` if the flag is set, else `b`, in the same time for both.
    ///
    /// ```
    /// use fieldc::{Fp12, bn254::Fp};
    ///
    /// assert_eq!(Fp12::<Fp>::select(true, &Fp12::W, &Fp12::ONE), Fp12::W);
    /// ```
    #[inline]
    pub fn select(flag: bool, a: &Self, b: &Self) -> Self {
        Self::new(
            Fp6::select(flag, &a.c0, &b.c0),
            Fp6::select(flag, &a.c1, &b.c1),
        )
    }
}

/// The product with an element of Fp.
#[inline]
fn scale_by<F: HasTower>(x: &Fp6<F>, factor: &F) -> Fp6<F> {
    Fp6::new(x.c0.scale(factor), x.c1.scale(factor), x.c2.scale(factor))
}

/// A power by squares and products, from the highest bit of a public exponent on.
pub(super) fn power<T>(
    exponent: &[u64],
    one: T,
    square: impl Fn(&T) -> T,
    product: impl Fn(T) -> T,
) -> T {
    let bits = (exponent.iter().rev())
        .flat_map(|limb| (0..64).rev().map(move |i| limb >> i & 1 == 1))
        .skip_while(|bit| !bit);
    bits.fold(one, |power, bit| {
        let power = square(&power);
        if bit { product(power) } else { power }
    })
}
