//! Verifies every claim of a certificate.

use crate::certificate::{self, Bound, Certificate, Combination, Fact};
use crate::contract::Contract;
use crate::machine::{Row, System, Word};
use crate::polynomial::Polynomial;
use crate::{Failure, Outcome, fail};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

type Known = BTreeMap<usize, u64>;

/// A case: the variables that have one possible value in it.
struct Case<'a> {
    system: &'a System,
    contract: &'a Contract,
    fixed: Known,
}

/// Verifies the cases of a certificate, and that they are all the cases there are.
pub(crate) fn replay(
    all: &Certificate,
    system: &System,
    z: &[Word],
    contract: &Contract,
) -> Outcome<()> {
    if (all.variables, all.rows) != (system.highs.len(), system.rows.len()) {
        return fail("code: it makes other variables and rows than the certificate");
    }
    let z = z.iter().enumerate().fold(Polynomial::default(), |total, (i, limb)| {
        total.plus(&limb.polynomial(), BigInt::from(1) << (64 * i))
    });
    let mut covered = Vec::new();
    for (number, stated) in all.cases.iter().enumerate() {
        let case = Case { system, contract, fixed: Known::new() };
        covered.push(case.verify(stated, &z).map_err(|failure| match failure {
            Failure::Claim(claim) => Failure::Claim(format!("case {number}: {claim}")),
            input @ Failure::Input(_) => input,
        })?);
    }
    let flags: BTreeSet<usize> = system.rows.iter().filter_map(flag_of).collect();
    if flags.len() > 10 {
        return fail(format!("choices depend on {} flags", flags.len()));
    }
    for values in 0..1_u64 << flags.len() {
        let now: Known = flags.iter().enumerate().map(|(i, f)| (*f, values >> i & 1)).collect();
        if !covered.iter().any(|case| case.iter().all(|(f, v)| now.get(f) == Some(v))) {
            return fail(format!("cases: none has the flags {now:?}"));
        }
    }
    Ok(())
}

fn flag_of(row: &Row) -> Option<usize> {
    if let Row::Choice { flag, .. } = row { Some(*flag) } else { None }
}

