//! Integers and binary fractions of a lane, as polynomials in its atoms.

use crate::polynomial::Polynomial;
use num_bigint::BigInt;

/// numerator / 2^exponent; where the exponent is not 0, some coefficient is odd.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Value {
    numerator: Polynomial,
    exponent: u64,
}

impl Value {
    pub(crate) fn constant(value: impl Into<BigInt>) -> Self {
        Self { numerator: Polynomial::constant(value), exponent: 0 }
    }

    /// An atom by its number.
    pub(crate) fn atom(number: usize) -> Self {
        Self { numerator: Polynomial::variable(number), exponent: 0 }
    }

    /// The integer that it is, if it has no atoms.
    pub(crate) fn number(&self) -> Option<BigInt> {
        let is_known = self.exponent == 0 && self.numerator.is_constant();
        is_known.then(|| self.numerator.constant_term())
    }

    /// The number of the atom that it is.
    pub(crate) fn as_atom(&self) -> Option<usize> {
        let known = self.numerator.as_multiple().filter(|(factor, _)| *factor == 1.into());
        known.filter(|_| self.exponent == 0).map(|(_, atom)| atom)
    }

    /// The same with an integer for an atom, wherever it stands.
    pub(crate) fn replaced(&self, atom: usize, by: &Self) -> Self {
        let mut total = Self::default();
        for (monomial, coefficient) in self.numerator.each() {
            let of = |number: usize| if number == atom { by.clone() } else { Self::atom(number) };
            let product = monomial.iter().fold(Self::constant(1), |known, n| known.times(&of(*n)));
            total = total.plus(&product, coefficient.clone());
        }
        total.lowered(self.exponent)
    }

    /// The integer that it is at some values of its atoms.
    #[cfg(all(test, target_arch = "x86_64"))]
    pub(crate) fn at(&self, atoms: &[BigInt]) -> BigInt {
        let mut total = BigInt::ZERO;
        for (monomial, coefficient) in self.numerator.each() {
            total +=
                monomial.iter().fold(coefficient.clone(), |product, atom| product * &atoms[*atom]);
        }
        assert!(total.trailing_zeros().is_none_or(|zeros| zeros >= self.exponent), "no integer");
        total >> self.exponent
    }

    /// self + factor * other.
    pub(crate) fn plus(&self, other: &Self, factor: impl Into<BigInt>) -> Self {
        let exponent = self.exponent.max(other.exponent);
        let of = |value: &Self| BigInt::from(1) << (exponent - value.exponent);
        let left = Polynomial::default().plus(&self.numerator, of(self));
        let numerator = left.plus(&other.numerator, factor.into() * of(other));
        Self { numerator, exponent }.reduced()
    }

    /// self * other.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let numerator = self.numerator.times(&other.numerator);
        Self { numerator, exponent: self.exponent + other.exponent }.reduced()
    }

    /// self * 2^bits.
    pub(crate) fn raised(&self, bits: u64) -> Self {
        Self::default().plus(self, BigInt::from(1) << bits)
    }

    /// self / 2^bits.
    pub(crate) fn lowered(&self, bits: u64) -> Self {
        Self { numerator: self.numerator.clone(), exponent: self.exponent + bits }.reduced()
    }

    /// The same with the least exponent.
    fn reduced(self) -> Self {
        let twos = self.numerator.each().filter_map(|(_, c)| c.trailing_zeros()).min();
        let Some(less) = twos.map(|twos| twos.min(self.exponent)) else {
            return Self::default();
        };
        if less == 0 {
            return self;
        }
        let lowered = |(m, c): (&[usize], &BigInt)| (c >> less, m.to_vec());
        let numerator = Polynomial::sum(self.numerator.each().map(lowered));
        Self { numerator, exponent: self.exponent - less }
    }

    /// An upper bound of 2^e * self, and e: each atom from 0 to its largest value by itself.
    pub(crate) fn upper(&self, highs: &[u64]) -> (BigInt, u64) {
        (self.numerator.upper(highs), self.exponent)
    }

    /// Bounds of an integer, each atom by itself.
    pub(crate) fn ends(&self, highs: &[u64]) -> (BigInt, BigInt) {
        let floor = |(bound, exponent): (BigInt, u64)| bound >> exponent; // of negative ones too
        let negated = Self::default().plus(self, -1);
        (-floor(negated.upper(highs)), floor(self.upper(highs)))
    }

    /// Whether it is 0 modulo an odd p: every coefficient is.
    pub(crate) fn vanishes(&self, p: &BigInt) -> bool {
        self.numerator.vanishes(p)
    }
}

#[cfg(test)]
mod tests {
    use super::Value;

    #[test]
    fn fractions_are_exact() {
        let (a, b) = (Value::atom(0), Value::atom(1));
        let half = a.plus(&b, -1).lowered(1);
        assert_eq!(half.raised(1), a.plus(&b, -1));
        assert_eq!(half.plus(&half, 1).plus(&b, 1), a);
        assert_eq!(half.plus(&half, -1), Value::default());
        assert_eq!(half.ends(&[7, 6]), ((-3).into(), 3.into()));
        assert_eq!(half.times(&half).raised(2), a.plus(&b, -1).times(&a.plus(&b, -1)));
        assert_eq!(
            half.times(&b).replaced(1, &a.plus(&a, 1)),
            a.times(&a).times(&Value::constant(-1))
        );
        assert_eq!((a.as_atom(), b.as_atom(), half.as_atom()), (Some(0), Some(1), None));
        assert_eq!((a.raised(1).as_atom(), a.lowered(1).as_atom()), (None, None));
        assert_eq!(a.number(), None);
        assert_eq!(Value::constant(12).lowered(2).number(), Some(3.into()));
        assert_eq!(Value::constant(3).lowered(2).number(), None);
        assert!(half.raised(1).times(&Value::constant(21)).vanishes(&7.into()));
        assert!(!half.vanishes(&7.into()));
    }
}
