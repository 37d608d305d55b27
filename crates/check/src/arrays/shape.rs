//! The loop of a kernel on arrays, by its shape: what it must be, instruction by instruction.
//!
//! ```text
//!   push rbp; mov rbp, rsp; sub rsp, FRAME; and rsp, -64     where there is a frame
//!   lea ANCHOR, [rsp + I] or [rip + I]                       for each anchor
//!   mov eax, MASK; kmovb k, eax                              for each mask of blends
//!   vmovdqu64 REGISTER, [rsi + 64*i]                         for each vector that the loop holds
//!   sub rdi, 8; jb tail         or, in whole blocks          add rdi, 7; shr rdi, 3; je end
//! block:
//!   the code of eight elements, which has no other register than vectors and masks
//!   add POINTER, 64*words       for z and every operand, but not for columns, which stay
//!   sub rdi, 8; jae block       or                           dec rdi; jne block
//! tail:
//!   add rdi, 8; je end; imul rdi, rdi, words; lea rax, [masks]; add rax, rdi
//!   the code of fewer elements, with the masks at [rax] on all that is read and written
//! end:
//!   vmovdqu64 [rsi + 64*i], REGISTER                         for the same vectors
//!   mov rsp, rbp; pop rbp       where there is a frame
//!   vzeroupper; ret
//! ```
//!
//! Turn k of the loop has z + 64*words*k and so on in its pointers, and runs while 8*(k + 1) is at
//! most the count. The tail has rdi = count mod 8 then, and row rdi of the table has the mask of each
//! vector. So blocks cover the arrays exactly, in order, and nothing decides but the count.
//!
//! An anchor is a register that points to no array: the stack pointer, or a place in the code, plus
//! I. The code of vectors with four places may read and write near it.

use crate::arrays::certificate::Parts;
use crate::arrays::layout::{LANES, VECTOR};
use crate::arrays::reader::{Reader, is_register};
use crate::arrays::task::Wanted;
use crate::{Outcome, fail};
use iced_x86::Register::{K2, K3, K4, K5, K6, K7};
use iced_x86::Register::{R8, R9, R10, R11, RAX, RBP, RCX, RDI, RDX, RIP, RSI, RSP};
use iced_x86::{Code, Instruction, OpKind, Register};
use std::collections::BTreeMap;

/// Where the System V convention has z and the operands, after the count.
const POINTERS: [Register; 5] = [FIRST, RDX, RCX, R8, R9];
pub(crate) const FIRST: Register = RSI;
/// What an anchor may be, where it is no pointer: registers that a caller does not keep.
const ANCHORS: [Register; 5] = [RCX, R8, R9, R10, R11];
const MASKS: [Register; 6] = [K2, K3, K4, K5, K6, K7];
/// Bytes of a frame with what its alignment and the saved register take: within a page.
const MOST_FRAME: i64 = 4096 - VECTOR - 16;

/// MXCSR with all exceptions masked, rounding to zero, and no other bit.
const ROUND_TO_ZERO: [u8; 4] = 0x7f80_u32.to_le_bytes();

/// Bytes below the saved register, which the code may write, and whether MXCSR is kept above them.
struct Frame {
    size: i64,
    rounds_to_zero: bool,
    is_there: bool,
}

/// For each anchor `rsp` or `rip`, and an offset.
pub(crate) type Anchors = BTreeMap<Register, (Register, i64)>;

/// The parts of a kernel.
pub(crate) struct Shape<'a> {
    pub(crate) code: &'a [u8],
    pub(crate) parts: Parts,
    pub(crate) anchors: Anchors,
    pub(crate) block: Vec<Instruction>,
    pub(crate) tail: Vec<Instruction>,
}

