//! The type of an encoding for `ff`: an array where arrays have a default, else one of our own.

#![cfg(any(feature = "ff", feature = "ff-0-13"))]

/// An encoding of more than 32 bytes, the least significant first.
///
/// `ff` wants a default of its encodings, and longer arrays have none. Encodings of up to 32 bytes
/// are plain arrays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Repr<const B: usize>(pub [u8; B]);

impl<const B: usize> Default for Repr<B> {
    fn default() -> Self {
        Self([0; B])
    }
}

impl<const B: usize> AsRef<[u8]> for Repr<B> {
    fn as_ref(&self) -> &[u8] {
        &self.0
    }
}

impl<const B: usize> AsMut<[u8]> for Repr<B> {
    fn as_mut(&mut self) -> &mut [u8] {
        &mut self.0
    }
}

impl<const B: usize> From<[u8; B]> for Repr<B> {
    fn from(bytes: [u8; B]) -> Self {
        Self(bytes)
    }
}

impl<const B: usize> From<Repr<B>> for [u8; B] {
    fn from(encoding: Repr<B>) -> Self {
        encoding.0
    }
}

/// A number of bytes, as a type.
pub struct Encodings<const B: usize>;

/// The encodings of B bytes.
pub trait Encoding<const B: usize> {
    /// Their type.
    type Repr;
    /// The encoding with these bytes.
    fn pack(bytes: [u8; B]) -> Self::Repr;
    /// The bytes of an encoding.
    fn unpack(encoding: &Self::Repr) -> &[u8; B];
}

macro_rules! arrays {
    ($($B:literal)+) => {
        $(impl Encoding<$B> for Encodings<$B> {
            type Repr = [u8; $B];

            #[inline]
            fn pack(bytes: [u8; $B]) -> [u8; $B] {
                bytes
            }

            #[inline]
            fn unpack(encoding: &[u8; $B]) -> &[u8; $B] {
                encoding
            }
        })+
    };
}

macro_rules! reprs {
    ($($B:literal)+) => {
        $(impl Encoding<$B> for Encodings<$B> {
            type Repr = Repr<$B>;

            #[inline]
            fn pack(bytes: [u8; $B]) -> Repr<$B> {
                Repr(bytes)
            }

            #[inline]
            fn unpack(encoding: &Repr<$B>) -> &[u8; $B] {
                &encoding.0
            }
        })+
    };
}

arrays! { 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31 32 }
reprs! { 33 34 35 36 37 38 39 40 41 42 43 44 45 46 47 48 49 50 51 52 53 54 55 56 57 58 59 60 61 62 }
reprs! { 63 64 65 66 67 68 69 70 71 72 73 74 75 76 77 78 79 80 81 82 83 84 85 86 87 88 89 90 91 92 }
reprs! { 93 94 95 96 }
