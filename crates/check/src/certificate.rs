//! The certificate's JSON as values; `fieldc/proof/certificate.py` describes it.

use num_bigint::BigInt;
use serde::de::{Deserialize, Deserializer, Error};

/// An integer, written as a hexadecimal string.
#[derive(Debug)]
pub(crate) struct Hex(pub(crate) BigInt);

impl<'de> Deserialize<'de> for Hex {
    fn deserialize<D: Deserializer<'de>>(source: D) -> Result<Self, D::Error> {
        integer(source).map(Self)
    }
}

fn integer<'de, D: Deserializer<'de>>(source: D) -> Result<BigInt, D::Error> {
    let text = String::deserialize(source)?;
    let digits = text.replacen("0x", "", 1);
    BigInt::parse_bytes(digits.as_bytes(), 16)
        .ok_or_else(|| D::Error::custom(format!("{text} is no hexadecimal integer")))
}

fn bytes<'de, D: Deserializer<'de>>(source: D) -> Result<Vec<u8>, D::Error> {
    let text = String::deserialize(source)?;
    let byte = |two: &[u8]| u8::from_str_radix(std::str::from_utf8(two).ok()?, 16).ok();
    let all: Option<_> = text.as_bytes().chunks(2).map(byte).collect();
    all.ok_or_else(|| D::Error::custom("code: no hexadecimal bytes"))
}

pub(crate) type Polynomial = Vec<(Hex, Vec<usize>)>;
pub(crate) type Combination = Vec<(usize, Polynomial)>;

#[derive(Debug, serde::Deserialize)]
pub(crate) struct Certificate {
    pub(crate) format: String,
    pub(crate) symbol: String,
    pub(crate) contract: Contract,
    pub(crate) code: Code,
    pub(crate) variables: usize,
    pub(crate) rows: usize,
    pub(crate) cases: Vec<Case>,
}

#[derive(Debug, serde::Deserialize)]
pub(crate) struct Contract {
    pub(crate) operation: String,
    #[serde(deserialize_with = "integer")]
    pub(crate) p: BigInt,
    pub(crate) limbs: usize,
    pub(crate) convention: String,
}

#[derive(Debug, serde::Deserialize)]
pub(crate) struct Code {
    pub(crate) sha256: String,
    pub(crate) start: usize,
    #[serde(deserialize_with = "bytes")]
    pub(crate) bytes: Vec<u8>,
}

#[derive(Debug, serde::Deserialize)]
pub(crate) struct Bound {
    #[serde(deserialize_with = "integer")]
    pub(crate) scale: BigInt,
    pub(crate) rows: Combination,
    pub(crate) slopes: Vec<(Hex, Vec<String>, Vec<usize>)>,
}

#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub(crate) enum Fact {
    Bound { variable: usize, value: u64, bound: Bound },
    Residue { variable: usize, residue: Combination },
}

type Flags = Vec<(usize, u64)>;

#[derive(Debug, serde::Deserialize)]
#[serde(untagged)]
pub(crate) enum Case {
    Proved { flags: Flags, facts: Vec<Fact>, identity: Combination, canonical: Bound },
    Excluded { flags: Flags, excluded: Bound },
}
