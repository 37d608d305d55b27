//! Words of an AArch64 kernel: constants, variables, and polynomials in a few bits.
//!
//! Carries and borrows are bits. What compilers compute of them stays a polynomial in them until it is
//! added to a word. Two words that are congruent modulo 2^64 are equal: of a word that a constant
//! multiplies the residue is known, so what the code computes in two ways is one variable.

use crate::certificate::Product;
use crate::polynomial::Polynomial;
use crate::system::{System, Word};
use num_bigint::BigInt;
use std::collections::{BTreeMap, BTreeSet};

const MOST_BITS: usize = 6;

/// A variable and a factor: what is congruent to factor * variable modulo 2^64.
type Residue = (usize, u64);

/// The words that a kernel computes, and the system's rows for them.
pub(crate) struct Words<'a> {
    pub(crate) system: System,
    /// Products that the code takes the high half of; they only choose between rows.
    products: &'a [Product],
    /// Low and high half, by the product.
    halves: BTreeMap<Polynomial, (Word, Word)>,
    /// The product and the high half, by the variable that is its low half.
    lows: BTreeMap<usize, (Polynomial, Word)>,
    residues: BTreeMap<usize, Residue>,
    congruent: BTreeMap<Residue, usize>,
    /// Variables that are equal to polynomials in bits.
    named: BTreeMap<Word, Word>,
    /// Words, by the flag that says that they are 0.
    zeros: BTreeMap<Word, Word>,
    /// Word and carry, by the sign and the right side.
    rows: BTreeMap<(i64, Polynomial), (Word, Word)>,
    /// The signs of the rows whose carries variables are.
    carries: BTreeMap<usize, i64>,
}

fn atoms(values: &[&Word]) -> BTreeSet<usize> {
    values.iter().flat_map(|value| value.variables()).collect()
}

/// Every assignment of bits to variables, subsets of ones first.
fn table(variables: &BTreeSet<usize>) -> impl Iterator<Item = BTreeMap<usize, u64>> {
    (0..1_u64 << variables.len()).map(|chosen| {
        let bits = variables.iter().enumerate();
        bits.map(|(i, variable)| (*variable, chosen >> i & 1)).collect()
    })
}

/// A word's value, which is below 2^64.
fn value_at(value: &Word, bits: &BTreeMap<usize, u64>) -> u64 {
    u64::try_from(value.with(bits).constant_term()).expect("a word of bits is below 2^64")
}

/// The polynomial in bits that has a function's values.
pub(crate) fn tabulate<const N: usize>(
    values: [&Word; N],
    function: impl Fn([u64; N]) -> u64,
) -> Word {
    let mut found = Polynomial::default();
    for bits in table(&atoms(&values)) {
        let wanted = BigInt::from(function(values.map(|value| value_at(value, &bits))));
        let ones = bits.iter().filter(|(_, bit)| **bit == 1).map(|(variable, _)| *variable);
        let missing = wanted - found.with(&bits).constant_term();
        found = found.plus(&Polynomial::sum([(1.into(), ones.collect())]), missing);
    }
    found
}

impl<'a> Words<'a> {
    pub(crate) fn new(system: System, products: &'a [Product]) -> Self {
        let (halves, lows, residues) = Default::default();
        let (congruent, named, zeros) = Default::default();
        let (rows, carries) = Default::default();
        Self { system, products, halves, lows, residues, congruent, named, zeros, rows, carries }
    }

    /// Whether values are polynomials in a few variables that are 0 or 1.
    pub(crate) fn are_bits(&self, values: &[&Word]) -> bool {
        let variables = atoms(values);
        variables.len() <= MOST_BITS && variables.iter().all(|v| self.system.highs[*v] <= 1)
    }

    /// Every value of a polynomial in bits.
    pub(crate) fn values(&self, value: &Word) -> BTreeSet<u64> {
        table(&atoms(&[value])).map(|bits| value_at(value, &bits)).collect()
    }

    /// The largest value of a word.
    pub(crate) fn largest(&self, value: &Word) -> BigInt {
        if self.are_bits(&[value]) {
            return self.values(value).last().copied().unwrap_or_default().into();
        }
        self.system.most(value)
    }

    /// A constant or one variable that is equal to a word.
    pub(crate) fn word(&mut self, value: &Word) -> Word {
        if value.is_constant() || !self.are_bits(&[value]) {
            return value.clone();
        }
        if let Some(made) = self.named.get(value) {
            return made.clone();
        }
        let values = self.values(value);
        let size = values.last().copied().unwrap_or_default();
        let made = if size > 1 && values.iter().all(|v| [0, size].contains(v)) {
            let flag = tabulate([value], |[v]| u64::from(v == size));
            self.pick(&flag, &Word::constant(size), &Word::default())
        } else {
            self.system.define_word(value)
        };
        self.named.insert(value.clone(), made.clone());
        self.named.insert(made.clone(), made.clone()); // it is a word already
        made
    }

