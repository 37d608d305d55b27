//! Arrays in digits: every operation against slices and single elements, on every path.

#![cfg(feature = "alloc")]

mod common;

use common::{Random, on_every_path, values};
use fieldc::{DigitArray, Field, Kernels, Ntt, PrimeField, inner_product, slices};

/// Lengths around blocks, parts of a long array, and more terms than columns take.
const LENGTHS: [usize; 12] = [0, 1, 7, 8, 9, 16, 17, 240, 391, 2048, 2049, 4200];

/// Edge values and random ones, in another order for each seed.
fn elements<F: PrimeField<Limbs = [u64; N]>, const N: usize>(count: usize, seed: u64) -> Vec<F> {
    let (every, mut random) = (values(&F::MODULUS, 20), Random::new(seed));
    let mut draw = || every[random.next() as usize % every.len()];
    (0..count).map(|_| F::from_limbs(draw()).unwrap()).collect()
}

/// What an operation on an array does is what another one does on a vector of the same elements.
fn check<F: Field>(
    x: &[F],
    what: &str,
    run: impl Fn(&mut DigitArray<F>),
    wanted: impl Fn(&mut Vec<F>),
) {
    let (mut array, mut slice) = (DigitArray::new(x), x.to_vec());
    for _ in 0..2 {
        run(&mut array); // twice: values below 2p are operands too
        wanted(&mut slice);
    }
    assert!(array.to_vec() == slice, "{what} of {} elements", x.len());
}

fn check_operations<F: PrimeField<Limbs = [u64; N]>, const N: usize>(count: usize) {
    let [x, y, z]: [Vec<F>; 3] = [1, 2, 3].map(|seed| elements(count, seed));
    let [b, c] = [&y, &z].map(|values| DigitArray::new(values));
    assert_eq!((b.len(), b.is_empty()), (count, count == 0));
    assert_eq!(b.to_vec(), y);
    check(&x, "add", |a| a.add(&b), |x| slices::add(x, &y));
    check(&x, "sub", |a| a.sub(&b), |x| slices::sub(x, &y));
    check(&x, "mul", |a| a.mul(&b), |x| slices::mul(x, &y));
    check(&x, "square", DigitArray::square, |x| slices::square(x));
    check(&x, "neg", DigitArray::neg, |x| slices::neg(x));
    check(&x, "double", DigitArray::double, |x| slices::double(x));
    let factor = elements(3, 4)[2];
    check(
        &x,
        "scale",
        |a| a.scale(&factor),
        |x| slices::scale(x, &factor),
    );
    for exponent in [&[][..], &[0], &[1], &[6], &[0, 5]] {
        check(&x, "pow", |a| a.pow(exponent), |x| slices::pow(x, exponent));
    }
    let all = |x: &mut Vec<F>| slices::add_products(x, &y, &z);
    check(&x, "add_products", |a| a.add_products(&b, &c), all);
    let (mut low, mut high) = (DigitArray::new(&x), b.clone());
    let (mut wanted_low, mut wanted_high) = (x.clone(), y.clone());
    low.butterfly(&mut high, &c);
    slices::butterfly(&mut wanted_low, &mut wanted_high, &z);
    assert!(low.to_vec() == wanted_low && high.to_vec() == wanted_high);
    assert_eq!(b.inner_product(&c), inner_product(&y, &z));
    assert_eq!(c.sum(), slices::sum(&z));
    check_inverses(&x);
    let (mut low, largest) = (c.clone(), vec![-F::ONE; count]);
    low.neg();
    low.pow(&[]);
    assert_eq!(low.sum(), F::from(count as u64)); // no more than these elements are added
    low.sub(&b); // and below 2p
    let wanted: F = y.iter().zip(&largest).map(|(y, m)| (F::ONE - y) * m).sum();
    assert_eq!(low.inner_product(&DigitArray::new(&largest)), wanted);
}

/// Inverses of elements among which are zeros, and of zeros that are differences.
fn check_inverses<F: Field>(x: &[F]) {
    let (mut array, mut slice) = (DigitArray::new(x), x.to_vec());
    for first in [0, x.len() / 2, x.len()] {
        slice.copy_from_slice(x);
        slice[first..]
            .iter_mut()
            .step_by(3)
            .for_each(|x| *x = F::ZERO);
        array = DigitArray::new(&slice);
        assert_eq!(array.batch_invert(), slices::batch_invert(&mut slice));
        assert!(array.to_vec() == slice, "{} elements", x.len());
    }
    let mut same = array.clone();
    same.neg();
    array.add(&same); // 0 below 2p, which may be p
    assert_eq!(array.batch_invert(), (!x.is_empty()).then_some(0));
    assert!(array.to_vec().iter().all(Field::is_zero));
}

