//! Times products, sums and differences modulo primes of one limb, in nanoseconds: the least of
//! several rounds over 8192 operands. `cargo run --release --example one_limb` prints, for each
//! operation, the latency (each result is the next operand) and the throughput.

use std::hint::black_box;
use std::time::Instant;

use fieldc::PrimeField;
use fieldc::goldilocks;

const ROUNDS: usize = 300;
const OPERANDS: usize = 8192;

fieldc::field! {
    struct Mersenne61(modulus = "0x1fff_ffff_ffff_ffff");
}

fieldc::field! {
    struct BabyBear(modulus = "0x7800_0001");
}

/// The least time of a round, for one operand.
fn least(mut round: impl FnMut()) -> f64 {
    let times = (0..ROUNDS).map(|_| {
        let begin = Instant::now();
        round();
        begin.elapsed().as_nanos() as f64 / OPERANDS as f64
    });
    times.fold(f64::INFINITY, f64::min)
}

fn latency<F: Copy>(start: F, all: &[F], step: impl Fn(F, F) -> F) -> f64 {
    least(|| {
        let x = black_box(all)
            .iter()
            .fold(black_box(start), |x, y| step(x, *y));
        black_box(x);
    })
}

fn throughput<F: Copy>(all: &[F], z: &mut [F], step: impl Fn(F, F) -> F) -> f64 {
    least(|| {
        for ((z, x), y) in z.iter_mut().zip(black_box(all)).zip(all.iter().rev()) {
            *z = step(*x, *y);
        }
        black_box(&mut *z);
    })
}

fn report<F: PrimeField>(name: &str) {
    let all: Vec<F> = (0..OPERANDS as u64)
        .map(|i| F::from(i * i + 3).square().square())
        .collect();
    let mut z = all.clone();
    macro_rules! row {
        ($operation:literal, $step:expr) => {
            let times = (
                latency(all[0], &all, $step),
                throughput(&all, &mut z, $step),
            );
            println!(
                "{name:12} {:12} {:8.2} {:10.2}",
                $operation, times.0, times.1
            );
        };
    }
    row!("mul", |x: F, y: F| x * y);
    row!("square", |x: F, _: F| x.square());
    row!("add", |x: F, y: F| x + y);
    row!("sub", |x: F, y: F| x - y);
    row!("mul, add", |x: F, y: F| x * y + y);
}

fn main() {
    println!(
        "{:12} {:12} {:>8} {:>10}",
        "field", "operation", "latency", "throughput"
    );
    report::<goldilocks::Fp>("goldilocks");
    report::<Mersenne61>("2^61 - 1");
    report::<BabyBear>("babybear");
}
