//! Writes inputs to begin with into a folder: `cargo run -p fieldc-fuzz --example seeds -- FOLDER`.

use std::fs;
use std::io::{Error, ErrorKind, Result};
use std::path::PathBuf;

fn main() -> Result<()> {
    let usage = || {
        Error::new(
            ErrorKind::InvalidInput,
            "name the folder that gets the inputs",
        )
    };
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or_else(usage)?);
    fs::create_dir_all(&folder)?;
    // One of four has all fields and kernels, and slow targets get beyond them in a minute.
    for (number, input) in fieldc_fuzz::seeds(1, 4).iter().step_by(4).enumerate() {
        fs::write(folder.join(format!("{number:05}")), input)?;
    }
    Ok(())
}
