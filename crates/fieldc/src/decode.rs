//! Why an encoding is refused.

use core::fmt;

/// Why bytes are not the encoding of a field element.
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
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Length { expected, found } => {
                write!(f, "an encoding has {expected} bytes, not {found}")
            }
            Self::NotCanonical => f.write_str("the number is not below the modulus"),
        }
    }
}

impl core::error::Error for DecodeError {}
