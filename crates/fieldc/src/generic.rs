//! The crate's own traits, for code that is generic over its fields.

use core::fmt::{Debug, Display};
use core::hash::Hash;
use core::iter::{Product, Sum};
use core::ops::{Add, AddAssign, Div, DivAssign, Mul, MulAssign, Neg, Sub, SubAssign};

use crate::ShortScratch;
use crate::array_operation::Operation;
use crate::digits::Digits;

/// A field of this crate: a prime field, or an extension such as [`Fp2`](crate::Fp2).
///
/// The methods have the names of the types' own, do the same and cost the same; the types have them
/// too, so a program that names its field does not need the trait.
///
/// ```
/// use fieldc::{Field, bls12_381, bn254};
///
/// /// The distance of two points, squared.
/// fn distance<F: Field>(a: [F; 2], b: [F; 2]) -> F {
///     (a[0] - b[0]).square() + (a[1] - b[1]).square()
/// }
///
/// let x = [3, 5].map(bn254::Fp::from_u64);
/// assert_eq!(distance(x, [bn254::Fp::ZERO; 2]), bn254::Fp::from_u64(34));
/// let x = [3, 5].map(bls12_381::Fr::from_u64);
/// assert_eq!(distance(x, [bls12_381::Fr::ONE; 2]), bls12_381::Fr::from_u64(20));
/// ```
pub trait Field:
    Copy
    + Default
    + Ord
    + Hash
    + Debug
    + Display
    + Send
    + Sync
    + 'static
    + From<bool>
    + From<u32>
    + From<u64>
    + From<u128>
    + From<i32>
    + From<i64>
    + Neg<Output = Self>
    + Operators<Self>
    + for<'a> Operators<&'a Self>
    + Sum
    + for<'a> Sum<&'a Self>
    + Product
    + for<'a> Product<&'a Self>
{
    /// The element 0.
    const ZERO: Self;
    /// The element 1.
    const ONE: Self;

    /// Whether this is 0, in the same time for all values.
    ///
    /// ```
    /// use fieldc::{Field, bn254::Fp};
    ///
    /// fn zeros<F: Field>(x: &[F]) -> usize {
    ///     x.iter().filter(|each| each.is_zero()).count()
    /// }
    /// assert_eq!(zeros(&[Fp::ZERO, Fp::ONE]), 1);
    /// ```
    fn is_zero(&self) -> bool;
    /// `self + self`.
    ///
    /// ```
    /// use fieldc::{Field, bn254::Fp};
    ///
    /// fn thrice<F: Field>(x: F) -> F {
    ///     x.double() + x
    /// }
    /// assert_eq!(thrice(Fp::from(5_u64)), Fp::from(15_u64));
    /// ```
    fn double(&self) -> Self;
    /// `self * self`.
    ///
    /// ```
    /// use fieldc::{Field, bn254::Fp};
    ///
    /// fn fourth_power<F: Field>(x: F) -> F {
    ///     x.square().square()
    /// }
    /// assert_eq!(fourth_power(Fp::from(3_u64)), Fp::from(81_u64));
    /// ```
    fn square(&self) -> Self;
    /// `self * y + z`.
    ///
    /// ```
    /// use fieldc::{Field, bn254::Fp};
    ///
    /// /// Horner's rule; the highest coefficient is first.
    /// fn evaluate<F: Field>(coefficients: &[F], x: F) -> F {
    ///     coefficients.iter().fold(F::ZERO, |sum, c| sum.mul_add(&x, c))
    /// }
    /// let coefficients = [2, 0, 1].map(Fp::from_u64);
    /// assert_eq!(evaluate(&coefficients, Fp::from(3_u64)), Fp::from(19_u64));
    /// ```
    fn mul_add(&self, y: &Self, z: &Self) -> Self;
    /// `a` if the flag is set, else `b`, in the same time for both.
    ///
    /// ```
    /// use fieldc::{Field, bn254::Fp};
    ///
    /// fn absolute<F: Field>(is_negative: bool, x: F) -> F {
    ///     F::select(is_negative, &-x, &x)
    /// }
    /// assert_eq!(absolute(true, -Fp::ONE), Fp::ONE);
    /// ```
    fn select(flag: bool, a: &Self, b: &Self) -> Self;
    /// The inverse; `None` for 0. What it computes takes the same time for all values.
    ///
    /// ```
    /// use fieldc::{Field, bn254::Fp};
    ///
    /// fn ratio<F: Field>(x: F, y: F) -> Option<F> {
    ///     Some(x * y.invert()?)
    /// }
    /// assert_eq!(ratio(Fp::from(6_u64), Fp::from(3_u64)), Some(Fp::from(2_u64)));
    /// assert_eq!(ratio(Fp::ONE, Fp::ZERO), None);
    /// ```
    fn invert(&self) -> Option<Self>;
    /// The inverse and true; for 0, which has none, 0 and false. No branch depends on the value.
    ///
    /// ```
    /// use fieldc::{Field, bn254::Fp};
    ///
    /// let (inverse, is_invertible) = Field::invert_ct(&Fp::from(2_u64));
    /// assert!(is_invertible && inverse.double() == Fp::ONE);
    /// assert_eq!(Field::invert_ct(&Fp::ZERO), (Fp::ZERO, false));
    /// ```
    fn invert_ct(&self) -> (Self, bool);
    /// Whether this is the square of an element; 0 is.
    ///
    /// ```
    /// use fieldc::{Field, bn254::Fp};
    ///
    /// let nine = Fp::from(9_u64);
    /// assert!(Field::is_square(&nine) && !Field::is_square(&-nine)); // p = 3 mod 4
    /// ```
    fn is_square(&self) -> bool;
    /// A square root; `None` if there is none. What it computes takes the same time for all values.
    ///
    /// ```
    /// use fieldc::{Field, bn254::Fp};
    ///
    /// /// y of a point of y^2 = x^3 + 3.
    /// fn y_of<F: Field>(x: F) -> Option<F> {
    ///     (x.square() * x + F::from(3_u64)).sqrt()
    /// }
    /// let y = y_of(Fp::ONE).unwrap();
    /// assert_eq!(y.square(), Fp::from(4_u64));
    /// ```
    fn sqrt(&self) -> Option<Self>;
    /// A square root and true; 0 and false if there is none. No branch depends on the value.
    ///
    /// ```
    /// use fieldc::{Field, bn254::Fp};
    ///
    /// let (root, exists) = Field::sqrt_ct(&Fp::from(9_u64));
    /// assert!(exists && root.square() == Fp::from(9_u64));
    /// ```
    fn sqrt_ct(&self) -> (Self, bool);
    /// The power with a public exponent in limbs, least significant first.
    ///
    /// ```
    /// use fieldc::{Field, bn254::Fp};
    ///
    /// fn cube<F: Field>(x: F) -> F {
    ///     x.pow(&[3])
    /// }
    /// assert_eq!(cube(Fp::from(2_u64)), Fp::from(8_u64));
    /// ```
    fn pow(&self, exponent: &[u64]) -> Self;
    /// The sum of products of corresponding elements.
    ///
    /// ```
    /// use fieldc::{Field, bn254::Fp};
    ///
    /// /// a*d - b*c.
    /// fn determinant<F: Field>(a: F, b: F, c: F, d: F) -> F {
    ///     F::sum_of_products(&[a, -b], &[d, c])
    /// }
    /// let [a, b, c, d] = [1, 2, 3, 4].map(Fp::from_u64);
    /// assert_eq!(determinant(a, b, c, d), -Fp::from(2_u64));
    /// ```
    fn sum_of_products<const K: usize>(x: &[Self; K], y: &[Self; K]) -> Self;

    /// The sum of products of corresponding elements.
    ///
    /// ```
    /// use fieldc::{Field, bn254::Fp};
    ///
    /// fn length<F: Field>(x: &[F]) -> F {
    ///     F::inner_product(x, x)
    /// }
    /// assert_eq!(length(&[3, 4].map(Fp::from_u64)), Fp::from(25_u64));
    /// ```
    ///
    /// # Panics
    /// If the slices have different lengths.
    fn inner_product(x: &[Self], y: &[Self]) -> Self;

    /// Inverts every element; zeros stay zeros.
    ///
    /// ```
    /// use fieldc::{Field, ShortScratch, bn254::Fp};
    ///
    /// let mut elements = [0, 1, 2].map(Fp::from_u64);
    /// Field::batch_invert(&mut elements, &mut [Fp::ZERO; 3])?;
    /// assert_eq!(elements[2].double(), Fp::ONE);
    /// # Ok::<(), ShortScratch>(())
    /// ```
    ///
    /// # Errors
    /// If the scratch space has fewer elements than there are to invert; nothing has changed then.
    fn batch_invert(elements: &mut [Self], scratch: &mut [Self]) -> Result<(), ShortScratch> {
        crate::batch::batch_invert(elements, scratch)
    }

    /// The fewest elements that vectors take; 0 without a kernel.
    #[doc(hidden)]
    #[inline(always)]
    fn least(_: Operation) -> usize {
        0
    }

    /// Computes the first elements of z in vectors; how many those are.
    ///
    /// An operand is a slice as long as z, or `None` for z itself.
    #[doc(hidden)]
    #[inline(always)]
    fn in_vectors(_: Operation, _z: &mut [Self], _operands: &[Option<&[Self]>]) -> usize {
        0
    }

    /// Computes the first of `x + w*y` and `x - w*y` in vectors; how many those are.
    #[doc(hidden)]
    #[inline(always)]
    fn butterfly_in_vectors(_x: &mut [Self], _y: &mut [Self], _w: &[Self]) -> usize {
        0
    }

    /// What computes with arrays of this type in digits, where there are kernels.
    #[doc(hidden)]
    #[inline(always)]
    fn digits() -> Option<Digits<Self>> {
        None
    }

    /// Transforms elements in vectors, by the roots of `Ntt`; whether it did.
    #[doc(hidden)]
    #[inline(always)]
    fn transform_in_vectors(_x: &mut [Self], _roots: &[Self]) -> bool {
        false
    }
}

/// The four operators and their assignments, with an operand of one type.
pub trait Operators<Right>:
    Sized
    + Add<Right, Output = Self>
    + Sub<Right, Output = Self>
    + Mul<Right, Output = Self>
    + Div<Right, Output = Self>
    + AddAssign<Right>
    + SubAssign<Right>
    + MulAssign<Right>
    + DivAssign<Right>
{
}

impl<T, Right> Operators<Right> for T where
    T: Sized
        + Add<Right, Output = T>
        + Sub<Right, Output = T>
        + Mul<Right, Output = T>
        + Div<Right, Output = T>
        + AddAssign<Right>
        + SubAssign<Right>
        + MulAssign<Right>
        + DivAssign<Right>
{
}
