//! The number-theoretic transform.

use crate::{PrimeField, slices};

/// Transforms of 2^k elements, without allocation.
///
/// With r = `F::primitive_root_of_unity(k)`, coefficients become the values of their polynomial at
/// 1, r, r^2, ... in this order.
///
/// Time depends on the length only. In vectors long transforms take 190 kB of the stack.
///
/// ```
/// use fieldc::{Ntt, PrimeField, bls12_381::Fr};
///
/// let mut table = [Fr::ZERO; 4];
/// let ntt = Ntt::new(&mut table).expect("2^2 divides r - 1");
///
/// let mut x = [5, 1, 0, 0].map(Fr::from_u64); // 5 + X
/// ntt.forward(&mut x);
/// let root = Fr::primitive_root_of_unity(2).unwrap();
/// assert_eq!(x[3], Fr::from_u64(5) + root.pow_u64(3));
/// ntt.inverse(&mut x);
/// assert_eq!(x, [5, 1, 0, 0].map(Fr::from_u64));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Ntt<'a, F> {
    /// From place h on, h powers of the root of order 2h, for each power h of 2.
    roots: &'a [F],
}

/// Elements whose differences are kept at a time, and copies of a root.
const PART: usize = 64;

impl<'a, F: PrimeField> Ntt<'a, F> {
    /// Prepares transforms of as many elements as the table has, which is filled with roots.
    ///
    /// `None` if the number of elements is no 2^k, or if k is above `F::TWO_ADICITY`. Then nothing
    /// was written.
    ///
    /// ```
    /// use fieldc::{Ntt, bls12_381::Fp};
    ///
    /// assert!(Ntt::new(&mut [Fp::ZERO; 4]).is_none()); // 4 does not divide p - 1
    /// ```
    #[inline]
    pub fn new(table: &'a mut [F]) -> Option<Self> {
        let count = table.len();
        if !count.is_power_of_two() {
            return None;
        }
        let root = F::primitive_root_of_unity(count.trailing_zeros())?;
        let mut power = F::ONE;
        for place in &mut table[count / 2..] {
            *place = power;
            power *= root;
        }
        for place in (1..count / 2).rev() {
            // The power j of the root of order 2h is the power 2j of that of order 4h.
            table[place] = table[2 * place];
        }
        Some(Self { roots: table })
    }

    /// Coefficients become values.
    ///
    /// ```
    /// use fieldc::{Ntt, bls12_381::Fr};
    ///
    /// let mut table = [Fr::ZERO; 2];
    /// let mut x = [5, 1].map(Fr::from_u64); // 5 + X
    /// Ntt::new(&mut table).unwrap().forward(&mut x);
    /// assert_eq!(x, [6, 4].map(Fr::from_u64)); // at 1 and -1
    /// ```
    ///
    /// # Panics
    /// If there are not as many elements as the table has; nothing has changed then.
    #[inline]
    pub fn forward(&self, x: &mut [F]) {
        self.check(x);
        if F::transform_in_vectors(x, self.roots) {
            return;
        }
        let mut blocks = 1;
        while 2 * blocks * blocks <= x.len() {
            self.far_level(x, blocks);
            blocks *= 2;
        }
        put_in_order(x);
        while blocks < x.len() {
            self.near_level(x, blocks);
            blocks *= 2;
        }
    }

    /// Joins the halves of each block, with one root for all of its elements.
    fn far_level(&self, x: &mut [F], blocks: usize) {
        let half = x.len() / (2 * blocks);
        let roots = &self.roots[blocks..2 * blocks];
        for (number, block) in x.chunks_exact_mut(2 * half).enumerate() {
            let (low, high) = block.split_at_mut(half);
            match number {
                0 => sums_and_differences(low, high),
                _ => butterfly_by(low, high, &roots[reversed(number, blocks)]),
            }
        }
    }

    /// Joins the halves of each block, with a root for each place.
    fn near_level(&self, x: &mut [F], half: usize) {
        let roots = &self.roots[half..2 * half];
        for block in x.chunks_exact_mut(2 * half) {
            let (low, high) = block.split_at_mut(half);
            slices::butterfly(low, high, roots);
        }
    }

    /// Values become coefficients: undoes [`forward`](Self::forward).
    ///
    /// ```
    /// use fieldc::{Ntt, bls12_381::Fr};
    ///
    /// let mut table = [Fr::ZERO; 4];
    /// let ntt = Ntt::new(&mut table).unwrap();
    /// let mut x = [2, 1, 0, 0].map(Fr::from_u64); // 2 + X
    /// ntt.forward(&mut x);
    /// for value in &mut x {
    ///     *value = value.square();
    /// }
    /// ntt.inverse(&mut x);
    /// assert_eq!(x, [4, 4, 1, 0].map(Fr::from_u64)); // 4 + 4*X + X^2
    /// ```
    ///
    /// # Panics
    /// If there are not as many elements as the table has; nothing has changed then.
    #[inline]
    pub fn inverse(&self, x: &mut [F]) {
        self.forward(x);
        // The powers of 1/r are those of r from the last one down to the first.
        x[1..].reverse();
        let count = F::from(x.len() as u64);
        slices::scale(x, &count.invert_ct().0);
    }

    fn check(&self, x: &[F]) {
        assert_eq!(
            x.len(),
            self.roots.len(),
            "the transform has another length"
        );
    }
}

/// x + w*y and x - w*y instead of x and y, for one w.
#[inline]
fn butterfly_by<F: PrimeField>(x: &mut [F], y: &mut [F], w: &F) {
    let factors = [*w; PART];
    for (x, y) in x.chunks_mut(PART).zip(y.chunks_mut(PART)) {
        slices::butterfly(x, y, &factors[..x.len()]);
    }
}

/// The same for w = 1.
#[inline]
fn sums_and_differences<F: PrimeField>(x: &mut [F], y: &mut [F]) {
    let mut differences = [F::ZERO; PART];
    for (x, y) in x.chunks_mut(PART).zip(y.chunks_mut(PART)) {
        let differences = &mut differences[..x.len()];
        slices::sub_into(x, y, differences);
        slices::add(x, y);
        y.copy_from_slice(differences);
    }
}

/// A number below count with its bits in the other order, where count is a power of two.
#[inline]
pub(crate) fn reversed(number: usize, count: usize) -> usize {
    let unused = usize::BITS - count.trailing_zeros();
    number.reverse_bits().checked_shr(unused).unwrap_or(0)
}

/// The numbers below 8 with their bits in the other order.
const REVERSED: [usize; 8] = [0, 4, 2, 6, 1, 5, 3, 7];

/// Each element changes places with that whose number has its bits in the other order.
///
/// Elements that lie side by side are moved together: the first three bits of a number change places
/// with the last three, and what is between is read from the other end.
#[inline]
pub(crate) fn put_in_order<F>(x: &mut [F]) {
    let row = x.len() / 8;
    if row < 8 {
        return put_few_in_order(x);
    }
    let between = row / 8;
    for i in 0..between {
        let j = reversed(i, between);
        if i > j {
            continue;
        }
        for (first, new_last) in REVERSED.into_iter().enumerate() {
            for (last, new_first) in REVERSED.into_iter().enumerate() {
                if i < j || first < new_first {
                    x.swap(
                        row * first + 8 * i + last,
                        row * new_first + 8 * j + new_last,
                    );
                }
            }
        }
    }
}

/// The same for fewer than 64 elements.
fn put_few_in_order<F>(x: &mut [F]) {
    for i in 1..x.len() {
        let j = reversed(i, x.len());
        if i < j {
            x.swap(i, j);
        }
    }
}
