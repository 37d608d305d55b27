//! Points in Jacobian coordinates: sums without inversions.

use core::fmt;

use super::affine::Affine;
use super::curve::Curve;
use crate::batch::ShortScratch;
use crate::generic::Field;

/// A point of a curve in Jacobian coordinates: (x/z^2, y/z^3), or infinity where z is 0.
///
/// Equal points may have different coordinates; `==` compares points.
#[derive(Clone, Copy)]
pub struct Jacobian<C: Curve> {
    pub(super) x: C::Base,
    pub(super) y: C::Base,
    pub(super) z: C::Base,
}

/// What a sum makes of two points with a common z: (x, y) and (x + h, y + r).
struct Chord<F> {
    x: F,
    y: F,
    z: F,
    h: F,
    r: F,
}

impl<C: Curve> Jacobian<C> {
    /// The point at infinity, the neutral element.
    pub const INFINITY: Self = Self {
        x: C::Base::ONE,
        y: C::Base::ONE,
        z: C::Base::ZERO,
    };
    /// A generator of the group of prime order.
    pub const GENERATOR: Self = Self {
        x: C::GENERATOR.0,
        y: C::GENERATOR.1,
        z: C::Base::ONE,
    };

    /// Whether this is the point at infinity.
    ///
    /// ```
    /// use fieldc::curves::pallas::Jacobian;
    ///
    /// let g = Jacobian::GENERATOR;
    /// assert!((g - g).is_infinity() && !g.is_infinity());
    /// ```
    #[inline]
    pub fn is_infinity(&self) -> bool {
        self.z.is_zero()
    }

    /// `self + self`: two products, three squares and a sum of two products.
    ///
    /// Source: D. J. Bernstein, T. Lange, Explicit-Formulas Database, dbl-2009-l and
    /// dbl-2001-b, with the last two products as one sum.
    ///
    /// ```
    /// use fieldc::curves::p256::Jacobian;
    ///
    /// let g = Jacobian::GENERATOR;
    /// assert_eq!(g.double(), g + g);
    /// assert!(Jacobian::INFINITY.double().is_infinity());
    /// ```
    pub fn double(&self) -> Self {
        let Self { x, y, z } = *self;
        let slope = slope::<C>(x, || z.square());
        let two_yy = y.square().double();
        let four_yy = two_yy.double();
        let four = x * four_yy;
        let x3 = slope.square() - four.double();
        Self {
            x: x3,
            y: C::Base::sum_of_products(&[slope, -two_yy], &[four - x3, four_yy]),
            z: (y * z).double(),
        }
    }

    /// The sum with a point that has z = 1.
    pub(super) fn sum_mixed(&self, other: &Affine<C>) -> Self {
        let zz = self.z.square();
        let chord = Chord {
            x: self.x,
            y: self.y,
            z: self.z,
            h: other.x * zz - self.x,
            r: other.y * zz * self.z - self.y,
        };
        let sum = Self::through(&chord, || zz);
        let sum = Self::select(self.is_infinity(), &Self::from(*other), &sum);
        Self::select(other.is_infinity, self, &sum)
    }

    /// The sum of two points.
    pub(super) fn sum(&self, other: &Self) -> Self {
        let (zz, other_zz) = (self.z.square(), other.z.square());
        let (x, y) = (self.x * other_zz, self.y * (other.z * other_zz));
        let chord = Chord {
            x,
            y,
            z: self.z * other.z,
            h: other.x * zz - x,
            r: other.y * (self.z * zz) - y,
        };
        let sum = Self::through(&chord, || zz * other_zz);
        let sum = Self::select(self.is_infinity(), other, &sum);
        Self::select(other.is_infinity(), self, &sum)
    }

    /// The sum of the points of a chord. Where they are one point it takes the tangent: the
    /// differences become 2y and three times the square of x, and the rest is the same but for h^3.
    #[inline(always)]
    fn through(chord: &Chord<C::Base>, square_of_z: impl FnOnce() -> C::Base) -> Self {
        let Chord { x, y, z, h, r } = *chord;
        let is_tangent = h.is_zero() & r.is_zero();
        let h = C::Base::select(is_tangent, &y.double(), &h);
        let r = C::Base::select(is_tangent, &slope::<C>(x, square_of_z), &r);
        let hh = h.square();
        let (hhh, v) = (hh * h, hh * x);
        // The sum of both x is 2x + h on a chord, 2x on a tangent.
        let above = C::Base::select(is_tangent, &C::Base::ZERO, &hhh);
        let x3 = r.square() - above - v.double();
        Self {
            x: x3,
            y: C::Base::sum_of_products(&[r, -hhh], &[v - x3, y]),
            z: h * z,
        }
    }

