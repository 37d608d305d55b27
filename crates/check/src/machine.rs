//! What straight-line x86-64 code does, on symbolic 64-bit words.
//!
//! Written from Intel's "Software Developer's Manual", volume 2. Whatever is not here is refused:
//! branches, addresses that depend on data, flags that are undefined, memory that is not the
//! kernel's. Every instruction here takes a time that does not depend on data.

use crate::contract::Contract;
use crate::polynomial::Polynomial;
use crate::{Failure, Outcome, fail};
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// A number below 2^64: known, or a variable. A flag is a word that is 0 or 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Word {
    /// A known number.
    Constant(u64),
    /// A variable, by its number.
    Variable(usize),
}

impl Word {
    /// The word as a polynomial.
    pub(crate) fn polynomial(self) -> Polynomial {
        match self {
            Self::Constant(value) => Polynomial::sum([(value.into(), vec![])]),
            Self::Variable(number) => Polynomial::sum([(1.into(), vec![number])]),
        }
    }
}

const CLEAR: Word = Word::Constant(0);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Base {
    Result,
    Operand(usize),
    Stack,
    Code,
}

/// What a register or a place on the stack holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    Word(Word),
    Pointer(Base, i64),
    /// What a register held on entry, of which nothing is known.
    Entry(usize),
}

/// What an instruction says of the variables that it makes.
#[derive(Debug)]
pub(crate) enum Row {
    /// left - right, which is 0.
    Equation(Polynomial),
    /// The word is one side or the other.
    Choice { word: usize, flag: usize, when_set: Word, otherwise: Word },
}

/// Variables with their largest values, and rows, in the order in which the code makes them.
#[derive(Debug, Default)]
pub(crate) struct System {
    /// Of each variable the largest value.
    pub(crate) highs: Vec<u64>,
    /// What is known of the variables.
    pub(crate) rows: Vec<Row>,
    tops: BTreeMap<(usize, u32), usize>,
    masks: BTreeMap<usize, usize>,
}

impl System {
    fn variable(&mut self, high: u64) -> usize {
        self.highs.push(high);
        self.highs.len() - 1
    }

    fn largest(&self, word: Word) -> u64 {
        match word {
            Word::Constant(value) => value,
            Word::Variable(number) => self.highs[number],
        }
    }

    /// A new word, which is at most `high`.
    fn word(&mut self, high: &BigInt) -> usize {
        self.variable(u64::try_from(high).unwrap_or(u64::MAX))
    }

    /// word + sign * 2^64 * carry = right.
    fn define(&mut self, right: &Polynomial, sign: i8) -> (Word, Word) {
        let size: BigInt = BigInt::from(1) << 64;
        let (high, out) = if sign > 0 {
            let high = right.upper(&self.highs);
            (high.clone(), high / &size)
        } else {
            let low = Polynomial::default().plus(right, -1).upper(&self.highs);
            (size.clone(), (low + &size - 1) / &size)
        };
        let (word, carry) = (self.word(&high), self.word(&out));
        let left = [(1.into(), vec![word]), (size * sign, vec![carry])];
        self.rows.push(Row::Equation(Polynomial::sum(left).plus(right, -1)));
        (Word::Variable(word), Word::Variable(carry))
    }

    /// word = right, which is known to be a word.
    fn define_word(&mut self, right: &Polynomial) -> Word {
        let high = right.upper(&self.highs);
        let word = Word::Variable(self.word(&high));
        self.rows.push(Row::Equation(word.polynomial().plus(right, -1)));
        word
    }

    fn choose(&mut self, flag: Word, when_set: Word, otherwise: Word) -> Word {
        let flag = match flag {
            Word::Constant(0) => return otherwise,
            Word::Constant(_) => return when_set,
            Word::Variable(number) => number,
        };
        let word = self.variable(self.largest(when_set).max(self.largest(otherwise)));
        if (when_set, otherwise) == (Word::Constant(u64::MAX), CLEAR) {
            self.masks.insert(word, flag);
        }
        self.rows.push(Row::Choice { word, flag, when_set, otherwise });
        Word::Variable(word)
    }

    /// Low and high half of a product.
    fn multiply(&mut self, a: Word, b: Word) -> (Word, Word) {
        let right = a.polynomial().times(&b.polynomial());
        if self.largest(a).checked_mul(self.largest(b)).is_some() {
            return (self.define_word(&right), CLEAR);
        }
        self.define(&right, 1)
    }

