//! The JSON of a certificate of arrays as values; `fieldc/proof/lanes/certificate.py` describes it.

use crate::arrays::layout::HALF;
use crate::certificate::of_format;
use crate::polynomial::{Integer, Polynomial};
use serde::Deserialize;
use std::fmt;

/// The certificate of a kernel on arrays, if a text is one.
pub(crate) fn certificate_of(text: &[u8]) -> serde_json::Result<Option<ArrayCertificate>> {
    of_format(text, "array")
}

#[derive(Debug, Deserialize)]
pub(crate) struct ArrayCertificate {
    #[serde(rename = "format")]
    _format: Format,
    pub(crate) symbol: String,
    pub(crate) contract: ArrayContract,
    #[serde(rename = "loop")]
    pub(crate) parts: Parts,
    pub(crate) block: Node,
    /// Where the loop has a tail, and it is not proved by the same steps.
    #[serde(default)]
    pub(crate) tail: Option<Node>,
}

impl fmt::Display for ArrayCertificate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ArrayContract { operation, p, words, word_bits, .. } = &self.contract;
        let Self { symbol, .. } = self;
        let p = &p.0;
        write!(f, "{symbol}: {operation} on arrays mod {p:#x}, {words} words of {word_bits} bits")
    }
}

#[derive(Debug, Deserialize)]
enum Format {
    #[serde(rename = "fieldc-array-certificate-1")]
    Known,
}

/// What is claimed of each element.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ArrayContract {
    pub(crate) operation: String,
    pub(crate) family: String,
    pub(crate) parameters: Numbers,
    pub(crate) p: Integer,
    /// Words of an element, and bits of each.
    pub(crate) words: usize,
    pub(crate) word_bits: u32,
    pub(crate) convention: String,
    /// Of sums in columns: how often a lane adds at most.
    #[serde(default)]
    pub(crate) turns: Option<u64>,
    /// How far columns are apart, if not 52 bits.
    #[serde(default)]
    pub(crate) column_bits: Option<u32>,
    /// Of sums of products by values below so many p: that number.
    #[serde(default)]
    pub(crate) multiple: Option<u64>,
    /// Where some arrays are in limbs and others in digits: which are in digits.
    #[serde(default)]
    pub(crate) mixed: Option<Mixed>,
    /// Operands that have one element, which serves for all.
    #[serde(default)]
    pub(crate) shared: Vec<String>,
}

impl ArrayContract {
    /// Whether it is of sums in two columns of words.
    pub(crate) fn has_column_words(&self) -> bool {
        self.column_bits == Some(HALF)
    }
}

/// The operands in digits, and whether results are.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mixed {
    pub(crate) in_digits: Vec<String>,
    pub(crate) gives_digits: bool,
}

/// The numbers that choose one function of a family.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Numbers {
    /// Operands and results are below (lazy + 1)*p.
    #[serde(default)]
    pub(crate) lazy: u32,
    /// What the operand is multiplied by.
    #[serde(default)]
    pub(crate) factor: u64,
}

/// The loop's shape: places in the code, from the function's first byte on.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parts {
    /// Elements of a block.
    pub(crate) elements: usize,
    /// Bytes of the frame.
    pub(crate) frame: i64,
    /// Masks of blends, by the number of their register.
    pub(crate) masks: Vec<(u32, u64)>,
    /// Of a vector: eight or four.
    #[serde(default = "eight")]
    pub(crate) places: usize,
    /// Whether MXCSR says so while the loop runs.
    #[serde(default)]
    pub(crate) rounds_to_zero: bool,
    /// The registers that hold vectors of the first array, by number.
    #[serde(default)]
    pub(crate) held: Vec<u32>,
    /// What each pointer advances by, results first.
    pub(crate) advances: Vec<i64>,
    /// The first byte of a block's code, and the one after it.
    pub(crate) block: (usize, usize),
    pub(crate) tail: Option<(usize, usize)>,
}

fn eight() -> usize {
    8
}

/// Steps that hold where the signs above them are as stated; then a sign decides, or all is shown.
#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Node {
    /// Whether an integer is negative.
    Split { steps: Vec<Step>, split: Polynomial, negative: Box<Node>, other: Box<Node> },
    /// Why each result is below its bound; for signs that cannot be there is no reason.
    Leaf { steps: Vec<Step>, canonical: Vec<LaneBound> },
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Step {
    /// Two variables for an integer: its low bits, and the rest.
    Cut(u32, Polynomial),
    /// The low bits of the integer parts + 2^bits*rest are the parts, each at its place.
    Low(u32, Vec<(u32, Polynomial)>, Polynomial),
    /// The variable of a number, low bits of a cut, is the integer that is 2^bits*rest more.
    Whole(u32, usize, Polynomial),
    /// An integer is at most or at least so much.
    Most(Polynomial, Integer, LaneBound),
    Least(Polynomial, Integer, LaneBound),
    /// A sum that stands for itself less a multiple of 2^64.
    Wrap(Polynomial, Integer),
}

/// Why scale*target is below scale*(limit + 1).
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct LaneBound {
    pub(crate) scale: Integer,
    /// Factors of products of operands, which are named.
    pub(crate) slopes: Vec<(Integer, Vec<String>)>,
    /// Factors of products of variables that are not negative, by their numbers.
    #[serde(default)]
    pub(crate) rests: Vec<(Integer, Vec<usize>)>,
    /// Factors of what was decided above, by number: not positive where that is negative.
    pub(crate) signs: Vec<(usize, Integer)>,
}
