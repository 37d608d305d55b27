//! The forms of instructions that tests run, each with the words that it takes and its cuts.

use crate::polynomial::Polynomial;
use std::arch::naked_asm;

/// Bytes of a form with its constants.
pub(crate) const SIZE: usize = 512;
/// Of the register that blends have.
pub(crate) const MASK: u64 = 0b1010_0110;

/// Of the register that takes lower halves.
pub(crate) const LOWER: u64 = 0x5555;

/// A count that is not used, a result, and three vectors.
type Run = unsafe extern "sysv64" fn(u64, *mut u64, *const u64);

/// zmm1, zmm2 and zmm3 are loaded, variables 0, 1 and 2; then zmm1 is the result.
pub(crate) struct Form {
    pub(crate) text: &'static str,
    pub(crate) run: Run,
    /// The largest values of the words of these registers.
    pub(crate) highs: [u64; 3],
    /// Cuts, as a certificate has them.
    pub(crate) steps: &'static str,
    /// What the sign of is known, if something is.
    pub(crate) split: &'static str,
    /// Of a vector: eight or four.
    pub(crate) places: usize,
}

impl Form {
    pub(crate) fn split(&self) -> Option<Polynomial> {
        let is_there = !self.split.is_empty();
        is_there.then(|| serde_json::from_str(self.split).expect("an integer"))
    }
}

macro_rules! form {
    ($text:literal, $highs:expr, $steps:literal, $split:literal) => {{
        #[unsafe(naked)]
        unsafe extern "sysv64" fn run(_: u64, _: *mut u64, _: *const u64) {
            naked_asm!(
                "66:",
                "push rbp",
                "mov rbp, rsp",
                "sub rsp, 64",
                "and rsp, -64",
                "mov eax, {mask}",
                "kmovb k2, eax",
                "mov eax, {lower}",
                "kmovw k4, eax",
                "vmovdqu64 zmm1, [rdx]",
                "vmovdqu64 zmm2, [rdx + 64]",
                "vmovdqu64 zmm3, [rdx + 128]",
                $text,
                "vmovdqu64 [rsi], zmm1",
                "vzeroupper",
                "mov rsp, rbp",
                "pop rbp",
                "ret",
                "55: .quad 0xfffffffffffff",
                "56: .quad 0x8123456789abcdef",
                "57: .quad 3, 9, 0, 15, 7, 6, 12, 5",
                "58: .quad 0x4330000000000000", // the double 2^52
                "59: .quad 0x4670000000000000", // 2^104
                "77: .skip {size} - (77b - 66b)",
                mask = const MASK,
                lower = const LOWER,
                size = const SIZE,
            )
        }
        Form { text: $text, run, highs: $highs, steps: $steps, split: $split, places: 8 }
    }};
}

const WORDS: [u64; 3] = [u64::MAX; 3];
/// Below 2^32.
const HALVES: [u64; 3] = [u64::MAX >> 32; 3];
/// Digits of 52 bits, and of 26.
const DIGITS: [u64; 3] = [u64::MAX >> 12; 3];
const SHORT_DIGITS: [u64; 3] = [u64::MAX >> 38; 3];
/// Below 2^62: their differences are words in two's complement.
const SHORT: [u64; 3] = [u64::MAX >> 2; 3];

pub(crate) fn forms() -> Vec<Form> {
    let all = [moves(), sums(), bits(), merges(), products(), words(), halves(), doubles()];
    all.into_iter().flatten().collect()
}

fn moves() -> Vec<Form> {
    vec![
        form!("vmovdqa64 zmm1, zmm2", WORDS, "[]", ""),
        form!("vmovdqa64 [rsp], zmm3\nvmovdqa64 zmm1, [rsp]", WORDS, "[]", ""),
        form!("vpbroadcastq zmm1, [rip + 56f]", WORDS, "[]", ""),
        form!("vpxorq zmm1, zmm2, zmm2", WORDS, "[]", ""),
        form!("vmovdqu64 zmm4, [rip + 57f]\nvpermq zmm1, zmm4, zmm3", WORDS, "[]", ""),
        form!("vmovdqu64 zmm4, [rip + 57f]\nvpermq zmm1, zmm4, [rdx + 64]", WORDS, "[]", ""),
        form!("vmovdqu64 zmm1, [rip + 57f]\nvpermi2q zmm1, zmm2, zmm3", WORDS, "[]", ""),
        form!("vpblendmq zmm1 {{k2}}, zmm2, zmm3", WORDS, "[]", ""),
        form!("vpblendmq zmm1 {{k2}}, zmm2, [rdx]", WORDS, "[]", ""),
    ]
}

