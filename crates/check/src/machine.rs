//! What straight-line x86-64 code does, on symbolic 64-bit words.
//!
//! Written from Intel's "Software Developer's Manual", volume 2. Whatever is not here is refused:
//! branches, addresses that depend on data, flags that are undefined, memory that is not the
//! kernel's. Every instruction here takes a time that does not depend on data.

use crate::contract::Contract;
use crate::polynomial::Polynomial;
use crate::system::{System, Word};
use crate::{Outcome, fail};
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, OpKind, Register};
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
    contract: &'a Contract,
    code: &'a [u8],
    registers: BTreeMap<Register, Value>,
    /// What the stack pointer has moved by.
    stack: i64,
    /// How far down the stack was used.
    deepest: i64,
    /// What may be read, code aside.
    memory: BTreeMap<Address, Value>,
    /// A flag is None where it is undefined.
    pub(crate) carry: Option<Word>,
    pub(crate) overflow: Option<Word>,
}

/// Bytes of stack that a kernel may take: a page, so that none steps over a guard page.
const MOST_STACK: i64 = 4096;

/// What a run to the return gives: what is known of its words, z's values, and the stack's use.
pub(crate) struct Run {
    pub(crate) system: System,
    pub(crate) z: Vec<Polynomial>,
    pub(crate) stack: i64,
}

/// Runs the code to its return.
pub(crate) fn run(code: &[u8], contract: &Contract) -> Outcome<Run> {
    let mut machine = Machine::new(code, contract);
    for i in &mut Decoder::new(64, code, DecoderOptions::NONE) {
        let bytes = &code[i.ip() as usize..i.next_ip() as usize];
        if !has_known_prefixes(&i, bytes) {
            return fail(format!("+{:#x} {:?}: a prefix", i.ip(), i.mnemonic()));
        }
        if i.code() == Code::Retnq {
            return machine.result();
        }
        let name = |why| format!("+{:#x} {:?}: {why}", i.ip(), i.mnemonic());
        machine.step(&i).map_err(name)?;
    }
    fail("frame: the code does not return")
}

/// Whether an instruction has its own legacy prefix, or none, and then one REX prefix at most, so
/// that every decoder and every processor reads it alike.
fn has_known_prefixes(i: &Instruction, bytes: &[u8]) -> bool {
    const LEGACY: &[u8] = b"\x66\x67\xf0\xf2\xf3\x2e\x36\x3e\x26\x64\x65";
    let bytes = match i.mnemonic() {
        Mnemonic::Adcx => bytes.strip_prefix(b"\x66"),
        Mnemonic::Adox => bytes.strip_prefix(b"\xf3"),
        _ => Some(bytes),
    };
    match bytes {
        Some([0x40..=0x4f, 0x40..=0x4f | 0xc4 | 0xc5 | 0x62, ..]) | None => false,
        Some([0x40..=0x4f, next, ..]) => !LEGACY.contains(next),
        Some(bytes) => bytes.first().is_some_and(|first| !LEGACY.contains(first)),
    }
}

impl<'a> Machine<'a> {
    fn new(code: &'a [u8], contract: &'a Contract) -> Self {
        let general = (0..16).map(|number| Register::RAX + number);
        let mut registers: BTreeMap<_, _> = general.map(|r| (r, entry(r))).collect();
        let (mut system, mut memory) = (System::default(), BTreeMap::new());
        let pointers = || contract.operands.chunks(contract.beside);
        for beside in pointers() {
            for limb in 0..contract.width * beside.len() {
                let word = system.variable(&(&contract.high >> (64 * (limb % contract.width))));
                memory.insert((beside[0].0.clone(), 8 * limb as i64), Value::Word(word));
            }
        }
        let names = ["z"].into_iter().chain(pointers().map(|beside| beside[0].0.as_str()));
        for (register, name) in contract.convention.arguments.iter().copied().zip(names) {
            registers.insert(register, Value::Pointer((name.to_string(), 0)));
        }
        let (stack, deepest, carry, overflow) = (0, 0, None, None);
        Self { system, contract, code, registers, stack, deepest, memory, carry, overflow }
    }

