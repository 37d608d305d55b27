//! `ark-ff` 0.6: polynomials of ark-poly over fields that our types configure.

use ark_ff::{FftField, Fp256, MontBackend};
use ark_poly::univariate::DensePolynomial;
use ark_poly::{DenseUVPolynomial, EvaluationDomain, Polynomial, Radix2EvaluationDomain};
use fieldc::{bls12_381, bn254, pallas};

fn check<F: FftField>() {
    let polynomial = |count: u64| {
        let coefficients = (1..=count).map(|i| F::from(i).inverse().expect("i is below p"));
        DensePolynomial::from_coefficients_vec(coefficients.collect())
    };
    let (a, b) = (polynomial(20), polynomial(33));
    let (product, x) = (&a * &b, F::from(7_u64) + F::GENERATOR);
    assert_eq!(product, a.naive_mul(&b));
    assert_eq!(product.evaluate(&x), a.evaluate(&x) * b.evaluate(&x));
    let domain = Radix2EvaluationDomain::<F>::new(64).expect("64 divides p - 1");
    let values = domain.fft(&a.coeffs);
    for (x, value) in domain.elements().zip(&values) {
        assert_eq!(a.evaluate(&x), *value);
    }
    assert_eq!(&domain.ifft(&values)[..20], &a.coeffs);
    let coset = domain.get_coset(F::GENERATOR).expect("the generator is not 0");
    assert_eq!(&coset.ifft(&coset.fft(&b.coeffs))[..33], &b.coeffs);
}

#[test]
fn polynomials() {
    check::<Fp256<MontBackend<bls12_381::Fr, 4>>>();
    check::<Fp256<MontBackend<bn254::Fr, 4>>>();
    check::<Fp256<MontBackend<pallas::Fp, 4>>>();
}
