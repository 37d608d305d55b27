//! Numbers as 64-bit limbs, least significant first.

use core::fmt;
use core::hint::black_box;

use crate::DecodeError;

/// a + b + carry, and the carry out.
#[inline(always)]
pub(crate) const fn adc(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(carry as u64);
    (sum, first | second)
}

/// a - b - borrow, and the borrow out.
#[inline(always)]
pub(crate) const fn sbb(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(borrow as u64);
    (difference, first | second)
}

/// a + b and the carry.
#[inline(always)]
pub(crate) const fn plus<const N: usize>(a: &[u64; N], b: &[u64; N]) -> ([u64; N], bool) {
    let (mut sum, mut carry, mut i) = ([0; N], false, 0);
    while i < N {
        (sum[i], carry) = adc(a[i], b[i], carry);
        i += 1;
    }
    (sum, carry)
}

/// a - b and the borrow.
#[inline(always)]
pub(crate) const fn minus<const N: usize>(a: &[u64; N], b: &[u64; N]) -> ([u64; N], bool) {
    let (mut difference, mut borrow, mut i) = ([0; N], false, 0);
    while i < N {
        (difference[i], borrow) = sbb(a[i], b[i], borrow);
        i += 1;
    }
    (difference, borrow)
}

/// t + a*b + carry as its low and high half; it is below 2^128.
#[inline(always)]
pub(crate) const fn mac(t: u64, a: u64, b: u64, carry: u64) -> (u64, u64) {
    let sum = t as u128 + a as u128 * b as u128 + carry as u128;
    (sum as u64, (sum >> 64) as u64)
}

/// The lower and the upper half of x*y.
#[inline(always)]
pub(crate) const fn wide_product<const N: usize>(
    x: &[u64; N],
    y: &[u64; N],
) -> ([u64; N], [u64; N]) {
    // Row i starts at limb i: of what it leaves, the lowest limb is done.
    let (mut low, mut t, mut i) = ([0; N], [0; N], 0);
    while i < N {
        let (lowest, mut carry) = mac(t[0], x[0], y[i], 0);
        let mut j = 1;
        while j < N {
            (t[j - 1], carry) = mac(t[j], x[j], y[i], carry);
            j += 1;
        }
        t[N - 1] = carry;
        low[i] = lowest;
        i += 1;
    }
    (low, t)
}

/// Bits of a number.
pub(crate) const fn bits<const N: usize>(a: &[u64; N]) -> u32 {
    let mut i = N;
    while i > 0 {
        i -= 1;
        if a[i] != 0 {
            return 64 * i as u32 + 64 - a[i].leading_zeros();
        }
    }
    0
}

/// Zero bits below the lowest one of a number that is not 0.
pub(crate) const fn trailing_zeros<const N: usize>(a: &[u64; N]) -> u32 {
    let mut i = 0;
    while a[i] == 0 {
        i += 1;
    }
    64 * i as u32 + a[i].trailing_zeros()
}

/// A copy, limb by limb.
///
/// A plain copy loads two limbs at once, and a processor makes such a load wait for both
/// stores of limbs; where one branch copies so, the compiler does it for all.
#[allow(dead_code, reason = "assembly for AArch64 stores two limbs at once")]
#[inline(always)]
pub(crate) fn by_limbs<const N: usize>(z: &[u64; N]) -> [u64; N] {
    // SAFETY: a reference is valid for reads.
    z.each_ref()
        .map(|limb| unsafe { core::ptr::read_volatile(limb) })
}

/// Limbs of a number.
pub const fn length<const N: usize>(_: &[u64; N]) -> usize {
    N
}

