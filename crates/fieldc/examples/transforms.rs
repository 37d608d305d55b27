//! Times transforms, in microseconds: the median of rounds in which the processor's kernels take
//! turns. `cargo run --release --example transforms` prints a row for each length.

use std::hint::black_box;
use std::time::Instant;

use fieldc::bls12_381::Fr;
use fieldc::{Kernels, Ntt, PrimeField};

const ROUNDS: usize = 40;
const LEVELS: [u32; 4] = [10, 13, 16, 18];
const KINDS: [Kernels; 5] = [
    Kernels::Adx,
    Kernels::Avx2,
    Kernels::Avx512f,
    Kernels::Avx512Ifma,
    Kernels::AdxAvx512Ifma,
];

/// The median and the 90th percentile of some times.
fn ranks(mut times: Vec<f64>) -> [f64; 2] {
    times.sort_by(f64::total_cmp);
    [times[times.len() / 2], times[times.len() * 9 / 10]]
}

fn report<F: PrimeField>(name: &str, levels: u32, kinds: &[Kernels]) {
    let count = 1 << levels;
    let mut table = vec![F::ZERO; count];
    let ntt = Ntt::new(&mut table).expect("2^k divides p - 1");
    let mut x: Vec<F> = (1..=count as u64).map(F::from).collect();
    let mut times = vec![Vec::new(); kinds.len()];
    for _ in 0..ROUNDS {
        for (kind, times) in kinds.iter().zip(&mut times) {
            kind.select().expect("the processor has them");
            let begin = Instant::now();
            ntt.forward(black_box(&mut x));
            times.push(begin.elapsed().as_nanos() as f64 / 1000.0);
        }
    }
    print!("{name:12} 2^{levels:<2}");
    for [median, late] in times.into_iter().map(ranks) {
        print!(" {median:9.1} {late:9.1}");
    }
    println!();
}

fn main() {
    let first = Kernels::current();
    let kinds: Vec<Kernels> = KINDS.into_iter().filter(|k| k.select().is_ok()).collect();
    println!("{first:?} is the choice; medians and 90th percentiles of {kinds:?}");
    for levels in LEVELS {
        report::<Fr>("bls12-381 r", levels, &kinds);
    }
}
