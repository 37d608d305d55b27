//! The memory that a kernel may use: operands, constants in its code, z, and its own stack.

use crate::contract::{Contract, STACK, UNKNOWN};
use crate::system::{System, Word};
use crate::{Outcome, fail};
use std::collections::BTreeMap;

/// A base and an offset in bytes. A base is `z`, an operand's name, `code`, `stack`, or `RAX on entry`.
pub(crate) type Address = (String, i64);

/// What a register or 8 bytes of memory hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Word(Word),
    Pointer(Address),
    /// Of which only the low 8 bits are known, a constant or a flag, or not even they.
    LowByte(Option<Word>),
    /// The `or` of several words, which may only be asked whether it is 0.
    AnyOf(Vec<Word>),
    /// All of AArch64's flags; those that are known.
    Flags(Flags),
}

/// Z and C of AArch64, each where it is known. C is 1 less the borrow of a difference.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Flags {
    pub(crate) zero: Option<Word>,
    pub(crate) carry: Option<Word>,
}

impl Value {
    /// What a register holds on entry, of which nothing is known.
    pub(crate) fn unknown(register: &str) -> Self {
        Self::at(&format!("{register}{UNKNOWN}"))
    }

    /// The address of an operand or of z.
    pub(crate) fn at(base: &str) -> Self {
        Self::Pointer((base.to_string(), 0))
    }
}

/// A value that is computed with.
pub(crate) fn as_word(value: Value) -> Outcome<Word> {
    match value {
        Value::Word(word) => Ok(word),
        Value::Pointer((base, _)) => {
            fail(format!("computes with an address or an unknown value ({base})"))
        }
        Value::LowByte(_) => fail("computes with a register of which only a byte is known"),
        Value::AnyOf(_) => fail("computes with the `or` of words"),
        Value::Flags(_) => fail("computes with the flags"),
    }
}

pub(crate) struct Memory<'a> {
    pub(crate) contract: &'a Contract,
    pub(crate) code: &'a [u8],
    /// What the stack pointer has moved by.
    pub(crate) stack: i64,
    /// How far down the stack was used.
    deepest: i64,
    /// What may be read, code aside.
    cells: BTreeMap<Address, Value>,
}

/// Bytes of stack that a kernel may take: a page, so that none steps over a guard page.
const MOST_STACK: i64 = 4096;

impl<'a> Memory<'a> {
    /// With the operands' limbs, which are the system's first variables.
    ///
    /// The sign of each signed operand follows: the carry of its top limb and 2^63.
    pub(crate) fn new(code: &'a [u8], contract: &'a Contract, system: &mut System) -> Self {
        let mut cells = BTreeMap::new();
        for operand in &contract.operands {
            for limb in 0..operand.limbs * operand.values {
                let word = system.variable(&(&operand.high >> (64 * (limb % operand.limbs))));
                cells.insert((operand.name.clone(), 8 * limb as i64), Value::Word(word));
            }
        }
        for operand in contract.operands.iter().filter(|operand| operand.is_signed) {
            let top = (operand.name.clone(), 8 * (operand.limbs as i64 - 1));
            if let Some(Value::Word(word)) = cells.get(&top) {
                let half = Word::constant(1_u64 << 63);
                system.define(&word.clone().plus(&half, 1), 1);
            }
        }
        Self { contract, code, stack: 0, deepest: 0, cells }
    }

    /// z's values, where they are written, and how far down the stack was used.
    pub(crate) fn result(&self) -> Outcome<(Vec<Vec<Word>>, i64)> {
        let limb = |i| match self.cells.get(&("z".to_string(), 8 * i as i64)) {
            Some(Value::Word(word)) => Ok(word.clone()),
            _ => fail("frame: a limb of z is never written, or not with a word"),
        };
        let limbs = (0..self.contract.result_limbs()).map(limb).collect::<Outcome<Vec<_>>>()?;
        Ok((limbs.chunks(self.contract.width).map(<[_]>::to_vec).collect(), self.deepest))
    }

    /// The lowest place on the stack that an interrupt leaves as it is.
    fn lowest(&self) -> i64 {
        self.stack - self.contract.convention.red_zone
    }

    /// Moves the stack pointer, and forgets what is below it; where it then is.
    pub(crate) fn move_stack(&mut self, amount: i64) -> Outcome<Address> {
        self.stack = self.stack.saturating_add(amount);
        if self.stack > 0 || self.stack % 8 != 0 {
            return fail("frees stack that is not its own");
        }
        self.take_stack(self.stack)?;
        self.forget_below(self.lowest());
        Ok((STACK.to_string(), self.stack))
    }

    /// Forgets the stack below an offset.
    pub(crate) fn forget_below(&mut self, lowest: i64) {
        self.cells.retain(|(base, offset), _| base != STACK || *offset >= lowest);
    }

    /// Notes that the stack is used down to an offset, which is a page away at most.
    pub(crate) fn take_stack(&mut self, offset: i64) -> Outcome<()> {
        self.deepest = self.deepest.max(offset.saturating_neg());
        if self.deepest > MOST_STACK {
            return fail("takes more than a page of stack without a probe");
        }
        Ok(())
    }

    pub(crate) fn load(&self, address: &Address) -> Outcome<Value> {
        let place = usize::try_from(address.1).ok().filter(|_| address.0 == "code");
        if let Some(bytes) = place.and_then(|place| self.code.get(place..)?.first_chunk()) {
            return Ok(Value::Word(Word::constant(u64::from_le_bytes(*bytes))));
        }
        let value = self.cells.get(address).cloned();
        value.ok_or_else(|| format!("reads {} + {}, which it may not", address.0, address.1))
    }

    pub(crate) fn store(&mut self, (base, offset): Address, value: Value) -> Outcome<()> {
        let own = match base.as_str() {
            "z" => 0..8 * self.contract.result_limbs() as i64,
            STACK if offset > 0 => 8..8 + self.contract.convention.home,
            STACK => self.lowest()..0,
            _ => 0..0,
        };
        if !own.contains(&offset) || offset % 8 != 0 {
            return fail(format!("writes {base} + {offset}, neither z nor its own stack"));
        }
        if base == "z" {
            self.cells.retain(|(base, _), _| base == "z" || base == STACK); // z may be x or y
        }
        if base == STACK {
            self.take_stack(offset)?;
        }
        self.cells.insert((base, offset), value);
        Ok(())
    }
}
