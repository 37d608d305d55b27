//! Times operations on arrays, in nanoseconds an element: the least of several rounds, of slices
//! and of arrays in digits in turns.
//! `cargo run --release --example digit_arrays --features alloc` prints a table for each modulus.

use std::hint::black_box;
use std::time::Instant;

use fieldc::{DigitArray, Field, Kernels, inner_product, slices};

const COUNT: usize = 512;
const REPEATS: u32 = 200;
const ROUNDS: usize = 40;

/// The least times of two actions.
fn both(mut first: impl FnMut(), mut second: impl FnMut()) -> [f64; 2] {
    let mut least = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        let actions: [&mut dyn FnMut(); 2] = [&mut first, &mut second];
        for (least, action) in least.iter_mut().zip(actions) {
            let begin = Instant::now();
            (0..REPEATS).for_each(|_| action());
            let total = begin.elapsed().as_nanos() as f64;
            *least = least.min(total / f64::from(REPEATS) / COUNT as f64);
        }
    }
    least
}

fn report<F: Field>(name: &str) {
    let y: Vec<F> = (3..COUNT as u64 + 3).map(F::from).collect();
    let b = DigitArray::new(&y);
    let (mut x, mut a) = (y.clone(), b.clone());
    let rows = [
        ("mul", both(|| slices::mul(&mut x, &y), || a.mul(&b))),
        ("square", both(|| slices::square(&mut x), || a.square())),
        ("add", both(|| slices::add(&mut x, &y), || a.add(&b))),
        (
            "add_products",
            both(
                || slices::add_products(&mut x, &y, &y),
                || a.add_products(&b, &b),
            ),
        ),
        (
            "pow 65537",
            both(|| slices::pow(&mut x, &[65_537]), || a.pow(&[65_537])),
        ),
        (
            "inner_product",
            both(
                || _ = black_box(inner_product(black_box(&x), &y)),
                || _ = black_box(black_box(&a).inner_product(&b)),
            ),
        ),
    ];
    for (operation, [slice, array]) in rows {
        println!(
            "{name:12} {operation:14} {slice:8.2} {array:8.2} {:6.2}",
            slice / array
        );
    }
    let [into, back] = both(|| _ = black_box(DigitArray::new(&y)), || b.write_to(&mut x));
    println!("{name:12} new {into:.2}, write_to {back:.2}");
}

fn main() {
    println!(
        "{:?}, {COUNT} elements, nanoseconds an element",
        Kernels::current()
    );
    println!(
        "{:12} {:14} {:>8} {:>8} {:>6}",
        "field", "operation", "slices", "digits", "ratio"
    );
    report::<fieldc::bls12_381::Fp>("bls12-381 p");
    report::<fieldc::bls12_381::Fr>("bls12-381 r");
    report::<fieldc::bn254::Fp>("bn254 p");
}
