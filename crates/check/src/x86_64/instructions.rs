//! What each instruction does: straight-line x86-64 code, run on a symbolic [`Machine`].
//!
//! Written from Intel's "Software Developer's Manual", volume 2. An instruction that is not here is
//! refused, and so are branches. Every instruction here takes a time that does not depend on data.

use crate::contract::{Contract, STACK};
use crate::memory::{Value, as_word};
use crate::routines::{Routines, Run};
use crate::system::Word;
use crate::x86_64::machine::Machine;
use crate::{Outcome, fail};
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};

pub(crate) const UNKNOWN: &str = "this instruction is not on the list";
/// How many instructions a run may have: calls that call could make it endless.
const MOST_STEPS: usize = 1 << 20;

/// Runs the code to its return.
pub(crate) fn run<'a>(
    code: &'a [u8],
    contract: &'a Contract,
    routines: Option<Routines<'a>>,
) -> Outcome<Run<'a>> {
    let mut machine = Machine::new(code, contract, routines);
    walk(code, &mut machine, |machine| machine, Machine::step)?;
    machine.result()
}

/// Runs code to its return, and code that it calls, which no routine states, in its place.
///
/// `step` runs every instruction but those calls and returns.
pub(crate) fn walk<'a, C>(
    code: &[u8],
    cpu: &mut C,
    machine: impl Fn(&mut C) -> &mut Machine<'a>,
    step: impl Fn(&mut C, &Instruction) -> Outcome<()>,
) -> Outcome<()> {
    let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
    for _ in 0..MOST_STEPS {
        if !decoder.can_decode() {
            return fail("frame: the code does not return");
        }
        let i = decoder.decode();
        let bytes = &code[i.ip() as usize..i.next_ip() as usize];
        if !has_known_prefixes(&i, bytes) {
            return fail(format!("+{:#x} {:?}: a prefix", i.ip(), i.mnemonic()));
        }
        if i.code() == Code::Retnq && !machine(cpu).has_callers() {
            return Ok(());
        }
        let name = |why| format!("+{:#x} {:?}: {why}", i.ip(), i.mnemonic());
        if let Some(place) = machine(cpu).goes_to(&i).map_err(name)? {
            let place = usize::try_from(place).unwrap_or(usize::MAX);
            let outside = |_| name("goes to code outside the object".to_string());
            decoder.set_position(place).map_err(outside)?;
            decoder.set_ip(place as u64);
            continue;
        }
        step(cpu, &i).map_err(name)?;
    }
    fail(format!("frame: the code does not return within {MOST_STEPS} instructions"))
}

/// Whether an instruction has its own legacy prefix, or none, and then one REX prefix at most, so
/// that every decoder and every processor reads it alike.
pub(crate) fn has_known_prefixes(i: &Instruction, bytes: &[u8]) -> bool {
    const LEGACY: &[u8] = b"\x66\x67\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65";
    let bytes = match i.mnemonic() {
        Mnemonic::Adcx => bytes.strip_prefix(b"\x66"),
        Mnemonic::Adox | Mnemonic::Endbr64 => bytes.strip_prefix(b"\xf3"),
        _ => Some(bytes),
    };
    match bytes {
        Some([0x40..=0x4f, 0x40..=0x4f | 0xc4 | 0xc5 | 0x62, ..]) | None => false,
        Some([0x40..=0x4f, next, ..]) => !LEGACY.contains(next),
        Some(bytes) => bytes.first().is_some_and(|first| !LEGACY.contains(first)),
    }
}

/// The words of which a value is the `or`.
fn parts(value: Value) -> Outcome<Vec<Word>> {
    match value {
        Value::AnyOf(words) => Ok(words),
        other => Ok(vec![as_word(other)?]),
    }
}

