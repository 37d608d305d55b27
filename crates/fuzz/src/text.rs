//! Texts as elements, and the formats of serde.

use fieldc::DecodeError;
use num_bigint::BigUint;

use crate::element::Element;
use crate::fields::on_every_field;
use crate::input::Input;

/// Decimal and hexadecimal text: the number, or the right error; and what is printed is read again.
pub fn text(input: &[u8]) {
    Input::check(input, on_every_field!(text_of));
}

fn text_of<F: Element>(input: Input<'_>) {
    let text = String::from_utf8_lossy(input.rest());
    let digits = text.strip_prefix("0x");
    let prefix = if digits.is_some() { 2 } else { 0 };
    let hex = parse::<F>(digits.unwrap_or(&text), prefix, 16);
    let number = match digits {
        Some(_) => hex.clone(),
        None => parse::<F>(&text, 0, 10),
    };
    let from_hex = F::from_hex(&text).map(|x| x.number());
    assert_eq!(from_hex, hex, "{text:?} in hexadecimal");
    let from_text = text.parse::<F>().map(|x| x.number());
    assert_eq!(from_text, number, "{text:?}");
    for number in [hex, number].into_iter().flatten() {
        printed(F::reduced(&number), &number);
    }
}

/// What the digits of a base say, or why they say nothing.
fn parse<F: Element>(digits: &str, start: usize, base: u32) -> Result<BigUint, DecodeError> {
    if digits.is_empty() {
        return Err(DecodeError::NoDigits);
    }
    let mut number = BigUint::ZERO;
    for (position, digit) in digits.char_indices() {
        let position = start + position;
        let digit = digit
            .to_digit(base)
            .ok_or(DecodeError::Digit { position })?;
        number = number * base + digit;
    }
    if number < F::modulus() {
        Ok(number)
    } else {
        Err(DecodeError::NotCanonical)
    }
}

/// All digits of the limbs.
fn printed<F: Element>(x: F, number: &BigUint) {
    let digits = format!("{number:0width$x}", width = 16 * F::LIMBS);
    assert_eq!(format!("{x:x}"), digits);
    assert_eq!(format!("{x:#x}"), format!("0x{digits}"));
    assert_eq!(format!("{x}"), format!("0x{digits}"));
    assert_eq!(F::from_hex(&digits), Ok(x));
    assert_eq!(format!("{x}").parse(), Ok(x));
    assert_eq!(number.to_string().parse(), Ok(x));
}

/// The formats of serde: one for humans, one of bytes. Only what is written for an element is read.
pub fn formats(input: &[u8]) {
    Input::check(input, on_every_field!(formats_of));
}

fn formats_of<F: Element>(input: Input<'_>) {
    let bytes = input.rest();
    let number = bytes.get(..F::BYTES).map(BigUint::from_bytes_be);
    let expected = number.filter(|number| *number < F::modulus());
    let element = postcard::take_from_bytes::<F>(bytes).ok();
    assert_eq!(element.map(|(x, _)| x.number()), expected);
    if let Some((x, rest)) = element {
        assert_eq!(rest.len(), bytes.len() - F::BYTES);
        assert_eq!(postcard::to_allocvec(&x).expect("bytes"), bytes[..F::BYTES]);
        let text = serde_json::to_string(&x).expect("text");
        assert_eq!(text, format!("\"{}\"", written(x)));
        assert_eq!(serde_json::from_str::<F>(&text).expect("its text"), x);
    }
    let element = serde_json::from_slice::<F>(bytes).ok();
    let text = serde_json::from_slice::<String>(bytes).ok();
    let is_written = |text: &String| text.parse::<F>().is_ok_and(|x| written(x) == *text);
    assert_eq!(element.map(written), text.filter(is_written));
}

/// All digits of the bytes.
fn written<F: Element>(x: F) -> String {
    format!("0x{:0width$x}", x.number(), width = 2 * F::BYTES)
}
