//! The forms of instructions on vectors of 256 bits that tests run.

use crate::arrays::processor_forms::{Form, SIZE};
use std::arch::naked_asm;

macro_rules! form {
    ($text:literal, $highs:expr, $steps:literal, $split:literal) => {{
        #[unsafe(naked)]
        unsafe extern "sysv64" fn run(_: u64, _: *mut u64, _: *const u64) {
            naked_asm!(
                "66:",
                "push rbp",
                "mov rbp, rsp",
                "sub rsp, 128",
                "and rsp, -64",
                "vstmxcsr [rbp - 4]",
                "vldmxcsr [rip + 60f]",
                "vmovdqu ymm1, [rdx]",
                "vmovdqu ymm2, [rdx + 64]",
                "vmovdqu ymm3, [rdx + 128]",
                $text,
                "vmovdqu [rsi], ymm1",
                "vldmxcsr [rbp - 4]",
                "vzeroupper",
                "mov rsp, rbp",
                "pop rbp",
                "ret",
                ".p2align 5",
                "55: .quad 0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff, 0xfffffffffffff",
                "58: .quad 0x4330000000000000, 0x4330000000000000", // the double 2^52
                ".quad 0x4330000000000000, 0x4330000000000000",
                "59: .quad 0x4670000000000000, 0x4670000000000000", // 2^104
                ".quad 0x4670000000000000, 0x4670000000000000",
                "60: .long 0x7f80", // rounds to zero
                "77: .skip {size} - (77b - 66b)",
                size = const SIZE,
            )
        }
        Form { text: $text, run, highs: $highs, steps: $steps, split: $split, places: 4 }
    }};
}

const WORDS: [u64; 3] = [u64::MAX; 3];
const HALVES: [u64; 3] = [u64::MAX >> 32; 3];
/// Digits of 52 bits, and of 26.
const DIGITS: [u64; 3] = [u64::MAX >> 12; 3];
const SHORT_DIGITS: [u64; 3] = [u64::MAX >> 38; 3];
/// Below 2^62: their differences are words in two's complement.
const SHORT: [u64; 3] = [u64::MAX >> 2; 3];

pub(crate) fn short_forms() -> Vec<Form> {
    [moves(), words(), doubles()].into_iter().flatten().collect()
}

fn moves() -> Vec<Form> {
    vec![
        form!("vmovdqa ymm1, ymm2", WORDS, "[]", ""),
        form!("vmovdqa [rsp], ymm3\nvmovdqa ymm1, [rsp]", WORDS, "[]", ""),
        form!("vmovdqu [rsp], ymm3\nvmovdqu ymm1, [rsp]", WORDS, "[]", ""),
        form!("vmovdqu xmm1, [rdx + 64]", WORDS, "[]", ""),
        form!("vmovdqu xmm1, xmm2", WORDS, "[]", ""),
        form!("vmovdqu [rsi], xmm2\nvmovdqu ymm1, [rip + 55f]", WORDS, "[]", ""),
        form!("vinserti128 ymm1, ymm2, xmm3, 1", WORDS, "[]", ""),
        form!("vinserti128 ymm1, ymm2, [rdx + 144], 1", WORDS, "[]", ""),
        form!("vextracti128 xmm1, ymm2, 1", WORDS, "[]", ""),
        form!("vpunpcklqdq ymm1, ymm2, ymm3", WORDS, "[]", ""),
        form!("vpunpckhqdq ymm1, ymm2, [rdx + 128]", WORDS, "[]", ""),
        form!("vpbroadcastq ymm1, [rip + 55f]", WORDS, "[]", ""),
        form!("vpxor ymm1, ymm2, ymm2", WORDS, "[]", ""),
    ]
}

