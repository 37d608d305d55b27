//! The decoder's reading of each listed instruction, and what the machine refuses.
//!
//! The encodings are from Arm's manual, C4.1: in each one field after the other takes all its values.

use super::instructions::{decoded, run};
use crate::Outcome;
use crate::certificate::Stated;
use crate::contract::Contract;
use crate::polynomial::Integer;
use yaxpeax_arm::armv8::a64::Operand::{self, Nothing, RegShift, Register, RegisterOrSP};
use yaxpeax_arm::armv8::a64::ShiftStyle::{LSL, LSR};
use yaxpeax_arm::armv8::a64::{Opcode, SizeCode};

const X: SizeCode = SizeCode::X;
const W: SizeCode = SizeCode::W;

fn w(number: u32) -> Operand {
    Register(W, number as u16)
}

fn x(number: u32) -> Operand {
    Register(X, number as u16)
}

fn is(word: u32, opcode: Opcode, operands: [Operand; 4]) {
    let i = decoded(&word.to_le_bytes()).unwrap_or_else(|| panic!("{word:#x} is not read"));
    assert_eq!((i.opcode, i.operands), (opcode, operands), "{word:#x}");
}

/// Fields of a word: each takes all its values while the others have one.
fn fields<const N: usize>(limits: [u32; N], check: impl Fn([u32; N])) {
    let first: [u32; N] = std::array::from_fn(|k| (3 * k as u32 + 1) % limits[k]);
    for (place, limit) in limits.into_iter().enumerate() {
        for value in 0..limit {
            let mut chosen = first;
            chosen[place] = value;
            check(chosen);
        }
    }
}

#[test]
fn sums_and_bits_are_read() {
    use Opcode::{ADC, ADCS, ADD, ADDS, AND, ANDS, BIC, EOR, ORN, ORR, SBC, SBCS, SUB, SUBS};
    let shifted = [
        (0x8b00_0000, ADD),
        (0xab00_0000, ADDS),
        (0xcb00_0000, SUB),
        (0xeb00_0000, SUBS),
        (0x8a00_0000, AND),
        (0x8a20_0000, BIC),
        (0xaa00_0000, ORR),
        (0xaa20_0000, ORN),
        (0xca00_0000, EOR),
        (0xea00_0000, ANDS),
    ];
    for (base, opcode) in shifted {
        fields([32, 32, 32, 64], |[d, n, m, count]| {
            let word = base | d | n << 5 | m << 16 | count << 10;
            let last = |style| RegShift(style, count as u8, X, m as u16);
            is(word, opcode, [x(d), x(n), last(LSL), Nothing]);
            is(word | 1 << 22, opcode, [x(d), x(n), last(LSR), Nothing]);
        });
    }
    for (base, opcode) in
        [(0x9a00_0000, ADC), (0xba00_0000, ADCS), (0xda00_0000, SBC), (0xfa00_0000, SBCS)]
    {
        fields([32, 32, 32], |[d, n, m]| {
            is(base | d | n << 5 | m << 16, opcode, [x(d), x(n), x(m), Nothing]);
        });
    }
    for (base, opcode, plain) in [
        (0x9100_0000, ADD, false),
        (0xb100_0000, ADDS, true),
        (0xd100_0000, SUB, false),
        (0xf100_0000, SUBS, true),
    ] {
        fields([32, 32, 4096], |[d, n, number]| {
            let target = if plain { x(d) } else { RegisterOrSP(X, d as u16) };
            let (word, source) = (base | d | n << 5 | number << 10, RegisterOrSP(X, n as u16));
            is(word, opcode, [target, source, Operand::Immediate(number), Nothing]);
            let high = Operand::ImmShift(number as u16, 12);
            is(word | 1 << 22, opcode, [target, source, high, Nothing]);
        });
    }
    let uxtw = 0x8b20_4000 | 3 << 16 | 2 << 5 | 1;
    is(uxtw, ADD, [RegisterOrSP(X, 1), RegisterOrSP(X, 2), RegShift(LSL, 0, W, 3), Nothing]);
}

