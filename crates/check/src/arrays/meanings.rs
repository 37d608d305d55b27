//! What vector instructions do, to a lane's words and to where they lie.
//!
//! Written from Intel's "Software Developer's Manual", volume 2. An instruction that is not here is
//! refused. Every instruction here takes a time that does not depend on data.

use crate::arrays::block::{Block, Held, Vector};
use crate::arrays::lane::Lane;
use crate::arrays::layout::{LANES, VECTOR};
use crate::arrays::word::{Done, LaneWord, Stop, stop};
use iced_x86::{Code, Instruction, OpKind, Register};
use std::rc::Rc;

/// The register with the tail's mask.
const TAIL: Register = Register::K1;

impl Block<'_> {
    /// Runs the code of a block.
    pub(crate) fn run(&mut self, code: &[Instruction]) -> Done<()> {
        for i in code {
            self.begin();
            let is_short = self.shape.places() < LANES;
            let done = if is_short { self.step_short(i) } else { self.step(i) };
            done.map_err(|why| match why {
                Stop::Wrong(why) => {
                    Stop::Wrong(format!("+{:#x} {:?}: {why}", i.ip(), i.mnemonic()))
                }
                Stop::Impossible => why,
            })?;
        }
        Ok(())
    }

    fn step(&mut self, i: &Instruction) -> Done<()> {
        use Code as C;
        match i.code() {
            C::EVEX_Vmovdqu64_zmm_k1z_zmmm512
            | C::EVEX_Vmovdqu64_zmmm512_k1z_zmm
            | C::EVEX_Vmovdqa64_zmm_k1z_zmmm512
            | C::EVEX_Vmovdqa64_zmmm512_k1z_zmm
            | C::EVEX_Vmovdqu32_zmm_k1z_zmmm512
            | C::EVEX_Vmovdqu32_zmmm512_k1z_zmm => self.move_vector(i),
            C::VEX_Kmovb_kr_km8 | C::VEX_Kmovw_kr_km16 => self.tail_mask(i),
            C::EVEX_Vmovshdup_zmm_k1z_zmmm512 => self.upper_halves(i),
            C::EVEX_Vpblendmq_zmm_k1z_zmm_zmmm512b64 => self.blend(i),
            C::EVEX_Vpcmpuq_kr_k1_zmm_zmmm512b64_imm8 => self.compare(i),
            C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64 | C::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64
                if i.op_mask() != Register::None =>
            {
                self.compute_where(i)
            }
            _ if i.op_mask() != Register::None => stop("a mask where none is expected"),
            C::EVEX_Vpermq_zmm_k1z_zmm_zmmm512b64 => self.permute(i, 1, &[2]),
            C::EVEX_Vpermi2q_zmm_k1z_zmm_zmmm512b64 => self.permute(i, 0, &[1, 2]),
            _ => {
                let held = self.compute(i)?;
                self.give(i, &held);
                Ok(())
            }
        }
    }

    /// Writes what all lanes get.
    fn give(&mut self, i: &Instruction, held: &Held) {
        let vector = self.spread(held);
        self.set(i.op0_register(), vector);
    }

    /// What an instruction gives to its first operand, in every lane.
    fn compute(&mut self, i: &Instruction) -> Done<Held> {
        use Code as C;
        match i.code() {
            C::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32
            | C::EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32
            | C::EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32 => self.compute_halves(i),
            C::EVEX_Vsubpd_zmm_k1z_zmm_zmmm512b64_er => self.subtract_doubles(i),
            C::EVEX_Vfmadd231pd_zmm_k1z_zmm_zmmm512b64_er => self.multiply_add(i),
            C::EVEX_Vcvtuqq2pd_zmm_k1z_zmmm512b64_er => self.convert(i),
            C::EVEX_Vpbroadcastq_zmm_k1z_xmmm64 => self.broadcast(i),
            C::EVEX_Vpternlogq_zmm_k1z_zmm_zmmm512b64_imm8 => self.merge(i),
            C::EVEX_Vpsraq_zmm_k1z_zmmm512b64_imm8 => {
                let [word] = self.words(i, [1])?;
                shift_signed(self.lane, &word, count(i, 2)?)
            }
            _ => Ok(Held::Word(Rc::new(self.compute_word(i)?))),
        }
    }

    /// The same, of what gives a word.
    fn compute_word(&mut self, i: &Instruction) -> Done<LaneWord> {
        use Code as C;
        let lane = self.lane;
        Ok(match i.code() {
            C::EVEX_Vpxorq_zmm_k1z_zmm_zmmm512b64 => zero(i)?,
            C::EVEX_Vpaddq_zmm_k1z_zmm_zmmm512b64 => {
                let [a, b] = self.words(i, [1, 2])?;
                lane.sum(&a, &b, 1)?
            }
            C::EVEX_Vpsubq_zmm_k1z_zmm_zmmm512b64 => {
                let [a, b] = self.words(i, [1, 2])?;
                lane.sum(&a, &b, -1)?
            }
            C::EVEX_Vpmadd52luq_zmm_k1z_zmm_zmmm512b64 => {
                let [total, a, b] = self.words(i, [0, 1, 2])?;
                lane.half(false, &total, [&a, &b])?
            }
            C::EVEX_Vpmadd52huq_zmm_k1z_zmm_zmmm512b64 => {
                let [total, a, b] = self.words(i, [0, 1, 2])?;
                lane.half(true, &total, [&a, &b])?
            }
            C::EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64 => {
                let [a, b] = self.words(i, [1, 2])?;
                lane.half_product(&a, &b)?
            }
            C::EVEX_Vpminuq_zmm_k1z_zmm_zmmm512b64 => {
                let [a, b] = self.words(i, [1, 2])?;
                lane.smaller(&a, &b)?
            }
            C::EVEX_Vpandq_zmm_k1z_zmm_zmmm512b64 => {
                let [a, b] = self.words(i, [1, 2])?;
                low_ones(lane, &a, &b)?
            }
            C::EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8 => {
                let [word] = self.words(i, [1])?;
                lane.shift_right(&word, count(i, 2)?)?
            }
            C::EVEX_Vpsllq_zmm_k1z_zmmm512b64_imm8 => {
                let [word] = self.words(i, [1])?;
                lane.shift_left(&word, count(i, 2)?)?
            }
            C::EVEX_Vpshrdq_zmm_k1z_zmm_zmmm512b64_imm8 => {
                let [low, high] = self.words(i, [1, 2])?;
                lane.funnel(&low, &high, count(i, 3)?)?
            }
            _ => return stop("this instruction is not on the list"),
        })
    }

    /// The words of some operands, in all lanes.
    pub(crate) fn words<const N: usize>(
        &mut self,
        i: &Instruction,
        at: [u32; N],
    ) -> Done<[Rc<LaneWord>; N]> {
        let mut found = Vec::new();
        for operand in at {
            let vector = self.read(i, operand)?;
            found.push(self.word(&vector)?);
        }
        found.try_into().map_err(|_| "operands of another number".into())
    }

    /// An operand: a register, a vector of memory, or one constant for all lanes.
    pub(crate) fn read(&self, i: &Instruction, operand: u32) -> Done<Vector> {
        match i.op_kind(operand) {
            OpKind::Register => self.register(i.op_register(operand)).cloned(),
            OpKind::Memory => {
                let (base, offset) = self.address(i)?;
                if i.is_broadcast() {
                    return Ok(vec![(self.of_all(base, offset)?, None); LANES]);
                }
                if self.is_masked(base) {
                    return stop("reads a whole vector of an array in the tail");
                }
                self.load(base, offset, self.shape.places())
            }
            _ => stop("an operand of an unknown kind"),
        }
    }

    /// One word for all lanes: a constant of the code, or a word of an element for all.
    fn of_all(&self, base: Register, offset: i64) -> Done<Held> {
        if base == Register::RIP {
            return self.constant(offset);
        }
        self.word_for_all(base, offset)
    }

    pub(crate) fn broadcast(&mut self, i: &Instruction) -> Done<Held> {
        let (base, offset) = self.address(i)?;
        self.of_all(base, offset)
    }

    /// vpternlogq by a table that takes one operand where another one, a mask, is all ones.
    fn merge(&mut self, i: &Instruction) -> Done<Held> {
        let [mask, then, other] = match i.immediate8() {
            0xca => [0, 1, 2],
            0xe2 => [1, 0, 2],
            0xb8 => [1, 2, 0],
            _ => return stop("a table of three operands that is no merge"),
        };
        let vector = self.read(i, mask)?;
        let held = self.same(&vector)?;
        let takes = self.takes(&held)?;
        let [then, other] = self.words(i, [then, other])?;
        let chosen = if takes { then } else { other };
        Ok(Held::Word(chosen))
    }

    /// Whether a mask is all ones.
    pub(crate) fn takes(&self, mask: &Held) -> Done<bool> {
        match mask {
            Held::Sign(word) => self.lane.is_negative(word),
            Held::Word(word) if word.value.number().is_some_and(|n| n == 0.into()) => Ok(false),
            _ => stop("a merge by what is no mask"),
        }
    }

    /// A load, a copy or a store, with the tail's mask wherever it reads or writes arrays.
    fn move_vector(&mut self, i: &Instruction) -> Done<()> {
        let in_halves = matches!(
            i.code(),
            Code::EVEX_Vmovdqu32_zmm_k1z_zmmm512 | Code::EVEX_Vmovdqu32_zmmm512_k1z_zmm
        );
        if in_halves != (i.op_mask() != Register::None && self.shape.is_halved()) {
            return stop("a mask for words of another size");
        }
        if i.op0_kind() == OpKind::Register && i.op1_kind() == OpKind::Register {
            if i.op_mask() != Register::None {
                return stop("a masked copy");
            }
            let vector = self.register(i.op1_register())?.clone();
            self.set(i.op0_register(), vector);
            return Ok(());
        }
        let (base, offset) = self.address(i)?;
        let is_load = i.op0_kind() == OpKind::Register;
        let is_masked = self.is_masked(base);
        let mask = if is_masked { TAIL } else { Register::None };
        if i.op_mask() != mask || i.zeroing_masking() != (is_masked && is_load) {
            return stop("not the mask that the array needs here");
        }
        if is_masked && (offset % VECTOR != 0 || self.tail_vector != Some(offset / VECTOR)) {
            return stop("the mask is not that of this vector");
        }
        let needs_alignment = matches!(
            i.code(),
            Code::EVEX_Vmovdqa64_zmm_k1z_zmmm512 | Code::EVEX_Vmovdqa64_zmmm512_k1z_zmm
        );
        if needs_alignment && base != Register::RSP {
            return stop("needs an alignment that is not known");
        }
        if is_load {
            let vector = self.load(base, offset, self.shape.places())?;
            self.set(i.op0_register(), vector);
            return Ok(());
        }
        let vector = self.register(i.op1_register())?.clone();
        self.store(base, offset, vector)
    }
}

