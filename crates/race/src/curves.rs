//! What curves do with their fields: arkworks as published against arkworks on our kernels.
//!
//! Cargo links one `ark-ff` into a program, so each is a program of its own: the same source,
//! `arkworks/operations`, built with the published macros, the assembly of ark-ff and everything
//! that this processor has, and built with our patch and no flags. They are raced like every row:
//! the same loops, clock and rounds (see [`remote`](crate::remote)). The crate `fieldc` has no
//! curves, so before the clock starts the two must agree with each other, limb for limb.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::entry::Range::Canonical;
use crate::entry::{Call, Entry, PATCHED, Peer, Rows, version};
use crate::fields::{self, FIELDS, Field, Random};
use crate::operand::{Form, Operand};
use crate::remote::{Program, Remote};
use crate::towers;

/// What is raced: a product in the quadratic extension, a pairing, multi-scalar multiplications of
/// 2^12 and 2^14 points, the verification of a BLS signature, a transform of 2^14 scalars, and a
/// Groth16 proof of 2^14 - 2 constraints with its verification.
pub const OPERATIONS: [&str; 8] = [
    "fp2_mul",
    "pairing",
    "msm_4096",
    "msm_16384",
    "verify",
    "transform_16384",
    "groth16_prove",
    "groth16_verify",
];

/// Whether an operation is one of curves, of which rows are compared with each other.
pub fn is_of_curves(op: &str) -> bool {
    OPERATIONS.contains(&op) || towers::OPERATIONS.contains(&op)
}

/// Base fields of the curves.
pub(crate) const CURVES: [&str; 2] = ["bls12-381-p", "bn254-p"];
/// Arkworks as published.
pub(crate) const STOCK: &str = "arkworks";
/// Operands that each check of an operation takes that takes long.
const FEW: usize = 4;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../arkworks");
const LOCK: &str = include_str!("../../../arkworks/stock/Cargo.lock");

/// The rows of these operations, after both programs were built.
pub fn enter(entries: &mut Vec<Entry>, operations: &[&str]) -> Result<(), String> {
    let stock = build("stock", "-C target-cpu=native")?;
    patch()?;
    let patched = build("operations", "")?;
    let algorithm = if crate::clock::has_adx() { "assembly, adx" } else { "rust" };
    let peer = Peer { name: PATCHED, version: env!("CARGO_PKG_VERSION"), algorithm: kernels() };
    rows(entries, operations, &patched, peer)?;
    let peer = Peer { name: STOCK, version: version(LOCK, "ark-ff", ""), algorithm };
    rows(entries, operations, &stock, peer)
}

/// The crate's kernels that this processor gets.
pub fn kernels() -> &'static str {
    match fieldc::Kernels::current() {
        fieldc::Kernels::Adx
        | fieldc::Kernels::AdxAvx2
        | fieldc::Kernels::Avx512f
        | fieldc::Kernels::AdxAvx512Ifma => "assembly, adx",
        fieldc::Kernels::Mulx | fieldc::Kernels::Avx2 | fieldc::Kernels::Avx512Ifma => "assembly",
        _ => "rust",
    }
}

fn rows(
    entries: &mut Vec<Entry>,
    operations: &[&str],
    program: &Path,
    peer: Peer,
) -> Result<(), String> {
    let program = Program::start(&mut Command::new(program))?;
    let names = program.borrow_mut().ask("rows");
    let names: Vec<&str> = names.split(' ').collect();
    let known = || fields::OPERATIONS.iter().chain(&OPERATIONS);
    for row in names.chunks_exact(3) {
        let field = FIELDS.iter().find(|field| field.name == row[0]);
        let (Some(field), Some(op), Ok(turn)) =
            (field, known().find(|op| **op == row[1]), row[2].parse())
        else {
            return Err(format!("no field and operation {} {}", row[0], row[1]));
        };
        if operations.contains(op) {
            let runner = Remote::new(&program, field, op, Form::Plain).in_turns_of(turn);
            Rows::new(entries, field, peer).add(op, Call::Called, Canonical, Box::new(runner));
        }
    }
    Ok(())
}

/// Writes the crates of arkworks with calls of fieldc, which the workspace of arkworks/ needs.
fn patch() -> Result<(), String> {
    let tool = Path::new(ROOT).join("patched/write.py");
    for release in ["0.6", "0.5"] {
        let mut python = Command::new("python3");
        python
            .arg(&tool)
            .args(["--release", release])
            .arg(Path::new(ROOT).join("target").join(release));
        match python.status() {
            Ok(status) if status.success() => {}
            Ok(_) => return Err(format!("arkworks {release} was not patched")),
            Err(error) => return Err(format!("no python3 command: {error}")),
        }
    }
    Ok(())
}

fn build(program: &str, flags: &str) -> Result<PathBuf, String> {
    let manifest = Path::new(ROOT).join(program).join("Cargo.toml");
    if !manifest.exists() {
        return Err(format!("there is no {}", manifest.display()));
    }
    let target = Path::new(ROOT).join("target").join(program);
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    eprintln!("arkworks/{program}: cargo builds it, the first time for minutes");
    let status = Command::new(cargo)
        .args(["build", "--release", "--locked", "--manifest-path"])
        .arg(manifest)
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTFLAGS", flags)
        .status();
    match status {
        Ok(status) if status.success() => {
            let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
            Ok(target.join("release").join(name))
        }
        Ok(_) => Err(format!("arkworks/{program} was not built")),
        Err(error) => Err(format!("no cargo command: {error}")),
    }
}

/// Checks that all rows of an operation have the same results.
///
/// The message names the operation, the peer and the operands of the first difference.
pub fn agree(entries: &mut [Entry], checks: usize, seed: u64) -> Result<(), String> {
    for last in 1..entries.len() {
        let (before, after) = entries.split_at_mut(last);
        let entry = &mut after[0];
        let same = |e: &&mut Entry| (e.field, e.op) == (entry.field, entry.op);
        if !is_of_curves(entry.op) {
            continue;
        }
        let Some(first) = before.iter_mut().find(same) else { continue };
        let short = entry.op == "fp2_mul" || entry.op.starts_with("fp12");
        for (x, y) in operands(entry.field, if short { checks } else { FEW }, seed) {
            let (expected, found) = (first.runner.apply(&x, &y), entry.runner.apply(&x, &y));
            if expected != found {
                return Err(format!(
                    "{}: {} of {} and {} disagree: x = {:x?}, y = {:x?} in Montgomery form, found \
                     {expected:x?} and {found:x?}",
                    entry.field.name,
                    entry.op,
                    first.peer.name,
                    entry.peer.name,
                    x.montgomery,
                    y.montgomery,
                ));
            }
        }
    }
    Ok(())
}

/// Edge values against each other, and as many random ones; of each at most `count`.
fn operands(field: &Field, count: usize, seed: u64) -> Vec<(Operand, Operand)> {
    let edges = field.edges();
    let pairs = edges.iter().flat_map(|x| edges.iter().rev().map(move |y| (x.clone(), y.clone())));
    let mut source = Random::new(seed);
    let random = (0..count).map(|_| (field.random(&mut source), field.random(&mut source)));
    pairs.take(count).chain(random).collect()
}