fn sums() -> Vec<Form> {
    vec![
        form!("vpaddq zmm1, zmm2, zmm3", WORDS, "[]", ""),
        form!("vpsubq zmm1, zmm2, zmm3", WORDS, "[]", ""),
        form!("vpaddq zmm1, zmm2, [rdx + 128]", WORDS, "[]", ""),
        form!("vpsubq zmm1, zmm2, qword ptr [rip + 56f]{{1to8}}", WORDS, "[]", ""),
    ]
}

fn bits() -> Vec<Form> {
    let difference = r#"[{"cut": [52, [["0x1", [1]], ["-0x1", [2]]]]}]"#;
    let mut forms = vec![
        form!(
            "vpandq zmm1, zmm2, qword ptr [rip + 55f]{{1to8}}",
            WORDS,
            r#"[{"cut": [52, [["0x1", [1]]]]}]"#,
            ""
        ),
        form!("vpsrlq zmm1, zmm2, 12", WORDS, r#"[{"cut": [12, [["0x1", [1]]]]}]"#, ""),
        form!("vpsllq zmm1, zmm2, 51", WORDS, r#"[{"cut": [13, [["0x1", [1]]]]}]"#, ""),
        form!(
            "vpshrdq zmm1, zmm2, zmm3, 12",
            WORDS,
            r#"[{"cut": [12, [["0x1", [1]]]]}, {"cut": [12, [["0x1", [2]]]]}]"#,
            ""
        ),
        form!("vpsubq zmm2, zmm2, zmm3\nvpsraq zmm1, zmm2, 63", SHORT, "[]", ""),
        form!("vpsubq zmm2, zmm2, zmm3\nvpsraq zmm1, zmm2, 52", SHORT, "", ""),
    ];
    for form in forms.iter_mut().filter(|form| form.steps.is_empty()) {
        form.steps = difference;
    }
    forms
}

/// By the sign of the difference of two registers.
fn merges() -> Vec<Form> {
    let mut forms = vec![
        form!("vpcmpltuq k3, zmm2, zmm3\nvpaddq zmm1 {{k3}}, zmm2, zmm3", WORDS, "[]", ""),
        form!("vpcmpltuq k3, zmm2, [rdx + 128]\nvpsubq zmm1 {{k3}}, zmm1, zmm3", WORDS, "[]", ""),
        form!(
            "vpsubq zmm1, zmm2, zmm3\nvpsraq zmm1, zmm1, 63\nvpternlogq zmm1, zmm2, zmm3, 0xca",
            SHORT,
            "[]",
            ""
        ),
        form!(
            "vpsubq zmm4, zmm2, zmm3\nvpsraq zmm4, zmm4, 63\nvpternlogq zmm1, zmm4, zmm3, 0xe2",
            SHORT,
            "[]",
            ""
        ),
        form!(
            "vpsubq zmm4, zmm2, zmm3\nvpsraq zmm4, zmm4, 63\nvpternlogq zmm1, zmm4, zmm3, 0xb8",
            SHORT,
            "[]",
            ""
        ),
    ];
    for form in &mut forms {
        form.split = r#"[["0x1", [1]], ["-0x1", [2]]]"#;
    }
    forms
}

fn products() -> Vec<Form> {
    let mut forms = vec![
        form!("vpmadd52luq zmm1, zmm2, zmm3", WORDS, "", ""),
        form!("vpmadd52huq zmm1, zmm2, zmm3", WORDS, "", ""),
        form!("vpmadd52huq zmm1, zmm2, [rdx + 128]", WORDS, "", ""),
    ];
    for form in &mut forms {
        form.steps = r#"[{"cut": [52, [["0x1", [1]]]]}, {"cut": [52, [["0x1", [2]]]]},
            {"cut": [52, [["0x1", [3, 5]]]]}]"#;
    }
    forms
}

/// Of words whose low halves are multiplied, and the smaller one of two.
fn words() -> Vec<Form> {
    let cuts = r#"[{"cut": [32, [["0x1", [1]]]]}, {"cut": [32, [["0x1", [2]]]]}]"#;
    let mut forms = vec![
        form!("vpmuludq zmm1, zmm2, zmm3", WORDS, "", ""),
        form!("vpmuludq zmm1, zmm2, [rdx + 128]", WORDS, "", ""),
        form!("vpminuq zmm1, zmm2, zmm3", WORDS, "[]", r#"[["0x1", [1]], ["-0x1", [2]]]"#),
    ];
    for form in forms.iter_mut().filter(|form| form.steps.is_empty()) {
        form.steps = cuts;
    }
    forms
}

/// The lower halves of words below 2^32; then such words as upper halves.
fn halves() -> Vec<Form> {
    let raised = r#"[{"low": [32, [], [["0x1", [1]]]]}, {"low": [32, [], [["0x1", [2]]]]}]"#;
    let sum = r#"[["-0x100000000", []], ["0x1", [1]], ["0x1", [2]]]"#;
    let difference = r#"[["0x1", [1]], ["-0x1", [2]]]"#;
    let mut forms = vec![
        form!("vpaddd zmm1, zmm2, zmm3", HALVES, "[]", "+"),
        form!("vpsubd zmm1, zmm2, zmm3", HALVES, "[]", "-"),
        form!("vpminud zmm1, zmm2, zmm3", HALVES, "[]", "-"),
        form!(
            "vpsllq zmm2, zmm2, 32\nvpsllq zmm3, zmm3, 32\nvpaddd zmm1, zmm2, zmm3",
            HALVES,
            "",
            "+"
        ),
        form!(
            "vpsllq zmm2, zmm2, 32\nvpsllq zmm3, zmm3, 32\nvpsubd zmm1, zmm2, zmm3",
            HALVES,
            "",
            "-"
        ),
        form!(
            "vpsllq zmm2, zmm2, 32\nvpsllq zmm3, zmm3, 32\nvpminud zmm1, zmm2, zmm3",
            HALVES,
            "",
            "-"
        ),
        form!("vmovshdup zmm1, zmm2", WORDS, r#"[{"cut": [32, [["0x1", [1]]]]}]"#, ""),
        form!("vmovshdup zmm1, [rdx + 64]", WORDS, r#"[{"cut": [32, [["0x1", [1]]]]}]"#, ""),
        form!(
            "vmovshdup zmm1 {{k4}}, zmm2",
            WORDS,
            r#"[{"cut": [32, [["0x1", [0]]]]}, {"cut": [32, [["0x1", [1]]]]}]"#,
            ""
        ),
    ];
    for form in &mut forms {
        form.steps = if form.steps.is_empty() { raised } else { form.steps };
        form.split = match form.split {
            "+" => sum,
            "-" => difference,
            _ => "",
        };
    }
    forms
}

/// Of doubles that hold integers: as doubles, and by their bits.
fn doubles() -> Vec<Form> {
    let mut forms = vec![
        form!("vcvtuqq2pd zmm1, zmm2", DIGITS, "[]", ""),
        form!(
            "vcvtuqq2pd zmm2, zmm2\nvcvtuqq2pd zmm3, zmm3\nvsubpd zmm1, zmm2, zmm3",
            DIGITS,
            "[]",
            ""
        ),
        form!(
            "vpaddq zmm2, zmm2, qword ptr [rip + 58f]{{1to8}}
            vsubpd zmm1, zmm2, qword ptr [rip + 58f]{{1to8}}",
            DIGITS,
            "[]",
            ""
        ),
        form!(
            "vcvtuqq2pd zmm1, zmm1\nvcvtuqq2pd zmm2, zmm2\nvcvtuqq2pd zmm3, zmm3
            vfmadd231pd zmm1, zmm2, zmm3",
            SHORT_DIGITS,
            "[]",
            ""
        ),
        form!(
            "vpbroadcastq zmm1, [rip + 59f]\nvcvtuqq2pd zmm2, zmm2\nvcvtuqq2pd zmm3, zmm3
            vfmadd231pd zmm1, zmm2, zmm3, {{rz-sae}}",
            DIGITS,
            "",
            ""
        ),
        form!(
            "vpbroadcastq zmm1, [rip + 59f]\nvcvtuqq2pd zmm2, zmm2\nvcvtuqq2pd zmm3, zmm3
            vfmadd231pd zmm1, zmm2, zmm3, {{rz-sae}}\nvpxorq zmm4, zmm4, zmm4
            vpaddq zmm1, zmm1, zmm4",
            DIGITS,
            "",
            ""
        ),
    ];
    for form in forms.iter_mut().filter(|form| form.steps.is_empty()) {
        form.steps = r#"[{"cut": [52, [["0x1", [1, 2]]]]}]"#;
    }
    forms
}
