//! Times operations when it is asked to: a line in, a line out.
//!
//! It prints the names of the operations and an empty line. Then for every line with an index it
//! prints the nanoseconds that the operation took, the mean over a batch.

mod signature;
#[cfg(test)]
mod tests;
mod timed;

use std::io::{BufRead, Write, stdin, stdout};
use std::time::{Duration, Instant};

/// How long a batch takes, about.
const BATCH: Duration = Duration::from_millis(20);

fn main() -> std::io::Result<()> {
    let mut operations = timed::all();
    for operation in &operations {
        println!("{}", operation.name);
    }
    println!();
    stdout().flush()?;
    let mut batches = vec![0; operations.len()];
    for line in stdin().lock().lines() {
        let asked =
            line?.trim().parse().ok().and_then(|index: usize| {
                Some((operations.get_mut(index)?, batches.get_mut(index)?))
            });
        let Some((operation, batch)) = asked else {
            eprintln!("no operation of that index");
            std::process::exit(2);
        };
        if *batch == 0 {
            *batch = calibrated(&mut operation.run);
        }
        let taken = time(&mut operation.run, *batch);
        println!("{}", taken.as_nanos() as f64 / *batch as f64);
        stdout().flush()?;
    }
    Ok(())
}

fn time(run: &mut dyn FnMut(u64), times: u64) -> Duration {
    let start = Instant::now();
    run(times);
    start.elapsed()
}

/// As many times as fill a batch.
fn calibrated(run: &mut dyn FnMut(u64)) -> u64 {
    let mut times = 1;
    loop {
        let taken = time(run, times);
        if taken >= BATCH / 4 {
            let each = taken.as_nanos().max(1) / u128::from(times);
            return u64::try_from(BATCH.as_nanos() / each.max(1)).unwrap_or(1).max(1);
        }
        times *= 2;
    }
}
