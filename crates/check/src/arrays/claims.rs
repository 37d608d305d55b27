//! What a certificate's contract says of each element.

use crate::arrays::certificate::{ArrayContract, Numbers};
use crate::arrays::columns::Columns;
use crate::arrays::task::{DIGIT, LaneOperand, Layout, Task, WORD};
use crate::arrays::value::Value;
use crate::{Outcome, fail};
use num_bigint::BigInt;

/// Words that an element may have.
const MOST_WORDS: usize = 64;

impl ArrayContract {
    /// The operation's name, made of its family and numbers.
    fn name(&self) -> String {
        let lazy = if self.parameters.lazy > 0 { "_lazy" } else { "" };
        format!("{}{lazy}", self.family)
    }

    /// What it says of one lane.
    pub(crate) fn task(&self) -> Outcome<Task> {
        let Self { operation, family, parameters, p, words, word_bits, convention, turns } = self;
        let (p, bits) = (p.0.clone(), *word_bits);
        if ![WORD, DIGIT].contains(&bits) || convention != "sysv" || *operation != self.name() {
            return fail(format!("contract: no {operation} on arrays, {bits} bits, {convention}"));
        }
        let Numbers { lazy } = parameters;
        let is_odd = p.bit(0) && p > 2.into();
        if !(1..=MOST_WORDS).contains(words) || !is_odd {
            return fail(format!("contract: no odd p of {words} words"));
        }
        if let Some(turns) = turns {
            let columns = Columns { p, words: *words, word_bits: bits, turns: *turns };
            return if *lazy > 0 { fail("contract: lazy sums") } else { columns.task(family) };
        }
        let r = BigInt::from(1) << (bits as usize * words);
        let (names, divides) = of_family(family).ok_or(format!("contract: no {family}"))?;
        let high: BigInt = &p * (lazy + 1) - 1;
        if high >= r || *lazy > most_lazy(family) {
            return fail(format!("contract: no {operation} of values up to {high:#x}"));
        }
        let (canonical, layout): (BigInt, _) = (&p - 1, Layout { words: *words, bits });
        let factor = if divides { r.clone() } else { 1.into() };
        let mut task = Task::new(p, layout, factor, high.clone());
        for name in names {
            task.operand(name, layout, if *name == CANONICAL { &canonical } else { &high });
        }
        task.claims = claims(family, &task.operands, &r);
        task.arrays_apart();
        Ok(task)
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
