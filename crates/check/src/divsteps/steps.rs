//! The proof: each step by itself in its four cases, then the matrices of the blocks.

use crate::divsteps::certificate::{Block, STEPS, ZETA_BITS};
use crate::divsteps::numbers::Extent;
use crate::divsteps::reading::Reading;
use crate::divsteps::words::{Place, Ran, Words};
use crate::polynomial::Polynomial;
use crate::{Outcome, fail};
use num_bigint::BigInt;

/// (u, v; q, r)
type Matrix = [[Polynomial; 2]; 2];

/// Where the proof is: the word of zeta, and the numbers that zeta, f and g are.
struct State {
    zeta_at: Place,
    zeta: usize,
    f: usize,
    g: usize,
}

/// Verifies that z is zeta and the matrix of 59 steps, times 2^59.
pub(crate) fn verify(ran: &Ran, blocks: &[Block]) -> Outcome<()> {
    let mut reading = Reading::new(&ran.words);
    let most = (BigInt::from(1) << ZETA_BITS) - 1;
    let word = || (BigInt::ZERO, (BigInt::from(1) << 64) - 1);
    let [zeta, f, g] = [(-&most, most), word(), word()].map(|range| reading.numbers.add(range));
    for (place, number) in [zeta, f, g].into_iter().enumerate() {
        reading.known.insert(place, Polynomial::variable(number));
    }
    let mut state = State { zeta_at: 0, zeta, f, g };
    let one = || Polynomial::constant(1);
    let mut matrix: Matrix = [[one(), Polynomial::default()], [Polynomial::default(), one()]];
    let mut done = 0;
    for block in blocks {
        let of_block = state.block(&ran.words, &mut reading, block, done)?;
        matrix = product(&of_block, &matrix);
        done += block.steps.len();
    }
    if done != STEPS {
        return fail(format!("function: {done} steps of {STEPS} are proved"));
    }
    let meant = [Polynomial::variable(state.zeta)].into_iter().chain(matrix.into_iter().flatten());
    for (index, (place, meant)) in ran.z.iter().zip(meant).enumerate() {
        let found = reading.number(*place).map_err(|why| format!("function: {why}"))?;
        if found != meant || !reading.numbers.is_signed_word(&meant) {
            return fail(format!("function: word {index} of z is not what is claimed"));
        }
    }
    Ok(())
}

impl State {
    /// Verifies a block's steps; its matrix. Then zeta, f and g are those after it.
    ///
    /// x is a + X and y is b + Y at first, where a is f and b is g modulo 2^k, and 2^k divides X and
    /// Y. So k steps of x and y choose as those of f and g do. They have the same matrix M, times
    /// 2^-k, and it is linear: at last x is (u*a + v*b)/2^k + u*X/2^k + v*Y/2^k.
    fn block(
        &mut self,
        words: &Words,
        reading: &mut Reading,
        block: &Block,
        done: usize,
    ) -> Outcome<Matrix> {
        let k = block.steps.len();
        if !(1..63).contains(&k) {
            return fail(format!("a block of {k} steps"));
        }
        let at = |offset: &usize| words.result_at(*offset);
        let (x, y) = (at(&block.begin[0])?, at(&block.begin[1])?);
        let (a, raised_x) = begin(reading, x, self.f, k)?;
        let (b, raised_y) = begin(reading, y, self.g, k)?;
        let mut places = [self.zeta_at, x, y];
        let mut ranges =
            [reading.numbers.range(self.zeta), extent(reading, x)?, extent(reading, y)?];
        for (number, step) in block.steps.iter().enumerate() {
            let later = [at(&step[0])?, at(&step[1])?, at(&step[2])?];
            ranges = verify_step(words, places, later, &ranges)
                .map_err(|why| format!("step {}, {why}", done + number + 1))?;
            places = later;
        }
        let [zetas, ..] = ranges;
        (self.zeta_at, self.zeta) = (places[0], reading.numbers.add(zetas));
        reading.known.insert(self.zeta_at, Polynomial::variable(self.zeta));
        // |u| + |v| <= 2^k and u + v > -2^k: both hold of the identity, and each rule keeps them.
        // So (u*a + v*b)/2^k is from -h to h - 1 where a and b are.
        let ends = [a, b].map(|low| reading.numbers.range(low));
        let half =
            ends.into_iter().map(|(low, high)| (-low).max(high + 1)).max().unwrap_or_default();
        let most = BigInt::from(1) << k;
        let mut row = |place| {
            let low = Polynomial::variable(reading.numbers.add((-&half, &half - 1)));
            let [u, v] = [(); 2].map(|()| reading.numbers.add((-&most, most.clone())));
            let [u, v] = [u, v].map(Polynomial::variable);
            let word = low.plus(&u, &raised_x >> k).plus(&v, &raised_y >> k);
            reading.known.insert(place, word);
            [u, v]
        };
        let matrix = [row(places[1]), row(places[2])];
        self.next(words, reading, block, &matrix)?;
        Ok(matrix)
    }

