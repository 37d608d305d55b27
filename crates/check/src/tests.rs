//! What the machine refuses, and the algebra; `tests/test_certificate.py` replays whole proofs.

use crate::Outcome;
use crate::certificate::{Certificate, Stated};
use crate::contract::Contract;
use crate::convention;
use crate::formula::Formula;
use crate::object_code::function;
use crate::polynomial::{Integer, Polynomial};
use crate::routines::Run;
use crate::x86_64;
use std::collections::BTreeMap;

const HEAD: &[u8] = &[0x48, 0x8b, 0x06]; // mov rax, [rsi]
const TAIL: &[u8] = &[0x48, 0x89, 0x07, 0xc3]; // mov [rdi], rax; ret

fn contract(family: &str, p: u64, limbs: usize, convention: &str) -> Outcome<Contract> {
    contract_with(family, "{}", p, limbs, convention)
}

/// Runs code without calls.
fn run<'a>(code: &'a [u8], contract: &'a Contract) -> Outcome<Run<'a>> {
    x86_64::run(code, contract, None)
}

/// Of a family and parameters, which are JSON.
fn contract_with(
    family: &str,
    parameters: &str,
    p: u64,
    limbs: usize,
    convention: &str,
) -> Outcome<Contract> {
    let parameters = serde_json::from_str(parameters).map_err(|error| error.to_string())?;
    let (family, convention) = (family.to_string(), convention.to_string());
    let (operation, p) = (String::new(), Integer(p.into()));
    let formula = None;
    let mut stated = Stated { operation, family, parameters, formula, p, limbs, convention };
    stated.operation = stated.name();
    Contract::new(&stated)
}

fn said(middle: &[u8]) -> Outcome<(usize, usize)> {
    let code = [HEAD, middle, TAIL].concat();
    let system = run(&code, &contract("add", 13, 1, "sysv")?)?.system;
    Ok((system.highs.len(), system.rows.len()))
}

#[test]
fn an_addition_makes_a_word_and_a_carry() {
    assert_eq!(said(&[0x48, 0x03, 0x02]), Ok((4, 1))); // add rax, [rdx]
    assert_eq!(said(&[0x48, 0x01, 0xc0]), Ok((3, 1))); // add rax, rax: x is at most 12
}

