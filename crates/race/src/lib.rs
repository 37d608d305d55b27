//! Races the crate `fieldc` against other implementations of the same fields.
//!
//! ```text
//! cd crates/race && cargo bench --bench race -- --field bn254-p --op mul,square
//! ```
//!
//! All rows of a run are measured in turns, a slice of each in every round (see [`timing`]), in
//! the same loop (see [`chain`]). Before the clock starts, every operation of every peer is
//! compared with ours, limb for limb (see [`agree`]). Five rows are ours too, what rustc and LLVM
//! make of the same algorithms: `rust-looped`, `rust-flat`, `rust-intrinsics`, `llvm-wide` and
//! `llvm-bmi2`; fieldc prints them into `src/texts`. Operations on arrays have loops of their own (see
//! [`arrays`]). Towers, points and pairings are compared with each other (see [`towers`]). Operations
//! of curves are raced through arkworks too, as published and on our kernels (see [`curves`]). What a row compares is in its kind:
//! `called` or `inlined`, `canonical` or `lazy` (see [`entry`]).
//!
//! In this folder `.cargo/config.toml` compiles for the processor at hand, as arkworks needs it;
//! from elsewhere its assembly is left out and its rows say `rust`.

pub mod agree;
pub mod array_operations;
pub mod arrays;
pub mod chain;
pub mod clock;
pub mod curves;
pub mod entry;
pub mod fields;
pub mod operand;
pub mod options;
#[cfg(feature = "peers")]
pub mod peers;
pub mod remote;
pub mod report;
pub mod results;
#[cfg(feature = "peers")]
mod texts;
pub mod timing;
pub mod towers;

use std::io::{ErrorKind, Write};
use std::process::ExitCode;

use entry::Entry;
use options::Options;

/// Checks, races and prints what the arguments ask for.
///
/// `list` gives the rows for some options, and says who cannot run, and why. The status is 2 for
/// arguments that make no sense, and 1 where a peer disagrees or nothing can be timed.
pub fn run(
    arguments: impl Iterator<Item = String>,
    list: impl Fn(&Options, &mut Vec<String>) -> Vec<Entry>,
) -> ExitCode {
    let read = |options: Options| options.check_file().map(|()| options);
    let options = match Options::parse(arguments).and_then(read) {
        Ok(options) => options,
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    if options.is_help {
        return status(say(&format!("{}\n", options::USAGE)));
    }
    let mut skipped = Vec::new();
    let entries = list(&options, &mut skipped);
    status(race(&options, entries, skipped))
}

/// Writes to standard output. That nobody reads on, as after `| head`, is no error.
fn say(text: &str) -> Result<(), String> {
    say_to(&mut std::io::stdout(), text)
}

fn say_to(out: &mut impl Write, text: &str) -> Result<(), String> {
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(format!("standard output: {e}")),
        _ => Ok(()),
    }
}

fn status(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::FAILURE
        }
    }
}

fn race(options: &Options, mut entries: Vec<Entry>, skipped: Vec<String>) -> Result<(), String> {
    if entries.is_empty() {
        let reasons: String = skipped.iter().map(|reason| format!("; skipped {reason}")).collect();
        return Err(format!("no peer has such a row{reasons}"));
    }
    let total = entries.len();
    for (done, entry) in entries.iter_mut().enumerate() {
        progress("check", done, total);
        if !curves::is_of_curves(entry.op) {
            agree::check(entry, options.checks, options.seed)?;
        }
    }
    curves::agree(&mut entries, options.checks, options.seed)?;
    let (rounds, seed, operands) = (options.rounds, options.seed, options.operands);
    let race = timing::measure(&mut entries, rounds, seed, operands, |done, total| {
        progress("race", done, total);
    })?;
    eprintln!();
    if options.json == Some(None) {
        // The rows alone go to standard output.
        skipped.iter().for_each(|reason| eprintln!("SKIPPED {reason}"));
    }
    let report = report::Report::new(&entries, race, skipped);
    match &options.json {
        None => say(&report.to_string())?,
        Some(None) => say(&(report.json() + "\n"))?,
        Some(Some(file)) => {
            let written = std::fs::write(file, report.json() + "\n");
            say(&report.to_string())?;
            written.map_err(|e| format!("{file}: {e}"))?;
        }
    }
    Ok(())
}

fn progress(what: &str, done: usize, total: usize) {
    use std::io::IsTerminal;
    if std::io::stderr().is_terminal() {
        eprint!("\r{what} {done}/{total}   ");
    } else if done == 0 {
        eprint!("{what} {total} ... ");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What fails with an error.
    struct Closed(ErrorKind);

    impl Write for Closed {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(self.0.into())
        }

        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_reader_may_stop_and_a_full_disk_is_said() {
        assert_eq!(say_to(&mut Closed(ErrorKind::BrokenPipe), "row"), Ok(()));
        let full = say_to(&mut Closed(ErrorKind::StorageFull), "row");
        assert!(full.unwrap_err().starts_with("standard output: "));
        assert_eq!(say_to(&mut Vec::new(), "row"), Ok(()));
    }
}
