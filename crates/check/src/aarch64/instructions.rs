//! What each instruction does: straight-line AArch64 code, run on a symbolic [`Machine`].
//!
//! Written from Arm's "Architecture Reference Manual for A-profile", C6. An instruction that is not here
//! is refused, and so are branches. The time of each instruction here depends on no data where
//! PSTATE.DIT is set.

use crate::aarch64::encodings::is_listed;
use crate::aarch64::machine::{Machine, is_zero_register, whole, width};
use crate::aarch64::words::tabulate;
use crate::certificate::Product;
use crate::contract::Contract;
use crate::memory::{Flags, Value, as_word};
use crate::routines::{Routines, Run};
use crate::system::Word;
use crate::{Outcome, fail};
use yaxpeax_arch::{Decoder, U8Reader};
use yaxpeax_arm::armv8::a64::{InstDecoder, Instruction, Opcode, Operand, SizeCode};

pub(crate) const UNKNOWN: &str = "this instruction is not on the list";
/// `mrs` and `msr` of NZCV, less the register. yaxpeax-arm 0.5 reads only 4 bits of the register in `msr`.
const SAVE_FLAGS: u32 = 0xd53b_4200;
const RESTORE_FLAGS: u32 = 0xd51b_4200;
const REGISTER: u32 = 31;

/// Runs the code to its return.
pub(crate) fn run<'a>(
    code: &'a [u8],
    contract: &'a Contract,
    routines: Option<Routines<'a>>,
    products: &'a [Product],
) -> Outcome<Run<'a>> {
    let mut machine = Machine::new(code, contract, routines, products);
    for (k, bytes) in code.as_chunks().0.iter().enumerate() {
        let (place, word) = (4 * k, u32::from_le_bytes(*bytes));
        if let Some(done) = machine.flags_kept(word).or_else(|| machine.called(word, place)) {
            done.map_err(|why| format!("+{place:#x}: {why}"))?;
            continue;
        }
        let i = decoded(bytes).ok_or_else(|| format!("+{place:#x}: {UNKNOWN}"))?;
        if i.opcode == Opcode::RET && i.operands[0] == Operand::Register(SizeCode::X, 30) {
            return machine.result();
        }
        let name = |why| format!("+{place:#x} {:?}: {why}", i.opcode);
        machine.step(&i, place as i64).map_err(name)?;
    }
    fail("frame: the code does not return")
}

/// A word that is listed and that the decoder knows.
pub(crate) fn decoded(bytes: &[u8; 4]) -> Option<Instruction> {
    let read = || InstDecoder::default().decode(&mut U8Reader::new(bytes)).ok();
    is_listed(u32::from_le_bytes(*bytes)).then(read).flatten()
}

