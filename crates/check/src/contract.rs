//! What a kernel must do.

use crate::certificate::{Parameters, Stated};
use crate::convention::{self, Convention};
use crate::formula::{Formula, Modulo};
use crate::polynomial::Polynomial;
use crate::{Outcome, fail};
use num_bigint::BigInt;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

mod between;
mod quotients;

/// The base of addresses on the stack. No operand is called so.
pub(crate) const STACK: &str = "stack";

/// Ends the base of a register of which nothing is known on entry. No operand's name ends so.
pub(crate) const UNKNOWN: &str = " on entry";

fn is_unknown(base: &str) -> bool {
    base.ends_with(UNKNOWN)
}

/// Values that lie side by side, at one pointer.
#[derive(Clone, Debug)]
pub(crate) struct Operand {
    pub(crate) name: String,
    pub(crate) values: usize,
    /// Limbs of each value.
    pub(crate) limbs: usize,
    /// The largest number that the limbs of each may make.
    pub(crate) high: BigInt,
    /// Whether it is in two's complement: then the value is less by 2^(64*limbs) where its top bit
    /// is set.
    pub(crate) is_signed: bool,
}

impl Operand {
    /// Values that have no sign.
    fn of(name: &str, values: usize, limbs: usize, high: BigInt) -> Self {
        Self { name: name.to_string(), values, limbs, high, is_signed: false }
    }
}

/// z's values: factor * value = claim mod p, and value <= most.
#[derive(Clone, Debug)]
pub(crate) struct Contract {
    pub(crate) p: BigInt,
    pub(crate) limbs: usize,
    pub(crate) convention: &'static Convention,
    /// In call order; their limbs are the first variables.
    pub(crate) operands: Vec<Operand>,
    /// Limbs of each of z's values.
    pub(crate) width: usize,
    pub(crate) factor: BigInt,
    claims: Claims,
    /// The largest of z's values that is allowed.
    pub(crate) most: BigInt,
    /// Values between operands and result that must still be shown. The claim is of the first one;
    /// each later one, and the result, is the square of the one before it.
    pub(crate) between: usize,
    /// Values that were shown, and the largest that each may be, by their numbers: operands' values
    /// count, then those between, which of a formula are its steps'.
    shown: BTreeMap<usize, (Polynomial, BigInt)>,
}

/// What each of z's values is, which lie side by side.
#[derive(Clone, Debug)]
enum Claims {
    Known(Vec<Polynomial>),
    /// The values of a formula with these numbers, for values of its operands. One by calls may be
    /// too long to multiply out.
    Of(Rc<Formula>, Vec<Polynomial>, Vec<usize>),
}

/// Families of which some operations take values below 2p.
const LAZY: [&str; 9] = [
    "add",
    "sub",
    "mul",
    "square",
    "sum_of_products",
    "reduce",
    "mul_plain",
    "square_plain",
    "divstep_de",
];

/// What an operation does with values: how many each operand has, how many operands, and z's.
struct Meaning {
    beside: usize,
    operands: usize,
    claims: Vec<Polynomial>,
}

