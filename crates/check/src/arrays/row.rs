//! What a manifest says of kernels on arrays.

use crate::arrays::beside::Objects;
use crate::arrays::certificate::{ArrayCertificate, ArrayContract, Numbers};
use crate::arrays::claims::of_family;
use crate::arrays::columns::digits_of;
use crate::arrays::entry::{Entry, name_of};
use crate::arrays::layout::{DIGIT, HALF, WORD};
use crate::arrays::task::{LaneOperand, Task};
use crate::arrays::transforms::is_of_transforms;
use crate::arrays::verify::verify_arrays;
use crate::digest::{digest_of, digest_of_parts};
use crate::needs::are_named;
use crate::polynomial::{Integer, Written};
use crate::{Outcome, fail, object_code};
use num_bigint::BigInt;
use serde::Deserialize;
use std::collections::BTreeMap;

/// The layouts of sums of products, of products in towers, of transforms, and of what changes the layout.
const COLUMNS: &str = "columns";
const MULTIPLES: &str = "multiples";
const TRANSFORM: &str = "transform";
const TO_DIGITS: &str = "array-to-canonical-digits";
const FROM_DIGITS: &str = "digits-to-array";

/// What the manifest says of one kernel on arrays, as far as it is checked.
#[derive(Debug, Deserialize)]
pub(crate) struct ArrayRow {
    pub(crate) symbol: String,
    pub(crate) object: String,
    pub(crate) certificate: Option<String>,
    certificate_digest: Option<String>,
    status: String,
    op: String,
    target: String,
    layout: String,
    word: u32,
    n: usize,
    #[serde(rename = "R")]
    r: Written,
    convention: String,
    /// Extensions of the processor, by LLVM's names.
    #[serde(default)]
    needs: Vec<String>,
    /// By which Windows calls it.
    entry: Option<Entry>,
    contract: String,
    digest: String,
    family: String,
    parameters: serde_json::Value,
    operands: Vec<Elements>,
    result: Elements,
    /// Of sums in columns: how often a lane adds, how far columns are apart.
    turns: Option<u64>,
    column_bits: Option<u32>,
    /// Of sums of products by values below so many p.
    multiple: Option<u64>,
    #[serde(default)]
    in_digits: Vec<String>,
    /// Of transforms, whose arrays are in limbs or in digits, or are one block for all elements.
    #[serde(default)]
    gives_digits: bool,
    #[serde(default)]
    shared: Vec<String>,
}

/// Values of an operand or of results, for each element, and what each is below.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
struct Elements {
    name: String,
    values: usize,
    below: String,
}

impl ArrayRow {
    /// Whether it was proved by a certificate; false where it has none, and only its function is
    /// looked for. The files are given by their paths.
    pub(crate) fn is_proved(
        &self,
        files: &BTreeMap<String, Vec<u8>>,
        objects: &Objects<'_>,
        p: &BigInt,
    ) -> Outcome<bool> {
        let name = |why| format!("{} {}: {why}", self.target, self.symbol);
        let beside = |proved| self.beside(files, objects).map(|()| proved);
        self.check(files, p).and_then(beside).map_err(name)
    }

