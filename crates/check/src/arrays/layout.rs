//! How the words of the elements of a block lie in memory.

/// Bits of a word of memory and of a digit.
pub(crate) const WORD: u32 = 64;
pub(crate) const DIGIT: u32 = 52;
/// Bits of half a word.
pub(crate) const HALF: u32 = 32;
/// Places of a register, and elements of a block.
pub(crate) const LANES: usize = 8;
/// Bytes of a register.
pub(crate) const VECTOR: i64 = 64;

/// The words of an element, and how they lie: limb by limb, or digit by digit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    /// Words of an element.
    pub(crate) words: usize,
    /// How far they are apart: 64 for limbs, 52 for digits, 52 or 32 for columns.
    pub(crate) bits: u32,
    /// Whether all words of an element lie side by side. Such arrays end anywhere.
    pub(crate) in_limbs: bool,
    /// Whether a word is two elements of 32 bits.
    pub(crate) is_halved: bool,
    /// Whether there is one element, word by word, which serves for all.
    pub(crate) is_single: bool,
}

impl Layout {
    pub(crate) fn limbs(words: usize) -> Self {
        Self { words, bits: WORD, in_limbs: true, is_halved: false, is_single: false }
    }

    pub(crate) fn digits(words: usize) -> Self {
        Self::columns(words, DIGIT)
    }

    pub(crate) fn columns(words: usize, bits: u32) -> Self {
        Self { words, bits, in_limbs: false, is_halved: false, is_single: false }
    }

    /// Elements of 32 bits.
    pub(crate) fn halves() -> Self {
        Self { words: 1, bits: HALF, in_limbs: true, is_halved: true, is_single: false }
    }

    /// Elements in words of so many bits.
    pub(crate) fn of_elements(words: usize, bits: u32) -> Self {
        match bits {
            HALF => Self::halves(),
            WORD => Self::limbs(words),
            _ => Self::digits(words),
        }
    }

    /// The element and the word of it at a place of a block.
    pub(crate) fn place(self, at: usize) -> (usize, usize) {
        if self.in_limbs {
            return (at / self.words, at % self.words);
        }
        (at % LANES, at / LANES)
    }

    /// Bytes of a block.
    pub(crate) fn size(self) -> i64 {
        VECTOR * self.words as i64
    }
}
