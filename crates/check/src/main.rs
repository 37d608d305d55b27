//! `fieldc-check NAME.cert.json...`: replays certificates of `fieldc`, each for the object `NAME.o`
//! beside it.
//!
//! Reads the object's bytes with a decoder and semantics of its own and verifies the linear
//! combinations that the certificate states; no search. `fieldc/proof/certificate.py` describes the
//! format. Every claim has the form
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

use certificate::{Certificate, Stated};
use contract::Contract;
use object::{Architecture, File, Object, ObjectSection, ObjectSymbol, SectionKind};
use std::path::Path;
use std::process::ExitCode;

/// A result, or why there is none.
type Outcome<T> = Result<T, String>;

fn fail<T>(why: impl Into<String>) -> Outcome<T> {
    Err(why.into())
}

/// The bytes of a function's section, and where in them it begins.
fn function<'a>(object: &'a [u8], symbol: &str) -> Outcome<(&'a [u8], usize)> {
    let unreadable = |error: object::Error| format!("object: {error}");
    let file = File::parse(object).map_err(unreadable)?;
    let found = file.symbol_by_name(symbol);
    let found = found.or_else(|| file.symbol_by_name(&format!("_{symbol}"))); // Mach-O
    let place = found.filter(|f| f.is_global() && file.architecture() == Architecture::X86_64);
    let Some((place, index)) = place.and_then(|f| Some((f.address(), f.section_index()?))) else {
        return fail(format!("object: no x86-64 function {symbol}"));
    };
    let section = file.section_by_index(index).map_err(unreadable)?;
    if section.kind() != SectionKind::Text || section.relocations().next().is_some() {
        return fail("object: the linker changes the function's section, or it is no code");
    }
    let start = place.checked_sub(section.address()).and_then(|start| start.try_into().ok());
    let start = start.ok_or("object: the function is outside its section")?;
    Ok((section.data().map_err(unreadable)?, start))
}

/// Verifies that an object's function does what a certificate says.
fn check(certificate: &Certificate, object: &[u8]) -> Outcome<()> {
    let contract = Contract::new(&certificate.contract)?;
    let (code, start) = function(object, &certificate.symbol)?;
    let (system, z) = machine::run(code, start, &contract)?;
    replay::replay(certificate, &contract, &system, &z)
}

fn read(path: &Path) -> Outcome<Vec<u8>> {
    std::fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

fn read_both(path: &str) -> Outcome<(Certificate, Vec<u8>)> {
    let Some(name) = path.strip_suffix(".cert.json") else {
        return fail(format!("{path} is no NAME.cert.json"));
    };
    let text = read(path.as_ref())?;
    let certificate = serde_json::from_slice(&text).map_err(|error| format!("{path}: {error}"))?;
    Ok((certificate, read(format!("{name}.o").as_ref())?))
}

/// 2 where a file cannot be read, else 1 where a claim does not hold, else 0.
fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    let mut status = 0;
    for path in &paths {
        let (certificate, object) = match read_both(path) {
            Ok(both) => both,
            Err(why) => {
                eprintln!("fieldc-check: {why}");
                return ExitCode::from(2);
            }
        };
        let symbol = &certificate.symbol;
        let Stated { operation, p, limbs, convention } = &certificate.contract;
        match check(&certificate, &object) {
            Ok(()) => {
                println!("PROVED {symbol}: {operation} mod {:#x}, {limbs} limbs, {convention}", p.0)
            }
            Err(why) => {
                eprintln!("FAILED {symbol}: {why}");
                status = 1;
            }
        }
    }
    if paths.is_empty() {
        eprintln!("usage: fieldc-check NAME.cert.json...");
        status = 2;
    }
    ExitCode::from(status)
}
