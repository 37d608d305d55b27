//! The Miller loop.

use core::ops::{Mul, MulAssign};

use super::curve::{Pairing, Step};
use super::lines::{Line, Multiple};
use super::target::{Gt, easy_part};
use crate::curves::Affine;
use crate::fp2::Fp2;
use crate::generic::Field;
use crate::tower::{Coefficients, Fp12};

/// Pairs whose values share their squares.
const TOGETHER: usize = 8;

/// A point of G2 with the lines of its Miller loop, for many pairings with it.
///
/// ```
/// use fieldc::curves::bls12_381::{G1Affine, G2Affine};
/// use fieldc::pairing::bls12_381::{G2Prepared, multi_pairing_prepared, pairing};
///
/// let (p, q) = (G1Affine::GENERATOR, G2Affine::GENERATOR);
/// let prepared = G2Prepared::from(q);
/// assert_eq!(multi_pairing_prepared(&[(&-p, &prepared)]), pairing(&p, &-q));
/// ```
#[derive(Clone, Copy)]
pub struct Prepared<E: Pairing> {
    lines: E::Lines,
    is_infinity: bool,
}

/// What a Miller loop gives: a final exponentiation makes it the product of pairings.
///
/// ```
/// use fieldc::curves::bls12_381::{G1Affine, G2Affine};
/// use fieldc::pairing::{Gt, bls12_381::Value};
///
/// let (p, q) = (G1Affine::GENERATOR, G2Affine::GENERATOR);
/// let value = Value::of(&[(p, q)]) * Value::of(&[(p, -q)]);
/// assert_eq!(value.final_exponentiation(), Gt::ONE);
/// ```
pub struct Value<E: Pairing>(Fp12<E::Base>);

/// Where the lines of a pair come from.
trait Lines<E: Pairing> {
    /// The next line, that of this step.
    fn next(&mut self, step: Step) -> Line<E::Base>;
}

/// Lines that are computed on the way.
#[derive(Clone, Copy)]
struct Walk<F> {
    point: Multiple<F>,
    x: Fp2<F>,
    y: Fp2<F>,
}

impl<F: crate::HasTower> Walk<F> {
    fn new(x: Fp2<F>, y: Fp2<F>) -> Self {
        let point = Multiple::new(x, y);
        Self { point, x, y }
    }
}

impl<E: Pairing> Lines<E> for Walk<E::Base> {
    #[inline]
    fn next(&mut self, step: Step) -> Line<E::Base> {
        let image = || E::image(&self.x, &self.y);
        let (x, y) = match step {
            Step::Double => return self.point.double(E::triple_b),
            Step::Add => (self.x, self.y),
            Step::Subtract => (self.x, -self.y),
            Step::AddImage => image(),
            Step::SubtractSecondImage => {
                let (x, y) = image();
                let (x, y) = E::image(&x, &y);
                (x, -y)
            }
        };
        self.point.add(&x, &y)
    }
}

impl<E: Pairing> Lines<E> for core::slice::Iter<'_, Line<E::Base>> {
    #[inline]
    fn next(&mut self, _: Step) -> Line<E::Base> {
        Iterator::next(self).copied().unwrap_or(Line::NONE)
    }
}

/// A point of G1 and the lines of one of G2. If one of them is infinity, every line is taken as 1.
struct Pair<E: Pairing, L> {
    x: E::Base,
    y: E::Base,
    is_infinity: bool,
    lines: L,
}

impl<E: Pairing, L: Lines<E>> Pair<E, L> {
    fn new(point: &Affine<E::G1>, is_infinity: bool, lines: L) -> Self {
        let (is_infinity, zero) = (point.is_infinity() | is_infinity, E::Base::ZERO);
        Self {
            x: E::Base::select(is_infinity, &zero, &point.x()),
            y: E::Base::select(is_infinity, &zero, &point.y()),
            is_infinity,
            lines,
        }
    }

    /// The next line at the point of G1: its coefficients in the order of [`times_line`].
    #[inline]
    fn line(&mut self, step: Step) -> Coefficients<E::Base> {
        let Line { a, b, c } = self.lines.next(step);
        let (b, c) = (b.scale(&self.x), c.scale(&self.y));
        let [first, last] = if E::IS_MULTIPLIED { [a, c] } else { [c, a] };
        // b is 0 there, since x is.
        [
            Fp2::select(self.is_infinity, &Fp2::ONE, &first),
            b,
            Fp2::select(self.is_infinity, &Fp2::ZERO, &last),
        ]
    }
}

/// The value times a line.
#[inline]
fn times_line<E: Pairing>(
    value: &Fp12<E::Base>,
    [a, b, c]: &Coefficients<E::Base>,
) -> Fp12<E::Base> {
    if E::IS_MULTIPLIED {
        value.mul_by_014(a, b, c)
    } else {
        value.mul_by_034(a, b, c)
    }
}

/// The value times two lines.
#[inline]
fn times_lines<E: Pairing>(
    value: &Fp12<E::Base>,
    one: &Coefficients<E::Base>,
    other: &Coefficients<E::Base>,
) -> Fp12<E::Base> {
    if E::IS_MULTIPLIED {
        value.mul_by_014_twice(one, other)
    } else {
        value.mul_by_034_twice(one, other)
    }
}

