//! Sums of products in columns: a kernel that adds a product in each turn, and one that reduces.
//!
//! A lane has 2D columns of 64 bits, 52 bits apart, for the D digits that hold n limbs. A turn adds
//! x*y*2^e, e = 52*D - 64*n, or x*y of elements in digits, and at most 2D*(2^52 - 1) to a column.
//! Or x in digits is an element times 2^e, and y is below m*p. Then the loop holds the columns.
//! What is shown of a turn holds for columns of every number of turns before, up to the limit: their
//! largest values are those of the most turns.
//!
//! For one limb, e is 0, and there are as many columns as the largest sum has digits. The loop holds
//! them. Or there are two, 32 bits apart, for the halves of x*y, or of the sum of two products where
//! two elements of 32 bits share a lane. Then a turn adds at most 2^32 - 1 to a column.

use crate::arrays::layout::{DIGIT, HALF, Layout, WORD};
use crate::arrays::task::{Array, Task};
use crate::arrays::value::Value;
use crate::{Outcome, fail};
use num_bigint::BigInt;

/// A field of n limbs, the bits of the words of elements, and how often a lane adds at most.
pub(crate) struct Columns {
    pub(crate) p: BigInt,
    pub(crate) words: usize,
    pub(crate) word_bits: u32,
    /// How far columns are apart.
    pub(crate) column_bits: u32,
    pub(crate) turns: u64,
    /// Of sums of x*y with x < p*2^e and y below so many p, both in digits; else 0.
    pub(crate) multiple: u64,
}

impl Columns {
    /// What it says of one lane.
    pub(crate) fn task(&self, family: &str) -> Outcome<Task> {
        let Self { p, words, word_bits, turns, multiple, .. } = self;
        self.check(family)?;
        let [x_most, y_most] = self.largest();
        let columns = self.layout();
        let growth = self.growth();
        let in_limbs = *word_bits == WORD && *multiple == 0;
        let moved = if in_limbs { self.excess() } else { 0 };
        if (&x_most * &y_most) << moved > self.highest(1) {
            return fail("contract: a turn may add more than columns are made for");
        }
        let most = u64::try_from(&growth * turns);
        let (Ok(most), true) = (most, *turns > 1) else {
            return fail(format!("contract: a column does not take {turns} products"));
        };
        let one = BigInt::from(1);
        if family == "accumulate" {
            let elements = match *word_bits {
                DIGIT => Layout::digits(digits_of(*words)),
                bits => Layout::of_elements(*words, bits),
            };
            let mut task = Task::new(p.clone(), columns, one, self.highest(*turns));
            let before = u64::try_from(&growth * (turns - 1)).unwrap_or(most);
            task.operand_up_to("t", columns, &self.highest(turns - 1), before);
            task.operand("x", elements, &x_most);
            task.operand("y", elements, &y_most);
            task.claims = vec![sum(&task, moved)];
            task.growth = Some(growth);
            task.held = if *words == 1 || *multiple > 0 { columns.words } else { 0 };
            task.arrays_apart();
            task.arrays.remove(0);
            task.arrays[0] = Array { result: Some(0), operand: Some(0), advance: 0 };
            return Ok(task);
        }
        let mut task = Task::new(p.clone(), Layout::limbs(*words), self.factor(), p - 1);
        task.operand_up_to("t", columns, &self.highest(*turns), most);
        task.claims = vec![task.operands[0].value.clone()];
        task.arrays_apart();
        Ok(task)
    }

    /// Whether there are such columns, and such a kernel.
    fn check(&self, family: &str) -> Outcome<()> {
        let Self { p, words, word_bits, column_bits, multiple, .. } = self;
        let is_one = *words == 1;
        let in_words = *column_bits == HALF && is_one && [HALF, WORD].contains(word_bits);
        let in_digits = *column_bits == DIGIT && (*word_bits == WORD || *word_bits == DIGIT);
        let are_digits = *word_bits == DIGIT;
        if !(in_words || in_digits) || (is_one && (are_digits || *multiple > 0)) {
            return fail("contract: no such columns");
        }
        let bits = if *word_bits == HALF { HALF } else { WORD };
        if *p >= BigInt::from(1) << (bits as usize * words) {
            return fail("contract: columns of a longer p");
        }
        let is_known = match family {
            "accumulate" => *multiple == 0 || are_digits,
            "collect" => !are_digits,
            _ => false,
        };
        if is_known { Ok(()) } else { fail(format!("contract: no {family} of columns")) }
    }

    fn layout(&self) -> Layout {
        let count = match (self.column_bits, self.words) {
            (HALF, _) => 2,
            (_, 1) => self.highest(self.turns).bits().div_ceil(DIGIT.into()) as usize,
            (_, words) => 2 * digits_of(words),
        };
        Layout::columns(count, self.column_bits)
    }

    /// What a turn may add to a column.
    fn growth(&self) -> BigInt {
        let halves = if self.column_bits == HALF { 1 } else { self.layout().words };
        BigInt::from(halves) * ((1_u64 << self.column_bits) - 1)
    }

    fn excess(&self) -> u64 {
        if self.words == 1 { 0 } else { excess(self.words) }
    }

    /// What the result is multiplied by.
    fn factor(&self) -> BigInt {
        let bits = match self.words {
            1 => self.word_bits as usize,
            words => DIGIT as usize * digits_of(words),
        };
        BigInt::from(1) << bits
    }

    /// The largest values of both factors.
    fn largest(&self) -> [BigInt; 2] {
        let p = &self.p;
        if self.multiple > 0 {
            return [(p << excess(self.words)) - 1, p * self.multiple - 1];
        }
        let factor = if self.word_bits == DIGIT { 2 } else { 1 };
        [p * factor - 1, p * factor - 1]
    }

    /// The largest sum after some turns.
    fn highest(&self, turns: u64) -> BigInt {
        let Self { p, word_bits, multiple, .. } = self;
        let (largest, terms): (BigInt, _) = (p - 1, WORD / word_bits);
        let once = if *multiple > 0 { p * p * *multiple } else { &largest * &largest };
        (once * turns * terms) << self.excess()
    }
}

/// t + x*y*2^moved, or the same of two elements of a lane.
fn sum(task: &Task, moved: u64) -> Value {
    let factors = &task.operands[1..];
    let (x, y) = factors.split_at(factors.len() / 2);
    let products = x.iter().zip(y).map(|(x, y)| x.value.times(&y.value));
    let before = task.operands[0].value.clone();
    products.fold(before, |total, product| total.plus(&product.raised(moved), 1))
}

/// The digits that hold some limbs.
pub(crate) fn digits_of(limbs: usize) -> usize {
    (WORD as usize * limbs).div_ceil(DIGIT as usize)
}

/// By how many bits they exceed them.
pub(crate) fn excess(limbs: usize) -> u64 {
    (DIGIT as usize * digits_of(limbs) - WORD as usize * limbs) as u64
}
