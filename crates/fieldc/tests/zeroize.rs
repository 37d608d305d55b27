//! Erased elements are 0.
#![cfg(feature = "zeroize")]

mod common;

use zeroize::{Zeroize, Zeroizing};

macro_rules! field_tests {
    ($module:ident, $Fp:ty) => {
        #[test]
        fn $module() {
            let mut x = -<$Fp>::ONE;
            x.zeroize();
            assert_eq!(x, <$Fp>::ZERO);
            assert_eq!(x.to_montgomery_limbs(), [0; <$Fp>::LIMBS]);

            let mut elements = [<$Fp>::ONE; 3];
            elements.zeroize();
            assert_eq!(elements, [<$Fp>::ZERO; 3]);
            assert_eq!(*Zeroizing::new(<$Fp>::ONE), <$Fp>::ONE);
        }
    };
}

for_some_fields!(field_tests);

#[test]
fn values_below_2p() {
    let mut x = fieldc::Lazy::from(-fieldc::bn254::Fp::ONE);
    x.zeroize();
    assert_eq!(x.to_montgomery_limbs(), [0; 4]);
}