impl<'a> Shape<'a> {
    /// Reads the function at the start of the code.
    pub(crate) fn read(code: &'a [u8], wanted: &Wanted) -> Outcome<Self> {
        let Wanted { advances, masked, held, elements, places } = wanted;
        let has_tail = masked.is_some();
        if advances.len() > POINTERS.len() {
            return fail("more arrays than registers point to");
        }
        let is_short = *places == LANES / 2;
        if (!is_short && *places != LANES) || (is_short && (*elements > LANES || *held > 0)) {
            return fail("vectors of another size");
        }
        let mut reader = Reader { code, place: 0, elements: *elements, places: *places };
        let Frame { size, rounds_to_zero, is_there } = reader.frame()?;
        let anchors = reader.anchors(&POINTERS[..advances.len()], is_there)?;
        let masks = reader.masks()?;
        let held = reader.held(*held)?;
        let skip = reader.enter(has_tail)?;
        reader.skip_padding()?;
        let start = reader.place;
        let block = reader.vectors(usize::MAX)?;
        let ends = reader.place;
        for (pointer, step) in POINTERS.iter().zip(advances).filter(|(_, step)| **step > 0) {
            reader.add(*pointer, *step)?;
        }
        let back = reader.again(has_tail)?;
        if back != start {
            return fail("the loop goes back to another place than its block");
        }
        let mut parts = Parts {
            elements: *elements,
            frame: size,
            places: *places,
            rounds_to_zero,
            masks,
            held,
            advances: advances.clone(),
            block: (start, ends),
            tail: None,
        };
        let (mut tail, mut end) = (Vec::new(), skip);
        if let Some(words) = *masked {
            if skip != reader.place {
                return fail("the loop is left for another place than its tail");
            }
            end = reader.tail(words)?;
            let start = reader.place;
            tail = reader.vectors(end)?;
            parts.tail = Some((start, reader.place));
        }
        if end != reader.place {
            return fail("the loop is left for another place than its end");
        }
        if is_short && !parts.masks.is_empty() {
            return fail("the loop is for vectors of 512 bits");
        }
        if !is_short && !anchors.is_empty() {
            return fail("the loop is for vectors of 256 bits");
        }
        reader.leave(&parts, is_there)?;
        Ok(Self { code, parts, anchors, block, tail })
    }

    /// A base and an offset, of which the first may be an anchor's.
    pub(crate) fn resolved(&self, base: Register, offset: i64) -> (Register, i64) {
        let of = self.anchors.get(&base);
        of.map_or((base, offset), |(base, start)| (*base, start.saturating_add(offset)))
    }

    /// The number of the array that a register points to.
    pub(crate) fn pointer(&self, base: Register) -> Option<usize> {
        POINTERS[..self.parts.advances.len()].iter().position(|known| *known == base)
    }

    /// Whether two elements share a word.
    pub(crate) fn is_halved(&self) -> bool {
        self.parts.elements > LANES
    }

    /// Places of a vector.
    pub(crate) fn places(&self) -> usize {
        self.parts.places
    }

    /// The registers that hold vectors of the first array.
    pub(crate) fn held(&self) -> impl Iterator<Item = Register> {
        self.parts.held.iter().map(|number| Register::ZMM0 + *number)
    }

    /// The lanes of a mask of blends.
    pub(crate) fn mask(&self, register: Register) -> Option<u64> {
        let known = self.parts.masks.iter();
        known.rev().find(|(number, _)| register == Register::K0 + *number).map(|(_, mask)| *mask)
    }
}

