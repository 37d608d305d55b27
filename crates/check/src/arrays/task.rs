//! What a kernel on arrays must do with each element.

use crate::arrays::layout::{HALF, LANES, Layout};
use crate::arrays::value::Value;
use num_bigint::BigInt;

/// What a pointer leads to: a result, an operand, or both; and what it advances by in a turn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Array {
    pub(crate) result: Option<usize>,
    pub(crate) operand: Option<usize>,
    pub(crate) advance: i64,
}

impl Array {
    pub(crate) fn is_both(self) -> bool {
        self.result.is_some() && self.operand.is_some()
    }
}

/// What a task says of its loop.
pub(crate) struct Wanted {
    /// What each pointer advances by in a turn, in bytes, or 0.
    pub(crate) advances: Vec<i64>,
    /// The limbs of an element, where elements of some arrays are in limbs: then there is a tail.
    pub(crate) masked: Option<usize>,
    /// Vectors of the first array that the loop holds in registers.
    pub(crate) held: usize,
    /// Elements of a block.
    pub(crate) elements: usize,
    /// Places of a vector.
    pub(crate) places: usize,
}

/// An operand: its words are the atoms from the first one on.
#[derive(Clone, Debug)]
pub(crate) struct LaneOperand {
    pub(crate) name: String,
    pub(crate) layout: Layout,
    /// The largest number that its words make.
    pub(crate) high: BigInt,
    /// Its words; those that are always 0 are constants.
    pub(crate) words: Vec<Value>,
    /// The number that its words make.
    pub(crate) value: Value,
    /// How many values its array has for each element; this is the first of them.
    pub(crate) values: usize,
}

impl LaneOperand {
    /// The name of its array: of several values the first one's, without its number.
    pub(crate) fn shown(&self) -> &str {
        let is_one = self.values == 1 && !self.layout.is_halved;
        if is_one { &self.name } else { self.name.trim_end_matches('0') }
    }
}

/// By how much words of a result, and their number, are at most more than the first operand.
#[derive(Debug)]
pub(crate) struct LooseResult {
    pub(crate) word: BigInt,
    pub(crate) number: BigInt,
}

/// Operands of one lane and what each result is: factor * result = claim mod p, result <= most.
#[derive(Debug)]
pub(crate) struct Task {
    pub(crate) p: BigInt,
    /// In the order of the call.
    pub(crate) arrays: Vec<Array>,
    pub(crate) result: Layout,
    pub(crate) operands: Vec<LaneOperand>,
    /// The largest values of the atoms.
    pub(crate) highs: Vec<u64>,
    pub(crate) factor: BigInt,
    pub(crate) claims: Vec<Value>,
    pub(crate) most: BigInt,
    /// Of a sum in columns, which is exact: what a turn may add to one.
    pub(crate) growth: Option<BigInt>,
    /// Of results in loose digits: how they grow.
    pub(crate) loose: Option<LooseResult>,
    /// Vectors of the first array that the loop holds in registers.
    pub(crate) held: usize,
}

impl Task {
    /// A task without operands and claims, of results up to `most`.
    pub(crate) fn new(p: BigInt, result: Layout, factor: BigInt, most: BigInt) -> Self {
        let (arrays, operands, highs, claims) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (growth, loose, held) = (None, None, 0);
        Self { p, arrays, result, operands, highs, factor, claims, most, growth, loose, held }
    }

    /// The words of an element in limbs, where some array has such: then its tail has masks.
    pub(crate) fn masked(&self) -> Option<usize> {
        let layouts = self.operands.iter().map(|operand| operand.layout);
        layouts.chain([self.result]).find(|layout| layout.in_limbs).map(|layout| layout.words)
    }

    /// What its loop must be.
    pub(crate) fn wanted(&self, places: usize) -> Wanted {
        let advances = self.arrays.iter().map(|array| array.advance).collect();
        let layouts = self.operands.iter().map(|operand| operand.layout);
        let is_halved = layouts.chain([self.result]).any(|layout| layout.is_halved);
        let elements = if is_halved { 2 * LANES } else { LANES };
        Wanted { advances, masked: self.masked(), held: self.held, elements, places }
    }

    /// Every result and every operand is an array of its own, results first.
    pub(crate) fn arrays_apart(&mut self) {
        let advance = self.result.size();
        let results = (0..self.results()).map(|at| (Some(at), None, advance));
        let operands = self.operands.iter().enumerate().filter(|(_, o)| !o.words.is_empty());
        let operands = operands.map(|(at, operand)| (None, Some(at), operand.layout.size()));
        let every = results.chain(operands);
        self.arrays =
            every.map(|(result, operand, advance)| Array { result, operand, advance }).collect();
    }

    /// Its results: of elements of 32 bits, each has two claims.
    pub(crate) fn results(&self) -> usize {
        self.claims.len() / if self.result.is_halved { 2 } else { 1 }
    }

    /// Adds an operand, whose words are new atoms; two of them where two elements share a word.
    pub(crate) fn operand(&mut self, name: &str, layout: Layout, high: &BigInt) {
        if !layout.is_halved {
            return self.operand_up_to(name, layout, high, u64::MAX >> (u64::BITS - layout.bits));
        }
        for half in 0..2 {
            let top = u64::try_from(high).unwrap_or(u64::MAX).min(u64::MAX >> HALF);
            let (name, value) = (format!("{name}{half}"), Value::atom(self.highs.len()));
            let (words, high) = (Vec::new(), high.clone());
            self.highs.push(top);
            self.operands.push(LaneOperand { name, layout, high, words, value, values: 1 });
        }
        let [.., low, high] = &mut self.operands[..] else { return };
        low.words = vec![low.value.plus(&high.value.raised(HALF.into()), 1)];
    }

    /// Adds so many values that lie side by side, each by its name and number; the first one has the
    /// array's words.
    pub(crate) fn operands(&mut self, name: &str, layout: Layout, high: &BigInt, count: usize) {
        let first = self.operands.len();
        let mut words = Vec::new();
        for number in 0..count {
            self.operand(&format!("{name}{number}"), layout, high);
            let value = self.operands.last_mut();
            words.extend(value.map(|value| std::mem::take(&mut value.words)).unwrap_or_default());
        }
        if let Some(operand) = self.operands.get_mut(first) {
            (operand.values, operand.words) = (count, words);
            operand.layout.words *= count;
        }
    }

    /// The same of words that may be up to `most`: their places alone are so far apart.
    pub(crate) fn operand_up_to(&mut self, name: &str, layout: Layout, high: &BigInt, most: u64) {
        let mut words = Vec::new();
        let mut value = Value::default();
        for place in 0..layout.words {
            let at = layout.bits as usize * place;
            let top = u64::try_from(high >> at).unwrap_or(u64::MAX).min(most);
            let word = if top > 0 { Value::atom(self.highs.len()) } else { Value::default() };
            self.highs.extend((top > 0).then_some(top));
            value = value.plus(&word.raised(at as u64), 1);
            words.push(word);
        }
        let (name, high) = (name.to_string(), high.clone());
        self.operands.push(LaneOperand { name, layout, high, words, value, values: 1 });
    }
}
