//! What AArch64 instructions do with words of which nothing is known: a list of words.
//!
//! Written from Arm's "Architecture Reference Manual for A-profile", C6. An instruction that is not here
//! is refused, and so are branches and calls. Addresses, stack and convention are those of [`Machine`].

use crate::aarch64::instructions::{UNKNOWN, decoded};
use crate::aarch64::machine::{Machine, is_zero_register, whole};
use crate::contract::Contract;
use crate::divsteps::words::{Made, Place, Ran, Words};
use crate::{Outcome, fail};
use yaxpeax_arm::armv8::a64::{Instruction, Opcode, Operand, ShiftStyle, SizeCode};

struct WordMachine<'a> {
    machine: Machine<'a>,
    words: Words,
    /// The word that Z and N are of; None where they are not known.
    flags: Option<Place>,
}

/// Runs the code to its return.
pub(crate) fn run_words(code: &[u8], contract: &Contract) -> Outcome<Ran> {
    let machine = Machine::new(code, contract, None, &[]);
    let mut cpu = WordMachine { machine, words: Words::new(), flags: None };
    for (k, bytes) in code.as_chunks().0.iter().enumerate() {
        let i = decoded(bytes).ok_or_else(|| format!("+{:#x}: {UNKNOWN}", 4 * k))?;
        if i.opcode == Opcode::RET && i.operands[0] == Operand::Register(SizeCode::X, 30) {
            return cpu.words.ended(cpu.machine.result()?);
        }
        let name = |why| format!("+{:#x} {:?}: {why}", 4 * k, i.opcode);
        cpu.step(&i, 4 * k).map_err(name)?;
    }
    fail("frame: the code does not return")
}

impl WordMachine<'_> {
    /// Runs one instruction, which stands at an offset of the code.
    fn step(&mut self, i: &Instruction, at: usize) -> Outcome<()> {
        use Opcode as O;
        match i.opcode {
            O::LDR | O::LDUR => return self.machine.load(i, 1),
            O::LDP => return self.machine.load(i, 2),
            O::STR | O::STUR => return self.machine.store(i, 1),
            O::STP => return self.machine.store(i, 2),
            O::MOVZ | O::MOVN | O::MOVK => return self.machine.constant(i),
            _ => whole(i)?,
        }
        let [_, a, b, c] = i.operands;
        match i.opcode {
            O::ORR if is_zero_register(a) => {
                let value = self.machine.value(plain(b)?)?; // mov
                self.machine.write(i.operands[0], value)
            }
            O::ADD => self.compute(i, at, Made::Add),
            O::SUB => self.compute(i, at, Made::Sub),
            O::MADD if is_zero_register(c) => self.compute(i, at, Made::Mul),
            O::SUBS if is_zero_register(i.operands[0]) => self.decide(i, Made::Sub), // cmp
            O::ANDS if is_zero_register(i.operands[0]) => self.decide(i, Made::And), // tst
            O::UBFM | O::SBFM => self.field(i, at),
            O::CSEL => {
                let flag = self.flag(c)?;
                self.compute(i, at, |yes, no| Made::Choose(flag, yes, no))
            }
            _ => fail(UNKNOWN),
        }
    }

    fn read(&mut self, operand: Operand) -> Outcome<Place> {
        let value = self.machine.value(plain(operand)?)?;
        self.words.place(value)
    }

    fn write(&mut self, i: &Instruction, at: usize, word: Made) -> Outcome<()> {
        let place = self.words.make(word);
        let value = self.words.give(at, place);
        self.machine.write(i.operands[0], value)
    }

    /// An operation on two words.
    fn compute(
        &mut self,
        i: &Instruction,
        at: usize,
        made: impl Fn(Place, Place) -> Made,
    ) -> Outcome<()> {
        let word = made(self.read(i.operands[1])?, self.read(i.operands[2])?);
        self.write(i, at, word)
    }

    /// Lets the flags be those of a result, which no register gets.
    fn decide(&mut self, i: &Instruction, made: fn(Place, Place) -> Made) -> Outcome<()> {
        let word = made(self.read(i.operands[1])?, self.read(i.operands[2])?);
        self.flags = Some(self.words.make(word));
        Ok(())
    }

    /// Whether a condition holds.
    fn flag(&mut self, condition: Operand) -> Outcome<Place> {
        let of = self.flags.ok_or("reads a flag of which nothing is known")?;
        let (flag, when) = match condition {
            Operand::ConditionCode(0) => (Made::IsZero(of), true), // eq
            Operand::ConditionCode(1) => (Made::IsZero(of), false), // ne
            Operand::ConditionCode(4) => (Made::IsNegative(of), true), // mi
            Operand::ConditionCode(5) => (Made::IsNegative(of), false), // pl
            _ => return fail("this condition is not on the list"),
        };
        let flag = self.words.make(flag);
        if when {
            return Ok(flag);
        }
        let one = self.words.make(Made::Constant(1));
        Ok(self.words.make(Made::Sub(one, flag)))
    }

    /// lsl and lsr; asr and sbfx: some bits from one on, with a sign.
    fn field(&mut self, i: &Instruction, at: usize) -> Outcome<()> {
        let [_, word, Operand::Immediate(first), Operand::Immediate(last)] = i.operands else {
            return fail(UNKNOWN);
        };
        let (word, first, last) = (self.read(word)?, u64::from(first), u64::from(last));
        let is_left = i.opcode == Opcode::UBFM && first == last + 1;
        if first > last && !is_left || last > 63 || (first, last) == (0, 63) {
            return fail(UNKNOWN);
        }
        let word = match i.opcode {
            Opcode::UBFM if is_left && last < 63 => Made::Shl(word, 63 - last),
            Opcode::UBFM if last == 63 => Made::Shr(word, first),
            Opcode::SBFM if last == 63 => Made::Sar(word, first),
            Opcode::SBFM => {
                Made::Sar(self.words.make(Made::Shl(word, 63 - last)), 63 - last + first)
            }
            _ => return fail(UNKNOWN),
        };
        self.write(i, at, word)
    }
}

/// An operand that is a register or a number, and is not shifted.
fn plain(operand: Operand) -> Outcome<Operand> {
    match operand {
        Operand::Register(SizeCode::X, _)
        | Operand::RegisterOrSP(SizeCode::X, _)
        | Operand::RegShift(ShiftStyle::LSL, 0, SizeCode::X, _)
        | Operand::Immediate(_)
        | Operand::Imm64(_)
        | Operand::ImmShift(..) => Ok(operand),
        _ => fail("this form of operand is not on the list"),
    }
}