    /// word >> (64 - k), for 0 < k < 64.
    fn top(&mut self, word: Word, k: u32) -> Word {
        let number = match word {
            Word::Constant(value) => return Word::Constant(value >> (64 - k)),
            Word::Variable(number) => number,
        };
        let high = self.highs[number] >> (64 - k);
        if high == 0 {
            return CLEAR;
        }
        let next = self.highs.len();
        let made = *self.tops.entry((number, k)).or_insert(next);
        if made == next {
            self.highs.push(high);
        }
        Word::Variable(made)
    }

    /// (high << k | low >> (64 - k)) mod 2^64, for 0 < k < 64.
    fn shifted(&mut self, high: Word, low: Word, k: u32) -> Word {
        let (out, into) = (self.top(high, k), self.top(low, k));
        let right = Polynomial::default()
            .plus(&high.polynomial(), BigInt::from(1) << k)
            .plus(&out.polynomial(), BigInt::from(-1) << 64)
            .plus(&into.polynomial(), 1);
        self.define_word(&right)
    }
}

/// A processor in the middle of a kernel.
struct Machine<'a> {
    system: System,
    contract: &'a Contract,
    code: &'a [u8],
    registers: [Value; 16],
    stack: BTreeMap<i64, Value>,
    result: BTreeMap<usize, Word>,
    carry: Option<Word>,
    overflow: Option<Word>,
    place: usize,
}

const RAX: usize = 0;
const RDX: usize = 2;
const RSP: usize = 4;

fn general(register: Register) -> Outcome<usize> {
    if register.is_gpr64() { Ok(register.number()) } else { fail("not a 64-bit register") }
}

/// Runs the code from `start` to its return: what is known of its words, and z's limbs.
pub(crate) fn run(code: &[u8], start: usize, contract: &Contract) -> Outcome<(System, Vec<Word>)> {
    let mut machine = Machine::new(code, start, contract);
    for _ in 0..100_000 {
        let bytes = code.get(machine.place..).unwrap_or_default();
        let at = machine.place;
        let i = Decoder::with_ip(64, bytes, at as u64, DecoderOptions::NONE).decode();
        machine.place += i.len();
        let name = |why| Failure::Claim(format!("+{at:#x} {:?}: {why}", i.mnemonic()));
        let done = machine.step(&i).map_err(|failure| match failure {
            Failure::Claim(why) | Failure::Input(why) => name(why),
        })?;
        if done {
            let limbs = (0..contract.limbs).map(|limb| machine.result.get(&limb).copied());
            let Some(result) = limbs.collect() else {
                return fail("frame: a limb of z is never written");
            };
            return Ok((machine.system, result));
        }
    }
    fail("frame: the code does not return")
}

impl<'a> Machine<'a> {
    fn new(code: &'a [u8], place: usize, contract: &'a Contract) -> Self {
        let mut registers = std::array::from_fn(Value::Entry);
        registers[RSP] = Value::Pointer(Base::Stack, 0);
        let bases = (0..contract.operands.len()).map(Base::Operand);
        let all = std::iter::once(Base::Result).chain(bases);
        for (register, base) in contract.convention.arguments.iter().zip(all) {
            registers[*register] = Value::Pointer(base, 0);
        }
        let mut system = System::default();
        let limb = |i| u64::try_from(&contract.high >> (64 * i)).unwrap_or(u64::MAX);
        for _ in contract.operands {
            system.highs.extend((0..contract.width).map(limb));
        }
        let (stack, result) = (BTreeMap::new(), BTreeMap::new());
        let (carry, overflow) = (None, None);
        Self { system, contract, code, registers, stack, result, carry, overflow, place }
    }

    fn stack_pointer(&self) -> i64 {
        match self.registers[RSP] {
            Value::Pointer(Base::Stack, offset) => offset,
            _ => unreachable!("nothing else is ever assigned"),
        }
    }

    fn lowest(&self) -> i64 {
        self.stack_pointer() - self.contract.convention.red_zone
    }

    fn set_stack_pointer(&mut self, offset: i64) -> Outcome<()> {
        if offset > 0 || offset % 8 != 0 {
            return fail("frees stack that is not its own");
        }
        self.registers[RSP] = Value::Pointer(Base::Stack, offset);
        self.stack = self.stack.split_off(&self.lowest()); // an interrupt may write below
        Ok(())
    }