impl Contract {
    /// The contract of an operation on n limbs, R = 2^(64n).
    pub(crate) fn new(stated: &Stated) -> Outcome<Self> {
        let Stated { operation, family, parameters, formula, p, limbs, convention } = stated;
        let (family, p, limbs) = (family.as_str(), p.0.clone(), *limbs);
        let convention = convention::named(convention)
            .ok_or_else(|| format!("contract: no convention {convention}"))?;
        if !(1..=64).contains(&limbs) || p < 3.into() || !p.bit(0) || p.bits() > 64 * limbs as u64 {
            return fail(format!("contract: no odd p of {limbs} limbs"));
        }
        if let Some(text) = formula {
            if *parameters != Parameters::default() || family != operation {
                return fail("contract: a formula of a family, or with parameters");
            }
            return Self::of_formula(Rc::new(Formula::parsed(text)?), &p, limbs, convention);
        }
        let unknown = || format!("contract: no operation {} modulo p", stated.name());
        if *operation != stated.name() {
            return fail(format!("contract: {operation} is not the name of {}", stated.name()));
        }
        let r = BigInt::from(1) << (64 * limbs);
        if family == "divstep_fg" && *parameters == Parameters::default() {
            return Self::of_quotients(&r, limbs, convention);
        }
        let lazy = match parameters.lazy {
            None => false,
            Some(1) if LAZY.contains(&family) && &p * 2 <= r => true,
            Some(_) => return Err(unknown()),
        };
        let wide = !lazy && (family == "redc" || family == "reduce");
        let width = if wide { 2 * limbs } else { limbs };
        let bound = if wide { &p * &r } else { &p * (1 + u32::from(lazy)) };
        let most = if lazy && family != "reduce" { &bound - 1 } else { &p - 1 };
        let Meaning { beside, operands, claims } =
            meaning(family, parameters, &r, |k| number(k * width, width)).ok_or_else(unknown)?;
        let factor = match family {
            "to_montgomery" => r.modinv(&p).expect("p is odd"),
            "mul" | "mul_add" | "square" | "redc" | "from_montgomery" | "sum_of_products" => r,
            "difference_of_products" | "fp2_mul" | "fp2_square" | "square_times" => r,
            "divstep_update" | "divstep_de" => BigInt::from(1) << 64,
            _ => 1.into(),
        };
        let high: BigInt = bound - 1;
        let residue = |name: &&str| Operand::of(name, beside, width, high.clone());
        let mut operands: Vec<_> = ["x", "y", "a"].iter().take(operands).map(residue).collect();
        let mut claims = claims;
        let between = parameters.squarings.unwrap_or(1) - 1; // not 0, or it has no meaning
        for &(name, bits, values) in integers(family) {
            let size = bits.div_ceil(64);
            operands.push(Operand::of(name, values, size, (BigInt::from(1) << bits) - 1));
            claims = with_integers(family, limbs, size);
        }
        let (width, shown, claims) = (limbs, BTreeMap::new(), Claims::Known(claims));
        Self { p, limbs, convention, operands, width, factor, claims, most, between, shown }
            .checked()
    }

    /// The contract of a formula on n limbs. Its claims are modulo p.
    pub(crate) fn of_formula(
        formula: Rc<Formula>,
        p: &BigInt,
        limbs: usize,
        convention: &'static Convention,
    ) -> Outcome<Self> {
        let mut operands = Vec::new();
        for (name, values, size) in &formula.operands {
            let (high, limbs) = size.most(p, limbs)?;
            let (name, is_signed) = (name.clone(), size.is_signed());
            operands.push(Operand { name, values: *values, limbs, high, is_signed });
        }
        let (most, width) = formula.multiple.most(p, limbs)?;
        let mut values = Vec::new();
        let mut first = 0;
        let mut sign = operands.iter().map(|o| o.limbs * o.values).sum::<usize>() + 1;
        for operand in operands.iter().flat_map(|o| std::iter::repeat_n(o, o.values)) {
            let mut value = number(first, operand.limbs);
            if operand.is_signed {
                let size = BigInt::from(1) << (64 * operand.limbs);
                value = value.plus(&Polynomial::variable(sign), -size);
                sign += 2; // its word and its carry, see `Memory::new`
            }
            values.push(value);
            first += operand.limbs;
        }
        let results = formula.results.clone();
        let claims = Claims::Of(formula, values, results);
        let (p, factor, between, shown) = (p.clone(), 1.into(), 0, BTreeMap::new());
        Self { p, limbs, convention, operands, width, factor, claims, most, between, shown }
            .checked()
    }

