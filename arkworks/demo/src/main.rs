//! Arkworks as published against arkworks on the kernels of fieldc: what `crates/race` has of it, and
//! products and squares of the base fields too.

use std::process::ExitCode;

use race::curves;
use race::entry::Entry;
use race::fields::OPERATIONS;
use race::options::Options;

fn main() -> ExitCode {
    race::run(std::env::args().skip(1), entries)
}

fn entries(options: &Options, skipped: &mut Vec<String>) -> Vec<Entry> {
    let mut entries = vec![];
    let operations = [&OPERATIONS[..], &curves::OPERATIONS[..]].concat();
    if let Err(reason) = curves::enter(&mut entries, &operations) {
        skipped.push(reason);
    }
    entries.retain(|entry| options.wants(entry));
    entries
}
