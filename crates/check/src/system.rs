//! Words, and what is known of them.

use crate::polynomial::Polynomial;
use crate::{Outcome, fail};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

/// A number below 2^64, a constant or one variable. A flag is a word that is 0 or 1.
pub(crate) type Word = Polynomial;

/// Variables and rows, in the order in which the code makes them.
#[derive(Debug, Default)]
pub(crate) struct System {
    /// Of each variable the largest value.
    pub(crate) highs: Vec<u64>,
    /// Polynomials that are 0 for all inputs.
    pub(crate) rows: Vec<Polynomial>,
    /// Variables that choices depend on; each is 0 or 1.
    pub(crate) flags: BTreeSet<usize>,
    /// Words less their low bits, by the word and how many bits are left.
    tops: BTreeMap<(usize, u64), Word>,
    /// Words that are all ones where a flag is set and else 0, with the flag.
    masks: BTreeMap<Word, Word>,
}

impl System {
    pub(crate) fn variable(&mut self, high: &BigInt) -> Word {
        self.highs.push(u64::try_from(high).unwrap_or(u64::MAX));
        Polynomial::variable(self.highs.len() - 1)
    }

    /// The variables of these numbers, as words.
    pub(crate) fn words(&self, numbers: &[usize]) -> Outcome<Vec<Word>> {
        match numbers.iter().find(|number| **number >= self.highs.len()) {
            Some(number) => fail(format!("there is no variable {number}")),
            None => Ok(numbers.iter().copied().map(Polynomial::variable).collect()),
        }
    }

    /// What a number that is at most `high` says of its limbs, of their top bits, and of what rows
    /// make of these.
    pub(crate) fn limit(&mut self, limbs: &[usize], high: &BigInt) {
        for (index, number) in limbs.iter().enumerate() {
            self.narrow(*number, &(high >> (64 * index)));
        }
        let mut narrowed: BTreeSet<_> = limbs.iter().copied().collect();
        let tops: Vec<_> =
            self.tops.iter().map(|(of, top)| (*of, top.variables().next())).collect();
        for ((word, k), top) in tops {
            let most = BigInt::from(self.highs[word]) >> (64 - k);
            top.into_iter().for_each(|number| self.narrow(number, &most));
            narrowed.extend(top.filter(|_| limbs.contains(&word)));
        }
        for number in 0..self.rows.len() {
            self.narrow_by_row(number, &mut narrowed);
        }
    }

    /// Narrows the variables of a row that speaks of narrowed ones.
    ///
    /// The row is 0, so |c|*x is at most the largest value of its other terms.
    fn narrow_by_row(&mut self, number: usize, narrowed: &mut BTreeSet<usize>) {
        let row = &self.rows[number];
        if !row.variables().any(|v| narrowed.contains(&v)) {
            return;
        }
        let linear = row.each().filter_map(|(m, c)| match m {
            [v] if !narrowed.contains(v) => Some((*v, c.clone())),
            _ => None,
        });
        let linear: Vec<_> = linear.collect();
        for (v, c) in linear {
            let sign = if c > BigInt::ZERO { 1 } else { -1 };
            let size: BigInt = c * sign;
            let others = Polynomial::default().plus(&self.rows[number], -sign);
            let most =
                others.plus(&Polynomial::variable(v), size.clone()).upper(&self.highs) / size;
            if most < BigInt::from(self.highs[v]) {
                self.narrow(v, &most);
                narrowed.insert(v);
            }
        }
    }

    fn narrow(&mut self, number: usize, high: &BigInt) {
        let high = u64::try_from(high).unwrap_or(u64::MAX);
        self.highs[number] = self.highs[number].min(high);
    }

    /// The largest value that the ranges of its variables leave a word.
    pub(crate) fn most(&self, word: &Word) -> BigInt {
        word.upper(&self.highs)
    }

    /// word + sign * 2^64 * carry = right.
    pub(crate) fn define(&mut self, right: &Polynomial, sign: i64) -> (Word, Word) {
        let size = BigInt::from(1) << 64;
        let most = Polynomial::default().plus(right, sign).upper(&self.highs);
        let (high, rounded) =
            if sign > 0 { (most.clone(), most) } else { (&size - 1, most + &size - 1) };
        let (word, carry) = (self.variable(&high), self.variable(&(rounded / &size)));
        self.rows.push(word.clone().plus(&carry, size * sign).plus(right, -1));
        (word, carry)
    }

    /// a + sign * (b + carry) as word + sign * 2^64 * carry.
    pub(crate) fn sum(&mut self, a: &Word, b: &Word, carry: &Word, sign: i64) -> (Word, Word) {
        self.define(&a.clone().plus(b, sign).plus(carry, sign), sign)
    }

    /// a + a of one register: its carry is its top bit.
    pub(crate) fn doubled(&mut self, a: &Word) -> (Word, Word) {
        (self.shifted(a, &Word::default(), 1), self.top(a, 1))
    }

    /// word = right, which is known to be a word.
    pub(crate) fn define_word(&mut self, right: &Polynomial) -> Word {
        let word = self.variable(&right.upper(&self.highs));
        self.rows.push(word.clone().plus(right, -1));
        word
    }

    /// word = right, which is known to be a word, of at most `high`.
    pub(crate) fn define_low(&mut self, right: &Polynomial, high: &BigInt) -> Word {
        let word = self.variable(high);
        self.rows.push(word.clone().plus(right, -1));
        word
    }

