//! Threads are the caller's: an inner product and batches of inverses on one core and on all.
//!
//! `cargo run --release --example threads` in `crates/clients`. A chunk for each thread is enough,
//! and chunks of a few thousand elements keep vectors and the shared inversions at work.

use std::time::{Duration, Instant};

use fieldc::bls12_381::Fr;
use fieldc::{inner_product, slices};
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

const ELEMENTS: usize = 1 << 20;
const CHUNK: usize = 1 << 13;
const ROUNDS: usize = 7;

fn product(x: &[Fr], y: &[Fr]) -> Fr {
    x.par_chunks(CHUNK).zip(y.par_chunks(CHUNK)).map(|(x, y)| inner_product(x, y)).sum()
}

fn invert(x: &mut [Fr]) {
    x.par_chunks_mut(CHUNK).for_each(|x| assert_eq!(slices::batch_invert(x), None));
}

/// The fastest of some runs in a pool.
fn fastest(pool: &ThreadPool, mut run: impl FnMut() + Send) -> Duration {
    pool.install(|| {
        let times = (0..ROUNDS).map(|_| {
            let start = Instant::now();
            run();
            start.elapsed()
        });
        times.min().expect("a round")
    })
}

fn main() {
    let x: Vec<Fr> = (1..=ELEMENTS as u64).map(Fr::from_u64).collect();
    let y: Vec<Fr> = x.iter().map(Fr::square).collect();
    let expected = inner_product(&x, &y);
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let pools = [1, all].map(|threads| {
        ThreadPoolBuilder::new().num_threads(threads).build().expect("threads can be made")
    });
    println!("{ELEMENTS} elements of BLS12-381's scalar field, the fastest of {ROUNDS} rounds");
    let shown = |name: &str, [one, many]: [Duration; 2]| {
        let ratio = one.as_secs_f64() / many.as_secs_f64();
        println!("{name:14} 1 thread {one:9.2?}, {all} threads {many:9.2?}: {ratio:.2} times");
    };
    shown(
        "inner product",
        pools.each_ref().map(|pool| fastest(pool, || assert_eq!(product(&x, &y), expected))),
    );
    let mut inverses = x.clone();
    shown("inverses", pools.each_ref().map(|pool| fastest(pool, || invert(&mut inverses))));
    // Each of two pools inverted them ROUNDS times, so they are what they were.
    assert!(inverses == x);
}
