//! The traits of num-traits, bytemuck, arbitrary and proptest.

#![cfg(all(
    feature = "num-traits",
    feature = "bytemuck",
    feature = "arbitrary",
    feature = "proptest"
))]

use arbitrary::{Arbitrary, Unstructured};
use fieldc::bls12_381::Fp;
use fieldc::{Fp2, goldilocks};
use proptest::prelude::*;

#[test]
fn num_traits_are_the_elements_own() {
    fn horner<F: Copy + num_traits::Zero + num_traits::MulAdd<Output = F>>(x: F, a: &[F]) -> F {
        a.iter().rev().fold(F::zero(), |sum, a| sum.mul_add(x, *a))
    }
    let [x, a, b] = [2, 3, 5].map(Fp::from_u64);
    assert_eq!(horner(x, &[a, b]), Fp::from_u64(13));
    assert_eq!(num_traits::Inv::inv(Fp::ZERO), None);
    assert_eq!(num_traits::Inv::inv(x), Some(Fp::TWO_INV));
    assert_eq!(num_traits::pow::Pow::pow(x, 10_u64), Fp::from_u64(1024));
    assert_eq!(num_traits::pow(x, 10), Fp::from_u64(1024));
    assert_eq!(<Fp as num_traits::ConstOne>::ONE, Fp::ONE);
    let u = Fp2::<Fp>::U;
    assert_eq!(num_traits::pow(u, 2), -<Fp2<Fp> as num_traits::One>::one());
    assert_eq!(num_traits::Inv::inv(u), Some(-u));
    assert!(num_traits::Zero::is_zero(
        &<Fp2<Fp> as num_traits::ConstZero>::ZERO
    ));
}

#[test]
fn own_methods_are_called_as_before_where_num_traits_are_in_scope() {
    use num_traits::{MulAdd as _, Pow as _};
    let x = Fp::from_u64(2);
    assert_eq!(x.pow(&[10]), Fp::from_u64(1024));
    assert_eq!(x.pow(&[10, 0][..]), Fp::from_u64(1024));
    assert_eq!(x.pow(10), Fp::from_u64(1024));
    assert_eq!(x.mul_add(&x, &Fp::ONE), x.mul_add(x, Fp::ONE));
}

#[test]
fn only_limbs_below_p_are_elements() {
    let x = [Fp::from_u64(3), -Fp::ONE];
    let bytes: &[u8] = bytemuck::cast_slice(&x);
    assert_eq!(bytemuck::checked::try_cast_slice(bytes), Ok(&x[..]));
    let p: &[u8] = bytemuck::cast_slice(&Fp::MODULUS);
    assert!(bytemuck::checked::try_cast_slice::<u8, Fp>(p).is_err());
    assert_eq!(<Fp as bytemuck::Zeroable>::zeroed(), Fp::ZERO);
}

#[test]
fn a_fuzzer_reaches_small_elements_and_large_ones() {
    let element = |bytes: &[u8]| Fp::arbitrary(&mut Unstructured::new(bytes)).unwrap();
    assert_eq!(element(&[7]), Fp::from_u64(7));
    assert_eq!(element(&(-Fp::ONE).to_bytes_le()), -Fp::ONE);
    let mut bytes = [0; 2 * Fp::BYTES];
    bytes[Fp::BYTES] = 7;
    let x = Fp2::<Fp>::arbitrary(&mut Unstructured::new(&bytes));
    assert_eq!(x, Ok(Fp2::U * Fp::from_u64(7)));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_laws_hold(x: Fp, y: Fp, z: Fp, a: goldilocks::Fp, b: goldilocks::Fp) {
        prop_assert_eq!(x * (y + z), x * y + x * z);
        prop_assert_eq!((a + b).square(), a.square() + (a * b).double() + b.square());
    }

    #[test]
    fn the_norm_is_a_homomorphism(x: Fp2<Fp>, y: Fp2<Fp>) {
        prop_assert_eq!((x * y).norm(), x.norm() * y.norm());
    }
}
