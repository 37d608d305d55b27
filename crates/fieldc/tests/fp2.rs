//! Products in Fp2 against their definition, on every path.

mod common;

use common::{on_every_path, values};
use fieldc::fp2;

macro_rules! tests {
    ($($name:ident: $Fp:ty),+ $(,)?) => {$(
        #[test]
        fn $name() {
            let numbers: Vec<$Fp> = values(&<$Fp>::MODULUS, 6)
                .iter()
                .map(|x| <$Fp>::from_limbs(*x).unwrap())
                .collect();
            on_every_path(|kernels| {
                for four in numbers.windows(4) {
                    let [a, b, c, d] = *four.first_chunk().unwrap();
                    let product = [a * c - b * d, a * d + b * c];
                    assert_eq!(fp2::mul(&[a, b], &[c, d]), product, "{kernels:?}");
                    let square = [a.square() - b.square(), (a * b).double()];
                    assert_eq!(fp2::square(&[a, b]), square, "{kernels:?}");
                }
            });
        }
    )+};
}

tests! {
    bls12_381: fieldc::bls12_381::Fp,
    bn254: fieldc::bn254::Fp,
    secp256k1: fieldc::secp256k1::Fp,
    p384: fieldc::p384::Fp,
}
