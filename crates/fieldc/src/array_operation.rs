//! The operations on arrays.

/// What is done to each element of an array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// x + y.
    Add,
    /// x - y.
    Sub,
    /// x*y.
    Mul,
    /// x*x.
    Square,
    /// x*y + a.
    MulAdd,
}

impl Operation {
    /// How many operands it has.
    pub(crate) const fn operands(self) -> usize {
        match self {
            Self::Square => 1,
            Self::MulAdd => 3,
            _ => 2,
        }
    }
}