    /// yes where the flag is set, else no; one choice for each bit of the flag.
    fn pick(&mut self, flag: &Word, yes: &Word, no: &Word) -> Word {
        let Some(last) = flag.variables().max() else {
            return if *flag == Word::default() { no.clone() } else { yes.clone() };
        };
        if yes == no {
            return yes.clone();
        }
        let [set, clear] = [1, 0].map(|bit| {
            let side = flag.with(&BTreeMap::from([(last, bit)]));
            self.pick(&side, yes, no)
        });
        if set == clear {
            return set;
        }
        self.system.choose(&Polynomial::variable(last), set, clear)
    }

    /// yes where the flag is set, else no.
    pub(crate) fn select(&mut self, flag: &Word, yes: &Word, no: &Word) -> Word {
        if self.are_bits(&[flag, yes, no]) {
            return tabulate([flag, yes, no], |[flag, yes, no]| if flag == 1 { yes } else { no });
        }
        let (yes, no) = (self.word(yes), self.word(no));
        self.pick(flag, &yes, &no)
    }

    /// The low half of a product is a multiple of the power of two of a constant factor.
    fn narrow(&mut self, low: usize, factors: [&Word; 2]) {
        for factor in factors.into_iter().filter_map(Word::as_integer) {
            let unit = 1_u64 << factor.trailing_zeros().min(63);
            let high = &mut self.system.highs[low];
            *high = (*high).min(u64::MAX - (unit - 1));
        }
    }

    /// Low and high half of a product: one row for each pair of factors.
    fn product(&mut self, a: &Word, b: &Word) -> (Word, Word) {
        let (a, b) = (self.word(a), self.word(b));
        let right = a.times(&b);
        if let Some(number) = right.as_integer() {
            let low = number & u128::from(u64::MAX);
            return (Word::constant(low), Word::constant(number >> 64));
        }
        if let Some(made) = self.halves.get(&right) {
            return made.clone();
        }
        let residue = self.residue_of(&right);
        let halves = self.shifted(&right, residue).unwrap_or_else(|| {
            let (low, high) = self.system.multiply(&a, &b);
            if let Some(number) = low.variables().next().filter(|_| high != Word::default()) {
                self.narrow(number, [&a, &b]);
                self.lows.insert(number, (right.clone(), high.clone()));
            }
            (low, high)
        });
        self.halves.insert(right, halves.clone());
        if let (Some(residue), Some(low)) = (residue, halves.0.variables().next()) {
            self.remember(low, residue);
        }
        halves
    }

    /// The halves of a product whose low half is also that of another multiple of its factor.
    ///
    /// The difference of the two products is a multiple of 2^64; its high half is that of the highs.
    fn shifted(&mut self, right: &Polynomial, residue: Option<Residue>) -> Option<(Word, Word)> {
        let low = *self.congruent.get(&residue?)?;
        let (other, high) = self.lows.get(&low)?.clone();
        let (factor, variable) = right.as_multiple()?;
        let (before, same) = other.as_multiple()?;
        if variable != same {
            return None;
        }
        let difference = factor - before;
        let sign = if difference < BigInt::ZERO { -1 } else { 1 };
        let size = Word::constant(difference * sign);
        let (_, more) = self.product(&Polynomial::variable(variable), &size);
        let total = self.system.define_word(&high.plus(&more, sign));
        Some((Polynomial::variable(low), total))
    }

    /// a * b mod 2^64.
    pub(crate) fn low(&mut self, a: &Word, b: &Word) -> Word {
        let (a, b) = (self.word(a), self.word(b));
        if !self.is_expected(&a, &b)
            && let Some(found) = self.congruent(&a.times(&b))
        {
            return found;
        }
        self.product(&a, &b).0
    }

    /// a * b / 2^64, rounded down.
    pub(crate) fn high(&mut self, a: &Word, b: &Word) -> Word {
        self.product(a, b).1
    }

    /// Whether the certificate names the product of a word and a constant.
    fn is_expected(&self, a: &Word, b: &Word) -> bool {
        let known = [(a, b), (b, a)].into_iter().find_map(|(word, number)| {
            let number = number.as_integer().filter(|n| *n > 0)?;
            Some((self.residue_of(word)?, number))
        });
        known.is_some_and(|((base, factor), number)| {
            self.products.iter().any(|(variable, by, constant)| {
                *variable == base && by.0 == factor.into() && constant.0 == number.into()
            })
        })
    }

