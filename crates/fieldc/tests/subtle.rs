//! Comparison and selection with `subtle`.
#![cfg(feature = "subtle")]

mod common;

use common::values;
use subtle::{
    Choice, ConditionallyNegatable, ConditionallySelectable, ConstantTimeEq, ConstantTimeGreater,
    ConstantTimeLess,
};

macro_rules! field_tests {
    ($module:ident, $Fp:ty) => {
        mod $module {
            use super::*;

            type Fp = $Fp;

            fn elements() -> Vec<Fp> {
                let numbers = values(&Fp::MODULUS, 10);
                numbers
                    .iter()
                    .map(|n| Fp::from_limbs(*n).unwrap())
                    .collect()
            }

            #[test]
            fn comparison_is_that_of_the_numbers() {
                for x in elements() {
                    for y in elements() {
                        let order = x.to_bytes_be().cmp(&y.to_bytes_be());
                        assert_eq!(bool::from(x.ct_eq(&y)), order.is_eq());
                        assert_eq!(bool::from(x.ct_lt(&y)), order.is_lt());
                        assert_eq!(bool::from(x.ct_gt(&y)), order.is_gt());
                        assert_eq!(x == y, order.is_eq());
                    }
                }
            }

            #[test]
            fn selection_takes_what_was_chosen() {
                for x in elements() {
                    for y in elements() {
                        assert_eq!(Fp::conditional_select(&x, &y, Choice::from(0)), x);
                        assert_eq!(Fp::conditional_select(&x, &y, Choice::from(1)), y);
                        let (mut a, mut b) = (x, y);
                        Fp::conditional_swap(&mut a, &mut b, Choice::from(1));
                        assert_eq!((a, b), (y, x));
                    }
                }
            }

            #[test]
            fn negation_happens_when_chosen() {
                for x in elements() {
                    let mut y = x;
                    y.conditional_negate(Choice::from(0));
                    assert_eq!(y, x);
                    y.conditional_negate(Choice::from(1));
                    assert_eq!(y, -x);
                }
            }
        }
    };
}

for_some_fields!(field_tests);

#[test]
fn values_below_2p() {
    use fieldc::{Lazy, bn254::Fp};

    let x = Lazy::from(-Fp::from_u64(3));
    let y = Lazy::from_montgomery_limbs(Fp::MODULUS).expect("below 2p");
    assert!(bool::from(y.ct_eq(&Lazy::ZERO)) && !bool::from(y.ct_eq(&x)));
    let chosen = [0, 1].map(|choice| Lazy::conditional_select(&x, &y, Choice::from(choice)));
    assert_eq!(
        chosen.map(|z| z.to_montgomery_limbs()),
        [x, y].map(|z| z.to_montgomery_limbs())
    );
}
