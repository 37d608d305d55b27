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
mod narrow;
mod polynomial;
mod replay;
mod system;
#[cfg(test)]
mod tests;

use certificate::{Certificate, Stated};
use contract::Contract;
use object::elf::STT_GNU_IFUNC;
use object::{
    Architecture, File, Object, ObjectKind, ObjectSection, ObjectSymbol, SectionKind, SymbolFlags,
};
use std::error::Error;
use std::process::ExitCode;

/// A result, or why there is none.
type Outcome<T> = Result<T, String>;

fn fail<T>(why: impl Into<String>) -> Outcome<T> {
    Err(why.into())
}

/// The bytes from a function to the next symbol: none of them is changed or moved by a linker.
fn function<'a>(object: &'a [u8], symbol: &str) -> Result<&'a [u8], Box<dyn Error>> {
    let file = File::parse(object)?;
    if file.kind() != ObjectKind::Relocatable || file.architecture() != Architecture::X86_64 {
        return Err("this is no relocatable object for x86-64".into());
    }
    let found = file.symbol_by_name(symbol);
    let found = found.or_else(|| file.symbol_by_name(&format!("_{symbol}"))); // Mach-O
    let missing = || format!("the object has no function {symbol} for others");
    let found = found.filter(|f| f.is_global() && !f.is_weak()).ok_or_else(missing)?;
    if let SymbolFlags::Elf { st_info, .. } = found.flags()
        && st_info.st_type() == STT_GNU_IFUNC
    {
        return Err("the symbol names what chooses the function".into());
    }
    let (address, index) = (found.address(), found.section_index().ok_or_else(missing)?);
    let section = file.section_by_index(index)?;
    if section.kind() != SectionKind::Text || section.relocations().next().is_some() {
        return Err("the linker changes the function's section, or it is no code".into());
    }
    let inside = file.symbols().filter(|s| s.section_index() == Some(index));
    let next = inside.map(|s| s.address()).filter(|other| *other > address).min();
    let size = next.unwrap_or(section.address() + section.size()).saturating_sub(address);
    Ok(section.data_range(address, size)?.ok_or_else(missing)?)
}

/// Replays the certificate in a file, for the object beside it: what is proved.
fn check(path: &str) -> Result<String, Box<dyn Error>> {
    let name = path.strip_suffix(".cert.json").ok_or("this is no NAME.cert.json")?;
    let certificate: Certificate = serde_json::from_slice(&std::fs::read(path)?)?;
    let object = std::fs::read(format!("{name}.o"))?;
    let contract = Contract::new(&certificate.contract)?;
    let code = function(&object, &certificate.symbol)?;
    let (system, z) = machine::run(code, &contract)?;
    replay::replay(&certificate.cases, &contract, &system, &z)?;
    let Certificate { symbol, contract: Stated { operation, p, limbs, convention, .. }, .. } =
        &certificate;
    Ok(format!("{symbol}: {operation} mod {:#x}, {limbs} limbs, {convention}", p.0))
}

/// 0 where every certificate is replayed, 1 where one is not, 2 where none is named.
fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    if paths.is_empty() {
        eprintln!("usage: fieldc-check NAME.cert.json...");
        return ExitCode::from(2);
    }
    let mut status = ExitCode::SUCCESS;
    for path in &paths {
        match check(path) {
            Ok(proved) => println!("PROVED {proved}"),
            Err(why) => {
                eprintln!("FAILED {path}: {why}");
                status = ExitCode::FAILURE;
            }
        }
    }
    status
}
