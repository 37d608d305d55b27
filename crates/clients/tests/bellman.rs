//! `ff` 0.13: the evaluation domains of bellman.

use bellman::domain::{EvaluationDomain, Scalar};
use bellman::multicore::Worker;
use ff_0_13::PrimeField;
use fieldc::{bls12_381, bn254, pallas};

fn numbers<F: PrimeField>(count: u64, seed: u64) -> Vec<F> {
    (0..count).map(|i| F::from(i * i + seed) * F::from(u64::MAX - i)).collect()
}

fn domain<F: PrimeField>(coefficients: &[F]) -> EvaluationDomain<F, Scalar<F>> {
    let scalars = coefficients.iter().map(|a| Scalar(*a)).collect();
    EvaluationDomain::from_coeffs(scalars).expect("a domain as large as that")
}

/// Transforms and back again, on the domain and on its coset, in both orders.
fn compositions<F: PrimeField>(worker: &Worker) {
    for log in 0..8 {
        let wanted = numbers::<F>(1 << log, 3);
        let mut domain = domain(&wanted);
        domain.fft(worker);
        domain.ifft(worker);
        domain.coset_fft(worker);
        domain.icoset_fft(worker);
        domain.ifft(worker);
        domain.fft(worker);
        domain.icoset_fft(worker);
        domain.coset_fft(worker);
        let found: Vec<F> = domain.as_ref().iter().map(|scalar| scalar.0).collect();
        assert_eq!(found, wanted, "2^{log}");
    }
}

/// A product of polynomials by transforms is the product of their coefficients.
fn products<F: PrimeField>(worker: &Worker) {
    for (few, more) in [(1, 1), (3, 5), (16, 16), (31, 33)] {
        let (a, b) = (numbers::<F>(few, 1), numbers::<F>(more, 2));
        let mut wanted = vec![F::ZERO; (few + more) as usize];
        for (i, x) in a.iter().enumerate() {
            for (j, y) in b.iter().enumerate() {
                wanted[i + j] += *x * y;
            }
        }
        let padded = |some: &[F]| {
            let mut all = some.to_vec();
            all.resize(wanted.len(), F::ZERO);
            domain(&all)
        };
        let (mut a, mut b) = (padded(&a), padded(&b));
        a.fft(worker);
        b.fft(worker);
        a.mul_assign(worker, &b);
        a.ifft(worker);
        let found: Vec<F> = a.as_ref().iter().map(|scalar| scalar.0).collect();
        assert_eq!(&found[..wanted.len()], wanted);
        assert!(found[wanted.len()..].iter().all(|x| bool::from(x.is_zero())));
    }
}

fn check<F: PrimeField>() {
    let worker = Worker::new();
    compositions::<F>(&worker);
    products::<F>(&worker);
}

#[test]
fn bls12_381() {
    check::<bls12_381::Fr>();
}

#[test]
fn bn254() {
    check::<bn254::Fr>();
}

#[test]
fn pallas() {
    check::<pallas::Fp>();
}
