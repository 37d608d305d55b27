//! Encodings of points: the coordinates, most significant byte first, and three flags.
//!
//! Source: draft-irtf-cfrg-pairing-friendly-curves-11, appendix C, the format of Zcash.

use super::{G1, G1Affine, G2, G2Affine};
use crate::bls12_381::Fp;
use crate::curves::curve::{Curve, right_side};
use crate::{Field, Fp2};

/// The encoding has one coordinate.
const COMPRESSED: u8 = 0x80;
/// The point at infinity.
const INFINITY: u8 = 0x40;
/// The second coordinate is the larger one of its two square roots.
const LARGER: u8 = 0x20;
/// All flags.
const FLAGS: u8 = COMPRESSED | INFINITY | LARGER;

/// A coordinate as bytes.
trait Coordinate: Field {
    /// Writes as many bytes as there are.
    fn write(&self, bytes: &mut [u8]);
    /// Reads as many bytes as there are, without the flags of the first.
    fn read(bytes: &[u8]) -> Option<Self>;
    /// Whether it is larger than its negative.
    fn is_larger(&self) -> bool;
}

impl Coordinate for Fp {
    fn write(&self, bytes: &mut [u8]) {
        bytes.copy_from_slice(&self.to_bytes_be());
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let mut copy = *bytes.first_chunk::<{ Fp::BYTES }>()?;
        copy[0] &= !FLAGS;
        Self::from_bytes_be(&copy).ok()
    }

    fn is_larger(&self) -> bool {
        crate::limbs::is_less(&(-*self).to_limbs(), &self.to_limbs())
    }
}

impl Coordinate for Fp2<Fp> {
    fn write(&self, bytes: &mut [u8]) {
        let (high, low) = bytes.split_at_mut(Fp::BYTES);
        self.c1.write(high);
        self.c0.write(low);
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (high, low) = bytes.split_at_checked(Fp::BYTES)?;
        Some(Self::new(Fp::from_bytes_be(low).ok()?, Fp::read(high)?))
    }

    /// The second part decides, unless it is 0.
    fn is_larger(&self) -> bool {
        self.c1.is_larger() | (self.c1.is_zero() & self.c0.is_larger())
    }
}

/// The bytes without flags are those of zero.
fn is_zero(bytes: &[u8]) -> bool {
    let first = bytes.first().map_or(0, |first| first & !FLAGS);
    bytes.iter().skip(1).fold(first, |all, byte| all | byte) == 0
}

macro_rules! encodings {
    ($Affine:ident, $Group:ident, $compressed:literal, $uncompressed:literal) => {
        impl $Affine {
            /// The encoding by the first coordinate and flags.
            ///
            /// ```
            #[doc = concat!("use fieldc::curves::bls12_381::", stringify!($Affine), ";")]
            ///
            #[doc = concat!("let bytes = ", stringify!($Affine), "::INFINITY.to_compressed();")]
            /// assert_eq!(bytes[..2], [0xc0, 0]);
            /// ```
            pub fn to_compressed(&self) -> [u8; $compressed] {
                let mut bytes = [0; $compressed];
                self.x().write(&mut bytes);
                let larger = u8::from(self.y().is_larger()) * LARGER;
                let infinity = u8::from(self.is_infinity()) * INFINITY;
                bytes[0] |= COMPRESSED | infinity | larger;
                bytes
            }

            /// The encoding by both coordinates and flags.
            ///
            /// ```
            #[doc = concat!("use fieldc::curves::bls12_381::", stringify!($Affine), ";")]
            ///
            #[doc = concat!("let bytes = ", stringify!($Affine), "::INFINITY.to_uncompressed();")]
            /// assert_eq!(bytes[..2], [0x40, 0]);
            /// ```
            pub fn to_uncompressed(&self) -> [u8; $uncompressed] {
                let mut bytes = [0; $uncompressed];
                let (x, y) = bytes.split_at_mut($compressed);
                self.x().write(x);
                self.y().write(y);
                bytes[0] |= u8::from(self.is_infinity()) * INFINITY;
                bytes
            }

            /// The point of the group of prime order with this encoding; `None` for all other bytes.
            ///
            /// Time depends on what is wrong with the bytes, and on whether the point is infinity.
            ///
            /// ```
            #[doc = concat!("use fieldc::curves::bls12_381::", stringify!($Affine), ";")]
            ///
            #[doc = concat!("let g = ", stringify!($Affine), "::GENERATOR;")]
            #[doc = concat!(
                "assert_eq!(", stringify!($Affine), "::from_compressed(&g.to_compressed()), Some(g));"
            )]
            /// ```
            pub fn from_compressed(bytes: &[u8; $compressed]) -> Option<Self> {
                Self::decompressed(bytes).filter(Self::is_in_subgroup)
            }

            /// The point of the group of prime order with this encoding; `None` for all other bytes.
            ///
            /// Time depends on what is wrong with the bytes, and on whether the point is infinity.
            ///
            /// ```
            #[doc = concat!("use fieldc::curves::bls12_381::", stringify!($Affine), ";")]
            ///
            #[doc = concat!("let g = ", stringify!($Affine), "::GENERATOR;")]
            #[doc = concat!("let bytes = g.to_uncompressed();")]
            #[doc = concat!(
                "assert_eq!(", stringify!($Affine), "::from_uncompressed(&bytes), Some(g));"
            )]
            /// ```
            pub fn from_uncompressed(bytes: &[u8; $uncompressed]) -> Option<Self> {
                Self::decoded(bytes).filter(Self::is_in_subgroup)
            }

            /// The point of the curve with this encoding, which may be outside the group.
            pub(in crate::curves) fn decompressed(bytes: &[u8; $compressed]) -> Option<Self> {
                let flags = bytes[0] & FLAGS;
                if flags == COMPRESSED | INFINITY {
                    return is_zero(bytes).then_some(Self::INFINITY);
                }
                if flags | LARGER != COMPRESSED | LARGER {
                    return None;
                }
                let x = Coordinate::read(bytes)?;
                let y = right_side::<$Group>(&x).sqrt()?;
                let is_other = y.is_larger() != (flags == COMPRESSED | LARGER);
                let y = <$Group as Curve>::Base::select(is_other, &-y, &y);
                Some(Self::new_unchecked(x, y))
            }

            /// The point of the curve with this encoding, which may be outside the group.
            pub(in crate::curves) fn decoded(bytes: &[u8; $uncompressed]) -> Option<Self> {
                let (x, y) = bytes.split_at($compressed);
                match bytes[0] & FLAGS {
                    // The second coordinate has no flags: they are part of its number.
                    0 if y[0] & FLAGS == 0 => Self::new(Coordinate::read(x)?, Coordinate::read(y)?),
                    INFINITY => is_zero(bytes).then_some(Self::INFINITY),
                    _ => None,
                }
            }
        }
    };
}

encodings! { G1Affine, G1, 48, 96 }
encodings! { G2Affine, G2, 96, 192 }