    fn address(&self, i: &Instruction) -> Outcome<(Base, i64)> {
        if i.has_segment_prefix() || i.memory_index() != Register::None {
            return fail("an address with an index or a segment");
        }
        let offset = i.memory_displacement64().cast_signed();
        if i.memory_base() == Register::RIP {
            return Ok((Base::Code, offset)); // iced has added the instruction pointer
        }
        match self.registers[general(i.memory_base())?] {
            Value::Pointer(base, start) => Ok((base, start.wrapping_add(offset))),
            _ => fail("the address depends on data"),
        }
    }

    fn load(&self, (base, offset): (Base, i64)) -> Outcome<Value> {
        let limb = usize::try_from(offset / 8).ok().filter(|_| offset >= 0);
        if base == Base::Code {
            let start = usize::try_from(offset).ok();
            let bytes = start.and_then(|s| self.code.get(s..s.checked_add(8)?));
            let word = bytes.and_then(|b| b.try_into().ok()).map(u64::from_le_bytes);
            return word.map_or_else(
                || fail("reads outside the code"),
                |value| Ok(Value::Word(Word::Constant(value))),
            );
        }
        if offset % 8 != 0 {
            return fail("reads between two words");
        }
        match base {
            Base::Stack if offset >= self.lowest() && self.stack.contains_key(&offset) => {
                Ok(self.stack[&offset])
            }
            Base::Stack => fail("reads stack that it never wrote"),
            Base::Operand(_) if !self.result.is_empty() => {
                fail("reads an operand after it wrote z, which may be the same memory")
            }
            Base::Operand(index) => match limb {
                Some(limb) if limb < self.contract.width => {
                    Ok(Value::Word(Word::Variable(self.contract.width * index + limb)))
                }
                _ => fail("reads outside an operand"),
            },
            Base::Result | Base::Code => fail("reads z"),
        }
    }

    fn store(&mut self, (base, offset): (Base, i64), value: Value) -> Outcome<()> {
        if offset % 8 != 0 {
            return fail("writes between two words");
        }
        match (base, value, usize::try_from(offset / 8)) {
            (Base::Stack, _, _) if (self.lowest()..0).contains(&offset) => {
                self.stack.insert(offset, value);
            }
            (Base::Result, Value::Word(word), Ok(limb)) if limb < self.contract.limbs => {
                self.result.insert(limb, word);
            }
            _ => return fail("writes what is neither z nor its own stack"),
        }
        Ok(())
    }

    fn read(&self, i: &Instruction, operand: u32) -> Outcome<Value> {
        match i.op_kind(operand) {
            OpKind::Register => Ok(self.registers[general(i.op_register(operand))?]),
            OpKind::Memory if i.memory_size().size() == 8 => self.load(self.address(i)?),
            OpKind::Immediate8to64 | OpKind::Immediate32to64 | OpKind::Immediate64 => {
                Ok(Value::Word(Word::Constant(i.immediate(operand))))
            }
            _ => fail("an operand that is not 64 bits wide"),
        }
    }

    fn word(&self, i: &Instruction, operand: u32) -> Outcome<Word> {
        as_word(self.read(i, operand)?)
    }

    fn write(&mut self, i: &Instruction, operand: u32, value: Value) -> Outcome<()> {
        match i.op_kind(operand) {
            OpKind::Register if i.op_register(operand) == Register::RSP => {
                fail("moves the stack pointer")
            }
            OpKind::Register => {
                self.registers[general(i.op_register(operand))?] = value;
                Ok(())
            }
            OpKind::Memory if i.memory_size().size() == 8 => self.store(self.address(i)?, value),
            _ => fail("an operand that is not 64 bits wide"),
        }
    }

