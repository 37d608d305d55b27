//! A user's formula: what its text says. `fieldc/proof/claims/formulas.py` describes the text.

use crate::polynomial::{Integer, Polynomial};
use crate::{Outcome, fail};
use num_bigint::BigInt;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Terms of a polynomial that is multiplied out.
const MOST_TERMS: usize = 50_000;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Formula {
    /// Name, values side by side, and the size of each.
    pub(crate) operands: Vec<(String, usize, Size)>,
    steps: Vec<Step>,
    /// Values, which are numbered: the operands', then the steps'.
    pub(crate) results: Vec<usize>,
    /// The size of each result.
    pub(crate) multiple: Size,
}

/// What values are below: so many p, or m * p^k * 2^b. Or an integer in two's complement.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Size {
    Residue(u32),
    Wide(u32, u32, u32),
    Signed(Sign, u32),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Sign {
    Signed,
}

impl Size {
    fn is_whole(&self) -> bool {
        match *self {
            Self::Residue(m) => m > 0,
            Self::Wide(m, k, b) => m > 0 && k <= 2 && b <= 128 && k + b > 0,
            Self::Signed(Sign::Signed, b) => b == 64 || b == 128,
        }
    }

    pub(crate) fn is_signed(&self) -> bool {
        matches!(self, Self::Signed(..))
    }

    /// The largest value, for residues of n limbs, and the limbs of a value.
    pub(crate) fn most(&self, p: &BigInt, limbs: usize) -> Outcome<(BigInt, usize)> {
        let size = |high: &BigInt| high.bits().div_ceil(64) as usize;
        match *self {
            Self::Residue(m) => match p * m - 1u8 {
                high if size(&high) <= limbs => Ok((high, limbs)),
                _ => fail("contract: the formula's values do not fit its limbs"),
            },
            Self::Wide(m, 1, 0) => Self::Residue(m).most(p, limbs),
            Self::Signed(_, b) => Self::Wide(1, 0, b).most(p, limbs),
            Self::Wide(m, k, b) => {
                let high = ((p.pow(k) * m) << b) - 1u8;
                let width = size(&high);
                Ok((high, width))
            }
        }
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum Step {
    Two(Kind, usize, usize),
    Divide(Divide, usize),
    Scale(Scale, usize, Integer),
    Constant(Constant, Integer),
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Kind {
    Add,
    Sub,
    Mul,
    Times,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Divide {
    Divide,
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
        let whole = |(_, count, size): &(_, usize, Size)| {
            (1..=1 << 16).contains(count) && size.is_whole() && (*count == 1 || !size.is_signed())
        };
        let multiple = &found.multiple;
        let is_whole = multiple.is_whole() && !multiple.is_signed();
        let is_whole = is_whole && found.operands.iter().all(whole);
        if found.results.is_empty() || !is_whole {
            return fail("formula: it has no results, or an operand without values");
        }
        Ok(found)
    }

    /// How many steps it has.
    pub(crate) fn steps(&self) -> usize {
        self.steps.len()
    }

    /// The results for values of its operands, where R = 2^(64n) and products are divided by R.
    pub(crate) fn evaluate(
        &self,
        algebra: &mut impl Algebra,
        p: &BigInt,
        limbs: usize,
        values: Vec<Polynomial>,
    ) -> Outcome<Vec<Polynomial>> {
        self.asked(algebra, p, limbs, values, &BTreeMap::new(), &self.results)
    }

    /// The values with the numbers that are asked, where some were shown to be others.
    pub(crate) fn asked(
        &self,
        algebra: &mut impl Algebra,
        p: &BigInt,
        limbs: usize,
        values: Vec<Polynomial>,
        shown: &BTreeMap<usize, Polynomial>,
        asked: &[usize],
    ) -> Outcome<Vec<Polynomial>> {
        let r = BigInt::from(1) << (64 * limbs);
        let inverse = r.modinv(p).ok_or("formula: R has no inverse modulo p")?;
        let mut known = values;
        let one = || BigInt::from(1);
        let last = asked.iter().max().copied().unwrap_or_default();
        for step in self.steps.iter().take((last + 1).saturating_sub(known.len())) {
            if let Some(value) = shown.get(&known.len()) {
                known.push(value.clone());
                continue;
            }
            let value = |i: usize| known.get(i).ok_or("formula: a step takes a later value");
            let next = match step {
                Step::Two(Kind::Add, a, b) => {
                    algebra.total(&[(value(*a)?, one()), (value(*b)?, one())])
                }
                Step::Two(Kind::Sub, a, b) => {
                    algebra.total(&[(value(*a)?, one()), (value(*b)?, -one())])
                }
                Step::Two(Kind::Mul, a, b) => algebra.product(value(*a)?, value(*b)?, &inverse)?,
                Step::Two(Kind::Times, a, b) => algebra.product(value(*a)?, value(*b)?, &one())?,
                Step::Divide(_, a) => algebra.total(&[(value(*a)?, inverse.clone())]),
                Step::Scale(_, a, factor) => algebra.total(&[(value(*a)?, factor.0.clone())]),
                Step::Constant(_, number) => algebra.constant(&number.0 * &r),
            };
            known.push(next);
        }
        let result = |i: &usize| known.get(*i).cloned().ok_or("formula: a result is no value");
        Ok(asked.iter().map(result).collect::<Result<_, _>>()?)
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
