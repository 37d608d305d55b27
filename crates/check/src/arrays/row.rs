//! What a manifest says of kernels on arrays.

use crate::{Outcome, fail};
use object::{File, Object, ObjectSymbol};
use serde::Deserialize;
use std::collections::BTreeMap;

/// What the manifest says of one kernel on arrays, as far as it is checked.
#[derive(Debug, Deserialize)]
pub(crate) struct ArrayRow {
    symbol: String,
    pub(crate) object: String,
}

impl ArrayRow {
    /// Its object is among the files, by their paths, and has its function.
    pub(crate) fn is_there(&self, files: &BTreeMap<String, Vec<u8>>) -> Outcome<()> {
        let Self { symbol, object } = self;
        let data = files.get(object).ok_or(format!("{symbol}: there is no {object}"))?;
        let file = File::parse(data.as_slice()).map_err(|why| format!("{object}: {why}"))?;
        if file.symbols().any(|known| known.name() == Ok(symbol)) {
            return Ok(());
        }
        fail(format!("{object} has no function {symbol}"))
    }
}
