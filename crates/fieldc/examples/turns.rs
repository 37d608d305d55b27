//! Runs an operation of a field many times, for `fieldc.lab.emulated_counts` to count instructions:
//! `turns bls12-381-p mul 100`. A turn reads the operands from memory and stores the result.

use core::hint::black_box;

use fieldc::PrimeField;

fn mul<F: PrimeField>(turns: usize) {
    let (x, y, mut z) = (F::from(3_u64), F::from(5_u64), F::ZERO);
    for _ in 0..turns {
        *black_box(&mut z) = *black_box(&x) * *black_box(&y);
    }
}

fn square<F: PrimeField>(turns: usize) {
    let (x, mut z) = (F::from(3_u64), F::ZERO);
    for _ in 0..turns {
        *black_box(&mut z) = black_box(&x).square();
    }
}

fn add<F: PrimeField>(turns: usize) {
    let (x, y, mut z) = (F::from(3_u64), F::from(5_u64), F::ZERO);
    for _ in 0..turns {
        *black_box(&mut z) = *black_box(&x) + *black_box(&y);
    }
}

fn sub<F: PrimeField>(turns: usize) {
    let (x, y, mut z) = (F::from(3_u64), F::from(5_u64), F::ZERO);
    for _ in 0..turns {
        *black_box(&mut z) = *black_box(&x) - *black_box(&y);
    }
}

fn double<F: PrimeField>(turns: usize) {
    let (x, mut z) = (F::from(3_u64), F::ZERO);
    for _ in 0..turns {
        *black_box(&mut z) = black_box(&x).double();
    }
}

fn neg<F: PrimeField>(turns: usize) {
    let (x, mut z) = (F::from(3_u64), F::ZERO);
    for _ in 0..turns {
        *black_box(&mut z) = -*black_box(&x);
    }
}

fn run<F: PrimeField>(operation: &str, turns: usize) {
    match operation {
        "mul" => mul::<F>(turns),
        "square" => square::<F>(turns),
        "add" => add::<F>(turns),
        "sub" => sub::<F>(turns),
        "double" => double::<F>(turns),
        "neg" => neg::<F>(turns),
        _ => panic!("{operation} is not mul, square, add, sub, double or neg"),
    }
}

fn main() {
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let [field, operation, turns] = &arguments[..] else {
        panic!("a field, an operation and the number of turns are needed");
    };
    let turns = turns.parse().expect("a number of turns");
    match field.as_str() {
        "bls12-381-p" => run::<fieldc::bls12_381::Fp>(operation, turns),
        "bn254-p" => run::<fieldc::bn254::Fp>(operation, turns),
        "bls12-381-r" => run::<fieldc::bls12_381::Fr>(operation, turns),
        "secp256k1-p" => run::<fieldc::secp256k1::Fp>(operation, turns),
        _ => panic!("{field} is not among the fields here"),
    }
}