    /// The objects that it names.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &str> {
        let of_entry = self.entry.iter().map(|entry| entry.object.as_str());
        of_entry.chain([self.object.as_str()])
    }

    /// What is not in the certificate: its needs, other objects that have it, its entry.
    fn beside(&self, files: &BTreeMap<String, Vec<u8>>, objects: &Objects<'_>) -> Outcome<()> {
        let Self { object, symbol, target, .. } = self;
        let data = files.get(object).ok_or(format!("there is no {object}"))?;
        are_named(&self.needs, target, data, symbol)?;
        objects.are_same(object, symbol)?;
        self.has_own_entry(files, objects)
    }

    fn check(&self, files: &BTreeMap<String, Vec<u8>>, p: &BigInt) -> Outcome<bool> {
        let Self { object, status, .. } = self;
        let file = |path: &String| files.get(path).ok_or(format!("there is no {path}"));
        let data = file(object)?;
        if status != "PROVED" {
            return fail(format!("a kernel on arrays is {status}"));
        }
        self.has_function(data)?;
        let text = self.certificate.as_ref().map(file).transpose()?;
        let prime = format!("{p:#x}");
        let proof = text.map_or(&[][..], Vec::as_slice);
        let parts = [data, prime.as_bytes(), self.contract.as_bytes(), proof];
        if self.certificate_digest != text.map(|text| digest_of(text)) {
            return fail("the certificate is not the one that certificate_digest is of");
        }
        if self.digest != digest_of_parts(&parts) {
            return fail("its files are not those that the digest is of");
        }
        let (Some(path), Some(text)) = (&self.certificate, text) else {
            return if self.needs_certificate() {
                fail("it has no certificate")
            } else {
                Ok(false)
            };
        };
        let certificate: ArrayCertificate =
            serde_json::from_slice(text).map_err(|why| format!("{path}: {why}"))?;
        self.is_claimed(&certificate, p)?;
        verify_arrays(&certificate, data).map_err(|why| format!("{path}: {why}"))?;
        Ok(true)
    }

    /// Whether kernels like it have certificates: operations on elements in one layout.
    fn needs_certificate(&self) -> bool {
        let layouts: &[_] = match self.family.as_str() {
            "accumulate" | "collect" => &[COLUMNS, MULTIPLES],
            "mul_by" | "reduce" => &[TRANSFORM],
            family if is_of_transforms(family) => &[TRANSFORM],
            "to_digits" => &[TO_DIGITS],
            "from_digits" => &[FROM_DIGITS],
            family if of_family(family).is_some() => &["array", "digits", "canonical-digits"],
            _ => &[],
        };
        layouts.contains(&self.layout.as_str())
    }

    /// Its function is in the object, where no linker changes it.
    fn has_function(&self, data: &[u8]) -> Outcome<()> {
        let Self { symbol, object, .. } = self;
        object_code::function(data, symbol).map_err(|why| format!("{object}: {why}"))?;
        Ok(())
    }

    /// Where Windows has an entry, that is the kernel's own, with as many arguments.
    fn has_own_entry(
        &self,
        files: &BTreeMap<String, Vec<u8>>,
        objects: &Objects<'_>,
    ) -> Outcome<()> {
        let Some(entry) = &self.entry else {
            let name = name_of(&self.symbol);
            let why = format!("an object has {name}, which its row does not name");
            return if objects.have(&name) { fail(why) } else { Ok(()) };
        };
        let results = if self.family == "accumulate" { 0 } else { self.result.values };
        let object = files.get(&entry.object).ok_or(format!("there is no {}", entry.object))?;
        entry.calls(&self.symbol, 1 + results + self.operands.len(), object)
    }

    /// The certificate claims what the row does.
    fn is_claimed(&self, certificate: &ArrayCertificate, p: &BigInt) -> Outcome<()> {
        let ArrayContract { operation, family, parameters, convention, turns, multiple, .. } =
            &certificate.contract;
        let stated = &certificate.contract.p.0;
        let numbers: Numbers = serde_json::from_value(self.parameters.clone())
            .map_err(|why| format!("its parameters: {why}"))?;
        let r = BigInt::from(1) << (self.word as usize * self.n.min(1 << 10));
        let faults = [
            (certificate.symbol != self.symbol, "the certificate is of another symbol"),
            (*operation != self.op || *family != self.family, "the certificate is of another one"),
            (*parameters != numbers, "the certificate has other parameters"),
            (stated != p, "the certificate's prime is another one"),
            (!self.has_words(&certificate.contract), "the certificate has other words"),
            (*turns != self.turns, "the certificate has other turns"),
            (*multiple != self.multiple, "the certificate has another multiple"),
            (*convention != self.convention, "the certificate has another convention"),
            (self.r.0 != r, "R is not 2^(word*n)"),
            (self.layout != self.expected_layout(numbers.lazy), "its layout is another one"),
            (!self.is_named(), "its symbol does not say operation, layout and target"),
        ];
        if let Some((_, why)) = faults.into_iter().find(|(is_wrong, _)| *is_wrong) {
            return fail(why);
        }
        let task = certificate.contract.task()?;
        let result = result(&certificate.contract, &task);
        if (&self.operands, &self.result) != (&operands(&certificate.contract, &task), &result) {
            return fail("its operands or its result are not those of the operation");
        }
        Ok(())
    }

    /// Whether a contract's elements have the row's words: those of sums may be in digits.
    fn has_words(&self, contract: &ArrayContract) -> bool {
        let ArrayContract { words, word_bits, mixed, shared, .. } = contract;
        let Self { n, word, in_digits, gives_digits, .. } = self;
        let has = |names: &[&str], gives| match mixed {
            Some(mixed) => mixed.in_digits == names && mixed.gives_digits == gives,
            None => false,
        };
        let is_same = (words, word_bits) == (n, word);
        if *shared != self.shared {
            return false;
        }
        match self.layout.as_str() {
            COLUMNS | MULTIPLES => {
                let digits: &[_] = if *word_bits == DIGIT { &["x", "y"] } else { &[] };
                let has_columns = self.column_bits == Some(contract.column_bits.unwrap_or(DIGIT));
                let is_word = *word == if *word_bits == HALF { HALF } else { WORD };
                let has_words = is_word && words == n && in_digits == digits;
                has_columns && has_words && mixed.is_none()
            }
            TRANSFORM => {
                let names: Vec<_> = in_digits.iter().map(String::as_str).collect();
                let is_in_digits = *word == DIGIT && digits_of(*words) == *n;
                (is_same || is_in_digits) && has(&names, *gives_digits)
            }
            TO_DIGITS => is_same && has(&[], true),
            FROM_DIGITS => *word == DIGIT && digits_of(*words) == *n && has(&["x"], false),
            _ => is_same && mixed.is_none() && in_digits.is_empty(),
        }
    }

    /// Whether its symbol ends with operation, layout and target; in a Rust package a digest follows.
    fn is_named(&self) -> bool {
        let Self { op, layout, target, .. } = self;
        let symbol = without_digest(&self.symbol);
        let operation = op.strip_suffix("_lazy").unwrap_or(op);
        if layout == TRANSFORM {
            let (role, of_moves) = match (op.as_str(), self.family.as_str()) {
                ("mul_by_1", _) => ("enter", Some("cut")),
                (_, "mul_by") => ("root", None),
                (_, "reduce") => ("leave", Some("join")),
                (_, "mul_into") => ("times", None),
                (_, "move_up") => ("move_up", None),
                (_, "mul_rows") => ("next_power", None),
                (_, "drop_digit") => ("next_row", None),
                (_, "butterfly_one") => ("step_one", None),
                (_, "butterfly_loose") => ("step_loose", None),
                _ => ("step_by", None),
            };
            let is_move = |role| symbol.ends_with(&format!("_{role}_{target}"));
            return symbol.ends_with(&format!("_{TRANSFORM}_{role}_{target}"))
                || of_moves.is_some_and(is_move);
        }
        if [TO_DIGITS, FROM_DIGITS].contains(&layout.as_str()) {
            return symbol.ends_with(&format!("_{op}_{target}"));
        }
        let layout = match layout.as_str() {
            "array" | COLUMNS if self.word == HALF => "array32",
            COLUMNS if self.in_digits.is_empty() => "array",
            COLUMNS => "digits",
            layout => layout,
        };
        let end = format!("_{operation}_{}_{target}", layout.replace('-', "_"));
        symbol.ends_with(&end)
    }

    /// The layout of values that may be so lazy.
    fn expected_layout(&self, lazy: u32) -> &'static str {
        match (self.turns, lazy, self.word) {
            (Some(_), ..) if self.multiple.is_some() => MULTIPLES,
            (Some(_), ..) => COLUMNS,
            _ if self.family == "to_digits" => TO_DIGITS,
            _ if self.family == "from_digits" => FROM_DIGITS,
            _ if self.gives_digits || self.family == "reduce" => TRANSFORM,
            (None, 1.., DIGIT) => "digits",
            (None, 0, DIGIT) => "canonical-digits",
            (None, 0, WORD | HALF) => "array",
            _ => "",
        }
    }
}

