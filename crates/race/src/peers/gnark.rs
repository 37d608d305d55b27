//! gnark-crypto: Go and its assembly, in a process of its own that works on the same processor.
//!
//! The program in `go/` is built where a `go` command is found (see [`remote`](crate::remote)).

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::chain::OPERANDS;
use crate::entry::Range::Canonical;
use crate::entry::{Call, Entry, Peer, Rows};
use crate::fields::{BLS12_381_P, BLS12_381_R, BN254_P, Field, OPERATIONS, SECP256K1_P};
use crate::operand::Form;
use crate::remote::{Program, Remote};

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
const LOOP: &str = include_str!("../../go/loop.go.txt");
/// Operations whose call is written into a loop of its own.
const CALLS: [(&str, &str); 4] = [
    ("mul", "x[j].Mul(&x[j], &y[at+j])"),
    ("square", "x[j].Square(&x[j])"),
    ("add", "x[j].Add(&x[j], &y[at+j])"),
    ("sub", "x[j].Sub(&x[j], &y[at+j])"),
];

/// Its functions on vectors, which have AVX-512 for some fields.
const ON_ARRAYS: [&str; 2] = ["array_mul", "inner_product"];

fn has_vectors() -> bool {
    std::is_x86_feature_detected!("avx512ifma")
}

pub(super) fn enter(entries: &mut Vec<Entry>) -> Result<(), String> {
    static BUILT: OnceLock<Result<PathBuf, String>> = OnceLock::new();
    let program = BUILT.get_or_init(|| build(&folder())).as_ref().map_err(Clone::clone)?;
    let program = Program::start(&mut Command::new(program))?;
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
            let runner = Remote::new(&program, field, op, Form::Montgomery);
            if ["add", "sub", "inverse"].contains(&op) {
                rows.code("go");
            } else {
                rows.code(algorithm);
            }
            rows.add(op, Call::Called, Canonical, Box::new(runner));
        }
        for op in ON_ARRAYS {
            let runner = Remote::new(&program, field, op, Form::Montgomery);
            let in_vectors = field.name == BLS12_381_R.name && has_vectors();
            rows.code(if in_vectors { "assembly, avx512ifma" } else { algorithm });
            rows.add(op, Call::Called, Canonical, Box::new(runner.in_turns_of(OPERANDS as u64)));
        }
    }
    Ok(())
}

fn version() -> &'static str {
    let module = SOURCES[0].1.split_whitespace();
    let mut after = module.skip_while(|word| !word.ends_with("/gnark-crypto"));
    after.nth(1).map_or("unknown", |version| version.trim_start_matches('v'))
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
    let loops = CALLS.map(|(op, call)| LOOP.replace("OP", op).replace("CALL", call)).concat();
    for (number, (field, import, _)) in FIELDS.iter().enumerate() {
        let text = TEMPLATE.replace("NAME", &format!("field{number}"));
        let text =
            text.replace("LOOPS\n", &loops).replace("IMPORT", import).replace("FIELD", field.name);
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
