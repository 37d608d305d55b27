//! Encodings of points of BN254, Pallas and Vesta. crates/clients compares them with published crates.
#![cfg(feature = "curves")]

use fieldc::Fp2;
use fieldc::curves::{bn254, pallas, vesta};

/// Which bytes are points: of 0 with flags in the last byte `$infinity` is one, and `$wrong` are not.
macro_rules! encodings {
    ($name:ident: $curve:ident :: $Affine:ident, $Scalar:ty, $infinity:literal, $wrong:expr) => {
        #[test]
        fn $name() {
            use $curve::$Affine as Affine;

            for k in 1..20_u64 {
                let point = (Affine::GENERATOR * <$Scalar>::from(k)).to_affine();
                let negative = -point;
                for point in [point, negative] {
                    assert_eq!(Affine::from_compressed(&point.to_compressed()), Some(point));
                    let bytes = point.to_uncompressed();
                    assert_eq!(Affine::from_uncompressed(&bytes), Some(point));
                }
                let (mut bytes, other) = (point.to_compressed(), negative.to_compressed());
                let last = bytes.len() - 1;
                assert_eq!(bytes[last] ^ other[last], 0x80);
                bytes[last] ^= 0x40;
                assert_ne!(Affine::from_compressed(&bytes), Some(point));
            }
            let mut bytes = Affine::INFINITY.to_compressed();
            let last = bytes.len() - 1;
            assert_eq!((bytes[0], bytes[last]), (0, $infinity));
            assert_eq!(Affine::from_compressed(&bytes), Some(Affine::INFINITY));
            for flags in $wrong {
                bytes[last] = flags;
                assert_eq!(Affine::from_compressed(&bytes), None, "{flags:x}");
            }
            bytes.fill(0xff);
            assert_eq!(Affine::from_compressed(&bytes), None, "not below p");

            let bytes = Affine::INFINITY.to_uncompressed();
            assert!(bytes.iter().all(|byte| *byte == 0));
            assert_eq!(Affine::from_uncompressed(&bytes), Some(Affine::INFINITY));
            let right = Affine::GENERATOR.to_uncompressed();
            for i in [0, bytes.len() / 2, bytes.len() - 1] {
                let mut bytes = right;
                bytes[i] ^= 0x80;
                assert_eq!(Affine::from_uncompressed(&bytes), None, "byte {i}");
            }
        }
    };
}

encodings! { bn254_g1: bn254::G1Affine, fieldc::bn254::Fr, 0x40, [0, 0x80, 0xc0] }
encodings! { bn254_g2: bn254::G2Affine, fieldc::bn254::Fr, 0x40, [0, 0x80, 0xc0] }
encodings! { pallas: pallas::Affine, fieldc::vesta::Fp, 0, [0x80] }
encodings! { vesta: vesta::Affine, fieldc::pallas::Fp, 0, [0x80] }

/// Of x = -1 the last bytes are those of the prime; y is 2.
#[test]
fn the_generator_of_pallas() {
    let bytes = pallas::Affine::GENERATOR.to_compressed();
    assert_eq!((bytes[4], bytes[15], bytes[31]), (0xed, 0x22, 0x40));
}

/// A point outside the group of G2 is no point.
#[test]
fn outside_the_group() {
    use fieldc::{bn254::Fp, curves::Curve};

    let b = <bn254::G2 as Curve>::B;
    let points = (0_u64..).filter_map(|i| {
        let x = Fp2::new(Fp::from(i), Fp::ONE);
        bn254::G2Affine::new(x, (x.square() * x + b).sqrt()?)
    });
    for point in points.take(5) {
        assert!(!point.is_in_subgroup());
        assert_eq!(
            bn254::G2Affine::from_compressed(&point.to_compressed()),
            None
        );
        assert_eq!(
            bn254::G2Affine::from_uncompressed(&point.to_uncompressed()),
            None
        );
    }
}