/// What moves words between places, and the tail's masks.
impl Block<'_> {
    /// A vector of places of one or two others, by an index of constants.
    fn permute(&mut self, i: &Instruction, index: u32, from: &[u32]) -> Done<()> {
        let mut places = Vec::new();
        for operand in from {
            places.extend(self.read(i, *operand)?);
        }
        let index = self.read(i, index)?;
        let mut found = index.clone();
        for (to, (held, _)) in found.iter_mut().zip(&index) {
            let Held::Word(word) = held else { return stop("a permutation by masks") };
            let number = word.value.number().ok_or("a permutation that depends on data")?;
            let lowest = (number % places.len() as u64).try_into();
            let at: usize = lowest.map_err(|_| "a permutation by a negative number")?;
            *to = places[at].clone();
        }
        self.set(i.op0_register(), found);
        Ok(())
    }

    /// vpcmpltuq: a mask of the lanes in which one word is below another.
    fn compare(&mut self, i: &Instruction) -> Done<()> {
        let (mask, below) = (i.op0_register(), 1);
        if i.op_mask() != Register::None || i.immediate8() != below {
            return stop("a comparison of an unknown kind");
        }
        if mask == TAIL || self.shape.mask(mask).is_some() {
            return stop("a register that has another mask");
        }
        let [a, b] = self.words(i, [1, 2])?;
        let is_less = self.lane.is_less(&a, &b)?;
        self.flags.insert(mask, is_less);
        Ok(())
    }

    /// A sum or a difference in the lanes of a comparison; the others keep what they have.
    fn compute_where(&mut self, i: &Instruction) -> Done<()> {
        let flag = self.flags.get(&i.op_mask()).filter(|_| !i.zeroing_masking());
        let is_taken = *flag.ok_or("a mask that no comparison made")?;
        let [kept] = self.words(i, [0])?;
        let computed = self.compute(i)?;
        let held = if is_taken { computed } else { Held::Word(kept) };
        self.give(i, &held);
        Ok(())
    }

    /// vpblendmq: the places of two vectors by a constant mask.
    fn blend(&mut self, i: &Instruction) -> Done<()> {
        let mask = self.shape.mask(i.op_mask()).filter(|_| !i.zeroing_masking());
        let mask = mask.ok_or("a blend by a mask that is not known")?;
        let (mut found, other) = (self.read(i, 1)?, self.read(i, 2)?);
        for (lane, place) in other.into_iter().enumerate() {
            if mask >> lane & 1 == 1 {
                found[lane] = place;
            }
        }
        self.set(i.op0_register(), found);
        Ok(())
    }

    /// kmovb k1, [rax + v] in a tail: the mask of vector v.
    fn tail_mask(&mut self, i: &Instruction) -> Done<()> {
        if !self.is_tail || i.op0_register() != TAIL || i.op1_kind() != OpKind::Memory {
            return stop("a mask that no tail has");
        }
        let (base, offset) = self.address(i)?;
        let size = if self.shape.is_halved() { 2 } else { 1 };
        let is_wide = i.code() == Code::VEX_Kmovw_kr_km16;
        let is_there = (0..size * self.masks() as i64).contains(&offset) && offset % size == 0;
        if base != Register::RAX || is_wide != (size > 1) || !is_there {
            return stop("a mask that is not in the table");
        }
        self.tail_vector = Some(offset / size);
        Ok(())
    }
}