/// Code, and what the answer to it says.
const REFUSED: &[(&str, &[u8], &str)] = &[
    ("adc rax, [rdx]", &[0x48, 0x13, 0x02], "a flag that is undefined"),
    ("adc after imul", &[0x48, 0x0f, 0xaf, 0xc0, 0x48, 0x11, 0xc0], "undefined"),
    ("mov [rdi], rax; add rax, [rdx]", &[0x48, 0x89, 0x07, 0x48, 0x03, 0x02], "reads y + 0"),
    ("mov [rsi], rax", &[0x48, 0x89, 0x06], "writes x + 0"),
    ("mov [rdi + 8], rax", &[0x48, 0x89, 0x47, 0x08], "neither z nor"),
    ("mov rax, [rdx + 8]", &[0x48, 0x8b, 0x42, 0x08], "reads y + 8"),
    ("mov rax, [rdx + 4]", &[0x48, 0x8b, 0x42, 0x04], "reads y + 4"),
    ("mov rax, [rax]", &[0x48, 0x8b, 0x00], "depends on data"),
    ("mov rax, [rdx + rax]", &[0x48, 0x8b, 0x04, 0x02], "an index"),
    ("mov rax, fs:[rdx]", &[0x64, 0x48, 0x8b, 0x02], "a prefix"),
    ("mov rax, [rsp - 8]", &[0x48, 0x8b, 0x44, 0x24, 0xf8], "reads stack + -8"),
    ("mov rbx, rax", &[0x48, 0x89, 0xc3], "not restored"),
    ("push rax", &[0x50], "RSP is not restored"),
    ("pop rax", &[0x58], "reads stack + 0"),
    ("add rsp, 8", &[0x48, 0x83, 0xc4, 0x08], "frees stack"),
    ("push 5, 16 bits", &[0x66, 0x6a, 0x05], "a prefix"),
    ("mov ecx, -1; add ecx, eax", &[0xb9, 255, 255, 255, 255, 0x01, 0xc1], "more than 32 bits"),
    ("add al, 1", &[0x04, 0x01], "not 255 to a flag"),
    ("mov cl, 1; add rcx, rax", &[0xb1, 1, 0x48, 0x01, 0xc1], "only a byte is known"),
    ("mov spl, 8", &[0x40, 0xb4, 8], "stack pointer"),
    ("mov ah, 8", &[0xb4, 8], "not the low byte"),
    ("setb cl", &[0x0f, 0x92, 0xc1], "a flag that is undefined"),
    ("shld rax, rax, cl", &[0x48, 0x0f, 0xa5, 0xc0], "not on the list"),
    ("shld rax, rax, 80", &[0x48, 0x0f, 0xa4, 0xc0, 0x50], "not on the list"),
    ("shrd rax, rax, cl", &[0x48, 0x0f, 0xad, 0xc0], "not on the list"),
    ("shrd rax, rax, 64", &[0x48, 0x0f, 0xac, 0xc0, 0x40], "not on the list"),
    ("adc after shrd", &[0x48, 0x0f, 0xac, 0xc0, 1, 0x48, 0x11, 0xc0], "undefined"),
    ("lea eax, [rax + 1]", &[0x8d, 0x40, 1], "EAX"),
    ("lea rsp, [rax + 1]", &[0x48, 0x8d, 0x60, 1], "stack pointer"),
    ("lea rax, [rbx + 1]; add rax, rax", &[0x48, 0x8d, 0x43, 1, 0x48, 1, 0xc0], "(RBX on entry)"),
    ("lock add [rdi], rax", &[0xf0, 0x48, 0x01, 0x07], "a prefix"),
    (
        "add rax, rbx",
        &[0x48, 0x01, 0xd8],
        "computes with an address or an unknown value (RBX on entry)",
    ),
    ("add rax, rdx", &[0x48, 0x01, 0xd0], "computes with an address or an unknown value (y)"),
    ("div rax", &[0x48, 0xf7, 0xf0], "not on the list"),
    ("jc +0", &[0x72, 0x00], "not on the list"),
    ("jmp +0", &[0xeb, 0x00], "not on the list"),
    ("f3 2e 66 adcx", &[0xf3, 0x2e, 0x66, 0x0f, 0x38, 0xf6, 0xc0], "a prefix"),
    ("two REX prefixes", &[0x48, 0x48, 0x01, 0xc0], "a prefix"),
    ("REX before VEX", &[0x48, 0xc4, 0xe2, 0xfb, 0xf6, 0xc0], "a prefix"),
    ("repz ret", &[0xf3, 0xc3], "a prefix"),
    ("f3 endbr64", &[0xf3, 0xf3, 0x0f, 0x1e, 0xfa], "a prefix"),
    ("mov eax, [esi]", &[0x67, 0x48, 0x8b, 0x06], "a prefix"),
    ("shr rax, cl", &[0x48, 0xd3, 0xe8], "not on the list"),
    ("shr eax, 5", &[0xc1, 0xe8, 0x05], "64-bit register"),
    ("lea eax, [rsi]", &[0x8d, 0x06], "64-bit register"),
    ("mov rsp, rsi", &[0x48, 0x89, 0xf4], "stack pointer"),
    ("xor rax, rcx", &[0x48, 0x31, 0xc8], "not on the list"),
    ("xor al, al", &[0x30, 0xc0], "not on the list"),
    ("and rax, rax", &[0x48, 0x21, 0xc0], "none is a mask"),
    ("or rax, [rdx]", &[0x48, 0x0b, 0x02], "not with a word"),
    ("or rax, [rdx]; add rax, rax", &[0x48, 0x0b, 0x02, 0x48, 0x01, 0xc0], "the `or` of words"),
    ("or rax, rdx", &[0x48, 0x09, 0xd0], "an address"),
    ("or rax, rax; neg rax", &[0x48, 0x09, 0xc0, 0x48, 0xf7, 0xd8], "not with a word"),
    ("mov rax, [rip - 16]", &[0x48, 0x8b, 0x05, 0xf0, 0xff, 0xff, 0xff], "reads code + -6"),
    (
        "push rax, pop rcx, mov rax, [rsp - 136]",
        &[0x50, 0x59, 0x48, 0x8b, 0x84, 0x24, 0x78, 0xff, 0xff, 0xff],
        "reads stack",
    ),
    ("no instruction", &[0x06], "not on the list"),
];

