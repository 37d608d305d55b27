//! Lines through points of the twist, on the way from a point to its multiples.
//!
//! Source: C. Costello, T. Lange, M. Naehrig, "Faster pairing computations on curves with
//! high-degree twists" (2010), 5; D. F. Aranha, K. Karabina, P. Longa, C. H. Gebotys, J. López,
//! "Faster explicit formulas for computing pairings over ordinary curves" (2011), 4.

use crate::fp2::{Fp2, HasFp2};
use crate::tower::HasTower;

/// The line a + b*x_P*w^2 + c*y_P*w^3, or the same divided by w^3 and with 1/w for w: which of them
/// is the twist's.
#[derive(Clone, Copy)]
pub struct Line<F> {
    pub(super) a: Fp2<F>,
    pub(super) b: Fp2<F>,
    pub(super) c: Fp2<F>,
}

impl<F: HasTower> Line<F> {
    pub(super) const NONE: Self = Self {
        a: Fp2::ZERO,
        b: Fp2::ZERO,
        c: Fp2::ZERO,
    };
}

/// A multiple of a point of the twist: (x/z, y/z).
#[derive(Clone, Copy)]
pub(super) struct Multiple<F> {
    x: Fp2<F>,
    y: Fp2<F>,
    z: Fp2<F>,
}

/// 3*x.
fn triple<F: HasFp2>(x: &Fp2<F>) -> Fp2<F> {
    x.double() + x
}

impl<F: HasTower> Multiple<F> {
    pub(super) fn new(x: Fp2<F>, y: Fp2<F>) -> Self {
        Self { x, y, z: Fp2::ONE }
    }

    /// Doubles the point; the tangent there.
    ///
    /// With b' of the twist: the slope is 3x^2/(2yz), and x^3 = y^2*z - b'*z^3. The coordinates are
    /// four times those of the source, which halves instead.
    pub(super) fn double(&mut self, triple_b: impl Fn(&Fp2<F>) -> Fp2<F>) -> Line<F> {
        let Self { x, y, z } = *self;
        let (xx, yy, zz) = (x.square(), y.square(), z.square());
        let twice = (&y + &z).square() - &yy - &zz;
        let e = triple_b(&zz);
        let three_e = e.double() + &e;
        let double_e = e.double();
        *self = Self {
            x: &(&x * &y).double() * &(&yy - &three_e),
            y: (&yy + &three_e).square() - &triple(&double_e.square()),
            z: &yy.double().double() * &twice,
        };
        Line {
            a: &e - &yy,
            b: triple(&xx),
            c: -twice,
        }
    }

    /// Adds a point; the line through both.
    pub(super) fn add(&mut self, x2: &Fp2<F>, y2: &Fp2<F>) -> Line<F> {
        let Self { x, y, z } = *self;
        let (theta, lambda) = (y - &(y2 * &z), x - &(x2 * &z));
        let square = lambda.square();
        let cube = &lambda * &square;
        let (c, g) = (&z * &theta.square(), &x * &square);
        let h = cube + &c - &g.double();
        *self = Self {
            x: &lambda * &h,
            y: &theta * &(&g - &h) - &(&cube * &y),
            z: &z * &cube,
        };
        Line {
            a: &theta * x2 - &(&lambda * y2),
            b: -theta,
            c: lambda,
        }
    }
}