/// Whether a = b, for public numbers.
pub(crate) const fn is_same<const N: usize>(a: &[u64; N], b: &[u64; N]) -> bool {
    let mut i = 0;
    while i < N {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// The value, but the compiler does not know that it is. The word is any it knows nothing about.
///
/// This is for functions that are also called at compile time: those have no assembly, and from
/// Rust 1.86 on they have `black_box`. For all words x*y = (x & y)(x | y) + (x & !y)(!x & y) modulo
/// 2^64. Compilers do not know this identity, so the difference of both sides could be anything.
#[inline(always)]
pub(crate) const fn hidden(value: u64, word: u64) -> u64 {
    let (x, y) = (word, word >> 32);
    let product = x.wrapping_mul(y);
    let common = (x & y).wrapping_mul(x | y);
    let apart = (x & !y).wrapping_mul(!x & y);
    value ^ product.wrapping_sub(common).wrapping_sub(apart)
}

/// Whether a < b, in the same time for all values.
pub const fn is_less<const N: usize>(a: &[u64; N], b: &[u64; N]) -> bool {
    let (difference, borrow) = minus(a, b);
    hidden(borrow as u64, difference[0]) != 0
}

/// Whether a = b, in the same time for all values.
#[inline]
pub fn is_equal<const N: usize>(a: &[u64; N], b: &[u64; N]) -> bool {
    let difference = a.iter().zip(b).fold(0, |all, (x, y)| all | (x ^ y));
    black_box(difference) == 0
}

/// Whether a = 0, in the same time for all values.
#[inline]
pub(crate) fn is_zero<const N: usize>(a: &[u64; N]) -> bool {
    let (mut any, mut i) = (0, 0);
    while i < N {
        any |= a[i];
        i += 1;
    }
    black_box(any) == 0
}

/// The bytes, if there are as many as an encoding has.
pub const fn exactly<const B: usize>(bytes: &[u8]) -> Result<&[u8; B], DecodeError> {
    match bytes.first_chunk() {
        Some(array) if bytes.len() == B => Ok(array),
        _ => Err(DecodeError::Length {
            expected: B,
            found: bytes.len(),
        }),
    }
}

/// The number that B <= 8N bytes hold, least significant first; by words, as processors load them.
pub const fn from_bytes_le<const N: usize, const B: usize>(bytes: &[u8; B]) -> [u64; N] {
    let (mut limbs, mut i, mut rest) = ([0; N], 0, bytes.as_slice());
    while let Some((word, more)) = rest.split_first_chunk() {
        limbs[i] = u64::from_le_bytes(*word);
        (i, rest) = (i + 1, more);
    }
    let mut j = 0;
    while j < rest.len() {
        limbs[i] |= (rest[j] as u64) << (8 * j);
        j += 1;
    }
    limbs
}

/// The number that B <= 8N bytes hold, most significant first.
pub const fn from_bytes_be<const N: usize, const B: usize>(bytes: &[u8; B]) -> [u64; N] {
    let (mut limbs, mut i, mut rest) = ([0; N], 0, bytes.as_slice());
    while let Some((more, word)) = rest.split_last_chunk() {
        limbs[i] = u64::from_be_bytes(*word);
        (i, rest) = (i + 1, more);
    }
    let mut j = 0;
    while j < rest.len() {
        limbs[i] = limbs[i] << 8 | rest[j] as u64;
        j += 1;
    }
    limbs
}

/// The B <= 8N low bytes of a number, least significant first.
pub const fn to_bytes_le<const N: usize, const B: usize>(limbs: &[u64; N]) -> [u8; B] {
    let (mut bytes, mut i) = ([0; B], 0);
    while let Some(word) = bytes.split_at_mut(8 * i).1.first_chunk_mut() {
        *word = limbs[i].to_le_bytes();
        i += 1;
    }
    let mut place = 8 * i;
    while place < B {
        bytes[place] = (limbs[i] >> (8 * (place % 8))) as u8;
        place += 1;
    }
    bytes
}

/// The B <= 8N low bytes of a number, most significant first.
pub const fn to_bytes_be<const N: usize, const B: usize>(limbs: &[u64; N]) -> [u8; B] {
    let (mut bytes, mut i) = ([0; B], 0);
    while let Some(word) = bytes.split_at_mut(B - 8 * i).0.last_chunk_mut() {
        *word = limbs[i].to_be_bytes();
        i += 1;
    }
    let mut place = 8 * i;
    while place < B {
        bytes[B - 1 - place] = (limbs[i] >> (8 * (place % 8))) as u8;
        place += 1;
    }
    bytes
}

/// a / 2^k, rounded down.
pub const fn shifted<const N: usize>(a: &[u64; N], k: u32) -> [u64; N] {
    let (limbs, bits) = (k as usize / 64, k % 64);
    let (mut result, mut i) = ([0; N], limbs);
    while i < N {
        let above = if i + 1 < N { a[i + 1] } else { 0 };
        // Shifted twice: a shift by 64 is none.
        result[i - limbs] = a[i] >> bits | (above << 1) << (63 - bits);
        i += 1;
    }
    result
}

/// The L - 2 low digits of a number in hexadecimal, after `0x`; no address depends on them.
pub const fn hex<const N: usize, const L: usize>(limbs: &[u64; N]) -> [u8; L] {
    let (mut digits, mut i) = ([b'0'; L], 0);
    digits[1] = b'x';
    while i < L - 2 {
        let digit = (limbs[i / 16] >> (4 * (i % 16))) as u8 & 15;
        digits[L - 1 - i] = b'0' + digit + (9u8.wrapping_sub(digit) >> 7) * (b'a' - b'0' - 10);
        i += 1;
    }
    digits
}

/// What [`hex`] made, as text.
pub const fn text(digits: &[u8]) -> &str {
    match core::str::from_utf8(digits) {
        Ok(text) => text,
        Err(_) => unreachable!(),
    }
}

/// Writes a number in hexadecimal, all its digits, after `0x` if it shall be there.
pub fn write_hex(
    limbs: &[u64],
    has_prefix: bool,
    is_upper: bool,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    if has_prefix {
        f.write_str("0x")?;
    }
    limbs.iter().rev().try_for_each(|limb| {
        if is_upper {
            write!(f, "{limb:016X}")
        } else {
            write!(f, "{limb:016x}")
        }
    })
}
