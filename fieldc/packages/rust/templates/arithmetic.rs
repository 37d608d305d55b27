//! Every kernel that this processor can run computes what Python's integers say.

use @crate@::{@type@ as F, Kernels};

/// x, y, x + y, x - y, x * y, x * x, and 1/x or 0.
#[rustfmt::skip]
const VECTORS: &[[&str; 7]] = &[
@vectors@];

fn vectors() -> impl Iterator<Item = [F; 7]> {
    let read = |text: &str| F::from_hex(text).expect("a number below p");
    VECTORS.iter().map(move |row| row.map(read))
}

@on_every_kernel@
#[test]
fn sums_and_products_are_right() {
    on_every_kernel(|| {
        for [x, y, sum, difference, product, square, _] in vectors() {
            assert_eq!([x + y, x - y, x * y], [sum, difference, product]);
            assert_eq!([x.square(), x * x, x.double()], [square, square, x + x]);
            assert_eq!([-x + x, -(-x)], [F::ZERO, x]);
            assert_eq!(x.mul_add(&y, &x), product + x);
        }
    });
}

#[test]
fn sums_of_products_are_right() {
    on_every_kernel(|| {
        for [x, y, _, _, product, square, _] in vectors() {
            assert_eq!(F::sum_of_products(&[x, x], &[y, x]), product + square);
            let three = F::inner_product(&[x, y, x], &[y, x, x]);
            assert_eq!(three, product.double() + square);
        }
    });
}

#[test]
fn inverses_and_roots_are_right() {
    on_every_kernel(|| {
        for [x, _, _, _, _, square, inverse] in vectors() {
            assert_eq!(x.invert_ct(), (inverse, !x.is_zero()));
            let root = square.sqrt().expect("it is a square");
            assert!(root == x || root == -x);
        }
    });
}

#[test]
fn encodings_are_canonical() {
    for [x, ..] in vectors() {
        assert_eq!(F::from_bytes_le(&x.to_bytes_le()), Ok(x));
        assert_eq!(F::from_bytes_be(&x.to_bytes_be()), Ok(x));
        assert_eq!(F::from_limbs(x.to_limbs()), Some(x));
        assert_eq!(x.to_string().parse(), Ok(x));
    }
    assert_eq!(F::from_limbs(F::MODULUS), None);
    assert!(F::from_bytes_be(&[0xff; F::BYTES]).is_err());
    // Numbers that may be above p, and the Montgomery form, whether or not elements have it.
    let limb = F::from_u64(1 << 32).square();
    let radix = limb.pow_u64(F::LIMBS as u64);
    let most = F::from_u64(u64::MAX);
    assert_eq!(most, limb - F::ONE);
    assert_eq!(F::from_u128(u128::MAX), most * limb + most);
    assert_eq!(F::from_bytes_wide_le(&[0xff; 16]), F::from_u128(u128::MAX));
    for [x, ..] in vectors() {
        assert_eq!(x.mul_u64(u64::MAX), x * most);
        assert_eq!(F::from_montgomery_limbs(x.to_montgomery_limbs()), Some(x));
        assert_eq!(F::from_limbs(x.to_montgomery_limbs()), Some(x * radix));
    }
}
@lazy@