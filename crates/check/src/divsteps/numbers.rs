//! Integers with signs, by number: their ranges, and what some are modulo a power of 2.

use crate::polynomial::Polynomial;
use num_bigint::BigInt;
use std::collections::BTreeMap;

/// The least and the largest value.
pub(crate) type Extent = (BigInt, BigInt);

#[derive(Default)]
pub(crate) struct Numbers {
    ranges: Vec<Extent>,
    /// Another number that one is modulo 2^bits, and the bits.
    same: BTreeMap<usize, (usize, u64)>,
}

impl Numbers {
    /// A new number in a range.
    pub(crate) fn add(&mut self, (low, high): Extent) -> usize {
        self.ranges.push((low, high));
        self.ranges.len() - 1
    }

    /// A new number in a range, which is another one modulo 2^bits.
    pub(crate) fn add_same(&mut self, range: Extent, other: usize, bits: u64) -> usize {
        let number = self.add(range);
        self.same.insert(number, (other, bits));
        number
    }

    pub(crate) fn range(&self, number: usize) -> Extent {
        self.ranges[number].clone()
    }

    /// The least and the largest value, each monomial by itself.
    pub(crate) fn extent(&self, of: &Polynomial) -> Extent {
        let (mut least, mut most) = Extent::default();
        for (monomial, coefficient) in of.each() {
            let (mut low, mut high) = (coefficient.clone(), coefficient.clone());
            for number in monomial {
                let (a, b) = &self.ranges[*number];
                let ends = [&low * a, &low * b, &high * a, &high * b];
                low = ends.iter().min().cloned().unwrap_or_default();
                high = ends.into_iter().max().unwrap_or_default();
            }
            (least, most) = (least + low, most + high);
        }
        (least, most)
    }

    /// Whether a word that is this modulo 2^64 is it with its sign.
    pub(crate) fn is_signed_word(&self, of: &Polynomial) -> bool {
        let (low, high) = self.extent(of);
        let half = BigInt::from(1_u64 << 63);
        high < half && low >= -half
    }

    /// A number of low bits in which two numbers agree; 0 where nothing is known.
    pub(crate) fn bits_shared(&self, number: usize, other: usize) -> u64 {
        let (mut number, mut bits) = (number, 64);
        while number != other {
            let Some((next, known)) = self.same.get(&number) else { return 0 };
            (number, bits) = (*next, bits.min(*known));
        }
        bits
    }
}
