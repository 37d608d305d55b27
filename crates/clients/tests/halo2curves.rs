//! `ff` and `group` 0.13: the transform of halo2curves, whose vectors are of any additive group, and
//! the windowed multiples of group.

use ff_0_13::{PrimeField, WithSmallOrderMulGroup};
use fieldc::{bls12_381, bn254, vesta};
use group_0_13::{GroupOpsOwned, ScalarMulOwned};
use halo2curves::fft::best_fft;

/// Each value is the polynomial's at a power of omega.
fn transforms<F: PrimeField + GroupOpsOwned + ScalarMulOwned<F>>() {
    for log in 1..7 {
        let size = 1_u64 << log;
        let omega = F::ROOT_OF_UNITY.pow_vartime([1 << (F::S - log)]);
        let coefficients: Vec<F> = (0..size).map(|i| F::from(i + 2).invert().unwrap()).collect();
        let mut values = coefficients.clone();
        best_fft(&mut values, omega, log);
        for (i, value) in values.iter().enumerate() {
            let x = omega.pow_vartime([i as u64]);
            let wanted = coefficients.iter().rev().fold(F::ZERO, |sum, a| sum * x + a);
            assert_eq!(*value, wanted, "2^{log}, {i}");
        }
        best_fft(&mut values, omega.invert().unwrap(), log);
        let factor = F::from(size);
        assert!(values.iter().zip(&coefficients).all(|(found, a)| *found == factor * a));
    }
}

/// A cube root of 1, which the curves' endomorphisms multiply by.
fn cube_roots<F: WithSmallOrderMulGroup<3>>() {
    assert_ne!(F::ZETA, F::ONE);
    assert_eq!(F::ZETA.cube(), F::ONE);
}

#[test]
fn of_bn254() {
    transforms::<bn254::Fr>();
    cube_roots::<bn254::Fr>();
    cube_roots::<bn254::Fp>();
}

#[test]
fn of_others() {
    transforms::<bls12_381::Fr>();
    transforms::<vesta::Fp>();
    cube_roots::<vesta::Fp>();
}