#[test]
fn what_a_kernel_may_not_do_is_refused() {
    for (name, code, why) in REFUSED {
        let answer = said(code).expect_err(name);
        assert!(answer.contains(why), "{name}: {answer}");
    }
}

#[test]
fn a_call_of_code_beside_the_kernel_is_followed() {
    // call f; mov [rdi], rax; ret; f: add rax, [rdx]; ret
    let f = [&[0xe8, 4, 0, 0, 0][..], TAIL, &[0x48, 0x03, 0x02, 0xc3]].concat();
    let code = [HEAD, &f].concat();
    let contract = contract("add", 13, 1, "sysv").unwrap();
    let found = run(&code, &contract).map(|run| (run.system.rows.len(), run.stack));
    assert_eq!(found, Ok((1, 8)));
}

#[test]
fn a_return_goes_where_its_call_came_from() {
    let contract = contract("add", 13, 1, "sysv").unwrap();
    let said = |code: &[u8]| run(code, &contract).map(|_| ()).unwrap_err();
    // call over one byte; f: lea rax, [rip]; mov [rsp], rax; ret
    let moved = &[0xe8, 1, 0, 0, 0, 0xc3, 0x48, 0x8d, 5, 0, 0, 0, 0, 0x48, 0x89, 4, 0x24, 0xc3];
    assert!(said(moved).contains("no place that called"), "{}", said(moved));
    assert!(said(&[0xe8, 0xfb, 255, 255, 255]).contains("more than a page of stack"));
    assert!(said(&[0xe8, 64, 0, 0, 0, 0xc3]).contains("outside the object"));
}

#[test]
fn a_landing_pad_does_nothing() {
    assert_eq!(said(&[0xf3, 0x0f, 0x1e, 0xfa]), said(&[])); // endbr64
}

#[test]
fn a_cleared_flag_chooses_without_a_row() {
    // xor ecx, ecx; sbb rcx, rcx; and the overflow is undefined after it
    assert_eq!(said(&[0x31, 0xc9, 0x48, 0x19, 0xc9]), Ok((2, 0)));
    let adox = [0x31, 0xc9, 0x48, 0x19, 0xc9, 0xf3, 0x48, 0x0f, 0x38, 0xf6, 0xc0];
    assert!(said(&adox).expect_err("undefined").contains("undefined"));
}

#[test]
fn a_shift_keeps_the_top_bits() {
    // shr rax, 2: x >> 2, and the word that is it
    assert_eq!(said(&[0x48, 0xc1, 0xe8, 0x02]), Ok((4, 1)));
    assert_eq!(said(&[0x48, 0xc1, 0xe8, 0x04]), Ok((3, 1))); // x is at most 12
}

