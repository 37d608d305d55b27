//! The state while the code of a block runs: registers place by place, arrays, the frame.
//!
//! A place of a register holds a word and the element that it is of. Instructions that compute take
//! registers whose places hold one word, of elements in one order: they do the same in each lane.

use crate::arrays::double::Double;
use crate::arrays::lane::Lane;
use crate::arrays::layout::{LANES, Layout, VECTOR};
use crate::arrays::shape::{FIRST, Shape};
use crate::arrays::task::{Array, Task};
use crate::arrays::word::{Done, LaneWord, stop};
use iced_x86::{Instruction, Register};
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;

/// Bytes of a word.
const BYTES: i64 = 8;

/// What a place holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Held {
    Word(Rc<LaneWord>),
    /// All ones where a word is negative, else 0.
    Sign(Rc<LaneWord>),
    /// Two words from 0 to 2^32 - 1: the lower and the upper half.
    Halves(Rc<LaneWord>, Rc<LaneWord>),
    Double(Rc<Double>),
    /// Of a tail's table: ones if there is the word of an array with this number, else 0.
    TailWord(usize),
}

/// What it holds, and of which element; None for a constant, which is the same for all.
pub(crate) type Place = (Held, Option<usize>);
/// The places of a vector: eight, or four.
pub(crate) type Vector = Vec<Place>;

/// A vector with one word of every element, in an order.
type Order = Vec<Option<usize>>;

pub(crate) struct Block<'a> {
    pub(crate) lane: &'a Lane,
    pub(crate) shape: &'a Shape<'a>,
    task: &'a Task,
    pub(crate) is_tail: bool,
    registers: BTreeMap<Register, Vector>,
    stack: BTreeMap<i64, Vector>,
    /// By result, element and word.
    stored: BTreeMap<(usize, usize, usize), Held>,
    /// Words of a block that some result has.
    written: Vec<usize>,
    order: Option<Order>,
    /// Whether vectors of the first array are in registers, and nobody uses the array.
    is_held: bool,
    /// Masks of lanes by a comparison: what it gives in this case.
    pub(crate) flags: BTreeMap<Register, bool>,
    /// Which vector's mask the tail's register holds.
    pub(crate) tail_vector: Option<i64>,
}

impl<'a> Block<'a> {
    pub(crate) fn new(lane: &'a Lane, shape: &'a Shape<'a>, task: &'a Task, is_tail: bool) -> Self {
        let (registers, stack, stored) = (BTreeMap::new(), BTreeMap::new(), BTreeMap::new());
        let (written, order, tail_vector) = (Vec::new(), None, None);
        let flags = BTreeMap::new();
        Self {
            lane,
            shape,
            task,
            is_tail,
            registers,
            stack,
            stored,
            written,
            order,
            is_held: false,
            flags,
            tail_vector,
        }
    }

    /// The masks of a tail.
    pub(crate) fn masks(&self) -> usize {
        self.task.masked().unwrap_or_default()
    }

    pub(crate) fn register(&self, register: Register) -> Done<&Vector> {
        let found = self.registers.get(&register.full_register());
        found.ok_or_else(|| format!("reads {register:?}, which has no known words").into())
    }

    pub(crate) fn set(&mut self, register: Register, vector: Vector) {
        self.registers.insert(register.full_register(), vector);
    }

    /// Before an instruction: where vectors have four places, its operands decide the order.
    pub(crate) fn begin(&mut self) {
        if self.shape.places() < LANES {
            self.order = None;
        }
    }

    /// What all places of a vector hold, of elements in the one order.
    pub(crate) fn same(&mut self, vector: &Vector) -> Done<Held> {
        let held = &vector[0].0;
        if vector.iter().any(|(other, _)| other != held) {
            return stop("computes with different words in different lanes");
        }
        let elements: Order = vector.iter().map(|(_, element)| *element).collect();
        if elements.iter().any(Option::is_some)
            && *self.order.get_or_insert(elements.clone()) != elements
        {
            return stop("computes with elements in different orders");
        }
        Ok(held.clone())
    }

