//! The JSON of a certificate of divsteps as values; `fieldc/proof/divsteps/certificate.py` describes it.

use crate::certificate::of_format;
use serde::Deserialize;

/// The operation's name, with which symbols end.
pub(crate) const DIVSTEP_MATRIX: &str = "divstep_matrix";
/// Divsteps of a kernel.
pub(crate) const STEPS: usize = 59;
/// |zeta| is below 2^62 on entry.
pub(crate) const ZETA_BITS: u32 = 62;

/// A certificate of divsteps.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DivstepCertificate {
    #[serde(rename = "format")]
    _format: Format,
    pub(crate) symbol: String,
    pub(crate) steps: usize,
    pub(crate) convention: String,
    /// Bytes below the return address that the code uses.
    pub(crate) stack: i64,
    pub(crate) blocks: Vec<Block>,
}

#[derive(Debug, Deserialize)]
enum Format {
    #[serde(rename = "fieldc-divsteps-1")]
    Known,
}

/// Steps on packed words. A word is named by the offset of the instruction that makes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Block {
    /// x and y before the steps.
    pub(crate) begin: [usize; 2],
    /// zeta, x and y after each step.
    pub(crate) steps: Vec<[usize; 3]>,
    /// u*f + v*g and q*f + r*g for the block's matrix; none after the last block.
    pub(crate) sums: Vec<usize>,
}

/// The certificate of divsteps, if a text is one.
pub(crate) fn certificate_of(text: &[u8]) -> serde_json::Result<Option<DivstepCertificate>> {
    of_format(text, "divsteps")
}
