//! Rows whose code is in another process, and the side of that process.
//!
//! The other process works on the same processor, runs the loops itself and reads the same
//! time-stamp counter, so what is timed has no message in it. A request is a line, and so is its
//! answer; limbs are those of Montgomery forms, in hexadecimal:
//!
//! ```text
//! rows                            the rows that there are: FIELD OP TURN ..
//! move CPU                        works on this processor from now on
//! load FIELD MODE X.. Y..         operands moving or fixed: 16 values of x, then those of y
//! apply FIELD OP X Y              the limbs of the result, in the form of the row
//! run FIELD OP MODE STEPS         ticks
//! ```

use std::cell::RefCell;
use std::collections::HashMap;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdout, Command, ExitCode, Stdio};
use std::rc::Rc;

use crate::chain::{Mode, Operands, RING, Runner, Start};
use crate::clock;
use crate::fields::{FIELDS, Field};
use crate::operand::{Form, Operand};

/// The other process. It ends when its input does.
pub struct Program {
    child: Child,
    answers: BufReader<ChildStdout>,
    /// What each field was last loaded with.
    loaded: HashMap<&'static str, String>,
}

impl Program {
    /// Starts it.
    pub fn start(command: &mut Command) -> Result<Rc<RefCell<Self>>, String> {
        let child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| format!("its program does not start: {error}"))?;
        let answers = BufReader::new(child.stdout.take().expect("a pipe"));
        Ok(Rc::new(RefCell::new(Self { child, answers, loaded: HashMap::new() })))
    }

    /// Its answer to a request.
    ///
    /// # Panics
    /// When it has ended: it says why itself.
    pub fn ask(&mut self, request: &str) -> String {
        let input = self.child.stdin.as_mut().expect("a pipe");
        let mut line = String::new();
        let sent = writeln!(input, "{request}").and_then(|()| input.flush());
        let read = sent.and_then(|()| self.answers.read_line(&mut line));
        assert!(read.is_ok_and(|bytes| bytes > 0), "a program of the race has ended");
        line.trim_end().to_owned()
    }

    fn load(&mut self, field: &'static str, request: &str) {
        if self.loaded.get(field).is_none_or(|last| last != request) {
            self.ask(request);
            self.loaded.insert(field, request.to_owned());
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // A program that is gone already is as good.
        let _ = self.child.wait();
    }
}

/// A row of another process.
pub struct Remote {
    program: Rc<RefCell<Program>>,
    field: &'static Field,
    op: &'static str,
    form: Form,
    turn: u64,
    load: String,
}

impl Remote {
    /// The row of this field and operation, whose results have this form.
    pub fn new(
        program: &Rc<RefCell<Program>>,
        field: &'static Field,
        op: &'static str,
        form: Form,
    ) -> Self {
        let (program, load) = (program.clone(), String::new());
        Self { program, field, op, form, turn: RING as u64, load }
    }

    /// The same in turns of so many steps.
    pub fn in_turns_of(self, turn: u64) -> Self {
        Self { turn, ..self }
    }
}

fn show(limbs: &[u64]) -> String {
    limbs.iter().map(|limb| format!("{limb:x}")).collect::<Vec<_>>().join(",")
}

fn limbs(text: &str) -> Option<Vec<u64>> {
    text.split(',').map(|limb| u64::from_str_radix(limb, 16).ok()).collect()
}

impl Runner for Remote {
    fn apply(&mut self, x: &Operand, y: &Operand) -> Vec<u64> {
        let (field, op) = (self.field.name, self.op);
        let (x, y) = (show(&x.montgomery), show(&y.montgomery));
        let answer = self.program.borrow_mut().ask(&format!("apply {field} {op} {x} {y}"));
        limbs(&answer).expect("limbs in hexadecimal")
    }

    fn form(&self) -> Form {
        self.form
    }

    fn start_from(&mut self, start: &Start) {
        let values: Vec<String> =
            start.x.iter().chain(&start.y).map(|o| show(&o.montgomery)).collect();
        let (field, mode) = (self.field.name, start.operands.name());
        self.load = format!("load {field} {mode} {}", values.join(" "));
    }

    fn turn(&self) -> u64 {
        self.turn
    }

    fn run(&mut self, mode: Mode, steps: u64) -> u64 {
        let mut program = self.program.borrow_mut();
        program.load(self.field.name, &self.load);
        let request = format!("run {} {} {} {steps}", self.field.name, self.op, mode.name());
        program.ask(&request).parse().expect("ticks")
    }

    fn move_to(&mut self, processor: usize) {
        self.program.borrow_mut().ask(&format!("move {processor}"));
    }
}

/// A row of this process for another that asks.
pub struct Served {
    /// The field of its operands.
    pub field: &'static Field,
    /// The operation.
    pub op: &'static str,
    /// What computes it.
    pub runner: Box<dyn Runner>,
}

