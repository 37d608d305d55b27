//! `fieldc-check DIR...` checks folders that `fieldc build` wrote, by their manifests;
//! `fieldc-check NAME.cert.json...` replays certificates, each for the object `NAME.o` beside it;
//! `fieldc-check --json DIR` says of each kernel of a folder what became of it; `--help` and
//! `--version` are answered.
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

mod aarch64;
mod arrays;
mod bounds;
mod certificate;
mod contract;
mod convention;
mod digest;
mod divsteps;
mod folder;
mod forms;
mod formula;
mod gathered;
mod linkable;
mod memory;
mod names;
mod needs;
mod object_code;
#[cfg(test)]
mod object_tests;
mod polynomial;
mod replay;
mod report;
mod routines;
mod stated;
mod system;
#[cfg(test)]
mod tests;
mod x86_64;

use certificate::{Certificate, CutPoint, Product, Proof, Stated};
use contract::Contract;
use formula::Formula;
use object::Architecture;
use polynomial::Polynomial;
use report::Report;
use routines::Routines;
use routines::Run;
use std::error::Error;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::process::ExitCode;
use std::slice;

const USAGE: &str = "usage: fieldc-check DIR|NAME.cert.json..., or fieldc-check --json DIR";
const VERSION: &str = concat!("fieldc-check ", env!("CARGO_PKG_VERSION"));

/// A result, or why there is none.
type Outcome<T> = Result<T, String>;

fn fail<T>(why: impl Into<String>) -> Outcome<T> {
    Err(why.into())
}

/// Replays a certificate for the function that it names in an object.
fn verify(certificate: &Certificate, object: &[u8]) -> Outcome<()> {
    let contract = Contract::new(&certificate.contract)?;
    let code = object_code::function(object, &certificate.symbol)?;
    if code.convention.name != certificate.contract.convention {
        return fail(format!("the object's convention is {}", code.convention.name));
    }
    let Certificate { proof, routines, contract: stated, .. } = certificate;
    if routines.is_empty() {
        return verify_code(code.bytes, &contract, proof);
    }
    let formula = stated.formula.as_ref().ok_or("routines of what is no formula")?;
    let called = Routines::new(routines, &contract);
    let run = run(code.bytes, &contract, Some(called), proof.stack, &[])?;
    let called = run.routines.ok_or("a call never returned")?;
    called.settle(&Formula::parsed(formula)?, &contract, &run.z)
}

/// Replays the cases of code without calls, from its first byte.
fn verify_code(code: &[u8], contract: &Contract, proof: &Proof) -> Outcome<()> {
    let mut run = run(code, contract, None, proof.stack, &proof.products)?;
    let mut contract = contract.clone();
    for CutPoint { step, equalities, words, high, cases } in &proof.cut_points {
        replay::extend(equalities, &contract, &mut run.system)?;
        let value = run.system.words(words)?;
        let until = contract.until(*step, &high.0)?;
        replay::replay(cases, &until, &run.system, slice::from_ref(&value))?;
        run.system.limit(words, &high.0);
        let value = Polynomial::number(value.into_iter());
        contract = contract.after(*step, value, high.0.clone())?;
    }
    replay::extend(&proof.equalities, &contract, &mut run.system)?;
    if contract.between > 0 {
        return fail("values between operands and result are missing");
    }
    replay::replay(&proof.cases, &contract, &run.system, &run.z)
}

/// Runs the code to its return, where it uses the stack that is stated.
fn run<'a>(
    code: &'a [u8],
    contract: &'a Contract,
    routines: Option<Routines<'a>>,
    stack: i64,
    products: &'a [Product],
) -> Outcome<Run<'a>> {
    let run = match contract.convention.architecture {
        Architecture::Aarch64 => aarch64::run(code, contract, routines, products)?,
        _ => x86_64::run(code, contract, routines)?,
    };
    if run.stack != stack {
        return fail(format!("the code uses {} bytes of stack", run.stack));
    }
    Ok(run)
}

