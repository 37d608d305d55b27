//! crypto-bigint: Montgomery forms whose modulus is a constant, in Rust.

use ::crypto_bigint::modular::ConstMontyForm;
use ::crypto_bigint::{U256, U384, U576, Uint, const_prime_monty_params};

use crate::chain::Element;
use crate::entry::Range::Canonical;
use crate::entry::{Entry, Peer, Rows};
use crate::fields::{BLS12_381_P, BLS12_381_R, BN254_P, CURVE25519_P, P256_P, P521_P, SECP256K1_P};
use crate::operand::Form;

macro_rules! fields {
    ($($FIELD:ident = $Fp:ident, $Params:ident, $Uint:ty, $root:literal, $modulus:literal;)+) => {
        $(
            const_prime_monty_params!($Params, $Uint, $modulus, $root);
            type $Fp = ConstMontyForm<$Params, { <$Uint>::LIMBS }>;

            impl Element for $Fp {
                const FORM: Form = Form::Montgomery;

                fn load(limbs: &[u64]) -> Self {
                    let limbs = limbs.try_into().expect("limbs of the field");
                    Self::from_montgomery(Uint::from_words(limbs))
                }

                fn store(&self) -> Vec<u64> {
                    self.as_montgomery().to_words().to_vec()
                }
            }
        )+

        pub(super) fn enter(entries: &mut Vec<Entry>) {
            let version = super::version("crypto-bigint", "0.7");
            let peer = Peer { name: "crypto-bigint", version, algorithm: "rust" };
            $(
                Rows::new(entries, &$FIELD, peer)
                    .inlined("mul", Canonical, |x: &mut $Fp, y| *x = x.mul(y))
                    .inlined("square", Canonical, |x: &mut $Fp, _| *x = x.square())
                    .inlined("add", Canonical, |x: &mut $Fp, y| *x = x.add(y))
                    .inlined("sub", Canonical, |x: &mut $Fp, y| *x = x.sub(y))
                    .loops(Canonical, $Fp::mul, |x: &$Fp, y, z| x.mul(y).add(z))
                    .called("inverse", Canonical, |x: &mut $Fp, y| {
                        *x = x.add(y).invert().to_inner_unchecked();
                    })
                    .called("sqrt", Canonical, |x: &mut $Fp, y| {
                        *x = x.add(y).square().sqrt().to_inner_unchecked();
                    });
            )+
        }
    };
}

// Beside the modulus is a generator of the multiplicative group.
fields! {
    BLS12_381_P = BlsFp, BlsP, U384, 2,
        "1a0111ea397fe69a4b1ba7b6434bacd764774b84f38512bf6730d2a0f6b0f6241eabfffeb153ffffb9feffffffffaaab";
    BLS12_381_R = BlsFr, BlsR, U256, 7,
        "73eda753299d7d483339d80809a1d80553bda402fffe5bfeffffffff00000001";
    BN254_P = BnFp, BnP, U256, 3,
        "30644e72e131a029b85045b68181585d97816a916871ca8d3c208c16d87cfd47";
    SECP256K1_P = SecpFp, SecpP, U256, 3,
        "fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f";
    P256_P = P256Fp, P256P, U256, 6,
        "ffffffff00000001000000000000000000000000ffffffffffffffffffffffff";
    P521_P = P521Fp, P521P, U576, 3,
        "00000000000001ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
         ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
    CURVE25519_P = X25519Fp, X25519P, U256, 2,
        "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffed";
}
