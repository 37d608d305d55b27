//! What instructions are said to do is what this processor does, on random words.
//!
//! Each form is a function that the processor runs and that `Block` follows, from the same bytes.
//! The integers that it finds, at the words that were drawn, are the words that the processor gives.

use crate::arrays::block::{Block, Held, Place};
use crate::arrays::certificate::{Parts, Step};
use crate::arrays::lane::Lane;
use crate::arrays::layout::{HALF, LANES, Layout};
use crate::arrays::processor_forms::{Form, LOWER, MASK, SIZE, forms};
use crate::arrays::processor_short::short_forms;
use crate::arrays::shape::{Anchors, Shape};
use crate::arrays::task::{LaneOperand, Task};
use crate::arrays::value::Value;
use crate::arrays::word::LaneWord;
use crate::polynomial::Polynomial;
use iced_x86::{Code, Decoder, DecoderOptions, Instruction, Mnemonic, Register};
use num_bigint::BigInt;
use std::io::Write;
use std::rc::Rc;

/// Words of an operand: one for each register that a form loads.
const WORDS: usize = 3;
const FRAME: i64 = 64;
const TRIALS: usize = 300;

/// Draws words: splitmix64, and now and then one at an edge.
struct Draw(u64);

impl Draw {
    fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A word up to `high`.
    fn word(&mut self, high: u64) -> u64 {
        let edges = [0, 1, 2, (1 << 52) - 1, 1 << 52, (1 << 52) + 1, 1 << 63, high - 1, high];
        let edge = edges[self.bits() as usize % edges.len()];
        let word = self.bits();
        let found = if self.bits() & 3 == 0 { edge } else { word >> (self.bits() % 64) };
        if found > high { word & (high >> 1) } else { found }
    }
}

/// A task whose only operand has so large words.
fn task(highs: &[u64]) -> Task {
    let words: Vec<_> = (0..WORDS).map(Value::atom).collect();
    let layout = Layout::digits(WORDS);
    let (high, value) = (1.into(), Value::default());
    let mut task = Task::new(3.into(), layout, 1.into(), 1.into());
    task.operands = vec![LaneOperand {
        name: "x".into(),
        layout,
        high,
        words,
        value: value.clone(),
        values: 1,
    }];
    task.highs = highs.to_vec();
    task.claims = vec![value];
    task.arrays_apart();
    task
}

/// A form's code: between the loop's parts, which are left out.
fn shape(code: &[u8], places: usize) -> Shape<'_> {
    let parts = Parts {
        elements: LANES,
        places,
        rounds_to_zero: places < LANES,
        frame: FRAME,
        masks: vec![(2, MASK), (4, LOWER)],
        held: Vec::new(),
        advances: vec![64, 64],
        block: (0, 0),
        tail: None,
    };
    let mut block = Vec::new();
    for i in Decoder::with_ip(64, code, 0, DecoderOptions::NONE) {
        if i.mnemonic() == Mnemonic::Vzeroupper {
            break;
        }
        // Entry and masks are of the loop.
        let mut registers = (0..i.op_count()).map(|operand| i.op_register(operand));
        let is_of_vectors = registers.any(|register| register.is_vector_register());
        block.extend(is_of_vectors.then_some(i));
    }
    Shape { code, parts, anchors: Anchors::new(), block, tail: Vec::new() }
}

/// What a polynomial in a certificate's variables is.
fn value_of(polynomial: &Polynomial, variables: &[BigInt]) -> BigInt {
    let mut total = BigInt::ZERO;
    for (monomial, coefficient) in polynomial.each() {
        total += monomial.iter().fold(coefficient.clone(), |product, v| product * &variables[*v]);
    }
    total
}

/// The atoms of a lane whose words were drawn, and whether what is split is negative.
fn atoms(form: &Form, steps: &[Step], words: [u64; WORDS]) -> (Vec<BigInt>, Option<bool>) {
    let mut atoms: Vec<BigInt> = words.map(BigInt::from).to_vec();
    let mut variables = atoms.clone();
    for step in steps {
        let Step::Cut(bits, of) = step else { continue };
        let (of, top) = (value_of(of, &variables), BigInt::from(1) << bits);
        let low = ((&of % &top) + &top) % &top;
        atoms.push(low.clone());
        variables.extend([low.clone(), (of - low) >> bits]);
    }
    let split = form.split().map(|split| value_of(&split, &variables) < BigInt::ZERO);
    (atoms, split)
}

/// The word that a place holds, at some atoms: from 0 to 2^64 - 1.
fn held(place: &Place, atoms: &[Vec<BigInt>]) -> u64 {
    let (held, element) = place;
    let atoms = element.map_or(&[][..], |element| &atoms[element]);
    let exact = |word: &Rc<LaneWord>| {
        let (low, high) = word.ends();
        let found = word.value.at(atoms);
        assert!(low <= &found && &found <= high, "{found} is not from {low} to {high}");
        found
    };
    let top = BigInt::from(1) << 64;
    let word = match held {
        Held::Word(word) => exact(word),
        Held::Sign(word) if exact(word) < BigInt::ZERO => (-1).into(),
        Held::Sign(_) => BigInt::ZERO,
        Held::Double(double) => return double_of(&exact(&Rc::new(double.number.clone()))),
        Held::TailWord(_) => panic!("a mask of a tail"),
        Held::Halves(low, high) => exact(low) + (exact(high) << HALF),
    };
    u64::try_from(((word % &top) + &top) % &top).expect("a word")
}

