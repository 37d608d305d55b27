//! The certificate's JSON as values; `fieldc/proof/certificate.py` describes it.

use crate::polynomial::{Integer, Polynomial};
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// A certificate of another format than this one, if the name of a text's format says `kind`.
pub(crate) fn of_format<C: DeserializeOwned>(
    text: &[u8],
    kind: &str,
) -> serde_json::Result<Option<C>> {
    #[derive(Deserialize)]
    struct Head {
        format: String,
    }
    let is_it = serde_json::from_slice::<Head>(text).is_ok_and(|head| head.format.contains(kind));
    is_it.then(|| serde_json::from_slice(text)).transpose()
}

#[derive(Debug, Deserialize)]
pub(crate) struct Certificate {
    #[serde(rename = "format")]
    _format: Format,
    pub(crate) symbol: String,
    pub(crate) contract: Stated,
    #[serde(flatten)]
    pub(crate) proof: Proof,
    /// Of a formula by calls: what it calls, in the order of the first calls. It has no cases.
    #[serde(default)]
    pub(crate) routines: Vec<Routine>,
}

/// A routine with its proof.
#[derive(Debug, Deserialize)]
pub(crate) struct Routine {
    /// Its text.
    pub(crate) formula: String,
    #[serde(flatten)]
    pub(crate) proof: Proof,
}

/// What is claimed of code without calls.
#[derive(Debug, Deserialize)]
pub(crate) struct Proof {
    /// Bytes below the return address that the code uses.
    pub(crate) stack: i64,
    /// Of AArch64 code: constants that multiply words. They only choose between rows.
    #[serde(default)]
    pub(crate) products: Vec<Product>,
    /// Values between the operands and the result, in order.
    #[serde(default)]
    pub(crate) cut_points: Vec<CutPoint>,
    /// What words equal in all cases.
    #[serde(default)]
    pub(crate) equalities: Vec<Equality>,
    pub(crate) cases: Vec<Case>,
}

/// Words of the code whose number is a value between, and the largest that it may be.
#[derive(Debug, Deserialize)]
pub(crate) struct CutPoint {
    /// Of a formula: the number of the step whose value it is.
    pub(crate) step: Option<usize>,
    /// What words equal in all cases, shown before it.
    #[serde(default)]
    pub(crate) equalities: Vec<Equality>,
    pub(crate) words: Vec<usize>,
    pub(crate) high: Integer,
    pub(crate) cases: Vec<Case>,
}

/// A variable, a factor, and a constant: the product of the two is taken of a word that is congruent to
/// factor * variable modulo 2^64.
pub(crate) type Product = (usize, Integer, Integer);

#[derive(Debug, Deserialize)]
enum Format {
    #[serde(rename = "fieldc-certificate-1")]
    Known,
}

#[derive(Debug, Deserialize)]
pub(crate) struct Stated {
    pub(crate) operation: String,
    pub(crate) family: String,
    pub(crate) parameters: Parameters,
    /// Of a user's formula: its text.
    #[serde(default)]
    pub(crate) formula: Option<String>,
    pub(crate) p: Integer,
    pub(crate) limbs: usize,
    pub(crate) convention: String,
}

/// The numbers that choose one function of a family.
#[derive(Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Parameters {
    /// u^2 of a quadratic extension.
    pub(crate) beta: Option<i64>,
    /// Products in a sum.
    pub(crate) count: Option<usize>,
    pub(crate) factor: Option<i64>,
    /// How often a value is squared.
    pub(crate) squarings: Option<usize>,
    /// 1 where values below 2p are taken and given.
    pub(crate) lazy: Option<u8>,
}

impl Stated {
    /// The operation's name, made of its family and numbers: `fp2_mul_minus_5`, `mul_lazy`.
    pub(crate) fn name(&self) -> String {
        let Parameters { beta, count, factor, squarings, lazy } = &self.parameters;
        let mut name = self.family.clone();
        if let Some(beta) = beta.filter(|beta| *beta != -1) {
            name += if beta < 0 { "_minus" } else { "" };
            name += &format!("_{}", beta.unsigned_abs());
        }
        if let Some(count) = count.filter(|count| *count != 2) {
            name += &format!("_{count}");
        }
        for number in factor.iter().copied().chain(squarings.map(|count| count as i64)) {
            name += &format!("_{number}");
        }
        name + if lazy.is_some() { "_lazy" } else { "" }
    }
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
    /// Without `most`, of the least or the largest value.
    Bound { variable: usize, value: u64, bound: Bound, most: Option<Bound> },
    /// With a scale, a multiple of the variable is a multiple of it times 2^w.
    Residue { variable: usize, residue: Combination, scale: Option<Integer> },
}

/// A variable that equals a polynomial: their difference is at most 0 and at least 0.
#[derive(Debug, Deserialize)]
pub(crate) struct Equality {
    pub(crate) variable: usize,
    pub(crate) value: Polynomial,
    pub(crate) most: Bound,
    pub(crate) least: Bound,
    /// A word and a bit from which on its bits are the variable: word - 2^bit*value is at most
    /// 2^bit - 1 and at least 0.
    pub(crate) cut: Option<(usize, u64)>,
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