/// Replays the certificate in a file, for the object beside it: what is proved.
fn check(path: &str) -> Result<String, Box<dyn Error>> {
    if !Path::new(path).exists() {
        return Err("there is no such file or folder".into());
    }
    let name = path.strip_suffix(".cert.json").ok_or("this is no folder and no NAME.cert.json")?;
    let text = gathered::regular(Path::new(path))?;
    let beside = format!("{name}.o");
    let object = gathered::regular(Path::new(&beside))
        .map_err(|why| format!("cannot read {beside}: {why}"))?;
    if let Some(certificate) = arrays::certificate_of(&text)? {
        arrays::verify_arrays(&certificate, &object)?;
        return Ok(certificate.to_string());
    }
    if let Some(certificate) = divsteps::certificate_of(&text)? {
        divsteps::verify_divsteps(&certificate, &object)?;
        let divsteps::DivstepCertificate { symbol, steps, convention, .. } = &certificate;
        return Ok(format!("{symbol}: {steps} divsteps, {convention}"));
    }
    let certificate: Certificate = serde_json::from_slice(&text)?;
    verify(&certificate, &object)?;
    let Certificate {
        symbol,
        contract: Stated { operation, formula, p, limbs, convention, .. },
        ..
    } = &certificate;
    let said = if formula.is_some() { ", a formula," } else { "" };
    Ok(format!("{symbol}: {operation}{said} mod {:#x}, {limbs} limbs, {convention}", p.0))
}

/// What holds of a certificate or a folder; or everything that is wrong.
fn answer(path: &str) -> Result<String, Vec<String>> {
    if !Path::new(path).is_dir() {
        return check(path).map(|p| format!("PROVED {p}")).map_err(|why| vec![why.to_string()]);
    }
    let report = folder::check(Path::new(path)).unwrap_or_else(Report::unread);
    let faults: Vec<_> = report.all_faults().cloned().collect();
    if faults.is_empty() { Ok(format!("CHECKED {path}: {report}")) } else { Err(faults) }
}

/// Prints what became of each kernel of a folder, as JSON.
fn print_rows(path: &str) -> ExitCode {
    let report = folder::check(Path::new(path)).unwrap_or_else(Report::unread);
    let is_said = serde_json::to_string(&report).is_ok_and(|text| say(&text));
    if is_said && report.all_faults().next().is_none() {
        return ExitCode::SUCCESS;
    }
    ExitCode::FAILURE
}

/// Writes a line to standard output; whether that could be done. Nobody need read it, as after
/// `| head`: the exit status says the same.
fn say(line: &str) -> bool {
    match writeln!(std::io::stdout(), "{line}") {
        Err(error) if error.kind() != ErrorKind::BrokenPipe => {
            eprintln!("FAILED to write: {error}");
            false
        }
        _ => true,
    }
}

/// 0 where everything holds, 1 where something does not, 2 where nothing is named.
fn main() -> ExitCode {
    let paths: Vec<String> = std::env::args().skip(1).collect();
    match &paths[..] {
        [] => {
            eprintln!("{USAGE}");
            return ExitCode::from(2);
        }
        [option] if ["-h", "--help", "--version"].contains(&option.as_str()) => {
            let is_said = say(if option == "--version" { VERSION } else { USAGE });
            return if is_said { ExitCode::SUCCESS } else { ExitCode::FAILURE };
        }
        [option, path] if option == "--json" => return print_rows(path),
        _ => {}
    }
    let mut status = ExitCode::SUCCESS;
    for path in &paths {
        match answer(path) {
            Ok(said) if say(&said) => {}
            Ok(_) => status = ExitCode::FAILURE,
            Err(faults) => {
                faults.iter().for_each(|why| eprintln!("FAILED {path}: {why}"));
                status = ExitCode::FAILURE;
            }
        }
    }
    status
}