/// `xor` of a vector with itself.
pub(crate) fn zero(i: &Instruction) -> Done<LaneWord> {
    if i.op2_kind() != OpKind::Register || i.op1_register() != i.op2_register() {
        return stop("`xor` of two different vectors");
    }
    Ok(LaneWord::constant(0))
}

/// `and` with a constant of low ones.
pub(crate) fn low_ones(lane: &Lane, a: &LaneWord, b: &LaneWord) -> Done<LaneWord> {
    for (ones, word) in [(a, b), (b, a)] {
        let ones = ones.value.number().and_then(|ones| u64::try_from(ones).ok());
        if let Some(ones) =
            ones.filter(|ones| (1..1 << 63).contains(ones) && ones & (ones + 1) == 0)
        {
            return lane.low_bits(word, ones.trailing_ones());
        }
    }
    stop("`and` of two words of which none is low ones")
}

/// word >> bits in two's complement; by 63 it is a mask.
pub(crate) fn shift_signed(lane: &Lane, word: &LaneWord, bits: u32) -> Done<Held> {
    if bits < 63 {
        return Ok(Held::Word(Rc::new(lane.shift_right_signed(word, bits)?)));
    }
    let word = lane.signed(word)?;
    let is_positive = lane.fits(&word, 63);
    Ok(if is_positive {
        Held::Word(Rc::new(LaneWord::constant(0)))
    } else {
        Held::Sign(Rc::new(word))
    })
}

/// A number of bits in the instruction, from 1 to 63.
pub(crate) fn count(i: &Instruction, operand: u32) -> Done<u32> {
    let found = u32::try_from(i.immediate(operand)).ok().filter(|bits| (1..64).contains(bits));
    found.ok_or_else(|| "moves by a number of bits that is not on the list".into())
}