impl Machine<'_> {
    /// Runs one instruction.
    fn step(&mut self, i: &Instruction) -> Outcome<()> {
        use Mnemonic as M;
        let registers = i.op0_kind() == OpKind::Register && i.op1_kind() == OpKind::Register;
        let same = registers && i.op0_register() == i.op1_register();
        match i.mnemonic() {
            M::Mov if i.code() == Code::Mov_r32_imm32 => {
                let word = Word::constant(i.immediate32()); // the upper half becomes 0
                self.set(i.op0_register().full_register(), Value::Word(word))?;
            }
            _ if self.step_narrow(i)? || self.step_stack(i)? => {}
            M::Mov => self.write(i, 0, self.read(i, 1)?)?,
            M::Xor if same && i.op0_register().size() >= 4 => {
                self.set(i.op0_register().full_register(), Value::Word(Word::default()))?;
            }
            M::Test if registers => {}
            M::Nop | M::Endbr64 => {}
            M::Call if i.code() == Code::Call_rel32_64 => self.call(i.near_branch64())?,
            M::Lea => {
                let value = self.loaded_address(i)?;
                self.set(i.op0_register(), value)?;
            }
            M::Mulx => {
                let (low, high) = self.multiply(self.read(i, 2)?, self.get(Register::RDX)?)?;
                self.write(i, 1, low)?;
                self.write(i, 0, high)?;
            }
            M::Mul => {
                let (low, high) = self.multiply(self.read(i, 0)?, self.get(Register::RAX)?)?;
                self.set(Register::RAX, low)?;
                self.set(Register::RDX, high)?;
            }
            M::Imul if i.op_count() > 1 => {
                let first = i.op_count() - 2; // the low half is the same for signed numbers
                let (low, _) = self.multiply(self.read(i, first)?, self.read(i, first + 1)?)?;
                self.write(i, 0, low)?;
            }
            M::Or => {
                let words = [parts(self.read(i, 0)?)?, parts(self.read(i, 1)?)?].concat();
                self.write(i, 0, Value::AnyOf(words))?;
            }
            M::Neg if matches!(self.read(i, 0)?, Value::AnyOf(_)) => {
                let borrow = self.is_any(&parts(self.read(i, 0)?)?);
                self.carry = Some(borrow);
                self.write(i, 0, Value::LowByte(None))?;
            }
            _ => {
                let word = self.compute(i, same)?;
                self.write(i, 0, Value::Word(word))?;
            }
        }
        self.leave_flags(i.mnemonic());
        Ok(())
    }

    /// Runs an instruction that moves the stack pointer; false for any other.
    pub(crate) fn step_stack(&mut self, i: &Instruction) -> Outcome<bool> {
        use Mnemonic as M;
        match i.mnemonic() {
            M::Push => {
                let value = self.read(i, 0)?;
                let top = self.move_stack(-8)?;
                self.memory.store(top, value)?;
            }
            M::Pop => {
                let value = self.memory.load(&(STACK.to_string(), self.memory.stack))?;
                self.move_stack(8)?;
                self.write(i, 0, value)?;
            }
            M::Add | M::Sub if i.op0_register() == Register::RSP => {
                let amount = i.try_immediate(1).map_err(|_| "moves the stack pointer by a word")?;
                let sign = if i.mnemonic() == M::Add { 1 } else { -1 };
                self.move_stack(amount.cast_signed().saturating_mul(sign))?;
                self.carry = None;
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// What lea gives: an address, or a sum or a double of words; it leaves the flags alone.
    fn loaded_address(&mut self, i: &Instruction) -> Outcome<Value> {
        if i.memory_index() == Register::None {
            return self.moved(i);
        }
        if i.memory_index_scale() != 1 || i.memory_displacement64() != 0 {
            return fail(UNKNOWN);
        }
        let (a, zero) = (as_word(self.get(i.memory_base())?)?, Word::default());
        if i.memory_base() == i.memory_index() {
            return Ok(Value::Word(self.system.shifted(&a, &zero, 1)));
        }
        let b = as_word(self.get(i.memory_index())?)?;
        Ok(Value::Word(self.system.sum(&a, &b, &zero, 1).0))
    }

    /// Forgets or clears the flags that an instruction leaves undefined or 0.
    fn leave_flags(&mut self, mnemonic: Mnemonic) {
        use Mnemonic as M;
        let clear = Some(Word::default());
        match mnemonic {
            M::Add | M::Adc | M::Sub | M::Sbb | M::Neg => self.overflow = None,
            M::Mul | M::Imul | M::Shld | M::Shrd | M::Shl | M::Shr => {
                (self.carry, self.overflow) = (None, None)
            }
            M::And | M::Or | M::Xor | M::Test => {
                (self.carry, self.overflow) = (clear.clone(), clear)
            }
            M::Bzhi => self.overflow = clear,
            _ => {} // the others leave the flags alone, adcx and adox all but one
        }
    }

    /// Whether one of several words is not 0: the borrow of 0 less the number that they make.
    fn is_any(&mut self, words: &[Word]) -> Word {
        words.iter().fold(Word::default(), |borrow, word| {
            self.system.sum(&Word::default(), word, &borrow, -1).1
        })
    }

    fn multiply(&mut self, a: Value, b: Value) -> Outcome<(Value, Value)> {
        let (low, high) = self.system.multiply(&as_word(a)?, &as_word(b)?);
        Ok((Value::Word(low), Value::Word(high)))
    }

    /// The word that an instruction gives to its first operand; sets the carry that it leaves.
    fn compute(&mut self, i: &Instruction, same: bool) -> Outcome<Word> {
        use Mnemonic as M;
        let (a, b) = (self.word(i, 0), self.word(i, 1));
        let index = match self.read(i, 2) {
            Ok(Value::Word(word) | Value::LowByte(Some(word))) => word.as_constant(),
            _ => None,
        };
        let system = &mut self.system;
        let flag = if i.mnemonic() == M::Adox { &mut self.overflow } else { &mut self.carry };
        let carry = flag.clone().ok_or("reads a flag that is undefined here");
        let count = |operand| i.try_immediate(operand).ok().filter(|k| (1..64).contains(k));
        Ok(match i.mnemonic() {
            M::Sbb if same => system.mask(carry?), // the carry stays
            M::Add | M::Adc | M::Adcx | M::Adox | M::Sub | M::Sbb => {
                let alone = matches!(i.mnemonic(), M::Add | M::Sub);
                let carry = if alone { Word::default() } else { carry? };
                let sign = if matches!(i.mnemonic(), M::Sub | M::Sbb) { -1 } else { 1 };
                let (word, out) = if same && sign > 0 && carry == Word::default() {
                    system.doubled(&a?)
                } else {
                    system.sum(&a?, &b?, &carry, sign)
                };
                *flag = Some(out);
                word
            }
            M::Neg => {
                let (word, borrow) = system.negated(&a?);
                *flag = Some(borrow);
                word
            }
            M::Not => {
                let ones = Word::constant(u64::MAX);
                system.define_word(&ones.plus(&a?, -1))
            }
            M::Shl => system.shifted(&a?, &Word::default(), count(1).ok_or(UNKNOWN)?),
            M::Shld => system.shifted(&a?, &b?, count(2).ok_or(UNKNOWN)?),
            M::Shrd => system.shifted(&b?, &a?, 64 - count(2).ok_or(UNKNOWN)?),
            M::Shr => {
                let top = system.top(&a?, 64 - count(1).ok_or(UNKNOWN)?);
                system.define_word(&top)
            }
            M::Cmovb => system.choose(&carry?, b?, a?),
            M::Cmovae => system.choose(&carry?, a?, b?),
            M::And => system.and(a?, b?)?,
            M::Bzhi => {
                let index = index.ok_or("keeps as many bits as data say")? & 0xff;
                *flag = Some(Word::constant(u64::from(index > 63)));
                match index {
                    0 => Word::default(),
                    1..=63 => system.low_bits(&b?, index),
                    _ => b?,
                }
            }
            _ => return fail(UNKNOWN),
        })
    }

    /// What lea without an index gives: an address, or a word and a constant, less the carry.
    fn moved(&mut self, i: &Instruction) -> Outcome<Value> {
        let Ok(Value::Word(word)) = self.get(i.memory_base()) else {
            return Ok(Value::Pointer(self.address(i)?));
        };
        let offset = i.memory_displacement64().cast_signed();
        let (amount, sign) =
            (Word::constant(offset.unsigned_abs()), if offset < 0 { -1 } else { 1 });
        Ok(Value::Word(self.system.sum(&word, &amount, &Word::default(), sign).0))
    }
}