    /// The same, of a word.
    pub(crate) fn word(&mut self, vector: &Vector) -> Done<Rc<LaneWord>> {
        match self.same(vector)? {
            Held::Word(word) => Ok(word),
            Held::Sign(_) | Held::TailWord(_) => stop("computes with a mask"),
            Held::Double(double) => Ok(Rc::new(self.lane.bits_of(&double)?)),
            Held::Halves(low, high) => Ok(Rc::new(self.lane.of_halves(&low, &high)?)),
        }
    }

    /// A vector with a word of every lane's element.
    pub(crate) fn spread(&self, held: &Held) -> Vector {
        let none = vec![None; self.shape.places()];
        let order = self.order.as_ref().unwrap_or(&none);
        order.iter().map(|element| (held.clone(), *element)).collect()
    }

    /// Loads the vectors that the loop holds: from here on they are in registers alone.
    pub(crate) fn enter(&mut self) -> Done<()> {
        for (at, register) in self.shape.held().enumerate() {
            let vector = self.load(FIRST, VECTOR * at as i64, LANES)?;
            self.set(register, vector);
        }
        self.is_held = !self.shape.parts.held.is_empty();
        Ok(())
    }

    /// Stores them: a turn of the loop is a load, a block and a store.
    pub(crate) fn leave(&mut self) -> Done<()> {
        self.is_held = false;
        for (at, register) in self.shape.held().enumerate() {
            let vector = self.register(register)?.clone();
            self.store(FIRST, VECTOR * at as i64, vector)?;
        }
        Ok(())
    }

    /// The array that a pointer leads to.
    fn array(&self, base: Register) -> Option<Array> {
        let number = self.shape.pointer(base).filter(|number| *number > 0 || !self.is_held)?;
        self.task.arrays.get(number).copied()
    }

    /// How it lies there.
    fn layout(&self, array: Array) -> Layout {
        array.operand.map_or(self.task.result, |number| self.task.operands[number].layout)
    }

    /// Whether an operand may be z, which was written in part: one that lies as z does, unless
    /// a pointer says which one z is.
    fn may_be_written(&self, array: Array) -> bool {
        let is_known = self.task.arrays.iter().any(|array| array.is_both());
        array.is_both() || (!is_known && self.layout(array) == self.task.result)
    }

    /// Whether accesses at a pointer need the tail's masks.
    pub(crate) fn is_masked(&self, base: Register) -> bool {
        self.is_tail && self.array(base).is_some_and(|array| self.layout(array).in_limbs)
    }

    /// A base and an offset; of code the offset is in it, and an anchor is what it was made of.
    pub(crate) fn address(&self, i: &Instruction) -> Done<(Register, i64)> {
        if i.memory_index() != Register::None || i.memory_base() == Register::None {
            return stop("an address with an index, or with no base");
        }
        let offset = i.memory_displacement64().cast_signed();
        Ok(self.shape.resolved(i.memory_base(), offset))
    }

    /// A constant of the code.
    pub(crate) fn constant(&self, offset: i64) -> Done<Held> {
        let bytes = usize::try_from(offset).ok().and_then(|at| self.shape.code.get(at..at + 8));
        let bytes =
            bytes.and_then(|bytes| bytes.try_into().ok()).ok_or("reads outside the code")?;
        Ok(Held::Word(Rc::new(LaneWord::constant(u64::from_le_bytes(bytes)))))
    }

    /// A word of an element that serves for all.
    pub(crate) fn word_for_all(&self, base: Register, offset: i64) -> Done<Held> {
        let operand = self.array(base).and_then(|array| array.operand);
        let operand = operand.map(|number| &self.task.operands[number]);
        let at = usize::try_from(offset).ok().filter(|offset| offset % 8 == 0);
        let word = operand.filter(|operand| operand.layout.is_single).zip(at);
        let word = word.and_then(|(operand, at)| operand.words.get(at / 8));
        let word = word.ok_or("one word for all lanes that is no constant")?;
        Ok(Held::Word(Rc::new(self.lane.whole(word)?)))
    }