    /// Runs one instruction; whether it was the return.
    fn step(&mut self, i: &Instruction) -> Outcome<bool> {
        use Mnemonic as M;
        let repeated = i.has_rep_prefix() && i.mnemonic() != M::Ret;
        if i.has_lock_prefix() || i.has_repne_prefix() || repeated {
            return fail("a prefix");
        }
        match i.mnemonic() {
            M::Mov => self.mov(i)?,
            M::Lea => self.lea(i)?,
            M::Push => {
                let value = self.read(i, 0)?;
                self.push(value)?;
            }
            M::Pop => {
                let value = self.pop()?;
                self.write(i, 0, value)?;
            }
            M::Add | M::Sub
                if i.op_kind(0) == OpKind::Register && i.op0_register() == Register::RSP =>
            {
                let Value::Word(Word::Constant(amount)) = self.read(i, 1)? else {
                    return fail("moves the stack pointer by what is not known");
                };
                let amount = amount.cast_signed() * if i.mnemonic() == M::Add { 1 } else { -1 };
                self.set_stack_pointer(self.stack_pointer().saturating_add(amount))?;
                (self.carry, self.overflow) = (None, None);
            }
            M::Add => (self.carry, self.overflow) = (Some(self.sum(i, Some(CLEAR), 1)?), None),
            M::Adc => (self.carry, self.overflow) = (Some(self.sum(i, self.carry, 1)?), None),
            M::Adcx => self.carry = Some(self.sum(i, self.carry, 1)?),
            M::Adox => self.overflow = Some(self.sum(i, self.overflow, 1)?),
            M::Sub => (self.carry, self.overflow) = (Some(self.sum(i, Some(CLEAR), -1)?), None),
            M::Sbb if same_register(i) => {
                let word = self.system.choose(flag(self.carry)?, Word::Constant(u64::MAX), CLEAR);
                self.write(i, 0, Value::Word(word))?; // all ones or 0: the carry stays as it is
                self.overflow = None;
            }
            M::Sbb => (self.carry, self.overflow) = (Some(self.sum(i, self.carry, -1)?), None),
            M::Mulx => {
                let b = as_word(self.registers[RDX])?;
                let a = self.word(i, 2)?;
                let (low, high) = self.system.multiply(a, b);
                self.write(i, 1, Value::Word(low))?;
                self.write(i, 0, Value::Word(high))?;
            }
            M::Mul => {
                let (a, b) = (self.word(i, 0)?, as_word(self.registers[RAX])?);
                let (low, high) = self.system.multiply(a, b);
                self.registers[RAX] = Value::Word(low);
                self.registers[RDX] = Value::Word(high);
                (self.carry, self.overflow) = (None, None);
            }
            M::Imul if i.op_count() > 1 => {
                let first = i.op_count() - 2;
                let (a, b) = (self.word(i, first)?, self.word(i, first + 1)?);
                let low = self.system.multiply(a, b).0; // the same for signed numbers
                self.write(i, 0, Value::Word(low))?;
                (self.carry, self.overflow) = (None, None);
            }
            M::And => self.and(i)?,
            M::Xor if same_register(i) && i.op0_register().full_register() != Register::RSP => {
                let register = i.op0_register();
                if !register.is_gpr32() && !register.is_gpr64() {
                    return fail("xor of a part of a register");
                }
                self.registers[register.full_register().number()] = Value::Word(CLEAR);
                (self.carry, self.overflow) = (Some(CLEAR), Some(CLEAR));
            }
            M::Test if i.op_kind(0) == OpKind::Register && i.op_kind(1) == OpKind::Register => {
                (self.carry, self.overflow) = (Some(CLEAR), Some(CLEAR));
            }
            M::Shld if i.op_kind(2) == OpKind::Immediate8 && (1..64).contains(&i.immediate8()) => {
                let (high, low) = (self.word(i, 0)?, self.word(i, 1)?);
                let word = self.system.shifted(high, low, i.immediate8().into());
                self.write(i, 0, Value::Word(word))?;
                (self.carry, self.overflow) = (None, None);
            }
            M::Cmovb | M::Cmovae => {
                let (old, new) = (self.word(i, 0)?, self.word(i, 1)?);
                let (set, clear) = if i.mnemonic() == M::Cmovb { (new, old) } else { (old, new) };
                let word = self.system.choose(flag(self.carry)?, set, clear);
                self.write(i, 0, Value::Word(word))?;
            }
            M::Call | M::Jmp if i.op0_kind() == OpKind::NearBranch64 => {
                let back = self.place;
                let target = usize::try_from(i.near_branch64()).ok();
                let Some(target) = target.filter(|t| *t < self.code.len()) else {
                    return fail("goes outside the code");
                };
                if i.mnemonic() == M::Call {
                    self.push(Value::Pointer(Base::Code, back as i64))?;
                }
                self.place = target;
            }
            M::Ret if i.code() == Code::Retnq => return self.ret(),
            M::Endbr64 | M::Nop => {}
            _ => return fail("this instruction is not on the list"),
        }
        Ok(false)
    }