    /// The frame of code that takes words and gives words: nothing is claimed of them here.
    pub(crate) fn of_words(
        operands: &[&str],
        results: usize,
        convention: &'static Convention,
    ) -> Outcome<Self> {
        let high = BigInt::from(u64::MAX);
        let word = |name: &&str| Operand::of(name, 1, 1, high.clone());
        let operands = operands.iter().map(word).collect();
        let claims = Claims::Known(vec![Polynomial::default(); results]);
        let (p, factor, most) = (high.clone(), 1.into(), high.clone());
        let (limbs, width, between, shown) = (1, 1, 0, BTreeMap::new());
        Self { p, limbs, convention, operands, width, factor, claims, most, between, shown }
            .checked()
    }

    /// What each of z's values is, modulo p.
    pub(crate) fn claims(&self) -> Outcome<Cow<'_, [Polynomial]>> {
        match &self.claims {
            Claims::Known(claims) => Ok(Cow::Borrowed(claims)),
            Claims::Of(formula, values, asked) => {
                let (mut modulo, values) = (Modulo(self.p.clone()), values.clone());
                let shown = self.shown.iter().map(|(number, (value, _))| (*number, value.clone()));
                let (p, shown) = (&self.p, shown.collect());
                Ok(Cow::Owned(formula.asked(&mut modulo, p, self.limbs, values, &shown, asked)?))
            }
        }
    }

    /// How many values z has.
    pub(crate) fn results(&self) -> usize {
        match &self.claims {
            Claims::Known(claims) => claims.len(),
            Claims::Of(_, _, asked) => asked.len(),
        }
    }

    /// Refuses operands that do not fit into registers, or whose names are not their own.
    fn checked(self) -> Outcome<Self> {
        let pointers = 1 + self.operands.len();
        if pointers > self.convention.arguments {
            return fail(format!("contract: {pointers} arguments do not fit into registers"));
        }
        let mut names = BTreeSet::from(["z", "code", STACK]);
        let mut is_taken = |name| is_unknown(name) || !names.insert(name);
        match self.operands.iter().find(|operand| is_taken(operand.name.as_str())) {
            Some(taken) => fail(format!("contract: an operand cannot be called {}", taken.name)),
            None => Ok(self),
        }
    }

    /// The operand of each value, in call order, with the number of the value's first variable.
    pub(crate) fn values(&self) -> impl Iterator<Item = (&Operand, usize)> {
        let each = self.operands.iter().flat_map(|o| std::iter::repeat_n(o, o.values));
        each.scan(0, |next, operand| {
            let first = *next;
            *next += operand.limbs;
            Some((operand, first))
        })
    }

    /// A value by the name that slopes have for it, `x` or `x.1`, and the largest that it may be.
    pub(crate) fn named(&self, name: &str) -> Option<(Polynomial, &BigInt)> {
        let mut number_of = 0;
        let mut before = "";
        let mut operands = self.values();
        operands
            .find_map(|(operand, first)| {
                number_of = if before == operand.name { number_of + 1 } else { 0 };
                before = &operand.name;
                let is_it = match operand.values {
                    1 => name == operand.name,
                    _ => name == format!("{}.{number_of}", operand.name),
                };
                is_it.then(|| (number(first, operand.limbs), &operand.high))
            })
            .or_else(|| self.shown_as(name))
    }

    /// What the pointers that it takes lead to, in call order.
    pub(crate) fn pointers(&self) -> impl Iterator<Item = &str> {
        ["z"].into_iter().chain(self.operands.iter().map(|operand| operand.name.as_str()))
    }

    /// Limbs of all of z's values.
    pub(crate) fn result_limbs(&self) -> usize {
        self.width * self.results()
    }
}

/// The value whose limbs are so many variables from the first on.
fn number(first: usize, limbs: usize) -> Polynomial {
    Polynomial::number((first..first + limbs).map(Polynomial::variable))
}

/// The plain integers, no residues, that a family has beside x: names, bits and values of each.
fn integers(family: &str) -> &'static [(&'static str, usize, usize)] {
    match family {
        "mul_u64" => &[("k", 64, 1)],
        "mul_u128" => &[("k", 128, 1)],
        "divstep_update" => &[("u", 62, 1), ("v", 62, 1)],
        "divstep_de" => &[("m", 61, 4)],
        _ => &[],
    }
}