    /// So many words of memory.
    pub(crate) fn load(&self, base: Register, offset: i64, count: usize) -> Done<Vector> {
        match base {
            Register::RIP => {
                let mut found = Vec::new();
                for number in 0..count {
                    found
                        .push((self.constant(offset.saturating_add(BYTES * number as i64))?, None));
                }
                Ok(found)
            }
            Register::RAX => self.tail_words(offset, count),
            Register::RSP => {
                let held = self.stack.get(&offset).filter(|held| held.len() == count).cloned();
                held.ok_or_else(|| "reads stack that it never wrote".into())
            }
            _ => {
                let array = self.array(base);
                let Some((array, number)) = array.and_then(|a| a.operand.map(|at| (a, at))) else {
                    return stop(format!("reads at {base:?}"));
                };
                let operand = &self.task.operands[number];
                if operand.layout.is_single {
                    return stop("reads vectors of one element");
                }
                let mut found = Vec::new();
                for at in numbers(operand.layout, offset, count)? {
                    if self.may_be_written(array) && self.written.contains(&at) {
                        return stop("reads an operand after it wrote z, which may be it");
                    }
                    let (element, word) = operand.layout.place(at);
                    let word = self.lane.whole(&operand.words[word])?;
                    found.push((Held::Word(Rc::new(word)), Some(element)));
                }
                Ok(found)
            }
        }
    }

    /// Masks of words, from the table of the tail.
    fn tail_words(&self, offset: i64, count: usize) -> Done<Vector> {
        let first = usize::try_from(offset).ok().filter(|offset| offset % 8 == 0);
        let first = first.ok_or("a mask that is not in the table")? / 8;
        let has_words = self.is_tail && self.shape.places() < LANES;
        if !has_words || first + count > LANES * self.masks() {
            return stop("a mask that is not in the table");
        }
        Ok((first..first + count).map(|number| (Held::TailWord(number), None)).collect())
    }

    /// Writes a vector to z or to the frame.
    pub(crate) fn store(&mut self, base: Register, offset: i64, held: Vector) -> Done<()> {
        if base == Register::RSP {
            let size = BYTES * self.shape.places() as i64;
            let is_whole = held.len() == self.shape.places() && offset % size == 0;
            if !is_whole || !(0..=self.shape.parts.frame - size).contains(&offset) {
                return stop("writes outside its frame");
            }
            self.stack.insert(offset, held);
            return Ok(());
        }
        let Some(number) = self.array(base).and_then(|array| array.result) else {
            return stop(format!("writes at {base:?}"));
        };
        for (at, (held, of)) in numbers(self.task.result, offset, held.len())?.zip(held) {
            let (element, word) = self.task.result.place(at);
            if of.is_some_and(|of| of != element) {
                return stop(format!("element {element} of z gets a word of another one"));
            }
            self.written.push(at);
            self.stored.insert((number, element, word), held);
        }
        Ok(())
    }

    /// Whether two places hold the same: where vectors have four, the integers alone are compared.
    fn are_same(&self, a: &Held, b: &Held) -> bool {
        match (a, b) {
            (Held::Word(a), Held::Word(b)) if self.shape.places() < LANES => a.value == b.value,
            _ => a == b,
        }
    }

    /// The words of a result: every element has the same ones. Of halves, both.
    pub(crate) fn result(&self, number: usize) -> Done<Vec<Rc<LaneWord>>> {
        let mut found = Vec::new();
        for word in 0..self.task.result.words {
            let of = |element| self.stored.get(&(number, element, word));
            let first = of(0).filter(|first| {
                (1..LANES).all(|element| of(element).is_some_and(|held| self.are_same(first, held)))
            });
            match first {
                Some(held) if self.task.result.is_halved => {
                    let (low, high) = self.split(held)?;
                    found.extend([low, high]);
                }
                Some(Held::Word(held)) => found.push(held.clone()),
                Some(Held::Halves(low, high)) => {
                    found.push(Rc::new(self.lane.of_halves(low, high)?))
                }
                _ => {
                    return stop(format!("word {word} of z is not written alike for all elements"));
                }
            }
        }
        Ok(found)
    }
}

/// The words of a block that so many words at an offset are.
fn numbers(layout: Layout, offset: i64, count: usize) -> Done<Range<usize>> {
    let first = usize::try_from(offset).ok().filter(|offset| offset % 8 == 0);
    let first = first.ok_or("outside the block")? / 8;
    if first + count > LANES * layout.words {
        return stop("outside the block");
    }
    Ok(first..first + count)
}