    /// operand0 += sign * (operand1 + carry); the carry or borrow out.
    fn sum(&mut self, i: &Instruction, carry: Option<Word>, sign: i8) -> Outcome<Word> {
        let (a, b, carry) = (self.word(i, 0)?, self.word(i, 1)?, flag(carry)?);
        let (word, out) = if sign > 0 && a == b && carry == CLEAR {
            (self.system.shifted(a, CLEAR, 1), self.system.top(a, 1))
        } else {
            let rest = b.polynomial().plus(&carry.polynomial(), 1);
            self.system.define(&a.polynomial().plus(&rest, sign), sign)
        };
        self.write(i, 0, Value::Word(word))?;
        Ok(out)
    }

    fn mov(&mut self, i: &Instruction) -> Outcome<()> {
        let half = i.op_kind(0) == OpKind::Register && i.op0_register().is_gpr32();
        if half && i.op_kind(1) == OpKind::Immediate32 && i.op0_register() != Register::ESP {
            let register = i.op0_register().full_register().number(); // clears the upper half
            self.registers[register] = Value::Word(Word::Constant(i.immediate32().into()));
            return Ok(());
        }
        let value = self.read(i, 1)?;
        self.write(i, 0, value)
    }

    fn lea(&mut self, i: &Instruction) -> Outcome<()> {
        let (base, index) = (i.memory_base(), i.memory_index());
        let target = general(i.op0_register())?;
        if base == index && i.memory_index_scale() == 1 && i.memory_displacement64() == 0 {
            let word = as_word(self.registers[general(base)?])?;
            let twice = self.system.shifted(word, CLEAR, 1);
            return self.write(i, 0, Value::Word(twice));
        }
        let (base, offset) = self.address(i)?;
        if target != RSP {
            self.registers[target] = Value::Pointer(base, offset);
            return Ok(());
        }
        if base == Base::Stack { self.set_stack_pointer(offset) } else { fail("moves the stack") }
    }

    fn and(&mut self, i: &Instruction) -> Outcome<()> {
        let (a, b) = (self.word(i, 0)?, self.word(i, 1)?);
        for (mask, word) in [(a, b), (b, a)] {
            let Word::Variable(number) = mask else {
                continue;
            };
            if let Some(flag) = self.system.masks.get(&number).copied() {
                let chosen = self.system.choose(Word::Variable(flag), word, CLEAR);
                (self.carry, self.overflow) = (Some(CLEAR), Some(CLEAR));
                return self.write(i, 0, Value::Word(chosen));
            }
        }
        fail("`and` of two words of which none is a mask")
    }

    fn push(&mut self, value: Value) -> Outcome<()> {
        self.set_stack_pointer(self.stack_pointer().saturating_sub(8))?;
        self.store((Base::Stack, self.stack_pointer()), value)
    }

    fn pop(&mut self) -> Outcome<Value> {
        let value = self.load((Base::Stack, self.stack_pointer()))?;
        self.set_stack_pointer(self.stack_pointer() + 8)?;
        Ok(value)
    }

    fn ret(&mut self) -> Outcome<bool> {
        if self.stack_pointer() != 0 {
            let Value::Pointer(Base::Code, back) = self.pop()? else {
                return fail("returns to no place that it was called from");
            };
            self.place = usize::try_from(back).unwrap_or(usize::MAX);
            return Ok(false);
        }
        for register in self.contract.convention.saved {
            if self.registers[*register] != Value::Entry(*register) {
                return fail("frame: a callee-saved register is not restored");
            }
        }
        Ok(true)
    }
}

fn as_word(value: Value) -> Outcome<Word> {
    match value {
        Value::Word(word) => Ok(word),
        _ => fail("computes with an address or an unknown value"),
    }
}

fn flag(value: Option<Word>) -> Outcome<Word> {
    value.map_or_else(|| fail("reads a flag that is undefined here"), Ok)
}

fn same_register(i: &Instruction) -> bool {
    let registers = i.op_kind(0) == OpKind::Register && i.op_kind(1) == OpKind::Register;
    registers && i.op0_register() == i.op1_register()
}
