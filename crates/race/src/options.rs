//! The command line.

use std::fs::{self, OpenOptions};
use std::path::Path;

use crate::chain::Operands;
use crate::entry::{Entry, OURS, is_ours};
use crate::fields::{FIELDS, OPERATIONS};
use crate::{array_operations, curves, towers};

/// The help.
pub const USAGE: &str = "\
usage: cargo bench -p race --bench race -- [OPTION]...
  --field FIELD,..   bls12-381-p, bls12-381-r, bn254-p, secp256k1-p, p256, p521,
                     curve25519, pallas, vesta, goldilocks, babybear, koalabear, mersenne31,
                     2^252+27742317777372353535851937790883648493 (default all)
  --op OP,..         mul, square, add, sub, inverse, sqrt, on arrays of 8192 elements array_mul,
                     inner_product, horner, transform, of 1024 array_mul_1024,
                     inner_product_1024, of towers and points fp12_mul, fp12_square,
                     cyclotomic_square, fp12_mul_line, miller_loop, final_exponentiation,
                     pairing, pairing_4, g1_add, g1_double, g2_add, g2_double,
                     x25519, and through arkworks fp2_mul, pairing, msm_4096, msm_16384, verify,
                     transform_16384, groth16_prove, groth16_verify (default all)
  --peer PEER,..     only these peers, and ours
  --operands MODE    throughput with moving operands (default), or with fixed ones
  --rounds N         rounds (default 60)
  --checks N         random operands in each check (default 1000)
  --seed N           seed of operands and order (default 1)
  --json [FILE]      rows for programs, to FILE or instead of the table
  --quick            5 rounds, 100 checks";

const HELP: &str = "--help lists the options";

/// The names of all peers; ours takes part without being named.
pub const PEERS: [&str; 18] = [
    OURS,
    "rust-looped",
    "rust-flat",
    "rust-intrinsics",
    "llvm-wide",
    "llvm-bmi2",
    "arkworks",
    "blst",
    "crypto-bigint",
    "curve25519-dalek",
    "gnark-crypto",
    "halo2curves",
    "k256",
    "num-bigint",
    "p256",
    "p521",
    "pasta_curves",
    "Plonky3",
];

/// What is raced, and how.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    /// Fields by name.
    pub fields: Vec<String>,
    /// Operations by name.
    pub ops: Vec<String>,
    /// Peers by name; none means all.
    pub peers: Vec<String>,
    /// What throughput means.
    pub operands: Operands,
    /// Rounds.
    pub rounds: usize,
    /// Random operands in each check.
    pub checks: usize,
    /// The seed of operands and order.
    pub seed: u64,
    /// Rows for programs: to standard output, or to a file.
    pub json: Option<Option<String>>,
    /// Whether the usage is asked for, and no race.
    pub is_help: bool,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            fields: FIELDS.iter().map(|field| field.name.into()).collect(),
            ops: known_ops().into_iter().map(Into::into).collect(),
            peers: Vec::new(),
            operands: Operands::default(),
            rounds: 60,
            checks: 1000,
            seed: 1,
            json: None,
            is_help: false,
        }
    }
}

impl Options {
    /// Reads the arguments; the message of an error is for the user.
    pub fn parse(arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        // `cargo bench` says what it runs.
        let mut arguments = arguments.filter(|argument| argument != "--bench").peekable();
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or_else(|| format!("{argument} needs a value; {HELP}"));
            match &*argument {
                "--field" => {
                    let known: Vec<&str> = FIELDS.iter().map(|field| field.name).collect();
                    options.fields = some_of(&value()?, "field", &known)?;
                }
                "--op" => options.ops = some_of(&value()?, "operation", &known_ops())?,
                "--peer" => options.peers = some_of(&value()?, "peer", &PEERS)?,
                "--operands" => options.operands = mode(&value()?)?,
                "--rounds" => options.rounds = positive(&argument, &value()?)?,
                "--checks" => options.checks = positive(&argument, &value()?)?,
                "--seed" => options.seed = positive(&argument, &value()?)? as u64,
                "--quick" => (options.rounds, options.checks) = (5, 100),
                "--json" => options.json = Some(arguments.next_if(|next| !next.starts_with("--"))),
                "--help" | "-h" => options.is_help = true,
                _ => return Err(format!("unknown option {argument}; {HELP}")),
            }
        }
        Ok(options)
    }

    /// Says why the file of rows cannot be written, before the race instead of after it.
    pub fn check_file(&self) -> Result<(), String> {
        let Some(Some(file)) = &self.json else { return Ok(()) };
        let is_new = !Path::new(file).exists();
        let opened = OpenOptions::new().append(true).create(true).open(file);
        let left = opened.and_then(|_| if is_new { fs::remove_file(file) } else { Ok(()) });
        left.map_err(|e| format!("{file}: {e}"))
    }

    /// Whether the entry is one of the rows.
    pub fn wants(&self, entry: &Entry) -> bool {
        self.fields.iter().any(|name| name == entry.field.name)
            && self.ops.iter().any(|op| op == entry.op)
            && self.wants_peer(entry.peer.name)
    }

    /// Whether the peer takes part; ours always does.
    pub fn wants_peer(&self, name: &str) -> bool {
        is_ours(name) || self.peers.is_empty() || self.peers.iter().any(|peer| peer == name)
    }

    /// Whether operations of curves take part, whose programs are built first.
    pub fn wants_curves(&self) -> bool {
        let named = |names: &[String], known: &[&str]| names.iter().any(|n| known.contains(&&**n));
        self.wants_peer(curves::STOCK)
            && named(&self.ops, &curves::OPERATIONS)
            && named(&self.fields, &curves::CURVES)
    }
}

