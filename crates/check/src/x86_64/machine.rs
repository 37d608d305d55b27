//! An x86-64 processor with symbolic 64-bit words: registers and flags.
//!
//! Refused are addresses that depend on data, and flags that are undefined. `instructions.rs` has
//! what each instruction does.

use crate::contract::{Contract, STACK};
use crate::memory::{Address, Memory, Value, as_word};
use crate::routines::{Routines, Run};
use crate::system::{System, Word};
use crate::{Outcome, fail};
use iced_x86::Register::{R8, R9, R12, R13, R14, R15, RBP, RBX, RCX, RDI, RDX, RSI, RSP};
use iced_x86::{Instruction, OpKind, Register};
use std::collections::BTreeMap;

/// Where the pointers to z and the operands are on entry, and what a function leaves as it was.
pub(crate) type Roles = (&'static [Register], &'static [Register]);

pub(crate) const SYSV: Roles =
    (&[RDI, RSI, RDX, RCX, R8, R9], &[RSP, RBX, RBP, R12, R13, R14, R15]);
const WIN64: Roles = (&[RCX, RDX, R8, R9], &[RSP, RBX, RBP, RDI, RSI, R12, R13, R14, R15]);

fn entry(register: Register) -> Value {
    if register == RSP { Value::at(STACK) } else { Value::unknown(&format!("{register:?}")) }
}

/// A processor in the middle of a kernel.
pub(crate) struct Machine<'a> {
    pub(crate) system: System,
    pub(crate) memory: Memory<'a>,
    pub(crate) registers: BTreeMap<Register, Value>,
    /// What calls may use; None where none are allowed.
    pub(crate) routines: Option<Routines<'a>>,
    saved: &'static [Register],
    /// Where the calls that were followed return to, the innermost last.
    pub(crate) callers: Vec<u64>,
    /// A flag is None where it is undefined.
    pub(crate) carry: Option<Word>,
    pub(crate) overflow: Option<Word>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(
        code: &'a [u8],
        contract: &'a Contract,
        routines: Option<Routines<'a>>,
    ) -> Self {
        let (arguments, saved) = if contract.convention.name == "win64" { WIN64 } else { SYSV };
        let general = (0..16).map(|number| Register::RAX + number);
        let mut registers: BTreeMap<_, _> = general.map(|r| (r, entry(r))).collect();
        for (register, name) in arguments.iter().copied().zip(contract.pointers()) {
            registers.insert(register, Value::at(name));
        }
        let mut system = System::default();
        let memory = Memory::new(code, contract, &mut system);
        let callers = Vec::new();
        Self { system, memory, registers, routines, saved, callers, carry: None, overflow: None }
    }

    /// z's values, where the kernel returns as it should.
    pub(crate) fn result(self) -> Outcome<Run<'a>> {
        let changed = |r: &&Register| self.registers[*r] != entry(**r);
        if let Some(lost) = self.saved.iter().find(changed) {
            return fail(format!("frame: {lost:?} is not restored"));
        }
        Run::ended(&self.memory, self.system, self.routines)
    }

    pub(crate) fn get(&self, register: Register) -> Outcome<Value> {
        let value = self.registers.get(&register).cloned();
        value.ok_or_else(|| format!("{register:?} is not a 64-bit register"))
    }

    pub(crate) fn set(&mut self, register: Register, value: Value) -> Outcome<()> {
        if register == Register::RSP || !self.registers.contains_key(&register) {
            return fail(format!("{register:?} is the stack pointer or not a 64-bit register"));
        }
        self.registers.insert(register, value);
        Ok(())
    }

    pub(crate) fn move_stack(&mut self, amount: i64) -> Outcome<Address> {
        let top = self.memory.move_stack(amount)?;
        self.registers.insert(Register::RSP, Value::Pointer(top.clone()));
        Ok(top)
    }

    pub(crate) fn address(&self, i: &Instruction) -> Outcome<Address> {
        if i.memory_index() != Register::None {
            return fail("an address with an index");
        }
        let offset = i.memory_displacement64().cast_signed();
        if i.memory_base() == Register::RIP {
            return Ok(("code".to_string(), offset)); // iced has added the instruction pointer
        }
        match self.get(i.memory_base())? {
            Value::Pointer((base, start)) => Ok((base, start.wrapping_add(offset))),
            _ => fail("the address depends on data"),
        }
    }

    pub(crate) fn read(&self, i: &Instruction, operand: u32) -> Outcome<Value> {
        match i.op_kind(operand) {
            OpKind::Register => self.get(i.op_register(operand)),
            OpKind::Memory if i.memory_size().size() == 8 => self.memory.load(&self.address(i)?),
            OpKind::Immediate8to64 | OpKind::Immediate32to64 | OpKind::Immediate64 => {
                Ok(Value::Word(Word::constant(i.immediate(operand))))
            }
            _ => fail("an operand that is not 64 bits wide"),
        }
    }

    pub(crate) fn write(&mut self, i: &Instruction, operand: u32, value: Value) -> Outcome<()> {
        match i.op_kind(operand) {
            OpKind::Register => self.set(i.op_register(operand), value),
            OpKind::Memory if i.memory_size().size() == 8 => {
                self.memory.store(self.address(i)?, value)
            }
            _ => fail("an operand that is not 64 bits wide"),
        }
    }

    /// An operand that is computed with.
    pub(crate) fn word(&self, i: &Instruction, operand: u32) -> Outcome<Word> {
        as_word(self.read(i, operand)?)
    }
}
