//! `serde`: the number below p, most significant byte first. Formats for humans get it as text, `0x`
//! and all its hexadecimal digits; binary formats as a tuple of bytes, without a length.

#[cfg(feature = "serde")]
pub use encoded::{deserialize, serialize};

#[cfg(feature = "serde")]
mod encoded {
    use core::fmt;

    use serde::de::{Deserializer, Error, SeqAccess, Visitor};
    use serde::ser::{SerializeTuple, Serializer};

    /// Writes the bytes of an encoding, or its text.
    pub fn serialize<S: Serializer>(
        bytes: &[u8],
        text: &str,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return serializer.serialize_str(text);
        }
        let mut tuple = serializer.serialize_tuple(bytes.len())?;
        bytes
            .iter()
            .try_for_each(|byte| tuple.serialize_element(byte))?;
        tuple.end()
    }

    /// Reads the B bytes of an encoding. Whether the number is below p is not looked at.
    pub fn deserialize<'de, const B: usize, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<[u8; B], D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(Text::<B>)
        } else {
            deserializer.deserialize_tuple(B, Bytes::<B>)
        }
    }

    /// Reads text.
    struct Text<const B: usize>;

    impl<const B: usize> Visitor<'_> for Text<B> {
        type Value = [u8; B];

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let digits = 2 * B;
            write!(f, "0x and {digits} hexadecimal digits in lower case")
        }

        fn visit_str<E: Error>(self, text: &str) -> Result<[u8; B], E> {
            parse(text).ok_or_else(|| {
                let found = serde::de::Unexpected::Str(text);
                E::invalid_value(found, &self)
            })
        }
    }

    /// The bytes that a text says, if it is the one that is written for them.
    fn parse<const B: usize>(text: &str) -> Option<[u8; B]> {
        let (digits, mut bytes) = (text.strip_prefix("0x")?.as_bytes(), [0; B]);
        if digits.len() != 2 * B {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(bytes)
    }

    /// The value of a digit in lower case.
    fn digit(digit: u8) -> Option<u8> {
        match digit {
            b'0'..=b'9' => Some(digit - b'0'),
            b'a'..=b'f' => Some(digit - b'a' + 10),
            _ => None,
        }
    }

    /// Reads bytes.
    struct Bytes<const B: usize>;

    impl<'de, const B: usize> Visitor<'de> for Bytes<B> {
        type Value = [u8; B];

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            write!(f, "{B} bytes")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<[u8; B], A::Error> {
            let mut bytes = [0; B];
            for (i, byte) in bytes.iter_mut().enumerate() {
                *byte = sequence
                    .next_element()?
                    .ok_or_else(|| A::Error::invalid_length(i, &self))?;
            }
            Ok(bytes)
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<[u8; B], E> {
            bytes
                .try_into()
                .map_err(|_| E::invalid_length(bytes.len(), &self))
        }
    }
}

/// A pair: `c0`, then `c1`.
#[cfg(feature = "serde")]
impl<F: serde::Serialize> serde::Serialize for crate::Fp2<F> {
    #[inline]
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.c0, &self.c1).serialize(serializer)
    }
}

/// A pair: `c0`, then `c1`.
#[cfg(feature = "serde")]
impl<'de, F: serde::Deserialize<'de>> serde::Deserialize<'de> for crate::Fp2<F> {
    #[inline]
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let (c0, c1) = serde::Deserialize::deserialize(deserializer)?;
        Ok(Self { c0, c1 })
    }
}

/// The traits of `serde`.
#[cfg(feature = "serde")]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde {
    ($Fp:ident) => {
        /// The number below p, most significant byte first: as text, `0x` and all its hexadecimal
        /// digits, in formats for humans; as a tuple of bytes in binary ones.
        impl $crate::__private::serde::Serialize for $Fp {
            #[inline]
            fn serialize<S: $crate::__private::serde::Serializer>(
                &self,
                serializer: S,
            ) -> ::core::result::Result<S::Ok, S::Error> {
                let digits: [u8; 2 + 2 * Self::BYTES] = $crate::__private::hex(&self.to_limbs());
                $crate::__private::serialize(
                    &self.to_bytes_be(),
                    $crate::__private::text(&digits),
                    serializer,
                )
            }
        }

        /// Takes what is serialized and nothing else: a number not below p is an error.
        impl<'de> $crate::__private::serde::Deserialize<'de> for $Fp {
            #[inline]
            fn deserialize<D: $crate::__private::serde::Deserializer<'de>>(
                deserializer: D,
            ) -> ::core::result::Result<Self, D::Error> {
                let bytes = $crate::__private::deserialize::<{ Self::BYTES }, _>(deserializer)?;
                Self::from_bytes_be(&bytes).map_err($crate::__private::serde::de::Error::custom)
            }
        }
    };
}

/// Nothing: the feature is off.
#[cfg(not(feature = "serde"))]
#[doc(hidden)]
#[macro_export]
macro_rules! __serde {
    ($Fp:ident) => {};
}
