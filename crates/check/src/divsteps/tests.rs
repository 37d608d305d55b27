//! The meanings of instructions on words, on numbers: as Rust computes them.

use super::words::{Made, OPERANDS, Place, Words};
use crate::contract::Contract;
use crate::{aarch64, convention, x86_64};

type Meaning = fn(u64, u64) -> u64;

const CORNERS: [u64; 8] =
    [0, 1, 5, (1 << 63) - 1, 1 << 63, u64::MAX - 1, 77 << 19, 0x1234_5678_9abc_def4];

/// Loads rax and rcx, and stores rax.
const BEFORE: [u8; 6] = [0x48, 0x8b, 0x06, 0x48, 0x8b, 0x0a];
const AFTER: [u8; 4] = [0x48, 0x89, 0x07, 0xc3];

const X86_64: [(&[u8], Meaning); 18] = [
    (&[0x48, 0x01, 0xc8], |a, b| a.wrapping_add(b)), // add rax, rcx
    (&[0x48, 0x83, 0xc0, 0xfd], |a, _| a.wrapping_sub(3)), // add rax, -3
    (&[0x48, 0x29, 0xc8], |a, b| a.wrapping_sub(b)), // sub rax, rcx
    (&[0x48, 0x83, 0xe8, 0x05], |a, _| a.wrapping_sub(5)), // sub rax, 5
    (&[0x48, 0xf7, 0xd8], |a, _| a.wrapping_neg()),  // neg rax
    (&[0x48, 0x0f, 0xaf, 0xc1], |a, b| a.wrapping_mul(b)), // imul rax, rcx
    (&[0x48, 0x8d, 0x41, 0xff], |_, b| b.wrapping_sub(1)), // lea rax, [rcx - 1]
    (&[0x48, 0xc1, 0xe0, 0x2c], |a, _| a << 44),     // shl rax, 44
    (&[0x48, 0xc1, 0xe8, 0x3f], |a, _| a >> 63),     // shr rax, 63
    (&[0x48, 0xd1, 0xf8], |a, _| (a.cast_signed() >> 1).cast_unsigned()), // sar rax, 1
    (&[0x48, 0xc7, 0xc0, 0xfb, 0xff, 0xff, 0xff], |_, _| u64::MAX - 4), // mov rax, -5
    // cmp rax, rcx; cmovne rax, rcx
    (&[0x48, 0x39, 0xc8, 0x48, 0x0f, 0x45, 0xc1], |_, b| b),
    // cmp rax, rcx; cmove rax, rcx
    (&[0x48, 0x39, 0xc8, 0x48, 0x0f, 0x44, 0xc1], |a, _| a),
    // cmp rax, rcx; cmovs rax, rcx
    (&[0x48, 0x39, 0xc8, 0x48, 0x0f, 0x48, 0xc1], |a, b| if is_less(a, b) { b } else { a }),
    // cmp rax, 0; cmovns rax, rcx
    (&[0x48, 0x83, 0xf8, 0, 0x48, 0x0f, 0x49, 0xc1], |a, b| if is_less(a, 0) { a } else { b }),
    // test rax, rcx; cmovne rax, rcx
    (&[0x48, 0x85, 0xc8, 0x48, 0x0f, 0x45, 0xc1], |a, b| if a & b == 0 { a } else { b }),
    // test eax, 4; cmovne rax, rcx
    (&[0xa9, 4, 0, 0, 0, 0x48, 0x0f, 0x45, 0xc1], |a, b| if a & 4 == 0 { a } else { b }),
    // test eax, 4; cmovs rax, rcx
    (&[0xa9, 4, 0, 0, 0, 0x48, 0x0f, 0x48, 0xc1], |a, _| a),
];

/// Loads x4 and x5, and stores x4.
const ARM_BEFORE: [u32; 2] = [0xf940_0024, 0xf940_0045];
const ARM_AFTER: [u32; 2] = [0xf900_0004, 0xd65f_03c0];

