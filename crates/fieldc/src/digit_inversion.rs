//! Many inverses for the price of one, in digits.

use crate::Field;
use crate::array_operation::Operation;
use crate::chains::{CHAINS, by_halves};
use crate::digit_rows::{BLOCK, MOST_DIGITS, Row};
use crate::digits::Digits;
use crate::portable::runtime_sign;
use crate::vectors::MoveKernels;

/// Rows of so many elements at most.
const ROWS: usize = CHAINS / BLOCK * MOST_DIGITS;

/// What computes, and room for an element of each chain.
struct Room<F> {
    digits: Digits<F>,
    moves: &'static MoveKernels,
    /// The product of each chain so far, and then the inverse of what is left of it.
    products: [Row; ROWS],
    factors: [Row; ROWS],
    before: [Row; ROWS],
}

/// For each element 0 where it is 0, else all ones.
type Masks = [u64; CHAINS];

/// Inverts elements in vectors that stay in digits, but zeros; whether there are kernels for it.
///
/// The scratch space has as many elements. Digits are cut from limbs as they are, and R stays that
/// of limbs: x is a number then, and a product of n numbers has been divided by 2^(52D) n - 1 times.
/// With P_i = x_i*P_(i-1)/2^(52D) and J_i = R^2/P_i, J_i*P_(i-1)/2^(52D) is R^2/x_i: the inverse.
#[inline]
pub(crate) fn invert_in_digits<F: Field>(elements: &mut [F], scratch: &mut [F]) -> bool {
    let Some(digits) = F::digits() else {
        return false;
    };
    let Some(moves) = digits.moves else {
        return false;
    };
    let mut room = Room {
        digits,
        moves,
        products: [Row::default(); ROWS],
        factors: [Row::default(); ROWS],
        before: [Row::default(); ROWS],
    };
    let mut ends = [F::ONE; CHAINS];
    room.start(&ends);
    room.multiply(elements, scratch);
    room.finish(&mut ends);
    by_halves(&mut ends);
    room.start(&ends);
    let both = elements.chunks_mut(CHAINS).zip(scratch.chunks(CHAINS));
    for (x, before) in both.rev() {
        room.backward(x, before);
    }
    true
}

impl<F: Field> Room<F> {
    /// A number for each chain.
    fn start(&mut self, x: &[F; CHAINS]) {
        let rows = self.digits.rows(CHAINS);
        self.digits.cut(self.moves, x, &mut self.products[..rows]);
    }

    /// The numbers of the chains.
    fn finish(&self, x: &mut [F; CHAINS]) {
        let rows = self.digits.rows(CHAINS);
        self.digits.join(self.moves, &self.products[..rows], x);
    }

    /// Writes each product of the elements before one, or 0 where this is 0, which becomes another
    /// number.
    fn multiply(&mut self, elements: &mut [F], scratch: &mut [F]) {
        let mut masks = [[0; CHAINS]; 2];
        let [mut here, mut there] = masks.each_mut();
        let mut left = elements.chunks_mut(CHAINS);
        let mut next = left.next();
        if let Some(x) = &mut next {
            without_zeros(x, here);
        }
        for before in scratch.chunks_mut(CHAINS) {
            let Some(x) = next else {
                return;
            };
            next = left.next();
            // What was just written in small parts is not ready to be read as a vector.
            if let Some(x) = &mut next {
                without_zeros(x, there);
            }
            self.forward(x, before);
            clear(before, here);
            (here, there) = (there, here);
        }
    }

    /// Writes the products so far, and multiplies them by the next elements.
    fn forward(&mut self, x: &[F], before: &mut [F]) {
        let (digits, moves) = (self.digits, self.moves);
        let rows = digits.rows(x.len());
        let (products, factors) = (&mut self.products[..rows], &mut self.factors[..rows]);
        digits.join(moves, products, before);
        cut_whole(digits, moves, x, factors);
        digits.run(Operation::Mul, products, factors);
    }

    /// Writes the inverses of the last elements, and takes these from what the chains invert.
    fn backward(&mut self, x: &mut [F], before: &[F]) {
        let (digits, moves) = (self.digits, self.moves);
        let rows = digits.rows(x.len());
        let (inverses, factors) = (&mut self.products[..rows], &mut self.factors[..rows]);
        let results = &mut self.before[..rows];
        cut_whole(digits, moves, x, factors);
        digits.cut(moves, before, results);
        digits.run(Operation::Mul, results, inverses);
        digits.run(Operation::Mul, inverses, factors);
        digits.join(moves, results, x);
    }
}

/// Numbers in digits; where the last block has more of them, these are not 0.
fn cut_whole<F: Field>(digits: Digits<F>, moves: &MoveKernels, x: &[F], z: &mut [Row]) {
    if x.len() % BLOCK == 0 {
        return digits.cut(moves, x, z);
    }
    let mut whole = [F::ONE; CHAINS];
    whole[..x.len()].copy_from_slice(x);
    digits.cut(moves, &whole[..x.len().next_multiple_of(BLOCK)], z);
}

/// Masks of the elements that are 0; they become another number.
fn without_zeros<F: Field>(x: &mut [F], masks: &mut Masks) {
    for (x, mask) in words(x).zip(masks) {
        let all = x.iter().fold(0_u64, |all, word| all | word);
        *mask = runtime_sign(all | all.wrapping_neg());
        x[0] |= mask.wrapping_add(1);
    }
}

/// 0 where a mask has no bits.
fn clear<F: Field>(x: &mut [F], masks: &Masks) {
    for (x, &mask) in words(x).zip(masks) {
        for word in x {
            *word &= mask;
        }
    }
}

/// The limbs of each element.
fn words<F: Field>(x: &mut [F]) -> impl Iterator<Item = &mut [u64]> {
    let limbs = size_of::<F>() / 8;
    let (count, start) = (x.len() * limbs, x.as_mut_ptr().cast());
    // SAFETY: as all that compute in digits, an element of F is nothing but its limbs.
    unsafe { core::slice::from_raw_parts_mut::<u64>(start, count) }.chunks_exact_mut(limbs)
}
