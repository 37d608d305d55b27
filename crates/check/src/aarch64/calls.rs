//! Calls of routines, each verified once and then used by its statement.
//!
//! A call leaves its return address in x30, and a routine keeps that, as it does all registers from
//! x19 on. Routines follow the convention of their caller.

use crate::Outcome;
use crate::aarch64::machine::{Machine, SAVED};
use crate::memory::{Flags, Value};
use crate::routines::{Lemma, Routines};

/// `bl`: a mask, and what the masked bits are. The others count words of 32 bits.
const CALL: (u32, u32) = (0xfc00_0000, 0x9400_0000);

impl Machine<'_> {
    /// Does what a word at a place does, if it is a call, and there are routines.
    pub(crate) fn called(&mut self, word: u32, place: usize) -> Option<Outcome<()>> {
        let is_call = word & CALL.0 == CALL.1 && self.routines.is_some();
        is_call.then(|| {
            let words = i64::from((word << 6).cast_signed() >> 6);
            self.call(place as i64, place as i64 + 4 * words)
        })
    }

    fn call(&mut self, from: i64, to: i64) -> Outcome<()> {
        let mut routines = self.routines.take().ok_or("calls what no certificate is about")?;
        let to = usize::try_from(to).map_err(|_| "calls code outside the object")?;
        let contract = self.memory.contract;
        let lemma = routines.learn(self.memory.code, to, contract, contract.convention)?;
        self.apply(&mut routines, &lemma)?;
        self.registers[30] = Value::Pointer(("code".to_string(), from + 4));
        self.routines = Some(routines);
        Ok(())
    }

    fn apply(&mut self, routines: &mut Routines<'_>, lemma: &Lemma) -> Outcome<()> {
        let count = lemma.contract.operands.len();
        if count >= lemma.contract.convention.arguments {
            return Err("a routine with more operands than registers".into());
        }
        let values = self.registers[..=count].to_vec();
        routines.apply(lemma, &mut self.words.system, &mut self.memory, values, 0)?;
        for (number, value) in self.registers.iter_mut().enumerate() {
            if !SAVED.contains(&(number as u16)) {
                *value = Value::LowByte(None);
            }
        }
        self.flags = Flags::default();
        Ok(())
    }
}
