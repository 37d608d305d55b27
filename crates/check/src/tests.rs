//! What the machine refuses, and the algebra; `tests/test_certificate.py` replays whole proofs.

use crate::Failure;
use crate::contract::Contract;
use crate::machine::{Row, Word, run};
use crate::polynomial::Polynomial;
use std::collections::BTreeMap;

const HEAD: &[u8] = &[0x48, 0x8b, 0x06]; // mov rax, [rsi]
const TAIL: &[u8] = &[0x48, 0x89, 0x07, 0xc3]; // mov [rdi], rax; ret

fn said(middle: &[u8]) -> Result<(usize, usize), String> {
    let contract = Contract::new("add", 13.into(), 1, "sysv").expect("a contract");
    let code = [HEAD, middle, TAIL].concat();
    match run(&code, 0, &contract) {
        Ok((system, z)) => {
            assert_eq!(z.len(), 1);
            Ok((system.highs.len(), system.rows.len()))
        }
        Err(Failure::Claim(why) | Failure::Input(why)) => Err(why),
    }
}

#[test]
fn an_addition_makes_a_word_and_a_carry() {
    assert_eq!(said(&[0x48, 0x03, 0x02]), Ok((4, 1))); // add rax, [rdx]
    assert_eq!(said(&[0x48, 0x01, 0xc0]), Ok((3, 1))); // add rax, rax: x is at most 12
}

#[test]
fn what_a_kernel_may_not_do_is_refused() {
    let refused: &[(&str, &[u8], &str)] = &[
        ("adc rax, [rdx]", &[0x48, 0x13, 0x02], "a flag that is undefined"),
        ("adc after imul", &[0x48, 0x0f, 0xaf, 0xc0, 0x48, 0x11, 0xc0], "undefined"),
        ("mov [rdi], rax; add rax, [rdx]", &[0x48, 0x89, 0x07, 0x48, 0x03, 0x02], "after it wrote"),
        ("mov [rsi], rax", &[0x48, 0x89, 0x06], "neither z nor"),
        ("mov [rdi + 8], rax", &[0x48, 0x89, 0x47, 0x08], "neither z nor"),
        ("mov rax, [rdx + 8]", &[0x48, 0x8b, 0x42, 0x08], "outside an operand"),
        ("mov rax, [rdx + 4]", &[0x48, 0x8b, 0x42, 0x04], "between two words"),
        ("mov rax, [rax]", &[0x48, 0x8b, 0x00], "depends on data"),
        ("mov rax, [rdx + rax]", &[0x48, 0x8b, 0x04, 0x02], "an index"),
        ("mov rax, fs:[rdx]", &[0x64, 0x48, 0x8b, 0x02], "a segment"),
        ("mov rax, [rsp - 8]", &[0x48, 0x8b, 0x44, 0x24, 0xf8], "never wrote"),
        ("mov rbx, rax", &[0x48, 0x89, 0xc3], "not restored"),
        ("push rax", &[0x50], "returns to no place"),
        ("pop rax", &[0x58], "never wrote"),
        ("add rsp, 8", &[0x48, 0x83, 0xc4, 0x08], "frees stack"),
        ("push 5, 16 bits", &[0x66, 0x6a, 0x05], "64 bits wide"),
        ("add eax, eax", &[0x01, 0xc0], "64-bit register"),
        ("shld rax, rax, cl", &[0x48, 0x0f, 0xa5, 0xc0], "not on the list"),
        ("shld rax, rax, 80", &[0x48, 0x0f, 0xa4, 0xc0, 0x50], "not on the list"),
        ("lock add [rdi], rax", &[0xf0, 0x48, 0x01, 0x07], "a prefix"),
        ("add rax, rbx", &[0x48, 0x01, 0xd8], "an unknown value"),
        ("add rax, rdx", &[0x48, 0x01, 0xd0], "computes with an address"),
        ("div rax", &[0x48, 0xf7, 0xf0], "not on the list"),
        ("jc +0", &[0x72, 0x00], "not on the list"),
        ("jmp -128", &[0xeb, 0x80], "outside the code"),
        ("no instruction", &[0x06], "not on the list"),
    ];
    for (name, code, why) in refused {
        let answer = said(code).expect_err(name);
        assert!(answer.contains(why), "{name}: {answer}");
    }
}

#[test]
fn a_cleared_flag_chooses_without_a_row() {
    // xor ecx, ecx; sbb rcx, rcx; and the overflow is undefined after it
    assert_eq!(said(&[0x31, 0xc9, 0x48, 0x19, 0xc9]), Ok((2, 0)));
    let adox = [0x31, 0xc9, 0x48, 0x19, 0xc9, 0xf3, 0x48, 0x0f, 0x38, 0xf6, 0xc0];
    assert!(said(&adox).expect_err("undefined").contains("undefined"));
}

#[test]
fn a_call_runs_what_it_calls() {
    // call +2; jmp +1; ret
    assert_eq!(said(&[0xe8, 2, 0, 0, 0, 0xeb, 1, 0xc3]), Ok((2, 0)));
}

#[test]
fn a_product_is_one_row() {
    let contract = Contract::new("mul", 0xffff_ffff_0000_0001_u64.into(), 1, "win64");
    let contract = contract.expect("a contract");
    // mulx rax, r10, [r8]; mov [rcx], rax; ret, with rdx = x as a number read before
    let code =
        [&[0x48, 0x8b, 0x12][..], &[0xc4, 0xc2, 0xab, 0xf6, 0x00], &[0x48, 0x89, 0x01, 0xc3]];
    let (system, z) = run(&code.concat(), 0, &contract).expect("it runs");
    assert_eq!(z, [Word::Variable(3)]);
    let Row::Equation(row) = &system.rows[0] else { panic!("an equation") };
    let expected = Polynomial::sum([
        (1.into(), vec![2]),
        (num_bigint::BigInt::from(1) << 64, vec![3]),
        ((-1).into(), vec![1, 0]),
    ]);
    assert_eq!(*row, expected);
}

#[test]
fn polynomials_are_exact() {
    let a = Polynomial::sum([(2.into(), vec![0]), ((-1).into(), vec![])]);
    let square = a.times(&a);
    let expected = [(4.into(), vec![0, 0]), ((-4).into(), vec![0]), (1.into(), vec![])];
    assert_eq!(square, Polynomial::sum(expected));
    assert_eq!(square.upper(&[3]), 37.into());
    assert_eq!(square.with(&BTreeMap::from([(0, 3)])), Polynomial::sum([(25.into(), vec![])]));
    assert!(square.clone().plus(&square, -1).vanishes(&7.into()));
    assert!(!square.vanishes(&4.into()));
}

#[test]
fn a_contract_that_makes_no_sense_is_bad_input() {
    for (name, p, limbs, convention) in [
        ("cube", 13, 1, "sysv"),
        ("mul", 12, 1, "sysv"),
        ("mul", 13, 0, "sysv"),
        ("mul", 13, 1, ""),
    ] {
        let bad = Contract::new(name, p.into(), limbs, convention);
        assert!(matches!(bad, Err(Failure::Input(_))), "{name} {p} {limbs} {convention}");
    }
    assert!(matches!(crate::check("{}", None), Err(Failure::Input(_))));
}
