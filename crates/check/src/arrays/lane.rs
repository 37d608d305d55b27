//! One lane: its atoms, and what a certificate shows of integers made of them.
//!
//! Every fact is checked when it is learned. All facts of a lane hold for all values of its atoms
//! that its signs allow.

use crate::arrays::certificate::{LaneBound, Step};
use crate::arrays::task::{LaneOperand, Task};
use crate::arrays::value::Value;
use crate::polynomial::Polynomial;
use crate::{Outcome, fail};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// What is known of the integers of a lane, where some signs are given.
#[derive(Clone, Debug)]
pub(crate) struct Lane {
    operands: Vec<LaneOperand>,
    /// The largest value of each atom.
    highs: Vec<u64>,
    /// The variables of the certificate, all of them integers: atoms, and the rests of cuts.
    variables: Vec<Value>,
    /// An integer modulo a power of 2.
    lows: BTreeMap<(Value, u32), Value>,
    /// Integers that atoms are, which were cut as their low bits.
    wholes: BTreeMap<usize, Value>,
    most: BTreeMap<Value, BigInt>,
    least: BTreeMap<Value, BigInt>,
    /// Multiples of 2^64 that sums are taken less of.
    wraps: BTreeMap<Value, BigInt>,
    /// Integers, and whether each is negative.
    signs: Vec<(Value, bool)>,
}

/// 2^bits.
pub(crate) fn power(bits: u32) -> BigInt {
    BigInt::from(1) << bits
}

impl Lane {
    /// A lane whose atoms are the operands' words.
    pub(crate) fn new(task: &Task) -> Self {
        Self {
            operands: task.operands.clone(),
            highs: task.highs.clone(),
            variables: (0..task.highs.len()).map(Value::atom).collect(),
            lows: BTreeMap::new(),
            wholes: BTreeMap::new(),
            most: BTreeMap::new(),
            least: BTreeMap::new(),
            wraps: BTreeMap::new(),
            signs: Vec::new(),
        }
    }

    /// The lane where an integer is negative, or is not.
    pub(crate) fn with_sign(&self, split: &Polynomial, is_negative: bool) -> Outcome<Self> {
        let mut lane = self.clone();
        lane.signs.push((self.integer(split)?, is_negative));
        Ok(lane)
    }

    /// Checks a step and keeps what it shows.
    pub(crate) fn learn(&mut self, step: &Step) -> Outcome<()> {
        match step {
            Step::Cut(bits, of) => {
                let of = self.integer(of)?;
                let low = Value::atom(self.highs.len());
                if !(1..=64).contains(bits) {
                    return fail(format!("a cut at {bits} bits"));
                }
                self.highs.push(u64::MAX >> (64 - bits));
                self.variables.push(low.clone());
                self.variables.push(of.plus(&low, -1).lowered((*bits).into()));
                self.lows.insert((of, *bits), low);
            }
            Step::Low(bits, parts, rest) => {
                let low = self.joined(parts, *bits)?;
                let whole = low.plus(&self.integer(rest)?, power(*bits));
                self.lows.insert((whole, *bits), low);
            }
            Step::Whole(bits, number, rest) => {
                let low = self.variables.get(*number).ok_or("whole: no such variable")?;
                let atom = low.as_atom().ok_or("whole: a variable that is not cut off")?;
                let whole = low.plus(&self.integer(rest)?, power(*bits));
                let (least, most) = self.known_ends(&whole);
                let is_within = |end: Option<BigInt>| {
                    end.is_some_and(|end| end >= BigInt::ZERO && end < power(*bits))
                };
                let is_cut = *bits <= 64 && BigInt::from(self.highs[atom]) < power(*bits);
                if !is_cut || !is_within(least) || !is_within(most) {
                    return fail("whole: an integer that may have more bits");
                }
                self.wholes.insert(atom, whole);
            }
            Step::Most(of, most, bound) => {
                let of = self.integer(of)?;
                self.is_below(&of, &most.0, bound)?;
                self.most.insert(of, most.0.clone());
            }
            Step::Least(of, least, bound) => {
                let of = self.integer(of)?;
                self.is_below(&Value::default().plus(&of, -1), &-&least.0, bound)?;
                self.least.insert(of, least.0.clone());
            }
            Step::Wrap(of, turns) => {
                self.wraps.insert(self.integer(of)?, turns.0.clone());
            }
        }
        Ok(())
    }

    /// A number made of integers at places, where it is from 0 to 2^bits - 1.
    fn joined(&self, parts: &[(u32, Polynomial)], bits: u32) -> Outcome<Value> {
        if bits > 64 || parts.iter().any(|(place, _)| *place >= bits) {
            return fail("low bits above their end");
        }
        let (mut low, mut high) = (BigInt::ZERO, BigInt::ZERO);
        let mut number = Value::default();
        for (place, part) in parts {
            let part = self.integer(part)?;
            let (least, most) = part.ends(&self.highs);
            (low, high) = (low + (least << place), high + (most << place));
            number = number.plus(&part, power(*place));
        }
        if low < BigInt::ZERO || high >= power(bits) {
            return fail(format!("{bits} low bits that may be from {low:#x} to {high:#x}"));
        }
        Ok(number)
    }

