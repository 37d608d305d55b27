//! Sums of products in columns: a kernel that adds a product in each turn, and one that reduces.
//!
//! A lane has 2D columns of 64 bits, 52 bits apart, for the D digits that hold n limbs. A turn adds
//! x*y*2^e, e = 52*D - 64*n, or x*y of elements in digits, and at most 2D*(2^52 - 1) to a column.
//! Or x in digits is an element times 2^e, and y is below m*p. Then the loop holds the columns.
//! What is shown of a turn holds for columns of every number of turns before, up to the limit: their
//! largest values are those of the most turns.

use crate::arrays::task::{Array, DIGIT, Layout, Task, WORD};
use crate::{Outcome, fail};
use num_bigint::BigInt;

/// A field of n limbs, the bits of the words of elements, and how often a lane adds at most.
pub(crate) struct Columns {
    pub(crate) p: BigInt,
    pub(crate) words: usize,
    pub(crate) word_bits: u32,
    pub(crate) turns: u64,
    /// Of sums of x*y with x < p*2^e and y below so many p, both in digits; else 0.
    pub(crate) multiple: u64,
}

impl Columns {
    /// What it says of one lane.
    pub(crate) fn task(&self, family: &str) -> Outcome<Task> {
        let Self { p, words, word_bits, turns, multiple } = self;
        let limbs = Layout { words: *words, bits: WORD };
        let digits = Layout { words: digits_of(*words), bits: DIGIT };
        let elements = if *word_bits == WORD { limbs } else { digits };
        let [x_most, y_most] = self.largest();
        let columns = Layout { words: 2 * digits.words, bits: DIGIT };
        let growth = BigInt::from(columns.words) * ((1_u64 << DIGIT) - 1);
        let moved = if *word_bits == WORD && *multiple == 0 { excess(*words) } else { 0 };
        if *words < 2 || *p >= BigInt::from(1) << (WORD as usize * words) {
            return fail("contract: columns of one limb, or of a longer p");
        }
        if *multiple > 0 && *word_bits == WORD && family == "accumulate" {
            return fail("contract: multiples in limbs");
        }
        if (&x_most * &y_most) << moved > self.highest(1) {
            return fail("contract: a turn may add more than columns are made for");
        }
        let most = u64::try_from(&growth * turns);
        let (Ok(most), true) = (most, *turns > 1) else {
            return fail(format!("contract: a column does not take {turns} products"));
        };
        let one = BigInt::from(1);
        if family == "accumulate" {
            let mut task = Task::new(p.clone(), columns, one, self.highest(*turns));
            let before = u64::try_from(&growth * (turns - 1)).unwrap_or(most);
            task.operand_up_to("t", columns, &self.highest(turns - 1), before);
            task.operand("x", elements, &x_most);
            task.operand("y", elements, &y_most);
            let [t, x, y] = [0, 1, 2].map(|at| &task.operands[at].value);
            task.claims = vec![t.plus(&x.times(y).raised(moved), 1)];
            task.growth = Some(growth);
            task.held = if *multiple > 0 { columns.words } else { 0 };
            task.arrays_apart();
            task.arrays.remove(0);
            task.arrays[0] = Array { result: Some(0), operand: Some(0), advance: 0 };
            return Ok(task);
        }
        if family != "collect" || *word_bits != WORD {
            return fail(format!("contract: no {family} of columns"));
        }
        let factor = one << (DIGIT as usize * digits.words);
        let mut task = Task::new(p.clone(), limbs, factor, p - 1);
        task.operand_up_to("t", columns, &self.highest(*turns), most);
        task.claims = vec![task.operands[0].value.clone()];
        task.arrays_apart();
        Ok(task)
    }

    /// The largest values of both factors.
    fn largest(&self) -> [BigInt; 2] {
        let p = &self.p;
        if self.multiple > 0 {
            return [(p << excess(self.words)) - 1, p * self.multiple - 1];
        }
        let factor = if self.word_bits == WORD { 1 } else { 2 };
        [p * factor - 1, p * factor - 1]
    }

    /// The largest sum after some turns.
    fn highest(&self, turns: u64) -> BigInt {
        let Self { p, words, multiple, .. } = self;
        let largest: BigInt = p - 1;
        let once = if *multiple > 0 { p * p * *multiple } else { &largest * &largest };
        (once * turns) << excess(*words)
    }
}

/// The digits that hold some limbs.
pub(crate) fn digits_of(limbs: usize) -> usize {
    (WORD as usize * limbs).div_ceil(DIGIT as usize)
}

/// By how many bits they exceed them.
pub(crate) fn excess(limbs: usize) -> u64 {
    (DIGIT as usize * digits_of(limbs) - WORD as usize * limbs) as u64
}