impl Case<'_> {
    /// Verifies a case; its flags' values.
    fn verify(mut self, stated: &certificate::Case, z: &Polynomial) -> Outcome<Known> {
        match stated {
            certificate::Case::Excluded { flags, excluded } => {
                let Some(((flag, value), others)) = flags.split_last() else {
                    return fail("excluded: no flag is named");
                };
                self.fixed = others.iter().copied().collect();
                if self.fixed.contains_key(flag) {
                    return fail("excluded: a flag is named twice");
                }
                self.is_always(*flag, 1_u64.saturating_sub(*value), excluded)?;
                Ok(flags.iter().copied().collect())
            }
            certificate::Case::Proved { flags, facts, identity, canonical } => {
                self.fixed = flags.iter().copied().collect();
                let flags = self.fixed.clone();
                for fact in facts {
                    self.learn(fact)?;
                }
                let claim = self.contract.claim();
                let target = Polynomial::default().plus(z, self.contract.factor.clone());
                if !self.rest(target.plus(&claim, -1), identity)?.vanishes(&self.contract.p) {
                    return fail("function: the result is another modulo p");
                }
                if !self.at_most(z, &(&self.contract.p - 1), canonical)? {
                    return fail("canonical: the result is not shown to be below p");
                }
                Ok(flags)
            }
        }
    }

    fn high(&self, variable: usize) -> Outcome<u64> {
        let missing = || Failure::Input(format!("there is no variable {variable}"));
        self.system.highs.get(variable).copied().ok_or_else(missing)
    }

    fn polynomial(&self, terms: &certificate::Polynomial) -> Outcome<Polynomial> {
        for variable in terms.iter().flat_map(|(_, variables)| variables) {
            self.high(*variable)?;
        }
        Ok(Polynomial::sum(terms.iter().map(|(c, variables)| (c.0.clone(), variables.clone()))))
    }

    /// A row as a polynomial that is 0 in this case.
    fn equation(&self, number: usize) -> Outcome<Polynomial> {
        match self.system.rows.get(number) {
            Some(Row::Equation(polynomial)) => Ok(polynomial.clone()),
            Some(Row::Choice { word, flag, when_set, otherwise }) => {
                let side = match self.fixed.get(flag) {
                    Some(0) => otherwise,
                    Some(1) => when_set,
                    _ => return fail(format!("row {number}: a choice that is not decided")),
                };
                Ok(Word::Variable(*word).polynomial().plus(&side.polynomial(), -1))
            }
            None => Err(Failure::Input(format!("there is no row {number}"))),
        }
    }

    /// target - sum(multiplier * row), with the known values put in.
    fn rest(&self, mut target: Polynomial, rows: &Combination) -> Outcome<Polynomial> {
        for (row, multiplier) in rows {
            let multiple = self.polynomial(multiplier)?.times(&self.equation(*row)?);
            target = target.plus(&multiple, -1);
        }
        Ok(target.with(&self.fixed))
    }

    /// A product of operands and limbs, and its largest value. It is never negative.
    fn product(&self, names: &[String], limbs: &[usize]) -> Outcome<(Polynomial, BigInt)> {
        let mut total = (Polynomial::sum([(1.into(), limbs.to_vec())]), BigInt::from(1));
        for limb in limbs {
            total.1 *= self.high(*limb)?;
        }
        for name in names {
            let Some(operand) = self.contract.operands.iter().position(|o| o == name) else {
                return Err(Failure::Input(format!("there is no operand {name}")));
            };
            total.0 = total.0.times(&self.contract.value(operand));
            total.1 *= &self.contract.high;
        }
        Ok(total)
    }

    /// Whether the bound shows target <= limit.
    fn at_most(&self, target: &Polynomial, limit: &BigInt, bound: &Bound) -> Outcome<bool> {
        let mut total = Polynomial::default().plus(target, bound.scale.clone());
        let mut high = BigInt::ZERO;
        for (slope, names, limbs) in &bound.slopes {
            let (product, largest) = self.product(names, limbs)?;
            total = total.plus(&product, -&slope.0);
            high += slope.0.clone().max(BigInt::ZERO) * largest;
        }
        high += self.rest(total, &bound.rows)?.upper(&self.system.highs);
        Ok(bound.scale > BigInt::ZERO && high < &bound.scale * (limit + 1))
    }

    /// Verifies that a variable has its least or its largest value.
    fn is_always(&self, variable: usize, value: u64, bound: &Bound) -> Outcome<()> {
        let possible = value == 0 || value == self.high(variable)?;
        let sign = BigInt::from(if value == 0 { 1 } else { -1 });
        let target = Polynomial::sum([(sign.clone(), vec![variable])]);
        if possible && self.at_most(&target, &(sign * value), bound)? {
            return Ok(());
        }
        fail(format!("bound: variable {variable} is not shown to be {value}"))
    }

    /// Verifies a fact and keeps it.
    fn learn(&mut self, fact: &Fact) -> Outcome<()> {
        let (variable, value) = match fact {
            Fact::Bound { variable, value, bound } => {
                self.is_always(*variable, *value, bound)?;
                (*variable, *value)
            }
            Fact::Residue { variable, residue } => {
                self.high(*variable)?; // a word that is 0 modulo 2^64 is 0
                let rest = self.rest(Word::Variable(*variable).polynomial(), residue)?;
                if !rest.vanishes(&(BigInt::from(1) << 64)) {
                    return fail(format!("residue: variable {variable} is not shown to be 0"));
                }
                (*variable, 0)
            }
        };
        self.fixed.insert(variable, value);
        Ok(())
    }
}
