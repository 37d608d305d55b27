//! Why an encoding is refused.

use core::fmt;

/// Why bytes or a text are not the encoding of a field element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum DecodeError {
    /// The encoding has the wrong number of bytes.
    Length {
        /// Bytes of an encoding.
        expected: usize,
        /// Bytes given.
        found: usize,
    },
    /// The number is not below the modulus.
    NotCanonical,
    /// The number of an element of a slice is not below the modulus.
    Element {
        /// The first such place in the slice.
        position: usize,
    },
    /// The text has no digits.
    NoDigits,
    /// A character of the text is no digit.
    Digit {
        /// Where it begins, in bytes from the start.
        position: usize,
    },
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { expected, found } => {
                write!(f, "an encoding has {expected} bytes, not {found}")
            }
            Self::NotCanonical => f.write_str("the number is not below the modulus"),
            Self::Element { position } => {
                write!(
                    f,
                    "the number of element {position} is not below the modulus"
                )
            }
            Self::NoDigits => f.write_str("the text has no digits"),
            Self::Digit { position } => write!(f, "no digit at byte {position} of the text"),
        }
    }
}

impl core::error::Error for DecodeError {}