/// What a manifest says of the operands of a contract.
fn operands(contract: &ArrayContract, task: &Task) -> Vec<Elements> {
    let ArrayContract { p: Integer(p), turns, multiple, .. } = contract;
    let shown = task.operands.iter().filter(|operand| !operand.words.is_empty());
    let of = |(at, operand): (usize, &LaneOperand)| {
        let values = if operand.layout.is_halved && turns.is_some() { 2 } else { operand.values };
        let radix = BigInt::from(1) << DIGIT;
        let is_plain = &operand.high + 1u32 == radix;
        let most = below(&operand.high, p, turns.is_some(), multiple.is_some());
        let most = if is_plain { radix.to_string() } else { most };
        let elements = Elements { name: operand.shown().to_string(), values, below: most };
        match turns {
            Some(turns) if at == 0 && contract.has_column_words() => {
                let before = contract.family == "accumulate";
                column_words("t", turns - u64::from(before))
            }
            _ => elements,
        }
    };
    shown.enumerate().map(of).collect()
}

/// What a manifest says of its results.
fn result(contract: &ArrayContract, task: &Task) -> Elements {
    let ArrayContract { p: Integer(p), turns, multiple, .. } = contract;
    if let (Some(turns), true, true) = (turns, contract.has_column_words(), task.growth.is_some()) {
        return column_words("z", *turns);
    }
    let below = below(&task.most, p, turns.is_some(), multiple.is_some());
    Elements { name: "z".to_string(), values: task.results(), below }
}

/// Two columns of words after some turns.
fn column_words(name: &str, turns: u64) -> Elements {
    let below = (BigInt::from(turns) << HALF).to_string();
    Elements { name: name.to_string(), values: 2, below }
}

/// A symbol without the digest of a text at its end: 16 hexadecimal digits.
fn without_digest(symbol: &str) -> &str {
    let is_digit = |c: char| matches!(c, '0'..='9' | 'a'..='f');
    match symbol.rsplit_once('_') {
        Some((name, end)) if end.len() == 16 && end.chars().all(is_digit) => name,
        _ => symbol,
    }
}

/// What values up to `high` are below, as a manifest says it: a multiple of p, or of p*p for sums of
/// products that are up to (p - 1)*(p - 1), or to p*p where factors are below multiples of p.
fn below(high: &BigInt, p: &BigInt, has_sums: bool, is_multiple: bool) -> String {
    let one: &BigInt = &1.into();
    let square: BigInt = if is_multiple { p * p } else { (p - one) * (p - one) };
    let is_sum = has_sums && high % &square == BigInt::ZERO;
    let (factor, of) = if is_sum { (high / square, "p*p") } else { ((high + one) / p, "p") };
    if factor == *one { of.to_string() } else { format!("{factor}{of}") }
}
