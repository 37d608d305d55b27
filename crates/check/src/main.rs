//! `fieldc-check CERTIFICATE [CODE]`: verifies a certificate, and that its code is the file's.

use fieldc_check::{Failure, check};
use std::process::ExitCode;

fn read(path: &str) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::Input(format!("{path}: {error}")))
}

fn answer(arguments: &[String]) -> Result<String, Failure> {
    let (certificate, code) = match arguments {
        [certificate] => (certificate, None),
        [certificate, code] => (certificate, Some(read(code)?)),
        _ => {
            return Err(Failure::Input("usage: fieldc-check CERTIFICATE [CODE]".to_string()));
        }
    };
    let text = String::from_utf8(read(certificate)?)
        .map_err(|error| Failure::Input(format!("{certificate}: {error}")))?;
    check(&text, code.as_deref())
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match answer(&arguments) {
        Ok(proved) => {
            println!("PROVED {proved}");
            ExitCode::SUCCESS
        }
        Err(Failure::Claim(claim)) => {
            eprintln!("FAILED {claim}");
            ExitCode::from(1)
        }
        Err(Failure::Input(what)) => {
            eprintln!("fieldc-check: {what}");
            ExitCode::from(2)
        }
    }
}