    /// f and g after a block: u*f + v*g and q*f + r*g over 2^k. `sums` are the words of these sums
    /// for words that are f and g modulo a power of 2, all times one factor.
    fn next(
        &mut self,
        words: &Words,
        reading: &mut Reading,
        block: &Block,
        matrix: &Matrix,
    ) -> Outcome<()> {
        let far: BigInt = BigInt::from(1) << 128; // more than any quotient
        let quotients = [(); 2].map(|()| reading.numbers.add((-&far, far.clone())));
        let k = block.steps.len();
        for (offset, (row, quotient)) in block.sums.iter().zip(matrix.iter().zip(quotients)) {
            let place = words.result_at(*offset)?;
            let sum = reading.number(place)?;
            let [a, b] = [&row[0], &row[1]].map(|entry| cofactor(&sum, entry));
            let (Some(a), Some(b)) = (a, b) else {
                return fail("a sum of products with a matrix has other factors");
            };
            let ((factor, a), (_, b)) = (a, b);
            let [with_a, with_b] = [a, b].map(Polynomial::variable);
            let numbers = &mut reading.numbers;
            let bits = numbers.bits_shared(a, self.f).min(numbers.bits_shared(b, self.g));
            let once = row[0].times(&with_a).plus(&row[1].times(&with_b), 1);
            if sum != Polynomial::default().plus(&once, factor.clone()) || bits < k as u64 {
                return fail("a sum of products with a matrix is not of f and g");
            }
            let number = numbers.add_same((-&far, far.clone()), quotient, bits - k as u64);
            let word = Polynomial::default().plus(&Polynomial::variable(number), factor << k);
            reading.known.insert(place, word);
        }
        [self.f, self.g] = quotients;
        Ok(())
    }
}

/// The number that an entry is multiplied with in a sum, once, and the factor of both.
fn cofactor(sum: &Polynomial, entry: &Polynomial) -> Option<(BigInt, usize)> {
    let (_, entry) = entry.as_multiple()?;
    sum.each().find_map(|(monomial, factor)| match *monomial {
        [a, b] if a == entry => Some((factor.clone(), b)),
        [a, b] if b == entry => Some((factor.clone(), a)),
        _ => None,
    })
}

fn extent(reading: &mut Reading, place: Place) -> Outcome<Extent> {
    let number = reading.number(place)?;
    Ok(reading.numbers.extent(&number))
}

/// x where a block of k steps begins: a number that is f modulo 2^k, and what is added to it.
fn begin(reading: &mut Reading, place: Place, f: usize, k: usize) -> Outcome<(usize, BigInt)> {
    let word = reading.number(place)?;
    let raised = word.constant_term();
    let low = word.plus(&Polynomial::constant(raised.clone()), -1).as_multiple();
    match low {
        Some((factor, low))
            if factor == BigInt::from(1)
                && raised.trailing_zeros().is_none_or(|zeros| zeros >= k as u64)
                && reading.numbers.bits_shared(low, f) >= k as u64 =>
        {
            Ok((low, raised))
        }
        _ => fail("a block does not begin with the low bits of f and g"),
    }
}

/// Verifies a step in its four cases, from the words of zeta, x and y to those after it. The ranges
/// are those before the step, and then those after it.
///
/// f is odd and so is x, which is 2a + 1. y is 2b, or 2b + 1.
fn verify_step(
    words: &Words,
    from: [Place; 3],
    to: [Place; 3],
    [zetas, xs, ys]: &[Extent; 3],
) -> Outcome<[Extent; 3]> {
    let mut after: [Option<Extent>; 3] = [const { None }; 3];
    for (is_positive, is_odd) in [(false, false), (false, true), (true, false), (true, true)] {
        let zetas = if is_positive {
            (zetas.0.clone(), zetas.1.clone().min((-1).into())) // delta > 0 where zeta < 0
        } else {
            (zetas.0.clone().max(BigInt::ZERO), zetas.1.clone())
        };
        let ranges = [zetas, halves(xs, 1), halves(ys, u8::from(is_odd))];
        if ranges.iter().any(|(low, high)| low > high) {
            continue;
        }
        let mut reading = Reading::new(words);
        let [zeta, a, b] = ranges.map(|range| Polynomial::variable(reading.numbers.add(range)));
        let constant = |number: i64| Polynomial::constant(number);
        let x = constant(1).plus(&a, 2);
        let y = constant(i64::from(is_odd)).plus(&b, 2);
        for (place, number) in from.into_iter().zip([&zeta, &x, &y]) {
            reading.known.insert(place, number.clone());
        }
        let meant = match (is_positive, is_odd) {
            (_, false) => [zeta.plus(&constant(1), -1), x, b],
            (false, true) => [zeta.plus(&constant(1), -1), x, a.plus(&b, 1).plus(&constant(1), 1)],
            (true, true) => [constant(-2).plus(&zeta, -1), y, b.plus(&a, -1)],
        };
        for ((place, meant), after) in to.into_iter().zip(meant).zip(&mut after) {
            let case = || {
                let sign = if is_positive { "delta > 0" } else { "delta < 0" };
                format!("{sign}, g {}", if is_odd { "odd" } else { "even" })
            };
            let found = reading.number(place).map_err(|why| format!("{}: {why}", case()))?;
            if found != meant || !reading.numbers.is_signed_word(&meant) {
                return fail(format!("{}: a word is not what the rule says", case()));
            }
            let (low, high) = reading.numbers.extent(&meant);
            *after = Some(match after.take() {
                Some((least, most)) => (least.min(low), most.max(high)),
                None => (low, high),
            });
        }
    }
    match after {
        [Some(zetas), Some(xs), Some(ys)] => Ok([zetas, xs, ys]),
        _ => fail("no case can be"),
    }
}

/// The range of n where 2n + bit is in a range.
fn halves((low, high): &Extent, bit: u8) -> Extent {
    let bit = BigInt::from(bit);
    ((low - &bit + 1) >> 1, (high - &bit) >> 1)
}

/// The product of two matrices.
fn product(a: &Matrix, b: &Matrix) -> Matrix {
    [0, 1].map(|row| {
        [0, 1].map(|column| a[row][0].times(&b[0][column]).plus(&a[row][1].times(&b[1][column]), 1))
    })
}
