//! What a curve is.

use crate::generic::Field;
use crate::prime_field::PrimeField;

/// A curve y^2 = x^3 + ax + b with a group of prime order, as a type without values.
///
/// ```
/// use fieldc::bls12_381::Fp;
/// use fieldc::curves::{Curve, bls12_381::G1};
///
/// assert_eq!(G1::B, Fp::from_u64(4));
/// assert!(!G1::A_IS_MINUS_3);
/// ```
pub trait Curve: Copy + Send + Sync + 'static {
    /// The field of the coordinates.
    type Base: Field;
    /// The field of the order of the group.
    type Scalar: PrimeField;

    /// Its name, as points are printed.
    const NAME: &'static str;
    /// Whether a is -3; it is 0 otherwise.
    const A_IS_MINUS_3: bool;
    /// b.
    const B: Self::Base;
    /// The coordinates of a generator of the group.
    const GENERATOR: (Self::Base, Self::Base);

    /// Whether a point of the curve with these coordinates is in the group of prime order. Where all
    /// points are, it is true.
    #[doc(hidden)]
    fn is_in_subgroup(x: &Self::Base, y: &Self::Base) -> bool {
        let _ = (x, y);
        true
    }
}

/// x^3 + ax + b.
#[inline]
pub(super) fn right_side<C: Curve>(x: &C::Base) -> C::Base {
    let square = x.square();
    let factor = if C::A_IS_MINUS_3 {
        square - C::Base::from(3_u32)
    } else {
        square
    };
    factor * x + C::B
}

/// The element that hexadecimal digits say.
macro_rules! element {
    ($Fp:ty, $digits:literal) => {
        match <$Fp>::from_hex($digits) {
            Ok(element) => element,
            Err(_) => panic!("no element"),
        }
    };
}
pub(super) use element;
