//! A lane's words: integers with bounds, each of which is a machine word modulo 2^64.

use crate::arrays::lane::{Lane, power};
use crate::arrays::layout::{DIGIT, HALF, WORD};
use crate::arrays::value::Value;
use num_bigint::BigInt;

/// Why the code of a block is not followed to its end.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// No operands have these signs: there is nothing to show.
    Impossible,
    Wrong(String),
}

impl From<String> for Stop {
    fn from(why: String) -> Self {
        Self::Wrong(why)
    }
}

impl From<&str> for Stop {
    fn from(why: &str) -> Self {
        Self::Wrong(why.to_string())
    }
}

pub(crate) type Done<T> = Result<T, Stop>;

/// Refuses the code.
pub(crate) fn stop<T>(why: impl Into<String>) -> Done<T> {
    Err(Stop::Wrong(why.into()))
}

/// An integer from `low` to `high`. The machine's word is the same modulo 2^64.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LaneWord {
    pub(crate) value: Value,
    low: BigInt,
    high: BigInt,
}

impl LaneWord {
    pub(crate) fn constant(value: impl Into<BigInt>) -> Self {
        let value = value.into();
        Self { low: value.clone(), high: value.clone(), value: Value::constant(value) }
    }

    pub(crate) fn ends(&self) -> (&BigInt, &BigInt) {
        (&self.low, &self.high)
    }

    pub(crate) fn is_within(&self, low: &BigInt, high: &BigInt) -> bool {
        *low <= self.low && self.high < *high
    }
}

impl Lane {
    /// An integer whose bounds are known, with what else is known of them.
    pub(crate) fn word(&self, value: Value, low: BigInt, high: BigInt) -> Done<LaneWord> {
        let (least, most) = self.known_ends(&value);
        let low = least.map_or(low.clone(), |least| least.max(low));
        let high = most.map_or(high.clone(), |most| most.min(high));
        if low > high { Err(Stop::Impossible) } else { Ok(LaneWord { value, low, high }) }
    }

    /// An integer with the bounds that its atoms give.
    pub(crate) fn whole(&self, value: &Value) -> Done<LaneWord> {
        let (low, high) = self.ends(value);
        self.word(value.clone(), low, high)
    }

    /// a + b or a - b.
    pub(crate) fn sum(&self, a: &LaneWord, b: &LaneWord, sign: i32) -> Done<LaneWord> {
        let value = a.value.plus(&b.value, sign);
        let (low, high) = if sign > 0 {
            (&a.low + &b.low, &a.high + &b.high)
        } else {
            (&a.low - &b.high, &a.high - &b.low)
        };
        let Some(turns) = self.turns(&value) else { return self.word(value, low, high) };
        let sum = self.word(value, low, high)?;
        let less: BigInt = turns << 64;
        let value = sum.value.plus(&Value::constant(less.clone()), -1);
        self.word(value, sum.low - &less, sum.high - less)
    }

    /// The word modulo 2^bits.
    pub(crate) fn low_bits(&self, word: &LaneWord, bits: u32) -> Done<LaneWord> {
        let top = power(bits);
        if let Some(low) = self.low(&word.value, bits) {
            let (_, high) = self.ends(low);
            return self.word(low.clone(), BigInt::ZERO, high.min(top - 1));
        }
        if word.is_within(&BigInt::ZERO, &top) {
            return Ok(word.clone());
        }
        if let Some(number) = word.value.number() {
            return Ok(LaneWord::constant(((number % &top) + &top) % &top));
        }
        stop(format!("the certificate does not say what its low {bits} bits are"))
    }

    /// word >> bits without sign.
    pub(crate) fn shift_right(&self, word: &LaneWord, bits: u32) -> Done<LaneWord> {
        if !word.is_within(&BigInt::ZERO, &power(64)) {
            return stop("a word is shifted that may be negative or longer");
        }
        self.shifted(word, bits)
    }

    /// word >> bits of a word in two's complement.
    pub(crate) fn shift_right_signed(&self, word: &LaneWord, bits: u32) -> Done<LaneWord> {
        self.shifted(&self.signed(word)?, bits)
    }

    /// The integer that a word is in two's complement.
    pub(crate) fn signed(&self, word: &LaneWord) -> Done<LaneWord> {
        if word.is_within(&-power(63), &power(63)) {
            return Ok(word.clone());
        }
        if word.is_within(&power(63), &power(64)) {
            let value = word.value.plus(&Value::constant(power(64)), -1);
            return self.word(value, &word.low - power(64), &word.high - power(64));
        }
        stop("a word is shifted whose sign is not known")
    }

    fn shifted(&self, word: &LaneWord, bits: u32) -> Done<LaneWord> {
        let low = self.low_bits(word, bits)?;
        let value = word.value.plus(&low.value, -1).lowered(bits.into());
        self.word(value, &word.low >> bits, &word.high >> bits)
    }

    /// word * 2^bits.
    pub(crate) fn raised(&self, word: &LaneWord, bits: u32) -> Done<LaneWord> {
        self.word(word.value.raised(bits.into()), &word.low << bits, &word.high << bits)
    }

