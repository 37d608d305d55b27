//! A manifest's rows of kernels that do divsteps. They have no certificates: that they are proved
//! is the prover's word, and here their files are held against their digests only.

use std::collections::BTreeMap;

use serde::Deserialize;

use crate::digest::digest_of_parts;
use crate::{Outcome, fail};

/// What the manifest says of one kernel.
#[derive(Debug, Deserialize)]
pub(crate) struct DivstepRow {
    pub(crate) symbol: String,
    pub(crate) object: String,
    contract: String,
    digest: String,
}

impl DivstepRow {
    /// Whether the object and the contract are those of the digest.
    pub(crate) fn is_whole(&self, files: &BTreeMap<String, Vec<u8>>) -> Outcome<()> {
        let Self { symbol, object, contract, digest } = self;
        let code = files.get(object).ok_or(format!("{symbol}: there is no {object}"))?;
        if digest_of_parts(&[code, contract.as_bytes()]) != *digest {
            return fail(format!("{symbol}: its files are not those that the digest is of"));
        }
        Ok(())
    }
}
