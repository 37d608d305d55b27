//! Replays a certificate of `fieldc`: reads the kernel's bytes with its own decoder and its own
//! semantics, and verifies the linear combinations that the certificate states; no search.
//!
//! The certificate's format is described in `fieldc/proof/certificate.py`. Every claim has the form
//!
//! ```text
//! scale*target - sum(multiplier*row) - sum(slope*product) = rest
//! ```
//!
//! where each row is 0 for all inputs, by the meaning of an instruction. So a wrong certificate can
//! only fail; it cannot make a wrong kernel pass.

mod certificate;
mod contract;
mod machine;
mod polynomial;
mod replay;
#[cfg(test)]
mod tests;

use certificate::Certificate;
use contract::Contract;
use sha2::{Digest, Sha256};

/// Why there is no proof.
#[derive(Debug, PartialEq, Eq)]
pub enum Failure {
    /// The certificate cannot be read.
    Input(String),
    /// A claim that does not hold.
    Claim(String),
}

/// A result, or why there is none.
pub type Outcome<T> = Result<T, Failure>;

fn fail<T>(claim: impl Into<String>) -> Outcome<T> {
    Err(Failure::Claim(claim.into()))
}

/// Verifies a certificate's text; `code`, if given, is what its code must be. What was proved.
pub fn check(text: &str, code: Option<&[u8]>) -> Outcome<String> {
    let all: Certificate =
        serde_json::from_str(text).map_err(|error| Failure::Input(error.to_string()))?;
    if all.format != "fieldc-certificate-1" {
        return Err(Failure::Input(format!("no format {}", all.format)));
    }
    let (of, bytes) = (&all.contract, &all.code.bytes);
    let contract = Contract::new(&of.operation, of.p.clone(), of.limbs, &of.convention)?;
    let digest: String = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    if all.code.sha256 != digest || code.is_some_and(|code| code != bytes) {
        return fail("code: the bytes are others");
    }
    let (system, z) = machine::run(bytes, all.code.start, &contract)?;
    replay::replay(&all, &system, &z, &contract)?;
    let (symbol, operation, convention) = (&all.symbol, &of.operation, &of.convention);
    let (p, limbs) = (&of.p, of.limbs);
    Ok(format!("{symbol}: {operation} mod {p:#x}, {limbs} limbs, {convention}, sha256 {digest}"))
}
