//! Wall times by criterion, to be put beside figures that others publish. They are taken one after
//! the other, so they say nothing about who is faster: the bench `race` does.

use std::hint::black_box;

use ark_ff::Field;
use criterion::{Criterion, criterion_group, criterion_main};
use fieldc::bls12_381::Fp;

fn products(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("bls12-381-p");
    let (x, y) = (Fp::from_u64(3), Fp::from_u64(5));
    group.bench_function("mul/fieldc", |bench| bench.iter(|| black_box(x) * black_box(&y)));
    group.bench_function("square/fieldc", |bench| bench.iter(|| black_box(&x).square()));
    let (x, y) = (ark_bls12_381::Fq::from(3_u64), ark_bls12_381::Fq::from(5_u64));
    group.bench_function("mul/arkworks", |bench| bench.iter(|| black_box(x) * black_box(&y)));
    group.bench_function("square/arkworks", |bench| bench.iter(|| black_box(&x).square()));
    group.finish();
}

criterion_group!(figures, products);
criterion_main!(figures);
