//! The quadratic extension Fp2 = Fp(u) with u^2 = -1.
//!
//! ```
//! use fieldc::Fp2;
//! use fieldc::bls12_381::Fp;
//!
//! let x = Fp2::new(Fp::from_u64(3), Fp::from_u64(4));
//! assert_eq!(x * x.conjugate(), Fp2::from(25));
//! assert_eq!(x.square(), x * x);
//! assert_eq!(x * x.invert().unwrap(), Fp2::ONE);
//! assert_eq!(Fp2::from(-1).sqrt(), Some(-Fp2::<Fp>::U)); // of u and -u the even one
//! ```
//!
//! Where -1 is a square modulo p there is no such field, and nothing is compiled:
//!
//! ```compile_fail,E0277
//! use fieldc::Fp2;
//! use fieldc::bls12_381::Fr;
//!
//! let _ = Fp2::new(Fr::ONE, Fr::ONE);
//! ```

use core::fmt;

pub use crate::conditions::HasFp2;
use crate::{ShortScratch, batch};

mod operators;
mod roots;

/// An element `c0 + c1*u` of Fp2, u^2 = -1.
///
/// The order compares `c1` first, then `c0`.
#[derive(Clone, Copy, Default)]
#[repr(C)]
pub struct Fp2<F> {
    /// The part without u.
    pub c0: F,
    /// The factor of u.
    pub c1: F,
}

impl<F: HasFp2> Fp2<F> {
    /// The element 0.
    pub const ZERO: Self = Self::new(F::ZERO, F::ZERO);
    /// The element 1.
    pub const ONE: Self = Self::new(F::ONE, F::ZERO);
    /// The element u, a square root of -1.
    pub const U: Self = Self::new(F::ZERO, F::ONE);

    /// The element `c0 + c1*u`.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// let x = Fp2::new(Fp::from_u64(1), Fp::from_u64(2));
    /// assert_eq!(x, Fp2::ONE + Fp2::U.double());
    /// ```
    #[inline]
    pub const fn new(c0: F, c1: F) -> Self {
        Self { c0, c1 }
    }

    /// `c0 - c1*u`, which is also the power p.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// assert_eq!(Fp2::<Fp>::U.conjugate(), -Fp2::U);
    /// ```
    #[inline]
    pub fn conjugate(&self) -> Self {
        Self::new(self.c0, -self.c1)
    }

    /// The power p^k: this element or its [conjugate](Self::conjugate).
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// let x = Fp2::<Fp>::U + Fp2::ONE;
    /// assert_eq!(x.frobenius(1), x.pow(&Fp::MODULUS));
    /// assert_eq!(x.frobenius(2), x);
    /// ```
    #[inline]
    pub fn frobenius(&self, k: usize) -> Self {
        if k % 2 == 0 { *self } else { self.conjugate() }
    }

    /// The norm `c0^2 + c1^2`, the product with the [conjugate](Self::conjugate).
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// let x = Fp2::new(Fp::from_u64(3), Fp::from_u64(4));
    /// assert_eq!(x.norm(), Fp::from_u64(25));
    /// ```
    #[inline]
    pub fn norm(&self) -> F {
        F::sum_of_products(self.parts(), self.parts())
    }

    /// The product with an element of the prime field, which `*` gives too.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// let x = Fp2::<Fp>::U.scale(&Fp::from_u64(3));
    /// assert_eq!(x, Fp2::U + Fp2::U + Fp2::U);
    /// assert_eq!(x, Fp2::U * Fp::from_u64(3));
    /// ```
    #[inline]
    pub fn scale(&self, factor: &F) -> Self {
        Self::new(self.c0 * factor, self.c1 * factor)
    }

    /// Whether this is 0, in the same time for all values.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// assert!(Fp2::<Fp>::ZERO.is_zero() && !Fp2::<Fp>::U.is_zero());
    /// ```
    #[inline]
    pub fn is_zero(&self) -> bool {
        self.c0.is_zero() & self.c1.is_zero()
    }

    /// `self + self`.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// assert_eq!(Fp2::<Fp>::U.double(), Fp2::U + Fp2::U);
    /// ```
    #[inline]
    pub fn double(&self) -> Self {
        Self::new(self.c0.double(), self.c1.double())
    }

    /// `self * self`: `(c0 + c1)*(c0 - c1)` and `2*c0*c1`.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// assert_eq!(Fp2::<Fp>::U.square(), -Fp2::ONE);
    /// ```
    #[inline]
    pub fn square(&self) -> Self {
        F::fp2_square(self.parts()).into()
    }

    /// `self * y + z`.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// let [x, y] = [(1, 2), (3, 4)].map(|(a, b)| Fp2::new(Fp::from_u64(a), Fp::from_u64(b)));
    /// assert_eq!(x.mul_add(&y, &x), x * y + x);
    /// ```
    #[inline]
    pub fn mul_add(&self, y: &Self, z: &Self) -> Self {
        self.product(y) + z
    }

    /// The product: two sums of two products, each of them reduced once, in one kernel where the
    /// prime has one.
    ///
    /// Aranha, Karabina, Longa, Gebotys, Lopez, "Faster explicit formulas for computing pairings
    /// over ordinary curves" (2011), 3, without its Karatsuba: three products and two reductions by
    /// our kernels take longer.
    #[inline(always)]
    fn product(&self, y: &Self) -> Self {
        F::fp2_mul(self.parts(), y.parts()).into()
    }

    /// `a` if the flag is set, else `b`, in the same time for both.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// assert_eq!(Fp2::<Fp>::select(false, &Fp2::ONE, &Fp2::U), Fp2::U);
    /// ```
    #[inline]
    pub fn select(flag: bool, a: &Self, b: &Self) -> Self {
        Self::new(F::select(flag, &a.c0, &b.c0), F::select(flag, &a.c1, &b.c1))
    }