/// The bits of an integer as a double, which it is.
fn double_of(number: &BigInt) -> u64 {
    let size = u128::try_from(number.magnitude().clone()).expect("a number below 2^128") as f64;
    let signed = if *number < BigInt::ZERO { -size } else { size };
    signed.to_bits()
}

/// Runs a form here and there on words that are drawn; the operations that it has.
fn check(form: &Form, draw: &mut Draw) -> Vec<Code> {
    // SAFETY: a form is a function of SIZE bytes, with its constants.
    let code = unsafe { std::slice::from_raw_parts(form.run as *const u8, SIZE) };
    let (shape, task) = (shape(code, form.places), task(&form.highs));
    let steps: Vec<Step> = serde_json::from_str(form.steps).expect("steps");
    let mut lane = Lane::new(&task);
    for step in &steps {
        lane.learn(step).expect("a cut");
    }
    let signs = if form.split().is_some() { vec![Some(true), Some(false)] } else { vec![None] };
    let mut compared = 0;
    for sign in signs {
        let known = match (form.split(), sign) {
            (Some(split), Some(sign)) => lane.with_sign(&split, sign).expect("a sign"),
            _ => lane.clone(),
        };
        let mut block = Block::new(&known, &shape, &task, false);
        let (store, code) = shape.block.split_last().expect("a store");
        block.run(code).unwrap_or_else(|why| panic!("{}: {why:?}", form.text));
        let register = block.register(Register::ZMM1).expect("a result").clone();
        let in_order = |at: usize| register[at].1.is_none_or(|element| element == at);
        let stored = block.run(std::slice::from_ref(store));
        assert_eq!(stored.is_ok(), (0..form.places).all(in_order), "{}: {stored:?}", form.text);
        for _ in 0..TRIALS {
            let words = [(); LANES].map(|()| form.highs.map(|high| draw.word(high)));
            let told = words.map(|words| atoms(form, &steps, words));
            let exact = told.clone().map(|(atoms, _)| atoms);
            for (at, there) in ran(form, &words).into_iter().take(form.places).enumerate() {
                if register[at].1.is_none_or(|element| told[element].1 == sign) {
                    assert_eq!(held(&register[at], &exact), there, "{}: {words:x?}", form.text);
                    compared += 1;
                }
            }
        }
    }
    assert!(compared > TRIALS * form.places / 2, "{}: {compared} words", form.text);
    shape.block.iter().map(Instruction::code).collect()
}

/// What the processor makes of the words of each element.
fn ran(form: &Form, words: &[[u64; WORDS]; LANES]) -> [u64; LANES] {
    let (mut memory, mut found) = ([0; LANES * WORDS], [0; LANES]);
    for (element, words) in words.iter().enumerate() {
        for (place, word) in words.iter().enumerate() {
            memory[LANES * place + element] = *word;
        }
    }
    // SAFETY: a form reads three vectors and writes one; the processor has its instructions.
    unsafe { (form.run)(0, found.as_mut_ptr(), memory.as_ptr()) };
    found
}

/// What this processor lacks of what the forms need.
fn missing() -> Vec<&'static str> {
    let known = [
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512dq", is_x86_feature_detected!("avx512dq")),
        ("avx512ifma", is_x86_feature_detected!("avx512ifma")),
        ("avx512vbmi2", is_x86_feature_detected!("avx512vbmi2")),
    ];
    known.into_iter().filter(|(_, has)| !has).map(|(name, _)| name).collect()
}

#[test]
fn instructions_on_256_bits_do_what_the_processor_does() {
    if !is_x86_feature_detected!("avx2") || !is_x86_feature_detected!("fma") {
        let _ = writeln!(std::io::stderr(), "SKIPPED: this processor lacks avx2 or fma");
        return;
    }
    let mut draw = Draw(21);
    let ran: Vec<_> = short_forms().iter().flat_map(|form| check(form, &mut draw)).collect();
    all_are_run(include_str!("four_lanes.rs"), "VEX_", "Vpmaskmovq", &ran);
}

/// Every instruction that a text names was run, but for masked moves.
fn all_are_run(source: &str, start: &str, but: &str, ran: &[Code]) {
    let names = source.split(|c: char| !(c.is_alphanumeric() || c == '_'));
    for name in names.filter(|name| name.starts_with(start) && !name.contains(but)) {
        assert!(ran.iter().any(|code| format!("{code:?}") == name), "no form has {name}");
    }
}

#[test]
fn instructions_do_what_the_processor_does() {
    let lacking = missing();
    if !lacking.is_empty() {
        let reason = lacking.join(", ");
        // Not captured, as what tests print is.
        let _ = writeln!(std::io::stderr(), "SKIPPED: this processor lacks {reason}");
        return;
    }
    let mut draw = Draw(20);
    let ran: Vec<_> = forms().iter().flat_map(|form| check(form, &mut draw)).collect();
    all_are_run(include_str!("meanings.rs"), "EVEX_", "Vmovdqu32", &ran);
}
