//! Instructions on doubles that hold integers.

use crate::arrays::block::{Block, Held};
use crate::arrays::double::Double;
use crate::arrays::word::{Done, stop};
use iced_x86::{Instruction, RoundingControl};
use std::rc::Rc;

impl Block<'_> {
    /// An operand as a double, in all lanes.
    fn double(&mut self, i: &Instruction, operand: u32) -> Done<Rc<Double>> {
        let vector = self.read(i, operand)?;
        match self.same(&vector)? {
            Held::Double(double) => Ok(double),
            Held::Word(word) => Ok(Rc::new(self.lane.decoded(&word)?)),
            _ => stop("a mask or halves of a word for a double"),
        }
    }

    /// vsubpd.
    pub(crate) fn subtract_doubles(&mut self, i: &Instruction) -> Done<Held> {
        let (a, b) = (self.double(i, 1)?, self.double(i, 2)?);
        Ok(Held::Double(Rc::new(self.lane.difference(&a, &b)?)))
    }

    /// vfmadd231pd: the first operand and the product of the others.
    pub(crate) fn multiply_add(&mut self, i: &Instruction) -> Done<Held> {
        let (c, a, b) = (self.double(i, 0)?, self.double(i, 1)?, self.double(i, 2)?);
        let to_zero = match i.rounding_control() {
            RoundingControl::None => self.shape.parts.rounds_to_zero,
            RoundingControl::RoundTowardZero => true,
            _ => return stop("rounds in a way that is not on the list"),
        };
        Ok(Held::Double(Rc::new(self.lane.fused(&a, &b, &c, to_zero)?)))
    }

    /// vcvtuqq2pd.
    pub(crate) fn convert(&mut self, i: &Instruction) -> Done<Held> {
        let [word] = self.words(i, [1])?;
        Ok(Held::Double(Rc::new(self.lane.double_of(&word)?)))
    }
}
