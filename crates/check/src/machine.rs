//! A processor with symbolic 64-bit words: registers, flags, and the memory that a kernel may use.
//!
//! Refused are addresses that depend on data, flags that are undefined, and memory that is not the
//! kernel's. `instructions.rs` has what each instruction does.

use crate::calls::Routines;
use crate::contract::Contract;
use crate::system::{System, Word};
use crate::{Outcome, fail};
use iced_x86::{Instruction, OpKind, Register};
use std::collections::BTreeMap;

/// A base and an offset in bytes. A base is `z`, an operand's name, `code`, or of a register that
/// holds nothing known on entry the name: so the stack is at `RSP`.
pub(crate) type Address = (String, i64);

/// What a register or 8 bytes of memory hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Word(Word),
    Pointer(Address),
    /// Of which only the low 8 bits are known, a constant or a flag, or not even they.
    LowByte(Option<Word>),
}

fn entry(register: Register) -> Value {
    Value::Pointer((format!("{register:?}"), 0))
}

/// A processor in the middle of a kernel.
pub(crate) struct Machine<'a> {
    pub(crate) system: System,
    pub(crate) contract: &'a Contract,
    pub(crate) code: &'a [u8],
    /// What calls may use; None where none are allowed.
    pub(crate) routines: Option<Routines<'a>>,
    pub(crate) registers: BTreeMap<Register, Value>,
    /// What the stack pointer has moved by.
    pub(crate) stack: i64,
    /// How far down the stack was used.
    deepest: i64,
    /// What may be read, code aside.
    pub(crate) memory: BTreeMap<Address, Value>,
    /// A flag is None where it is undefined.
    pub(crate) carry: Option<Word>,
    pub(crate) overflow: Option<Word>,
}

/// Bytes of stack that a kernel may take: a page, so that none steps over a guard page.
const MOST_STACK: i64 = 4096;

/// What a run to the return gives: what is known of its words, the words of each of z's values,
/// the stack's use, and what was called.
pub(crate) struct Run<'a> {
    pub(crate) system: System,
    pub(crate) z: Vec<Vec<Word>>,
    pub(crate) stack: i64,
    pub(crate) routines: Option<Routines<'a>>,
}

impl<'a> Machine<'a> {
    pub(crate) fn new(
        code: &'a [u8],
        contract: &'a Contract,
        routines: Option<Routines<'a>>,
    ) -> Self {
        let general = (0..16).map(|number| Register::RAX + number);
        let mut registers: BTreeMap<_, _> = general.map(|r| (r, entry(r))).collect();
        let (mut system, mut memory) = (System::default(), BTreeMap::new());
        for operand in &contract.operands {
            for limb in 0..contract.width * operand.values {
                let word = system.variable(&(&operand.high >> (64 * (limb % contract.width))));
                memory.insert((operand.name.clone(), 8 * limb as i64), Value::Word(word));
            }
        }
        let names = ["z"].into_iter().chain(contract.operands.iter().map(|o| o.name.as_str()));
        for (register, name) in contract.convention.arguments.iter().copied().zip(names) {
            registers.insert(register, Value::Pointer((name.to_string(), 0)));
        }
        let (stack, deepest, carry, overflow) = (0, 0, None, None);
        Self {
            system,
            contract,
            code,
            routines,
            registers,
            stack,
            deepest,
            memory,
            carry,
            overflow,
        }
    }

    /// z's values, where the kernel returns as it should.
    pub(crate) fn result(self) -> Outcome<Run<'a>> {
        let changed = |r: &&Register| self.registers[*r] != entry(**r);
        if let Some(lost) = self.contract.convention.saved.iter().find(changed) {
            return fail(format!("frame: {lost:?} is not restored"));
        }
        let limb = |i| match self.memory.get(&("z".to_string(), 8 * i as i64)) {
            Some(Value::Word(word)) => Ok(word.clone()),
            _ => fail("frame: a limb of z is never written, or not with a word"),
        };
        let limbs = (0..self.contract.result_limbs()).map(limb).collect::<Outcome<Vec<_>>>()?;
        let z = limbs.chunks(self.contract.limbs).map(<[_]>::to_vec).collect();
        Ok(Run { system: self.system, z, stack: self.deepest, routines: self.routines })
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

