//! Builds of the program that times.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// The published crates, with the assembly of ark-ff, for this processor.
pub(crate) fn stock() -> Result<PathBuf, Box<dyn Error>> {
    build("stock", "stock/Cargo.toml", "-C target-cpu=native")
}

/// The patch, without flags.
pub(crate) fn ours() -> Result<PathBuf, Box<dyn Error>> {
    build("operations", "operations/Cargo.toml", "")
}

fn build(program: &str, manifest: &str, flags: &str) -> Result<PathBuf, Box<dyn Error>> {
    let target = Path::new(ROOT).join("target").join(program);
    let status = Command::new(env!("CARGO"))
        .args(["build", "--release", "--quiet", "--locked", "--manifest-path"])
        .arg(Path::new(ROOT).join(manifest))
        .env("CARGO_TARGET_DIR", &target)
        .env("RUSTFLAGS", flags)
        .status()?;
    if !status.success() {
        return Err(format!("{program} was not built").into());
    }
    Ok(target.join("release").join(format!("{program}{}", std::env::consts::EXE_SUFFIX)))
}
