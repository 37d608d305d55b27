//! What words stand for: polynomials in integers whose ranges are known.
//!
//! A word is said to be a polynomial P: it is P modulo 2^64. Where P is at least -2^63 and below 2^63
//! for all numbers in their ranges, the word with its sign is P itself.

use crate::divsteps::numbers::{Extent, Numbers};
use crate::divsteps::words::{Made, Place, Words};
use crate::polynomial::Polynomial;
use crate::{Outcome, fail};
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// Words in a row between one that is known and one that is asked for.
const FAR: usize = 100;

/// What the words of code stand for, from some that are known on.
pub(crate) struct Reading<'a> {
    words: &'a Words,
    pub(crate) numbers: Numbers,
    pub(crate) known: BTreeMap<Place, Polynomial>,
}

impl<'a> Reading<'a> {
    pub(crate) fn new(words: &'a Words) -> Self {
        Self { words, numbers: Numbers::default(), known: BTreeMap::new() }
    }

    /// What a word stands for.
    pub(crate) fn number(&mut self, place: Place) -> Outcome<Polynomial> {
        self.within(place, FAR)
    }

    fn within(&mut self, place: Place, far: usize) -> Outcome<Polynomial> {
        if let Some(known) = self.known.get(&place) {
            return Ok(known.clone());
        }
        let far = far.checked_sub(1).ok_or("a word is made too far from what is known")?;
        let made = centred(&self.made(place, far)?);
        self.known.insert(place, made.clone());
        Ok(made)
    }

    fn made(&mut self, place: Place, far: usize) -> Outcome<Polynomial> {
        let words = self.words;
        let mut of = |place| self.within(place, far);
        Ok(match *words.made(place) {
            Made::Operand(_) => return fail("what is no part of the state is read"),
            Made::Constant(number) => Polynomial::constant(number),
            Made::Add(a, b) => of(a)?.plus(&of(b)?, 1),
            Made::Sub(a, b) => of(a)?.plus(&of(b)?, -1),
            Made::Mul(a, b) => of(a)?.times(&of(b)?),
            Made::And(a, b) => lowest_bit(&of(a)?, &of(b)?)?,
            Made::Shl(a, count) => Polynomial::default().plus(&of(a)?, BigInt::from(1) << count),
            Made::Shr(a, count) => {
                let word = of(a)?;
                self.shr(&word, count)?
            }
            Made::Sar(a, count) => {
                let word = of(a)?;
                self.sar(&word, count)?
            }
            Made::IsZero(a) => {
                let word = of(a)?;
                self.is_zero(&word)?
            }
            Made::IsNegative(a) => {
                let word = of(a)?;
                self.is_negative(&word)?
            }
            Made::Choose(flag, a, b) => {
                let flag = of(flag)?.as_constant().ok_or("a choice by what is not decided")?;
                of(if flag == 1 { a } else { b })?
            }
        })
    }

    /// A word's upper bits, with its sign.
    fn sar(&mut self, a: &Polynomial, count: u64) -> Outcome<Polynomial> {
        if self.numbers.is_signed_word(a) {
            return self.quotient(a, count);
        }
        let half = BigInt::from(1) << (63 - count);
        Ok(self.cut(a, count, (-&half, half - 1)))
    }

    /// A word's upper bits, without a sign.
    fn shr(&mut self, a: &Polynomial, count: u64) -> Outcome<Polynomial> {
        let radix = BigInt::from(1) << 64;
        let (low, high) = self.numbers.extent(a);
        if low >= BigInt::ZERO && high < radix {
            return self.quotient(a, count);
        }
        if low >= -&radix && high < BigInt::ZERO {
            return self.quotient(&a.clone().plus(&Polynomial::constant(radix), 1), count);
        }
        Ok(self.cut(a, count, (BigInt::ZERO, (radix >> count) - 1)))
    }

    /// a/2^count, rounded down: some terms are divisible, and bounds say what the others are.
    fn quotient(&self, a: &Polynomial, count: u64) -> Outcome<Polynomial> {
        let divisor = BigInt::from(1) << count;
        let mut whole = Vec::new();
        let mut rest = Polynomial::default();
        for (monomial, coefficient) in a.each() {
            if !monomial.is_empty() && coefficient % &divisor == BigInt::ZERO {
                whole.push((coefficient / &divisor, monomial.to_vec()));
            } else {
                let term = (coefficient.clone(), monomial.to_vec());
                rest = rest.plus(&Polynomial::sum([term]), 1);
            }
        }
        let (low, high) = self.numbers.extent(&rest);
        let rounded = low >> count; // down, also below 0
        if rounded != high >> count {
            return fail("a shift drops bits of which not enough is known");
        }
        Ok(Polynomial::sum(whole).plus(&Polynomial::constant(rounded), 1))
    }

    /// What a shift leaves of a word that may be more than one: a new number. Of 2^count*n it is n
    /// modulo what is left of 2^64.
    fn cut(&mut self, a: &Polynomial, count: u64, range: Extent) -> Polynomial {
        let of = a.as_multiple().filter(|(factor, _)| *factor == BigInt::from(1) << count);
        Polynomial::variable(match of {
            Some((_, number)) => self.numbers.add_same(range, number, 64 - count),
            None => self.numbers.add(range),
        })
    }

    fn is_zero(&self, a: &Polynomial) -> Outcome<Polynomial> {
        let (low, high) = self.numbers.extent(a);
        let is_zero = low == BigInt::ZERO && high == BigInt::ZERO;
        if self.numbers.is_signed_word(a) && (is_zero || low > BigInt::ZERO || high < BigInt::ZERO)
        {
            return Ok(Polynomial::constant(u8::from(is_zero)));
        }
        fail("whether a word is 0 is not decided")
    }

    fn is_negative(&self, a: &Polynomial) -> Outcome<Polynomial> {
        let (low, high) = self.numbers.extent(a);
        if self.numbers.is_signed_word(a) && (low >= BigInt::ZERO || high < BigInt::ZERO) {
            return Ok(Polynomial::constant(u8::from(high < BigInt::ZERO)));
        }
        fail("the sign of a word is not decided")
    }
}

/// The bits of 0 and a word, or the lowest bit of a word all of whose other terms are even.
fn lowest_bit(a: &Polynomial, b: &Polynomial) -> Outcome<Polynomial> {
    let (zero, one) = (Polynomial::default(), Polynomial::constant(1));
    for (mask, word) in [(a, b), (b, a)] {
        let is_odd = word.constant_term().bit(0);
        let even = word.clone().plus(&Polynomial::constant(u8::from(is_odd)), -1);
        if *mask == zero {
            return Ok(zero);
        }
        if *mask == one && even.vanishes(&2.into()) {
            return Ok(Polynomial::constant(u8::from(is_odd)));
        }
    }
    fail("bits of two words, or a lowest bit, that is not known")
}

/// The same modulo 2^64, with coefficients from -2^63 to 2^63 - 1.
fn centred(of: &Polynomial) -> Polynomial {
    let (radix, half) = (BigInt::from(1) << 64, BigInt::from(1) << 63);
    let least = |c: &BigInt| ((c + &half) % &radix + &radix) % &radix - &half;
    Polynomial::sum(of.each().map(|(monomial, c)| (least(c), monomial.to_vec())))
}
