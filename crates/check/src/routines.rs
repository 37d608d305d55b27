//! Routines that code may call, each verified once and then used by its statement.
//!
//! A verified routine leaves its results for all operands in their ranges; reads its operands before
//! it writes; writes only its result and stack below its return address. At a call each operand
//! must lie in memory as one whole value in range. The results are new values of which the
//! statement is known, and nothing else.

use crate::certificate::Routine;
use crate::contract::{Contract, STACK};
use crate::convention::Convention;
use crate::forms::{Form, Forms};
use crate::formula::{Algebra, Formula};
use crate::memory::{Address, Memory, Value, as_word};
use crate::polynomial::Polynomial;
use crate::system::{System, Word};
use crate::{Outcome, fail, verify_code};
use num_bigint::BigInt;
use std::collections::BTreeMap;
use std::rc::Rc;

/// What is known of a routine.
pub(crate) struct Lemma {
    pub(crate) formula: Rc<Formula>,
    pub(crate) contract: Contract,
    pub(crate) stack: i64,
}

/// The words of one value, the most that it can be, and what it is modulo p.
struct Known {
    words: Vec<Word>,
    high: BigInt,
    is_signed: bool,
    form: Form,
}

/// The routines that a caller calls, in the order of their first calls, and the values they gave.
pub(crate) struct Routines<'a> {
    stated: &'a [Routine],
    /// By the place of the code.
    lemmas: BTreeMap<usize, Rc<Lemma>>,
    pub(crate) forms: Forms,
    /// By the lowest word.
    values: BTreeMap<Word, Known>,
}

/// What a run to the return gives: what is known of its words, the words of each of z's values,
/// the stack's use, and what was called.
pub(crate) struct Run<'a> {
    pub(crate) system: System,
    pub(crate) z: Vec<Vec<Word>>,
    pub(crate) stack: i64,
    pub(crate) routines: Option<Routines<'a>>,
}

impl<'a> Run<'a> {
    /// What a memory holds at the return.
    pub(crate) fn ended(
        memory: &Memory,
        system: System,
        routines: Option<Routines<'a>>,
    ) -> Outcome<Self> {
        let (z, stack) = memory.result()?;
        Ok(Self { system, z, stack, routines })
    }
}

impl<'a> Routines<'a> {
    /// The operands' values are inputs.
    pub(crate) fn new(stated: &'a [Routine], contract: &Contract) -> Self {
        let mut forms = Forms::new(contract.p.clone());
        let mut values = BTreeMap::new();
        for (operand, first) in contract.values() {
            let words: Vec<_> = (first..first + operand.limbs).map(Polynomial::variable).collect();
            let (high, is_signed) = (operand.high.clone(), operand.is_signed);
            let known = Known { words, high, is_signed, form: forms.input() };
            values.insert(known.words[0].clone(), known);
        }
        Self { stated, lemmas: BTreeMap::new(), forms, values }
    }

    /// Verifies the code at a place, once.
    pub(crate) fn learn(
        &mut self,
        code: &[u8],
        place: usize,
        caller: &Contract,
        convention: &'static Convention,
    ) -> Outcome<Rc<Lemma>> {
        if let Some(known) = self.lemmas.get(&place) {
            return Ok(Rc::clone(known));
        }
        let number = self.lemmas.len();
        let routine = self.stated.get(number).ok_or("calls a routine that is not stated")?;
        let code = code.get(place..).ok_or("calls code outside the object")?;
        let formula = Rc::new(Formula::parsed(&routine.formula)?);
        let same = Rc::clone(&formula);
        let contract = Contract::of_formula(same, &caller.p, caller.limbs, convention)?;
        verify_code(code, &contract, &routine.proof)
            .map_err(|why| format!("routine {number}: {why}"))?;
        let lemma = Rc::new(Lemma { formula, contract, stack: routine.proof.stack });
        self.lemmas.insert(place, Rc::clone(&lemma));
        Ok(lemma)
    }

