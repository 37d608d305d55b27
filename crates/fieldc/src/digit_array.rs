//! Arrays that stay in digits between operations.

mod inverses;

use alloc::vec;
use alloc::vec::Vec;
use core::fmt;

use crate::array_operation::Operation;
use crate::digit_calls::{PART, SumInDigits, copies_of, in_parts, rows_of};
use crate::digit_rows::{BLOCK, Row};
use crate::digits::Digits;
use crate::{Field, slices};

/// Elements that stay as vectors compute with them, from one operation to the next.
///
/// The kernels of [`slices`] cut each operand into digits of 52 bits and put each result together
/// again. Here elements are cut once, and a result is put together when it is read. So chains of
/// operations take less time: a product of arrays two thirds of it.
///
/// That needs a processor with AVX-512 IFMA and a modulus with such kernels, as the primes of
/// BLS12-381, BN254, Pallas and Vesta have. Elsewhere, and for fewer than eight elements, it is a
/// vector of elements on which [`slices`] computes. So it is for Goldilocks, whose elements are
/// digits already. Results are the same.
///
/// All of it takes the same time for all values; lengths and exponents are public.
///
/// ```
/// use fieldc::{DigitArray, bls12_381::Fr};
///
/// let x: Vec<Fr> = (1..=100_u64).map(Fr::from).collect();
/// let mut y = DigitArray::new(&x);
/// y.square();
/// y.add(&DigitArray::new(&x)); // x^2 + x
/// assert_eq!(y.to_vec()[99], Fr::from(10_100_u64));
/// assert_eq!(y.sum(), Fr::from(343_400_u64));
/// ```
#[derive(Clone)]
pub struct DigitArray<F: Field> {
    count: usize,
    form: Form<F>,
}

/// Where the values are.
#[derive(Clone)]
enum Form<F: Field> {
    Elements(Vec<F>),
    Digits(Digits<F>, Vec<Row>),
}

use Form::{Digits as InDigits, Elements};

impl<F: Field> DigitArray<F> {
    /// The array of some elements.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// let x = DigitArray::new(&[Fp::ONE; 3]);
    /// assert_eq!(x.to_vec(), [Fp::ONE; 3]);
    /// ```
    #[must_use]
    pub fn new(elements: &[F]) -> Self {
        let count = elements.len();
        let form = match F::digits() {
            Some(digits) if count >= BLOCK => InDigits(digits, rows_of(digits, elements)),
            _ => Elements(elements.to_vec()),
        };
        Self { count, form }
    }

    /// The number of elements.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// assert_eq!(DigitArray::new(&[Fp::ONE; 11]).len(), 11);
    /// ```
    #[must_use]
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are no elements.
    ///
    /// ```
    /// assert!(fieldc::DigitArray::<fieldc::bn254::Fp>::new(&[]).is_empty());
    /// ```
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// The elements.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// assert_eq!(DigitArray::new(&[Fp::ONE; 11]).to_vec(), [Fp::ONE; 11]);
    /// ```
    #[must_use]
    pub fn to_vec(&self) -> Vec<F> {
        let mut z = vec![F::ZERO; self.count];
        self.write_to(&mut z);
        z
    }

    /// Writes the elements to a slice.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// let mut z = [Fp::ZERO; 2];
    /// DigitArray::new(&[Fp::ONE; 2]).write_to(&mut z);
    /// assert_eq!(z, [Fp::ONE; 2]);
    /// ```
    ///
    /// # Panics
    /// If the slice has another length.
    pub fn write_to(&self, z: &mut [F]) {
        assert_eq!(z.len(), self.count, "the slice has another length");
        match &self.form {
            Elements(x) => z.copy_from_slice(x),
            InDigits(digits, x) => digits.leave(x, z),
        }
    }

    /// Adds to each element the one of the other array.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// let mut x = DigitArray::new(&[Fp::ONE; 2]);
    /// x.add(&DigitArray::new(&[Fp::ONE, -Fp::ONE]));
    /// assert_eq!(x.to_vec(), [Fp::from(2_u64), Fp::ZERO]);
    /// ```
    ///
    /// # Panics
    /// If the arrays have different lengths.
    pub fn add(&mut self, y: &Self) {
        self.in_place(Operation::Add, y);
    }

