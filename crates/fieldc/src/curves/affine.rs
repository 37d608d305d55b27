//! Points by their coordinates.

use core::fmt;

use super::curve::{Curve, right_side};
use crate::generic::Field;

/// A point of a curve: its coordinates, or the point at infinity.
///
/// The coordinates of the point at infinity are kept as 0.
#[derive(Clone, Copy)]
pub struct Affine<C: Curve> {
    pub(super) x: C::Base,
    pub(super) y: C::Base,
    pub(super) is_infinity: bool,
}

impl<C: Curve> Affine<C> {
    /// The point at infinity, the neutral element.
    pub const INFINITY: Self = Self {
        x: C::Base::ZERO,
        y: C::Base::ZERO,
        is_infinity: true,
    };
    /// A generator of the group of prime order.
    pub const GENERATOR: Self = Self {
        x: C::GENERATOR.0,
        y: C::GENERATOR.1,
        is_infinity: false,
    };

    /// The point with these coordinates; `None` if it is not on the curve.
    ///
    /// Whether it is in the group of prime order is not looked at, see
    /// [`is_in_subgroup`](Self::is_in_subgroup).
    ///
    /// ```
    /// use fieldc::curves::secp256k1::{Affine, Secp256k1};
    /// use fieldc::secp256k1::Fp;
    ///
    /// let (x, y) = (Affine::GENERATOR.x(), Affine::GENERATOR.y());
    /// assert_eq!(Affine::new(x, y), Some(Affine::GENERATOR));
    /// assert_eq!(Affine::new(x, y + Fp::ONE), None);
    /// ```
    pub fn new(x: C::Base, y: C::Base) -> Option<Self> {
        let point = Self::new_unchecked(x, y);
        point.is_on_curve().then_some(point)
    }

    /// The point with these coordinates, which must be on the curve.
    ///
    /// If they are not, the results of all operations are wrong, and may help an attacker.
    ///
    /// ```
    /// use fieldc::curves::secp256k1::Affine;
    ///
    /// let g = Affine::GENERATOR;
    /// assert_eq!(Affine::new_unchecked(g.x(), g.y()), g);
    /// ```
    #[inline]
    pub const fn new_unchecked(x: C::Base, y: C::Base) -> Self {
        Self {
            x,
            y,
            is_infinity: false,
        }
    }

    /// The first coordinate; 0 at infinity.
    ///
    /// ```
    /// use fieldc::{curves::pallas::Affine, pallas::Fp};
    ///
    /// assert_eq!(Affine::GENERATOR.x(), -Fp::ONE);
    /// ```
    #[inline]
    pub const fn x(&self) -> C::Base {
        self.x
    }

    /// The second coordinate; 0 at infinity.
    ///
    /// ```
    /// use fieldc::{curves::pallas::Affine, pallas::Fp};
    ///
    /// assert_eq!(Affine::GENERATOR.y(), Fp::from_u64(2));
    /// ```
    #[inline]
    pub const fn y(&self) -> C::Base {
        self.y
    }

    /// Whether this is the point at infinity.
    ///
    /// ```
    /// use fieldc::curves::pallas::Affine;
    ///
    /// assert!(Affine::INFINITY.is_infinity() && !Affine::GENERATOR.is_infinity());
    /// ```
    #[inline]
    pub const fn is_infinity(&self) -> bool {
        self.is_infinity
    }

    /// Whether the coordinates are those of a point of the curve, or it is the one at infinity.
    ///
    /// ```
    /// use fieldc::{curves::pallas::Affine, pallas::Fp};
    ///
    /// assert!(Affine::GENERATOR.is_on_curve() && Affine::INFINITY.is_on_curve());
    /// assert!(!Affine::new_unchecked(Fp::ONE, Fp::ONE).is_on_curve());
    /// ```
    #[inline]
    pub fn is_on_curve(&self) -> bool {
        self.is_infinity | (self.y.square() == right_side::<C>(&self.x))
    }

    /// Whether this point of the curve is in the group of prime order.
    ///
    /// ```
    /// use fieldc::curves::bls12_381::G2Affine;
    ///
    /// assert!(G2Affine::GENERATOR.is_in_subgroup() && G2Affine::INFINITY.is_in_subgroup());
    /// ```
    #[inline]
    pub fn is_in_subgroup(&self) -> bool {
        self.is_infinity | C::is_in_subgroup(&self.x, &self.y)
    }

    /// `a` if the flag is set, else `b`, in the same time for both.
    ///
    /// ```
    /// use fieldc::curves::pallas::Affine;
    ///
    /// let (a, b) = (Affine::GENERATOR, Affine::INFINITY);
    /// assert_eq!(Affine::select(true, &a, &b), a);
    /// ```
    #[inline]
    pub fn select(flag: bool, a: &Self, b: &Self) -> Self {
        Self {
            x: C::Base::select(flag, &a.x, &b.x),
            y: C::Base::select(flag, &a.y, &b.y),
            is_infinity: (flag & a.is_infinity) | (!flag & b.is_infinity),
        }
    }
}

/// The point at infinity.
impl<C: Curve> Default for Affine<C> {
    fn default() -> Self {
        Self::INFINITY
    }
}

/// Compares in the same time for all values.
impl<C: Curve> PartialEq for Affine<C> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        (self.is_infinity == other.is_infinity) & (self.x == other.x) & (self.y == other.y)
    }
}

impl<C: Curve> Eq for Affine<C> {}

impl<C: Curve> fmt::Debug for Affine<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{self}", C::NAME)
    }
}

/// `(x, y)`, or `(infinity)`.
impl<C: Curve> fmt::Display for Affine<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_infinity {
            write!(f, "(infinity)")
        } else {
            write!(f, "({}, {})", self.x, self.y)
        }
    }
}
