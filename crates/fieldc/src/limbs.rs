//! Numbers as 64-bit limbs, least significant first.

use core::fmt;
use core::hint::black_box;

use crate::DecodeError;

/// Whether a < b, in the same time for all values.
pub(crate) const fn is_less<const N: usize>(a: &[u64; N], b: &[u64; N]) -> bool {
    let (mut borrow, mut i) = (false, 0);
    while i < N {
        let (difference, first) = a[i].overflowing_sub(b[i]);
        let (_, second) = difference.overflowing_sub(borrow as u64);
        borrow = black_box(first | second);
        i += 1;
    }
    borrow
}

/// Whether a = b, in the same time for all values.
#[inline]
pub(crate) fn is_equal<const N: usize>(a: &[u64; N], b: &[u64; N]) -> bool {
    let difference = a.iter().zip(b).fold(0, |all, (x, y)| all | (x ^ y));
    black_box(difference) == 0
}

/// The bytes, if there are as many as an encoding has.
pub(crate) const fn exactly<const B: usize>(bytes: &[u8]) -> Result<&[u8; B], DecodeError> {
    match bytes.first_chunk() {
        Some(array) if bytes.len() == B => Ok(array),
        _ => Err(DecodeError::Length {
            expected: B,
            found: bytes.len(),
        }),
    }
}

/// The number that B = 8N bytes hold, least significant first.
pub(crate) const fn from_bytes_le<const N: usize, const B: usize>(bytes: &[u8; B]) -> [u64; N] {
    let (mut limbs, mut i) = ([0; N], 0);
    while i < B {
        limbs[i / 8] |= (bytes[i] as u64) << (8 * (i % 8));
        i += 1;
    }
    limbs
}

/// The B = 8N bytes of a number, least significant first.
pub(crate) const fn to_bytes_le<const N: usize, const B: usize>(limbs: &[u64; N]) -> [u8; B] {
    let (mut bytes, mut i) = ([0; B], 0);
    while i < B {
        bytes[i] = (limbs[i / 8] >> (8 * (i % 8))) as u8;
        i += 1;
    }
    bytes
}

/// Little-endian bytes made big-endian, or back.
pub(crate) const fn reversed<const B: usize>(bytes: &[u8; B]) -> [u8; B] {
    let (mut result, mut i) = ([0; B], 0);
    while i < B {
        result[i] = bytes[B - 1 - i];
        i += 1;
    }
    result
}

/// Writes a number in hexadecimal, all its digits.
pub(crate) fn write_hex(limbs: &[u64], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("0x")?;
    limbs
        .iter()
        .rev()
        .try_for_each(|limb| write!(f, "{limb:016x}"))
}
