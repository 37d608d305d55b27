//! Other objects that have a kernel on arrays: their bytes are those of the row's object.

use crate::object_code::function;
use crate::{Outcome, fail};
use object::{File, Object, ObjectSymbol};
use std::collections::{BTreeMap, BTreeSet};

const ENDINGS: [&str; 2] = [".o", ".obj"];

/// The objects of a folder by the symbols that they have.
pub(crate) struct Objects<'a> {
    files: &'a BTreeMap<String, Vec<u8>>,
    by_symbol: BTreeMap<String, BTreeSet<&'a str>>,
    unreadable: Vec<&'a str>,
}

impl<'a> Objects<'a> {
    /// Of a folder's files by their paths.
    pub(crate) fn new(files: &'a BTreeMap<String, Vec<u8>>) -> Self {
        let mut by_symbol: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
        let mut unreadable = Vec::new();
        let is_object = |path: &str| ENDINGS.iter().any(|end| path.ends_with(end));
        for (path, data) in files.iter().filter(|(path, _)| is_object(path)) {
            let Ok(file) = File::parse(data.as_slice()) else {
                unreadable.push(path.as_str());
                continue;
            };
            for name in file.symbols().filter_map(|symbol| symbol.name().ok().map(str::to_string)) {
                if let Some(bare) = name.strip_prefix('_') {
                    by_symbol.entry(bare.to_string()).or_default().insert(path.as_str());
                }
                by_symbol.entry(name).or_default().insert(path.as_str());
            }
        }
        Self { files, by_symbol, unreadable }
    }

    /// Whether one has a symbol. An object that cannot be read may have any whose name it holds.
    pub(crate) fn have(&self, symbol: &str) -> bool {
        self.by_symbol.contains_key(symbol) || self.unreadable_with(symbol).is_some()
    }

    fn unreadable_with(&self, symbol: &str) -> Option<&&'a str> {
        let holds = |data: &[u8]| data.windows(symbol.len()).any(|at| at == symbol.as_bytes());
        self.unreadable.iter().find(|path| self.files.get(**path).is_some_and(|data| holds(data)))
    }

    /// Refuses other objects whose function of this name has other bytes than an object's.
    pub(crate) fn are_same(&self, object: &str, symbol: &str) -> Outcome<()> {
        if let Some(path) = self.unreadable_with(symbol) {
            return fail(format!("{path} cannot be read, and it holds the name {symbol}"));
        }
        let Some(paths) = self.by_symbol.get(symbol) else {
            return Ok(());
        };
        let file = |path: &str| self.files.get(path).ok_or(format!("there is no {path}"));
        let proved = function(file(object)?, symbol)?.bytes;
        for path in paths.iter().filter(|path| **path != object) {
            let here = function(file(path)?, symbol).map_err(|why| format!("{path}: {why}"))?;
            if !here.bytes.starts_with(proved) {
                return fail(format!(
                    "{path} has other bytes of {symbol} than those that are proved"
                ));
            }
        }
        Ok(())
    }
}
