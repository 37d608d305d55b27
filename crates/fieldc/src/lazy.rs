//! Values below 2p, kept apart from those below p by their type.

use core::fmt;
use core::ops::Neg;

use crate::lazy_kernels::{HasLazy, Ring};

/// An element of F whose residue is kept below 2p instead of below p.
///
/// Products and squares leave out their last subtraction of p, and so they take less time. Whoever
/// computes with many of them enters once and reduces once:
///
/// ```
/// use fieldc::Lazy;
/// use fieldc::bls12_381::Fp;
///
/// /// Horner's rule.
/// fn value_at(coefficients: &[Fp], x: Fp) -> Fp {
///     let x = Lazy::from(x);
///     let step = |sum: Lazy<Fp>, a: &Fp| sum * x + Lazy::from(*a);
///     coefficients.iter().rev().fold(Lazy::ZERO, step).reduce()
/// }
///
/// let [one, two, three] = [1, 2, 3].map(Fp::from_u64);
/// assert_eq!(value_at(&[three, two, one], -two), three); // 3 + 2x + x^2 at -2
/// ```
///
/// An element has two forms, so there is no look at one that does not reduce: comparison reduces
/// both sides, in the same time for all values, and there is neither an order nor a hash.
///
/// ```
/// use fieldc::Lazy;
/// use fieldc::bn254::Fp;
///
/// let x = Lazy::from(Fp::from_u64(5));
/// let zero = x - x;
/// assert!(zero == Lazy::ZERO && zero.is_zero());
/// assert_eq!(-x.square().double(), Lazy::from(-Fp::from_u64(50)));
/// assert_eq!((-zero).reduce(), Fp::ZERO);
/// ```
///
/// Canonical and lazy values do not mix unless the program says so, with `Lazy::from` and
/// [`reduce`](Self::reduce):
///
/// ```compile_fail,E0277
/// use fieldc::Lazy;
/// use fieldc::bn254::Fp;
///
/// let x = Fp::from_u64(5);
/// let _ = Lazy::from(x) * x;
/// ```
///
/// ```compile_fail,E0308
/// use fieldc::Lazy;
/// use fieldc::bn254::Fp;
///
/// let x = Fp::from_u64(5);
/// let _: Fp = Lazy::from(x).square();
/// ```
///
/// Values below 2p stay there where 4p < 2^(64 * LIMBS): the modulus needs two spare bits. For
/// another one, here of 255 bits, the program does not pass the compiler's check:
///
/// ```compile_fail,E0277
/// use fieldc::Lazy;
/// use fieldc::bls12_381::Fr;
///
/// let _ = Lazy::from(Fr::ONE);
/// ```
#[repr(transparent)]
pub struct Lazy<F: HasLazy>(<F::Ring as Ring>::Limbs);

impl<F: HasLazy> Lazy<F> {
    /// The element 0.
    pub const ZERO: Self = Self(<F::Ring as Ring>::ZERO);
    /// The element 1.
    pub const ONE: Self = Self(<F::Ring as Ring>::ONE);

    /// The element below p.
    ///
    /// ```
    /// use fieldc::Lazy;
    /// use fieldc::bn254::Fp;
    ///
    /// let x = Lazy::from(Fp::from_u64(3));
    /// assert_eq!((x * x).reduce(), Fp::from_u64(9));
    /// ```
    #[inline(always)]
    pub fn reduce(&self) -> F {
        <F::Ring as Ring>::reduce(&self.0)
    }

    /// The element a of which a form a*R modulo p has these limbs, least significant first; `None`
    /// unless they are below 2p.
    ///
    /// ```
    /// use fieldc::Lazy;
    /// use fieldc::bn254::Fp;
    ///
    /// let limbs = Fp::from_u64(3).to_montgomery_limbs();
    /// assert_eq!(Lazy::from_montgomery_limbs(limbs), Some(Lazy::from(Fp::from_u64(3))));
    /// assert_eq!(Lazy::<Fp>::from_montgomery_limbs([u64::MAX; 4]), None);
    /// ```
    #[inline]
    pub fn from_montgomery_limbs(limbs: <F::Ring as Ring>::Limbs) -> Option<Self> {
        <F::Ring as Ring>::from_montgomery(&limbs).map(Self)
    }

    /// The limbs of a Montgomery form, below 2p: as it stands, unless elements are plain.
    ///
    /// ```
    /// use fieldc::Lazy;
    /// use fieldc::bn254::Fp;
    ///
    /// let x = Lazy::from(Fp::from_u64(3));
    /// assert_eq!(x.to_montgomery_limbs(), Fp::from_u64(3).to_montgomery_limbs());
    /// ```
    #[inline]
    pub fn to_montgomery_limbs(&self) -> <F::Ring as Ring>::Limbs {
        <F::Ring as Ring>::to_montgomery(&self.0)
    }