    /// The coordinates, with one inversion.
    ///
    /// ```
    /// use fieldc::curves::pallas::{Affine, Jacobian};
    ///
    /// assert_eq!(Jacobian::GENERATOR.to_affine(), Affine::GENERATOR);
    /// assert_eq!(Jacobian::INFINITY.to_affine(), Affine::INFINITY);
    /// ```
    #[inline]
    pub fn to_affine(&self) -> Affine<C> {
        self.scaled(self.z.invert_ct().0)
    }

    /// The coordinates of many points, with one inversion in all.
    ///
    /// The points go to the start of `affine`; `scratch` is for the inversions.
    ///
    /// ```
    /// use fieldc::curves::pallas::{Affine, Jacobian};
    /// use fieldc::pallas::Fp;
    ///
    /// let g = Jacobian::GENERATOR;
    /// let mut affine = [Affine::INFINITY; 2];
    /// Jacobian::batch_to_affine(&[g, g.double()], &mut affine, &mut [Fp::ZERO; 4])?;
    /// assert_eq!(affine, [g.to_affine(), g.double().to_affine()]);
    /// # Ok::<(), fieldc::ShortScratch>(())
    /// ```
    ///
    /// # Errors
    /// If the scratch space has fewer than two elements for each point. Nothing has changed then.
    ///
    /// # Panics
    /// If `affine` is shorter than `points`.
    pub fn batch_to_affine(
        points: &[Self],
        affine: &mut [Affine<C>],
        scratch: &mut [C::Base],
    ) -> Result<(), ShortScratch> {
        let count = points.len();
        assert!(affine.len() >= count, "there are fewer places than points");
        if scratch.len() < 2 * count {
            return Err(ShortScratch {
                expected: 2 * count,
                found: scratch.len(),
            });
        }
        let (inverses, scratch) = scratch.split_at_mut(count);
        for (inverse, point) in inverses.iter_mut().zip(points) {
            *inverse = point.z;
        }
        C::Base::batch_invert(inverses, scratch)?;
        for ((affine, point), inverse) in affine.iter_mut().zip(points).zip(inverses) {
            *affine = point.scaled(*inverse);
        }
        Ok(())
    }

    /// The coordinates from 1/z; 0 where z is 0.
    #[inline]
    pub(super) fn scaled(&self, inverse: C::Base) -> Affine<C> {
        let square = inverse.square();
        Affine {
            x: self.x * square,
            y: self.y * (square * inverse),
            is_infinity: self.is_infinity(),
        }
    }

    /// `a` if the flag is set, else `b`, in the same time for both.
    ///
    /// ```
    /// use fieldc::curves::pallas::Jacobian;
    ///
    /// let (a, b) = (Jacobian::GENERATOR, Jacobian::INFINITY);
    /// assert_eq!(Jacobian::select(false, &a, &b), b);
    /// ```
    #[inline]
    pub fn select(flag: bool, a: &Self, b: &Self) -> Self {
        Self {
            x: C::Base::select(flag, &a.x, &b.x),
            y: C::Base::select(flag, &a.y, &b.y),
            z: C::Base::select(flag, &a.z, &b.z),
        }
    }
}

/// 3*x^2 + a*z^4.
#[inline(always)]
fn slope<C: Curve>(x: C::Base, square_of_z: impl FnOnce() -> C::Base) -> C::Base {
    let third = if C::A_IS_MINUS_3 {
        let zz = square_of_z();
        (x - zz) * (x + zz)
    } else {
        x.square()
    };
    third.double() + third
}

/// With z = 1.
impl<C: Curve> From<Affine<C>> for Jacobian<C> {
    #[inline]
    fn from(point: Affine<C>) -> Self {
        let (zero, one) = (C::Base::ZERO, C::Base::ONE);
        Self {
            x: C::Base::select(point.is_infinity, &one, &point.x),
            y: C::Base::select(point.is_infinity, &one, &point.y),
            z: C::Base::select(point.is_infinity, &zero, &one),
        }
    }
}

/// The coordinates, with one inversion.
impl<C: Curve> From<Jacobian<C>> for Affine<C> {
    #[inline]
    fn from(point: Jacobian<C>) -> Self {
        point.to_affine()
    }
}

/// The point at infinity.
impl<C: Curve> Default for Jacobian<C> {
    fn default() -> Self {
        Self::INFINITY
    }
}

/// Compares the points, in the same time for all values.
impl<C: Curve> PartialEq for Jacobian<C> {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        let (zz, other_zz) = (self.z.square(), other.z.square());
        let same_x = self.x * other_zz == other.x * zz;
        let same_y = self.y * (other_zz * other.z) == other.y * (zz * self.z);
        let (first, second) = (self.is_infinity(), other.is_infinity());
        (first & second) | (!first & !second & same_x & same_y)
    }
}

impl<C: Curve> Eq for Jacobian<C> {}

/// The point as its coordinates say it.
impl<C: Curve> fmt::Debug for Jacobian<C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.to_affine().fmt(f)
    }
}