    /// Does what a call of a routine does to memory. It pushes a return address of `link` bytes.
    ///
    /// The arguments are the address of the result and those of the operands.
    pub(crate) fn apply(
        &mut self,
        lemma: &Lemma,
        system: &mut System,
        memory: &mut Memory<'_>,
        arguments: Vec<Value>,
        link: i64,
    ) -> Outcome<()> {
        let Lemma { formula, contract, stack } = lemma;
        let (limbs, top) = (contract.width, memory.stack);
        memory.take_stack(top - link - stack)?;
        memory.forget_below(top);
        let given = |value| match value {
            Value::Pointer((base, offset)) if base != STACK || offset >= top => Ok((base, offset)),
            Value::Pointer(_) => fail("an argument lies below the stack pointer"),
            _ => fail("an argument is no known address"),
        };
        let addresses: Vec<Address> = arguments.into_iter().map(given).collect::<Outcome<_>>()?;
        let word = |(base, offset): &Address, i: usize| (base.clone(), offset + 8 * i as i64);
        let mut values = Vec::new();
        for (operand, address) in contract.operands.iter().zip(&addresses[1..]) {
            for first in (0..operand.values * operand.limbs).step_by(operand.limbs) {
                let words = (first..first + operand.limbs)
                    .map(|i| as_word(memory.load(&word(address, i))?));
                let words = words.collect::<Outcome<Vec<_>>>()?;
                values.push(self.known(&words, &operand.high, operand.is_signed)?);
            }
        }
        let results = formula.evaluate(&mut self.forms, &contract.p, contract.limbs, values)?;
        for (number, form) in results.into_iter().enumerate() {
            let words = self.give(system, limbs, &contract.most, form);
            for (i, value) in words.into_iter().enumerate() {
                memory.store(word(&addresses[0], number * limbs + i), Value::Word(value))?;
            }
        }
        Ok(())
    }

    /// What a value is, whose words are constants, or those of one value in their order. It is
    /// signed where that is asked, and else not.
    pub(crate) fn known(
        &mut self,
        words: &[Word],
        most: &BigInt,
        is_signed: bool,
    ) -> Outcome<Form> {
        if is_signed && words[0].as_constant().is_some() {
            return fail("a constant where a signed operand is asked");
        }
        if words.iter().all(|word| word.as_constant().is_some()) {
            let number = Polynomial::number(words.iter().cloned());
            let value = number.each().next().map_or_else(BigInt::default, |(_, c)| c.clone());
            if value > *most {
                return fail("a constant is above the bound of its operand");
            }
            return Ok(self.forms.constant(value));
        }
        match self.values.get(&words[0]) {
            Some(known) if known.words == words && known.is_signed != is_signed => {
                fail("an operand is signed, or is not, against its statement")
            }
            Some(known) if known.words == words && known.high <= *most => Ok(known.form.clone()),
            Some(known) if known.words == words => fail("an operand may be above its bound"),
            _ => fail("an operand is not one whole value"),
        }
    }

    /// New words for a value.
    pub(crate) fn give(
        &mut self,
        system: &mut System,
        limbs: usize,
        high: &BigInt,
        form: Form,
    ) -> Vec<Word> {
        let words: Vec<_> = (0..limbs).map(|i| system.variable(&(high >> (64 * i)))).collect();
        let known = Known { words: words.clone(), high: high.clone(), is_signed: false, form };
        self.values.insert(words[0].clone(), known);
        words
    }

    /// Verifies that z's values are the formula's results.
    pub(crate) fn settle(
        mut self,
        formula: &Formula,
        contract: &Contract,
        z: &[Vec<Word>],
    ) -> Outcome<()> {
        if self.lemmas.len() != self.stated.len() {
            return fail("a routine is stated that is never called");
        }
        let inputs = (0..contract.values().count()).map(Polynomial::variable).collect();
        let claims = formula.evaluate(&mut self.forms, &contract.p, contract.limbs, inputs)?;
        for (number, (words, claim)) in z.iter().zip(&claims).enumerate() {
            let found = self.known(words, &contract.most, false);
            let found = found.map_err(|why| format!("result {number}: {why}"))?;
            if !self.forms.are_equal(&found, claim)? {
                return fail(format!("function: result {number} is another modulo p"));
            }
        }
        Ok(())
    }
}
