//! The choice of kernels. Only one test selects: the choice is the whole program's.

use fieldc::Kernels;
use fieldc::bls12_381::Fp;

#[test]
fn the_choice_is_made_once_and_can_be_forced() {
    let x = Fp::from_u64(3);
    // The first product is what asks the processor.
    assert_eq!(x * x, Fp::from_u64(9));
    assert_eq!(Kernels::current(), Kernels::detect());

    assert_eq!(Kernels::Portable.select(), Ok(()));
    assert_eq!(Kernels::current(), Kernels::Portable);
    assert_eq!(x * x, Fp::from_u64(9));

    for kernels in [Kernels::Mulx, Kernels::Adx] {
        match kernels.select() {
            Ok(()) => assert_eq!(Kernels::current(), kernels),
            Err(error) => {
                let says =
                    format!("{kernels:?} kernels: not on this processor or not in this build");
                assert_eq!(error.to_string(), says);
            }
        }
        assert_eq!(x * x, Fp::from_u64(9));
    }
    #[cfg(all(
        target_arch = "x86_64",
        not(any(feature = "portable", feature = "static-cpu", miri))
    ))]
    what_can_be_selected_agrees_with_std();
}

#[cfg(all(
    target_arch = "x86_64",
    not(any(feature = "portable", feature = "static-cpu", miri))
))]
#[test]
fn detection_agrees_with_std() {
    let bmi2 = is_x86_feature_detected!("bmi2");
    assert_eq!(Kernels::detect() != Kernels::Portable, bmi2);
    let adx = bmi2 && is_x86_feature_detected!("adx");
    assert!(adx || Kernels::detect() != Kernels::Adx);
}

#[cfg(all(
    target_arch = "x86_64",
    not(any(feature = "portable", feature = "static-cpu", miri))
))]
fn what_can_be_selected_agrees_with_std() {
    let bmi2 = is_x86_feature_detected!("bmi2");
    let adx = bmi2 && is_x86_feature_detected!("adx");
    assert_eq!(Kernels::Adx.select().is_ok(), adx);
    assert_eq!(Kernels::Mulx.select().is_ok(), bmi2);
    assert_eq!(Kernels::detect().select(), Ok(()));
}
