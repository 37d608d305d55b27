//! The encodings of each curve, as the traits of `group` name them.

use super::{Affine, Curve, bls12_381, bn254, p256, pallas, secp256k1, vesta};
use crate::Repr;

/// A curve whose points have encodings.
pub trait Encoded: Curve {
    /// The shorter encoding.
    type Compressed: Bytes;
    /// The encoding by both coordinates.
    type Uncompressed: Bytes;

    /// The shorter encoding of a point.
    fn compressed(point: &Affine<Self>) -> Self::Compressed;
    /// The encoding of a point by both coordinates.
    fn uncompressed(point: &Affine<Self>) -> Self::Uncompressed;
    /// The point of the curve with this encoding, which may be outside the group.
    fn decompressed(bytes: &Self::Compressed) -> Option<Affine<Self>>;
    /// The point of the curve with this encoding, which may be outside the group.
    fn decoded(bytes: &Self::Uncompressed) -> Option<Affine<Self>>;
}

/// What `group` asks of encodings.
pub trait Bytes: Copy + Default + Send + Sync + 'static + AsRef<[u8]> + AsMut<[u8]> {}

impl<T: Copy + Default + Send + Sync + 'static + AsRef<[u8]> + AsMut<[u8]>> Bytes for T {}

macro_rules! encoded {
    ($($Curve:ty, $Compressed:ty, $Uncompressed:ty;)+) => {
        $(impl Encoded for $Curve {
            type Compressed = $Compressed;
            type Uncompressed = $Uncompressed;

            fn compressed(point: &Affine<Self>) -> $Compressed {
                point.to_compressed().into()
            }

            fn uncompressed(point: &Affine<Self>) -> $Uncompressed {
                point.to_uncompressed().into()
            }

            fn decompressed(bytes: &$Compressed) -> Option<Affine<Self>> {
                Affine::<Self>::decompressed(&(*bytes).into())
            }

            fn decoded(bytes: &$Uncompressed) -> Option<Affine<Self>> {
                Affine::<Self>::decoded(&(*bytes).into())
            }
        })+
    };
}

encoded! {
    bls12_381::G1, Repr<48>, Repr<96>;
    bls12_381::G2, Repr<96>, Repr<192>;
    bn254::G1, [u8; 32], Repr<64>;
    bn254::G2, Repr<64>, Repr<128>;
    pallas::Pallas, [u8; 32], Repr<64>;
    vesta::Vesta, [u8; 32], Repr<64>;
}

/// Those of SEC 1, of a length that is the same for all points.
macro_rules! sec1 {
    ($($Curve:ty),+) => {
        $(impl Encoded for $Curve {
            type Compressed = Repr<33>;
            type Uncompressed = Repr<65>;

            fn compressed(point: &Affine<Self>) -> Repr<33> {
                point.to_sec1_compressed().into()
            }

            fn uncompressed(point: &Affine<Self>) -> Repr<65> {
                point.to_sec1_uncompressed().into()
            }

            fn decompressed(bytes: &Repr<33>) -> Option<Affine<Self>> {
                if bytes.0 == [0; 33] {
                    return Some(Affine::INFINITY);
                }
                Affine::<Self>::from_sec1(&bytes.0)
            }

            fn decoded(bytes: &Repr<65>) -> Option<Affine<Self>> {
                if bytes.0 == [0; 65] {
                    return Some(Affine::INFINITY);
                }
                Affine::<Self>::from_sec1(&bytes.0)
            }
        })+
    };
}

sec1! { secp256k1::Secp256k1, p256::P256 }