macro_rules! tests {
    ($name:ident, $Fp:ty) => {
        mod $name {
            #[test]
            fn arrays_in_digits() {
                super::on_every_path(|_| {
                    for count in super::LENGTHS {
                        super::check_operations::<$Fp, { <$Fp>::LIMBS }>(count);
                    }
                });
            }
        }
    };
}

for_some_fields!(tests);

#[test]
fn arrays_of_other_kernels_mix() {
    type Fp = fieldc::bls12_381::Fp;
    let [x, y]: [Vec<Fp>; 2] = [1, 2].map(|seed| elements(21, seed));
    let product: Vec<Fp> = x.iter().zip(&y).map(|(x, y)| x * y).collect();
    on_every_path(|kernels| {
        let a = DigitArray::new(&x);
        Kernels::Portable.select().unwrap();
        let b = DigitArray::new(&y);
        for (first, second) in [(&a, &b), (&b, &a)] {
            let mut z = first.clone();
            z.mul(second);
            assert_eq!(z.to_vec(), product);
            for (u, v) in [(first, second), (&a, &a), (&b, &b)] {
                let (mut z, mut sum) = (first.clone(), first.to_vec());
                z.add_products(u, v);
                slices::add_products(&mut sum, &u.to_vec(), &v.to_vec());
                assert_eq!(z.to_vec(), sum);
            }
            assert_eq!(first.inner_product(second), product.iter().sum());
        }
        kernels.select().unwrap();
    });
}

/// Transforms of arrays in digits against those of slices.
fn check_transforms<F: PrimeField<Limbs = [u64; N]>, const N: usize>(most: u32) {
    for k in 0..=most.min(F::TWO_ADICITY) {
        let mut table = vec![F::ZERO; 1 << k];
        let ntt = Ntt::new(&mut table).unwrap();
        let mut x: Vec<F> = elements(1 << k, 7);
        let mut array = DigitArray::new(&x);
        for _ in 0..2 {
            ntt.forward(&mut x);
            ntt.forward_digits(&mut array);
            assert!(array.to_vec() == x, "2^{k} elements");
            x.iter_mut().for_each(|x| *x = x.double());
            array.double(); // below 2p
        }
        ntt.inverse(&mut x);
        ntt.inverse_digits(&mut array);
        assert!(array.to_vec() == x, "2^{k} elements");
        let mut other = DigitArray::new(&x[1..]);
        let caught = std::panic::AssertUnwindSafe(|| ntt.forward_digits(&mut other));
        assert!(std::panic::catch_unwind(caught).is_err());
        assert!(other.to_vec() == x[1..]);
    }
}

#[test]
fn transforms_in_digits() {
    on_every_path(|_| {
        check_transforms::<fieldc::bls12_381::Fr, 4>(9);
        check_transforms::<fieldc::bls12_381::Fp, 6>(9);
        check_transforms::<fieldc::pallas::Fp, 4>(8);
        check_transforms::<fieldc::goldilocks::Fp, 1>(7);
    });
}

#[test]
fn elements_are_shown() {
    let shown = format!("{:?}", DigitArray::new(&[fieldc::bn254::Fr::ONE; 9]));
    assert_eq!(shown, format!("{:?}", [fieldc::bn254::Fr::ONE; 9]));
}

#[test]
fn other_lengths_are_refused() {
    type Fr = fieldc::bls12_381::Fr;
    on_every_path(|_| {
        for (count, other) in [(16, 9), (16, 15), (3, 4), (8, 0)] {
            let [x, y] = [count, other].map(|count| DigitArray::new(&vec![Fr::ONE; count]));
            let refused = |run: &dyn Fn(&mut DigitArray<Fr>)| {
                let mut z = x.clone();
                let caught = std::panic::AssertUnwindSafe(|| run(&mut z));
                assert!(std::panic::catch_unwind(caught).is_err());
                assert_eq!(z.to_vec(), vec![Fr::ONE; count]);
            };
            refused(&|z| z.add(&y));
            refused(&|z| z.sub(&y));
            refused(&|z| z.mul(&y));
            refused(&|z| z.add_products(&y, &x));
            refused(&|z| z.add_products(&x, &y));
            refused(&|z| assert_eq!(z.inner_product(&y), Fr::ZERO));
            refused(&|z| z.write_to(&mut vec![Fr::ZERO; other]));
        }
    });
}
