//! Arkworks as published against arkworks on the kernels of fieldc, in one interleaved run.
//!
//! The same program is built twice: with the published ark-ff-macros, the assembly of ark-ff and
//! everything this processor has; and with the patch, and no flags. Both are then asked for timings
//! in turn.

mod build;
mod child;
mod table;

use std::error::Error;
use std::process::ExitCode;

use child::Child;
use table::Row;

/// Timings of each operation in each program.
const ROUNDS: usize = 25;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let json = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => None,
        ["--json", file] => Some(file),
        _ => {
            eprintln!("usage: make arkworks-demo [DEMO='--json FILE']");
            return ExitCode::from(2);
        }
    };
    match demonstrate(json) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn demonstrate(json: Option<&str>) -> Result<(), Box<dyn Error>> {
    let (mut stock, mut ours) = (Child::start(&build::stock()?)?, Child::start(&build::ours()?)?);
    if stock.operations != ours.operations {
        return Err("the two programs have different operations".into());
    }
    table::print_head();
    let mut rows = vec![];
    for (index, operation) in stock.operations.clone().into_iter().enumerate() {
        let mut pairs = vec![];
        // The first timing warms up and is not counted; then each program goes first in turn.
        for round in 0..=ROUNDS {
            let pair = if round % 2 == 0 {
                let first = stock.time(index)?;
                (first, ours.time(index)?)
            } else {
                let first = ours.time(index)?;
                (stock.time(index)?, first)
            };
            if round > 0 {
                pairs.push(pair);
            }
        }
        let row = Row::new(operation, &pairs);
        row.print();
        rows.push(row);
    }
    if let Some(file) = json {
        let rows: Vec<_> = rows.iter().map(Row::json).collect();
        let text = serde_json::to_string_pretty(&rows)? + "\n";
        std::fs::write(file, text).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(())
}
