//! An AArch64 processor with symbolic 64-bit words: registers, flags, and operands.
//!
//! Refused are addresses that depend on data, flags that are not known, and halves of registers where
//! they may not be what the whole is.

use crate::aarch64::words::{Words, tabulate};
use crate::certificate::Product;
use crate::contract::{Contract, STACK};
use crate::memory::{Address, Flags, Memory, Value, as_word};
use crate::routines::{Routines, Run};
use crate::system::{System, Word};
use crate::{Outcome, fail};
use num_bigint::BigInt;
use yaxpeax_arm::armv8::a64::{Instruction, Operand, ShiftStyle, SizeCode};

/// The number of xzr, or of sp where an operand may be that.
const LAST: u16 = 31;
/// Registers that a function leaves as they were.
pub(crate) const SAVED: std::ops::RangeInclusive<u16> = 19..=30;
/// Belongs to the system, but on Linux.
const PLATFORM: u16 = 18;
const HALF: u64 = 32;

fn entry(register: u16) -> Value {
    Value::unknown(&format!("x{register}"))
}

/// A processor in the middle of a kernel.
pub(crate) struct Machine<'a> {
    pub(crate) words: Words<'a>,
    pub(crate) memory: Memory<'a>,
    pub(crate) registers: Vec<Value>,
    pub(crate) flags: Flags,
    /// What calls may use; None where none are allowed.
    pub(crate) routines: Option<Routines<'a>>,
    has_platform_register: bool,
}

/// The width of an operand that is a register.
pub(crate) fn width(operand: Operand) -> Outcome<u64> {
    match operand {
        Operand::Register(size, _) | Operand::RegisterOrSP(size, _) => {
            Ok(if size == SizeCode::X { 64 } else { HALF })
        }
        _ => fail("this operand is not on the list"),
    }
}

/// Refuses an instruction that computes with half a register.
pub(crate) fn whole(i: &Instruction) -> Outcome<()> {
    if width(i.operands[0])? == 64 { Ok(()) } else { fail("computes with half a register") }
}

/// Whether an operand is xzr or wzr.
pub(crate) fn is_zero_register(operand: Operand) -> bool {
    matches!(operand, Operand::Register(_, LAST) | Operand::RegShift(ShiftStyle::LSL, 0, _, LAST))
}

impl<'a> Machine<'a> {
    pub(crate) fn new(
        code: &'a [u8],
        contract: &'a Contract,
        routines: Option<Routines<'a>>,
        products: &'a [Product],
    ) -> Self {
        let mut registers: Vec<_> = (0..LAST).map(entry).collect();
        for (register, name) in registers.iter_mut().zip(contract.pointers()) {
            *register = Value::at(name);
        }
        let mut system = System::default();
        let memory = Memory::new(code, contract, &mut system);
        let has_platform_register = contract.convention.name == "aapcs64";
        let (words, flags) = (Words::new(system, products), Flags::default());
        Self { words, memory, registers, flags, routines, has_platform_register }
    }

