//! Checks a folder that `fieldc build` wrote: what its manifest says, not only what a certificate says.
//!
//! Trusted is nothing in the folder. The manifest says which functions modulo which prime its files
//! are; here each of its rows is held against the certificate, the object and the other rows, and
//! the folder's files against those that the manifest names.

use crate::arrays::{ArrayRow, Objects};
use crate::bounds::bound_text;
use crate::certificate::{Certificate, Parameters};
use crate::contract::Contract;
use crate::convention::{self, Convention};
use crate::digest::{digest_of, digest_of_parts};
use crate::divsteps::DivstepRow;
use crate::gathered::gathered;
use crate::names::is_operation;
use crate::needs::are_named;
use crate::polynomial::Written;
use crate::report::{Part, Report, Status, by_certificate};
use crate::stated::{are_tested, is_represented};
use crate::{Outcome, fail, verify};
use num_bigint::BigInt;
use object::{BinaryFormat, File, FileKind, Object};
use serde::Deserialize;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

const MANIFEST: &str = "manifest.json";
const CERTIFICATE: &str = ".cert.json";
const WORDS: [u64; 2] = [32, 64];
const MOST_BITS: u64 = 1 << 16;
const OBJECTS: [&str; 2] = [".o", ".obj"];

#[derive(Debug, Deserialize)]
struct Manifest {
    p: Written,
    word: u64,
    n: u64,
    #[serde(rename = "R")]
    r: Written,
    #[serde(default)]
    kind: String,
    /// Every file of the folder, with slashes between the parts of a path.
    files: BTreeSet<String>,
    kernels: Vec<Row>,
    #[serde(default)]
    arrays: Vec<ArrayRow>,
    #[serde(default)]
    divsteps: Vec<DivstepRow>,
}

impl Manifest {
    /// p has n words, and R is of as many.
    fn check_words(&self) -> Outcome<()> {
        let Self { p: Written(p), word, n, r: Written(r), .. } = self;
        if !WORDS.contains(word) || p.bits().div_ceil(*word) != *n {
            return fail(format!("p has not n = {n} words of {word} bits"));
        }
        if p.bits() > MOST_BITS || *r != BigInt::from(1) << (word * n) {
            return fail("R is not 2^(word*n)");
        }
        Ok(())
    }
}

/// What the manifest says of one kernel.
#[derive(Debug, Deserialize)]
struct Row {
    symbol: String,
    op: String,
    family: String,
    parameters: serde_json::Value,
    operands: Vec<Values>,
    result: Values,
    target: String,
    variant: String,
    convention: String,
    /// Extensions of the processor, by LLVM's names.
    #[serde(default)]
    needs: Vec<String>,
    /// The text.
    file: String,
    object: Option<String>,
    contract: String,
    status: String,
    stack: Option<i64>,
    certificate: Option<String>,
    certificate_digest: Option<String>,
    digest: String,
    /// Of a user's formula: its text, and those of the routines that it calls.
    formula: Option<String>,
    #[serde(default)]
    called: Vec<String>,
    representation: Option<String>,
    #[serde(default)]
    texts: BTreeMap<String, String>,
}

/// Values of a residue, side by side, and what each is below: `p`, `2p` or `p*R`.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Values {
    name: String,
    values: usize,
    below: String,
}

/// A folder's files by their paths, and what its manifest says of them.
struct Folder {
    files: BTreeMap<String, Vec<u8>>,
    /// What others made of the package there.
    left: Vec<String>,
    manifest: Manifest,
}

/// Checks a folder: what becomes of each of its kernels, and what else is wrong.
pub(crate) fn check(root: &Path) -> Outcome<Report> {
    let folder = Folder::read(root)?;
    let Folder { files, left, manifest } = &folder;
    let Manifest { p: Written(p), kernels, arrays, divsteps, .. } = manifest;
    let mut report =
        Report { faults: folder.faults_of_files(), left: left.clone(), ..Report::default() };
    report.faults.extend(folder.faults_beside_certificates());
    for row in kernels {
        let place = (row.symbol.as_str(), row.object.as_deref(), row.formula.as_deref());
        report.add(Part::Kernels, place, || folder.kernel(row));
    }
    let objects = Objects::new(files);
    for row in arrays {
        let check = || by_certificate(row.is_proved(files, &objects, p));
        report.add(Part::Arrays, (&row.symbol, Some(&row.object), None), check);
    }
    for row in divsteps {
        let check = || by_certificate(row.check(files).map(|()| true));
        report.add(Part::Divsteps, (&row.symbol, Some(&row.object), None), check);
    }
    Ok(report)
}