#[test]
fn bzhi_keeps_the_low_bits_by_a_constant() {
    let bzhi = |k: u8| [&[0xb9, k, 0, 0, 0][..], &[0xc4, 0xe2, 0xf0, 0xf5, 0xc0]].concat();
    assert_eq!(said(&bzhi(1)), Ok((4, 1))); // mov ecx, 1; bzhi rax, rax, rcx: x >> 1, and the word
    assert_eq!(said(&bzhi(0)), Ok((2, 0)));
    assert_eq!(said(&bzhi(64)), Ok((2, 0)));
    let by_data = said(&[0xc4, 0xe2, 0xf8, 0xf5, 0xc0]); // bzhi rax, rax, rax
    assert!(by_data.expect_err("data").contains("as many bits as data say"));
}

#[test]
fn a_frame_of_more_than_a_page_needs_a_probe() {
    // sub rsp, 8000; add rsp, 8000; mov rax, [rdx]; mov [rcx], rax; ret
    let frame = [&[0x48, 0x81, 0xec, 0x40, 0x1f, 0, 0][..], &[0x48, 0x81, 0xc4, 0x40, 0x1f, 0, 0]];
    let code = [&frame.concat()[..], &[0x48, 0x8b, 0x02, 0x48, 0x89, 0x01, 0xc3]].concat();
    let why = run(&code, &contract("add", 13, 1, "win64").expect("one")).err().expect("a page");
    assert!(why.contains("without a probe"), "{why}");
    assert!(said(&frame.concat()).is_err());
    let small = [[0x48, 0x83, 0xec, 0x40], [0x48, 0x83, 0xc4, 0x40]].concat(); // 64 bytes
    let code = [HEAD, &small, TAIL].concat();
    let add = contract("add", 13, 1, "sysv").expect("one");
    assert!(run(&code, &add).is_ok_and(|run| run.stack == 64));
}

#[test]
fn a_win64_kernel_may_use_its_home_space() {
    // mov rax, [rdx]; mov [rsp + 8], rax; mov rax, [rsp + 8]; mov [rcx], rax; ret
    let home = |at: u8| [[0x48, 0x89, 0x44, 0x24, at], [0x48, 0x8b, 0x44, 0x24, at]].concat();
    let code = |at| [&[0x48, 0x8b, 0x02][..], &home(at), &[0x48, 0x89, 0x01, 0xc3]].concat();
    let contract = contract("neg", 13, 1, "win64").expect("one");
    assert!(run(&code(8), &contract).is_ok_and(|run| run.stack == 0));
    assert!(run(&code(32), &contract).is_ok());
    assert!(run(&code(40), &contract).is_err() && run(&code(0), &contract).is_err());
    assert!(said(&home(8)).is_err()); // System V has none
}