    /// A polynomial in the certificate's variables, which are integers.
    fn integer(&self, polynomial: &Polynomial) -> Outcome<Value> {
        let mut total = Value::default();
        for (monomial, coefficient) in polynomial.each() {
            let mut product = Value::constant(1);
            for number in monomial {
                let variable = self.variables.get(*number);
                let variable = variable.ok_or(format!("there is no variable {number}"))?;
                product = product.times(variable);
            }
            total = total.plus(&product, coefficient.clone());
        }
        Ok(total)
    }

    /// Checks that a bound shows target <= limit.
    pub(crate) fn is_below(
        &self,
        target: &Value,
        limit: &BigInt,
        bound: &LaneBound,
    ) -> Outcome<()> {
        let scale = &bound.scale.0;
        let mut rest = Value::default().plus(target, scale.clone());
        let mut high = BigInt::ZERO;
        for (slope, names) in &bound.slopes {
            let (mut product, mut largest) = (Value::constant(1), BigInt::from(1));
            for name in names {
                let operand = self.operands.iter().find(|operand| operand.name == *name);
                let operand = operand.ok_or_else(|| format!("there is no operand {name}"))?;
                product = product.times(&operand.value);
                largest *= &operand.high;
            }
            rest = rest.plus(&product, -&slope.0);
            high += (&slope.0).max(&BigInt::ZERO) * largest;
        }
        for (factor, numbers) in &bound.rests {
            let (product, largest) = self.product(numbers)?;
            rest = rest.plus(&product, -&factor.0);
            high += (&factor.0).max(&BigInt::ZERO) * largest;
        }
        for (number, factor) in &bound.signs {
            let sign = self.signs.get(*number).ok_or(format!("there is no sign {number}"))?;
            let (value, is_negative) = sign;
            // Where it is negative, it is at most -1, and factor <= 0; else at least 0.
            if (factor.0 > BigInt::ZERO && *is_negative)
                || (factor.0 < BigInt::ZERO && !is_negative)
            {
                return fail("bound: a sign that says the opposite");
            }
            rest = rest.plus(value, factor.0.clone());
            high += if *is_negative { factor.0.clone() } else { BigInt::ZERO };
        }
        let (upper, exponent) = rest.upper(&self.highs);
        let total = (high << exponent) + upper;
        if *scale > BigInt::ZERO && total < (scale * (limit + 1)) << exponent {
            return Ok(());
        }
        fail(format!("bound: it is not shown that an integer is at most {limit:#x}"))
    }

    /// A product of the certificate's variables, and its largest value: none may be negative.
    fn product(&self, numbers: &[usize]) -> Outcome<(Value, BigInt)> {
        let (mut product, mut largest) = (Value::constant(1), BigInt::from(1));
        for number in numbers {
            let variable = self.variables.get(*number);
            let variable = variable.ok_or(format!("there is no variable {number}"))?;
            let (least, most) = self.ends(variable);
            if least < BigInt::ZERO {
                return fail(format!("bound: variable {number} may be negative"));
            }
            (product, largest) = (product.times(variable), largest * most);
        }
        Ok((product, largest))
    }

    /// The low bits of an integer, if that is known.
    pub(crate) fn low(&self, value: &Value, bits: u32) -> Option<&Value> {
        self.lows.get(&(value.clone(), bits))
    }

    /// The same integer without low bits that are known to be other integers, and without atoms
    /// that are known to be 0.
    pub(crate) fn in_this_case(&self, value: &Value) -> Value {
        let put = |value: Value, (atom, whole): (&usize, &Value)| value.replaced(*atom, whole);
        let short = self.wholes.iter().rev().fold(value.clone(), put);
        let zeros = self.most.iter().filter(|(_, most)| **most == BigInt::ZERO);
        let left_out = |value: Value, atom| value.replaced(atom, &Value::default());
        zeros.filter_map(|(zero, _)| zero.as_atom()).fold(short, left_out)
    }

    /// How many times 2^64 a sum is taken less.
    pub(crate) fn turns(&self, value: &Value) -> Option<&BigInt> {
        self.wraps.get(value)
    }

    /// Whether an integer is negative, if that was decided.
    pub(crate) fn sign(&self, value: &Value) -> Option<bool> {
        self.signs.iter().find(|(known, _)| known == value).map(|(_, is_negative)| *is_negative)
    }

    /// Bounds of an integer by what was learned, and by each atom.
    pub(crate) fn known_ends(&self, value: &Value) -> (Option<BigInt>, Option<BigInt>) {
        let (mut least, mut most) = (self.least.get(value).cloned(), self.most.get(value).cloned());
        match self.sign(value) {
            Some(true) => most = Some(most.map_or((-1).into(), |most| most.min((-1).into()))),
            Some(false) => {
                least = Some(least.map_or(BigInt::ZERO, |least| least.max(BigInt::ZERO)));
            }
            None => {}
        }
        (least, most)
    }

    /// Bounds by each atom.
    pub(crate) fn ends(&self, value: &Value) -> (BigInt, BigInt) {
        value.ends(&self.highs)
    }
}
