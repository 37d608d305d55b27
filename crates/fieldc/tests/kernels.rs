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

    use Kernels::{Adx, AdxAvx2, AdxAvx512Ifma, Avx2, Avx512Ifma, Avx512f, Mulx};
    for kernels in [Mulx, Adx, Avx2, AdxAvx2, Avx512f, Avx512Ifma, AdxAvx512Ifma] {
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
const HAS_VECTORS: bool = cfg!(all(feature = "vectors", not(target_os = "uefi")));

#[cfg(all(
    target_arch = "x86_64",
    not(any(feature = "portable", feature = "static-cpu", miri))
))]
fn what_can_be_selected_agrees_with_std() {
    let bmi2 = is_x86_feature_detected!("bmi2");
    let adx = bmi2 && is_x86_feature_detected!("adx");
    assert_eq!(Kernels::Adx.select().is_ok(), adx);
    let short = HAS_VECTORS && is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    assert_eq!(Kernels::Avx2.select().is_ok(), bmi2 && short);
    assert_eq!(Kernels::AdxAvx2.select().is_ok(), adx && short);
    let vectors =
        HAS_VECTORS && is_x86_feature_detected!("avx512f") && is_x86_feature_detected!("avx512dq");
    assert_eq!(Kernels::Avx512f.select().is_ok(), adx && vectors);
    let digits = vectors
        && is_x86_feature_detected!("avx512ifma")
        && is_x86_feature_detected!("avx512vbmi2");
    assert_eq!(Kernels::Avx512Ifma.select().is_ok(), bmi2 && digits);
    assert_eq!(Kernels::Mulx.select().is_ok(), bmi2);
    assert_eq!(Kernels::detect().select(), Ok(()));
}