#[test]
fn products_and_choices_are_read() {
    use Opcode::{CSEL, CSINC, CSINV, CSNEG, EXTR, MADD, MSUB, SBFM, UBFM, UMADDL, UMULH};
    for (base, opcode) in [(0x9b00_0000, MADD), (0x9b00_8000, MSUB)] {
        fields([32, 32, 32, 32], |[d, n, m, a]| {
            is(base | d | n << 5 | m << 16 | a << 10, opcode, [x(d), x(n), x(m), x(a)]);
        });
    }
    fields([32, 32, 32], |[d, n, m]| {
        is(0x9bc0_7c00 | d | n << 5 | m << 16, UMULH, [x(d), x(n), x(m), Nothing]);
    });
    fields([32, 32, 32, 32], |[d, n, m, a]| {
        let operands = [x(d), w(n), w(m), x(a)];
        is(0x9ba0_0000 | d | n << 5 | m << 16 | a << 10, UMADDL, operands);
    });
    let choices =
        [(0x9a80_0000, CSEL), (0x9a80_0400, CSINC), (0xda80_0000, CSINV), (0xda80_0400, CSNEG)];
    for (base, opcode) in choices {
        fields([32, 32, 32, 16], |[d, n, m, c]| {
            let operands = [x(d), x(n), x(m), Operand::ConditionCode(c as u8)];
            is(base | d | n << 5 | m << 16 | c << 12, opcode, operands);
        });
    }
    for (base, opcode) in [(0xd340_0000, UBFM), (0x9340_0000, SBFM)] {
        fields([32, 32, 64, 64], |[d, n, r, s]| {
            let operands = [x(d), x(n), Operand::Immediate(r), Operand::Immediate(s)];
            is(base | d | n << 5 | r << 16 | s << 10, opcode, operands);
        });
    }
    fields([32, 32, 32, 64], |[d, n, m, count]| {
        let operands = [x(d), x(n), x(m), Operand::Immediate(count)];
        is(0x93c0_0000 | d | n << 5 | m << 16 | count << 10, EXTR, operands);
    });
}

#[test]
fn constants_and_memory_are_read() {
    use Opcode::{ADR, LDP, LDR, LDUR, MOVK, MOVN, MOVZ, RET, STP, STR, STUR};
    use Operand::{ImmShift, PCOffset, RegPostIndex, RegPreIndex};
    for (base, opcode) in [(0xd280_0000, MOVZ), (0x9280_0000, MOVN), (0xf280_0000, MOVK)] {
        fields([32, 4, 1 << 16], |[d, place, bits]| {
            let operands = [x(d), ImmShift(bits as u16, 16 * place as u8), Nothing, Nothing];
            is(base | d | place << 21 | bits << 5, opcode, operands);
        });
    }
    fields([32, 1 << 21], |[d, bits]| {
        let word = 0x1000_0000 | d | (bits & 3) << 29 | (bits >> 2) << 5;
        let distance = i64::from((bits << 11).cast_signed() >> 11);
        is(word, ADR, [x(d), PCOffset(distance), Nothing, Nothing]);
    });
    for (base, opcode) in [(0xf940_0000, LDR), (0xf900_0000, STR)] {
        fields([32, 32, 4096], |[t, n, place]| {
            let operands = [x(t), RegPreIndex(n as u16, 8 * place as i32, false), Nothing, Nothing];
            is(base | t | n << 5 | place << 10, opcode, operands);
        });
    }
    for (base, opcode, still) in [(0xf840_0000, LDR, LDUR), (0xf800_0000, STR, STUR)] {
        fields([32, 32, 512], |[t, n, bits]| {
            let (word, offset) = (base | t | n << 5 | bits << 12, (bits << 23).cast_signed() >> 23);
            let operands = |address| [x(t), address, Nothing, Nothing];
            is(word, still, operands(RegPreIndex(n as u16, offset, false)));
            is(word | 1 << 10, opcode, operands(RegPostIndex(n as u16, offset)));
            is(word | 3 << 10, opcode, operands(RegPreIndex(n as u16, offset, true)));
        });
    }
    for (base, opcode) in [(0xa840_0000, LDP), (0xa800_0000, STP)] {
        fields([32, 32, 32, 128], |[t, u, n, bits]| {
            let offset = 8 * ((bits << 25).cast_signed() >> 25);
            let word = |mode: u32| base | mode << 23 | t | n << 5 | u << 10 | bits << 15;
            let operands = |address| [x(t), x(u), address, Nothing];
            is(word(1), opcode, operands(RegPostIndex(n as u16, offset)));
            is(word(2), opcode, operands(RegPreIndex(n as u16, offset, false)));
            is(word(3), opcode, operands(RegPreIndex(n as u16, offset, true)));
        });
    }
    is(0xd65f_03c0, RET, [x(30), Nothing, Nothing, Nothing]);
}