    /// The lowest place on the stack that an interrupt leaves as it is.
    fn lowest(&self) -> i64 {
        self.stack - self.contract.convention.red_zone
    }

    pub(crate) fn move_stack(&mut self, amount: i64) -> Outcome<Address> {
        self.stack = self.stack.saturating_add(amount);
        if self.stack > 0 || self.stack % 8 != 0 {
            return fail("frees stack that is not its own");
        }
        self.take_stack(self.stack)?;
        let (lowest, top) = (self.lowest(), ("RSP".to_string(), self.stack));
        self.memory.retain(|(base, offset), _| base != "RSP" || *offset >= lowest);
        self.registers.insert(Register::RSP, Value::Pointer(top.clone()));
        Ok(top)
    }

    /// Notes that the stack is used down to an offset, which is a page away at most.
    pub(crate) fn take_stack(&mut self, offset: i64) -> Outcome<()> {
        self.deepest = self.deepest.max(offset.saturating_neg());
        if self.deepest > MOST_STACK {
            return fail("takes more than a page of stack without a probe");
        }
        Ok(())
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
            Value::Word(_) | Value::LowByte(_) => fail("the address depends on data"),
        }
    }

    pub(crate) fn load(&self, address: &Address) -> Outcome<Value> {
        let place = usize::try_from(address.1).ok().filter(|_| address.0 == "code");
        if let Some(bytes) = place.and_then(|place| self.code.get(place..)?.first_chunk()) {
            return Ok(Value::Word(Word::constant(u64::from_le_bytes(*bytes))));
        }
        let value = self.memory.get(address).cloned();
        value.ok_or_else(|| format!("reads {} + {}, which it may not", address.0, address.1))
    }

    pub(crate) fn store(&mut self, (base, offset): Address, value: Value) -> Outcome<()> {
        let own = match base.as_str() {
            "z" => 0..8 * self.contract.result_limbs() as i64,
            "RSP" if offset > 0 => 8..8 + self.contract.convention.home,
            "RSP" => self.lowest()..0,
            _ => 0..0,
        };
        if !own.contains(&offset) || offset % 8 != 0 {
            return fail(format!("writes {base} + {offset}, neither z nor its own stack"));
        }
        if base == "z" {
            self.memory.retain(|(base, _), _| base == "z" || base == "RSP"); // z may be x or y
        }
        if base == "RSP" {
            self.take_stack(offset)?;
        }
        self.memory.insert((base, offset), value);
        Ok(())
    }

    pub(crate) fn read(&self, i: &Instruction, operand: u32) -> Outcome<Value> {
        match i.op_kind(operand) {
            OpKind::Register => self.get(i.op_register(operand)),
            OpKind::Memory if i.memory_size().size() == 8 => self.load(&self.address(i)?),
            OpKind::Immediate8to64 | OpKind::Immediate32to64 | OpKind::Immediate64 => {
                Ok(Value::Word(Word::constant(i.immediate(operand))))
            }
            _ => fail("an operand that is not 64 bits wide"),
        }
    }

    pub(crate) fn write(&mut self, i: &Instruction, operand: u32, value: Value) -> Outcome<()> {
        match i.op_kind(operand) {
            OpKind::Register => self.set(i.op_register(operand), value),
            OpKind::Memory if i.memory_size().size() == 8 => self.store(self.address(i)?, value),
            _ => fail("an operand that is not 64 bits wide"),
        }
    }

    /// An operand that is computed with.
    pub(crate) fn word(&self, i: &Instruction, operand: u32) -> Outcome<Word> {
        as_word(self.read(i, operand)?)
    }
}

pub(crate) fn as_word(value: Value) -> Outcome<Word> {
    match value {
        Value::Word(word) => Ok(word),
        Value::Pointer((base, _)) => {
            fail(format!("computes with an address or an unknown value ({base})"))
        }
        Value::LowByte(_) => fail("computes with a register of which only a byte is known"),
    }
}
