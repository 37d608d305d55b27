//! A whole kernel is accepted, and nothing that is changed: its bytes, its certificate, its contract.

use crate::Outcome;
use crate::arrays::certificate::{ArrayContract, certificate_of};
use crate::arrays::verify::replay;
use iced_x86::{Decoder, DecoderOptions};

/// `double` modulo 2^61 - 1 on canonical digits, as `fieldc build 2^61-1 --batch --op double` writes
/// it; 50 bytes of padding before the block, and as many after the end, are put in by `code`.
const CODE: [&[u8]; 3] = [
    &[0x48, 0x83, 0xc7, 0x07, 0x48, 0xc1, 0xef, 0x03, 0x0f, 0x84, 0xc6, 0x00, 0x00, 0x00],
    &[
        0x62, 0xf1, 0xfe, 0x48, 0x6f, 0x02, 0x62, 0xf1, 0xfd, 0x48, 0xd4, 0xc0, 0x62, 0xf1, 0xfe,
        0x48, 0x6f, 0x4a, 0x01, 0x62, 0xf1, 0xf5, 0x48, 0xd4, 0xc9, 0x62, 0xf1, 0xfd, 0x58, 0xfb,
        0x15, 0x9d, 0x00, 0x00, 0x00, 0x62, 0xf1, 0xf5, 0x58, 0xfb, 0x1d, 0x9b, 0x00, 0x00, 0x00,
        0x62, 0xf1, 0xdd, 0x48, 0x72, 0xe2, 0x34, 0x62, 0xf1, 0xe5, 0x48, 0xd4, 0xe4, 0x62, 0xf1,
        0xe5, 0x48, 0x72, 0xe4, 0x3f, 0x62, 0xf1, 0xd5, 0x48, 0x73, 0xd0, 0x34, 0x62, 0xf1, 0xf5,
        0x48, 0xd4, 0xed, 0x62, 0xf3, 0xe5, 0x48, 0x25, 0xc2, 0xe2, 0x62, 0xf3, 0xd5, 0x48, 0x25,
        0xdc, 0xca, 0x62, 0xf1, 0xfd, 0x58, 0xdb, 0x05, 0x5a, 0x00, 0x00, 0x00, 0x62, 0xf1, 0xe5,
        0x58, 0xdb, 0x1d, 0x50, 0x00, 0x00, 0x00, 0x62, 0xf1, 0xfe, 0x48, 0x7f, 0x06, 0x62, 0xf1,
        0xfe, 0x48, 0x7f, 0x5e, 0x01, 0x48, 0x81, 0xc6, 0x80, 0x00, 0x00, 0x00, 0x48, 0x81, 0xc2,
        0x80, 0x00, 0x00, 0x00, 0x48, 0xff, 0xcf, 0x0f, 0x85, 0x6c, 0xff, 0xff, 0xff, 0xc5, 0xf8,
        0x77, 0xc3,
    ],
    &[
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x00, 0xff, 0x01, 0x00, 0x00, 0x00, 0x00, 0x00,
        0x00,
    ],
];

const CERTIFICATE: &str = r#"
    {"format": "fieldc-array-certificate-1", "symbol": "kernel", "contract": {"operation":
    "double", "family": "double", "parameters": {}, "p": "0x1fffffffffffffff", "words": 2,
    "word_bits": 52, "convention": "sysv"}, "loop": {"elements": 8, "frame": 0, "masks": [],
    "advances": [128, 128], "block": [64, 189], "tail": null}, "block": {"steps": [{"cut": [52,
    [["-0xfffffffffffff", []], ["0x2", [0]]]]}, {"cut": [52, [["0xfffffffffffff", [2]]]]},
    {"low": [52, [[0, [["0xfffffffffffff", []], ["-0x1", [4]]]]], [["-0xfffffffffffff", []],
    ["0x2", [0]], ["-0xfffffffffffff", [3]], ["-0x1", [5]]]]}], "split": [["-0x1ff", []],
    ["0x2", [1]], ["0x1", [3]]], "negative": {"steps": [], "canonical": [{"scale": "0x1",
    "slopes": [], "signs": [[0, "-0x10000000000000"]]}]}, "other": {"steps": [], "canonical":
    [{"scale": "0x1", "slopes": [["0x2", ["x"]]], "signs": []}]}}}
"#;

const PADDING: [u8; 50] = [0x90; 50];
/// Of the code of a block.
const BLOCK: std::ops::Range<usize> = 64..189;

fn code() -> Vec<u8> {
    let mut code = CODE[0].to_vec();
    for (padding, part) in [(&PADDING[..], CODE[1]), (&PADDING[..40], CODE[2])] {
        code.extend(padding);
        code.extend(part);
    }
    code
}

fn answer(certificate: &str, code: &[u8]) -> Outcome<()> {
    let certificate = certificate_of(certificate.as_bytes()).map_err(|why| why.to_string())?;
    replay(&certificate.ok_or("no certificate of arrays")?, code)
}

#[test]
fn the_kernel_is_proved() {
    assert_eq!(answer(CERTIFICATE, &code()), Ok(()));
}

/// Bits that change nothing: of registers' numbers in prefixes where there is no such register.
const MEANINGLESS: [(usize, u8); 11] = [
    (0, 1),
    (0, 2),
    (4, 1),
    (4, 2),
    (189, 1),
    (189, 2),
    (196, 1),
    (196, 2),
    (203, 1),
    (203, 2),
    (213, 7),
];
/// Bits of the register that the second `vpandq` writes: the one that it reads is a digit already,
/// and that is stored then.
const NOT_NEEDED: [(usize, u8); 5] = [(167, 4), (167, 7), (171, 3), (171, 4), (171, 5)];