impl Folder {
    fn read(root: &Path) -> Outcome<Self> {
        let (files, left) = gathered(root, MANIFEST)?;
        let text = files.get(MANIFEST).ok_or(format!("there is no {MANIFEST}"))?;
        let manifest: Manifest =
            serde_json::from_slice(text).map_err(|why| format!("{MANIFEST}: {why}"))?;
        let names_others = manifest.arrays.len() + manifest.divsteps.len() > 0;
        if manifest.kernels.is_empty() && !names_others {
            return fail(format!("{MANIFEST}: it names no kernel"));
        }
        manifest.check_words().map_err(|why| format!("{MANIFEST}: {why}"))?;
        Ok(Self { files, left, manifest })
    }

    fn file(&self, path: &str) -> Outcome<&[u8]> {
        let found = self.files.get(path).ok_or(format!("there is no {path}"))?;
        Ok(found)
    }

    /// Files that are missing, or that no row names; and symbols that two rows have.
    fn faults_of_files(&self) -> Vec<String> {
        let Manifest { files: named, kernels, .. } = &self.manifest;
        let missing = named.iter().filter(|path| !self.files.contains_key(*path));
        let extra = self.files.keys().filter(|path| !named.contains(*path));
        let mut faults: Vec<_> = missing.map(|path| format!("{path} is missing")).collect();
        faults.extend(extra.map(|path| format!("{path} is not named in {MANIFEST}")));
        let of_arrays = self.manifest.arrays.iter().filter_map(|row| row.certificate.as_deref());
        let of_steps = self.manifest.divsteps.iter().filter_map(|row| row.certificate.as_deref());
        let certificates: BTreeSet<_> =
            self.certificates().chain(of_arrays).chain(of_steps).collect();
        let mut objects: BTreeSet<_> =
            kernels.iter().filter_map(|row| row.object.as_deref()).collect();
        objects.extend(self.manifest.arrays.iter().flat_map(ArrayRow::objects));
        objects.extend(self.manifest.divsteps.iter().map(|row| row.object.as_str()));
        for (path, data) in self.files.iter().filter(|(path, _)| named.contains(*path)) {
            let is_known = if path.ends_with(CERTIFICATE) {
                certificates.contains(path.as_str())
            } else if OBJECTS.iter().any(|end| path.ends_with(end)) || is_object(data) {
                let beside = path.rsplit_once('.').map(|(stem, _)| format!("{stem}{CERTIFICATE}"));
                objects.contains(path.as_str())
                    || beside.is_some_and(|beside| certificates.contains(beside.as_str()))
            } else {
                true
            };
            if !is_known {
                faults.push(format!("{path} is of no kernel in {MANIFEST}"));
            }
        }
        let mut seen = BTreeSet::new();
        let on_arrays = self.manifest.arrays.iter().map(|row| (&row.object, &row.symbol));
        for place in kernels.iter().map(|row| (&row.target, &row.symbol)).chain(on_arrays) {
            if !seen.insert(place) {
                faults.push(format!("{}: two kernels are called {}", place.0, place.1));
            }
        }
        faults
    }

    fn certificates(&self) -> impl Iterator<Item = &str> {
        self.manifest.kernels.iter().filter_map(|row| row.certificate.as_deref())
    }

    /// Whether a kernel is proved; or what is wrong with it, each with its place.
    fn kernel(&self, row: &Row) -> Result<Status, Vec<String>> {
        let words = row.says_a_known_word().and_then(|()| are_tested(&row.texts));
        let checks = [words, self.name(row), self.digest(row), self.proof(row)];
        let place = format!("{} {}", row.target, row.symbol);
        let found = checks.into_iter().filter_map(Result::err);
        let faults: Vec<_> = found.map(|why| format!("{place}: {why}")).collect();
        match row.certificate {
            _ if !faults.is_empty() => Err(faults),
            Some(_) => Ok(Status::Proved),
            None => Ok(Status::NotProved),
        }
    }