    /// word * 2^bits modulo 2^64.
    pub(crate) fn shift_left(&self, word: &LaneWord, bits: u32) -> Done<LaneWord> {
        let kept = self.low_bits(word, 64 - bits)?;
        self.raised(&kept, bits)
    }

    /// (high*2^64 + low) >> bits modulo 2^64.
    pub(crate) fn funnel(&self, low: &LaneWord, high: &LaneWord, bits: u32) -> Done<LaneWord> {
        let (below, above) = (self.shift_right(low, bits)?, self.shift_left(high, 64 - bits)?);
        self.sum(&below, &above, 1)
    }

    /// total + the low or the high half of the product of two digits.
    pub(crate) fn half(
        &self,
        is_high: bool,
        total: &LaneWord,
        [a, b]: [&LaneWord; 2],
    ) -> Done<LaneWord> {
        let (a, b) = (self.low_bits(a, DIGIT)?, self.low_bits(b, DIGIT)?);
        let product = self.word(a.value.times(&b.value), BigInt::ZERO, a.high * b.high)?;
        let half = match is_high {
            false => self.low_bits(&product, DIGIT)?,
            true => self.shifted(&product, DIGIT)?,
        };
        self.sum(total, &half, 1)
    }

    /// The product of the low halves of two words.
    pub(crate) fn half_product(&self, a: &LaneWord, b: &LaneWord) -> Done<LaneWord> {
        let (a, b) = (self.low_bits(a, HALF)?, self.low_bits(b, HALF)?);
        self.word(a.value.times(&b.value), BigInt::ZERO, a.high * b.high)
    }

    /// The integer from 0 to 2^bits - 1 that is the same modulo 2^bits: by signs, where it is less
    /// than 2^bits away.
    pub(crate) fn unsigned(&self, word: &LaneWord, bits: u32) -> Done<LaneWord> {
        let word = self.without_sign(word, bits)?;
        if self.fits(&word, bits) {
            return Ok(word);
        }
        let (top, value) = (power(bits), word.value.clone());
        if !word.is_within(&BigInt::ZERO, &(&top * 2)) {
            return stop("a word that may be longer");
        }
        let less = value.plus(&Value::constant(top.clone()), -1);
        let less = self.word(less, &word.low - &top, &word.high - &top)?;
        if self.is_negative(&less)? {
            return self.word(value, word.low, word.high.min(top - 1));
        }
        self.word(less.value, less.low.max(BigInt::ZERO), less.high)
    }

    /// The smaller one of two words without signs.
    pub(crate) fn smaller(&self, a: &LaneWord, b: &LaneWord) -> Done<LaneWord> {
        self.without_sign(if self.is_less(a, b)? { a } else { b }, WORD)
    }

    /// Whether an integer is negative, by what was decided or by its bounds.
    pub(crate) fn is_negative(&self, word: &LaneWord) -> Done<bool> {
        match self.sign(&word.value) {
            Some(sign) => Ok(sign),
            None if word.high < BigInt::ZERO => Ok(true),
            None if word.low >= BigInt::ZERO => Ok(false),
            None => stop("the certificate does not decide a sign"),
        }
    }

    /// Whether a is below b, as words without signs.
    pub(crate) fn is_less(&self, a: &LaneWord, b: &LaneWord) -> Done<bool> {
        let (a, b) = (self.without_sign(a, WORD)?, self.without_sign(b, WORD)?);
        if !self.fits(&a, WORD) || !self.fits(&b, WORD) {
            return stop("compares a word that may be longer");
        }
        let value = a.value.plus(&b.value, -1);
        self.is_negative(&self.word(value, &a.low - &b.high, &a.high - &b.low)?)
    }

    /// Whether a is below b, as words in two's complement.
    pub(crate) fn is_less_signed(&self, a: &LaneWord, b: &LaneWord) -> Done<bool> {
        let (least, top) = (-power(WORD - 1), power(WORD - 1));
        if !a.is_within(&least, &top) || !b.is_within(&least, &top) {
            return stop("compares words whose signs are not known");
        }
        let value = a.value.plus(&b.value, -1);
        self.is_negative(&self.word(value, &a.low - &b.high, &a.high - &b.low)?)
    }

    /// A word, or 2^bits more where it is negative.
    fn without_sign(&self, word: &LaneWord, bits: u32) -> Done<LaneWord> {
        if word.low >= BigInt::ZERO {
            return Ok(word.clone());
        }
        let top = power(bits);
        if word.low < -&top {
            return stop("a word that may be less than is known of words");
        }
        if !self.is_negative(word)? {
            return self.word(word.value.clone(), BigInt::ZERO, word.high.clone());
        }
        let value = word.value.plus(&Value::constant(top.clone()), 1);
        let high = word.high.clone().min((-1).into()) + &top;
        self.word(value, &word.low + top, high)
    }

    /// Whether a word is one of so many bits, from 0 on.
    pub(crate) fn fits(&self, word: &LaneWord, bits: u32) -> bool {
        word.is_within(&BigInt::ZERO, &power(bits))
    }
}
