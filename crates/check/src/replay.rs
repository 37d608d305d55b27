//! Verifies every claim of a certificate.

use crate::certificate::{Bound, Case, Combination, Equality, Fact};
use crate::contract::Contract;
use crate::polynomial::Polynomial;
use crate::system::{System, Word};
use crate::{Outcome, fail};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

type Known = BTreeMap<usize, u64>;

/// Verifies what variables always equal. Each difference is 0, so it is one more row.
pub(crate) fn extend(
    equalities: &[Equality],
    contract: &Contract,
    system: &mut System,
) -> Outcome<()> {
    for Equality { variable, value, most, least, cut } in equalities {
        let verifier = Verifier { system, contract, fixed: Known::new() };
        for number in value.variables().chain([*variable]) {
            verifier.high(number)?;
        }
        let (word, bit) = cut.unwrap_or((*variable, 0));
        if cut.is_some() && !system.is_top(word, bit, *variable) {
            return fail(format!("equality: variable {variable} is not what it is said to be"));
        }
        // What is left of the word, which is 0 where it is the variable itself.
        let size = BigInt::from(1) << bit;
        let rest = Polynomial::variable(word).plus(value, -size.clone());
        let negated = Polynomial::default().plus(&rest, -1);
        for (side, limit, bound) in [(&rest, size - 1, most), (&negated, BigInt::ZERO, least)] {
            if !verifier.at_most(side, &limit, bound)? {
                return fail(format!("equality: variable {variable} is not shown to be equal"));
            }
        }
        system.rows.push(Polynomial::variable(*variable).plus(value, -1));
    }
    Ok(())
}

/// Verifies the cases of a certificate, and that they are all the cases there are.
pub(crate) fn replay(
    cases: &[Case],
    contract: &Contract,
    system: &System,
    z: &[Vec<Word>],
) -> Outcome<()> {
    let z: Vec<_> = z.iter().map(|words| Polynomial::number(words.iter().cloned())).collect();
    let claims = contract.claims()?;
    let mut covered = Vec::new();
    for (number, case) in cases.iter().enumerate() {
        let verifier = Verifier { system, contract, fixed: Known::new() };
        covered
            .push(verifier.case(case, &claims, &z).map_err(|why| format!("case {number}: {why}"))?);
    }
    for result in 0..z.len() {
        let of_it = covered.iter().filter(|(of, _)| of.is_none_or(|of| of == result));
        covers(of_it.map(|(_, case)| case), system)?;
    }
    Ok(())
}

/// Verifies that for all values of the flags there is a case.
fn covers<'a>(covered: impl Iterator<Item = &'a Known> + Clone, system: &System) -> Outcome<()> {
    let flags: BTreeSet<_> = covered.clone().flat_map(Known::keys).collect();
    if let Some(other) = flags.iter().find(|flag| !system.flags.contains(flag)) {
        return fail(format!("cases: no choice depends on variable {other}"));
    }
    if flags.len() > 16 {
        return fail(format!("choices depend on {} flags", flags.len()));
    }
    for values in 0..1_u64 << flags.len() {
        let now: Known = flags.iter().enumerate().map(|(i, f)| (**f, values >> i & 1)).collect();
        if !covered.clone().any(|case| case.iter().all(|(f, v)| now.get(f) == Some(v))) {
            return fail(format!("cases: none has the flags {now:?}"));
        }
    }
    Ok(())
}

/// Verifies one case; `fixed` are the variables that have one possible value in it.
struct Verifier<'a> {
    system: &'a System,
    contract: &'a Contract,
    fixed: Known,
}

