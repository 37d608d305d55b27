//! The implementations that race: a module each, whose table of operations has a line a row.
//!
//! A new operation is a line in the tables of those who have it, a name in
//! [`OPERATIONS`](crate::fields::OPERATIONS), and what it must satisfy in
//! [`Field::holds`](crate::fields::Field::holds). An element may be anything that a step works on.

mod arkworks;
mod blst;
mod crypto_bigint;
mod curve25519_dalek;
#[cfg(target_arch = "x86_64")]
mod gnark;
mod halo2curves;
mod k256;
mod num_bigint;
mod ours;
mod p256;
mod p521;
mod pasta_curves;
mod plonky3;
mod points;
mod texts;
mod towers;
#[cfg(target_arch = "x86_64")]
mod words;
mod x25519;

use crate::curves;
use crate::entry::Entry;
pub use crate::entry::OURS;
use crate::options::Options;

/// All peers' rows that the options ask for, ours first; `skipped` says who cannot run, and why.
pub fn entries(options: &Options, skipped: &mut Vec<String>) -> Vec<Entry> {
    let mut entries = Vec::new();
    ours::enter(&mut entries);
    texts::enter(&mut entries);
    if let Err(reason) = texts::enter_with_bmi2(&mut entries) {
        skipped.push(format!("rust-intrinsics, llvm-wide and llvm-bmi2: {reason}"));
    }
    #[cfg(target_arch = "x86_64")]
    if let Err(reason) = words::enter(&mut entries) {
        skipped.push(format!("arrays of 32-bit words: {reason}"));
    }
    blst::enter(&mut entries);
    arkworks::enter(&mut entries);
    halo2curves::enter(&mut entries);
    crypto_bigint::enter(&mut entries);
    k256::enter(&mut entries);
    p256::enter(&mut entries);
    p521::enter(&mut entries);
    pasta_curves::enter(&mut entries);
    curve25519_dalek::enter(&mut entries);
    plonky3::enter(&mut entries);
    num_bigint::enter(&mut entries);
    points::enter(&mut entries);
    towers::enter(&mut entries);
    x25519::enter(&mut entries);
    #[cfg(target_arch = "x86_64")]
    if options.wants_peer("gnark-crypto")
        && let Err(reason) = gnark::enter(&mut entries)
    {
        skipped.push(format!("gnark-crypto: {reason}"));
    }
    #[cfg(not(target_arch = "x86_64"))]
    skipped.push("gnark-crypto: its loops are timed on x86-64 only".into());
    if options.wants_curves()
        && let Err(reason) = curves::enter(&mut entries, &curves::OPERATIONS)
    {
        skipped.push(format!("curves through arkworks: {reason}"));
    }
    entries.retain(|entry| options.wants(entry));
    entries
}

/// The version of a package in the workspace's lock file.
fn version(package: &str, major: &str) -> &'static str {
    crate::entry::version(include_str!("../../../../Cargo.lock"), package, major)
}