/// Operations of fields, then on arrays, then of curves.
fn known_ops() -> Vec<&'static str> {
    let of_fields = OPERATIONS.into_iter().chain(array_operations::OPERATIONS);
    let through_arkworks = curves::OPERATIONS.into_iter();
    let others = through_arkworks.filter(|op| !towers::OPERATIONS.contains(op));
    of_fields.chain(towers::OPERATIONS).chain(others).collect()
}

fn some_of(list: &str, what: &str, known: &[&str]) -> Result<Vec<String>, String> {
    if list == "all" {
        return Ok(known.iter().map(|name| (*name).into()).collect());
    }
    let check = |name: &str| match known.contains(&name) {
        true => Ok(name.into()),
        false => Err(format!("no {what} {name:?}; there are: {}", known.join(", "))),
    };
    list.split(',').map(check).collect()
}

fn mode(name: &str) -> Result<Operands, String> {
    let known = || Operands::ALL.map(Operands::name).join(", ");
    Operands::named(name).ok_or_else(|| format!("no operands {name:?}; there are: {}", known()))
}

fn positive(option: &str, text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(number) if (1..=100_000_000).contains(&number) => Ok(number),
        _ => Err(format!("{option} takes a whole number from 1 to 100000000, not {text:?}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(Into::into))
    }

    #[test]
    fn options_are_read() {
        let options = parse("--bench --field bn254-p --op mul,sqrt --quick --json").unwrap();
        assert_eq!(options.fields, ["bn254-p"]);
        assert_eq!(options.ops, ["mul", "sqrt"]);
        assert_eq!((options.rounds, options.json), (5, Some(None)));
        let options = parse("--json out.json --op all --seed 7").unwrap();
        assert_eq!((options.json, options.seed), (Some(Some("out.json".into())), 7));
        assert_eq!(options.ops, known_ops());
        assert_eq!(options.operands, Operands::Moving);
        assert_eq!(parse("--peer blst,Plonky3").unwrap().peers, ["blst", "Plonky3"]);
        assert!(parse("--help").unwrap().is_help && parse("-h --quick").unwrap().is_help);
        assert_eq!(parse("--operands fixed").unwrap().operands, Operands::Fixed);
        assert_eq!(parse(""), Ok(Options::default()));
    }

    #[test]
    fn wrong_options_are_named() {
        for (line, word) in [
            ("--field bn255", "bn255"),
            ("--op pow", "pow"),
            ("--peer blst,blts", "no peer \"blts\"; there are: fieldc, rust-looped"),
            ("--rounds 0", "--rounds"),
            ("--operands still", "moving, fixed"),
            ("--rounds", "--rounds"),
            ("--fast", "--fast"),
        ] {
            let message = parse(line).unwrap_err();
            assert!(message.contains(word) && !message.contains('\n'), "{line}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_refused_before_the_race() {
        let folder = std::env::temp_dir();
        let place = |name: &str| folder.join(name).display().to_string();
        let options = |file: String| Options { json: Some(Some(file)), ..Options::default() };
        assert!(options(place("")).check_file().is_err());
        assert!(options(place("no_such_folder/rows.json")).check_file().is_err());
        let new = place(&format!("race_{}.json", std::process::id()));
        assert_eq!(options(new.clone()).check_file(), Ok(()));
        assert!(!Path::new(&new).exists());
        assert_eq!(parse("--json").unwrap().check_file(), Ok(()));
    }
}