    /// z's values, where the kernel returns as it should.
    pub(crate) fn result(self) -> Outcome<Run<'a>> {
        let changed = |r: &u16| self.registers[usize::from(*r)] != entry(*r);
        if let Some(lost) = SAVED.clone().find(changed) {
            return fail(format!("frame: x{lost} is not restored"));
        }
        if self.memory.stack != 0 {
            return fail("frame: sp is not restored");
        }
        Run::ended(&self.memory, self.words.system, self.routines)
    }

    fn place(&self, register: u16) -> Outcome<usize> {
        if register == PLATFORM && !self.has_platform_register {
            return fail("x18 is not the kernel's to use");
        }
        Ok(register.into())
    }

    /// What a general register holds, and xzr 0.
    pub(crate) fn get(&self, register: u16) -> Outcome<Value> {
        let value = self.registers.get(self.place(register)?).cloned();
        Ok(value.unwrap_or(Value::Word(Word::default())))
    }

    pub(crate) fn set(&mut self, register: u16, value: Value) -> Outcome<()> {
        let place = self.place(register)?;
        if let Some(held) = self.registers.get_mut(place) {
            *held = value;
        }
        Ok(())
    }

    /// What a base register of an address holds.
    fn base(&self, register: u16) -> Outcome<Value> {
        if register == LAST {
            return Ok(Value::Pointer((STACK.to_string(), self.memory.stack)));
        }
        self.get(register)
    }

    /// A base and an offset, and where the base is moved to after it.
    pub(crate) fn address(&mut self, operand: Operand) -> Outcome<(Address, Option<Address>)> {
        let (register, offset) = match operand {
            Operand::RegPreIndex(register, offset, _) | Operand::RegPostIndex(register, offset) => {
                (register, i64::from(offset))
            }
            _ => return fail("this address is not on the list"),
        };
        let Value::Pointer((base, start)) = self.base(register)? else {
            return fail("the address depends on data");
        };
        let place = (base.clone(), start.wrapping_add(offset));
        match operand {
            Operand::RegPreIndex(_, _, true) => {
                self.move_base(register, place.clone())?;
                Ok((place, None))
            }
            Operand::RegPostIndex(..) => Ok(((base, start), Some(place))),
            _ => Ok((place, None)),
        }
    }

    /// Moves the base of an address.
    pub(crate) fn move_base(&mut self, register: u16, to: Address) -> Outcome<()> {
        if register != LAST {
            return self.set(register, Value::Pointer(to));
        }
        if to.0 != STACK || to.1 % 16 != 0 {
            return fail("moves the stack pointer by what is not known");
        }
        self.memory.move_stack(to.1.saturating_sub(self.memory.stack)).map(|_| ())
    }

    /// An operand's value, whatever it is; of half a register its 32 bits.
    pub(crate) fn value(&mut self, operand: Operand) -> Outcome<Value> {
        Ok(match operand {
            Operand::Register(size, number) => self.sized(size, number)?,
            Operand::RegisterOrSP(SizeCode::X, LAST) => self.base(LAST)?,
            Operand::RegisterOrSP(size, number) if number != LAST => self.sized(size, number)?,
            Operand::RegShift(ShiftStyle::LSL, 0, size, number) => self.sized(size, number)?,
            Operand::RegShift(style, count, SizeCode::X, number) if count < 64 => {
                let (word, count) = (as_word(self.get(number)?)?, count.into());
                Value::Word(match style {
                    ShiftStyle::LSL => self.left(&word, count),
                    ShiftStyle::LSR => self.right(&word, count),
                    _ => return fail("this shift is not on the list"),
                })
            }
            Operand::Immediate(number) => Value::Word(Word::constant(number)),
            Operand::Imm64(number) => Value::Word(Word::constant(number)),
            Operand::ImmShift(number, count) => {
                Value::Word(Word::constant(BigInt::from(number) << count))
            }
            _ => return fail("this operand is not on the list"),
        })
    }

    fn sized(&mut self, size: SizeCode, number: u16) -> Outcome<Value> {
        let value = self.get(number)?;
        if size == SizeCode::X {
            return Ok(value);
        }
        let word = as_word(value)?;
        Ok(Value::Word(self.low_bits(&word, HALF)))
    }

    /// An operand that is computed with.
    pub(crate) fn word(&mut self, operand: Operand) -> Outcome<Word> {
        as_word(self.value(operand)?)
    }

    /// Assigns a register. A half clears the upper half, which must be 0 already.
    pub(crate) fn write(&mut self, operand: Operand, value: Value) -> Outcome<()> {
        if width(operand)? == HALF {
            let fits =
                matches!(&value, Value::Word(word) if self.words.largest(word).bits() <= HALF);
            if !fits {
                return fail("writes half a register with what may be a whole word");
            }
        }
        match (operand, value) {
            (Operand::RegisterOrSP(_, LAST), Value::Pointer(to)) => self.move_base(LAST, to),
            (Operand::RegisterOrSP(_, LAST), _) => {
                fail("moves the stack pointer by what is not known")
            }
            (Operand::Register(_, number) | Operand::RegisterOrSP(_, number), value) => {
                self.set(number, value)
            }
            _ => fail("this operand is not on the list"),
        }
    }

    pub(crate) fn write_word(&mut self, operand: Operand, word: Word) -> Outcome<()> {
        self.write(operand, Value::Word(word))
    }

    /// word << count mod 2^64, for count < 64.
    pub(crate) fn left(&mut self, word: &Word, count: u64) -> Word {
        match count {
            _ if self.words.are_bits(&[word]) => tabulate([word], |[v]| v << count),
            0 => word.clone(),
            _ => self.words.low(word, &Word::constant(1_u64 << count)),
        }
    }

    /// word >> count, for count < 64: the high half of a product.
    pub(crate) fn right(&mut self, word: &Word, count: u64) -> Word {
        match count {
            _ if self.words.are_bits(&[word]) => tabulate([word], |[v]| v >> count),
            0 => word.clone(),
            _ => self.words.high(word, &Word::constant(1_u64 << (64 - count))),
        }
    }

    /// word mod 2^count, for 0 < count <= 64.
    pub(crate) fn low_bits(&mut self, word: &Word, count: u64) -> Word {
        if self.words.are_bits(&[word]) {
            return tabulate([word], |[v]| v & (u64::MAX >> (64 - count)));
        }
        if self.words.largest(word).bits() <= count {
            return word.clone();
        }
        let radix = BigInt::from(1) << count;
        let top = self.right(word, count);
        self.words.system.define_low(&word.clone().plus(&top, -radix.clone()), &(radix - 1))
    }

    /// Whether a condition holds.
    pub(crate) fn condition(&self, operand: Operand) -> Outcome<Word> {
        let Flags { zero, carry } = &self.flags;
        let (flag, when) = match operand {
            Operand::ConditionCode(0) => (zero, 1),
            Operand::ConditionCode(1) => (zero, 0),
            Operand::ConditionCode(2) => (carry, 1),
            Operand::ConditionCode(3) => (carry, 0),
            _ => return fail("this condition is not on the list"),
        };
        let flag = flag.as_ref().ok_or("reads a flag of which nothing is known")?;
        Ok(tabulate([flag], |[v]| u64::from(v == when)))
    }
}
