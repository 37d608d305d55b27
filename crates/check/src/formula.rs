//! A user's formula: what its text says. `fieldc/proof/formulas.py` describes the text.

use crate::polynomial::{Integer, Polynomial};
use crate::{Outcome, fail};
use num_bigint::BigInt;
use serde::Deserialize;

/// Terms of a polynomial that is multiplied out.
const MOST_TERMS: usize = 50_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Formula {
    /// Name, values side by side, and how many p each is below.
    pub(crate) operands: Vec<(String, usize, u32)>,
    steps: Vec<Step>,
    /// Values, which are numbered: the operands', then the steps'.
    results: Vec<usize>,
    /// How many p each result is below.
    pub(crate) multiple: u32,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Step {
    Two(Kind, usize, usize),
    Scale(Scale, usize, Integer),
    Constant(Constant, Integer),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Add,
    Sub,
    Mul,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Scale {
    Scale,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Constant {
    Constant,
}

/// Values modulo p that a formula may be evaluated on.
pub(crate) trait Algebra {
    fn constant(&mut self, number: BigInt) -> Polynomial;
    fn total(&mut self, terms: &[(&Polynomial, BigInt)]) -> Polynomial;
    /// factor * a * b.
    fn product(&mut self, a: &Polynomial, b: &Polynomial, factor: &BigInt) -> Outcome<Polynomial>;
}

impl Formula {
    pub(crate) fn parsed(text: &str) -> Outcome<Self> {
        let found: Self = serde_json::from_str(text).map_err(|why| format!("formula: {why}"))?;
        let sizes = found.operands.iter().map(|(_, count, multiple)| (*count, *multiple));
        let whole = |(count, multiple)| (1..=1 << 16).contains(&count) && multiple > 0;
        if found.results.is_empty() || found.multiple == 0 || !sizes.into_iter().all(whole) {
            return fail("formula: it has no results, or an operand without values");
        }
        Ok(found)
    }

    /// The results for values of its operands, where R = 2^(64n) and products are divided by R.
    pub(crate) fn evaluate(
        &self,
        algebra: &mut impl Algebra,
        p: &BigInt,
        limbs: usize,
        values: Vec<Polynomial>,
    ) -> Outcome<Vec<Polynomial>> {
        let r = BigInt::from(1) << (64 * limbs);
        let inverse = r.modinv(p).ok_or("formula: R has no inverse modulo p")?;
        let mut known = values;
        let one = || BigInt::from(1);
        for step in &self.steps {
            let value = |i: usize| known.get(i).ok_or("formula: a step takes a later value");
            let next = match step {
                Step::Two(Kind::Add, a, b) => {
                    algebra.total(&[(value(*a)?, one()), (value(*b)?, one())])
                }
                Step::Two(Kind::Sub, a, b) => {
                    algebra.total(&[(value(*a)?, one()), (value(*b)?, -one())])
                }
                Step::Two(Kind::Mul, a, b) => algebra.product(value(*a)?, value(*b)?, &inverse)?,
                Step::Scale(_, a, factor) => algebra.total(&[(value(*a)?, factor.0.clone())]),
                Step::Constant(_, number) => algebra.constant(&number.0 * &r),
            };
            known.push(next);
        }
        let result = |i: &usize| known.get(*i).cloned().ok_or("formula: a result is no value");
        Ok(self.results.iter().map(result).collect::<Result<_, _>>()?)
    }
}

/// Polynomials modulo a prime, multiplied out.
pub(crate) struct Modulo(pub(crate) BigInt);

impl Algebra for Modulo {
    fn constant(&mut self, number: BigInt) -> Polynomial {
        Polynomial::constant(number).modulo(&self.0)
    }

    fn total(&mut self, terms: &[(&Polynomial, BigInt)]) -> Polynomial {
        let add = |sum: Polynomial, (term, factor): &(&Polynomial, BigInt)| {
            sum.plus(term, factor.clone())
        };
        terms.iter().fold(Polynomial::default(), add).modulo(&self.0)
    }

    fn product(&mut self, a: &Polynomial, b: &Polynomial, factor: &BigInt) -> Outcome<Polynomial> {
        if a.terms().saturating_mul(b.terms()) > MOST_TERMS {
            return fail("formula: too many terms to multiply out");
        }
        Ok(Polynomial::default().plus(&a.times(b), factor.clone()).modulo(&self.0))
    }
}
