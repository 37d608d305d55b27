//! Polynomials in numbered variables, with integer coefficients.

use num_bigint::BigInt;
use serde::Deserialize;
use std::collections::BTreeMap;

/// An integer, written as a hexadecimal string.
#[derive(Clone, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Integer(pub(crate) BigInt);

impl TryFrom<String> for Integer {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let number = BigInt::parse_bytes(text.replacen("0x", "", 1).as_bytes(), 16);
        number.map(Self).ok_or(format!("{text} is no hexadecimal integer"))
    }
}

/// An integer as `fieldc build` writes it, without zeros before it: what is read is what is written.
#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Written(pub(crate) BigInt);

impl TryFrom<String> for Written {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let Integer(number) = text.clone().try_into()?;
        let is_written = text == format!("{number:#x}");
        is_written.then_some(Self(number)).ok_or(format!("{text} is not as fieldc build writes it"))
    }
}

/// From monomials (sorted variables) to coefficients, none of them 0.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(from = "Vec<(Integer, Vec<usize>)>")]
pub(crate) struct Polynomial(BTreeMap<Vec<usize>, BigInt>);

impl From<Vec<(Integer, Vec<usize>)>> for Polynomial {
    fn from(terms: Vec<(Integer, Vec<usize>)>) -> Self {
        Self::sum(terms.into_iter().map(|(coefficient, variables)| (coefficient.0, variables)))
    }
}

impl Polynomial {
    /// The sum of coefficient * (product of variables).
    pub(crate) fn sum(terms: impl IntoIterator<Item = (BigInt, Vec<usize>)>) -> Self {
        let mut total = Self::default();
        for (coefficient, mut variables) in terms {
            variables.sort_unstable();
            total.add(variables, coefficient);
        }
        total
    }

    pub(crate) fn constant(value: impl Into<BigInt>) -> Self {
        Self::sum([(value.into(), vec![])])
    }

    /// The number that it is, if it has no variables and the number is that small.
    pub(crate) fn as_constant(&self) -> Option<u64> {
        match self.0.iter().next() {
            None => Some(0),
            Some((monomial, value)) if monomial.is_empty() && self.0.len() == 1 => {
                u64::try_from(value).ok()
            }
            Some(_) => None,
        }
    }

    /// The constant among its terms.
    pub(crate) fn constant_term(&self) -> BigInt {
        self.coefficient(&[])
    }

    /// What a product of variables, which are sorted, is multiplied with.
    pub(crate) fn coefficient(&self, monomial: &[usize]) -> BigInt {
        self.0.get(monomial).cloned().unwrap_or_default()
    }

    pub(crate) fn is_constant(&self) -> bool {
        self.0.keys().all(Vec::is_empty)
    }

    /// Whether there are no products of variables.
    pub(crate) fn is_linear(&self) -> bool {
        self.each().all(|(monomial, _)| monomial.len() <= 1)
    }

    /// The number that it is, if it has no variables and is not negative.
    pub(crate) fn as_integer(&self) -> Option<u128> {
        self.constant_term().try_into().ok().filter(|_| self.is_constant())
    }

    /// A factor and the one variable that it multiplies, if it is a multiple of one.
    pub(crate) fn as_multiple(&self) -> Option<(BigInt, usize)> {
        let (monomial, factor) = self.0.iter().next().filter(|_| self.0.len() == 1)?;
        let [number] = monomial[..] else { return None };
        Some((factor.clone(), number))
    }

    pub(crate) fn variable(number: usize) -> Self {
        Self::sum([(1.into(), vec![number])])
    }

    /// The number that words are the 64-bit limbs of, least significant first.
    pub(crate) fn number(words: impl Iterator<Item = Self>) -> Self {
        words.enumerate().fold(Self::default(), |total, (i, word)| {
            total.plus(&word, BigInt::from(1) << (64 * i))
        })
    }

    fn add(&mut self, monomial: Vec<usize>, coefficient: BigInt) {
        let sum = self.0.remove(&monomial).unwrap_or_default() + coefficient;
        if sum != BigInt::ZERO {
            self.0.insert(monomial, sum);
        }
    }

    /// self + factor * other.
    pub(crate) fn plus(mut self, other: &Self, factor: impl Into<BigInt>) -> Self {
        let factor = factor.into();
        for (monomial, coefficient) in &other.0 {
            self.add(monomial.clone(), coefficient * &factor);
        }
        self
    }

    /// self * other.
    pub(crate) fn times(&self, other: &Self) -> Self {
        let pairs = self.0.iter().flat_map(|left| other.0.iter().map(move |right| (left, right)));
        Self::sum(pairs.map(|((m, a), (n, b))| (a * b, [m.as_slice(), n].concat())))
    }

    /// With the variables that have one possible value replaced by it.
    pub(crate) fn with(&self, fixed: &BTreeMap<usize, u64>) -> Self {
        Self::sum(self.0.iter().map(|(monomial, coefficient)| {
            let values = monomial.iter().filter_map(|v| fixed.get(v));
            let rest = monomial.iter().copied().filter(|v| !fixed.contains_key(v));
            (values.fold(coefficient.clone(), |product, value| product * *value), rest.collect())
        }))
    }

    /// Its variables.
    pub(crate) fn variables(&self) -> impl Iterator<Item = usize> {
        self.0.keys().flatten().copied()
    }

    /// Its monomials, each with its coefficient.
    pub(crate) fn each(&self) -> impl Iterator<Item = (&[usize], &BigInt)> {
        self.0.iter().map(|(monomial, coefficient)| (monomial.as_slice(), coefficient))
    }

    /// How many monomials it has.
    pub(crate) fn terms(&self) -> usize {
        self.0.len()
    }

    /// With coefficients from 0 to p - 1 that are the same modulo p.
    pub(crate) fn modulo(self, p: &BigInt) -> Self {
        let least = |c: BigInt| ((c % p) + p) % p;
        Self::sum(self.0.into_iter().map(|(monomial, c)| (least(c), monomial)))
    }

    /// Whether every coefficient is 0 modulo `modulus`.
    pub(crate) fn vanishes(&self, modulus: &BigInt) -> bool {
        self.0.values().all(|c| c % modulus == BigInt::ZERO)
    }

    /// An upper bound: each variable between 0 and its largest value, each monomial by itself.
    pub(crate) fn upper(&self, highs: &[u64]) -> BigInt {
        let positive = self.0.iter().filter(|(m, c)| m.is_empty() || **c > BigInt::ZERO);
        positive.map(|(m, c)| m.iter().fold(c.clone(), |product, v| product * highs[*v])).sum()
    }
}
