//! Powers in the cyclotomic subgroup of Fp12 by signed windows: an inverse there is a conjugate.
//!
//! Source: K. Okeya, K. Schmidt-Samoa, C. Spahn, T. Takagi, "Signed binary representations revisited"
//! (2004), wMOF. Digits come from the highest one on. For windows of w digits about one digit in
//! w + 1 is not 0.

use super::{Fp12, HasTower};

/// The odd powers that a window takes: 1, 3, 5 and 7 of at most four digits.
const ODD: usize = 4;
/// From so many bits on, four digits pay for three more powers.
const LONG: u32 = 32;

/// Digit k is bit k - 1 less bit k, so the digits give 2*exponent - exponent.
fn digit(exponent: &[u64], k: u32) -> i32 {
    let bit = |k: u32| match exponent.get(k as usize / 64) {
        Some(limb) => (limb >> (k % 64) & 1) as i32,
        None => 0,
    };
    k.checked_sub(1).map_or(0, bit) - bit(k)
}

/// The power of x with a public exponent in limbs, least significant first.
pub(super) fn power_by_windows<F: HasTower>(x: &Fp12<F>, exponent: &[u64]) -> Fp12<F> {
    let zeros = exponent.iter().rev().take_while(|limb| **limb == 0).count();
    let exponent = &exponent[..exponent.len() - zeros];
    let Some(top) = exponent.last() else {
        return Fp12::ONE;
    };
    let bits = 64 * exponent.len() as u32 - top.leading_zeros();
    let width = if bits < LONG { 2 } else { 4 };
    let odd = odd_powers(x, width);
    // The highest digit is 1: the power begins with the first window.
    let (mut power, mut next) = (None, bits + 1);
    while next > 0 {
        let last = next - 1;
        if digit(exponent, last) == 0 {
            power = power.as_ref().map(Fp12::cyclotomic_square);
            next = last;
            continue;
        }
        let size = width.min(next);
        let value = (0..size).fold(0, |value, k| 2 * value + digit(exponent, last - k));
        let zeros = value.trailing_zeros();
        let factor = odd[(value >> zeros).unsigned_abs() as usize / 2];
        let factor = if value < 0 {
            factor.conjugate()
        } else {
            factor
        };
        let product = match power {
            Some(power) => squared(power, size - zeros) * factor,
            None => factor,
        };
        (power, next) = (Some(squared(product, zeros)), next - size);
    }
    power.unwrap_or(Fp12::ONE)
}

/// x, x^3 and so on, as far as windows of `width` digits take them.
fn odd_powers<F: HasTower>(x: &Fp12<F>, width: u32) -> [Fp12<F>; ODD] {
    let mut odd = [*x; ODD];
    if width > 2 {
        let square = x.cyclotomic_square();
        for k in 1..ODD {
            odd[k] = odd[k - 1] * square;
        }
    }
    odd
}

/// x^(2^k).
pub(super) fn squared<F: HasTower>(x: Fp12<F>, k: u32) -> Fp12<F> {
    (0..k).fold(x, |x, _| x.cyclotomic_square())
}
