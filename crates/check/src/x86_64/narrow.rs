//! Bytes and 32-bit halves of registers, as LLVM uses them for flags and small numbers.

use crate::memory::{Value, as_word};
use crate::system::Word;
use crate::x86_64::instructions::UNKNOWN;
use crate::x86_64::machine::Machine;
use crate::{Outcome, fail};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

impl Machine<'_> {
    /// Runs an instruction on a byte or a half, if it is one of those that are known.
    pub(crate) fn step_narrow(&mut self, i: &Instruction) -> Outcome<bool> {
        use Mnemonic as M;
        let to = i.op0_register();
        match i.mnemonic() {
            M::Mov if to.is_gpr8() && i.op1_kind() == OpKind::Immediate8 => self.move_byte(i)?,
            M::Setb | M::Setae => self.set_byte_to_carry(i)?,
            M::And if to.is_gpr32() => self.and_half(i)?,
            M::Add | M::Adc if to.is_gpr32() => self.add_halves(i)?,
            M::Add if to.is_gpr8() => self.carry_from_byte(i)?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A constant becomes the low byte; the rest is known where it was a constant.
    fn move_byte(&mut self, i: &Instruction) -> Outcome<()> {
        let (whole, byte) = (low_byte(i.op0_register())?, i.immediate(1) & 0xff);
        let value = match self.get(whole)? {
            Value::Word(word) if word.as_constant().is_some() => {
                let kept = word.as_constant().unwrap_or_default() & !0xff;
                Value::Word(Word::constant(kept | byte))
            }
            _ => Value::LowByte(Some(Word::constant(byte))),
        };
        self.set(whole, value)
    }

    /// The carry, or 1 less the carry, becomes the low byte.
    fn set_byte_to_carry(&mut self, i: &Instruction) -> Outcome<()> {
        let whole = low_byte(i.op0_register())?;
        let carry = self.carry.clone().ok_or("reads a flag that is undefined here")?;
        let set = i.mnemonic() == Mnemonic::Setb;
        let flag = if set { carry } else { Word::constant(1).plus(&carry, -1) };
        let value = match self.get(whole)? {
            Value::Word(old) if self.system.most(&old) <= 0xff.into() => {
                Value::Word(self.system.define_word(&flag))
            }
            _ => Value::LowByte(Some(flag)),
        };
        self.set(whole, value)
    }

    /// A word's low half and a constant: one of them is a mask.
    fn and_half(&mut self, i: &Instruction) -> Outcome<()> {
        let ones = i.try_immediate(1).map_err(|_| UNKNOWN)? & 0xffff_ffff;
        let whole = i.op0_register().full_register();
        let word = self.system.and(as_word(self.get(whole)?)?, Word::constant(ones))?;
        self.set(whole, Value::Word(word))
    }

    /// A sum of halves and the carry, which must fit a half.
    fn add_halves(&mut self, i: &Instruction) -> Outcome<()> {
        let alone = i.mnemonic() == Mnemonic::Add;
        let carry = if alone { Some(Word::default()) } else { self.carry.clone() };
        let carry = carry.ok_or("reads a flag that is undefined here")?;
        let sum = self.half(i, 0)?.plus(&self.half(i, 1)?, 1).plus(&carry, 1);
        if self.system.most(&sum).bits() > 32 {
            return fail("a sum of 32 bits that may be more than 32 bits");
        }
        let word = self.system.define_word(&sum);
        self.set(i.op0_register().full_register(), Value::Word(word))?;
        self.carry = Some(Word::default());
        Ok(())
    }

    /// 255 added to a byte that is a flag: the flag becomes the carry.
    fn carry_from_byte(&mut self, i: &Instruction) -> Outcome<()> {
        let whole = low_byte(i.op0_register())?;
        let flag = match self.get(whole)? {
            Value::Word(word) | Value::LowByte(Some(word)) => word,
            _ => return fail("adds to a byte that is not known"),
        };
        let ones = i.try_immediate(1).is_ok_and(|byte| byte & 0xff == 0xff);
        if !ones || self.system.most(&flag) > 1.into() {
            return fail("adds to a byte, and not 255 to a flag");
        }
        self.set(whole, Value::LowByte(None))?;
        self.carry = Some(flag);
        Ok(())
    }

    /// A 32-bit register whose upper half is known to be 0, or a constant.
    fn half(&self, i: &Instruction, operand: u32) -> Outcome<Word> {
        if let Ok(constant) = i.try_immediate(operand) {
            return Ok(Word::constant(constant & 0xffff_ffff));
        }
        let register = i.op_register(operand);
        let word = as_word(self.get(register.full_register())?)?;
        if !register.is_gpr32() || self.system.most(&word).bits() > 32 {
            return fail(format!("{register:?} may be more than 32 bits"));
        }
        Ok(word)
    }
}

/// The register whose low byte a register is.
fn low_byte(register: Register) -> Outcome<Register> {
    use Register::{AH, BH, CH, DH};
    if register.is_gpr8() && ![AH, BH, CH, DH].contains(&register) {
        return Ok(register.full_register());
    }
    fail(format!("{register:?} is not the low byte of a general register"))
}