/// The mask that N, immr and imms stand for, if they stand for one: Arm's manual, `DecodeBitMasks`.
fn mask_of(n: u32, immr: u32, imms: u32) -> Option<u64> {
    let size = 1 << (n << 6 | (!imms & 63)).checked_ilog2().filter(|log| *log > 0)?;
    let (turn, ones) = (immr % size, imms % size + 1);
    let element = u64::MAX >> (64 - ones);
    let turned = (0..size).filter(|i| element >> ((i + turn) % size) & 1 == 1);
    let element = turned.fold(0_u64, |sum, i| sum | 1 << i);
    (ones < size).then(|| (0..64 / size).fold(0, |sum, k| sum | element << (k * size)))
}

#[test]
fn masks_are_read_or_refused() {
    for bits in 0_u32..1 << 13 {
        let word = 0x9200_0000 | bits << 10 | 3 << 5 | 3;
        let found = decoded(&word.to_le_bytes()).map(|i| (i.opcode, i.operands[2]));
        let mask = mask_of(bits >> 12, bits >> 6 & 63, bits & 63);
        assert_eq!(found, mask.map(|m| (Opcode::AND, Operand::Imm64(m))), "{word:#x}");
    }
}

fn contract(family: &str, convention: &str) -> Contract {
    let (operation, family) = (family.to_string(), family.to_string());
    let convention = convention.to_string();
    let (p, parameters) = (Integer(0xffff_ffff_0000_0001_u64.into()), Default::default());
    let (formula, limbs) = (None, 1);
    let stated = Stated { operation, family, parameters, formula, p, limbs, convention };
    Contract::new(&stated).expect("one")
}

const HEAD: u32 = 0xf940_0023; // ldr x3, [x1]
const TAIL: [u32; 2] = [0xf900_0003, 0xd65f_03c0]; // str x3, [x0]; ret

/// Variables and rows of code between a load of x and a store of z.
fn said(middle: &[u32], convention: &str) -> Outcome<(usize, usize)> {
    let words = [&[HEAD], middle, &TAIL].concat();
    let code: Vec<_> = words.into_iter().flat_map(u32::to_le_bytes).collect();
    let contract = contract("add", convention);
    let system = run(&code, &contract, None, &[])?.system;
    Ok((system.highs.len(), system.rows.len()))
}

#[test]
fn carries_are_words_only_where_they_are_added() {
    let sums: [u32; 3] = [0xf940_0044, 0xab04_0063, 0x9a9f_37e5]; // ldr x4, [x2]; adds x3, x3, x4; cset x5, hs
    assert_eq!(said(&sums, "aapcs64"), Ok((4, 1)));
    let again = [&sums[..], &[0x8b04_0066]].concat(); // add x6, x3, x4
    assert_eq!(said(&again, "aapcs64"), Ok((6, 2)));
    let twice = [&sums[..], &[0xab05_0063]].concat(); // adds x3, x3, x5: a carry, as it is
    assert_eq!(said(&twice, "aapcs64"), Ok((6, 2)));
}

