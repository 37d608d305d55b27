//! Encodings of points of secp256k1 and P-256.
//!
//! Source: SEC 1, version 2.0 (2009), 2.3.3 and 2.3.4.

use super::curve::{Curve, right_side};
use super::{p256, secp256k1};
use crate::{DecodeError, PrimeField};

/// Bytes of a coordinate.
const BYTES: usize = 32;

macro_rules! encodings {
    ($curve:ident, $Curve:ident) => {
        impl $curve::Affine {
            /// The encoding by the first coordinate and the parity of the second: 33 bytes. That of
            /// infinity is 0 in this length too.
            ///
            /// ```
            #[doc = concat!("use fieldc::curves::", stringify!($curve), "::Affine;")]
            ///
            /// let g = Affine::GENERATOR;
            /// assert_eq!(Affine::from_sec1(&g.to_sec1_compressed()), Some(g));
            /// ```
            pub fn to_sec1_compressed(&self) -> [u8; 1 + BYTES] {
                let mut bytes = [0; 1 + BYTES];
                let odd = self.y.to_bytes_be()[BYTES - 1] & 1;
                bytes[0] = u8::from(!self.is_infinity) * (2 | odd);
                bytes[1..].copy_from_slice(&self.x.to_bytes_be());
                bytes
            }

            /// The encoding by both coordinates: 65 bytes. That of infinity is 0 in this length too.
            ///
            /// ```
            #[doc = concat!("use fieldc::curves::", stringify!($curve), "::Affine;")]
            ///
            /// let g = Affine::GENERATOR;
            /// assert_eq!(Affine::from_sec1(&g.to_sec1_uncompressed()), Some(g));
            /// ```
            pub fn to_sec1_uncompressed(&self) -> [u8; 1 + 2 * BYTES] {
                let mut bytes = [0; 1 + 2 * BYTES];
                bytes[0] = u8::from(!self.is_infinity) * 4;
                bytes[1..][..BYTES].copy_from_slice(&self.x.to_bytes_be());
                bytes[1 + BYTES..].copy_from_slice(&self.y.to_bytes_be());
                bytes
            }

            /// The point with this encoding, compressed or not, or infinity for the one byte 0; `None`
            /// for all other bytes. Time depends on what is wrong with them.
            ///
            /// ```
            #[doc = concat!("use fieldc::curves::", stringify!($curve), "::Affine;")]
            ///
            /// assert_eq!(Affine::from_sec1(&[0]), Some(Affine::INFINITY));
            /// assert_eq!(Affine::from_sec1(&[2; 32]), None);
            /// ```
            pub fn from_sec1(bytes: &[u8]) -> Option<Self> {
                let (first, rest) = bytes.split_first()?;
                match (first, rest.len()) {
                    (0, 0) => Some(Self::INFINITY),
                    (2 | 3, BYTES) => {
                        let x = element(rest).ok()?;
                        // Of the two roots it is the even one.
                        let y = right_side::<$curve::$Curve>(&x).sqrt()?;
                        let y = <<$curve::$Curve as Curve>::Base>::select(*first == 3, &-y, &y);
                        Some(Self::new_unchecked(x, y))
                    }
                    (4, _) if rest.len() == 2 * BYTES => {
                        let (x, y) = rest.split_at(BYTES);
                        Self::new(element(x).ok()?, element(y).ok()?)
                    }
                    _ => None,
                }
            }
        }
    };
}

fn element<F: PrimeField>(bytes: &[u8]) -> Result<F, DecodeError> {
    F::from_bytes_be(bytes)
}

encodings! { secp256k1, Secp256k1 }
encodings! { p256, P256 }
