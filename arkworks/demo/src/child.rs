//! A program that times an operation when it is asked to.

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{self, ChildStdin, ChildStdout, Command, Stdio};

pub(crate) struct Child {
    /// What it can time.
    pub(crate) operations: Vec<String>,
    process: process::Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Child {
    pub(crate) fn start(program: &Path) -> Result<Self, Box<dyn Error>> {
        let mut process =
            Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(questions), Some(answers)) = (process.stdin.take(), process.stdout.take()) else {
            return Err("a program without input and output".into());
        };
        let mut answers = BufReader::new(answers);
        let mut operations = vec![];
        loop {
            let name = line(&mut answers)?;
            if name.is_empty() {
                return Ok(Self { operations, process, questions, answers });
            }
            operations.push(name);
        }
    }

    /// Nanoseconds that an operation takes.
    pub(crate) fn time(&mut self, index: usize) -> Result<f64, Box<dyn Error>> {
        writeln!(self.questions, "{index}")?;
        Ok(line(&mut self.answers)?.parse()?)
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        // It waits for questions, or has ended.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn line(answers: &mut impl BufRead) -> Result<String, Box<dyn Error>> {
    let mut line = String::new();
    if answers.read_line(&mut line)? == 0 {
        return Err("a program that times has ended".into());
    }
    Ok(line.trim_end().to_owned())
}