    /// Subtracts from each element the one of the other array.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// let mut x = DigitArray::new(&[Fp::ONE; 2]);
    /// x.sub(&DigitArray::new(&[Fp::ONE, -Fp::ONE]));
    /// assert_eq!(x.to_vec(), [Fp::ZERO, Fp::from(2_u64)]);
    /// ```
    ///
    /// # Panics
    /// If the arrays have different lengths.
    pub fn sub(&mut self, y: &Self) {
        self.in_place(Operation::Sub, y);
    }

    /// Multiplies each element by the one of the other array.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// let mut x = DigitArray::new(&[2, 3].map(Fp::from_u64));
    /// x.mul(&DigitArray::new(&[5, 7].map(Fp::from_u64)));
    /// assert_eq!(x.to_vec(), [10, 21].map(Fp::from_u64));
    /// ```
    ///
    /// # Panics
    /// If the arrays have different lengths.
    pub fn mul(&mut self, y: &Self) {
        self.in_place(Operation::Mul, y);
    }

    /// Squares every element.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// let mut x = DigitArray::new(&[2, 3].map(Fp::from_u64));
    /// x.square();
    /// assert_eq!(x.to_vec(), [4, 9].map(Fp::from_u64));
    /// ```
    pub fn square(&mut self) {
        match &mut self.form {
            Elements(x) => slices::square(x),
            InDigits(digits, x) => digits.square(x),
        }
    }

    /// The negative of every element.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// let mut x = DigitArray::new(&[Fp::ONE, Fp::ZERO]);
    /// x.neg();
    /// assert_eq!(x.to_vec(), [-Fp::ONE, Fp::ZERO]);
    /// ```
    pub fn neg(&mut self) {
        match &mut self.form {
            Elements(x) => slices::neg(x),
            InDigits(digits, x) => in_parts(*digits, x, |x, part| {
                part.fill(Row::default());
                digits.run(Operation::Sub, part, x);
                x.copy_from_slice(part);
            }),
        }
    }

    /// Doubles every element.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// let mut x = DigitArray::new(&[2, 3].map(Fp::from_u64));
    /// x.double();
    /// assert_eq!(x.to_vec(), [4, 6].map(Fp::from_u64));
    /// ```
    pub fn double(&mut self) {
        match &mut self.form {
            Elements(x) => slices::double(x),
            InDigits(digits, x) => in_parts(*digits, x, |x, part| {
                part.copy_from_slice(x);
                digits.run(Operation::Add, x, part);
            }),
        }
    }

    /// Multiplies each element by one factor.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// let mut x = DigitArray::new(&[2, 3].map(Fp::from_u64));
    /// x.scale(&Fp::from_u64(10));
    /// assert_eq!(x.to_vec(), [20, 30].map(Fp::from_u64));
    /// ```
    pub fn scale(&mut self, factor: &F) {
        match &mut self.form {
            Elements(x) => slices::scale(x, factor),
            InDigits(digits, x) => {
                let factors = copies_of(*digits, factor);
                let most = digits.whole(PART);
                for x in x.chunks_mut(most) {
                    digits.run(Operation::Mul, x, &factors[..x.len()]);
                }
            }
        }
    }

    /// Raises every element to one power; the exponent is public, in limbs, the lowest first.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// let mut x = DigitArray::new(&[2, 3].map(Fp::from_u64));
    /// x.pow(&[5]);
    /// assert_eq!(x.to_vec(), [32, 243].map(Fp::from_u64));
    /// x.pow(&[]);
    /// assert_eq!(x.to_vec(), [Fp::ONE; 2]);
    /// ```
    pub fn pow(&mut self, exponent: &[u64]) {
        let (digits, x) = match &mut self.form {
            Elements(x) => return slices::pow(x, exponent),
            InDigits(digits, x) => (*digits, x),
        };
        let is_set = |bit: u32| exponent[bit as usize / 64] >> (bit % 64) & 1 == 1;
        let bits = exponent.len() as u32 * 64;
        let Some(top) = (0..bits).rev().find(|bit| is_set(*bit)) else {
            return *self = Self::new(&vec![F::ONE; self.count]);
        };
        in_parts(digits, x, |x, base| {
            base.copy_from_slice(x);
            for bit in (0..top).rev() {
                digits.square(x);
                if is_set(bit) {
                    digits.run(Operation::Mul, x, base);
                }
            }
        });
    }

