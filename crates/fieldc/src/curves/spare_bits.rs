//! Encodings of points of BN254, Pallas and Vesta: coordinates have the least significant byte
//! first, and the bits of the last byte that no coordinate needs are flags.
//!
//! Source: the crates pasta_curves and halo2curves (0.10), whose bytes they are.

use super::curve::{Curve, right_side};
use super::{bn254, pallas, vesta};
use crate::generic::Field;
use crate::{Fp2, PrimeField};

/// The second coordinate is odd.
const ODD: u8 = 0x80;

/// A coordinate as bytes, the least significant first.
trait Coordinate: Field {
    /// Writes as many bytes as there are.
    fn write(&self, bytes: &mut [u8]);
    /// Reads as many bytes as there are.
    fn read(bytes: &[u8]) -> Option<Self>;
    /// Whether it is odd: of x and -x one is, unless they are 0.
    fn is_odd(&self) -> bool;
}

macro_rules! coordinates {
    ($($Fp:ty),+) => {
        $(impl Coordinate for $Fp {
            fn write(&self, bytes: &mut [u8]) {
                bytes.copy_from_slice(&self.to_bytes_le());
            }

            fn read(bytes: &[u8]) -> Option<Self> {
                <Self as PrimeField>::from_bytes_le(bytes).ok()
            }

            fn is_odd(&self) -> bool {
                self.to_limbs()[0] & 1 == 1
            }
        })+
    };
}

coordinates! { crate::bn254::Fp, crate::pallas::Fp, crate::vesta::Fp }

impl Coordinate for Fp2<crate::bn254::Fp> {
    fn write(&self, bytes: &mut [u8]) {
        let (low, high) = bytes.split_at_mut(crate::bn254::Fp::BYTES);
        self.c0.write(low);
        self.c1.write(high);
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let (low, high) = bytes.split_at_checked(crate::bn254::Fp::BYTES)?;
        Some(Self::new(Coordinate::read(low)?, Coordinate::read(high)?))
    }

    /// The first part decides, unless it is 0.
    fn is_odd(&self) -> bool {
        self.c0.is_odd() | (self.c0.is_zero() & self.c1.is_odd())
    }
}

macro_rules! encodings {
    ($curve:ident :: $Affine:ident, $Group:ident, $compressed:literal, $uncompressed:literal,
        $infinity:literal) => {
        encodings! {
            @ $curve::$Affine, $Group, $compressed, $uncompressed, $infinity,
            concat!("use fieldc::curves::", stringify!($curve), "::", stringify!($Affine), ";")
        }
    };
    (@ $curve:ident :: $Affine:ident, $Group:ident, $compressed:literal, $uncompressed:literal,
        $infinity:literal, $use:expr) => {
        impl $curve::$Affine {
            /// The encoding by the first coordinate and flags in its last byte.
            ///
            /// ```
            #[doc = $use]
            ///
            #[doc = concat!("let bytes = ", stringify!($Affine), "::INFINITY.to_compressed();")]
            #[doc = concat!("assert_eq!(bytes.last(), Some(&", stringify!($infinity), "));")]
            /// ```
            pub fn to_compressed(&self) -> [u8; $compressed] {
                let mut bytes = [0; $compressed];
                self.x.write(&mut bytes);
                let odd = u8::from(self.y.is_odd()) * ODD;
                bytes[$compressed - 1] |= odd | u8::from(self.is_infinity) * $infinity;
                bytes
            }

            /// The encoding by both coordinates; that of infinity is 0.
            ///
            /// ```
            #[doc = $use]
            ///
            #[doc = concat!("let g = ", stringify!($Affine), "::GENERATOR;")]
            #[doc = concat!("let bytes = g.to_uncompressed();")]
            #[doc = concat!(
                "assert_eq!(", stringify!($Affine), "::from_uncompressed(&bytes), Some(g));"
            )]
            /// ```
            pub fn to_uncompressed(&self) -> [u8; $uncompressed] {
                let mut bytes = [0; $uncompressed];
                let (x, y) = bytes.split_at_mut($compressed);
                self.x.write(x);
                self.y.write(y);
                bytes
            }

            /// The point of the group of prime order with this encoding; `None` for all other bytes.
            ///
            /// Time depends on what is wrong with the bytes, and on whether the point is infinity.
            ///
            /// ```
            #[doc = $use]
            ///
            #[doc = concat!("let g = ", stringify!($Affine), "::GENERATOR;")]
            #[doc = concat!(
                "assert_eq!(", stringify!($Affine), "::from_compressed(&g.to_compressed()), Some(g));"
            )]
            #[doc = concat!(
                "assert_eq!(", stringify!($Affine), "::from_compressed(&[0xff; ",
                stringify!($compressed), "]), None);"
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
            #[doc = $use]
            ///
            #[doc = concat!(
                "assert_eq!(", stringify!($Affine), "::from_uncompressed(&[1; ",
                stringify!($uncompressed), "]), None);"
            )]
            /// ```
            pub fn from_uncompressed(bytes: &[u8; $uncompressed]) -> Option<Self> {
                Self::decoded(bytes).filter(Self::is_in_subgroup)
            }

            /// The point of the curve with this encoding, which may be outside the group.
            pub(super) fn decompressed(bytes: &[u8; $compressed]) -> Option<Self> {
                const INFINITY: u8 = $infinity;
                let mut x = *bytes;
                let flags = x[$compressed - 1] & (ODD | INFINITY);
                x[$compressed - 1] ^= flags;
                let x = <<$curve::$Group as Curve>::Base as Coordinate>::read(&x)?;
                if flags == INFINITY && x.is_zero() {
                    return Some(Self::INFINITY);
                }
                if flags | ODD != ODD {
                    return None;
                }
                let y = right_side::<$curve::$Group>(&x).sqrt()?;
                let is_other = y.is_odd() != (flags == ODD);
                let y = <$curve::$Group as Curve>::Base::select(is_other, &-y, &y);
                Some(Self::new_unchecked(x, y))
            }

            /// The point of the curve with this encoding, which may be outside the group.
            pub(super) fn decoded(bytes: &[u8; $uncompressed]) -> Option<Self> {
                let (x, y) = bytes.split_at($compressed);
                let x = <<$curve::$Group as Curve>::Base as Coordinate>::read(x)?;
                let y = <<$curve::$Group as Curve>::Base as Coordinate>::read(y)?;
                if x.is_zero() && y.is_zero() {
                    return Some(Self::INFINITY);
                }
                Self::new(x, y)
            }
        }
    };
}

encodings! { bn254::G1Affine, G1, 32, 64, 0x40 }
encodings! { bn254::G2Affine, G2, 64, 128, 0x40 }
encodings! { pallas::Affine, Pallas, 32, 64, 0 }
encodings! { vesta::Affine, Vesta, 32, 64, 0 }
