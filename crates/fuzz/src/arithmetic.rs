//! Every operation, against num-bigint.

use fieldc::ShortScratch;
use num_bigint::BigUint;

use crate::element::{Element, big};
use crate::fields::on_every_field;
use crate::input::Input;

/// Sums, differences, products, squares, negatives and doubles.
pub fn ring(input: &[u8]) {
    Input::check(input, on_every_field!(ring_of));
}

fn ring_of<F: Element>(mut input: Input<'_>) {
    let p = &F::modulus();
    let (x, a) = input.element::<F>();
    let (y, b) = input.element::<F>();
    assert_eq!((x + y).number(), (&a + &b) % p);
    assert_eq!((x - y).number(), (&a + p - &b) % p);
    assert_eq!((x * y).number(), &a * &b % p);
    assert_eq!((-x).number(), (p - &a) % p);
    assert_eq!(x.double().number(), (&a + &a) % p);
    assert_eq!(x.square().number(), &a * &a % p);
    assert_eq!(x == y, a == b);
    assert_eq!(x.is_zero(), a == BigUint::ZERO);
    let mut z = x;
    z += y;
    z *= y;
    z -= x;
    assert_eq!(z.number(), ((&a + &b) * &b + p - &a) % p);
    // A result is an operand again, also one that was never stored.
    let w = (x * y - x) * (x + y).square() + y.double();
    assert_eq!(w, x * y * (x + y) * (x + y) - x * (x + y) * (x + y) + y + y);
    let small = input.limb();
    assert_eq!(F::from_u64(small).number(), BigUint::from(small) % p);
}

/// Powers with exponents of any length, up to one limb more than p has.
pub fn powers(input: &[u8]) {
    Input::check(input, on_every_field!(powers_of));
}

fn powers_of<F: Element>(mut input: Input<'_>) {
    let p = &F::modulus();
    let (x, a) = input.element::<F>();
    let exponent = input.limbs(F::LIMBS + 1);
    let power = a.modpow(&big(&exponent), p);
    assert_eq!(x.pow(&exponent).number(), power, "{x} to {exponent:?}");
    assert_eq!(
        x.const_pow(&exponent).number(),
        power,
        "{x} to {exponent:?}"
    );
    let small = input.limb();
    assert_eq!(x.pow_u64(small).number(), a.modpow(&small.into(), p));
}

/// Inverses, alone and in batches, and square roots.
pub fn inverses(input: &[u8]) {
    Input::check(input, on_every_field!(inverses_of));
}

fn inverses_of<F: Element>(mut input: Input<'_>) {
    let (x, a) = input.element::<F>();
    inverse(x, &a);
    root(x, &a);
    root(x.square(), &(&a * &a % F::modulus()));
    let count = usize::from(input.byte()) % 9;
    let elements: Vec<F> = (0..count).map(|_| input.element::<F>().0).collect();
    let found = usize::from(input.byte()) % 12;
    batch(&elements, found);
}

fn inverse<F: Element>(x: F, a: &BigUint) {
    let (inverse, exists) = x.invert_ct();
    assert_eq!(exists, *a != BigUint::ZERO, "{x}");
    let product = inverse.number() * a % F::modulus();
    assert_eq!(product, BigUint::from(exists), "1/{x}");
    assert_eq!(exists, inverse != F::ZERO, "1/{x}");
}

/// Of two roots the even one. That there is none is so by Euler's criterion.
fn root<F: Element>(x: F, a: &BigUint) {
    let p = F::modulus();
    let (root, exists) = x.sqrt_ct();
    assert_eq!(x.is_square(), exists, "{x}");
    let b = root.number();
    if exists {
        assert_eq!(&b * &b % &p, *a, "the root of {x}");
        assert!(!b.bit(0), "the root of {x} is odd");
    } else {
        assert_eq!(root, F::ZERO, "{x} has no root");
        assert_eq!(a.modpow(&(&p >> 1), &p), p - 1u8, "{x} is a square");
    }
}

fn batch<F: Element>(elements: &[F], found: usize) {
    let (mut inverses, mut scratch) = (elements.to_vec(), vec![F::ZERO; found]);
    let result = F::batch_invert(&mut inverses, &mut scratch);
    let expected = elements.len();
    if found < expected {
        assert_eq!(result, Err(ShortScratch { expected, found }));
        assert_eq!(inverses, elements);
    } else {
        assert_eq!(result, Ok(()));
        let alone: Vec<F> = elements.iter().map(|x| x.invert_ct().0).collect();
        assert_eq!(inverses, alone);
    }
}

/// Sums, products, and sums of products of up to nine elements.
pub fn sums(input: &[u8]) {
    Input::check(input, on_every_field!(sums_of));
}

fn sums_of<F: Element>(mut input: Input<'_>) {
    match input.byte() % 7 {
        0 => sums_of_length::<F, 0>(input),
        1 => sums_of_length::<F, 1>(input),
        2 => sums_of_length::<F, 2>(input),
        3 => sums_of_length::<F, 3>(input),
        4 => sums_of_length::<F, 4>(input),
        5 => sums_of_length::<F, 6>(input),
        _ => sums_of_length::<F, 9>(input),
    }
}

fn sums_of_length<F: Element, const K: usize>(mut input: Input<'_>) {
    let p = F::modulus();
    let x: [_; K] = std::array::from_fn(|_| input.element::<F>());
    let y: [_; K] = std::array::from_fn(|_| input.element::<F>());
    let products = x.iter().zip(&y).map(|((_, a), (_, b))| a * b);
    let (x_elements, y_elements) = (x.each_ref().map(|x| x.0), y.each_ref().map(|y| y.0));
    let sum = F::sum_of_products(&x_elements, &y_elements);
    assert_eq!(sum.number(), products.sum::<BigUint>() % &p);
    let sum: F = x_elements.into_iter().sum();
    assert_eq!(sum.number(), x.iter().map(|(_, a)| a).sum::<BigUint>() % &p);
    let product: F = x_elements.into_iter().product();
    let expected = x
        .iter()
        .fold(BigUint::from(1u8), |all, (_, a)| all * a % &p);
    assert_eq!(product.number(), expected % &p);
}