    /// Adds to each element the product of those of the other arrays: `self += x * y`.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// let [x, y] = [[2, 3], [5, 7]].map(|x| DigitArray::new(&x.map(Fp::from_u64)));
    /// let mut z = DigitArray::new(&[Fp::ONE; 2]);
    /// z.add_products(&x, &y);
    /// assert_eq!(z.to_vec(), [11, 22].map(Fp::from_u64));
    /// ```
    ///
    /// # Panics
    /// If the arrays have different lengths.
    pub fn add_products(&mut self, x: &Self, y: &Self) {
        self.check(x);
        self.check(y);
        match (&mut self.form, &x.form, &y.form) {
            (InDigits(digits, z), InDigits(_, x), InDigits(_, y)) => digits.add_products(z, x, y),
            (Elements(z), Elements(x), Elements(y)) => slices::add_products(z, x, y),
            _ => {
                let mut product = x.clone();
                product.mul(y);
                self.add(&product);
            }
        }
    }

    /// The sum of products of corresponding elements.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// let [x, y] = [[1, 2, 3], [4, 5, 6]].map(|x| DigitArray::new(&x.map(Fp::from_u64)));
    /// assert_eq!(x.inner_product(&y), Fp::from_u64(32));
    /// ```
    ///
    /// # Panics
    /// If the arrays have different lengths.
    #[must_use]
    pub fn inner_product(&self, y: &Self) -> F {
        self.check(y);
        match (&self.form, &y.form) {
            (InDigits(digits, x), InDigits(_, y)) => {
                let mut sum = SumInDigits::new(*digits);
                sum.add(x, y);
                sum.finish()
            }
            (Elements(x), Elements(y)) => F::inner_product(x, y),
            _ => F::inner_product(&self.to_vec(), &y.to_vec()),
        }
    }

    /// The sum of all elements.
    ///
    /// ```
    /// use fieldc::{DigitArray, bn254::Fp};
    ///
    /// assert_eq!(DigitArray::new(&[Fp::ONE; 100]).sum(), Fp::from_u64(100));
    /// assert_eq!(DigitArray::<Fp>::new(&[]).sum(), Fp::ZERO);
    /// ```
    #[must_use]
    pub fn sum(&self) -> F {
        match &self.form {
            Elements(x) => slices::sum(x),
            InDigits(digits, x) => {
                let ones = copies_of(*digits, &F::ONE);
                let mut sum = SumInDigits::new(*digits);
                for x in x.chunks(digits.whole(PART)) {
                    sum.add(x, &ones[..x.len()]);
                }
                sum.finish()
            }
        }
    }

    /// Runs an operation on every pair of corresponding elements.
    fn in_place(&mut self, operation: Operation, y: &Self) {
        self.check(y);
        match (&mut self.form, &y.form) {
            (Elements(x), Elements(y)) => on_slices(operation, x, y),
            (Elements(x), InDigits(..)) => on_slices(operation, x, &y.to_vec()),
            (InDigits(digits, x), InDigits(_, y)) => digits.run(operation, x, y),
            (InDigits(digits, x), Elements(y)) => digits.run(operation, x, &rows_of(*digits, y)),
        }
    }

    pub(crate) fn check(&self, y: &Self) {
        assert_eq!(self.count, y.count, "the arrays have different lengths");
    }
}

/// The elements, as a list.
impl<F: Field> fmt::Debug for DigitArray<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.to_vec()).finish()
    }
}

/// One of the operations of two operands, the first of which takes the results.
fn on_slices<F: Field>(operation: Operation, x: &mut [F], y: &[F]) {
    match operation {
        Operation::Add => slices::add(x, y),
        Operation::Sub => slices::sub(x, y),
        _ => slices::mul(x, y),
    }
}
