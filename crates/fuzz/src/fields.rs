//! The fields of the checks: 1, 4, 6, 9 and 12 limbs, full-bit and with spare bits, square roots of
//! every kind, and some that `field!` makes here.

use crate::element::element;

fieldc::field! {
    /// 2^768 - 1815: 12 limbs without a spare bit.
    pub(crate) struct Full768(
        modulus = "0xffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
                     ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
                     fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff8e9",
        prime
    );
}
fieldc::field! {
    /// 2^576 - 1575: 9 limbs without a spare bit.
    pub(crate) struct Full576(
        modulus = "0xffffffffffffffffffffffffffffffffffffffffffffffff\
                     ffffffffffffffffffffffffffffffffffffffffffffffff\
                     fffffffffffffffffffffffffffffffffffffffffffff9d9",
        prime
    );
}
fieldc::field! {
    /// 2^61 - 1.
    pub(crate) struct Mersenne61(modulus = "0x1fff_ffff_ffff_ffff");
}
fieldc::field! {
    /// 97, where every element is met.
    pub(crate) struct F97(modulus = "97");
}

/// The fields by number, of which an input's first byte is one.
macro_rules! fields {
    ($($Fp:ty),+ $(,)?) => {
        $(element!($Fp);)+

        /// A check on each of the fields.
        macro_rules! on_every_field {
            ($check:ident) => {
                [$($check::<$Fp>),+]
            };
        }
        pub(crate) use on_every_field;
    };
}

fields! {
    crate::fields::F97,
    crate::fields::Mersenne61,
    fieldc::goldilocks::Fp,
    fieldc::bn254::Fr,
    fieldc::secp256k1::Fp,
    fieldc::curve25519::Fp,
    fieldc::bls12_381::Fp,
    fieldc::p384::Fp,
    fieldc::p521::Fp,
    crate::fields::Full576,
    fieldc::bw6_761::Fp,
    crate::fields::Full768,
}
