//! The certificate's JSON as values; `fieldc/proof/certificate.py` describes it.

use crate::polynomial::{Integer, Polynomial};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(crate) struct Certificate {
    #[serde(rename = "format")]
    _format: Format,
    pub(crate) symbol: String,
    pub(crate) contract: Stated,
    pub(crate) cases: Vec<Case>,
}

#[derive(Debug, Deserialize)]
enum Format {
    #[serde(rename = "fieldc-certificate-1")]
    Known,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Stated {
    pub(crate) operation: String,
    pub(crate) p: Integer,
    pub(crate) limbs: usize,
    pub(crate) convention: String,
}

/// Rows by their numbers, and what each is multiplied with.
pub(crate) type Combination = Vec<(usize, Polynomial)>;

#[derive(Debug, Deserialize)]
pub(crate) struct Bound {
    pub(crate) scale: Integer,
    pub(crate) rows: Combination,
    /// Factors of products of operands, named, and limbs, numbered.
    pub(crate) slopes: Vec<(Integer, Vec<String>, Vec<usize>)>,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Fact {
    Bound { variable: usize, value: u64, bound: Bound },
    Residue { variable: usize, residue: Combination },
}

/// Variables and their values.
pub(crate) type Flags = Vec<(usize, u64)>;

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Case {
    Proved {
        /// Which of z's values it is of.
        #[serde(default)]
        result: usize,
        flags: Flags,
        facts: Vec<Fact>,
        identity: Combination,
        canonical: Bound,
    },
    Excluded {
        flags: Flags,
        excluded: Bound,
    },
}