    /// word = flag * when_set + (1 - flag) * otherwise.
    pub(crate) fn choose(&mut self, flag: &Word, when_set: Word, otherwise: Word) -> Word {
        let Some(number) = flag.variables().next() else {
            return if *flag == Word::default() { otherwise } else { when_set };
        };
        let word = self.variable(&when_set.upper(&self.highs).max(otherwise.upper(&self.highs)));
        let difference = when_set.plus(&otherwise, -1);
        self.rows.push(word.clone().plus(&otherwise, -1).plus(&flag.times(&difference), -1));
        self.flags.insert(number);
        word
    }

    /// All ones where the flag is set, else 0.
    pub(crate) fn mask(&mut self, flag: Word) -> Word {
        let mask = self.choose(&flag, Word::constant(u64::MAX), Word::default());
        if flag.as_constant().is_none() {
            self.masks.insert(mask.clone(), flag);
        }
        mask
    }

    /// -a and the borrow; of a mask its flag, as a word and as the borrow.
    pub(crate) fn negated(&mut self, a: &Word) -> (Word, Word) {
        match self.masks.get(a).cloned() {
            Some(flag) => (self.choose(&flag, Word::constant(1), Word::default()), flag),
            None => self.sum(&Word::default(), a, &Word::default(), -1),
        }
    }

    /// The other word where one is a mask whose flag is set, else 0; or the low bits of a word.
    pub(crate) fn and(&mut self, a: Word, b: Word) -> Outcome<Word> {
        for (mask, word) in [(&a, &b), (&b, &a)] {
            if let Some(flag) = self.masks.get(mask) {
                return Ok(self.choose(&flag.clone(), word.clone(), Word::default()));
            }
        }
        for (ones, word) in [(&a, &b), (&b, &a)] {
            let k = ones.upper(&self.highs).bits();
            if (1..64).contains(&k) && *ones == Word::constant((BigInt::from(1) << k) - 1) {
                return Ok(self.low_bits(word, k));
            }
        }
        fail("`and` of two words of which none is a mask")
    }

    /// word mod 2^k, for 0 < k < 64; of a mask, a choice by its flag.
    pub(crate) fn low_bits(&mut self, word: &Word, k: u64) -> Word {
        if let Some(flag) = self.masks.get(word).cloned() {
            let ones = Word::constant((BigInt::from(1) << k) - 1);
            return self.choose(&flag, ones, Word::default());
        }
        let top = self.top(word, 64 - k);
        let low = self.variable(&((BigInt::from(1) << k) - 1));
        self.rows.push(low.clone().plus(word, -1).plus(&top, BigInt::from(1) << k));
        low
    }

    /// Low and high half of a product; no high half where the factors are small.
    pub(crate) fn multiply(&mut self, a: &Word, b: &Word) -> (Word, Word) {
        let right = a.times(b);
        if right.upper(&self.highs).bits() <= 64 {
            return (self.define_word(&right), Word::default());
        }
        let low = self.highs.len();
        let halves = self.define(&right, 1);
        if a == b {
            self.highs[low] = self.highs[low].min(u64::MAX - 2); // a square is 0 or 1 modulo 4
        }
        halves
    }

    /// word >> (64 - k), for 0 < k < 64: one variable for each word and k.
    pub(crate) fn top(&mut self, word: &Word, k: u64) -> Word {
        let high = word.upper(&self.highs) >> (64 - k);
        match word.variables().next() {
            Some(number) if high > BigInt::ZERO => {
                if let Some(made) = self.tops.get(&(number, k)) {
                    return made.clone();
                }
                let made = self.variable(&high);
                self.tops.insert((number, k), made.clone());
                made
            }
            _ => Word::constant(high),
        }
    }

    /// Whether a variable is a word's bits from one on.
    pub(crate) fn is_top(&self, word: usize, bit: u64, variable: usize) -> bool {
        let made = (1..64).contains(&bit).then(|| self.tops.get(&(word, 64 - bit))).flatten();
        made == Some(&Polynomial::variable(variable))
    }

    /// (high << k | low >> (64 - k)) mod 2^64, for 0 < k < 64.
    pub(crate) fn shifted(&mut self, high: &Word, low: &Word, k: u64) -> Word {
        let (out, into) = (self.top(high, k), self.top(low, k));
        let left = Polynomial::default().plus(high, BigInt::from(1) << k);
        self.define_word(&left.plus(&out, BigInt::from(-1) << 64).plus(&into, 1))
    }
}

#[cfg(test)]
mod tests {
    use super::System;
    use crate::polynomial::Polynomial;

    #[test]
    fn a_number_narrows_what_rows_make_of_its_limbs() {
        let mut system = System::default();
        let most = u64::MAX.into();
        let (low, high) = (system.variable(&most), system.variable(&most));
        let other = system.variable(&most);
        let (sum, carry) = system.define(&low.clone().plus(&high, 1), 1);
        system.define(&low.times(&high), 1);
        let none = Polynomial::default();
        system.sum(&high, &none, &carry, -1);
        system.define(&sum.clone().plus(&carry, 1), 1);
        system.sum(&other, &other, &none, 1);
        system.limit(&[0, 1], &127.into());
        assert_eq!(system.highs[..3], [127, 0, u64::MAX]);
        assert_eq!(system.highs[3..], [127, 0, 0, 0, u64::MAX, 0, 127, 0, u64::MAX, 1]);
    }
}