#[test]
fn a_comparison_with_1_is_a_sum_where_the_opposite_is_known() {
    let borrow = [0xf100_047f, 0x9a03_0063]; // cmp x3, #1; adc x3, x3, x3
    assert_eq!(said(&borrow, "aapcs64"), Ok((6, 2)));
    let opposite = [0xcb03_03e4]; // neg x4, x3
    let made = said(&opposite, "aapcs64");
    assert_eq!(made, Ok((4, 1)));
    let sum = [&opposite[..], &[0xf100_047f]].concat();
    let by_sum = [&opposite[..], &[0xab04_007f]].concat(); // cmn x3, x4
    assert_eq!(said(&sum, "aapcs64"), Ok((6, 2)));
    assert_eq!(said(&sum, "aapcs64"), said(&by_sum, "aapcs64"));
    let both = [&sum[..], &[0xab04_007f]].concat(); // the same row
    assert_eq!(said(&both, "aapcs64"), Ok((6, 2)));
    let other = [&opposite[..], &[0xf100_087f]].concat(); // cmp x3, #2 is none
    let twice = [&other[..], &[0xab04_007f]].concat();
    assert_eq!(said(&twice, "aapcs64"), Ok((8, 3)));
}

#[test]
fn a_bit_less_1_is_0_where_it_is_set() {
    // adds x3, x3, x3; cset x4, hs; cmp x4, #1; cset x5, eq
    let compared: [u32; 4] = [0xab03_0063, 0x9a9f_37e4, 0xf100_049f, 0x9a9f_17e5];
    let with = |more: &[u32]| said(&[&compared[..], more].concat(), "aapcs64");
    let sums = with(&[0xab04_0066, 0xab05_0066]); // adds x6, x3, x4; adds x6, x3, x5
    assert_eq!(sums, with(&[0xab04_0066]));
    assert_eq!(sums, with(&[0xab05_0066]));
}

