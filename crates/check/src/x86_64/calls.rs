//! Calls: of routines, each verified once and then used by its statement, or of code beside the
//! kernel, which is run in its place where no routine is stated.

use crate::Outcome;
use crate::contract::STACK;
use crate::convention;
use crate::memory::Value;
use crate::routines::{Lemma, Routines};
use crate::x86_64::machine::{Machine, SYSV};
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
        let inner = convention::named("sysv").ok_or("System V is not known")?;
        let lemma = routines.learn(self.memory.code, place, self.memory.contract, inner)?;
        self.apply(&mut routines, &lemma)?;
        self.routines = Some(routines);
        Ok(())
    }

    fn apply(&mut self, routines: &mut Routines<'_>, lemma: &Lemma) -> Outcome<()> {
        let (arguments, saved) = SYSV;
        let registers = arguments.get(..=lemma.contract.operands.len());
        let registers = registers.ok_or("a routine with more operands than registers")?;
        let values: Vec<_> =
            registers.iter().map(|name| self.get(*name)).collect::<Outcome<_>>()?;
        routines.apply(lemma, &mut self.system, &mut self.memory, values, 8)?;
        let unsaved = |register: &Register| !saved.contains(register);
        for (_, value) in self.registers.iter_mut().filter(|(register, _)| unsaved(register)) {
            *value = Value::LowByte(None);
        }
        (self.carry, self.overflow) = (None, None);
        Ok(())
    }
}
