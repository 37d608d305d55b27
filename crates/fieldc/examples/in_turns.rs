//! Times inversions and transforms of whole slices: medians of rounds in which the processor's
//! kernels take turns, and 90th percentiles. `cargo run --release --example in_turns` prints a row
//! for each of them.

use std::hint::black_box;
use std::time::Instant;

use fieldc::bls12_381::{Fp, Fr};
use fieldc::{Field, Kernels, Ntt, PrimeField, slices};

const ROUNDS: usize = 60;
const LENGTHS: [usize; 2] = [512, 4096];
const LEVELS: [u32; 4] = [10, 13, 16, 18];
const KINDS: [Kernels; 6] = [
    Kernels::Mulx,
    Kernels::Adx,
    Kernels::Avx2,
    Kernels::Avx512f,
    Kernels::Avx512Ifma,
    Kernels::AdxAvx512Ifma,
];

/// Prints nanoseconds of one of so many actions by each kind of kernels, divided by a number.
fn report(name: &str, repeats: usize, divisor: f64, mut action: impl FnMut()) {
    let kinds: Vec<_> = KINDS.iter().filter(|kind| kind.select().is_ok()).collect();
    let mut times = vec![Vec::new(); kinds.len()];
    for _ in 0..ROUNDS {
        for (kind, times) in kinds.iter().zip(&mut times) {
            kind.select().expect("the processor has them");
            let begin = Instant::now();
            (0..repeats).for_each(|_| action());
            let total = begin.elapsed().as_nanos() as f64;
            times.push(total / repeats as f64 / divisor);
        }
    }
    print!("{name:32}");
    for (kind, mut times) in kinds.iter().zip(times) {
        times.sort_by(f64::total_cmp);
        let [median, late] = [5, 9].map(|tenths| times[times.len() * tenths / 10]);
        print!("  {kind:?} {median:.1} {late:.1}");
    }
    println!();
}

fn inversions<F: Field>(name: &str) {
    for count in LENGTHS {
        let mut x: Vec<F> = (1..=count as u64).map(F::from).collect();
        let mut scratch = x.clone();
        slices::mul(&mut x, &scratch);
        let (repeats, each) = (16384 / count, count as f64);
        report(&format!("{name} {count} slices"), repeats, each, || {
            slices::batch_invert(black_box(&mut x));
        });
        report(
            &format!("{name} {count} batch_invert"),
            repeats,
            each,
            || {
                F::batch_invert(black_box(&mut x), &mut scratch).expect("there is room");
            },
        );
    }
}

fn transforms<F: PrimeField>(name: &str) {
    for levels in LEVELS {
        let mut table = vec![F::ZERO; 1 << levels];
        let ntt = Ntt::new(&mut table).expect("2^k divides p - 1");
        let mut x: Vec<F> = (1..=1_u64 << levels).map(F::from).collect();
        let repeats = (1 << 13 >> levels).max(1);
        report(
            &format!("{name} Ntt 2^{levels}, us"),
            repeats,
            1000.0,
            || {
                ntt.forward(black_box(&mut x));
            },
        );
    }
}

fn main() {
    println!("The choice is {:?}.", Kernels::current());
    inversions::<Fp>("bls12-381 p");
    inversions::<Fr>("bls12-381 r");
    transforms::<Fr>("bls12-381 r");
}
