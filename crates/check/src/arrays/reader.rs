//! Reads the instructions of a loop one after the other, and asks for what must be there.

use crate::x86_64::has_known_prefixes;
use crate::{Outcome, fail};
use iced_x86::Register::RIP;
use iced_x86::{
    Code, Decoder, DecoderOptions, EncodingKind, Instruction, Mnemonic, OpKind, Register,
};

/// Reads instructions one after the other and asks for what must be there.
pub(crate) struct Reader<'a> {
    pub(crate) code: &'a [u8],
    pub(crate) place: usize,
    /// Elements of a block.
    pub(crate) elements: usize,
    /// Places of a vector.
    pub(crate) places: usize,
}

impl Reader<'_> {
    /// The next instruction, without reading it.
    pub(crate) fn peek(&self) -> Outcome<Instruction> {
        let at = self.place;
        let rest = self.code.get(at..).filter(|rest| !rest.is_empty()).ok_or("the code ends")?;
        let i = Decoder::with_ip(64, rest, at as u64, DecoderOptions::NONE).decode();
        let name = format!("+{at:#x} {:?}", i.mnemonic());
        if i.is_invalid() {
            return fail(format!("+{at:#x}: no instruction that is known"));
        }
        if !is_padding(&i) && !has_known_prefixes(&i, &rest[..i.len()]) {
            return fail(format!("{name}: a prefix"));
        }
        if i.code().encoding() == EncodingKind::EVEX && !has_plain_bits(&i, rest[1]) {
            return fail(format!("{name}: a bit of its prefix that means nothing here"));
        }
        Ok(i)
    }

    pub(crate) fn next(&mut self) -> Outcome<Instruction> {
        let found = self.peek()?;
        self.place += found.len();
        Ok(found)
    }

    /// The next instruction, which must be one of some kinds that passes a test.
    pub(crate) fn want(
        &mut self,
        what: &str,
        kinds: &[Code],
        test: impl Fn(&Instruction) -> bool,
    ) -> Outcome<Instruction> {
        let found = self.next()?;
        if kinds.contains(&found.code()) && test(&found) {
            return Ok(found);
        }
        fail(format!("+{:#x} {:?}: the loop has {what} here", found.ip(), found.mnemonic()))
    }

    /// `add` or `sub` of a register and a number.
    pub(crate) fn want_number(
        &mut self,
        what: &str,
        m: Mnemonic,
        to: Register,
        by: i64,
    ) -> Outcome<()> {
        let kinds = match m {
            Mnemonic::Add => [Code::Add_rm64_imm8, Code::Add_rm64_imm32, Code::Add_RAX_imm32],
            _ => [Code::Sub_rm64_imm8, Code::Sub_rm64_imm32, Code::Sub_RAX_imm32],
        };
        let is_it = |i: &Instruction| is_register(i, 0, to) && i.immediate(1).cast_signed() == by;
        self.want(what, &kinds, is_it).map(|_| ())
    }

    pub(crate) fn add(&mut self, to: Register, by: i64) -> Outcome<()> {
        self.want_number(&format!("add {to:?}, {by}"), Mnemonic::Add, to, by)
    }

    pub(crate) fn sub(&mut self, to: Register, by: i64) -> Outcome<()> {
        self.want_number(&format!("sub {to:?}, {by}"), Mnemonic::Sub, to, by)
    }

    /// `mov` of a register to another one.
    pub(crate) fn copy(&mut self, to: Register, from: Register) -> Outcome<()> {
        let kinds = [Code::Mov_rm64_r64, Code::Mov_r64_rm64];
        let is_it = |i: &Instruction| is_register(i, 0, to) && is_register(i, 1, from);
        self.want(&format!("mov {to:?}, {from:?}"), &kinds, is_it).map(|_| ())
    }

    /// A jump, and where it goes.
    pub(crate) fn jump(&mut self, what: &str, kinds: [Code; 2]) -> Outcome<usize> {
        let found = self.want(what, &kinds, |_| true)?;
        usize::try_from(found.near_branch64()).map_err(|_| "a jump far away".to_string())
    }

    pub(crate) fn skip_padding(&mut self) -> Outcome<()> {
        while is_padding(&self.peek()?) {
            self.next()?;
        }
        Ok(())
    }

    /// The instructions up to a place, or to the next that has no vector and no mask.
    pub(crate) fn vectors(&mut self, end: usize) -> Outcome<Vec<Instruction>> {
        let mut found = Vec::new();
        loop {
            if self.place == end {
                return Ok(found);
            }
            let i = self.peek()?;
            let is_legacy = i.code().encoding() == EncodingKind::Legacy;
            if is_legacy || i.mnemonic() == Mnemonic::Vzeroupper {
                return Ok(found);
            }
            found.push(self.next()?);
        }
    }
}

/// Whether the upper bits of registers' numbers, inverted in the second byte of EVEX, are those of
/// none where there is no such register: then every decoder and every processor reads it alike.
fn has_plain_bits(i: &Instruction, bits: u8) -> bool {
    let (r, x, b) = (0x90, 0x40, 0x20);
    let has_no_vector = [
        Code::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8,
        Code::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8,
        Code::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8,
        Code::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8,
    ];
    let mut needed = if has_no_vector.contains(&i.code()) { r } else { 0 };
    if i.memory_base() != Register::None && i.memory_index() == Register::None {
        needed |= x | if i.memory_base() == RIP { b } else { 0 };
    }
    bits & needed == needed
}

pub(crate) fn is_register(i: &Instruction, operand: u32, register: Register) -> bool {
    i.op_kind(operand) == OpKind::Register && i.op_register(operand) == register
}

/// `nop` of any length, with the prefixes that lengthen it: it does nothing.
fn is_padding(i: &Instruction) -> bool {
    use Code::{Nop_rm16, Nop_rm32, Nop_rm64, Nopd, Nopw};
    [Nop_rm16, Nop_rm32, Nop_rm64, Nopd, Nopw].contains(&i.code()) && !i.has_lock_prefix()
}
