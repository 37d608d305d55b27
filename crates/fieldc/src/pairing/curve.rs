//! The curves with a pairing, and what their Miller loops do.

use super::lines::Line;
use crate::curves::Curve;
use crate::fp2::Fp2;
use crate::prime_field::PrimeField;
use crate::tower::{Fp12, HasTower};

/// A step of a Miller loop.
#[derive(Clone, Copy)]
pub enum Step {
    /// Square the value and double the point.
    Double,
    /// Add the point of G2.
    Add,
    /// Subtract it.
    Subtract,
    /// Add its image under the endomorphism ψ.
    AddImage,
    /// Subtract the image of the image.
    SubtractSecondImage,
}

/// A curve with a pairing, as a type without values.
///
/// ```
/// use fieldc::curves::{Curve, bls12_381};
/// use fieldc::pairing::{Pairing, bls12_381::Bls12381};
///
/// fn name<E: Pairing>() -> &'static str {
///     <E::G1 as Curve>::NAME
/// }
/// assert_eq!(name::<Bls12381>(), bls12_381::G1::NAME);
/// ```
pub trait Pairing: Copy + Send + Sync + 'static {
    /// The base field.
    type Base: HasTower;
    /// The field of the groups' order.
    type Scalar: PrimeField;
    /// The first group.
    type G1: Curve<Base = Self::Base, Scalar = Self::Scalar>;
    /// The second group, on a twist.
    type G2: Curve<Base = Fp2<Self::Base>, Scalar = Self::Scalar>;

    /// The lines of a Miller loop.
    #[doc(hidden)]
    type Lines: Copy + Send + Sync + AsRef<[Line<Self::Base>]> + AsMut<[Line<Self::Base>]>;
    #[doc(hidden)]
    const NO_LINES: Self::Lines;
    /// What the loop does for each line.
    #[doc(hidden)]
    const STEPS: &'static [Step];
    /// Whether the twist's b is multiplied by ξ; it is divided otherwise.
    #[doc(hidden)]
    const IS_MULTIPLIED: bool;
    /// Whether the loop's number is negative.
    #[doc(hidden)]
    const IS_NEGATIVE: bool;

    /// x times three times the twist's b.
    #[doc(hidden)]
    fn triple_b(x: &Fp2<Self::Base>) -> Fp2<Self::Base>;
    /// The endomorphism ψ of the twist.
    #[doc(hidden)]
    fn image(x: &Fp2<Self::Base>, y: &Fp2<Self::Base>) -> (Fp2<Self::Base>, Fp2<Self::Base>);
    /// The power of an element of the cyclotomic subgroup that makes it one of the group of prime
    /// order.
    #[doc(hidden)]
    fn hard_part(x: &Fp12<Self::Base>) -> Fp12<Self::Base>;
}

/// The steps of a loop over the signed digits of a number, least significant first, the highest of
/// which is 1; then those at the end.
pub(super) const fn steps<const N: usize>(digits: &[i8], last: &[Step]) -> [Step; N] {
    let (mut steps, mut count, mut i) = ([Step::Double; N], 0, digits.len() - 1);
    while i > 0 {
        i -= 1;
        count += 1;
        if digits[i] != 0 {
            steps[count] = if digits[i] > 0 {
                Step::Add
            } else {
                Step::Subtract
            };
            count += 1;
        }
    }
    let mut j = 0;
    while j < last.len() {
        steps[count + j] = last[j];
        j += 1;
    }
    assert!(count + last.len() == N, "another number of steps");
    steps
}

/// The digits -1, 0 and 1 of a number of which no two neighbours are not 0, least significant first.
pub(super) const fn signed_digits<const N: usize>(mut number: u128) -> [i8; N] {
    let (mut digits, mut i) = ([0; N], 0);
    while number > 0 {
        if number & 1 == 1 {
            digits[i] = 2 - (number & 3) as i8;
            number = number.wrapping_sub(digits[i] as u128);
        }
        number >>= 1;
        i += 1;
    }
    assert!(i == N, "another number of digits");
    digits
}

/// The bits of a number, least significant first.
pub(super) const fn bits<const N: usize>(number: u64) -> [i8; N] {
    let (mut bits, mut i) = ([0; N], 0);
    while i < N {
        bits[i] = (number >> i & 1) as i8;
        i += 1;
    }
    bits
}
