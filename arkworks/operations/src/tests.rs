//! Signatures.

use ark_bls12_381::{Fr, G1Affine};
use ark_ec::AffineRepr;
use ark_ff::{PrimeField, UniformRand};
use ark_serialize::CanonicalSerialize;

use crate::signature::{public_key, sign, verify};

fn bytes<const K: usize>(hex: &str) -> [u8; K] {
    let digit = |i| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal digits");
    std::array::from_fn(|i| digit(2 * i))
}

/// The test "sign" of Ethereum's consensus specification for the message of 32 zeros.
#[test]
fn agrees_with_ethereum() {
    let secret: [u8; 32] =
        bytes("263dbd792f5b1be47ed85f8938c0f29586af0d3ac7b977f21c278fe1462040e3");
    let expected: [u8; 96] = bytes(concat!(
        "b6ed936746e01f8ecf281f020953fbf1f01debd5657c4a383940b020b26507f6",
        "076334f91e2366c96e9ab279fb5158090352ea1c5b0c9274504f4f0e7053af24",
        "802e51e4568d164fe986834f41e55c8e850ce1f98458c0cfc9ab380b55285a55",
    ));
    let secret = Fr::from_be_bytes_mod_order(&secret);
    let mut signature = [0; 96];
    sign(secret, &[0; 32]).unwrap().serialize_compressed(&mut signature[..]).unwrap();
    assert_eq!(signature, expected);
    assert!(verify(public_key(secret), &[0; 32], &expected));
}

#[test]
fn refuses_what_is_no_signature() {
    let secret = Fr::rand(&mut ark_std::test_rng());
    let (key, mut signature) = (public_key(secret), [0; 96]);
    sign(secret, b"message").unwrap().serialize_compressed(&mut signature[..]).unwrap();
    assert!(verify(key, b"message", &signature));
    assert!(!verify(key, b"other message", &signature));
    assert!(!verify(public_key(secret + Fr::from(1)), b"message", &signature));
    assert!(!verify(G1Affine::zero(), b"message", &signature));
    for i in 0..96 {
        let mut wrong = signature;
        wrong[i] ^= 1;
        assert!(!verify(key, b"message", &wrong), "byte {i}");
    }
}
