//! What became of each kernel of a folder: as text, or as JSON for programs.

use crate::Outcome;
use serde::Serialize;
use std::fmt;
use std::time::Instant;

/// What became of a folder: a verdict for each kernel, and what is wrong with the folder as a whole.
#[derive(Debug, Default, Serialize)]
pub(crate) struct Report {
    pub(crate) kernels: Vec<Verdict>,
    pub(crate) faults: Vec<String>,
    /// What cargo, `CMake` and cc made there, which was not read.
    pub(crate) left: Vec<String>,
}

/// What became of one kernel.
#[derive(Debug, Serialize)]
pub(crate) struct Verdict {
    /// The list of the manifest in which it is.
    part: Part,
    symbol: String,
    object: Option<String>,
    /// Of a user's formula: its text.
    formula: Option<String>,
    status: Status,
    seconds: f64,
    reasons: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Part {
    Kernels,
    Arrays,
    Divsteps,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Status {
    /// By its certificate, which was replayed.
    Proved,
    /// The manifest does not say PROVED.
    NotProved,
    /// It says PROVED, and there is no certificate.
    NoCertificate,
    Failed,
}

impl Report {
    /// Checks a kernel and keeps what became of it.
    pub(crate) fn add(
        &mut self,
        part: Part,
        (symbol, object, formula): (&str, Option<&str>, Option<&str>),
        check: impl FnOnce() -> Result<Status, Vec<String>>,
    ) {
        let began = Instant::now();
        let (status, reasons) = match check() {
            Ok(status) => (status, Vec::new()),
            Err(reasons) => (Status::Failed, reasons),
        };
        let seconds = began.elapsed().as_secs_f64();
        let [object, formula] = [object, formula].map(|text| text.map(str::to_string));
        let symbol = symbol.to_string();
        self.kernels.push(Verdict { part, symbol, object, formula, status, seconds, reasons });
    }

    /// The report on what cannot be read.
    pub(crate) fn unread(why: String) -> Self {
        Self { faults: vec![why], ..Self::default() }
    }

    /// Everything that is wrong.
    pub(crate) fn all_faults(&self) -> impl Iterator<Item = &String> {
        self.faults.iter().chain(self.kernels.iter().flat_map(|verdict| &verdict.reasons))
    }

    fn count(&self, part: Part, status: Status) -> usize {
        self.kernels.iter().filter(|v| (v.part, v.status) == (part, status)).count()
    }
}

/// How many kernels are trusted why, and a line for each that has no certificate.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let replayed = self.count(Part::Kernels, Status::Proved);
        let s = if replayed == 1 { "" } else { "s" };
        let unproved = self.count(Part::Kernels, Status::NotProved);
        let is_formula = |v: &&Verdict| v.formula.is_some() && v.status == Status::Proved;
        let formulas = match self.kernels.iter().filter(is_formula).count() {
            0 => String::new(),
            some => format!(", {some} of them formulas"),
        };
        let by = "by their certificates";
        write!(f, "{replayed} kernel{s} PROVED {by}{formulas}, {unproved} not PROVED")?;
        for (part, name) in [(Part::Arrays, "on arrays"), (Part::Divsteps, "of divsteps")] {
            let replayed = self.count(part, Status::Proved);
            let others = self.count(part, Status::NoCertificate);
            if replayed + others > 0 {
                let said = "PROVED by their certificates";
                write!(f, "; {name} {replayed} {said}, {others} without one")?;
            }
        }
        if !self.left.is_empty() {
            write!(f, "; not read: {}", self.left.join(", "))?;
        }
        for verdict in self.kernels.iter().filter(|v| v.status == Status::NoCertificate) {
            let symbol = &verdict.symbol;
            write!(f, "\nNO CERTIFICATE {symbol}: that it is PROVED is the prover's word")?;
        }
        Ok(())
    }
}

/// The status of a kernel that says PROVED: whether it was proved by a certificate.
pub(crate) fn by_certificate(is_proved: Outcome<bool>) -> Result<Status, Vec<String>> {
    match is_proved {
        Ok(true) => Ok(Status::Proved),
        Ok(false) => Ok(Status::NoCertificate),
        Err(why) => Err(vec![why]),
    }
}
