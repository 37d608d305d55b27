//! What a manifest's row says that no certificate has: its representation, and its texts' words.

use crate::{Outcome, fail};
use std::collections::BTreeMap;

/// Families that are the same however residues stand for numbers.
const SHARED: [&str; 9] = [
    "add",
    "sub",
    "neg",
    "double",
    "mul_by",
    "mul_u64",
    "mul_u128",
    "divstep_update",
    "divstep_de",
];

/// Operations on residues that stand for themselves.
const PLAIN: [&str; 6] = [
    "mul_plain",
    "square_plain",
    "sum_of_products_plain",
    "reduce",
    "mul_plain_lazy",
    "square_plain_lazy",
];

/// Refuses another representation than the operation's.
pub(crate) fn is_represented(op: &str, family: &str, stated: Option<&str>) -> Outcome<()> {
    let expected = match op {
        _ if SHARED.contains(&family) || op == "reduce_lazy" => None,
        _ if PLAIN.contains(&op) => Some("plain"),
        _ => Some("montgomery"),
    };
    if stated != expected {
        let (said, of) = (stated.unwrap_or("null"), expected.unwrap_or("null"));
        return fail(format!("its representation is {said}, and that of {op} is {of}"));
    }
    Ok(())
}

/// Refuses texts beside an object that are said to be more than TESTED: nobody proves them.
pub(crate) fn are_tested(texts: &BTreeMap<String, String>) -> Outcome<()> {
    let is_known = |word: &str| word == "TESTED" || word.starts_with("SKIPPED(");
    match texts.iter().find(|(_, word)| !is_known(word)) {
        Some((path, word)) => fail(format!("it says {word} of {path}")),
        None => Ok(()),
    }
}
