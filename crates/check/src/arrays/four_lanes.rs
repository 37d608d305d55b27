//! What instructions on vectors of 256 bits do, which have four places.
//!
//! A tail's masks are words of vectors here. A lower half of a vector may be moved alone: the upper
//! half of its register becomes 0 then.

use crate::arrays::block::{Block, Held, Vector};
use crate::arrays::lane::Lane;
use crate::arrays::layout::HALF;
use crate::arrays::meanings::{count, low_ones, shift_signed, zero};
use crate::arrays::word::{Done, LaneWord, stop};
use iced_x86::{Code, Instruction, OpKind, Register};
use std::rc::Rc;

/// Places of a vector and of half of one.
const PLACES: usize = 4;
const HALF_PLACES: usize = 2;

impl Block<'_> {
    pub(crate) fn step_short(&mut self, i: &Instruction) -> Done<()> {
        use Code as C;
        match i.code() {
            C::VEX_Vmovdqu_ymm_ymmm256
            | C::VEX_Vmovdqu_ymmm256_ymm
            | C::VEX_Vmovdqu_xmm_xmmm128
            | C::VEX_Vmovdqu_xmmm128_xmm
            | C::VEX_Vmovdqa_ymm_ymmm256
            | C::VEX_Vmovdqa_ymmm256_ymm => self.short_move(i),
            C::VEX_Vpmaskmovq_ymm_ymm_m256 | C::VEX_Vpmaskmovq_xmm_xmm_m128 => self.masked_load(i),
            C::VEX_Vpmaskmovq_m256_ymm_ymm | C::VEX_Vpmaskmovq_m128_xmm_xmm => self.masked_store(i),
            C::VEX_Vinserti128_ymm_ymm_xmmm128_imm8 => self.insert(i),
            C::VEX_Vextracti128_xmmm128_ymm_imm8 => self.extract(i),
            C::VEX_Vpunpcklqdq_ymm_ymm_ymmm256 => self.unpack(i, 0),
            C::VEX_Vpunpckhqdq_ymm_ymm_ymmm256 => self.unpack(i, 1),
            _ => {
                let held = self.compute_short(i)?;
                let vector = self.spread(&held);
                self.set(i.op0_register(), vector);
                Ok(())
            }
        }
    }

    /// What an instruction gives in every lane.
    fn compute_short(&mut self, i: &Instruction) -> Done<Held> {
        use Code as C;
        let word = match i.code() {
            C::VEX_Vsubpd_ymm_ymm_ymmm256 => return self.subtract_doubles(i),
            C::VEX_Vfmadd231pd_ymm_ymm_ymmm256 => return self.multiply_add(i),
            C::VEX_Vpbroadcastq_ymm_xmmm64 => return self.broadcast(i),
            C::VEX_Vblendvpd_ymm_ymm_ymmm256_ymm => return self.blend_by_sign(i),
            C::VEX_Vpxor_ymm_ymm_ymmm256 => zero(i)?,
            C::VEX_Vpaddq_ymm_ymm_ymmm256 => {
                let [a, b] = self.words(i, [1, 2])?;
                self.lane.sum(&a, &b, 1)?
            }
            C::VEX_Vpsubq_ymm_ymm_ymmm256 => {
                let [a, b] = self.words(i, [1, 2])?;
                self.lane.sum(&a, &b, -1)?
            }
            C::VEX_Vpmuludq_ymm_ymm_ymmm256 => {
                let [a, b] = self.words(i, [1, 2])?;
                self.lane.half_product(&a, &b)?
            }
            C::VEX_Vpminud_ymm_ymm_ymmm256 => self.smaller_halves(i)?,
            C::VEX_Vpand_ymm_ymm_ymmm256 => {
                let [a, b] = self.words(i, [1, 2])?;
                under_mask(self.lane, &a, &b)?
            }
            C::VEX_Vpcmpgtq_ymm_ymm_ymmm256 => self.above(i)?,
            C::VEX_Vpsrlq_ymm_ymm_imm8 => {
                let [word] = self.words(i, [1])?;
                self.lane.shift_right(&word, count(i, 2)?)?
            }
            C::VEX_Vpsllq_ymm_ymm_imm8 => {
                let [word] = self.words(i, [1])?;
                self.lane.shift_left(&word, count(i, 2)?)?
            }
            _ => return stop("this instruction is not on the list"),
        };
        Ok(Held::Word(Rc::new(word)))
    }

    /// vblendvpd: the third operand where the last one has its top bit, else the second one.
    fn blend_by_sign(&mut self, i: &Instruction) -> Done<Held> {
        let [other, taken, sign] = self.words(i, [1, 2, 3])?;
        let mask = shift_signed(self.lane, &sign, 63)?;
        Ok(Held::Word(if self.takes(&mask)? { taken } else { other }))
    }

    /// vpcmpgtq: ones where the first word is above the second one, in two's complement; else 0.
    fn above(&mut self, i: &Instruction) -> Done<LaneWord> {
        let [a, b] = self.words(i, [1, 2])?;
        Ok(LaneWord::constant(if self.lane.is_less_signed(&b, &a)? { -1 } else { 0 }))
    }

    /// vpminud: of two words the smaller lower half, and the smaller upper half.
    ///
    /// One of the words must have no upper half, so that the result has none.
    fn smaller_halves(&mut self, i: &Instruction) -> Done<LaneWord> {
        let words = self.words(i, [1, 2])?;
        if !words.iter().any(|word| self.lane.fits(word, HALF)) {
            return stop("both words may have upper halves");
        }
        let [a, b] = words;
        self.lane.smaller(&self.lane.unsigned(&a, HALF)?, &self.lane.unsigned(&b, HALF)?)
    }

    /// What a whole register has, or its lower half.
    fn part(&self, i: &Instruction, operand: u32) -> Done<Vector> {
        let register = i.op_register(operand);
        Ok(self.register(register)?[..size_of(register)].to_vec())
    }

    /// What a register or memory has, outside arrays that end anywhere.
    fn source(&self, i: &Instruction, operand: u32, size: usize) -> Done<Vector> {
        if i.op_kind(operand) == OpKind::Register {
            return self.part(i, operand);
        }
        let (base, offset) = self.address(i)?;
        if self.is_masked(base) {
            return stop("reads an array in the tail without a mask");
        }
        self.load(base, offset, size)
    }

    /// Writes a register, above half of a vector 0, or memory outside arrays that end anywhere.
    fn write(&mut self, i: &Instruction, mut words: Vector) -> Done<()> {
        if i.op0_kind() == OpKind::Register {
            words.resize(PLACES, (Held::Word(Rc::new(LaneWord::constant(0))), None));
            self.set(i.op0_register(), words);
            return Ok(());
        }
        let (base, offset) = self.address(i)?;
        if self.is_masked(base) {
            return stop("writes an array in the tail without a mask");
        }
        self.store(base, offset, words)
    }

    /// A load, a copy or a store.
    fn short_move(&mut self, i: &Instruction) -> Done<()> {
        let is_aligned =
            matches!(i.code(), Code::VEX_Vmovdqa_ymm_ymmm256 | Code::VEX_Vmovdqa_ymmm256_ymm);
        let has_memory = i.memory_base() != Register::None;
        if is_aligned && has_memory && self.address(i)?.0 != Register::RSP {
            return stop("needs an alignment that is not known");
        }
        let register =
            if i.op0_kind() == OpKind::Register { i.op0_register() } else { i.op1_register() };
        let words = self.source(i, 1, size_of(register))?;
        self.write(i, words)
    }

    /// Where a masked move of the tail reads or writes, with the masks of these words.
    fn masked(&self, i: &Instruction, mask: u32) -> Done<(Register, i64, usize)> {
        let (base, offset) = self.address(i)?;
        if !self.is_masked(base) {
            return stop("a mask where none is expected");
        }
        let mask = self.part(i, mask)?;
        for (place, (held, _)) in mask.iter().enumerate() {
            let is_it = |number: usize| 8 * (number as i64 - place as i64) == offset;
            if !matches!(held, Held::TailWord(number) if is_it(*number)) {
                return stop("the masks are not those of these words");
            }
        }
        Ok((base, offset, mask.len()))
    }

    fn masked_load(&mut self, i: &Instruction) -> Done<()> {
        let (base, offset, count) = self.masked(i, 1)?;
        let words = self.load(base, offset, count)?;
        self.write(i, words)
    }

    fn masked_store(&mut self, i: &Instruction) -> Done<()> {
        let (base, offset, _) = self.masked(i, 1)?;
        let words = self.part(i, 2)?;
        self.store(base, offset, words)
    }

    /// vinserti128: the upper half of a vector from another one, or from memory.
    fn insert(&mut self, i: &Instruction) -> Done<()> {
        if i.immediate8() != 1 {
            return stop("a number that is not on the list");
        }
        let mut words = self.part(i, 1)?;
        words.truncate(HALF_PLACES);
        words.extend(self.source(i, 2, HALF_PLACES)?);
        self.write(i, words)
    }

    /// vextracti128: the upper half of a vector alone.
    fn extract(&mut self, i: &Instruction) -> Done<()> {
        if i.immediate8() != 1 {
            return stop("a number that is not on the list");
        }
        let words = self.part(i, 1)?.split_off(HALF_PLACES);
        self.write(i, words)
    }

    /// From each half of two vectors the word at a place.
    fn unpack(&mut self, i: &Instruction, place: usize) -> Done<()> {
        let (a, b) = (self.part(i, 1)?, self.read(i, 2)?);
        let places = (place..PLACES).step_by(HALF_PLACES);
        let words = places.flat_map(|at| [a[at].clone(), b[at].clone()]).collect();
        self.write(i, words)
    }
}

/// `and` with a mask, which is 0 or all ones, or with a constant of low ones.
fn under_mask(lane: &Lane, a: &Rc<LaneWord>, b: &Rc<LaneWord>) -> Done<LaneWord> {
    for (mask, word) in [(a, b), (b, a)] {
        match mask.value.number() {
            Some(number) if number == 0.into() => return Ok(LaneWord::constant(0)),
            Some(number) if number == (-1).into() => return Ok(word.as_ref().clone()),
            _ => {}
        }
    }
    low_ones(lane, a, b)
}

/// The places of a register: four, or two in a lower half.
fn size_of(register: Register) -> usize {
    if register.is_xmm() { HALF_PLACES } else { PLACES }
}
