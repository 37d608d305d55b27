//! Transforms are evaluations, on every path, and their inverses undo them.

mod common;

use common::{Random, on_every_path};
use fieldc::{Ntt, PrimeField, slices};

fn elements<F: PrimeField>(count: usize) -> Vec<F> {
    let mut random = Random::new(count as u64);
    let mut next = || F::random_from(|bytes| random.fill(bytes));
    (0..count)
        .map(|i| if i % 5 == 4 { -F::ONE } else { next() })
        .collect()
}

/// The polynomial's value.
fn at<F: PrimeField>(coefficients: &[F], x: &F) -> F {
    let step = |sum: F, a: &F| sum * x + a;
    coefficients.iter().rev().fold(F::ZERO, step)
}

fn check<F: PrimeField>(most: u32) {
    for k in 0..=most {
        let root = F::primitive_root_of_unity(k).unwrap();
        let coefficients = elements::<F>(1 << k);
        let mut table = vec![F::ZERO; 1 << k];
        let ntt = Ntt::new(&mut table).unwrap();
        let mut x = coefficients.clone();
        ntt.forward(&mut x);
        let mut point = F::ONE;
        for value in &x {
            assert_eq!(*value, at(&coefficients, &point), "2^{k} elements");
            point *= root;
        }
        ntt.inverse(&mut x);
        assert_eq!(x, coefficients, "2^{k} elements");
    }
}

#[test]
fn a_transform_evaluates_a_polynomial() {
    on_every_path(|_| {
        check::<fieldc::bls12_381::Fr>(9);
        check::<fieldc::pallas::Fp>(8);
        check::<fieldc::goldilocks::Fp>(8);
        check::<fieldc::bls12_381::Fp>(1);
    });
}

/// Lengths at which tiles have all their shapes: every path computes the same.
fn check_long<F: PrimeField>() {
    for k in 9..=13 {
        let mut table = vec![F::ZERO; 1 << k];
        let ntt = Ntt::new(&mut table).unwrap();
        let coefficients = elements::<F>(1 << k);
        let mut found: Vec<Vec<F>> = Vec::new();
        on_every_path(|_| {
            let mut x = coefficients.clone();
            ntt.forward(&mut x);
            found.push(x.clone());
            ntt.inverse(&mut x);
            assert_eq!(x, coefficients, "2^{k} elements");
        });
        assert!(found.iter().all(|x| *x == found[0]), "2^{k} elements");
    }
}

#[test]
fn long_transforms_are_the_same_on_every_path() {
    check_long::<fieldc::bls12_381::Fr>();
    check_long::<fieldc::bn254::Fr>();
    check_long::<fieldc::vesta::Fp>();
}

#[test]
fn levels_that_take_several_turns_of_tiles() {
    type Fr = fieldc::bls12_381::Fr;
    let (count, degrees) = (1 << 17, [0, 1, 77_777, (1 << 17) - 1]);
    let root = Fr::primitive_root_of_unity(17).unwrap();
    let mut table = vec![Fr::ZERO; count];
    let ntt = Ntt::new(&mut table).unwrap();
    let mut x = vec![Fr::ZERO; count];
    for (degree, a) in degrees.iter().zip(elements(4)) {
        x[*degree] = a;
    }
    let coefficients = x.clone();
    ntt.forward(&mut x);
    for i in (0..count).step_by(511) {
        let term = |d: &usize| coefficients[*d] * root.pow_u64((i * d) as u64);
        assert_eq!(x[i], degrees.iter().map(term).sum(), "value {i}");
    }
    ntt.inverse(&mut x);
    assert!(x == coefficients);
}

/// Every length, against one element at a time.
fn check_butterflies<F: PrimeField>() {
    for count in (0..41).chain([64, 100]) {
        let [x, y, w] = [0, 1, 2].map(|seed| elements::<F>(count + seed).split_off(seed));
        let (mut sums, mut differences) = (x.clone(), y.clone());
        slices::butterfly(&mut sums, &mut differences, &w);
        for i in 0..count {
            assert_eq!(sums[i], x[i] + w[i] * y[i], "element {i} of {count}");
            assert_eq!(differences[i], x[i] - w[i] * y[i], "element {i} of {count}");
        }
    }
}

#[test]
fn butterflies_are_sums_and_differences() {
    on_every_path(|_| {
        check_butterflies::<fieldc::bls12_381::Fr>();
        check_butterflies::<fieldc::pallas::Fp>();
        check_butterflies::<fieldc::bls12_381::Fp>(); // has no kernel of butterflies
    });
}

#[test]
fn other_lengths_are_refused() {
    type Fp = fieldc::bls12_381::Fp;
    for count in [0, 3, 4, 6] {
        let mut table = vec![Fp::ONE; count];
        assert!(Ntt::new(&mut table).is_none());
        assert_eq!(table, vec![Fp::ONE; count]);
    }
}

#[test]
#[should_panic(expected = "the transform has another length")]
fn a_transform_has_one_length() {
    type Fr = fieldc::bls12_381::Fr;
    Ntt::new(&mut [Fr::ZERO; 4])
        .unwrap()
        .forward(&mut [Fr::ONE; 2]);
}
