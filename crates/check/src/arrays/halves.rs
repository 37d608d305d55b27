//! Lanes of two elements: words of 32 bits in the halves of one of 64.

use crate::arrays::block::{Block, Held};
use crate::arrays::lane::Lane;
use crate::arrays::layout::HALF;
use crate::arrays::word::{Done, LaneWord, stop};
use iced_x86::{Code, Instruction, OpKind, Register};
use std::rc::Rc;

/// The mask of the lower halves of eight lanes.
const LOWER: u64 = 0x5555;
/// Both halves of a lane.
type Pair = (Rc<LaneWord>, Rc<LaneWord>);

impl Lane {
    /// The word of two halves.
    pub(crate) fn of_halves(&self, low: &LaneWord, high: &LaneWord) -> Done<LaneWord> {
        self.sum(low, &self.raised(high, HALF)?, 1)
    }
}

impl Block<'_> {
    /// The halves of what a place holds.
    pub(crate) fn split(&self, held: &Held) -> Done<Pair> {
        let word = match held {
            Held::Halves(low, high) => return Ok((low.clone(), high.clone())),
            Held::Word(word) => self.lane.unsigned(word, 64)?,
            Held::Double(double) => self.lane.bits_of(double)?,
            _ => return stop("computes with halves of a mask"),
        };
        let low = self.lane.low_bits(&word, HALF)?;
        Ok((Rc::new(low), Rc::new(self.lane.shift_right(&word, HALF)?)))
    }

    /// The halves of an operand, in all lanes.
    fn halves(&mut self, i: &Instruction, operand: u32) -> Done<Pair> {
        let vector = self.read(i, operand)?;
        let held = self.same(&vector)?;
        self.split(&held)
    }

    /// Sums, differences and the smaller ones of halves, modulo 2^32.
    pub(crate) fn compute_halves(&mut self, i: &Instruction) -> Done<Held> {
        if i.is_broadcast() {
            return stop("one half for all lanes");
        }
        let (a, b) = (self.halves(i, 1)?, self.halves(i, 2)?);
        let of = |a: &LaneWord, b: &LaneWord| match i.code() {
            Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 => self.total(a, b, 1),
            Code::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32 => self.total(a, b, -1),
            _ => self.lane.smaller(a, b),
        };
        Ok(Held::Halves(Rc::new(of(&a.0, &b.0)?), Rc::new(of(&a.1, &b.1)?)))
    }

    /// a + b or a - b modulo 2^32.
    fn total(&self, a: &LaneWord, b: &LaneWord, sign: i32) -> Done<LaneWord> {
        self.lane.unsigned(&self.lane.sum(a, b, sign)?, HALF)
    }

    /// vmovshdup: upper halves are copied to lower ones; with a mask, where these have its bits.
    pub(crate) fn upper_halves(&mut self, i: &Instruction) -> Done<()> {
        let (_, source) = self.halves(i, 1)?;
        let mask = i.op_mask();
        let held = if mask == Register::None {
            Held::Halves(source.clone(), source)
        } else {
            let is_lower = self.shape.mask(mask) == Some(LOWER) && !i.zeroing_masking();
            if !is_lower || i.op1_kind() != OpKind::Register {
                return stop("a move of halves by a mask that is not known");
            }
            let (_, kept) = self.halves(i, 0)?;
            Held::Halves(source, kept)
        };
        let vector = self.spread(&held);
        self.set(i.op0_register(), vector);
        Ok(())
    }
}
