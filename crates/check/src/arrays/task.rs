//! What a kernel on arrays must do with each element.

use crate::arrays::certificate::{ArrayContract, Numbers};
use crate::arrays::value::Value;
use crate::{Outcome, fail};
use num_bigint::BigInt;

/// Bits of a word of memory and of a digit.
pub(crate) const WORD: u32 = 64;
pub(crate) const DIGIT: u32 = 52;
/// Places of a register, and elements of a block.
pub(crate) const LANES: usize = 8;
/// Bytes of a register.
pub(crate) const VECTOR: i64 = 64;
/// Words that an element may have.
const MOST_WORDS: usize = 64;

/// An operand: its words are the atoms from the first one on.
#[derive(Clone, Debug)]
pub(crate) struct LaneOperand {
    pub(crate) name: &'static str,
    /// The largest number that its words make.
    pub(crate) high: BigInt,
    /// Its words; those that are always 0 are constants.
    pub(crate) words: Vec<Value>,
    /// The number that its words make.
    pub(crate) value: Value,
}

/// Operands of one lane and what each result is: factor * result = claim mod p, result <= most.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) p: BigInt,
    pub(crate) words: usize,
    pub(crate) word_bits: u32,
    pub(crate) operands: Vec<LaneOperand>,
    /// The largest values of the atoms.
    pub(crate) highs: Vec<u64>,
    pub(crate) factor: BigInt,
    pub(crate) claims: Vec<Value>,
    pub(crate) most: BigInt,
}

impl ArrayContract {
    /// The operation's name, made of its family and numbers.
    fn name(&self) -> String {
        let lazy = if self.parameters.lazy > 0 { "_lazy" } else { "" };
        format!("{}{lazy}", self.family)
    }

    /// What it says of one lane.
    pub(crate) fn task(&self) -> Outcome<Task> {
        let Self { operation, family, parameters, p, words, word_bits, convention } = self;
        let (p, bits) = (p.0.clone(), *word_bits);
        if ![WORD, DIGIT].contains(&bits) || convention != "sysv" || *operation != self.name() {
            return fail(format!("contract: no {operation} on arrays, {bits} bits, {convention}"));
        }
        let is_odd = p.bit(0) && p > 2.into();
        if !(1..=MOST_WORDS).contains(words) || !is_odd {
            return fail(format!("contract: no odd p of {words} words"));
        }
        let r = BigInt::from(1) << (bits as usize * words);
        let Numbers { lazy } = parameters;
        let (names, divides) = of_family(family).ok_or(format!("contract: no {family}"))?;
        let high: BigInt = &p * (lazy + 1) - 1;
        if high >= r || *lazy > most_lazy(family) {
            return fail(format!("contract: no {operation} of values up to {high:#x}"));
        }
        let canonical: BigInt = &p - 1;
        let mut task = Task {
            factor: if divides { r.clone() } else { 1.into() },
            most: high.clone(),
            highs: Vec::new(),
            operands: Vec::new(),
            claims: Vec::new(),
            word_bits: bits,
            words: *words,
            p,
        };
        for name in names {
            task.operand(name, if *name == CANONICAL { &canonical } else { &high });
        }
        task.claims = claims(family, &task.operands, &r);
        Ok(task)
    }
}

impl Task {
    /// Adds an operand, whose words are new atoms.
    fn operand(&mut self, name: &'static str, high: &BigInt) {
        let most = u64::MAX >> (u64::BITS - self.word_bits);
        let mut words = Vec::new();
        let mut value = Value::default();
        for place in 0..self.words {
            let at = self.word_bits as usize * place;
            let top = u64::try_from(high >> at).unwrap_or(u64::MAX).min(most);
            let word = if top > 0 { Value::atom(self.highs.len()) } else { Value::default() };
            self.highs.extend((top > 0).then_some(top));
            value = value.plus(&word.raised(at as u64), 1);
            words.push(word);
        }
        self.operands.push(LaneOperand { name, high: high.clone(), words, value });
    }
}

/// The operand that is below p where the others are lazy.
const CANONICAL: &str = "w";

/// Up to which k a family may take values below (k + 1)*p.
fn most_lazy(family: &str) -> u32 {
    match family {
        "add" | "sub" | "mul" | "square" => 1,
        "butterfly" => 32,
        _ => 0,
    }
}

/// The operands' names in call order, and whether results are divided by R.
pub(crate) fn of_family(family: &str) -> Option<(&'static [&'static str], bool)> {
    Some(match family {
        "add" | "sub" => (&["x", "y"], false),
        "neg" | "double" => (&["x"], false),
        "mul" => (&["x", "y"], true),
        "square" => (&["x"], true),
        "mul_add" => (&["x", "y", "a"], true),
        "butterfly" => (&["x", "y", CANONICAL], true),
        _ => return None,
    })
}

/// What each result, times R where it is divided by it, is modulo p.
fn claims(family: &str, operands: &[LaneOperand], r: &BigInt) -> Vec<Value> {
    let none = Value::default();
    let of = |number: usize| operands.get(number).map_or(&none, |operand| &operand.value);
    let (x, y, third) = (of(0), of(1), of(2));
    match family {
        "add" => vec![x.plus(y, 1)],
        "sub" => vec![x.plus(y, -1)],
        "neg" => vec![none.plus(x, -1)],
        "double" => vec![x.plus(x, 1)],
        "mul" => vec![x.times(y)],
        "square" => vec![x.times(x)],
        "mul_add" => vec![x.times(y).plus(third, r.clone())],
        _ => {
            let (x, product) = (none.plus(x, r.clone()), y.times(third)); // x + w*y, x - w*y
            vec![x.plus(&product, 1), x.plus(&product, -1)]
        }
    }
}
