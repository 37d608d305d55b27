//! gnark-crypto: Go and its assembly, in a process of its own that works on the same processor.
//!
//! The program in `go/` is built where a `go` command is found. It runs the two loops itself and
//! reads the same time-stamp counter, so what is timed has no message in it.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::rc::Rc;
use std::sync::OnceLock;

use crate::chain::{CHAINS, Mode, OPERANDS, Runner};
use crate::entry::Range::Canonical;
use crate::entry::{Call, Entry, Form, Operand, Peer, Rows};
use crate::fields::{BLS12_381_P, BLS12_381_R, BN254_P, Field, OPERATIONS, SECP256K1_P};

/// A field, its package, and whether the package has assembly for it.
const FIELDS: [(&Field, &str, bool); 4] = [
    (&BLS12_381_P, "ecc/bls12-381/fp", true),
    (&BLS12_381_R, "ecc/bls12-381/fr", true),
    (&BN254_P, "ecc/bn254/fp", true),
    (&SECP256K1_P, "ecc/secp256k1/fp", false),
];

const SOURCES: [(&str, &str); 4] = [
    ("go.mod", include_str!("../../go/go.mod")),
    ("go.sum", include_str!("../../go/go.sum")),
    ("main.go", include_str!("../../go/main.go")),
    ("ticks_amd64.s", include_str!("../../go/ticks_amd64.s")),
];
const TEMPLATE: &str = include_str!("../../go/field.go.txt");

/// The other process. It ends when its input does.
struct Program {
    child: Child,
    answers: BufReader<std::process::ChildStdout>,
}

impl Program {
    fn ask(&mut self, request: &str) -> String {
        let input = self.child.stdin.as_mut().expect("a pipe");
        let mut line = String::new();
        let sent = writeln!(input, "{request}").and_then(|()| input.flush());
        sent.and_then(|()| self.answers.read_line(&mut line)).expect("the Go program runs");
        line.trim_end().to_owned()
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.stdin.take());
        // A program that is gone already is as good.
        let _ = self.child.wait();
    }
}

struct Remote {
    program: Rc<RefCell<Program>>,
    field: &'static Field,
    op: &'static str,
    load: String,
}

fn show(limbs: &[u64]) -> String {
    limbs.iter().map(|limb| format!("{limb:x}")).collect::<Vec<_>>().join(",")
}

impl Runner for Remote {
    fn apply(&mut self, x: &Operand, y: &Operand) -> Vec<u64> {
        let (field, op) = (self.field.name, self.op);
        let (x, y) = (show(&x.montgomery), show(&y.montgomery));
        let answer = self.program.borrow_mut().ask(&format!("apply {field} {op} {x} {y}"));
        let limb = |text| u64::from_str_radix(text, 16).expect("limbs in hexadecimal");
        answer.split(',').map(limb).collect()
    }

    fn form(&self) -> Form {
        Form::Montgomery
    }

    fn start_from(&mut self, x: &[Operand; CHAINS], y: &[Operand; OPERANDS]) {
        let operands: Vec<String> = x.iter().chain(y).map(|o| show(&o.montgomery)).collect();
        self.load = format!("load {} {}", self.field.name, operands.join(" "));
    }

    fn run(&mut self, mode: Mode, steps: u64) -> u64 {
        let mode = if mode == Mode::Latency { "latency" } else { "throughput" };
        let mut program = self.program.borrow_mut();
        program.ask(&self.load);
        let request = format!("run {} {} {mode} {steps}", self.field.name, self.op);
        program.ask(&request).parse().expect("ticks")
    }

    fn move_to(&mut self, processor: usize) {
        self.program.borrow_mut().ask(&format!("move {processor}"));
    }
}

pub(super) fn enter(entries: &mut Vec<Entry>) -> Result<(), String> {
    let program = Rc::new(RefCell::new(start()?));
    let adx = crate::clock::has_adx();
    for (field, _, assembly) in FIELDS {
        let algorithm = match (assembly, adx) {
            (true, true) => "assembly, adx",
            (true, false) => "assembly",
            (false, _) => "go",
        };
        let peer = Peer { name: "gnark-crypto", version: version(), algorithm };
        let mut rows = Rows::new(entries, field, peer);
        for op in OPERATIONS {
            let runner = Remote { program: program.clone(), field, op, load: String::new() };
            if ["add", "sub", "inverse"].contains(&op) {
                rows.code("go");
            } else {
                rows.code(algorithm);
            }
            rows.add(op, Call::Called, Canonical, Box::new(runner));
        }
    }
    Ok(())
}

fn version() -> &'static str {
    let module = SOURCES[0].1.split_whitespace();
    let mut after = module.skip_while(|word| !word.ends_with("/gnark-crypto"));
    after.nth(1).map_or("unknown", |version| version.trim_start_matches('v'))
}

fn start() -> Result<Program, String> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let program = BUILT.get_or_init(|| build(&folder())).as_ref().map_err(Clone::clone)?;
    let child = Command::new(program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("its program does not start: {error}"))?;
    let answers = BufReader::new(child.stdout.take().expect("a pipe"));
    Ok(Program { child, answers })
}

/// Beside what cargo builds.
fn folder() -> PathBuf {
    let program = std::env::current_exe().unwrap_or_default();
    program.parent().unwrap_or(Path::new(".")).join("race-go")
}

fn build(folder: &Path) -> Result<PathBuf, String> {
    let write = |name: &str, text: &str| {
        std::fs::write(folder.join(name), text).map_err(|error| format!("{name}: {error}"))
    };
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for (name, text) in SOURCES {
        write(name, text)?;
    }
    for (number, (field, import, _)) in FIELDS.iter().enumerate() {
        let text = TEMPLATE.replace("NAME", &format!("field{number}"));
        let text = text.replace("IMPORT", import).replace("FIELD", field.name);
        write(&format!("field{number}.go"), &text)?;
    }
    let program = folder.join("race-go");
    let built =
        Command::new("go").arg("build").arg("-o").arg(&program).current_dir(folder).output();
    let built = built.map_err(|error| format!("no go command: {error}"))?;
    if built.status.success() {
        return Ok(program);
    }
    let errors = String::from_utf8_lossy(&built.stderr);
    Err(format!("go build fails: {}", errors.lines().next().unwrap_or("it says nothing")))
}