/// What a family with plain integers, each of so many limbs, computes.
fn with_integers(family: &str, limbs: usize, size: usize) -> Vec<Polynomial> {
    let (x, y) = (number(0, limbs), number(limbs, limbs));
    // The row of a matrix on x and y, whose entries are raised.
    let row = |first: usize, raised: u64| {
        let entry = |k| number(2 * limbs + (first + k) * size, size);
        let products = x.times(&entry(0)).plus(&y.times(&entry(1)), 1);
        products.plus(&x, -BigInt::from(raised)).plus(&y, -BigInt::from(raised))
    };
    match family {
        "divstep_update" => vec![row(0, 1 << 61)],
        "divstep_de" => vec![row(0, 1 << 59), row(2, 1 << 59)],
        _ => vec![x.times(&number(limbs, size))],
    }
}

/// What an operation computes, from the values of its operands in call order.
///
/// `None` for an unknown family, and for numbers that the family lacks or does not take.
fn meaning(
    family: &str,
    parameters: &Parameters,
    r: &BigInt,
    value: impl Fn(usize) -> Polynomial,
) -> Option<Meaning> {
    let (x, y) = (value(0), value(1));
    let product = |a, b| value(a).times(&value(b));
    let one = |operands, claim| Meaning { beside: 1, operands, claims: vec![claim] };
    let &Parameters { beta, count, factor, squarings, lazy: _ } = parameters;
    if (family == "square_times") != squarings.is_some() {
        return None;
    }
    Some(match (family, beta, count, factor) {
        ("square_times", None, None, None) => {
            (1..=64).contains(&squarings?).then(|| one(1, x.times(&x)))?
        }
        ("add", None, None, None) => one(2, x.plus(&y, 1)),
        ("sub", None, None, None) => one(2, x.plus(&y, -1)),
        ("neg", None, None, None) => one(1, Polynomial::default().plus(&x, -1)),
        ("double", None, None, None) => one(1, x.clone().plus(&x, 1)),
        ("mul" | "mul_plain", None, None, None) => one(2, x.times(&y)),
        ("mul_add", None, None, None) => one(3, x.times(&y).plus(&value(2), r.clone())),
        ("square" | "square_plain", None, None, None) => one(1, x.times(&x)),
        ("redc" | "reduce" | "from_montgomery" | "to_montgomery", None, None, None) => one(1, x),
        ("mul_u64" | "mul_u128", None, None, None) => one(1, Polynomial::default()), // stated there
        ("divstep_update" | "divstep_de", None, None, None) => {
            Meaning { beside: 2, operands: 1, claims: vec![Polynomial::default()] } // stated there
        }
        ("mul_by", None, None, Some(factor)) => one(1, Polynomial::default().plus(&x, factor)),
        ("difference_of_products", None, None, None) => {
            let claims = vec![product(0, 2).plus(&product(1, 3), -1)];
            Meaning { beside: 2, operands: 2, claims }
        }
        ("sum_of_products" | "sum_of_products_plain", None, Some(count @ 1..=64), None) => {
            let sum = |t: Polynomial, i| t.plus(&product(i, count + i), 1);
            let claims = vec![(0..count).fold(Polynomial::default(), sum)];
            Meaning { beside: count, operands: 2, claims }
        }
        ("fp2_mul", Some(beta), None, None) => {
            let cross = product(0, 3).plus(&product(1, 2), 1);
            let claims = vec![product(0, 2).plus(&product(1, 3), beta), cross];
            Meaning { beside: 2, operands: 2, claims }
        }
        ("fp2_square", Some(beta), None, None) => {
            let cross = product(0, 1).plus(&product(0, 1), 1);
            let claims = vec![product(0, 0).plus(&product(1, 1), beta), cross];
            Meaning { beside: 2, operands: 1, claims }
        }
        _ => return None,
    })
}