impl Reader<'_> {
    /// Reads a frame, if there is one.
    fn frame(&mut self) -> Outcome<Frame> {
        let is_push = |i: &Instruction| i.code() == Code::Push_r64 && is_register(i, 0, RBP);
        if !is_push(&self.peek()?) {
            return Ok(Frame { size: 0, rounds_to_zero: false, is_there: false });
        }
        self.next()?;
        let slot = 8 * self.places as i64;
        self.copy(RBP, RSP)?;
        let kinds = [Code::Sub_rm64_imm8, Code::Sub_rm64_imm32];
        let size = self.want("sub rsp, FRAME", &kinds, |i| is_register(i, 0, RSP))?;
        let size = size.immediate(1).cast_signed();
        let kinds = [Code::And_rm64_imm8, Code::And_rm64_imm32];
        let is_aligned = |i: &Instruction| i.immediate(1).cast_signed() == -slot;
        self.want("and rsp, -64", &kinds, |i| is_register(i, 0, RSP) && is_aligned(i))?;
        if !(1..=MOST_FRAME).contains(&size) || size % slot != 0 {
            return fail(format!("a frame of {size} bytes"));
        }
        let rounds_to_zero = self.places < LANES && self.rounding()?;
        // At the frame's end, above what the code may write, is the caller's MXCSR.
        let size = if rounds_to_zero { size - slot } else { size };
        Ok(Frame { size, rounds_to_zero, is_there: true })
    }

    /// Reads what stores the caller's MXCSR and loads another one, if that is there.
    fn rounding(&mut self) -> Outcome<bool> {
        if self.peek()?.code() != Code::VEX_Vstmxcsr_m32 {
            return Ok(false);
        }
        self.want("vstmxcsr [rbp - 4]", &[Code::VEX_Vstmxcsr_m32], is_control)?;
        let load = self.want("vldmxcsr [rounding]", &[Code::VEX_Vldmxcsr_m32], |i| {
            i.memory_base() == RIP && i.memory_index() == Register::None
        })?;
        let place = usize::try_from(load.memory_displacement64()).unwrap_or(usize::MAX);
        if self.code.get(place..).and_then(|rest| rest.get(..4)) != Some(&ROUND_TO_ZERO[..]) {
            return fail("MXCSR does not round to zero, or reports");
        }
        Ok(true)
    }

    /// Reads what makes registers point near constants, or near what is in the frame.
    fn anchors(&mut self, pointers: &[Register], has_frame: bool) -> Outcome<Anchors> {
        let mut found = Anchors::new();
        while self.peek()?.code() == Code::Lea_r64_m {
            let lea = self.next()?;
            let (register, base) = (lea.op0_register(), lea.memory_base());
            let is_one = ANCHORS.contains(&register) && !pointers.contains(&register);
            let is_there = base == RIP || base == RSP && has_frame;
            if !is_one || !is_there || lea.memory_index() != Register::None {
                return fail(format!("+{:#x}: {register:?} is no anchor", lea.ip()));
            }
            let place = (base, lea.memory_displacement64().cast_signed());
            if found.insert(register, place).is_some() {
                return fail(format!("+{:#x}: {register:?} is an anchor twice", lea.ip()));
            }
        }
        Ok(found)
    }

    /// Reads the masks of blends.
    fn masks(&mut self) -> Outcome<Vec<(u32, u64)>> {
        let mut found = Vec::new();
        while self.peek()?.code() == Code::Mov_r32_imm32 {
            let value =
                self.want("a mask", &[Code::Mov_r32_imm32], |i| i.op0_register() == Register::EAX)?;
            let is_wide = self.elements > LANES;
            let kinds = [if is_wide { Code::VEX_Kmovw_kr_r32 } else { Code::VEX_Kmovb_kr_r32 }];
            let mask = self.want("kmovb k, eax", &kinds, |i| {
                MASKS.contains(&i.op0_register()) && is_register(i, 1, Register::EAX)
            })?;
            let number = mask.op0_register() as u32 - Register::K0 as u32;
            found.push((number, u64::from(value.immediate32()) & ((1 << self.elements) - 1)));
        }
        Ok(found)
    }

    /// Reads the loads of vectors that the loop holds; the numbers of their registers.
    fn held(&mut self, count: usize) -> Outcome<Vec<u32>> {
        let mut found = Vec::new();
        for at in 0..count {
            let kinds = [Code::EVEX_Vmovdqu64_zmm_k1z_zmmm512];
            let load = self.want("a vector that it holds", &kinds, |i| is_of_first(i, 1, at))?;
            let number = load.op0_register() as u32 - Register::ZMM0 as u32;
            if found.contains(&number) {
                return fail("one register holds two vectors");
            }
            found.push(number);
        }
        Ok(found)
    }

    /// Reads what leads into the loop; where it jumps to without a whole block.
    fn enter(&mut self, has_tail: bool) -> Outcome<usize> {
        if has_tail {
            self.sub(RDI, self.elements as i64)?;
            return self.jump("jb tail", [Code::Jb_rel8_64, Code::Jb_rel32_64]);
        }
        self.add(RDI, LANES as i64 - 1)?;
        let is_it = |i: &Instruction| is_register(i, 0, RDI) && i.immediate8() == 3;
        self.want("shr rdi, 3", &[Code::Shr_rm64_imm8], is_it)?;
        self.jump("je end", [Code::Je_rel8_64, Code::Je_rel32_64])
    }

    /// Reads what ends a turn; where it jumps to for another one.
    fn again(&mut self, has_tail: bool) -> Outcome<usize> {
        if has_tail {
            self.sub(RDI, self.elements as i64)?;
            return self.jump("jae block", [Code::Jae_rel8_64, Code::Jae_rel32_64]);
        }
        self.want("dec rdi", &[Code::Dec_rm64], |i| is_register(i, 0, RDI))?;
        self.jump("jne block", [Code::Jne_rel8_64, Code::Jne_rel32_64])
    }

    /// Reads what opens a tail, and its masks; where it jumps to if no element is left.
    fn tail(&mut self, words: usize) -> Outcome<usize> {
        let (elements, size) = (self.elements, self.elements / LANES); // size: bytes of a mask
        let has_words = self.places < LANES;
        let step = if has_words { -8 * words as i64 } else { (words * size) as i64 };
        self.add(RDI, elements as i64)?;
        let end = self.jump("je end", [Code::Je_rel8_64, Code::Je_rel32_64])?;
        let kinds = [Code::Imul_r64_rm64_imm8, Code::Imul_r64_rm64_imm32];
        self.want("imul rdi, rdi, words", &kinds, |i| {
            let is_rdi = is_register(i, 0, RDI) && is_register(i, 1, RDI);
            is_rdi && i.immediate(2).cast_signed() == step
        })?;
        let table = self.want("lea rax, [masks]", &[Code::Lea_r64_m], |i| {
            is_register(i, 0, RAX) && i.memory_base() == RIP
        })?;
        let kinds = [Code::Add_rm64_r64, Code::Add_r64_rm64];
        self.want("add rax, rdi", &kinds, |i| is_register(i, 0, RAX) && is_register(i, 1, RDI))?;
        let start = usize::try_from(table.memory_displacement64()).unwrap_or(usize::MAX);
        if has_words {
            return self.check_words(start, words).map(|()| end);
        }
        for left in 1..elements {
            for vector in 0..words {
                let ones = (left * words).saturating_sub(elements * vector).min(elements);
                let place = start.checked_add((left * words + vector) * size);
                let mask = place.and_then(|place| self.code.get(place..)?.get(..size));
                let ones = ((1_u64 << ones) - 1).to_le_bytes();
                if mask != Some(&ones[..size]) {
                    return fail(format!(
                        "the mask of vector {vector} where {left} elements are left"
                    ));
                }
            }
        }
        Ok(end)
    }

    /// Checks masks of words: ones before a place, zeros from there on.
    fn check_words(&self, start: usize, words: usize) -> Outcome<()> {
        let size = 8 * LANES * words;
        let ones = start.checked_sub(size).and_then(|from| self.code.get(from..start));
        let zeros = self.code.get(start..).and_then(|rest| rest.get(..size));
        match (ones, zeros) {
            (Some(ones), Some(zeros))
                if ones.iter().all(|byte| *byte == 0xff) && zeros.iter().all(|byte| *byte == 0) =>
            {
                Ok(())
            }
            _ => fail("the masks of words"),
        }
    }

    /// Reads the end of the function.
    fn leave(&mut self, parts: &Parts, has_frame: bool) -> Outcome<()> {
        for (at, number) in parts.held.iter().enumerate() {
            let kinds = [Code::EVEX_Vmovdqu64_zmmm512_k1z_zmm];
            self.want("a vector that it held", &kinds, |i| {
                is_of_first(i, 0, at) && is_register(i, 1, Register::ZMM0 + *number)
            })?;
        }
        if parts.rounds_to_zero {
            self.want("vldmxcsr [rbp - 4]", &[Code::VEX_Vldmxcsr_m32], is_control)?;
        }
        if has_frame {
            self.copy(RSP, RBP)?;
            self.want("pop rbp", &[Code::Pop_r64], |i| is_register(i, 0, RBP))?;
        }
        self.want("vzeroupper", &[Code::VEX_Vzeroupper], |_| true)?;
        self.want("ret", &[Code::Retnq], |_| true).map(|_| ())
    }
}

/// Whether an operand is a whole vector of the first array, by its number.
fn is_of_first(i: &Instruction, operand: u32, at: usize) -> bool {
    let offset = VECTOR * at as i64;
    let is_whole = i.op_mask() == Register::None && i.memory_index() == Register::None;
    let is_there = i.memory_base() == FIRST && i.memory_displacement64() == offset as u64;
    i.op_kind(operand) == OpKind::Memory && is_whole && is_there
}

/// Whether an operand is the place of the caller's MXCSR.
fn is_control(i: &Instruction) -> bool {
    let is_there = i.memory_base() == RBP && i.memory_displacement64().cast_signed() == -4;
    is_there && i.memory_index() == Register::None
}