    /// A word known to be `right` mod 2^64, or half of a product that the code also needs.
    pub(crate) fn congruent(&mut self, right: &Polynomial) -> Option<Word> {
        let (base, wanted) = self.residue_of(right)?;
        if wanted == 1 {
            return Some(Polynomial::variable(base));
        }
        if !self.congruent.contains_key(&(base, wanted)) {
            self.expect(base, wanted);
        }
        self.congruent.get(&(base, wanted)).map(|number| Polynomial::variable(*number))
    }

    /// Makes the product whose low half is the residue, if the certificate names one.
    fn expect(&mut self, base: usize, wanted: u64) {
        let found = self.products.iter().find_map(|(variable, factor, number)| {
            let (factor, number) = (u64::try_from(&factor.0).ok()?, u64::try_from(&number.0).ok()?);
            let fits = *variable == base && factor.wrapping_mul(number) == wanted;
            fits.then_some((factor, number))
        });
        let Some((factor, number)) = found else { return };
        let known = self.congruent.get(&(base, factor)).copied();
        let mut middle = Polynomial::variable(known.unwrap_or(base));
        if factor > 1 && known.is_none() {
            middle = self.product(&middle, &Word::constant(factor)).0;
        }
        self.product(&middle, &Word::constant(number));
    }

    /// Whether sign * flag is a carry as the next limb of its chain takes it, and a constant.
    pub(crate) fn continues(&self, flag: &Word, sign: i64) -> bool {
        let names = atoms(&[flag]);
        let Some(number) = names.first().filter(|_| names.len() == 1) else { return false };
        let own = self.carries.get(number).copied().unwrap_or_default();
        own != 0 && BigInt::from(own * sign) == flag.coefficient(&[*number])
    }

    /// word + sign * 2^64 * carry = right: one row for each right side and sign.
    pub(crate) fn row(&mut self, right: &Polynomial, sign: i64) -> (Word, Word) {
        let key = (sign, right.clone());
        if let Some(made) = self.rows.get(&key) {
            return made.clone();
        }
        let (word, carry) = self.system.define(right, sign);
        self.carries.extend(carry.variables().map(|number| (number, sign)));
        self.rows.insert(key, (word.clone(), carry.clone()));
        if let (Some(residue), Some(number)) = (self.residue_of(right), word.variables().next()) {
            self.remember(number, residue);
        }
        (word, carry)
    }

    /// Whether a word is 0: the borrow of value - 1.
    pub(crate) fn is_zero(&mut self, value: &Word) -> Word {
        let (_, borrow) = self.row(&value.clone().plus(&Word::constant(1), -1), -1);
        self.zeros.insert(borrow.clone(), value.clone());
        borrow
    }

    /// The `and` of bits. A word is 0 and a bit 1 exactly where word - bit borrows.
    pub(crate) fn both(&mut self, a: &Word, b: &Word) -> Word {
        for (zero, bit) in [(a, b), (b, a)] {
            let Some(word) = self.zeros.get(zero).cloned() else { continue };
            if self.values(bit).iter().all(|v| *v <= 1) {
                let bit = if self.continues(bit, -1) { bit.clone() } else { self.word(bit) };
                return self.row(&word.plus(&bit, -1), -1).1;
            }
        }
        tabulate([a, b], |[a, b]| a & b)
    }

    fn remember(&mut self, number: usize, residue: Residue) {
        self.residues.insert(number, residue);
        self.congruent.entry(residue).or_insert(number);
    }

    /// A linear polynomial modulo 2^64 as a multiple of one variable, where it is one.
    fn residue_of(&self, right: &Polynomial) -> Option<Residue> {
        let mut total = BTreeMap::<usize, u64>::new();
        for (monomial, coefficient) in right.each() {
            let [number] = monomial else { return None };
            let (base, factor) = self.residues.get(number).copied().unwrap_or((*number, 1));
            let entry = total.entry(base).or_default();
            *entry = entry.wrapping_add(modulo(coefficient).wrapping_mul(factor));
        }
        let mut found = total.into_iter().filter(|(_, factor)| *factor != 0);
        found.next().filter(|_| found.next().is_none())
    }
}

/// An integer modulo 2^64.
fn modulo(integer: &BigInt) -> u64 {
    let size = BigInt::from(1) << 64;
    u64::try_from(((integer % &size) + &size) % &size).unwrap_or_default()
}
