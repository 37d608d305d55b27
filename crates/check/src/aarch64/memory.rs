//! AArch64 instructions that load and store.

use crate::aarch64::machine::{Machine, whole};
use crate::memory::{Address, Value};
use crate::{Outcome, fail};
use yaxpeax_arm::armv8::a64::{Instruction, Operand};

impl Machine<'_> {
    /// ldr, ldur, ldp: one or two registers from 8 bytes each.
    pub(crate) fn load(&mut self, i: &Instruction, count: usize) -> Outcome<()> {
        let (registers, base) = self.moved(i, count)?;
        if registers.len() == 2 && registers[0] == registers[1] {
            return fail("loads one register twice");
        }
        let (place, after) = self.address(i.operands[count])?;
        let values = (0..count).map(|k| self.memory.load(&beside(&place, k)));
        let values = values.collect::<Outcome<Vec<_>>>()?;
        for (register, value) in registers.into_iter().zip(values) {
            self.set(register, value)?;
        }
        after.map_or(Ok(()), |to| self.move_base(base, to))
    }

    /// str, stur, stp: one or two registers to 8 bytes each.
    pub(crate) fn store(&mut self, i: &Instruction, count: usize) -> Outcome<()> {
        let (registers, base) = self.moved(i, count)?;
        let values = registers.into_iter().map(|register| self.get(register));
        let values = values.collect::<Outcome<Vec<_>>>()?;
        let (place, after) = self.address(i.operands[count])?;
        for (k, value) in values.into_iter().enumerate() {
            if matches!(value, Value::Flags(_)) {
                return fail("stores the flags");
            }
            self.memory.store(beside(&place, k), value)?;
        }
        after.map_or(Ok(()), |to| self.move_base(base, to))
    }

    /// The registers that are loaded or stored, and the base, which is none of them if it moves.
    fn moved(&self, i: &Instruction, count: usize) -> Outcome<(Vec<u16>, u16)> {
        let number = |k: usize| match i.operands[k] {
            Operand::Register(_, number) => Ok(number),
            _ => fail("loads or stores what is no general register"),
        };
        let registers = (0..count).map(number).collect::<Outcome<Vec<_>>>()?;
        whole(i)?;
        let (base, moves) = match i.operands[count] {
            Operand::RegPreIndex(base, _, moves) => (base, moves),
            Operand::RegPostIndex(base, _) => (base, true),
            _ => return fail("this address is not on the list"),
        };
        if moves && base != 31 && registers.contains(&base) {
            return fail("moves an address by a register that it loads or stores");
        }
        Ok((registers, base))
    }
}

fn beside(place: &Address, k: usize) -> Address {
    (place.0.clone(), place.1.saturating_add(8 * k as i64))
}