    /// z's values, where the kernel returns as it should.
    fn result(self) -> Outcome<Run> {
        let changed = |r: &&Register| self.registers[*r] != entry(**r);
        if let Some(lost) = self.contract.convention.saved.iter().find(changed) {
            return fail(format!("frame: {lost:?} is not restored"));
        }
        let limb = |i| match self.memory.get(&("z".to_string(), 8 * i as i64)) {
            Some(Value::Word(word)) => Ok(word.clone()),
            _ => fail("frame: a limb of z is never written, or not with a word"),
        };
        let limbs = (0..self.contract.result_limbs()).map(limb).collect::<Outcome<Vec<_>>>()?;
        let values = limbs.chunks(self.contract.limbs);
        let values = values.map(|value| Polynomial::number(value.iter().cloned())).collect();
        Ok(Run { system: self.system, z: values, stack: self.deepest })
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

    fn move_stack(&mut self, amount: i64) -> Outcome<Address> {
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
    fn take_stack(&mut self, offset: i64) -> Outcome<()> {
        self.deepest = self.deepest.max(offset.saturating_neg());
        if self.deepest > MOST_STACK {
            return fail("takes more than a page of stack without a probe");
        }
        Ok(())
    }

    fn address(&self, i: &Instruction) -> Outcome<Address> {
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

    fn load(&self, address: &Address) -> Outcome<Value> {
        let place = usize::try_from(address.1).ok().filter(|_| address.0 == "code");
        if let Some(bytes) = place.and_then(|place| self.code.get(place..)?.first_chunk()) {
            return Ok(Value::Word(Word::constant(u64::from_le_bytes(*bytes))));
        }
        let value = self.memory.get(address).cloned();
        value.ok_or_else(|| format!("reads {} + {}, which it may not", address.0, address.1))
    }

    fn store(&mut self, (base, offset): Address, value: Value) -> Outcome<()> {
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

    fn read(&self, i: &Instruction, operand: u32) -> Outcome<Value> {
        match i.op_kind(operand) {
            OpKind::Register => self.get(i.op_register(operand)),
            OpKind::Memory if i.memory_size().size() == 8 => self.load(&self.address(i)?),
            OpKind::Immediate8to64 | OpKind::Immediate32to64 | OpKind::Immediate64 => {
                Ok(Value::Word(Word::constant(i.immediate(operand))))
            }
            _ => fail("an operand that is not 64 bits wide"),
        }
    }

    fn write(&mut self, i: &Instruction, operand: u32, value: Value) -> Outcome<()> {
        match i.op_kind(operand) {
            OpKind::Register => self.set(i.op_register(operand), value),
            OpKind::Memory if i.memory_size().size() == 8 => self.store(self.address(i)?, value),
            _ => fail("an operand that is not 64 bits wide"),
        }
    }

    /// An operand that is computed with.
    fn word(&self, i: &Instruction, operand: u32) -> Outcome<Word> {
        as_word(self.read(i, operand)?)
    }

    /// Runs one instruction.
    fn step(&mut self, i: &Instruction) -> Outcome<()> {
        use Mnemonic as M;
        let registers = i.op0_kind() == OpKind::Register && i.op1_kind() == OpKind::Register;
        let same = registers && i.op0_register() == i.op1_register();
        let plain = i.memory_index_scale() == 1 && i.memory_displacement64() == 0;
        let twice = plain && i.memory_base() == i.memory_index();
        match i.mnemonic() {
            M::Mov if i.code() == Code::Mov_r32_imm32 => {
                let word = Word::constant(i.immediate32()); // the upper half becomes 0
                self.set(i.op0_register().full_register(), Value::Word(word))?;
            }
            _ if self.step_narrow(i)? => {}
            M::Mov => self.write(i, 0, self.read(i, 1)?)?,
            M::Xor if same && i.op0_register().size() >= 4 => {
                self.set(i.op0_register().full_register(), Value::Word(Word::default()))?;
            }
            M::Test if registers => {}
            M::Nop | M::Endbr64 => {}
            M::Push => {
                let value = self.read(i, 0)?;
                let top = self.move_stack(-8)?;
                self.store(top, value)?;
            }
            M::Pop => {
                let value = self.load(&("RSP".to_string(), self.stack))?;
                self.move_stack(8)?;
                self.write(i, 0, value)?;
            }
            M::Add | M::Sub if i.op0_register() == Register::RSP => {
                let amount = i.try_immediate(1).map_err(|_| "moves the stack pointer by a word")?;
                let sign = if i.mnemonic() == M::Add { 1 } else { -1 };
                self.move_stack(amount.cast_signed().saturating_mul(sign))?;
                self.carry = None;
            }
            M::Lea if i.memory_index() == Register::None => {
                let value = self.moved(i)?;
                self.set(i.op0_register(), value)?;
            }
            M::Lea if twice => {
                let word = as_word(self.get(i.memory_base())?)?;
                let twice = self.system.shifted(&word, &Word::default(), 1);
                self.set(i.op0_register(), Value::Word(twice))?;
            }
            M::Lea if plain => {
                let (a, b) = (self.get(i.memory_base())?, self.get(i.memory_index())?);
                let (sum, _) = self.system.sum(&as_word(a)?, &as_word(b)?, &Word::default(), 1);
                self.set(i.op0_register(), Value::Word(sum))?;
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
            _ => {
                let word = self.compute(i, same)?;
                self.write(i, 0, Value::Word(word))?;
            }
        }
        let clear = Some(Word::default());
        match i.mnemonic() {
            M::Add | M::Adc | M::Sub | M::Sbb | M::Neg => self.overflow = None,
            M::Mul | M::Imul | M::Shld | M::Shrd | M::Shl | M::Shr => {
                (self.carry, self.overflow) = (None, None)
            }
            M::And | M::Xor | M::Test => (self.carry, self.overflow) = (clear.clone(), clear),
            M::Bzhi => self.overflow = clear,
            _ => {} // the others leave the flags alone, adcx and adox all but one
        }
        Ok(())
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
}

pub(crate) const UNKNOWN: &str = "this instruction is not on the list";

pub(crate) fn as_word(value: Value) -> Outcome<Word> {
    match value {
        Value::Word(word) => Ok(word),
        Value::Pointer((base, _)) => {
            fail(format!("computes with an address or an unknown value ({base})"))
        }
        Value::LowByte(_) => fail("computes with a register of which only a byte is known"),
    }
}
