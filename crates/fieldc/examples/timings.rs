//! Times operations, in nanoseconds: the least of several rounds, each result the next operand.
//! `cargo run --release --example timings` prints a table for the portable kernels and one for
//! those that the processor runs.

use std::hint::black_box;
use std::time::Instant;

use fieldc::Kernels;

const ROUNDS: usize = 15;

fn nanoseconds<T: Copy>(start: T, repeats: u32, step: impl Fn(T) -> T) -> f64 {
    let round = || {
        let (begin, mut x) = (Instant::now(), black_box(start));
        for _ in 0..repeats {
            x = step(x);
        }
        black_box(x);
        begin.elapsed().as_nanos() as f64 / f64::from(repeats)
    };
    (0..ROUNDS).map(|_| round()).fold(f64::INFINITY, f64::min)
}

macro_rules! report {
    ($name:literal, $Fp:ty) => {{
        let x = -<$Fp>::from_u64(3);
        let one = <$Fp>::ONE;
        let sum = nanoseconds(x, 100_000, |x| x + one);
        let difference = nanoseconds(x, 100_000, |x| x - one);
        let product = nanoseconds(x, 100_000, |x| x * x);
        let square = nanoseconds(x, 100_000, |x| x.square());
        let invert = nanoseconds(x, 500, |x| x.invert_ct().0 + one);
        let sqrt = nanoseconds(x, 100, |x| x.square().sqrt_ct().0 + one);
        let is_square = nanoseconds(x, 100, |x| x + <$Fp>::from_u64(x.is_square().into()));
        println!(
            "{:12} {sum:8.1} {difference:8.1} {product:8.1} {square:8.1} {invert:8.0} {sqrt:8.0} {is_square:10.0}",
            $name
        );
    }};
}

fn main() {
    for kernels in [Kernels::Portable, Kernels::detect()] {
        if kernels.select().is_ok() {
            report();
        }
    }
}

fn report() {
    println!("{:?} kernels, nanoseconds", Kernels::current());
    println!(
        "{:12} {:>8} {:>8} {:>8} {:>8} {:>8} {:>8} {:>10}",
        "field", "x + y", "x - y", "x * x", "square", "invert", "sqrt", "is_square"
    );
    report!("goldilocks", fieldc::goldilocks::Fp);
    report!("bn254 p", fieldc::bn254::Fp);
    report!("p256", fieldc::p256::Fp);
    report!("curve25519", fieldc::curve25519::Fp);
    report!("bls12-381 r", fieldc::bls12_381::Fr);
    report!("bls12-381 p", fieldc::bls12_381::Fp);
    report!("bls12-377 p", fieldc::bls12_377::Fp);
    report!("bw6-761 p", fieldc::bw6_761::Fp);
}