    /// A formula beside operations is not called as one of them.
    fn name(&self, row: &Row) -> Outcome<()> {
        let Manifest { kernels, arrays, divsteps, kind, .. } = &self.manifest;
        let mut operations = kernels.iter().filter(|row| row.formula.is_none()).peekable();
        let are_beside = operations.peek().is_some() || arrays.len() + divsteps.len() > 0;
        if row.formula.is_none() || !are_beside {
            return Ok(());
        }
        if is_operation(&row.op, kind.ends_with(" package")) {
            return fail(format!("it is called as the operation {}, and is a formula", row.op));
        }
        // Updates of divsteps are called by their limbs in a Rust package.
        let own = operations.filter(|row| !row.op.starts_with("divstep_"));
        let mut heads = own.filter_map(Row::before_operation);
        if heads.any(|head| Some(head) != row.before_operation()) {
            return fail(format!(
                "a formula, it is not called as {} beside the operations",
                row.op
            ));
        }
        Ok(())
    }

    /// The digest is that of the object (or the text), the prime, the contract, the certificate.
    fn digest(&self, row: &Row) -> Outcome<()> {
        let code = self.file(row.object.as_ref().unwrap_or(&row.file))?;
        let certificate = row.certificate.as_ref().map_or(Ok(&[][..]), |path| self.file(path))?;
        let p = format!("{:#x}", self.manifest.p.0);
        let parts = [code, p.as_bytes(), row.contract.as_bytes(), certificate];
        if digest_of_parts(&parts) != row.digest {
            return fail("its files are not those that the digest is of");
        }
        let written = row.certificate.as_ref().map(|_| digest_of(certificate));
        if written != row.certificate_digest {
            return fail("the certificate is not the one that certificate_digest is of");
        }
        Ok(())
    }

    /// What says PROVED is proved, of this very row.
    fn proof(&self, row: &Row) -> Outcome<()> {
        if row.status != "PROVED" {
            let none = row.certificate.is_none();
            return if none { Ok(()) } else { fail("it has a certificate and is not PROVED") };
        }
        let object = row.object.as_ref().ok_or("it is PROVED and has no object")?;
        let data = self.file(object)?;
        let file = File::parse(data).map_err(|why| format!("{object}: {why}"))?;
        let known = convention::of_target(&row.target);
        let known = known.filter(|(known, _)| known.architecture == file.architecture());
        let (convention, format) =
            known.ok_or_else(|| format!("the object {object} is not for {}", row.target))?;
        row.is_called_by(convention, format, file.format())?;
        let path = row.certificate.as_ref().ok_or("it is PROVED and has no certificate")?;
        let certificate = parsed(path, self.file(path)?)?;
        self.is_expected(row, convention.name, &certificate)?;
        are_named(&row.needs, &row.variant, data, &row.symbol)?;
        is_represented(&row.op, &row.family, row.representation.as_deref())?;
        verify(&certificate, data).map_err(|why| format!("{path}: {why}"))
    }

    /// The certificate claims what the manifest does.
    fn is_expected(&self, row: &Row, convention: &str, certificate: &Certificate) -> Outcome<()> {
        let Manifest { p, word, n, .. } = &self.manifest;
        let Certificate { symbol, contract: stated, proof, routines, .. } = certificate;
        let stack = proof.stack;
        let parameters: Parameters = serde_json::from_value(row.parameters.clone())
            .map_err(|why| format!("its parameters: {why}"))?;
        let faults = [
            (*word != 64, "the manifest's words have not 64 bits".to_string()),
            (*symbol != row.symbol, format!("the certificate is of {symbol}")),
            (stated.operation != row.op, format!("the certificate is of {}", stated.operation)),
            (stated.family != row.family, format!("the certificate's family is {}", stated.family)),
            (stated.parameters != parameters, "the certificate has other parameters".into()),
            (stated.formula != row.formula, "the certificate is of another formula".into()),
            (
                !row.called.iter().eq(routines.iter().map(|routine| &routine.formula)),
                "the certificate is of other routines".into(),
            ),
            (stated.p.0 != p.0, format!("the certificate's prime is {:#x}", stated.p.0)),
            (stated.limbs as u64 != *n, format!("the certificate's limbs are {}", stated.limbs)),
            (
                stated.convention != convention,
                format!("the certificate's convention is {}", stated.convention),
            ),
            (Some(stack) != row.stack, format!("the certificate's stack is {stack} bytes")),
            (
                !row.is_named_by_operation(),
                format!("its symbol does not say {}_{}", row.op, row.variant),
            ),
        ];
        if let Some((_, why)) = faults.into_iter().find(|(is_wrong, _)| *is_wrong) {
            return fail(why);
        }
        row.takes_and_gives(&Contract::new(stated)?)
    }