const AARCH64: [(&[u32], Meaning); 18] = [
    (&[0x8b05_0084], |a, b| a.wrapping_add(b)), // add x4, x4, x5
    (&[0x9100_4484], |a, _| a.wrapping_add(17)), // add x4, x4, #17
    (&[0xcb05_0084], |a, b| a.wrapping_sub(b)), // sub x4, x4, x5
    (&[0xcb04_03e4], |a, _| a.wrapping_neg()),  // neg x4, x4
    (&[0x9b05_7c84], |a, b| a.wrapping_mul(b)), // mul x4, x4, x5
    (&[0xd37b_e884], |a, _| a << 5),            // lsl x4, x4, #5
    (&[0xd37f_fc84], |a, _| a >> 63),           // lsr x4, x4, #63
    (&[0x9341_fc84], |a, _| (a.cast_signed() >> 1).cast_unsigned()), // asr x4, x4, #1
    (&[0x9354_a484], |a, _| field(a, 20, 22)),  // sbfx x4, x4, #20, #22
    (&[0x9340_4c84], |a, _| field(a, 0, 20)),   // sbfx x4, x4, #0, #20
    (&[0x9280_0024], |_, _| u64::MAX - 1),      // mov x4, #-2
    (&[0xaa05_03e4], |_, b| b),                 // mov x4, x5
    (&[0xeb05_009f, 0x9a85_1084], |a, _| a),    // cmp x4, x5; csel x4, x4, x5, ne
    (&[0xeb05_009f, 0x9a85_0084], |_, b| b),    // cmp x4, x5; csel x4, x4, x5, eq
    // cmp x4, #0; csel x4, x4, x5, pl
    (&[0xf100_009f, 0x9a85_5084], |a, b| if is_less(a, 0) { b } else { a }),
    // cmp x4, #0; csel x4, x4, x5, mi
    (&[0xf100_009f, 0x9a85_4084], |a, b| if is_less(a, 0) { a } else { b }),
    // tst x4, x5; csel x4, x4, x5, ne
    (&[0xea05_009f, 0x9a85_1084], |a, b| if a & b == 0 { b } else { a }),
    // tst x4, #1; csel x4, x4, x5, ne
    (&[0xf240_009f, 0x9a85_1084], |a, b| if a & 1 == 0 { b } else { a }),
];

/// The sign of a - b modulo 2^64.
fn is_less(a: u64, b: u64) -> bool {
    a.wrapping_sub(b) >> 63 == 1
}

/// So many bits from one on, with their sign.
fn field(a: u64, first: u32, bits: u32) -> u64 {
    ((a << (64 - first - bits)).cast_signed() >> (64 - bits)).cast_unsigned()
}

/// What a word is where the operands are numbers.
fn number(words: &Words, place: Place, operands: &[u64; 3]) -> u64 {
    let of = |place| number(words, place, operands);
    match *words.made(place) {
        Made::Operand(index) => operands[index],
        Made::Constant(number) => number,
        Made::Add(a, b) => of(a).wrapping_add(of(b)),
        Made::Sub(a, b) => of(a).wrapping_sub(of(b)),
        Made::Mul(a, b) => of(a).wrapping_mul(of(b)),
        Made::And(a, b) => of(a) & of(b),
        Made::Shl(a, count) => of(a) << count,
        Made::Shr(a, count) => of(a) >> count,
        Made::Sar(a, count) => (of(a).cast_signed() >> count).cast_unsigned(),
        Made::IsZero(a) => u64::from(of(a) == 0),
        Made::IsNegative(a) => of(a) >> 63,
        Made::Choose(flag, a, b) => of(if of(flag) == 1 { a } else { b }),
    }
}

/// Compares what code gives with a meaning, on all pairs of corners.
fn compare(code: &[u8], convention: &str, meaning: Meaning) {
    let convention = convention::named(convention).expect("it is known");
    let contract = Contract::of_words(&OPERANDS, 1, convention).expect("it fits");
    let run = if convention.name == "sysv" { x86_64::run_words } else { aarch64::run_words };
    let ran = run(code, &contract).unwrap_or_else(|why| panic!("{code:02x?}: {why}"));
    for a in CORNERS {
        for b in CORNERS {
            let found = number(&ran.words, ran.z[0], &[a, b, 0]);
            assert_eq!(found, meaning(a, b), "{code:02x?} of {a:#x} and {b:#x}");
        }
    }
}

/// A choice between equal words is either of them.
#[test]
fn x86_64_meanings() {
    for (code, meaning) in X86_64 {
        compare(&[&BEFORE, code, &AFTER].concat(), "sysv", meaning);
    }
}

#[test]
fn aarch64_meanings() {
    for (code, meaning) in AARCH64 {
        let words = [&ARM_BEFORE, code, &ARM_AFTER].concat();
        let code: Vec<_> = words.into_iter().flat_map(u32::to_le_bytes).collect();
        compare(&code, "aapcs64", meaning);
    }
}

#[test]
fn what_is_not_listed_is_refused() {
    let sysv = convention::named("sysv").expect("it is known");
    let contract = Contract::of_words(&OPERANDS, 1, sysv).expect("it fits");
    let refused: [&[u8]; 8] = [
        &[0x48, 0x0f, 0xc8],       // bswap rax
        &[0x48, 0x0f, 0x45, 0xc1], // cmovne rax, rcx
        &[0xd1, 0xe0],             // shl eax, 1
        &[0x48, 0x8d, 0x04, 0x08], // lea rax, [rax + rcx]
        &[0xa9, 0, 0, 0, 0x80],    // test eax, 1 << 31
        &[0x74, 0x00],             // je
        &[0x48, 0x8b, 0x04, 0x06], // mov rax, [rsi + rax]
        &[0x48, 0x89, 0x06],       // mov [rsi], rax
    ];
    for code in refused {
        let code = [&BEFORE, code, &AFTER].concat();
        assert!(x86_64::run_words(&code, &contract).is_err(), "{code:02x?}");
    }
}
