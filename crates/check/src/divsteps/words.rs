//! What straight-line code does with words, as a list: each word is made of older ones.

use crate::memory::{Value, as_word};
use crate::polynomial::Polynomial;
use crate::routines::Run;
use crate::{Outcome, fail};
use std::collections::{BTreeMap, HashMap};

/// What the code is given, each one word.
pub(crate) const OPERANDS: [&str; 3] = ["zeta", "f", "g"];

/// A place in the list of words.
pub(crate) type Place = usize;

/// A word modulo 2^64, or a flag, which is 0 or 1: what it is made of.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Made {
    Operand(usize),
    Constant(u64),
    Add(Place, Place),
    Sub(Place, Place),
    Mul(Place, Place),
    And(Place, Place),
    /// Shifts by 1 to 63 bits: left, right, and right with the sign.
    Shl(Place, u64),
    Shr(Place, u64),
    Sar(Place, u64),
    IsZero(Place),
    IsNegative(Place),
    /// The second if the first is 1, else the third.
    Choose(Place, Place, Place),
}

/// All words that code makes, in its order; equal ones are one. The operands are the first.
pub(crate) struct Words {
    list: Vec<Made>,
    places: HashMap<Made, Place>,
    /// What an instruction gave to its register, by its offset.
    results: BTreeMap<usize, Place>,
}

/// What a run to the return gives: its words, z, and the use of the stack.
pub(crate) struct Ran {
    pub(crate) words: Words,
    pub(crate) z: Vec<Place>,
    pub(crate) stack: i64,
}

impl Words {
    pub(crate) fn new() -> Self {
        let list = (0..OPERANDS.len()).map(Made::Operand).collect();
        Self { list, places: HashMap::new(), results: BTreeMap::new() }
    }

    pub(crate) fn make(&mut self, word: Made) -> Place {
        let list = &mut self.list;
        *self.places.entry(word.clone()).or_insert_with(|| {
            list.push(word);
            list.len() - 1
        })
    }

    pub(crate) fn made(&self, place: Place) -> &Made {
        &self.list[place]
    }

    /// The place of a value of the machine: its words are constants, or variables by their places.
    pub(crate) fn place(&mut self, value: Value) -> Outcome<Place> {
        let word = as_word(value)?;
        match (word.as_constant(), word.as_multiple()) {
            (Some(number), _) => Ok(self.make(Made::Constant(number))),
            (None, Some((factor, place))) if factor == 1.into() => Ok(place),
            _ => fail("a word that the machine does not know"),
        }
    }

    /// The value of the machine that a word is.
    pub(crate) fn value(place: Place) -> Value {
        Value::Word(Polynomial::variable(place))
    }

    /// Notes that an instruction gives a word to its register.
    pub(crate) fn give(&mut self, offset: usize, place: Place) -> Value {
        self.results.insert(offset, place);
        Self::value(place)
    }

    /// The word that the instruction at an offset gives to its register.
    pub(crate) fn result_at(&self, offset: usize) -> Outcome<Place> {
        let place = self.results.get(&offset).copied();
        place.ok_or_else(|| format!("no instruction at +{offset:#x} makes a word"))
    }

    /// What a run gives that has come to its return.
    pub(crate) fn ended(mut self, run: Run<'_>) -> Outcome<Ran> {
        let words = run.z.into_iter().flatten();
        let z = words.map(|word| self.place(Value::Word(word))).collect::<Outcome<_>>()?;
        Ok(Ran { words: self, z, stack: run.stack })
    }
}
