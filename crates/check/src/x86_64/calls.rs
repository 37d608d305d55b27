//! Calls: of routines, each verified once and then used by its statement, or of code beside the
//! kernel, which is run in its place where no routine is stated.
//!
//! A verified routine leaves its results for all operands in their ranges; reads its operands before
//! it writes; writes only its result and stack below its return address. At a call each operand
//! must lie in memory as one whole value in range. The results are new values of which the
//! statement is known, and nothing else.

use crate::contract::STACK;
use crate::memory::{Address, Value, as_word};
use crate::x86_64::machine::{Machine, SYSV};
use crate::x86_64::routines::{Lemma, Routines};
use crate::{Outcome, fail};
use iced_x86::{Code, Instruction, Register};

impl Machine<'_> {
    /// Whether a return goes back to a call that was followed.
    pub(crate) fn has_callers(&self) -> bool {
        !self.callers.is_empty()
    }

    /// Where a call or a return goes that is followed; None for every other instruction.
    ///
    /// A return goes where its call came from, or it is refused.
    pub(crate) fn goes_to(&mut self, i: &Instruction) -> Outcome<Option<u64>> {
        let code = |place: u64| Value::Pointer(("code".to_string(), place.cast_signed()));
        match i.code() {
            Code::Call_rel32_64 if self.routines.is_none() => {
                let top = self.move_stack(-8)?;
                self.memory.store(top, code(i.next_ip()))?;
                self.callers.push(i.next_ip());
                Ok(Some(i.near_branch64()))
            }
            Code::Retnq => {
                let back = self.memory.load(&(STACK.to_string(), self.memory.stack))?;
                let caller = self.callers.pop().filter(|place| back == code(*place));
                self.move_stack(8)?;
                caller.map(Some).ok_or_else(|| "returns to no place that called".to_string())
            }
            _ => Ok(None),
        }
    }

    /// Does what a call of a routine does to registers, flags and memory: System V.
    pub(crate) fn call(&mut self, place: u64) -> Outcome<()> {
        let mut routines = self.routines.take().ok_or("calls what no certificate is about")?;
        let place = usize::try_from(place).map_err(|_| "calls code outside the object")?;
        let lemma = routines.learn(self.memory.code, place, self.memory.contract)?;
        self.apply(&mut routines, &lemma)?;
        self.routines = Some(routines);
        Ok(())
    }

    fn apply(&mut self, routines: &mut Routines<'_>, lemma: &Lemma) -> Outcome<()> {
        let Lemma { formula, contract, stack } = lemma;
        let (limbs, top) = (contract.width, self.memory.stack);
        self.memory.take_stack(top - 8 - stack)?; // with the return address
        self.memory.forget_below(top);
        let (arguments, saved) = SYSV;
        let registers = arguments.get(..=contract.operands.len());
        let registers = registers.ok_or("a routine with more operands than registers")?;
        let addresses: Vec<_> =
            registers.iter().map(|name| self.given(*name)).collect::<Outcome<_>>()?;
        let word = |(base, offset): &Address, i: usize| (base.clone(), offset + 8 * i as i64);
        let mut values = Vec::new();
        for (operand, address) in contract.operands.iter().zip(&addresses[1..]) {
            for first in (0..operand.values * operand.limbs).step_by(operand.limbs) {
                let words = (first..first + operand.limbs)
                    .map(|i| as_word(self.memory.load(&word(address, i))?));
                let words = words.collect::<Outcome<Vec<_>>>()?;
                values.push(routines.known(&words, &operand.high, operand.is_signed)?);
            }
        }
        let results = formula.evaluate(&mut routines.forms, &contract.p, contract.limbs, values)?;
        for (number, form) in results.into_iter().enumerate() {
            let words = routines.give(&mut self.system, limbs, &contract.most, form);
            for (i, value) in words.into_iter().enumerate() {
                self.memory.store(word(&addresses[0], number * limbs + i), Value::Word(value))?;
            }
        }
        let unsaved = |register: &Register| !saved.contains(register);
        for (_, value) in self.registers.iter_mut().filter(|(register, _)| unsaved(register)) {
            *value = Value::LowByte(None);
        }
        (self.carry, self.overflow) = (None, None);
        Ok(())
    }

    /// An address that a routine may be given: none that the call itself writes over.
    fn given(&self, register: Register) -> Outcome<Address> {
        match self.get(register)? {
            Value::Pointer((base, offset)) if base != STACK || offset >= self.memory.stack => {
                Ok((base, offset))
            }
            Value::Pointer(_) => fail("an argument lies below the stack pointer"),
            _ => fail("an argument is no known address"),
        }
    }
}
