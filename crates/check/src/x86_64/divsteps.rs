//! What x86-64 instructions do with words of which nothing is known: a list of words.
//!
//! Written from Intel's "Software Developer's Manual", volume 2. An instruction that is not here is
//! refused, and so are branches; code that is called is run in its place. Addresses, stack and
//! convention are those of [`Machine`].

use crate::contract::Contract;
use crate::divsteps::words::{Made, Place, Ran, Words};
use crate::memory::Value;
use crate::x86_64::instructions::{UNKNOWN, walk};
use crate::x86_64::machine::Machine;
use crate::{Outcome, fail};
use iced_x86::{Instruction, Mnemonic, OpKind, Register};

struct WordMachine<'a> {
    machine: Machine<'a>,
    words: Words,
    /// The word that the zero and the sign flag are of; None where they are undefined.
    flags: Option<Place>,
}

/// Runs the code to its return.
pub(crate) fn run_words(code: &[u8], contract: &Contract) -> Outcome<Ran> {
    let machine = Machine::new(code, contract, None);
    let mut cpu = WordMachine { machine, words: Words::new(), flags: None };
    walk(code, &mut cpu, |cpu| &mut cpu.machine, WordMachine::step)?;
    cpu.words.ended(cpu.machine.result()?)
}

impl WordMachine<'_> {
    /// Runs one instruction.
    fn step(&mut self, i: &Instruction) -> Outcome<()> {
        use Mnemonic as M;
        if self.machine.step_stack(i)? {
            if matches!(i.mnemonic(), M::Add | M::Sub) {
                self.flags = None;
            }
            return Ok(());
        }
        match i.mnemonic() {
            M::Mov => {
                let value = self.machine.read(i, 1)?;
                self.machine.write(i, 0, value)
            }
            M::Lea => self.lea(i),
            M::Add => self.compute(i, Made::Add),
            M::Sub => self.compute(i, Made::Sub),
            M::Neg => {
                let zero = self.words.make(Made::Constant(0));
                let word = Made::Sub(zero, self.read(i, 0)?);
                self.write_with_flags(i, word)
            }
            M::Imul if i.op_count() == 2 => {
                self.compute(i, Made::Mul)?;
                self.flags = None;
                Ok(())
            }
            M::Cmp => {
                let word = Made::Sub(self.read(i, 0)?, self.read(i, 1)?);
                self.flags = Some(self.words.make(word));
                Ok(())
            }
            M::Test => self.test(i),
            M::Shl => self.shift(i, Made::Shl),
            M::Shr => self.shift(i, Made::Shr),
            M::Sar => self.shift(i, Made::Sar),
            M::Cmove => self.choose(i, Made::IsZero, true),
            M::Cmovne => self.choose(i, Made::IsZero, false),
            M::Cmovs => self.choose(i, Made::IsNegative, true),
            M::Cmovns => self.choose(i, Made::IsNegative, false),
            _ => fail(UNKNOWN),
        }
    }

    fn read(&mut self, i: &Instruction, operand: u32) -> Outcome<Place> {
        let value = self.machine.read(i, operand)?;
        self.words.place(value)
    }

    fn write(&mut self, i: &Instruction, word: Made) -> Outcome<Place> {
        let place = self.words.make(word);
        let value = self.words.give(i.ip() as usize, place);
        self.machine.write(i, 0, value)?;
        Ok(place)
    }

    fn write_with_flags(&mut self, i: &Instruction, word: Made) -> Outcome<()> {
        self.flags = Some(self.write(i, word)?);
        Ok(())
    }

    /// An operation on the first operand and the second.
    fn compute(&mut self, i: &Instruction, made: fn(Place, Place) -> Made) -> Outcome<()> {
        let word = made(self.read(i, 0)?, self.read(i, 1)?);
        self.write_with_flags(i, word)
    }

    /// A word and a constant; it leaves the flags alone.
    fn lea(&mut self, i: &Instruction) -> Outcome<()> {
        let Value::Word(word) = self.machine.get(i.memory_base())? else {
            return fail("an address in a register");
        };
        if i.memory_index() != Register::None {
            return fail(UNKNOWN);
        }
        let base = self.words.place(Value::Word(word))?;
        let amount = self.words.make(Made::Constant(i.memory_displacement64()));
        self.write(i, Made::Add(base, amount)).map(|_| ())
    }

    /// The flags of the bits of both; of half a register with a constant below 2^31, which says what
    /// the whole would.
    fn test(&mut self, i: &Instruction) -> Outcome<()> {
        let register = i.op0_register();
        let small = i.try_immediate(1).ok().filter(|bits| *bits < 1 << 31);
        let word = match small {
            Some(bits) if i.op0_kind() == OpKind::Register && register.is_gpr32() => {
                let whole = self.machine.get(register.full_register())?;
                Made::And(self.words.place(whole)?, self.words.make(Made::Constant(bits)))
            }
            _ => Made::And(self.read(i, 0)?, self.read(i, 1)?),
        };
        self.flags = Some(self.words.make(word));
        Ok(())
    }

    fn shift(&mut self, i: &Instruction, made: fn(Place, u64) -> Made) -> Outcome<()> {
        let count = i.try_immediate(1).ok().filter(|k| (1..64).contains(k)).ok_or(UNKNOWN)?;
        let word = made(self.read(i, 0)?, count);
        self.write_with_flags(i, word)
    }

    /// The second operand if the flag is set (or is not), else the first.
    fn choose(&mut self, i: &Instruction, flag: fn(Place) -> Made, when: bool) -> Outcome<()> {
        let of = self.flags.ok_or("reads a flag that is undefined here")?;
        let flag = self.words.make(flag(of));
        let (old, new) = (self.read(i, 0)?, self.read(i, 1)?);
        let (yes, no) = if when { (new, old) } else { (old, new) };
        self.write(i, Made::Choose(flag, yes, no)).map(|_| ())
    }
}
