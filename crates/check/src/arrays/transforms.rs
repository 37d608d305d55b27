//! What kernels of transforms do that no other kernels do.

use crate::arrays::certificate::{ArrayContract, Mixed, Numbers};
use crate::arrays::columns::digits_of;
use crate::arrays::layout::{DIGIT, Layout, WORD};
use crate::arrays::task::{LaneOperand, LooseResult, Task};
use crate::arrays::value::Value;
use crate::{Outcome, fail};
use num_bigint::BigInt;

/// The most that values are lazy.
pub(crate) const MOST_LAZY: u32 = 128;
/// Bits of a word of a number in loose digits.
const LOOSE_BITS: usize = 62;
/// What a step in loose digits adds to a word at most: 15 steps leave words of LOOSE_BITS.
const GROWTH: u64 = 1 << 58;

/// Whether a family is one of theirs.
pub(crate) fn is_of_transforms(family: &str) -> bool {
    let of_residues = matches!(family, "butterfly_one" | "mul_into" | "drop_digit" | "move_up");
    of_residues || matches!(family, "butterfly_rows" | "butterfly_loose" | "mul_rows")
}

/// The contract of a family over n limbs, R = 2^(64n).
///
/// Operands and results in digits are below (lazy + 1)*p, those of `butterfly_one` below lazy/2*p.
/// `butterfly_rows` gives x + t and x - t where 2^52*t is the sum of the digits of y, each times its
/// row of w: y is any number in digits, and each row is below p. x is in loose digits: words of 62
/// bits, 52 bits apart. Results are below ((lazy + 1) - lazy/2 + D + 1)*p. Those of
/// `butterfly_loose` are in loose digits too, at most (D + 2)*p more than x, and no word by more
/// than 2^58. `mul_rows` gives such a t of x's
/// digits, and `drop_digit` x/2^52. `move_up` gives x*2^(52D - 64n) of residues in limbs, and
/// `mul_into` x*w/2^(52D) of residues x and as large a w.
pub(crate) fn transform_task(contract: &ArrayContract, mixed: &Mixed) -> Outcome<Task> {
    let ArrayContract { family, parameters: Numbers { lazy, factor }, words, word_bits, .. } =
        contract;
    let (p, digits, one) = (contract.p.0.clone(), digits_of(*words), BigInt::from(1));
    let layout = Layout::digits(digits);
    let (high, below): (BigInt, BigInt) = (&p * (lazy + 1) - 1, &p - 1);
    let is_by_rows = matches!(family.as_str(), "butterfly_rows" | "butterfly_loose");
    let is_lazy = (1..=MOST_LAZY).contains(lazy);
    let waiting = if is_by_rows { LOOSE_BITS - DIGIT as usize } else { 0 };
    let is_too_large =
        p >= &one << (WORD as usize * words) || high >= &one << (DIGIT as usize * digits + waiting);
    let has_arrays =
        mixed.in_digits == in_digits(family) && mixed.gives_digits && *word_bits == WORD;
    let is_exact = matches!(family.as_str(), "drop_digit" | "move_up");
    if is_lazy == is_exact || *factor > 0 || is_too_large || !has_arrays {
        return fail(format!("contract: no {family} of such arrays"));
    }
    let radix = &one << DIGIT as usize;
    let up = &one << (DIGIT as usize * digits - WORD as usize * words);
    let moved: BigInt = &p * &up - 1;
    let most = if family == "move_up" { moved.clone() } else { high.clone() };
    let mut task = Task::new(p.clone(), layout, one.clone(), most);
    match family.as_str() {
        "butterfly_rows" | "butterfly_loose" => by_rows(&mut task, digits, *lazy, &high),
        "butterfly_one" => {
            let most = &p * (lazy / 2) - 1;
            task.operand("x", layout, &most);
            task.operand("y", layout, &most);
            let (x, y) = (&task.operands[0].value, &task.operands[1].value);
            task.claims = vec![x.plus(y, 1), x.plus(y, -1)];
        }
        "mul_into" => {
            task.operand("x", layout, &below);
            task.operand("w", layout, &moved);
            task.claims = vec![task.operands[0].value.times(&task.operands[1].value)];
            task.factor = &one << (DIGIT as usize * digits);
        }
        "move_up" => {
            task.operand("x", Layout::limbs(*words), &below);
            task.claims = vec![Value::default().plus(&task.operands[0].value, up)];
        }
        "mul_rows" => {
            rows(&mut task, ["x", "w"], digits, &below);
            task.claims = vec![sum_of_rows(&task.operands)];
            task.factor = radix;
        }
        _ => {
            task.operand("x", layout, &below);
            task.claims = vec![task.operands[0].value.clone()];
            task.factor = radix;
        }
    }
    if family == "butterfly_loose" {
        loosely(&mut task, digits, &high);
    }
    task.arrays_apart();
    Ok(task)
}

/// A butterfly by rows: x up to `high` in loose digits, and results in digits.
fn by_rows(task: &mut Task, digits: usize, lazy: u32, high: &BigInt) {
    let below = &task.p - 1;
    task.operand_up_to("x", Layout::digits(digits), high, (1 << LOOSE_BITS) - 1);
    rows(task, ["y", "w"], digits, &below);
    task.factor = BigInt::from(1) << DIGIT as usize;
    let total = sum_of_rows(&task.operands[1..]);
    let x = Value::default().plus(&task.operands[0].value, task.factor.clone());
    task.claims = vec![x.plus(&total, 1), x.plus(&total, -1)];
    task.most = &task.p * (BigInt::from(lazy + 1 - lazy / 2) + (digits + 1)) - 1;
}

/// The same for results in loose digits.
fn loosely(task: &mut Task, digits: usize, high: &BigInt) {
    let loose = LooseResult { word: GROWTH.into(), number: &task.p * (digits + 2) };
    task.most = high + &loose.number;
    task.loose = Some(loose);
}

/// The operands of a family that are in digits.
fn in_digits(family: &str) -> &'static [&'static str] {
    match family {
        "butterfly_rows" | "butterfly_loose" => &["x", "y", "w"],
        "butterfly_one" => &["x", "y"],
        "mul_rows" | "mul_into" => &["x", "w"],
        "move_up" => &[],
        _ => &["x"],
    }
}

/// Operands: so many digits, and as many rows, each at most as large.
fn rows(task: &mut Task, [digit, row]: [&str; 2], digits: usize, high: &BigInt) {
    let largest = (BigInt::from(1) << DIGIT as usize) - 1;
    task.operands(digit, Layout::digits(1), &largest, digits);
    task.operands(row, Layout::digits(digits), high, digits);
}

/// Each digit times its row: digits come first, then as many rows.
fn sum_of_rows(operands: &[LaneOperand]) -> Value {
    let (digits, rows) = operands.split_at(operands.len() / 2);
    let terms = digits.iter().zip(rows).map(|(digit, row)| digit.value.times(&row.value));
    terms.fold(Value::default(), |total, term| total.plus(&term, 1))
}