fn words() -> Vec<Form> {
    let difference = r#"[["0x1", [1]], ["-0x1", [2]]]"#;
    let mut forms = vec![
        form!("vpaddq ymm1, ymm2, ymm3", WORDS, "[]", ""),
        form!("vpsubq ymm1, ymm2, [rdx + 128]", WORDS, "[]", ""),
        form!("vpand ymm1, ymm2, [rip + 55f]", WORDS, r#"[{"cut": [52, [["0x1", [1]]]]}]"#, ""),
        form!("vpsrlq ymm1, ymm2, 12", WORDS, r#"[{"cut": [12, [["0x1", [1]]]]}]"#, ""),
        form!("vpsllq ymm1, ymm2, 51", WORDS, r#"[{"cut": [13, [["0x1", [1]]]]}]"#, ""),
        form!(
            "vpmuludq ymm1, ymm2, ymm3",
            WORDS,
            r#"[{"cut": [32, [["0x1", [1]]]]}, {"cut": [32, [["0x1", [2]]]]}]"#,
            ""
        ),
        form!("vpminud ymm1, ymm2, ymm3", HALVES, "[]", "-"),
        form!("vpsubq ymm4, ymm2, ymm3\nvblendvpd ymm1, ymm2, ymm3, ymm4", SHORT, "[]", "-"),
        form!("vpsubq ymm4, ymm2, ymm3\nvblendvpd ymm1, ymm2, [rdx], ymm4", SHORT, "[]", "-"),
        form!("vpcmpgtq ymm1, ymm2, ymm3", SHORT, "[]", r#"[["-0x1", [1]], ["0x1", [2]]]"#),
        form!("vpcmpgtq ymm1, ymm2, [rdx]", SHORT, "[]", r#"[["0x1", [0]], ["-0x1", [1]]]"#),
        form!(
            "vpcmpgtq ymm4, ymm2, ymm3\nvpand ymm1, ymm4, ymm2",
            SHORT,
            "[]",
            r#"[["-0x1", [1]], ["0x1", [2]]]"#
        ),
        form!(
            "vpsubq ymm2, ymm2, ymm1\nvpcmpgtq ymm1, ymm2, ymm3",
            SHORT,
            "[]",
            r#"[["0x1", [0]], ["-0x1", [1]], ["0x1", [2]]]"#
        ),
    ];
    for form in forms.iter_mut().filter(|form| form.split == "-") {
        form.split = difference;
    }
    forms
}

/// Of doubles that hold integers: from words above the bits of 2^52.
fn doubles() -> Vec<Form> {
    let mut forms = vec![
        form!("vpaddq ymm1, ymm2, [rip + 58f]\nvsubpd ymm1, ymm1, [rip + 58f]", DIGITS, "[]", ""),
        form!(
            "vpaddq ymm1, ymm1, [rip + 58f]\nvsubpd ymm1, ymm1, [rip + 58f]
            vpaddq ymm2, ymm2, [rip + 58f]\nvsubpd ymm2, ymm2, [rip + 58f]
            vpaddq ymm3, ymm3, [rip + 58f]\nvsubpd ymm3, ymm3, [rip + 58f]
            vfmadd231pd ymm1, ymm2, ymm3",
            SHORT_DIGITS,
            "[]",
            ""
        ),
        form!(
            "vpaddq ymm2, ymm2, [rip + 58f]\nvsubpd ymm2, ymm2, [rip + 58f]
            vpaddq ymm3, ymm3, [rip + 58f]\nvsubpd ymm3, ymm3, [rip + 58f]
            vmovdqu ymm1, [rip + 59f]\nvfmadd231pd ymm1, ymm2, ymm3",
            DIGITS,
            "",
            ""
        ),
        form!(
            "vpaddq ymm2, ymm2, [rip + 58f]\nvsubpd ymm2, ymm2, [rip + 58f]
            vpaddq ymm3, ymm3, [rip + 58f]\nvsubpd ymm3, ymm3, [rip + 58f]
            vmovdqu ymm1, [rip + 59f]\nvfmadd231pd ymm1, ymm2, ymm3
            vpxor ymm4, ymm4, ymm4\nvpaddq ymm1, ymm1, ymm4",
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
