//! Times inversions of whole slices, in nanoseconds an element: the median of rounds in which the
//! processor's kernels take turns.
//! `cargo run --release --example inversions` prints a table for each modulus.

use std::hint::black_box;
use std::time::Instant;

use fieldc::{Field, Kernels, slices};

const ROUNDS: usize = 60;
const COUNTS: [usize; 2] = [512, 4096];
const KINDS: [Kernels; 6] = [
    Kernels::Mulx,
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

/// Times of one inversion of a slice by each kind of kernels in turn.
fn in_turns<F: Field>(x: &mut [F], kinds: &[Kernels], invert: impl Fn(&mut [F])) -> Vec<[f64; 2]> {
    let repeats = 16384 / x.len() as u32;
    let mut times = vec![Vec::new(); kinds.len()];
    for _ in 0..ROUNDS {
        for (kind, times) in kinds.iter().zip(&mut times) {
            kind.select().expect("the processor has them");
            let begin = Instant::now();
            (0..repeats).for_each(|_| invert(black_box(x)));
            let total = begin.elapsed().as_nanos() as f64;
            times.push(total / f64::from(repeats) / x.len() as f64);
        }
    }
    times.into_iter().map(ranks).collect()
}

fn report<F: Field>(name: &str, kinds: &[Kernels]) {
    for count in COUNTS {
        let mut x: Vec<F> = (1..=count as u64).map(F::from).collect();
        let mut scratch = x.clone();
        slices::mul(&mut x, &scratch);
        let alone = in_turns(&mut x, kinds, |x| _ = slices::batch_invert(x));
        let room = std::cell::RefCell::new(&mut scratch);
        let together = in_turns(&mut x, kinds, |x| {
            F::batch_invert(x, &mut room.borrow_mut()).expect("there is room");
        });
        for (title, rows) in [("slices", alone), ("batch_invert", together)] {
            print!("{name:12} {count:5} {title:13}");
            rows.iter()
                .for_each(|[median, late]| print!(" {median:7.2} {late:7.2}"));
            println!();
        }
    }
}

fn main() {
    let first = Kernels::current();
    let kinds: Vec<Kernels> = KINDS.into_iter().filter(|k| k.select().is_ok()).collect();
    println!("{first:?} is the choice; medians and 90th percentiles of {kinds:?}");
    report::<fieldc::bls12_381::Fp>("bls12-381 p", &kinds);
    report::<fieldc::bls12_381::Fr>("bls12-381 r", &kinds);
}
