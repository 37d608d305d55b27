//! What a certificate's contract says of each element.

use crate::arrays::certificate::{ArrayContract, Mixed, Numbers};
use crate::arrays::columns::{Columns, digits_of, excess};
use crate::arrays::layout::{DIGIT, HALF, Layout, WORD};
use crate::arrays::task::{LaneOperand, Task};
use crate::arrays::transforms::{MOST_LAZY, is_of_transforms, transform_task};
use crate::arrays::value::Value;
use crate::{Outcome, fail};
use num_bigint::BigInt;

/// Words that an element may have.
const MOST_WORDS: usize = 64;

impl ArrayContract {
    /// The operation's name, made of its family and numbers.
    fn name(&self) -> String {
        let Numbers { lazy, factor } = self.parameters;
        let factor = if factor > 0 { format!("_{factor}") } else { String::new() };
        format!("{}{factor}{}", self.family, if lazy > 0 { "_lazy" } else { "" })
    }

    /// What it says of one lane.
    pub(crate) fn task(&self) -> Outcome<Task> {
        let Self { operation, family, parameters, words, word_bits, convention, turns, .. } = self;
        let (p, bits) = (self.p.0.clone(), *word_bits);
        let has_words = [WORD, DIGIT].contains(&bits) || (bits == HALF && *words == 1);
        if !has_words || convention != "sysv" || *operation != self.name() {
            return fail(format!("contract: no {operation} on arrays, {bits} bits, {convention}"));
        }
        let Numbers { lazy, factor } = parameters;
        let is_odd = p.bit(0) && p > 2.into();
        if !(1..=MOST_WORDS).contains(words) || !is_odd {
            return fail(format!("contract: no odd p of {words} words"));
        }
        if turns.is_some() && (self.mixed.is_some() || !self.shared.is_empty()) {
            return fail("contract: sums of other arrays");
        }
        let has_columns = self.multiple.is_some() || self.column_bits.is_some();
        if (has_columns && turns.is_none()) || self.multiple == Some(0) {
            return fail("contract: columns of no sums");
        }
        if let Some(mixed) = &self.mixed {
            let of_transform = is_of_transforms(family);
            let find = if of_transform { transform_task } else { Self::mixed_task };
            let mut task = find(self, mixed)?;
            self.share(&mut task)?;
            return Ok(task);
        }
        if !self.shared.is_empty() {
            return fail("contract: an element for all, in arrays of one layout");
        }
        if *factor > 0 {
            return fail("contract: a factor on arrays of one layout");
        }
        if let Some(turns) = turns {
            let multiple = self.multiple.unwrap_or_default();
            let column_bits = self.column_bits.unwrap_or(DIGIT);
            let (words, turns) = (*words, *turns);
            let columns = Columns { p, words, word_bits: bits, column_bits, turns, multiple };
            return if *lazy > 0 { fail("contract: lazy sums") } else { columns.task(family) };
        }
        let r = BigInt::from(1) << (bits as usize * words);
        let (names, divides) = of_family(family).ok_or(format!("contract: no {family}"))?;
        let high: BigInt = &p * (lazy + 1) - 1;
        if high >= r || *lazy > most_lazy(family) {
            return fail(format!("contract: no {operation} of values up to {high:#x}"));
        }
        let (canonical, layout): (BigInt, _) = (&p - 1, Layout::of_elements(*words, bits));
        let factor = if divides { r.clone() } else { 1.into() };
        let mut task = Task::new(p, layout, factor, high.clone());
        for name in names {
            task.operand(name, layout, if *name == CANONICAL { &canonical } else { &high });
        }
        let halves = if layout.is_halved { 2 } else { 1 };
        let of = |half| task.operands.iter().skip(half).step_by(halves).collect::<Vec<_>>();
        let each: Vec<_> = (0..halves).map(|half| claims(family, &of(half), &r)).collect();
        let results = 0..each[0].len();
        task.claims = results.flat_map(|at| each.iter().map(move |of| of[at].clone())).collect();
        task.arrays_apart();
        Ok(task)
    }
}

/// Of arrays in limbs and in digits.
impl ArrayContract {
    /// Of a field of n limbs: elements in limbs are below p, and R is 2^(64n).
    fn mixed_task(&self, Mixed { in_digits, gives_digits }: &Mixed) -> Outcome<Task> {
        let Self { family, parameters: Numbers { lazy, factor }, words, word_bits, .. } = self;
        let p = self.p.0.clone();
        let (limbs, digits) = (Layout::limbs(*words), Layout::digits(digits_of(*words)));
        let (one, r) = (BigInt::from(1), BigInt::from(1) << (WORD as usize * words));
        let raised = &one << excess(*words);
        let (names, most, divisor) = match family.as_str() {
            "mul_by" if *lazy == 0 && *factor > 0 => (["x"], 0, one.clone()),
            "reduce" => (["x"], *lazy, one.clone()),
            "to_digits" if *lazy == 0 => (["x"], 0, one.clone()),
            "from_digits" if *lazy == 0 => (["x"], 1, raised.clone()),
            _ => return fail(format!("contract: no {family} of arrays in limbs and in digits")),
        };
        let (canonical, high): (BigInt, BigInt) = (&p - 1, &p * (most + 1) - 1);
        let is_wrong = p >= r || high >= &one << (DIGIT as usize * digits.words);
        let is_known = in_digits.iter().all(|name| names.contains(&name.as_str()));
        let has_limbs = !gives_digits || in_digits.len() < names.len();
        let has_factor = *factor > 0 && family != "mul_by";
        if is_wrong
            || !is_known
            || !has_limbs
            || has_factor
            || *word_bits != WORD
            || most > MOST_LAZY
        {
            return fail(format!("contract: no {family} of such arrays"));
        }
        let is_lazy = *gives_digits && family != "reduce";
        let largest = if is_lazy { high.clone() } else { canonical.clone() };
        let result = if *gives_digits { digits } else { limbs };
        let mut task = Task::new(p, result, divisor, largest);
        for name in names {
            let is_in_digits = in_digits.iter().any(|known| known == name);
            let layout = if is_in_digits { digits } else { limbs };
            task.operand(name, layout, if is_in_digits { &high } else { &canonical });
        }
        let x = &task.operands[0].value;
        let none = Value::default();
        task.claims = match family.as_str() {
            "mul_by" => vec![none.plus(x, *factor)],
            "to_digits" => vec![none.plus(x, raised)],
            _ => vec![x.clone()],
        };
        task.arrays_apart();
        Ok(task)
    }

    /// Lets operands in digits have one element, which serves for all.
    fn share(&self, task: &mut Task) -> Outcome<()> {
        for name in &self.shared {
            let is_it = |of: &LaneOperand| of.shown() == name && !of.layout.in_limbs;
            let at = task.operands.iter().position(is_it);
            let at = at.ok_or_else(|| format!("contract: {name} is no element for all"))?;
            task.operands[at].layout.is_single = true;
            for array in task.arrays.iter_mut().filter(|array| array.operand == Some(at)) {
                array.advance = 0;
            }
        }
        Ok(())
    }
}

/// The operand that is below p where the others are lazy.
const CANONICAL: &str = "w";

/// Up to which k a family may take values below (k + 1)*p.
fn most_lazy(family: &str) -> u32 {
    match family {
        "add" | "sub" | "mul" | "square" | "mul_add" => 1,
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
fn claims(family: &str, operands: &[&LaneOperand], r: &BigInt) -> Vec<Value> {
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