    /// Certificates beside objects that no row names, as packages have them, are of those objects.
    fn faults_beside_certificates(&self) -> Vec<String> {
        let named: BTreeSet<_> =
            self.manifest.kernels.iter().filter_map(|row| row.object.as_deref()).collect();
        let mut faults = Vec::new();
        for path in self.certificates().collect::<BTreeSet<_>>() {
            let stem = path.strip_suffix(CERTIFICATE).unwrap_or(path);
            for object in OBJECTS.iter().map(|end| format!("{stem}{end}")) {
                let (Some(data), false) =
                    (self.files.get(&object), named.contains(object.as_str()))
                else {
                    continue;
                };
                let replayed = self
                    .file(path)
                    .and_then(|text| parsed(path, text))
                    .and_then(|certificate| verify(&certificate, data));
                faults.extend(replayed.err().map(|why| format!("{object}: {why}")));
            }
        }
        faults
    }
}

impl Row {
    /// Whether its symbol ends with operation and variant; kernels of a Rust package have `prime`
    /// between them and nothing before.
    fn is_named_by_operation(&self) -> bool {
        self.before_operation().is_some_and(|before| before.is_empty() || before.ends_with('_'))
    }

    /// What its symbol has before the operation; `None` where that and the variant do not end it.
    fn before_operation(&self) -> Option<&str> {
        let name = self.symbol.strip_suffix(&self.variant)?.strip_suffix('_')?;
        let op = self.op.as_str();
        name.strip_suffix(op).or_else(|| name.strip_suffix("_prime")?.strip_suffix(op))
    }

    fn says_a_known_word(&self) -> Outcome<()> {
        let word = self.status.split('(').next().unwrap_or_default();
        let is_bare = word == self.status;
        match word {
            "PROVED" | "TESTED" | "ASSUMED" if is_bare => Ok(()),
            "SKIPPED" => Ok(()),
            _ => fail(format!("{} is no word for trust", self.status)),
        }
    }

    /// Whether the object's format and the convention that it names are those of the target's system.
    fn is_called_by(
        &self,
        convention: &Convention,
        expected: BinaryFormat,
        format: BinaryFormat,
    ) -> Outcome<()> {
        if format != expected {
            return fail(format!("the object's format is {format:?}"));
        }
        if ![convention.name, "c"].contains(&self.convention.as_str()) {
            return fail(format!("its convention is {}, not {}", self.convention, convention.name));
        }
        Ok(())
    }

    /// Its operands and its result are those of a contract.
    fn takes_and_gives(&self, contract: &Contract) -> Outcome<()> {
        let below = |high: &BigInt| bound_text(high, &contract.p, contract.limbs);
        let values = |name: &str, values: usize, high: &BigInt| Values {
            name: name.to_string(),
            values,
            below: below(high),
        };
        let operands: Vec<_> =
            contract.operands.iter().map(|o| values(&o.name, o.values, &o.high)).collect();
        let result = values("z", contract.results(), &contract.most);
        if operands != self.operands || result != self.result {
            return fail("its operands or its result are not those of the operation");
        }
        Ok(())
    }
}

fn parsed(path: &str, text: &[u8]) -> Outcome<Certificate> {
    serde_json::from_slice(text).map_err(|why| format!("{path}: {why}"))
}

fn is_object(data: &[u8]) -> bool {
    FileKind::parse(data).is_ok()
}
