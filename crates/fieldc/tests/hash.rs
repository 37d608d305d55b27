//! Hashing to fields: the vectors of RFC 9380, appendices J and K.

#![cfg(feature = "digest")]

use digest::Digest;
use digest::block_api::BlockSizeUser;
use fieldc::hash::{HashError, expand_message_xmd, hash_to_field};
use fieldc::{PrimeField, bls12_381, bn254, p256, p384, p521};
use sha2::{Sha256, Sha384, Sha512};

const MESSAGES: [&str; 3] = ["", "abc", "abcdef0123456789"];

fn expanded<D: Digest + BlockSizeUser>(message: &str, tag: &str, length: usize) -> String {
    let mut bytes = vec![0; length];
    expand_message_xmd::<D>(message.as_bytes(), tag.as_bytes(), &mut bytes).unwrap();
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn messages_are_expanded() {
    let tag = "QUUX-V01-CS02-with-expander-SHA256-128";
    let expected = [
        "68a985b87eb6b46952128911f2a4412bbc302a9d759667f87f7a21d803f07235",
        "d8ccab23b5985ccea865c6c97b6e5b8350e794e603b4b97902f53a8a0d605615",
        "eff31487c770a893cfb36f912fbfcbff40d5661771ca4b2cb4eafe524333f5c1",
    ];
    for (message, expected) in MESSAGES.iter().zip(expected) {
        assert_eq!(expanded::<Sha256>(message, tag, 32), expected);
    }
    let long = expanded::<Sha256>("", tag, 128);
    assert_eq!(
        long,
        "af84c27ccfd45d41914fdff5df25293e221afc53d8ad2ac06d5e3e29485dadbe\
         e0d121587713a3e0dd4d5e69e93eb7cd4f5df4cd103e188cf60cb02edc3edf18\
         eda8576c412b18ffb658e3dd6ec849469b979d444cf7b26911a08e63cf31f9dc\
         c541708d3491184472c2c29bb749d4286b004ceb5ee6b9a7fa5b646c993f0ced"
    );
}

#[test]
fn a_long_tag_is_hashed() {
    let tag = format!(
        "QUUX-V01-CS02-with-expander-SHA256-128-long-DST-{}",
        "1".repeat(208)
    );
    let expected = "e8dc0c8b686b7ef2074086fbdd2f30e3f8bfbd3bdf177f73f04b97ce618a3ed3";
    assert_eq!(expanded::<Sha256>("", &tag, 32), expected);
}

/// Both elements that the empty message makes, as hexadecimal digits.
fn elements<D: Digest + BlockSizeUser, F: PrimeField>(tag: &str, security: usize) -> [String; 2] {
    let mut elements = [F::ZERO; 2];
    hash_to_field::<D, F>(b"", tag.as_bytes(), security, &mut elements).unwrap();
    elements.map(|x| {
        let bytes = x.to_bytes_be();
        let digits = bytes.as_ref().iter().map(|byte| format!("{byte:02x}"));
        digits.collect()
    })
}

#[test]
fn messages_become_elements() {
    assert_eq!(
        elements::<Sha256, bls12_381::Fp>(
            "QUUX-V01-CS02-with-BLS12381G1_XMD:SHA-256_SSWU_RO_",
            128
        ),
        [
            "0ba14bd907ad64a016293ee7c2d276b8eae71f25a4b941eece7b0d89f17f75cb\
             3ae5438a614fb61d6835ad59f29c564f",
            "019b9bd7979f12657976de2884c7cce192b82c177c80e0ec604436a7f538d231\
             552f0d96d9f7babe5fa3b19b3ff25ac9",
        ]
    );
    assert_eq!(
        elements::<Sha256, p256::Fp>("QUUX-V01-CS02-with-P256_XMD:SHA-256_SSWU_RO_", 128),
        [
            "ad5342c66a6dd0ff080df1da0ea1c04b96e0330dd89406465eeba11582515009",
            "8c0f1d43204bd6f6ea70ae8013070a1518b43873bcd850aafa0a9e220e2eea5a",
        ]
    );
    assert_eq!(
        elements::<Sha384, p384::Fp>("QUUX-V01-CS02-with-P384_XMD:SHA-384_SSWU_RO_", 192),
        [
            "25c8d7dc1acd4ee617766693f7f8829396065d1b447eedb155871feffd9c6653\
             279ac7e5c46edb7010a0e4ff64c9f3b4",
            "59428be4ed69131df59a0c6a8e188d2d4ece3f1b2a3a02602962b47efa4d7905\
             945b1e2cc80b36aa35c99451073521ac",
        ]
    );
    assert_eq!(
        elements::<Sha512, p521::Fp>("QUUX-V01-CS02-with-P521_XMD:SHA-512_SSWU_RO_", 256),
        [
            "01e5f09974e5724f25286763f00ce76238c7a6e03dc396600350ee2c4135fb17\
             dc555be99a4a4bae0fd303d4f66d984ed7b6a3ba386093752a855d26d559d69e\
             7e9e",
            "00ae593b42ca2ef93ac488e9e09a5fe5a2f6fb330d18913734ff602f2a761fca\
             af5f596e790bcc572c9140ec03f6cccc38f767f1c1975a0b4d70b392d95a0c72\
             78aa",
        ]
    );
}

#[test]
fn what_cannot_be_hashed_is_an_error() {
    let expand = |tag: &[u8], length| expand_message_xmd::<Sha256>(b"", tag, &mut vec![0; length]);
    assert_eq!(expand(b"", 32), Err(HashError::EmptyTag));
    assert_eq!(expand(b"tag", 255 * 32), Ok(()));
    assert_eq!(expand(b"tag", 255 * 32 + 1), Err(HashError::TooLong));
    let mut elements = [bn254::Fp::ZERO; 171];
    let mut hash =
        |count, security| hash_to_field::<Sha256, _>(b"", b"tag", security, &mut elements[..count]);
    assert_eq!(hash(170, 128), Ok(()));
    assert_eq!(hash(171, 128), Err(HashError::TooLong));
    assert_eq!(hash(1, 257), Err(HashError::Security));
}
