//! Ours: the public operators of the crate `fieldc`.

use fieldc::{
    Ntt, bls12_381, bn254, curve25519, goldilocks, inner_product, p256, p521, pallas, secp256k1,
    slices, vesta,
};

use super::OURS;
use crate::chain::Element;
use crate::entry::Range::Canonical;
use crate::entry::{Entry, Peer, Rows};
use crate::fields::{
    BABYBEAR, BLS12_381_P, BLS12_381_R, BN254_P, BabyBear, CURVE25519_P, ED25519_L, Ed25519Scalar,
    Field, GOLDILOCKS, KOALABEAR, KoalaBear, MERSENNE31, Mersenne31, P256_P, P521_P, PALLAS_P,
    SECP256K1_P, VESTA_P,
};
use crate::operand::Form;

/// Fields whose operations on arrays are those of [`words`](super::words).
const SHORT: [&Field; 3] = [&BABYBEAR, &KOALABEAR, &MERSENNE31];

macro_rules! fields {
    ($($FIELD:ident = $Fp:ty;)+) => {
        $(
            impl Element for $Fp {
                const FORM: Form = Form::Montgomery;

                fn load(limbs: &[u64]) -> Self {
                    let limbs = limbs.try_into().expect("limbs of the field");
                    Self::from_montgomery_limbs(limbs).expect("a canonical operand")
                }

                fn store(&self) -> Vec<u64> {
                    self.to_montgomery_limbs().to_vec()
                }
            }
        )+

        /// Products are calls of assembly from an inlined operator; sums are inlined.
        pub(super) fn enter(entries: &mut Vec<Entry>) {
            let version = super::version("fieldc", "");
            let peer = Peer { name: OURS, version, algorithm: crate::curves::kernels() };
            $(
                let mut rows = Rows::new(entries, &$FIELD, peer);
                rows.called("mul", Canonical, |x: &mut $Fp, y| *x *= y)
                    .called("square", Canonical, |x: &mut $Fp, _| x.square_in_place());
                if !SHORT.contains(&&$FIELD) {
                    rows.array("array_mul", Canonical, |x: &mut [$Fp], y| {
                        slices::mul(x, y);
                        x[x.len() - 1]
                    })
                    .array("inner_product", Canonical, |x: &mut [$Fp], y| inner_product(x, y));
                }
                rows.horner(Canonical, |x: &$Fp, y, z| x.mul_add(y, z))
                    .code("rust")
                    .called("inverse", Canonical, |x: &mut $Fp, y| *x = (*x + y).invert_ct().0)
                    .called("sqrt", Canonical, |x: &mut $Fp, y| *x = (*x + y).square().sqrt_ct().0)
                    .inlined("add", Canonical, |x: &mut $Fp, y| *x += y)
                    .inlined("sub", Canonical, |x: &mut $Fp, y| *x -= y);
            )+
            Rows::new(entries, &BLS12_381_R, peer).transform(
                Canonical,
                |count| {
                    let table = vec![bls12_381::Fr::ZERO; count];
                    Ntt::new(table.leak()).expect("a power of two")
                },
                |ntt, x: &mut [bls12_381::Fr]| ntt.forward(x),
            );
        }
    };
}

fields! {
    BLS12_381_P = bls12_381::Fp;
    BLS12_381_R = bls12_381::Fr;
    BN254_P = bn254::Fp;
    SECP256K1_P = secp256k1::Fp;
    P256_P = p256::Fp;
    P521_P = p521::Fp;
    CURVE25519_P = curve25519::Fp;
    PALLAS_P = pallas::Fp;
    VESTA_P = vesta::Fp;
    GOLDILOCKS = goldilocks::Fp;
    BABYBEAR = BabyBear;
    KOALABEAR = KoalaBear;
    MERSENNE31 = Mersenne31;
    ED25519_L = Ed25519Scalar;
}