/// Answers requests until there are no more.
pub fn serve(mut rows: Vec<Served>) -> ExitCode {
    for line in std::io::stdin().lines() {
        let Some(answer) = line.ok().and_then(|line| answer(&mut rows, &line)) else {
            eprintln!("a request that makes no sense; `cargo bench -p race` asks the right ones");
            return ExitCode::from(2);
        };
        println!("{answer}");
    }
    ExitCode::SUCCESS
}

fn answer(rows: &mut [Served], request: &str) -> Option<String> {
    match request.split_whitespace().collect::<Vec<_>>()[..] {
        ["rows"] => Some(names(rows)),
        ["move", processor] => {
            clock::pin(processor.parse().ok()?);
            Some("moved".into())
        }
        ["load", field, mode, ref values @ ..] => load(rows, field, mode, values),
        ["apply", field, op, x, y] => {
            let (x, y) = (operand(field, x)?, operand(field, y)?);
            Some(show(&find(rows, field, op)?.runner.apply(&x, &y)))
        }
        ["run", field, op, mode, steps] => {
            let (mode, steps) = (Mode::named(mode)?, steps.parse().ok()?);
            Some(find(rows, field, op)?.runner.run(mode, steps).to_string())
        }
        _ => None,
    }
}

fn names(rows: &[Served]) -> String {
    let name = |row: &Served| format!("{} {} {}", row.field.name, row.op, row.runner.turn());
    rows.iter().map(name).collect::<Vec<_>>().join(" ")
}

fn load(rows: &mut [Served], field: &str, mode: &str, values: &[&str]) -> Option<String> {
    let values: Option<Vec<Operand>> = values.iter().map(|text| operand(field, text)).collect();
    let (mut x, operands) = (values?, Operands::named(mode)?);
    // A turn takes RING values of y, one after the other.
    let y = (x.len() >= 2 * RING).then(|| x.split_off(RING))?;
    let start = Start { operands, x, y };
    let mine = rows.iter_mut().filter(|row| row.field.name == field);
    mine.for_each(|row| row.runner.start_from(&start));
    Some("loaded".into())
}

fn find<'a>(rows: &'a mut [Served], field: &str, op: &str) -> Option<&'a mut Served> {
    rows.iter_mut().find(|row| (row.field.name, row.op) == (field, op))
}

fn operand(field: &str, montgomery: &str) -> Option<Operand> {
    FIELDS.iter().find(|known| known.name == field)?.read(&limbs(montgomery)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chain::{Chain, Element};

    #[derive(Clone)]
    struct Limbs(Vec<u64>);

    impl Element for Limbs {
        const FORM: Form = Form::Plain;

        fn load(limbs: &[u64]) -> Self {
            Self(limbs.to_vec())
        }

        fn store(&self) -> Vec<u64> {
            self.0.clone()
        }
    }

    fn rows() -> Vec<Served> {
        let step = |x: &mut Limbs, y: &Limbs| x.0[0] = x.0[0].wrapping_add(y.0[0]);
        let row = |op, runner| Served { field: FIELDS[2], op, runner };
        vec![
            row("add", Box::new(Chain::new(step)) as Box<dyn Runner>),
            row("pairing", Box::new(Chain::long(step))),
        ]
    }

    #[test]
    fn requests_are_answered() {
        let (mut rows, one) = (rows(), FIELDS[2].read(&[1, 0, 0, 0]).unwrap());
        let mut ask = |request: &str| answer(&mut rows, request);
        assert_eq!(ask("rows").unwrap(), "bn254-p add 16 bn254-p pairing 1");
        let sum = show(&[one.plain[0].wrapping_mul(2), one.plain[1], one.plain[2], one.plain[3]]);
        assert_eq!(ask("apply bn254-p add 1,0,0,0 1,0,0,0").unwrap(), sum);
        let values = vec!["1,0,0,0"; 2 * RING].join(" ");
        for mode in Operands::ALL {
            let load = format!("load bn254-p {} {values}", mode.name());
            assert_eq!(ask(&load).unwrap(), "loaded");
            for run in ["add latency 48", "add throughput 48", "pairing throughput 1"] {
                let ticks = ask(&format!("run bn254-p {run}")).unwrap();
                assert!(ticks.parse::<u64>().is_ok(), "{run}");
            }
        }
    }

    #[test]
    fn wrong_requests_have_no_answer() {
        for request in [
            "",
            "hello",
            "move nowhere",
            "load bn254-p moving 1,0,0,0",
            "load bn254-p still 1,0,0,0",
            "apply bn254-p mul 1,0,0,0 1,0,0,0",
            "apply bn254-p add 1,0,0 1,0,0,0",
            "apply bn254-p add 1,0,0,0 x",
            "apply secp256k1-p add 1,0,0,0 1,0,0,0",
            "run bn254-p add sideways 4",
        ] {
            assert_eq!(answer(&mut rows(), request), None, "{request}");
        }
    }
}
