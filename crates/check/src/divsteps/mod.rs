//! Kernels that do divsteps. Their certificates name the words that hold zeta, x and y after each
//! step; what these words are is proved here, in every case, from the object's bytes.
//!
//! Source: D. J. Bernstein and B.-Y. Yang, "Fast constant-time gcd computation and modular inversion"
//! (2019), section 8. `fieldc/proof/divsteps/certificate.py` describes the format.

mod numbers;
mod reading;
pub(crate) mod row;
mod steps;
#[cfg(test)]
mod tests;
pub(crate) mod words;

use crate::certificate::of_format;
use crate::contract::Contract;
use crate::divsteps::words::Ran;
use crate::{Outcome, aarch64, fail, object_code, x86_64};
use object::Architecture;
use serde::Deserialize;

/// The operation's name, with which symbols end.
const DIVSTEP_MATRIX: &str = "divstep_matrix";
/// Divsteps of a kernel.
pub(crate) const STEPS: usize = 59;
/// |zeta| is below 2^62 on entry.
const ZETA_BITS: u32 = 62;
/// What the kernel is given, each one word, and how many words it gives.
const OPERANDS: [&str; 3] = ["zeta", "f", "g"];
const RESULTS: usize = 5;

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
    blocks: Vec<Block>,
}

#[derive(Debug, Deserialize)]
enum Format {
    #[serde(rename = "fieldc-divsteps-1")]
    Known,
}

/// Steps on packed words. A word is named by the offset of the instruction that makes it.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Block {
    /// x and y before the steps.
    begin: [usize; 2],
    /// zeta, x and y after each step.
    steps: Vec<[usize; 3]>,
    /// u*f + v*g and q*f + r*g for the block's matrix; none after the last block.
    sums: Vec<usize>,
}

/// The certificate of divsteps, if a text is one.
pub(crate) fn certificate_of(text: &[u8]) -> serde_json::Result<Option<DivstepCertificate>> {
    of_format(text, "divsteps")
}

/// Verifies for the function that a certificate names: for every odd f, every g and |zeta| < 2^62,
/// z is zeta and the matrix after 59 divsteps, times 2^59.
pub(crate) fn verify_divsteps(certificate: &DivstepCertificate, object: &[u8]) -> Outcome<()> {
    let DivstepCertificate { symbol, steps, convention, stack, blocks, .. } = certificate;
    let code = object_code::function(object, symbol)?;
    if code.convention.name != convention {
        return fail(format!("the object's convention is {}", code.convention.name));
    }
    if *steps != STEPS {
        return fail(format!("a kernel does {STEPS} divsteps, not {steps}"));
    }
    let contract = Contract::of_words(&OPERANDS, RESULTS, code.convention)?;
    let ran: Ran = match code.convention.architecture {
        Architecture::Aarch64 => aarch64::run_words(code.bytes, &contract)?,
        _ => x86_64::run_words(code.bytes, &contract)?,
    };
    if ran.stack != *stack {
        return fail(format!("the code uses {} bytes of stack", ran.stack));
    }
    steps::verify(&ran, blocks)
}
