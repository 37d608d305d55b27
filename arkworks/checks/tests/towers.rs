//! Fp2 and Fp12 on the kernels of fieldc, against the definitions of their products.

use ark_ff::fields::fp12_2over3over2::{Fp12, Fp12Config, Fp12ConfigWrapper};
use ark_ff::fields::{Fp2, Fp2Config, Fp2ConfigWrapper};
use ark_ff::on_fieldc::Tower;
use ark_ff::{AdditiveGroup, CyclotomicMultSubgroup, Field, MontFp, QuadExtConfig, Zero};

/// 0, 1, -1, and random elements.
fn elements<F: Field>(random: usize) -> Vec<F> {
    let mut source = ark_std::test_rng();
    let mut found = vec![F::ZERO, F::ONE, -F::ONE, F::ONE.double()];
    found.extend((0..random).map(|_| F::rand(&mut source)));
    found
}

fn products_of_pairs<P: Fp2Config>() {
    for x in &elements::<Fp2<P>>(30) {
        let square = x.c0.square() + x.c1.square() * P::NONRESIDUE;
        assert_eq!(x.square(), Fp2::<P>::new(square, (x.c0 * x.c1).double()));
        for y in &elements::<Fp2<P>>(30) {
            let c0 = x.c0 * y.c0 + x.c1 * y.c1 * P::NONRESIDUE;
            assert_eq!(*x * y, Fp2::<P>::new(c0, x.c0 * y.c1 + x.c1 * y.c0));
        }
    }
}

fn products_of_twelve<P: Fp12Config>() {
    let line = elements::<Fp12<P>>(2)[4].c0;
    for x in &elements::<Fp12<P>>(6) {
        assert_eq!(x.square(), *x * x);
        for y in &elements::<Fp12<P>>(6) {
            let mut high = x.c1 * y.c1;
            P::mul_fp6_by_nonresidue_in_place(&mut high);
            let product = Fp12::<P>::new(x.c0 * y.c0 + high, x.c0 * y.c1 + x.c1 * y.c0);
            assert_eq!(*x * y, product);
        }
        let (mut by_014, mut by_034) = (*x, *x);
        by_014.mul_by_014(&line.c0, &line.c1, &line.c2);
        by_034.mul_by_034(&line.c0, &line.c1, &line.c2);
        let mut sparse = Fp12::<P>::zero();
        (sparse.c0.c0, sparse.c0.c1, sparse.c1.c1) = (line.c0, line.c1, line.c2);
        assert_eq!(by_014, *x * sparse);
        sparse = Fp12::zero();
        (sparse.c0.c0, sparse.c1.c0, sparse.c1.c1) = (line.c0, line.c1, line.c2);
        assert_eq!(by_034, *x * sparse);
    }
}

fn powers_of_the_cyclotomic_subgroup<P: Fp12Config>() {
    for x in elements::<Fp12<P>>(4).into_iter().filter(|x| !x.is_zero()) {
        let mut x = x.conjugate() * x.inverse().unwrap();
        x *= x.frobenius_map(2);
        assert_eq!(x.cyclotomic_square(), x.square());
        for exponent in [[0xd201_0000_0001_0000, 0], [1 << 63, 3], [!0, 1], [1, 0], [0, 0]] {
            assert_eq!(x.cyclotomic_exp(exponent), x.pow(exponent));
        }
    }
    let mut zero = Fp12::<P>::zero();
    zero.cyclotomic_exp_in_place([1 << 40]);
    assert!(zero.is_zero());
}

trait Conjugate {
    fn conjugate(&self) -> Self;
}

impl<P: Fp12Config> Conjugate for Fp12<P> {
    fn conjugate(&self) -> Self {
        Self::new(self.c0, -self.c1)
    }
}

#[test]
fn towers_over_bls12_381_are_products() {
    use ark_bls12_381::{Fq2Config, Fq12Config};
    const {
        assert!(matches!(Fp2ConfigWrapper::<Fq2Config>::TOWER, Some(Tower::Bls12_381)));
        assert!(matches!(Fp12ConfigWrapper::<Fq12Config>::TOWER, Some(Tower::Bls12_381)));
    }
    products_of_pairs::<Fq2Config>();
    products_of_twelve::<Fq12Config>();
    powers_of_the_cyclotomic_subgroup::<Fq12Config>();
}

#[test]
fn towers_over_bn254_are_products() {
    use ark_bn254::{Fq2Config, Fq12Config};
    const {
        assert!(matches!(Fp2ConfigWrapper::<Fq2Config>::TOWER, Some(Tower::Bn254)));
        assert!(matches!(Fp12ConfigWrapper::<Fq12Config>::TOWER, Some(Tower::Bn254)));
    }
    products_of_pairs::<Fq2Config>();
    products_of_twelve::<Fq12Config>();
    powers_of_the_cyclotomic_subgroup::<Fq12Config>();
}

/// Pairs with another rule, which fieldc has no kernels for.
struct Other;

impl Fp2Config for Other {
    type Fp = ark_bls12_381::Fq;
    const NONRESIDUE: Self::Fp = MontFp!("-2");
    const FROBENIUS_COEFF_FP2_C1: &[Self::Fp] = &[MontFp!("1"), MontFp!("-1")];
}

#[test]
fn another_extension_of_the_same_field_keeps_its_rule() {
    const { assert!(Fp2ConfigWrapper::<Other>::TOWER.is_none()) };
    products_of_pairs::<Other>();
}