#[test]
fn what_a_kernel_may_not_do_is_refused() {
    let refused: &[(&str, &[u32], &str)] = &[
        ("adc x3, x3, x3", &[0x9a03_0063], "a carry that is not known"),
        ("csel x3, x3, x3, hs", &[0x9a83_2063], "a flag of which nothing is known"),
        ("csel x3, x3, x3, mi", &[0x9a83_4063], "this condition is not on the list"),
        ("add x3, x3, x9", &[0x8b09_0063], "an unknown value (x9 on entry)"),
        ("adds x3, x1, x3", &[0xab03_0023], "an address or an unknown value (x)"),
        ("adds w3, w3, w3", &[0x2b03_0063], "half a register"),
        ("lsl x3, x3, x4", &[0x9ac4_2063], "not on the list"),
        ("add x3, x3, x3, asr #1", &[0x8b83_0463], "this shift is not on the list"),
        ("movz w3, #1, lsl #32", &[0x52c0_0023], "not on the list"),
        ("str x3, [x1]", &[0xf900_0023], "writes x + 0"),
        ("str x3, [x0]; ldr x4, [x2]", &[0xf900_0003, 0xf940_0044], "reads y + 0"),
        ("str x3, [sp, #-16]", &[0xf81f_03e3], "neither z nor its own stack"),
        ("str x3, [sp]", &[0xf900_03e3], "neither z nor its own stack"),
        ("str x3, [sp, #-16]!", &[0xf81f_0fe3], "sp is not restored"),
        ("sub sp, sp, #8", &[0xd100_23ff], "by what is not known"),
        ("add sp, sp, #16", &[0x9100_43ff], "frees stack"),
        ("sub sp, sp, #8192", &[0xd140_0bff], "without a probe"),
        ("ldr x4, [x3]", &[0xf940_0064], "the address depends on data"),
        ("ldr w4, [x1]", &[0xb940_0024], "half a register"),
        ("ldr d4, [x1]", &[0xfd40_0024], "no general register"),
        ("ldp x4, x4, [x1]", &[0xa940_1024], "one register twice"),
        ("ldr x1, [x1], #8", &[0xf840_8421], "a register that it loads"),
        ("mov x19, x3", &[0xaa03_03f3], "x19 is not restored"),
        ("mov x30, x3", &[0xaa03_03fe], "x30 is not restored"),
        ("msr nzcv, x20", &[0xd51b_4214], "never saved"),
        ("mrs x3, nzcv; add x3, x3, x3", &[0xd53b_4203, 0x8b03_0063], "with the flags"),
        ("mrs x3, tpidr_el0", &[0xd53b_d043], "not on the list"),
        ("and x3, x3, x3", &[0x8a03_0063], "none is a mask"),
        ("orr x3, x3, x3", &[0xaa03_0063], "of which nothing is known"),
        ("movk x3, #1", &[0xf280_0023], "no constant"),
        ("b +4", &[0x1400_0001], "not on the list"),
        ("cbz x3, +4", &[0xb400_0023], "not on the list"),
        ("br x3", &[0xd61f_0060], "not on the list"),
        ("ret x3", &[0xd65f_0060], "not on the list"),
        ("paciasp", &[0xd503_233f], "not on the list"),
        ("udiv x3, x3, x3", &[0x9ac3_0863], "not on the list"),
        ("no instruction", &[0], "not on the list"),
        ("csel x3, x3, x3, eq with bit 21", &[0x9aa3_0063], "not on the list"),
        ("csinc x3, xzr, xzr, eq with bit 29", &[0xba9f_07e3], "not on the list"),
        ("smull x3, w3, w3", &[0x9b23_7c63], "not on the list"),
        ("umsubl x3, w3, w3, x3", &[0x9ba3_8c63], "not on the list"),
        ("umulh x3, x3, x3 with another addend", &[0x9bc3_0063], "not on the list"),
        (
            "sub sp, sp, #16; mov x4, sp; mov x5, #1 << 63; add x4, x4, x5; mov sp, x4",
            &[0xd100_43ff, 0x9100_03e4, 0xd2f0_0005, 0x8b05_0084, 0x9100_009f],
            "frees stack",
        ),
    ];
    for (name, code, why) in refused {
        let answer = said(code, "aapcs64").expect_err(name);
        assert!(answer.contains(why), "{name}: {answer}");
    }
}

#[test]
fn a_move_of_half_a_register_keeps_its_low_half() {
    let moved = [0x2a03_03e3]; // mov w3, w3: the low half and its two words
    assert_eq!(said(&moved, "aapcs64"), Ok((5, 2)));
}

#[test]
fn flags_are_restored_from_any_register() {
    let kept = [0xab03_0063, 0xd53b_4214, 0xd51b_4214]; // adds x3, x3, x3; mrs x20, nzcv; msr nzcv, x20
    let used = [&kept[..], &[0x9a03_0063]].concat(); // adc x3, x3, x3
    assert!(said(&used, "aapcs64").expect_err("x20 is lost").contains("x20 is not restored"));
    let other = kept.map(|word| if word & 31 == 0x14 { word & !31 | 7 } else { word });
    assert_eq!(said(&[&other[..], &[0x9a03_0063]].concat(), "aapcs64"), Ok((6, 2)));
}

#[test]
fn x18_belongs_to_two_systems() {
    let code = [0xaa03_03f2]; // mov x18, x3
    assert!(said(&code, "aapcs64").is_ok());
    for convention in ["apple", "windows"] {
        assert!(said(&code, convention).expect_err("x18").contains("not the kernel's"));
    }
}

#[test]
fn only_apple_has_a_red_zone() {
    let code = [0xf81f_03e3, 0xf85f_03e4]; // str x3, [sp, #-16]; ldr x4, [sp, #-16]
    assert!(said(&code, "apple").is_ok());
    assert!(said(&code, "aapcs64").is_err() && said(&code, "windows").is_err());
}
