//! Arrays that stay in digits compute what single elements do, on every kernel that this processor has.

#![cfg(feature = "alloc")]

use @crate@::{DigitArray, @type@ as F, Kernels, Ntt, slices};

/// Around blocks and parts of an array, and more terms than columns take.
const LENGTHS: [usize; 10] = [0, 1, 7, 8, 9, 17, 64, 391, 2049, 4200];

/// 0, 1, p - 1 and other elements, always the same.
fn elements(count: usize, seed: u64) -> Vec<F> {
    let mut power = F::from_u64(seed | 1 << 40);
    let mut next = |i: u64| {
        power = power.square() - F::from_u64(seed);
        match i % (4 + seed) {
            1 => F::ZERO,
            2 => F::ONE,
            3 => -F::ONE,
            _ => power,
        }
    };
    (0..count as u64).map(&mut next).collect()
}

@on_every_kernel@
/// What a chain of operations gives, on arrays and on single elements.
#[test]
fn arrays_are_their_elements() {
    on_every_kernel(|| {
        for count in LENGTHS {
            let [x, y] = [1, 2].map(|seed| elements(count, seed));
            let [mut a, b] = [&x, &y].map(|elements| DigitArray::new(elements));
            a.square();
            a.add(&b);
            a.neg();
            a.mul(&b);
            a.sub(&b);
            a.double();
            a.pow(&[11]);
            a.scale(&-F::from_u64(3));
            a.add_products(&b, &b);
            let one = |x: &F, y: &F| {
                let t = (-(x.square() + y) * y - y).double().pow(&[11]);
                t * -F::from_u64(3) + y.square()
            };
            let wanted: Vec<F> = x.iter().zip(&y).map(|(x, y)| one(x, y)).collect();
            assert_eq!(a.to_vec(), wanted, "{count} elements");
            let products = wanted.iter().zip(&y).map(|(x, y)| x * y);
            assert_eq!(a.inner_product(&b), products.sum(), "{count} elements");
            assert_eq!(a.sum(), wanted.iter().sum(), "{count} elements");
        }
    });
}

#[test]
fn arrays_are_inverted_and_transformed_as_slices() {
    on_every_kernel(|| {
        for count in LENGTHS {
            let mut x = elements(count, 1);
            let mut a = DigitArray::new(&x);
            assert_eq!(a.batch_invert(), slices::batch_invert(&mut x));
            assert_eq!(a.to_vec(), x, "{count} elements");
        }
        for k in 0..=F::TWO_ADICITY.min(9) {
            let mut table = elements(1 << k, 2);
            let ntt = Ntt::new(&mut table).expect("2^k divides p - 1");
            let mut x = elements(1 << k, 3);
            let mut a = DigitArray::new(&x);
            a.double();
            ntt.forward_digits(&mut a);
            slices::double(&mut x);
            ntt.forward(&mut x);
            assert_eq!(a.to_vec(), x, "2^{k} elements");
            ntt.inverse_digits(&mut a);
            ntt.inverse(&mut x);
            assert_eq!(a.to_vec(), x, "2^{k} elements");
        }
    });
}