#[test]
fn no_bit_of_the_code_may_change() {
    let given = code();
    let is_padding = |at: usize| (14..64).contains(&at) || (216..256).contains(&at);
    let mut kept = Vec::new();
    for at in (0..given.len()).filter(|at| !is_padding(*at)) {
        for bit in 0..8 {
            let mut changed = given.clone();
            changed[at] ^= 1 << bit;
            if answer(CERTIFICATE, &changed).is_ok() {
                kept.push((at, bit));
            }
        }
    }
    let mut expected = [&MEANINGLESS[..], &NOT_NEEDED[..]].concat();
    expected.sort_unstable();
    assert_eq!(kept, expected);
}

/// `vmovdqu64 zmm30, [rdx]`, in the lengths of the block's instructions: it changes nothing.
const NOTHING: [&[u8]; 3] = [
    &[0x62, 0x61, 0xfe, 0x48, 0x6f, 0x32],
    &[0x62, 0x61, 0xfe, 0x48, 0x6f, 0x72, 0],
    &[0x62, 0x61, 0xfe, 0x48, 0x6f, 0xb2, 0, 0, 0, 0],
];

#[test]
fn no_instruction_may_be_left_out() {
    let given = code();
    let mut kept = Vec::new();
    for i in Decoder::with_ip(64, &given[BLOCK], BLOCK.start as u64, DecoderOptions::NONE) {
        let nothing = NOTHING.into_iter().find(|code| code.len() == i.len());
        let mut changed = given.clone();
        changed[i.ip() as usize..i.next_ip() as usize].copy_from_slice(nothing.expect("a length"));
        if answer(CERTIFICATE, &changed).is_ok() {
            kept.push(i.ip());
        }
    }
    assert_eq!(kept, [166]); // the second `vpandq`, as above
}

/// A text of the certificate, what takes its place, and what the answer says.
const CHANGED: [(&str, &str, &str); 23] = [
    ("-certificate-1", "-certificate-2", "unknown variant"),
    (r#""double", "family""#, r#""add", "family""#, "contract: no add"),
    (r#""family": "double""#, r#""family": "neg""#, "contract: no double"),
    ("0x1fffffffffffffff", "0x1ffffffffffffffd", "at most"),
    ("0x1fffffffffffffff", "0x1ffffffffffffffe", "no odd p"),
    (r#""words": 2"#, r#""words": 1"#, "contract: no double of values"),
    (r#""words": 2"#, r#""words": 3"#, "the loop has"),
    (r#""word_bits": 52"#, r#""word_bits": 64"#, "the loop has"),
    (r#""sysv""#, r#""win64""#, "contract: no double on arrays"),
    (r#"{}"#, r#"{"lazy": 1}"#, "contract: no double on arrays"),
    (r#"{}"#, r#"{"factor": 2}"#, "contract: no double on arrays"),
    ("[128, 128]", "[128, 64]", "other parts"),
    ("[64, 189]", "[64, 182]", "other parts"),
    (r#""elements": 8"#, r#""elements": 16"#, "other parts"),
    (r#""cut": [52"#, r#""cut": [51"#, "low 52 bits"),
    (r#"["-0x1", [4]]"#, r#"["0x1", [4]]"#, "low bits that may be"),
    (r#"["-0x1", [5]]"#, r#"["-0x2", [5]]"#, "low 52 bits"),
    (r#"[["-0x1ff", []], ["0x2", [1]]"#, r#"[["-0x1fe", []], ["0x2", [1]]"#, "decide a sign"),
    ("-0x10000000000000\"]]", "-0xfffffffffffff\"]]", "at most"),
    ("-0x10000000000000\"]]", "0x10000000000000\"]]", "says the opposite"),
    (r#"["0x2", ["x"]]"#, r#"["0x3", ["x"]]"#, "at most"),
    (r#""scale": "0x1", "#, r#""scale": "0x1", "rests": [["0x0", [3]]], "#, "may be negative"),
    (r#""scale": "0x1", "#, r#""scale": "0x1", "rests": [["0x0", [9]]], "#, "no variable 9"),
];

#[test]
fn a_changed_certificate_is_refused() {
    let joined = CERTIFICATE.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(answer(&joined, &code()), Ok(()));
    for (old, new, why) in CHANGED {
        let changed = joined.replacen(old, new, 1);
        assert_ne!(changed, joined, "{old}");
        let said = answer(&changed, &code()).expect_err(new);
        assert!(said.contains(why), "{old} -> {new}: {said}");
    }
}

/// What leaves a transform of 768-bit values, below 77p there.
#[test]
fn residues_after_long_transforms_have_contracts() {
    let task_of = |lazy: u32| {
        let p = format!("0x9{:0191x}", 1);
        let text = format!(
            r#"{{"operation": "reduce_lazy", "family": "reduce", "parameters": {{"lazy": {lazy}}},
            "p": "{p}", "words": 12, "word_bits": 64, "convention": "sysv",
            "mixed": {{"in_digits": ["x"], "gives_digits": false}}}}"#
        );
        serde_json::from_str::<ArrayContract>(&text).unwrap().task().map(|_| ())
    };
    assert_eq!(task_of(76), Ok(()));
    assert_eq!(task_of(129), Err("contract: no reduce of such arrays".into()));
}
