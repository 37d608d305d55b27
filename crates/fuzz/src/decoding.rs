//! Bytes as elements.

use fieldc::DecodeError;
use num_bigint::BigUint;

use crate::element::{Element, big};
use crate::fields::on_every_field;
use crate::input::Input;

/// Canonical encodings in both byte orders, and limbs: taken below p, refused with the right error
/// otherwise.
pub fn bytes(input: &[u8]) {
    Input::check(input, on_every_field!(bytes_of));
}

fn bytes_of<F: Element>(input: Input<'_>) {
    let bytes = input.rest();
    let le = BigUint::from_bytes_le(bytes);
    let be = BigUint::from_bytes_be(bytes);
    check(F::from_bytes_le(bytes), bytes.len(), &le);
    check(F::from_bytes_be(bytes), bytes.len(), &be);
    if let Ok(x) = F::from_bytes_le(bytes) {
        assert_eq!(x.to_bytes_le(), bytes);
        assert_eq!(F::from_bytes_be(&x.to_bytes_be()), Ok(x));
    }
    if let Ok(x) = F::from_bytes_be(bytes) {
        assert_eq!(x.to_bytes_be(), bytes);
    }
    limbs_of::<F>(input);
}

/// The result of decoding is what the number and the length say.
fn check<F: Element>(result: Result<F, DecodeError>, found: usize, number: &BigUint) {
    let expected = F::BYTES;
    if found != expected {
        assert_eq!(result, Err(DecodeError::Length { expected, found }));
    } else if *number >= F::modulus() {
        assert_eq!(result, Err(DecodeError::NotCanonical));
    } else {
        assert_eq!(&result.expect("canonical").number(), number);
    }
}

fn limbs_of<F: Element>(mut input: Input<'_>) {
    let limbs: Vec<u64> = (0..F::LIMBS).map(|_| input.limb()).collect();
    let number = big(&limbs);
    let is_below = number < F::modulus();
    let element = F::from_limbs(&limbs);
    assert_eq!(element.is_some(), is_below);
    if let Some(x) = element {
        assert_eq!(x.number(), number);
        assert_eq!(x.to_limbs(), limbs);
    }
    let element = F::from_montgomery_limbs(&limbs);
    assert_eq!(element.is_some(), is_below);
    if let Some(x) = element {
        let r = BigUint::from(1u8) << (64 * F::LIMBS);
        assert_eq!(x.number() * r % F::modulus(), number);
        assert_eq!(x.to_montgomery_limbs(), limbs);
    }
}

/// Numbers of any length modulo p, in both byte orders, and elements from random bytes.
pub fn wide(input: &[u8]) {
    Input::check(input, on_every_field!(wide_of));
}

fn wide_of<F: Element>(mut input: Input<'_>) {
    let (bytes, p) = (input.rest(), F::modulus());
    let le = F::from_bytes_wide_le(bytes);
    assert_eq!(le.number(), BigUint::from_bytes_le(bytes) % &p);
    let be = F::from_bytes_wide_be(bytes);
    assert_eq!(be.number(), BigUint::from_bytes_be(bytes) % &p);
    let mut drawn = Vec::new();
    let random = F::random_from(|slice| {
        slice.fill_with(|| input.byte());
        drawn.extend_from_slice(slice);
    });
    assert!(8 * drawn.len() as u64 >= p.bits() + 128);
    assert_eq!(random.number(), BigUint::from_bytes_le(&drawn) % p);
}