#[test]
fn a_product_is_one_row() {
    let contract = contract("mul", 0xffff_ffff_0000_0001, 1, "win64").expect("a contract");
    // mulx rax, r10, [r8]; mov [rcx], rax; ret, with rdx = x as a number read before
    let code =
        [&[0x48, 0x8b, 0x12][..], &[0xc4, 0xc2, 0xab, 0xf6, 0x00], &[0x48, 0x89, 0x01, 0xc3]];
    let Run { system, z, .. } = run(&code.concat(), &contract).expect("it runs");
    assert_eq!(z, [[Polynomial::variable(3)]]);
    let expected = Polynomial::sum([
        (1.into(), vec![2]),
        (num_bigint::BigInt::from(1) << 64, vec![3]),
        ((-1).into(), vec![1, 0]),
    ]);
    assert_eq!(system.rows, [expected]);
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
fn plain_operations_have_no_factor() {
    let given = |operation| {
        contract(operation, 13, 1, "sysv").map(|c| (c.operands.len(), c.operands[0].limbs))
    };
    assert_eq!((given("mul_plain").ok(), given("reduce").ok()), (Some((2, 1)), Some((1, 2))));
    for operation in ["mul_plain", "square_plain"] {
        assert_eq!(contract(operation, 13, 1, "sysv").map(|c| c.factor).ok(), Some(1.into()));
    }
    let sum = contract_with("sum_of_products_plain", r#"{"count": 2}"#, 13, 1, "sysv");
    assert_eq!(sum.map(|c| c.factor).ok(), Some(1.into()));
    assert!(contract("add_plain", 13, 1, "sysv").is_err());
}

#[test]
fn a_plain_integer_has_limbs_of_its_own() {
    let found = contract("mul_u128", 13, 1, "sysv").expect("a contract");
    let given: Vec<_> = found.operands.iter().map(|o| (o.name.as_str(), o.limbs)).collect();
    assert_eq!(given, [("x", 1), ("k", 2)]);
    let k = Polynomial::number([1, 2].map(Polynomial::variable).into_iter());
    assert_eq!(*found.claims().expect("they are"), [Polynomial::variable(0).times(&k)]);
    assert!(contract_with("mul_u64", r#"{"lazy": 1}"#, 13, 1, "sysv").is_err());
    assert!(contract_with("divstep_update", "{}", 13, 1, "sysv").is_ok());
    assert!(contract_with("divstep_update", r#"{"count": 2}"#, 13, 1, "sysv").is_err());
}

#[test]
fn a_size_in_a_formula_is_whole() {
    let parsed = |size: &str| {
        Formula::parsed(&format!(
            r#"{{"operands": [["x", 1, {size}]], "steps": [["divide", 0], ["times", 0, 1]],
                 "results": [2], "multiple": [3, 2, 0]}}"#
        ))
    };
    for size in ["1", "[1, 0, 64]", "[7, 2, 0]", "[8, 1, 64]"] {
        assert!(parsed(size).is_ok(), "{size}");
    }
    for size in ["0", "[0, 1, 0]", "[1, 0, 0]", "[1, 3, 0]", "[1, 0, 129]", "[1, 1]", "\"p\""] {
        assert!(parsed(size).is_err(), "{size}");
    }
    let sysv = convention::named("sysv").expect("it is known");
    let formula = parsed("[1, 0, 64]").expect("a formula");
    let found = Contract::of_formula(formula.into(), &13.into(), 1, sysv).expect("a contract");
    assert_eq!((found.width, found.most), (1, (3 * 169 - 1).into()));
}

#[test]
fn families_with_parameters_have_several_values() {
    let given = |family, parameters| {
        let found = contract_with(family, parameters, 13, 1, "sysv");
        found.map(|c| (c.operands.len(), c.operands[0].values, c.results())).ok()
    };
    assert_eq!(given("sum_of_products", r#"{"count": 2}"#), Some((2, 2, 1)));
    assert_eq!(given("sum_of_products", r#"{"count": 12}"#), Some((2, 12, 1)));
    assert_eq!(given("fp2_mul", r#"{"beta": -1}"#), Some((2, 2, 2)));
    assert_eq!(given("fp2_square", r#"{"beta": -5}"#), Some((1, 2, 2)));
    assert_eq!(given("mul_by", r#"{"factor": 12}"#), Some((1, 1, 1)));
    let beta = Polynomial::variable(1).times(&Polynomial::variable(1));
    let claim = Polynomial::variable(0).times(&Polynomial::variable(0)).plus(&beta, -5);
    let found = contract_with("fp2_square", r#"{"beta": -5}"#, 13, 1, "sysv");
    assert_eq!(found.and_then(|c| Ok(c.claims()?[0].clone())), Ok(claim));
}

#[test]
fn a_name_is_that_of_the_record() {
    for (name, family, parameters) in [
        ("mul", "mul", "{}"),
        ("fp2_mul", "fp2_mul", r#"{"beta": -1}"#),
        ("fp2_square_minus_5", "fp2_square", r#"{"beta": -5}"#),
        ("fp2_square_13", "fp2_square", r#"{"beta": 13}"#),
        ("sum_of_products_lazy", "sum_of_products", r#"{"count": 2, "lazy": 1}"#),
        ("sum_of_products_3", "sum_of_products", r#"{"count": 3}"#),
        ("mul_by_12", "mul_by", r#"{"factor": 12}"#),
    ] {
        let contract = format!(
            r#"{{"operation": "{name}", "family": "{family}", "parameters": {parameters},
                 "p": "0xd", "limbs": 1, "convention": "sysv"}}"#
        );
        let mut stated: Stated = serde_json::from_str(&contract).expect("a contract");
        assert_eq!(stated.name(), name);
        assert!(Contract::new(&stated).is_ok(), "{name}");
        stated.operation += "_5";
        assert!(Contract::new(&stated).expect_err(name).contains("is not the name of"));
    }
}

#[test]
fn a_multiplication_with_an_addition_has_three_operands() {
    let found = contract("mul_add", 13, 1, "win64").expect("a contract");
    assert_eq!(found.operands.iter().map(|o| &o.name).collect::<Vec<_>>(), ["x", "y", "a"]);
    let product = Polynomial::variable(0).times(&Polynomial::variable(1));
    let claim = product.plus(&Polynomial::variable(2), num_bigint::BigInt::from(1) << 64);
    assert_eq!(*found.claims().expect("they are"), [claim]);
    // mov rax, [rcx]; mov [rdi], rax; ret: z = a
    assert!(run(&[0x48, 0x8b, 0x01, 0x48, 0x89, 0x07, 0xc3], &found).is_err());
    let found = contract("mul_add", 13, 1, "sysv").expect("a contract");
    let Run { z, .. } = run(&[0x48, 0x8b, 0x01, 0x48, 0x89, 0x07, 0xc3], &found).expect("it runs");
    assert_eq!(z, [[Polynomial::variable(2)]]);
}

#[test]
fn lazy_values_are_below_twice_p() {
    let lazy = |family| contract_with(family, r#"{"lazy": 1}"#, 13, 1, "sysv");
    let given = |family| lazy(family).map(|c| (c.operands[0].high.clone(), c.most)).ok();
    assert_eq!(given("mul"), Some((25.into(), 25.into())));
    assert_eq!(given("reduce"), Some((25.into(), 12.into())));
}

#[test]
fn a_contract_that_makes_no_sense_is_refused() {
    for (name, p, limbs, convention) in [
        ("cube", 13, 1, "sysv"),
        ("mul", 12, 1, "sysv"),
        ("mul_lazy", 13, 1, "sysv"),
        ("mul_by", 13, 1, "sysv"),
        ("mul_by_5", 13, 1, "sysv"),
        ("sum_of_products", 13, 1, "sysv"),
        ("mul", 13, 0, "sysv"),
        ("mul", 13, 1, ""),
    ] {
        assert!(contract(name, p, limbs, convention).is_err(), "{name} {p} {limbs} {convention}");
    }
    for (family, parameters, p) in [
        ("mul", r#"{"lazy": 1}"#, (1 << 63) + 29),
        ("redc", r#"{"lazy": 1}"#, 13),
        ("mul", r#"{"lazy": 2}"#, 13),
        ("mul", r#"{"beta": -1}"#, 13),
        ("mul", r#"{"squarings": 2}"#, 13),
        ("square_times", "{}", 13),
        ("square_times", r#"{"squarings": 0}"#, 13),
        ("square_times", r#"{"squarings": 65}"#, 13),
        ("square_times", r#"{"squarings": 2, "factor": 2}"#, 13),
        ("mul_by", r#"{"factor": 3, "count": 2}"#, 13),
        ("sum_of_products", r#"{"count": 0}"#, 13),
        ("sum_of_products", r#"{"count": -3}"#, 13),
        ("fp2_mul", "{}", 13),
    ] {
        assert!(contract_with(family, parameters, p, 1, "sysv").is_err(), "{family} {parameters}");
    }
    assert!(serde_json::from_str::<Certificate>("{}").is_err());
    assert!(function(b"", "f").is_err());
}