impl Verifier<'_> {
    /// Verifies one case: which of z's values it is of, if not of all, and its flags' values.
    fn case(
        mut self,
        stated: &Case,
        claims: &[Polynomial],
        z: &[Polynomial],
    ) -> Outcome<(Option<usize>, Known)> {
        match stated {
            Case::Excluded { flags, excluded } => {
                let ((flag, value), others) = flags.split_last().ok_or("excluded: no flag")?;
                self.fixed = others.iter().copied().collect();
                if self.fixed.contains_key(flag) {
                    return fail("excluded: a flag is named twice");
                }
                self.is_always(*flag, 1_u64.saturating_sub(*value), excluded)?;
                Ok((None, flags.iter().copied().collect()))
            }
            Case::Proved { result, flags, facts, identity, canonical } => {
                self.fixed = flags.iter().copied().collect();
                let flags = self.fixed.clone();
                for fact in facts {
                    self.learn(fact)?;
                }
                let Contract { p, factor, most, .. } = self.contract;
                let z = z.get(*result).ok_or_else(|| format!("there is no value {result}"))?;
                let claim = &claims[*result];
                let target = Polynomial::default().plus(z, factor.clone()).plus(claim, -1);
                if !self.rest(target, identity)?.vanishes(p) {
                    return fail("function: the result is another modulo p");
                }
                if !self.at_most(z, most, canonical)? {
                    return fail("canonical: the result is not shown to be below its bound");
                }
                Ok((Some(*result), flags))
            }
        }
    }

    fn high(&self, variable: usize) -> Outcome<u64> {
        let high = self.system.highs.get(variable).copied();
        high.ok_or_else(|| format!("there is no variable {variable}"))
    }

    /// target - sum(multiplier * row), with the known values put in.
    fn rest(&self, mut target: Polynomial, rows: &Combination) -> Outcome<Polynomial> {
        for (number, multiplier) in rows {
            for variable in multiplier.variables() {
                self.high(variable)?;
            }
            let row = self.system.rows.get(*number);
            let row = row.ok_or_else(|| format!("there is no row {number}"))?;
            target = target.plus(&multiplier.times(row), -1);
        }
        Ok(target.with(&self.fixed))
    }

    /// A product of operands and limbs, and its largest value. It is never negative.
    fn product(&self, names: &[String], limbs: &[usize]) -> Outcome<(Polynomial, BigInt)> {
        let mut product = Polynomial::sum([(1.into(), limbs.to_vec())]);
        let mut largest = BigInt::from(1);
        for limb in limbs {
            largest *= self.high(*limb)?;
        }
        for name in names {
            let value = self.contract.named(name);
            let (value, high) = value.ok_or_else(|| format!("there is no operand {name}"))?;
            product = product.times(&value);
            largest *= high;
        }
        Ok((product, largest))
    }

    /// Whether the bound shows target <= limit.
    fn at_most(&self, target: &Polynomial, limit: &BigInt, bound: &Bound) -> Outcome<bool> {
        let scale = &bound.scale.0;
        let mut total = Polynomial::default().plus(target, scale.clone());
        let mut high = BigInt::ZERO;
        for (slope, names, limbs) in &bound.slopes {
            let (product, largest) = self.product(names, limbs)?;
            total = total.plus(&product, -&slope.0);
            high += slope.0.clone().max(BigInt::ZERO) * largest;
        }
        high += self.rest(total, &bound.rows)?.upper(&self.system.highs);
        Ok(*scale > BigInt::ZERO && high < scale * (limit + 1))
    }

    /// Verifies that a variable has its least or its largest value.
    fn is_always(&self, variable: usize, value: u64, bound: &Bound) -> Outcome<()> {
        let possible = [0, self.high(variable)?].contains(&value);
        let sign = if value == 0 { 1 } else { -1 };
        let target = Polynomial::default().plus(&Polynomial::variable(variable), sign);
        if possible && self.at_most(&target, &(BigInt::from(value) * sign), bound)? {
            return Ok(());
        }
        fail(format!("bound: variable {variable} is not shown to be {value}"))
    }

    /// Verifies that a variable is at least a value and at most the same value.
    fn is_between(&self, variable: usize, value: u64, least: &Bound, most: &Bound) -> Outcome<()> {
        self.high(variable)?;
        for (sign, bound) in [(-1, least), (1, most)] {
            let target = Polynomial::default().plus(&Polynomial::variable(variable), sign);
            if !self.at_most(&target, &(BigInt::from(value) * sign), bound)? {
                return fail(format!("bound: variable {variable} is not shown to be {value}"));
            }
        }
        Ok(())
    }

    /// Verifies a fact and keeps it.
    fn learn(&mut self, fact: &Fact) -> Outcome<()> {
        let (variable, value) = match fact {
            Fact::Bound { variable, value, bound, most: None } => {
                self.is_always(*variable, *value, bound)?;
                (*variable, *value)
            }
            Fact::Bound { variable, value, bound: least, most: Some(most) } => {
                self.is_between(*variable, *value, least, most)?;
                (*variable, *value)
            }
            Fact::Residue { variable, residue, scale } => {
                self.high(*variable)?; // a word that is 0 modulo 2^64 is 0
                let scale = scale.as_ref().map_or(BigInt::from(1), |scale| scale.0.clone());
                let target =
                    Polynomial::default().plus(&Polynomial::variable(*variable), scale.clone());
                let rest = self.rest(target, residue)?;
                if scale <= BigInt::from(0) || !rest.vanishes(&(scale << 64)) {
                    return fail(format!("residue: variable {variable} is not shown to be 0"));
                }
                (*variable, 0)
            }
        };
        self.fixed.insert(variable, value);
        Ok(())
    }
}