    /// The inverse; `None` for 0. What it computes takes the same time for all values.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// assert_eq!(Fp2::<Fp>::U.invert(), Some(-Fp2::U));
    /// assert_eq!(Fp2::<Fp>::ZERO.invert(), None);
    /// ```
    #[inline]
    pub fn invert(&self) -> Option<Self> {
        let (inverse, exists) = self.invert_ct();
        exists.then_some(inverse)
    }

    /// The inverse and true; for 0, which has none, 0 and false. No branch depends on the value.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// assert_eq!(Fp2::<Fp>::ZERO.invert_ct(), (Fp2::ZERO, false));
    /// ```
    #[inline]
    pub fn invert_ct(&self) -> (Self, bool) {
        let (inverse, exists) = self.norm().invert_ct();
        (self.conjugate().scale(&inverse), exists)
    }

    /// Inverts every element with one inversion in all; zeros stay zeros.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// let mut x = [Fp2::<Fp>::U, Fp2::ZERO];
    /// assert_eq!(Fp2::batch_invert(&mut x, &mut [Fp2::ZERO; 2]), Ok(()));
    /// assert_eq!(x, [-Fp2::U, Fp2::ZERO]);
    /// ```
    ///
    /// # Errors
    /// If the scratch space has fewer elements than there are to invert; nothing has changed then.
    #[inline]
    pub fn batch_invert(elements: &mut [Self], scratch: &mut [Self]) -> Result<(), ShortScratch> {
        batch::batch_invert(elements, scratch)
    }

    /// The power with a public exponent in limbs, least significant first; x^0 is 1, 0^0 too.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// assert_eq!(Fp2::<Fp>::U.pow(&[3]), -Fp2::U);
    /// ```
    pub fn pow(&self, exponent: &[u64]) -> Self {
        let bits = exponent
            .iter()
            .rev()
            .flat_map(|limb| (0..64).rev().map(move |i| limb >> i & 1 == 1));
        bits.skip_while(|bit| !bit).fold(Self::ONE, |power, bit| {
            let square = power.square();
            if bit { square * self } else { square }
        })
    }

    /// The sum of products of corresponding elements; every two products in Fp share a reduction.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// let [x, y] = [(1, 2), (3, 4)].map(|(a, b)| Fp2::new(Fp::from_u64(a), Fp::from_u64(b)));
    /// assert_eq!(Fp2::sum_of_products(&[x, y], &[y, y]), x * y + y.square());
    /// ```
    #[inline(always)]
    pub fn sum_of_products<const K: usize>(x: &[Self; K], y: &[Self; K]) -> Self {
        Self::inner_product(x, y)
    }

    /// The sum of products of corresponding elements of slices.
    ///
    /// ```
    /// use fieldc::{Fp2, bn254::Fp};
    ///
    /// let [x, y] = [(1, 2), (3, 4)].map(|(a, b)| Fp2::new(Fp::from_u64(a), Fp::from_u64(b)));
    /// assert_eq!(Fp2::inner_product(&[x, y], &[y, y]), x * y + y.square());
    /// ```
    ///
    /// # Panics
    /// If the slices have different lengths.
    #[inline]
    pub fn inner_product(x: &[Self], y: &[Self]) -> Self {
        assert_eq!(x.len(), y.len(), "the slices have different lengths");
        let mut terms = x.iter().zip(y).map(|(x, y)| x.product(y));
        let first = terms.next().unwrap_or(Self::ZERO);
        terms.fold(first, |total, term| total + term)
    }

    #[inline(always)]
    fn of(parts: &[F; 2]) -> &Self {
        // SAFETY: two fields of one type in the order of C lie as in an array.
        unsafe { &*core::ptr::from_ref(parts).cast() }
    }

    #[inline(always)]
    fn parts(&self) -> &[F; 2] {
        // SAFETY: two fields of one type in the order of C lie as in an array.
        unsafe { &*core::ptr::from_ref(self).cast() }
    }
}

/// The product of `x[0] + x[1]*u` and `y[0] + y[1]*u`, for elements kept as arrays.
///
/// ```
/// use fieldc::bls12_381::Fp;
///
/// let [x0, x1] = [3, 4].map(Fp::from_u64);
/// assert_eq!(fieldc::fp2::mul(&[x0, x1], &[x0, -x1]), [Fp::from_u64(25), Fp::ZERO]);
/// ```
#[inline]
pub fn mul<F: HasFp2>(x: &[F; 2], y: &[F; 2]) -> [F; 2] {
    Fp2::of(x).product(Fp2::of(y)).into()
}

/// The square of `x[0] + x[1]*u`, for elements kept as arrays.
///
/// ```
/// use fieldc::{bls12_381::Fp, fp2};
///
/// let x = [3, 4].map(Fp::from_u64);
/// assert_eq!(fp2::square(&x), fp2::mul(&x, &x));
/// ```
#[inline]
pub fn square<F: HasFp2>(x: &[F; 2]) -> [F; 2] {
    Fp2::of(x).square().into()
}

impl<F> From<[F; 2]> for Fp2<F> {
    #[inline]
    fn from([c0, c1]: [F; 2]) -> Self {
        Self { c0, c1 }
    }
}

impl<F> From<Fp2<F>> for [F; 2] {
    #[inline]
    fn from(Fp2 { c0, c1 }: Fp2<F>) -> Self {
        [c0, c1]
    }
}

/// `(c0 + c1*u)`.
impl<F: fmt::Display> fmt::Display for Fp2<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({} + {}*u)", self.c0, self.c1)
    }
}

impl<F: fmt::Display> fmt::Debug for Fp2<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fp2{self}")
    }
}
