//! Decoding text: what is printed comes back, and everything else is refused with the right error.

use fieldc::DecodeError;

use crate::common::{big, values};
use crate::{for_every_field, for_every_width};

macro_rules! field_tests {
    ($module:ident, $Fp:ty) => {
        mod $module {
            use super::*;

            type Fp = $Fp;
            const P: [u64; Fp::LIMBS] = Fp::MODULUS;
            const TEN: Result<Fp, DecodeError> = Fp::from_hex("0xA");

            #[test]
            fn numbers_below_p_come_back() {
                assert_eq!(TEN, Ok(Fp::from_u64(10)));
                for limbs in values(&P, 50) {
                    let x = Fp::from_limbs(limbs).unwrap();
                    assert_eq!(x.to_string().parse(), Ok(x));
                    assert_eq!(Fp::from_hex(&x.to_string()), Ok(x));
                    assert_eq!(format!("{x:#x}"), x.to_string());
                    assert_eq!(Fp::from_hex(&format!("{x:x}")), Ok(x));
                    assert_eq!(format!("{x:X}"), format!("{x:x}").to_uppercase());
                    assert_eq!(format!("{x:#X}"), format!("0x{x:X}"));
                    assert_eq!(Fp::from_hex(&format!("{:X}", big(&limbs))), Ok(x));
                    assert_eq!(big(&limbs).to_string().parse(), Ok(x));
                    assert_eq!(format!("{:0>999}", big(&limbs)).parse(), Ok(x));
                }
            }

            #[test]
            fn numbers_not_below_p_are_refused() {
                let p = big(&P);
                for number in [p.clone(), &p + 1_u8, &p * 2_u8, &p << 64, &p << 800] {
                    let error = Err(DecodeError::NotCanonical);
                    assert_eq!(number.to_string().parse::<Fp>(), error);
                    assert_eq!(format!("{number:#x}").parse::<Fp>(), error);
                    assert_eq!(Fp::from_hex(&format!("{number:x}")), error);
                }
                assert_eq!((&p - 1_u8).to_string().parse(), Ok(-Fp::ONE));
            }

            #[test]
            fn what_is_no_number_is_refused() {
                for text in ["", "0x"] {
                    assert_eq!(text.parse::<Fp>(), Err(DecodeError::NoDigits));
                    assert_eq!(Fp::from_hex(text), Err(DecodeError::NoDigits));
                }
                for (text, position) in [
                    ("-1", 0),
                    ("+1", 0),
                    (" 1", 0),
                    ("1_000", 1),
                    ("12a", 2),
                    ("0X1", 1),
                    ("0x1g", 3),
                    ("0x0x1", 3),
                    ("1\u{663}", 1),
                ] {
                    assert_eq!(text.parse::<Fp>(), Err(DecodeError::Digit { position }));
                }
                for (text, position) in [("-1", 0), ("ag", 1), ("0x 1", 2)] {
                    assert_eq!(Fp::from_hex(text), Err(DecodeError::Digit { position }));
                }
            }
        }
    };
}

for_every_field!(field_tests);
for_every_width!(field_tests);

#[test]
fn errors_say_what_was_wrong() {
    assert_eq!(DecodeError::NoDigits.to_string(), "the text has no digits");
    let digit = DecodeError::Digit { position: 3 };
    assert_eq!(digit.to_string(), "no digit at byte 3 of the text");
}