impl Machine<'_> {
    /// Runs an instruction that saves or restores the flags, if it is one.
    fn flags_kept(&mut self, word: u32) -> Option<Outcome<()>> {
        let register = (word & REGISTER) as u16;
        match word & !REGISTER {
            SAVE_FLAGS => Some(self.set(register, Value::Flags(self.flags.clone()))),
            RESTORE_FLAGS => Some(self.get(register).and_then(|value| {
                let Value::Flags(flags) = value else {
                    return fail("sets flags that were never saved");
                };
                self.flags = flags;
                Ok(())
            })),
            _ => None,
        }
    }

    /// Runs one instruction, which stands at a place of the code.
    fn step(&mut self, i: &Instruction, place: i64) -> Outcome<()> {
        use Opcode as O;
        let [target, a, b, c] = i.operands;
        match i.opcode {
            O::ADD => self.sum(i, 1, false, false),
            O::ADDS => self.sum(i, 1, false, true),
            O::ADC => self.sum(i, 1, true, false),
            O::ADCS => self.sum(i, 1, true, true),
            O::SUB => self.sum(i, -1, false, false),
            O::SUBS => self.sum(i, -1, false, true),
            O::SBC => self.sum(i, -1, true, false),
            O::SBCS => self.sum(i, -1, true, true),
            O::MADD | O::MSUB | O::UMADDL | O::UMULH => self.multiply(i),
            O::CSEL | O::CSINC | O::CSINV | O::CSNEG => self.select(i),
            O::ORR if is_zero_register(a) => {
                let value = self.value(b)?; // mov
                self.write(target, value)
            }
            O::ORN if is_zero_register(a) => {
                whole(i)?;
                let word = self.word(b)?; // mvn
                let word = self.inverted(&word);
                self.write_word(target, word)
            }
            O::AND | O::ANDS | O::BIC | O::ORR | O::EOR => self.bitwise(i),
            O::MOVZ | O::MOVN | O::MOVK => self.constant(i),
            O::UBFM | O::SBFM => self.field(i),
            O::EXTR => self.extract(i),
            O::ADR => match a {
                Operand::PCOffset(distance) => {
                    self.write(target, Value::Pointer(("code".into(), place + distance)))
                }
                _ => fail(UNKNOWN),
            },
            O::LDR | O::LDUR => self.load(i, 1),
            O::LDP => self.load(i, 2),
            O::STR | O::STUR => self.store(i, 1),
            O::STP => self.store(i, 2),
            O::HINT if is_nothing(target, a) && (b, c) == (Operand::Nothing, Operand::Nothing) => {
                Ok(())
            }
            _ => fail(UNKNOWN),
        }
    }

    /// a + sign * (b + carry) mod 2^64; sets the carry.
    fn row(&mut self, a: &Word, b: &Word, carry: &Word, sign: i64) -> Word {
        let words = &mut self.words;
        let swaps = *carry == Word::default() && words.continues(b, sign);
        let (b, carry) = if swaps { (carry, b) } else { (b, carry) };
        let (a, b) = (words.word(a), words.word(b));
        let carry = if words.continues(carry, sign) { carry.clone() } else { words.word(carry) };
        let (word, out) = words.row(&a.plus(&b, sign).plus(&carry, sign), sign);
        let carry = if sign > 0 { out } else { Word::constant(1).plus(&out, -1) };
        self.flags = Flags { zero: None, carry: Some(carry) };
        word
    }

    /// The same, and flags stay.
    ///
    /// Of bits it is a polynomial in them. One that wraps around, and has products of bits, is a
    /// row like any other.
    fn combined(&mut self, a: &Word, b: &Word, carry: &Word, sign: i64) -> Word {
        if self.words.are_bits(&[a, b, carry]) {
            let found = tabulate([a, b, carry], total(sign));
            if found.is_linear() || found == a.clone().plus(b, sign).plus(carry, sign) {
                return found;
            }
        } else if *carry == Word::default() {
            let (a, b) = (self.words.word(a), self.words.word(b));
            if let Some(found) = self.words.congruent(&a.plus(&b, sign)) {
                return found;
            }
        }
        let flags = self.flags.clone();
        let word = self.row(a, b, carry, sign);
        self.flags = flags;
        word
    }

    /// add, adc, sub, sbc, and what they are also called.
    fn sum(&mut self, i: &Instruction, sign: i64, with_carry: bool, sets: bool) -> Outcome<()> {
        let a = self.value(i.operands[1])?;
        if let (Value::Pointer((base, start)), false, false) = (&a, with_carry, sets) {
            let amount = self.word(i.operands[2])?.as_constant();
            let amount = amount.ok_or("the address depends on data")?.cast_signed();
            let place = start.wrapping_add(amount.wrapping_mul(sign));
            return self.write(i.operands[0], Value::Pointer((base.clone(), place)));
        }
        whole(i)?;
        let mut carry = Word::default();
        if with_carry {
            let flag = self.flags.carry.as_ref().ok_or("reads a carry that is not known")?;
            carry = tabulate([flag], |[v]| if sign > 0 { v } else { 1 - v });
        }
        let (a, b) = (as_word(a)?, self.word(i.operands[2])?);
        if !sets {
            let word = self.combined(&a, &b, &carry, sign);
            return self.write_word(i.operands[0], word);
        }
        let is_comparison = sign < 0 && !with_carry && is_zero_register(i.operands[0]);
        if is_comparison && b == Word::constant(1) && self.is_nonzero(&a) {
            return Ok(());
        }
        let word = self.row(&a, &b, &carry, sign);
        self.flags.zero = if self.words.are_bits(&[&a, &b, &carry]) {
            let value = total(sign);
            Some(tabulate([&a, &b, &carry], |given| u64::from(value(given) == 0)))
        } else if b == Word::default() && carry == Word::default() {
            Some(self.words.is_zero(&a))
        } else {
            None
        };
        self.write_word(i.operands[0], word)
    }

    /// Sets the carry of `cmp a, #1`, which says that a is not 0: of a bit, or of certain words.
    ///
    /// A bit is the carry itself. For a word of which -a mod 2^64 is a known word, the sum of the
    /// two is 0 or 2^64: its carry says the same.
    fn is_nonzero(&mut self, a: &Word) -> bool {
        if self.words.are_bits(&[a]) {
            let is_bit = self.words.values(a).iter().all(|value| *value <= 1);
            if is_bit {
                self.flags = Flags { zero: Some(a.clone()), carry: Some(a.clone()) };
            }
            return is_bit;
        }
        let none = Word::default();
        let known = self.words.congruent(&none.clone().plus(a, -1));
        if let Some(opposite) = &known {
            self.row(a, opposite, &none, 1);
        }
        known.is_some()
    }

    /// mul, umulh, madd, msub; umull and umaddl, whose factors are halves of registers.
    fn multiply(&mut self, i: &Instruction) -> Outcome<()> {
        whole(i)?;
        let (a, b) = (self.word(i.operands[1])?, self.word(i.operands[2])?);
        let word = match i.opcode {
            Opcode::UMULH => self.words.high(&a, &b),
            Opcode::MADD | Opcode::UMADDL if is_zero_register(i.operands[3]) => {
                self.words.low(&a, &b)
            }
            _ => {
                let low = self.words.low(&a, &b);
                let more = self.word(i.operands[3])?;
                let sign = if i.opcode == Opcode::MSUB { -1 } else { 1 };
                self.combined(&more, &low, &Word::default(), sign)
            }
        };
        self.write_word(i.operands[0], word)
    }

    /// csel, csinc, csinv, csneg, and what they are also called.
    fn select(&mut self, i: &Instruction) -> Outcome<()> {
        let [target, a, b, condition] = i.operands;
        let flag = self.condition(condition)?;
        let not = |flag: &Word| Word::constant(1).plus(flag, -1);
        let both_zero = is_zero_register(a) && is_zero_register(b);
        let one = Word::constant(1);
        let word = match i.opcode {
            Opcode::CSINC if both_zero => not(&flag),
            Opcode::CSINV if both_zero => {
                let ones = u64::MAX >> (64 - width(target)?);
                Word::default().plus(&not(&flag), ones)
            }
            Opcode::CSINC if a == b => {
                whole(i)?;
                let word = self.word(a)?;
                self.combined(&word, &Word::default(), &not(&flag), 1)
            }
            opcode => {
                whole(i)?;
                let (yes, no) = (self.word(a)?, self.word(b)?);
                let none = Word::default();
                let no = match opcode {
                    Opcode::CSINC => self.combined(&no, &one, &none, 1),
                    Opcode::CSINV => self.inverted(&no),
                    Opcode::CSNEG => self.combined(&none, &no, &none, -1),
                    _ => no,
                };
                self.words.select(&flag, &yes, &no)
            }
        };
        self.write_word(target, word)
    }

    /// 2^64 - 1 - word.
    fn inverted(&mut self, word: &Word) -> Word {
        if self.words.are_bits(&[word]) {
            return tabulate([word], |[v]| !v);
        }
        self.words.system.define_word(&Word::constant(u64::MAX).plus(word, -1))
    }

    /// and, orr, eor, bic of bits; `and` of a mask with a word, or of a word with low ones.
    fn bitwise(&mut self, i: &Instruction) -> Outcome<()> {
        let (a, b) = (self.word(i.operands[1])?, self.word(i.operands[2])?);
        let is_and = matches!(i.opcode, Opcode::AND | Opcode::ANDS);
        let (word, zero) = if self.words.are_bits(&[&a, &b]) {
            let word = match i.opcode {
                Opcode::BIC => tabulate([&a, &b], |[a, b]| a & !b),
                Opcode::ORR => tabulate([&a, &b], |[a, b]| a | b),
                Opcode::EOR => tabulate([&a, &b], |[a, b]| a ^ b),
                _ => self.words.both(&a, &b),
            };
            let zero = tabulate([&word], |[v]| u64::from(v == 0));
            (word, Some(zero))
        } else if is_and {
            (self.masked(&a, &b)?, None)
        } else {
            return fail("combines the bits of words of which nothing is known");
        };
        if i.opcode == Opcode::ANDS {
            self.flags = Flags { zero, carry: Some(Word::default()) };
        }
        self.write_word(i.operands[0], word)
    }

    fn masked(&mut self, a: &Word, b: &Word) -> Outcome<Word> {
        for (mask, word) in [(a, b), (b, a)] {
            if !self.words.are_bits(&[mask]) {
                continue;
            }
            if self.words.values(mask).iter().all(|v| [0, u64::MAX].contains(v)) {
                let flag = tabulate([mask], |[v]| v & 1);
                return Ok(self.words.select(&flag, word, &Word::default()));
            }
            match mask.as_constant() {
                Some(ones) if ones & ones.wrapping_add(1) == 0 => {
                    return Ok(self.low_bits(word, 64 - u64::from(ones.leading_zeros())));
                }
                _ => {}
            }
        }
        fail("`and` of two words of which none is a mask")
    }

    /// movz, movn, movk.
    pub(crate) fn constant(&mut self, i: &Instruction) -> Outcome<()> {
        let (target, width) = (i.operands[0], width(i.operands[0])?);
        let Operand::ImmShift(bits, shift) = i.operands[1] else { return fail(UNKNOWN) };
        if u64::from(shift) >= width {
            return fail(UNKNOWN);
        }
        let (bits, ones) = (u64::from(bits) << shift, u64::MAX >> (64 - width));
        let value = match i.opcode {
            Opcode::MOVZ => bits,
            Opcode::MOVN => ones - bits,
            _ => {
                let old = self.word(target)?.as_constant();
                let old = old.ok_or("replaces 16 bits of a word that is no constant")?;
                old & !(0xffff << shift) | bits
            }
        };
        self.write_word(target, Word::constant(value))
    }

    /// lsl, lsr, ubfx; asr and sbfx of one bit.
    fn field(&mut self, i: &Instruction) -> Outcome<()> {
        whole(i)?;
        let [target, word, Operand::Immediate(first), Operand::Immediate(last)] = i.operands else {
            return fail(UNKNOWN);
        };
        let (word, first, last) = (self.word(word)?, u64::from(first), u64::from(last));
        let found = match i.opcode {
            Opcode::UBFM if last != 63 && last + 1 == first => self.left(&word, 63 - last),
            Opcode::UBFM if last >= first => {
                let field = self.right(&word, first);
                if last == 63 { field } else { self.low_bits(&field, last - first + 1) }
            }
            Opcode::SBFM if last == first => {
                let field = self.right(&word, first);
                let bit = if last == 63 { field } else { self.low_bits(&field, 1) };
                if !self.words.are_bits(&[&bit]) {
                    return fail("spreads a bit that is not a variable of its own");
                }
                Word::default().plus(&bit, u64::MAX)
            }
            _ => return fail(UNKNOWN),
        };
        self.write_word(target, found)
    }

    /// (high:low >> count) mod 2^64: two fields that do not meet.
    fn extract(&mut self, i: &Instruction) -> Outcome<()> {
        whole(i)?;
        let [target, high, low, Operand::Immediate(count)] = i.operands else {
            return fail(UNKNOWN);
        };
        let count = u64::from(count);
        let low = self.word(low)?;
        if count == 0 {
            return self.write_word(target, low);
        }
        let high = self.word(high)?;
        let high = self.left(&high, 64 - count);
        let high = self.words.word(&high);
        let low = self.right(&low, count);
        let low = self.words.word(&low);
        let word = self.words.system.define_word(&high.plus(&low, 1));
        self.write_word(target, word)
    }
}

/// What a sum or a difference of three words is modulo 2^64.
fn total(sign: i64) -> impl Fn([u64; 3]) -> u64 {
    move |[a, b, carry]| {
        let more = b.wrapping_add(carry);
        if sign > 0 { a.wrapping_add(more) } else { a.wrapping_sub(more) }
    }
}

/// Whether a hint is nop, or bti, which a branch may lead to.
fn is_nothing(group: Operand, kind: Operand) -> bool {
    match (group, kind) {
        (Operand::ControlReg(0), Operand::Immediate(0)) => true,
        (Operand::ControlReg(4), Operand::Immediate(kind)) => kind % 2 == 0,
        _ => false,
    }
}
