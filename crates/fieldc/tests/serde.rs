//! Serialization: canonical encodings come back, everything else is refused and says why.
#![cfg(feature = "serde")]

mod common;

use common::values;
use serde::de::value::{BytesDeserializer, Error};
use serde::de::{Deserialize, DeserializeOwned, IntoDeserializer, Visitor};

/// The bytes of a big-endian number as the text that formats for humans get.
fn text(bytes: &[u8]) -> String {
    let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    format!("\"0x{digits}\"")
}

/// Why a text is refused.
fn refusal<T: DeserializeOwned>(json: &str) -> String {
    match serde_json::from_str::<T>(json) {
        Ok(_) => panic!("{json} is taken"),
        Err(error) => error.to_string(),
    }
}

/// A binary format that hands over all bytes at once.
struct AtOnce<'a>(&'a [u8]);

impl<'de> serde::Deserializer<'de> for AtOnce<'_> {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        let bytes: BytesDeserializer<'_, Error> = self.0.into_deserializer();
        bytes.deserialize_any(visitor)
    }

    fn is_human_readable(&self) -> bool {
        false
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 char str string bytes byte_buf option unit
        unit_struct newtype_struct seq tuple tuple_struct map struct enum identifier ignored_any
    }
}

macro_rules! field_tests {
    ($module:ident, $Fp:ty) => {
        mod $module {
            use super::*;

            type Fp = $Fp;

            #[test]
            fn elements_come_back() {
                for number in values(&Fp::MODULUS, 50) {
                    let x = Fp::from_limbs(number).unwrap();
                    let json = serde_json::to_string(&x).unwrap();
                    assert_eq!(json, text(&x.to_bytes_be()));
                    assert_eq!(serde_json::from_str::<Fp>(&json).unwrap(), x);

                    let bytes = postcard::to_allocvec(&x).unwrap();
                    assert_eq!(bytes, x.to_bytes_be());
                    assert_eq!(postcard::from_bytes::<Fp>(&bytes).unwrap(), x);
                    assert_eq!(Fp::deserialize(AtOnce(&bytes)).unwrap(), x);
                }
            }

            #[test]
            fn a_number_not_below_p_is_refused() {
                let says = "the number is not below the modulus";
                let mut p = (-Fp::ONE).to_bytes_be();
                p[Fp::BYTES - 1] += 1;
                for bytes in [p, [0xff; Fp::BYTES]] {
                    assert!(refusal::<Fp>(&text(&bytes)).starts_with(says));
                    assert!(postcard::from_bytes::<Fp>(&bytes).is_err());
                    assert_eq!(
                        Fp::deserialize(AtOnce(&bytes)).unwrap_err().to_string(),
                        says
                    );
                }
            }

            #[test]
            fn another_length_is_refused() {
                let wants = format!("expected {} bytes", Fp::BYTES);
                for n in [0, 1, Fp::BYTES - 1, Fp::BYTES + 1] {
                    let bytes = vec![0; n];
                    assert!(refusal::<Fp>(&text(&bytes)).contains("invalid value"));
                    let error = Fp::deserialize(AtOnce(&bytes)).unwrap_err().to_string();
                    assert_eq!(error, format!("invalid length {n}, {wants}"));
                    assert!(n > Fp::BYTES || postcard::from_bytes::<Fp>(&bytes).is_err());
                }
            }

            #[test]
            fn another_text_is_refused() {
                let good = text(&Fp::from_u64(0xa5).to_bytes_be());
                let says = format!("0x and {} hexadecimal digits in lower case", 2 * Fp::BYTES);
                for bad in [
                    good.replace("a5", "A5"),
                    good.replace("a5", "a"),
                    good.replace("a5", "a5\\n"),
                    good.replace("a5", "g5"),
                    good.replace("0x0", "0X0"),
                    good.replace("0x", ""),
                    good.replace("0x0", "0x+"),
                    good.replace("0x00", "0x\u{e9}"),
                    "\"\"".into(),
                ] {
                    assert!(refusal::<Fp>(&bad).contains(&says), "{bad}");
                }
                assert!(refusal::<Fp>("165").contains(&says));
                assert!(refusal::<Fp>("[165]").contains(&says));
            }
        }
    };
}

for_some_fields!(field_tests);
