//! Doubles that hold integers: exact values, and the one rounding that is known.
//!
//! A double has 53 bits (IEEE 754). So an integer that is a multiple of 2^s, and at most 2^(53+s)
//! away from 0, is a double: a sum, difference or product of this value is exact, whichever way the
//! processor rounds. No double here is near the smallest or the largest one.
//!
//! From 2^104 up to 2^105 doubles are the multiples of 2^52. Rounded to zero, a number there is the
//! next multiple of 2^52 below it: so a*b + 2^104 is a*b - L + 2^104, where L is a*b modulo 2^52.
//!
//! From 2^(52+s) up to 2^(53+s) the bits of a double are its exponent, 1075 + s, above 52 bits of
//! its fraction: what it has above 2^(52+s), over 2^s.

use crate::arrays::lane::{Lane, power};
use crate::arrays::layout::DIGIT;
use crate::arrays::value::Value;
use crate::arrays::word::{Done, LaneWord, stop};
use num_bigint::BigInt;

/// Bits of a double's fraction; the exponent of the double 2^52.
const FRACTION: u32 = 52;
const BIAS: u32 = 1075;

/// An integer that is a multiple of 2^scale.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Double {
    pub(crate) number: LaneWord,
    pub(crate) scale: u32,
}

impl Lane {
    /// A word's bits as a double: of a constant, or of one from 2^52 up to 2^53.
    pub(crate) fn decoded(&self, word: &LaneWord) -> Done<Double> {
        let Some(number) = word.value.number() else {
            let least = BigInt::from(BIAS) << FRACTION;
            if !word.is_within(&least, &(&least + power(FRACTION))) {
                return stop("takes a word for a double");
            }
            let one = LaneWord::constant(least - power(FRACTION));
            return Ok(Double { number: self.difference_of(word, &one)?, scale: 0 });
        };
        let Ok(bits) = u64::try_from(((number % power(64)) + power(64)) % power(64)) else {
            return stop("a constant that is no word");
        };
        decoded_constant(bits)
    }

    /// a - b, without any wrap.
    fn difference_of(&self, a: &LaneWord, b: &LaneWord) -> Done<LaneWord> {
        let ((a_low, a_high), (b_low, b_high)) = (a.ends(), b.ends());
        self.word(a.value.plus(&b.value, -1), a_low - b_high, a_high - b_low)
    }

    /// The double of a word without a sign.
    pub(crate) fn double_of(&self, word: &LaneWord) -> Done<Double> {
        if !self.fits(word, 64) {
            return stop("a word as a double that may be negative");
        }
        exact(word.clone(), 0)
    }

    /// a - b, which must be exact.
    pub(crate) fn difference(&self, a: &Double, b: &Double) -> Done<Double> {
        exact(self.difference_of(&a.number, &b.number)?, a.scale.min(b.scale))
    }

    /// a*b + c of digits a and b: exact, or rounded to zero where c is 2^104.
    pub(crate) fn fused(&self, a: &Double, b: &Double, c: &Double, to_zero: bool) -> Done<Double> {
        for factor in [a, b] {
            if !self.fits(&factor.number, DIGIT) || factor.scale > 0 {
                return stop("multiplies doubles that are no digits");
            }
        }
        let (a_high, b_high) = (a.number.ends().1, b.number.ends().1);
        let product = a.number.value.times(&b.number.value);
        let product = self.word(product, BigInt::ZERO, a_high * b_high)?;
        let (c_low, c_high) = c.number.ends();
        let top = power(2 * FRACTION);
        if to_zero && c.number.value.number() == Some(top.clone()) {
            let low = self.low_bits(&product, FRACTION)?;
            let value = product.value.plus(&low.value, -1).plus(&c.number.value, 1);
            let high = ((product.ends().1 >> FRACTION) << FRACTION) + &top;
            return Ok(Double { number: self.word(value, top, high)?, scale: FRACTION });
        }
        let value = product.value.plus(&c.number.value, 1);
        exact(self.word(value, c_low.clone(), product.ends().1 + c_high)?, 0)
    }

    /// The word of a double's bits.
    pub(crate) fn bits_of(&self, double: &Double) -> Done<LaneWord> {
        let Double { number, scale } = double;
        let least = power(FRACTION + scale);
        if !number.is_within(&least, &(&least * 2)) {
            return stop("the bits of a double whose exponent is not known");
        }
        let exponent: BigInt = BigInt::from(BIAS + scale) << FRACTION;
        let (low, high) = number.ends();
        let of = |end: &BigInt| ((end - &least) >> *scale) + &exponent;
        let above = number.value.plus(&Value::constant(least.clone()), -1);
        let value = above.lowered(u64::from(*scale)).plus(&Value::constant(exponent.clone()), 1);
        self.word(value, of(low), of(high))
    }
}

/// A double by its bits, if it is 0 or an integer that is not too large.
fn decoded_constant(bits: u64) -> Done<Double> {
    if bits == 0 {
        return Ok(Double { number: LaneWord::constant(0), scale: 0 });
    }
    let exponent = (bits >> FRACTION & 0x7ff) as i64 - i64::from(BIAS);
    let number = BigInt::from(bits & ((1 << FRACTION) - 1) | 1 << FRACTION);
    if !(-i64::from(FRACTION)..=2 * i64::from(FRACTION)).contains(&exponent) {
        return stop("a double that is no integer, or a large one");
    }
    let (up, down) = (exponent.max(0) as u32, (-exponent).max(0) as u32);
    if &number % power(down) != BigInt::ZERO {
        return stop("a double that is no integer");
    }
    let number = (number >> down) << up;
    let signed = if bits >> 63 == 1 { -number } else { number };
    Ok(Double { number: LaneWord::constant(signed), scale: up })
}

/// An integer as a double, if it surely has no more than 53 bits.
fn exact(number: LaneWord, scale: u32) -> Done<Double> {
    let most = power(FRACTION + 1 + scale);
    if !number.is_within(&-&most, &(most + 1)) {
        return stop("a double that may be rounded");
    }
    Ok(Double { number, scale })
}