    /// Whether this is 0, in the same time for all values.
    ///
    /// ```
    /// use fieldc::Lazy;
    /// use fieldc::bn254::Fp;
    ///
    /// let x = Lazy::from(Fp::from_u64(3));
    /// assert!((x - x).is_zero());
    /// ```
    #[inline]
    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// `self + self`.
    ///
    /// ```
    /// use fieldc::Lazy;
    /// use fieldc::bn254::Fp;
    ///
    /// let x = Lazy::from(Fp::from_u64(3));
    /// assert_eq!(x.double().reduce(), Fp::from_u64(6));
    /// ```
    #[inline(always)]
    pub fn double(&self) -> Self {
        Self(<F::Ring as Ring>::add(&self.0, &self.0))
    }

    /// `self * self`.
    ///
    /// ```
    /// use fieldc::Lazy;
    /// use fieldc::bn254::Fp;
    ///
    /// let x = Lazy::from(Fp::from_u64(3));
    /// assert_eq!(x.square().reduce(), Fp::from_u64(9));
    /// ```
    #[inline(always)]
    pub fn square(&self) -> Self {
        Self(<F::Ring as Ring>::square(&self.0))
    }

    /// `*self *= *self`.
    ///
    /// ```
    /// use fieldc::Lazy;
    /// use fieldc::bn254::Fp;
    ///
    /// let mut x = Lazy::from(Fp::from_u64(3));
    /// x.square_in_place();
    /// assert_eq!(x.reduce(), Fp::from_u64(9));
    /// ```
    #[inline(always)]
    pub fn square_in_place(&mut self) {
        *self = self.square();
    }

    /// The limbs, for what treats all values alike.
    #[cfg(any(feature = "subtle", feature = "zeroize"))]
    pub(crate) fn limbs_mut(&mut self) -> &mut [u64] {
        self.0.as_mut()
    }

    /// The limbs, for what treats all values alike.
    #[cfg(feature = "subtle")]
    pub(crate) fn limbs(&self) -> &[u64] {
        self.0.as_ref()
    }
}

impl<F: HasLazy> Clone for Lazy<F> {
    #[inline(always)]
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: HasLazy> Copy for Lazy<F> {}

impl<F: HasLazy> Default for Lazy<F> {
    fn default() -> Self {
        Self::ZERO
    }
}

impl<F: HasLazy> From<F> for Lazy<F> {
    #[inline(always)]
    fn from(element: F) -> Self {
        Self(<F::Ring as Ring>::enter(&element))
    }
}

/// Reduces both, and compares in the same time for all values.
impl<F: HasLazy> PartialEq for Lazy<F> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        <F::Ring as Ring>::is_equal(&self.0, &other.0)
    }
}

impl<F: HasLazy> Eq for Lazy<F> {}

/// The element below p.
impl<F: HasLazy + fmt::Debug> fmt::Debug for Lazy<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Lazy").field(&self.reduce()).finish()
    }
}

impl<F: HasLazy> Lazy<F> {
    #[inline(always)]
    fn sum(&self, y: &Self) -> Self {
        Self(<F::Ring as Ring>::add(&self.0, &y.0))
    }

    #[inline(always)]
    fn difference(&self, y: &Self) -> Self {
        Self(<F::Ring as Ring>::sub(&self.0, &y.0))
    }

    #[inline(always)]
    fn product(&self, y: &Self) -> Self {
        Self(<F::Ring as Ring>::mul(&self.0, &y.0))
    }

    /// The same, loaded and stored limb by limb.
    #[inline(always)]
    fn by_limbs(self) -> Self {
        Self(<F::Ring as Ring>::by_limbs(self.0))
    }
}

crate::__operators! { [F: HasLazy] Lazy<F>, sum, Add::add, AddAssign::add_assign }
crate::__operators! { [F: HasLazy] Lazy<F>, difference, Sub::sub, SubAssign::sub_assign }
crate::__operators! { [F: HasLazy] Lazy<F>, product (by_limbs), Mul::mul, MulAssign::mul_assign }

impl<F: HasLazy> Neg for Lazy<F> {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        Self::ZERO - self
    }
}

impl<F: HasLazy> Neg for &Lazy<F> {
    type Output = Lazy<F>;

    #[inline(always)]
    fn neg(self) -> Lazy<F> {
        -*self
    }
}

crate::__sums! { [F: HasLazy] Lazy<F> }