/// The product of the values of pairs, with the squares in common.
fn product<E: Pairing, L: Lines<E>>(pairs: &mut [Pair<E, L>]) -> Fp12<E::Base> {
    let mut value = Fp12::ONE;
    for (i, step) in E::STEPS.iter().enumerate() {
        // The first square would be that of 1.
        if i > 0 && matches!(step, Step::Double) {
            value = value.square();
        }
        for two in pairs.chunks_mut(2) {
            value = match two {
                [one, other] => times_lines::<E>(&value, &one.line(*step), &other.line(*step)),
                [one, ..] => times_line::<E>(&value, &one.line(*step)),
                [] => value,
            };
        }
    }
    if E::IS_NEGATIVE {
        value.conjugate()
    } else {
        value
    }
}

impl<E: Pairing> Value<E> {
    /// The value of no pairs, 1.
    pub const ONE: Self = Self(Fp12::ONE);

    /// The value with this element of Fp12, such as another library's; `None` for 0, which none is.
    ///
    /// ```
    /// use fieldc::{Fp12, pairing::{Gt, bls12_381::Value}};
    ///
    /// let value = Value::new(Fp12::ONE).expect("it is not 0");
    /// assert_eq!(value.final_exponentiation(), Gt::ONE);
    /// assert!(Value::new(Fp12::ZERO).is_none());
    /// ```
    pub fn new(element: Fp12<E::Base>) -> Option<Self> {
        (!element.is_zero()).then_some(Self(element))
    }

    /// The value of some pairs, whose points must be in the groups of prime order.
    ///
    /// ```
    /// use fieldc::curves::bls12_381::{G1Affine, G2Affine};
    /// use fieldc::pairing::bls12_381::{Value, pairing};
    ///
    /// let (p, q) = (G1Affine::GENERATOR, G2Affine::GENERATOR);
    /// assert_eq!(Value::of(&[(p, q)]).final_exponentiation(), pairing(&p, &q));
    /// ```
    #[allow(clippy::type_complexity, reason = "pairs of points")]
    pub fn of(pairs: &[(Affine<E::G1>, Affine<E::G2>)]) -> Self {
        let rest = (Affine::INFINITY, Affine::INFINITY);
        let chunks = pairs.chunks(TOGETHER).map(|chunk| {
            let mut together: [_; TOGETHER] = core::array::from_fn(|i| {
                let (p, q) = chunk.get(i).unwrap_or(&rest);
                Pair::<E, _>::new(p, q.is_infinity(), Walk::new(q.x(), q.y()))
            });
            product(&mut together[..chunk.len()])
        });
        Self(chunks.fold(Fp12::ONE, |value, factor| value * factor))
    }

    /// The value of some pairs whose points of G2 are prepared.
    ///
    /// ```
    /// use fieldc::curves::bls12_381::{G1Affine, G2Affine};
    /// use fieldc::pairing::bls12_381::{G2Prepared, Value, pairing};
    ///
    /// let (p, q) = (G1Affine::GENERATOR, G2Affine::GENERATOR);
    /// let value = Value::of_prepared(&[(&p, &G2Prepared::from(q))]);
    /// assert_eq!(value.final_exponentiation(), pairing(&p, &q));
    /// ```
    #[allow(clippy::type_complexity, reason = "pairs of points")]
    pub fn of_prepared(pairs: &[(&Affine<E::G1>, &Prepared<E>)]) -> Self {
        let chunks = pairs.chunks(TOGETHER).map(|chunk| {
            let mut together: [_; TOGETHER] = core::array::from_fn(|i| match chunk.get(i) {
                Some((p, q)) => Pair::<E, _>::new(p, q.is_infinity, q.lines.as_ref().iter()),
                None => Pair::new(&Affine::INFINITY, true, [].iter()),
            });
            product(&mut together[..chunk.len()])
        });
        Self(chunks.fold(Fp12::ONE, |value, factor| value * factor))
    }

    /// The product of the pairings.
    ///
    /// ```
    /// use fieldc::pairing::{Gt, bls12_381::Value};
    ///
    /// assert_eq!(Value::ONE.final_exponentiation(), Gt::ONE);
    /// ```
    pub fn final_exponentiation(&self) -> Gt<E> {
        Gt::new(E::hard_part(&easy_part(&self.0)))
    }

    /// The element of Fp12. Other libraries may have another one before the final exponentiation.
    ///
    /// ```
    /// use fieldc::{Fp12, pairing::bls12_381::Value};
    ///
    /// assert_eq!(*Value::ONE.as_fp12(), Fp12::ONE);
    /// ```
    pub fn as_fp12(&self) -> &Fp12<E::Base> {
        &self.0
    }
}

impl<E: Pairing> Clone for Value<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Pairing> Copy for Value<E> {}

impl<E: Pairing> Mul for Value<E> {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        Self(self.0 * other.0)
    }
}

impl<E: Pairing> MulAssign for Value<E> {
    fn mul_assign(&mut self, other: Self) {
        self.0 *= other.0;
    }
}

/// Computes its lines.
impl<E: Pairing> From<Affine<E::G2>> for Prepared<E> {
    fn from(point: Affine<E::G2>) -> Self {
        let (mut lines, mut walk) = (E::NO_LINES, Walk::new(point.x(), point.y()));
        for (line, step) in lines.as_mut().iter_mut().zip(E::STEPS) {
            *line = Lines::<E>::next(&mut walk, *step);
        }
        Self {
            lines,
            is_infinity: point.is_infinity(),
        }
    }
}
