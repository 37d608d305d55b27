//! Numbers as text.

use crate::DecodeError;
use crate::limbs::{is_less, mac};

/// The number below p that decimal digits say, or hexadecimal ones after `0x`.
pub const fn from_text<const N: usize>(text: &str, p: &[u64; N]) -> Result<[u64; N], DecodeError> {
    match text.as_bytes() {
        [b'0', b'x', ..] => from_hex(text, p),
        bytes => from_digits(bytes, 0, 10, p),
    }
}

/// The number below p that hexadecimal digits say; `0x` may come before them.
pub const fn from_hex<const N: usize>(text: &str, p: &[u64; N]) -> Result<[u64; N], DecodeError> {
    match text.as_bytes() {
        bytes @ [b'0', b'x', ..] => from_digits(bytes, 2, 16, p),
        bytes => from_digits(bytes, 0, 16, p),
    }
}

const fn from_digits<const N: usize>(
    text: &[u8],
    start: usize,
    base: u64,
    p: &[u64; N],
) -> Result<[u64; N], DecodeError> {
    if start == text.len() {
        return Err(DecodeError::NoDigits);
    }
    let (mut number, mut too_large, mut position) = ([0; N], false, start);
    while position < text.len() {
        let Some(digit) = (text[position] as char).to_digit(base as u32) else {
            return Err(DecodeError::Digit { position });
        };
        let (mut carry, mut i) = (digit as u64, 0);
        while i < N {
            (number[i], carry) = mac(0, number[i], base, carry);
            i += 1;
        }
        too_large |= carry != 0;
        position += 1;
    }
    if too_large || !is_less(&number, p) {
        return Err(DecodeError::NotCanonical);
    }
    Ok(number)
}
